use super::{RedactionKind, check, check_clean, redact_text};
use std::collections::BTreeSet;

/// Random characters; a key is a prefix and some of them, so that no whole key stands in this file.
const RANDOM: &str = "q7Rk2mXw9Lt4Zb8vNc3Yd6Hf5Jg1PsTaUeVi0oKxQz7Rk2mXw9Lt4Zb8vNc3Yd6H";
const CAPITALS: &str = "Q7RK2MXW9LT4ZB8V";

fn key(prefix: &str, length: usize) -> String {
    format!("{prefix}{}", &RANDOM[..length])
}

#[test]
fn keys_of_known_formats_are_found_between_whatever_surrounds_them() {
    let formats = [
        key("AIza", 35),
        key("GOCSPX-", 28),
        key("ya29.", 60),
        key("ghp_", 36),
        key("gho_", 36),
        key("ghu_", 36),
        key("ghs_", 36),
        key("ghr_", 36),
        key("github_pat_", 59),
        key("glpat-", 20),
        key("xoxb-", 48),
        key("xoxp-1234-", 40),
        key("xapp-1-", 40),
        key("sk-", 48),
        key("sk-proj-", 64),
        key("sk-ant-api03-", 64),
        key("gsk_", 52),
        key("xai-", 64),
        key("hf_", 34),
        key("sk_live_", 24),
        key("sk_test_", 24),
        key("rk_live_", 24),
        key("whsec_", 32),
        format!("SG.{}.{}", &RANDOM[..22], &RANDOM[..43]),
        key("npm_", 36),
        key("pypi-", 60),
        key("shpat_", 32),
        key("dop_v1_", 64),
        format!("AKIA{CAPITALS}"),
        format!("ASIA{CAPITALS}"),
        format!(
            "eyJ{}.eyJ{}.{}",
            &RANDOM[..17],
            &RANDOM[..40],
            &RANDOM[..43]
        ),
        format!(
            "eyJ{}.{}.{}.{}.{}",
            &RANDOM[..17],
            &RANDOM[..40],
            &RANDOM[..16],
            &RANDOM[..40],
            &RANDOM[..22]
        ),
    ];
    for key in formats {
        for (before, after) in [
            ("", ""),
            ("the key ", "."),
            ("\"", "\""),
            ("(", ")"),
            ("钥匙", "。"),
            ("\n", "\n"),
            ("k=", "&x"),
        ] {
            let redacted = redact_text(
                &BTreeSet::from([RedactionKind::Key]),
                &format!("{before}{key}{after}"),
            )
            .into_owned();
            assert_eq!(redacted, format!("{before}[key]{after}"), "{key}");
        }
    }
}

#[test]
fn private_keys_are_found_up_to_their_last_line() {
    let pem = |label: &str| format!("-----BEGIN {label}-----\nq7Rk\n2mXw\n-----END {label}-----");
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        check(
            RedactionKind::Key,
            &[(&format!("a\n{}\nb", pem(label)), "a\n[key]\nb")],
        );
    }
    let rows = [
        (
            "-----BEGIN PRIVATE KEY-----\\nq7Rk\\n-----END PRIVATE KEY-----\\n",
            "[key]\\n",
        ),
        ("-----BEGIN PRIVATE KEY-----\nq7Rk\n2mX", "[key]"),
        (
            "-----BEGIN EC PRIVATE KEY-----\nq7Rk\n-----END EC PRIV",
            "[key]EC PRIV",
        ),
    ];
    check(RedactionKind::Key, &rows);
    check_clean(
        RedactionKind::Key,
        &[
            &pem("PUBLIC KEY"),
            &pem("CERTIFICATE"),
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY",
        ],
    );
}

#[test]
fn random_values_are_found_by_the_name_before_them() {
    let rows = [
        ("password=q7Rk2mXw9Lt4Zb8v", "password=[key]"),
        ("password: q7Rk2mXw9Lt4Zb8v", "password: [key]"),
        ("PASSWORD = \"q7Rk2mXw9Lt4Zb8v\"", "PASSWORD = \"[key]\""),
        (
            "{\"api_key\":\"q7Rk2mXw9Lt4Zb8v\",\"n\":1}",
            "{\"api_key\":\"[key]\",\"n\":1}",
        ),
        (
            "{\\\"token\\\": \\\"q7Rk2mXw9Lt4Zb8v\\\"}",
            "{\\\"token\\\": \\\"[key]\\\"}",
        ),
        (
            "DB_PASSWORD=q7Rk2mXw9Lt4Zb8v\nNEXT=1",
            "DB_PASSWORD=[key]\nNEXT=1",
        ),
        (
            "clientSecret := 'q7Rk2mXw9Lt4Zb8v'",
            "clientSecret := '[key]'",
        ),
        (
            "?access_token=q7Rk2mXw9Lt4Zb8v&page=2",
            "?access_token=[key]&page=2",
        ),
        ("key=0f8e2d4c6b1a39577d9e0c2b4a681f35", "key=[key]"),
        ("secret => q7Rk2mXw9Lt4Zb8v,", "secret => [key],"),
        (
            "Authorization: Bearer q7Rk2mXw9Lt4Zb8v",
            "Authorization: Bearer [key]",
        ),
        (
            "authorization: Basic cTdSazJtWHc5THQ0WmI4dg==",
            "authorization: Basic [key]",
        ),
        (
            "Authorization: Token q7Rk2mXw9Lt4Zb8v",
            "Authorization: Token [key]",
        ),
        (
            "sent bearer q7Rk2mXw9Lt4Zb8v to it",
            "sent bearer [key] to it",
        ),
        ("x-api-key: q7Rk2mXw9Lt4Zb8v", "x-api-key: [key]"),
        (
            "AWS_SECRET_ACCESS_KEY=q7Rk2mXw/9Lt4Zb8v+Nc3Yd6Hf5Jg1P",
            "AWS_SECRET_ACCESS_KEY=[key]",
        ),
        (
            "AccountKey=q7Rk2mXw9Lt4Zb8v==;Suffix=x",
            "AccountKey=[key];Suffix=x",
        ),
        (
            "https://ada:hunter2@example.com/x",
            "https://ada:[key]@example.com/x",
        ),
        (
            "postgres://ada:p@ss@db:5432/x",
            "postgres://ada:[key]@db:5432/x",
        ),
        ("redis://:q7Rk@cache", "redis://:[key]@cache"),
    ];
    check(RedactionKind::Key, &rows);
}

#[test]
fn words_ids_and_addresses_are_no_keys() {
    let texts = [
        "",
        "the key to success: patience and hard work",
        "key: value",
        "password: ",
        "password=",
        "password=********************",
        "password=${DB_PASSWORD}",
        "password: correct-horse-battery-staple",
        "token: parseExpressionListNode",
        "tokens: 12345678901234567890",
        "key = primary_key_of_the_table_1",
        "key: 2026-11-22T05:23:41Z",
        "the secret: nobody knows what it was",
        "id=q7Rk2mXw9Lt4Zb8v",
        "commit 29c156d0f8e2d4c6b1a39577d9e0c2b4a681f35",
        "sha256:0f8e2d4c6b1a39577d9e0c2b4a681f350f8e2d4c6b1a39577d9e0c2b4a681f35",
        "550e8400-e29b-41d4-a716-446655440000",
        "sk-learn-is-a-library-for-machine-learning",
        "sk-",
        "task-1234567890123456789012345",
        "risk-q7Rk2mXw9Lt4Zb8vNc3Yd6Hf5Jg1P",
        "AKIA",
        "AKIAlowercaseletters",
        "AIza",
        "ghp_short1",
        "npm_config_registry",
        "hf_hub",
        "eyJ",
        "eyJhbGciOiJub25lIn0",
        "eyJhbGciOiJub25lIn0.eyJhIjoxfQ",
        "eyJ.a.b",
        "Bearer of bad news, the messenger",
        "a bearer token is needed",
        "basic understanding: see q7Rk2mXw9Lt4Zb8v",
        "https://example.com/a@b:c",
        "https://ada@example.com",
        "https://example.com:8080/",
        "std::path::Path",
        "[key]",
        "password=[key]",
        "https://ada:[key]@example.com",
    ];
    check_clean(RedactionKind::Key, &texts);
}
