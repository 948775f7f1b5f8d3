use folkmoot_core::tool::{EffectClass, Repeat};
use serde_json::{Value, json};

use super::schema::{digest_of, question};
use super::words::{clean, line};
use crate::stage::{build, call, failure, try_build};
use std::path::Path;

/// The settings of a tool, with these in place of its own; `null` takes one away.
fn settings(more: &Value) -> Value {
    let mut settings = json!({
        "use": "mcp", "server": "files", "command": ["server"], "cwd": ".", "tool": "read",
        "schema": { "type": "object" },
    });
    let all = settings.as_object_mut().unwrap();
    for (key, value) in more.as_object().unwrap() {
        if value.is_null() {
            all.remove(key);
        } else {
            all.insert(key.clone(), value.clone());
        }
    }
    settings
}

/// The same, at an address.
fn at(url: &str, more: &Value) -> Value {
    let mut settings = settings(&json!({ "command": null, "cwd": null, "url": url }));
    let more = more.as_object().unwrap().clone();
    settings.as_object_mut().unwrap().extend(more);
    settings
}

#[test]
fn a_tool_that_nobody_classified_may_do_the_worst() {
    let spec = build(&settings(&json!({})), Path::new(".")).spec().clone();
    assert_eq!(
        (spec.effect, spec.repeat),
        (EffectClass::Destructive, Repeat::Never)
    );
    assert!(spec.open_world && spec.needs_host && !spec.reconciles);
    assert_eq!(
        spec.description,
        "The tool `read` of the MCP server `files`."
    );
    let spec = build(
        &at("https://a/mcp", &json!({ "effect": "read" })),
        Path::new("."),
    );
    assert_eq!(
        (spec.spec().effect, spec.spec().repeat),
        (EffectClass::Read, Repeat::Never)
    );
    assert!(!spec.spec().needs_host);
}

#[test]
fn faults_of_a_server_say_where_they_are_and_repeat_no_secret() {
    let table = [
        (
            settings(&json!({ "command": null, "cwd": null })),
            "command",
            "say where the server is",
        ),
        (
            settings(&json!({ "url": "https://a" })),
            "url",
            "either `command` or `url`",
        ),
        (settings(&json!({ "cwd": null })), "cwd", "name the folder"),
        (
            settings(&json!({ "command": [] })),
            "command",
            "the name of a program",
        ),
        (
            settings(&json!({ "command": ["a", "--key=${KEY}"] })),
            "command",
            "name it under `env`",
        ),
        (
            settings(&json!({ "env": ["A=s3cret"] })),
            "env[0]",
            "the name of a variable",
        ),
        (
            settings(&json!({ "token": "${KEY}" })),
            "token",
            "leave `token` out",
        ),
        (
            settings(&json!({ "memoise": true, "effect": "read" })),
            "memoise",
            "leave this setting out",
        ),
        (
            settings(&json!({ "schema": null })),
            "schema",
            "`folkmoot mcp tools SCRIPT`",
        ),
        (
            settings(&json!({ "schema": { "type": "object", "title": "a\u{202e}b" } })),
            "schema",
            "nobody sees",
        ),
        (
            settings(&json!({ "schema": { "type": "object", "title": "x".repeat(70_000) } })),
            "schema",
            "at most",
        ),
        (
            settings(&json!({ "schema": { "type": "array" } })),
            "schema",
            "add `type: object`",
        ),
        (settings(&json!({ "tool": "" })), "tool", "a name of 1 to"),
        (
            settings(&json!({ "tool": "a\u{1b}" })),
            "tool",
            "a name of 1 to",
        ),
        (
            settings(&json!({ "server": "a\nb" })),
            "server",
            "a name of 1 to",
        ),
        (at("nowhere", &json!({})), "url", "write an address"),
        (at("ftp://a", &json!({})), "url", "write an address"),
        (
            at("https://ada:s3cret@a", &json!({})),
            "url",
            "no name and password",
        ),
        (
            at("https://a", &json!({ "token": "s3cret" })),
            "token",
            "write `${NAME}`",
        ),
        (
            at("https://a", &json!({ "token": "${A} s3cret" })),
            "token",
            "write `${NAME}`",
        ),
        (
            at("http://a", &json!({ "token": "${A}" })),
            "url",
            "goes over https",
        ),
        (
            at("http://127.0.0.1.a", &json!({ "token": "${A}" })),
            "url",
            "goes over https",
        ),
        (
            at("https://a", &json!({ "sandbox": "none" })),
            "sandbox",
            "about a `command`",
        ),
        (
            at("https://a", &json!({ "cwd": "." })),
            "cwd",
            "about a `command`",
        ),
    ];
    for (settings, path, words) in table {
        let error = try_build(&settings, Path::new(".")).unwrap_err();
        assert_eq!(error.path(), path, "{settings}: {error}");
        assert!(error.to_string().contains(words), "{settings}: {error}");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
    for url in ["http://a/mcp", "https://a/mcp?x=1", "http://[::1]:1/mcp"] {
        build(&at(url, &json!({})), Path::new("."));
    }
    build(
        &at("http://localhost:1", &json!({ "token": "${A}" })),
        Path::new("."),
    );
}

#[test]
fn the_order_of_keys_makes_no_other_schema() {
    let one: Value = serde_json::from_str(r#"{ "a": { "b": 1, "c": 2 }, "d": 3 }"#).unwrap();
    let other: Value = serde_json::from_str(r#"{ "d": 3, "a": { "c": 2, "b": 1 } }"#).unwrap();
    assert_eq!(digest_of(&one), digest_of(&other));
    assert_ne!(
        digest_of(&one),
        digest_of(&json!({ "a": { "b": 1, "c": 2 }, "d": 4 }))
    );
}

#[test]
fn a_question_about_a_schema_is_short_whatever_the_server_sends() {
    let many: serde_json::Map<String, Value> = (0..10_000)
        .map(|number| {
            (
                format!("{number}\u{1b}{}", "k".repeat(1000)),
                json!("v\u{202e}".repeat(1000)),
            )
        })
        .collect();
    let present = json!({ "type": "object", "properties": many });
    for known in [
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": {} }),
        json!({}),
    ] {
        let question = question("files", "read", &known, &present);
        assert!(question.text.len() < 10_000, "{}", question.text.len());
        assert_eq!(clean(&question.text), question.text);
    }
    let question = question(
        "files",
        "read",
        &json!({ "a": 1, "b": { "c": 2 } }),
        &json!({ "b": { "c": 3 } }),
    );
    let lines: Vec<&str> = question.text.lines().collect();
    assert_eq!(
        lines.get(1..3),
        Some(["- /a: 1 became nothing", "- /b/c: 2 became 3"].as_slice())
    );
}

#[test]
fn words_of_a_server_have_a_length_and_no_unseen_characters() {
    for (text, max, words) in [
        ("plain", 10, "plain"),
        ("two\nlines\r\n", 20, "two lines"),
        ("a\u{1b}[2Jb\u{0}\u{7f}\u{9b}", 20, "a [2Jb"),
        ("\u{202e}abc\u{200b}\u{feff}\u{e0041}", 20, "abc"),
        ("äöü", 3, "ä…"),
        ("long enough", 4, "long…"),
    ] {
        assert_eq!(line(text, max), words, "{text:?}");
    }
    assert_eq!(clean("a\r\n\tb\u{1b}c"), "a\n\tbc");
}

#[tokio::test]
async fn an_address_without_a_server_is_told_in_words_of_people() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", free.local_addr().unwrap());
    drop(free);
    let tool = build(&at(&url, &json!({})), Path::new("."));
    let outcome = tool.run(&call(json!({}))).await;
    let (_, detail) = failure(&outcome);
    assert!(
        detail.contains("the server `files` does not begin"),
        "{detail}"
    );
    assert!(
        !detail.contains("::") && !detail.contains("rmcp"),
        "{detail}"
    );
}
