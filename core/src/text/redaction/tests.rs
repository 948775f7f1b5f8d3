use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::json;

use super::{RedactionKind, SecretRules, redact_text, redact_value};

mod cards;
mod emails;
mod ibans;
mod keys;
mod laws;
mod long;
mod phones;

/// Redacts with one kind, each `rows` of a text and what is left of it.
fn check(kind: RedactionKind, rows: &[(&str, &str)]) {
    for (text, left) in rows {
        assert_eq!(redact_text(&BTreeSet::from([kind]), text), *left, "{text}");
    }
}

/// Redacts texts in which nothing may be found.
fn check_clean(kind: RedactionKind, texts: &[&str]) {
    for text in texts {
        let redacted = redact_text(&BTreeSet::from([kind]), text);
        assert!(
            matches!(redacted, Cow::Borrowed(same) if same == *text),
            "{text} became {redacted}"
        );
    }
}

fn all() -> BTreeSet<RedactionKind> {
    BTreeSet::from(RedactionKind::ALL)
}

#[test]
fn kinds_are_looked_for_in_an_order_in_which_none_cuts_another() {
    for (text, left) in [
        (
            "https://ada:x9-secret@db.example.com/",
            "https://ada:[key]@db.example.com/",
        ),
        ("+491701234567@sms.example.com", "[email]"),
        ("DE89 3704 0044 0532 0130 00", "[iban]"),
        ("4111 1111 1111 1111 or 030 1234567", "[card] or [phone]"),
        (
            "ada@example.com, +49 30 1234567, DE89370400440532013000",
            "[email], [phone], [iban]",
        ),
    ] {
        assert_eq!(redact_text(&all(), text), left, "{text}");
    }
}

#[test]
fn a_policy_reads_kinds_by_their_small_names() {
    let kinds: BTreeSet<RedactionKind> =
        serde_json::from_value(json!(["phone", "email", "key"])).unwrap();
    assert_eq!(
        kinds,
        BTreeSet::from([
            RedactionKind::Key,
            RedactionKind::Email,
            RedactionKind::Phone
        ])
    );
    assert_eq!(
        redact_text(&BTreeSet::new(), "ada@example.com"),
        "ada@example.com"
    );
}

#[test]
fn values_are_redacted_at_every_depth_and_so_are_the_names_of_fields() {
    let mut value = json!({
        "rows": [["ada@example.com", 4_111_111_111_111_111_u64, null], { "to": "call 030 1234567" }],
        "ada@example.com": 1,
        "bob@example.com": 2,
        "note": "say \"hi\" to ada@example.com",
    });
    redact_value(&all(), &mut value);
    let redacted = json!({
        "rows": [["[email]", "[card]", null], { "to": "call [phone]" }],
        "[email]": 1,
        "[email] 2": 2,
        "note": "say \"hi\" to [email]",
    });
    assert_eq!(value, redacted);
}

#[test]
fn json_in_a_text_stays_json_whatever_is_taken_out_of_it() {
    for (text, left) in [
        (
            r#"[{"who": "ada@example.com", "card": 4111111111111111}, {"who": null, "card": 7}]"#,
            r#"[{"who": "[email]", "card": "[card]"}, {"who": null, "card": 7}]"#,
        ),
        (
            "{\"a\\nada@example.com\": 1,\n \"b\": \"\\tada@example.com\"}",
            "{\"a\\n[email]\": 1,\n \"b\": \"\\t[email]\"}",
        ),
        ("[4111111111111111]", r#"["[card]"]"#),
        ("4111111111111111", "[card]"),
        (
            "2 rows:\n{\"card\":4111111111111111}\n{\"card\":1}\nby ada@example.com",
            "2 rows:\n{\"card\":\"[card]\"}\n{\"card\":1}\nby [email]",
        ),
        ("[not json 4111111111111111]", "[not json [card]]"),
        (r#" "a\n4111111111111111" "#, r#" "a\n[card]" "#),
        (r#""a" \n4111111111111111"#, r#""a" \n4111111111111111"#),
        (
            r#"{"password":"q7Rk2mXw9Lt4Zb8v","id":"q7Rk2mXw9Lt4Zb8v"}"#,
            r#"{"password":"[key]","id":"q7Rk2mXw9Lt4Zb8v"}"#,
        ),
        (
            r#"{"said":"{\"card\":4111111111111111}"}"#,
            r#"{"said":"{\"card\":\"[card]\"}"}"#,
        ),
        (
            r#"{"a@b.de":1,"c@b.de":2}"#,
            r#"{"[email]":1,"[email] 2":2}"#,
        ),
        (
            r#"{"a":"ada\u0040example.com","b":"\ud800 ada@example.com"}"#,
            r#"{"a":"[email]","b":"\\ud800 [email]"}"#,
        ),
    ] {
        assert_eq!(redact_text(&all(), text), left, "{text}");
    }
    let rules = SecretRules::new(["1234567", "say \"friend\"", "abc\",\"def"]);
    for (text, left) in [
        (
            r#"{"pin":1234567,"said":"say \"friend\""}"#,
            r#"{"pin":"[secret]","said":"[secret]"}"#,
        ),
        ("pin 1234567", "pin [secret]"),
        (r#"["abc","def"]"#, r#"["[secret]"]"#),
    ] {
        assert_eq!(rules.redact_text(text), left, "{text}");
    }
}

#[test]
fn a_random_string_in_a_field_with_the_name_of_a_secret_is_a_key() {
    let given = json!({ "db_password": "q7Rk2mXw9Lt4Zb8v", "tokens": ["none"], "token": "the second word", "id": "q7Rk2mXw9Lt4Zb8v" });
    let mut value = given.clone();
    redact_value(&BTreeSet::from([RedactionKind::Email]), &mut value);
    assert_eq!(value, given);
    redact_value(&BTreeSet::from([RedactionKind::Key]), &mut value);
    assert_eq!(value["db_password"], "[key]");
    assert_eq!(
        (&value["id"], &value["token"]),
        (&given["id"], &given["token"])
    );
}

#[test]
fn secrets_are_taken_out_by_their_values_whatever_they_look_like() {
    let rules = SecretRules::new(["open sesame", "sesame street", "short", "say \"friend\""]);
    for (text, left) in [
        ("nothing here", "nothing here"),
        ("open sesame!", "[secret]!"),
        ("open sesame street", "[secret]"),
        ("a short word", "a short word"),
        (r#"{"said":"say \"friend\""}"#, r#"{"said":"[secret]"}"#),
        ("open sesameopen sesame", "[secret][secret]"),
    ] {
        assert_eq!(rules.redact_text(text), left, "{text}");
    }
    let mut value = json!({ "open sesame": ["say \"friend\"", 1] });
    rules.redact_value(&mut value);
    assert_eq!(value, json!({ "[secret]": ["[secret]", 1] }));
    assert_eq!(format!("{rules:?}"), "SecretRules(..)");
}

#[test]
fn a_secret_that_stands_in_the_marker_is_left_out() {
    assert!(SecretRules::new(["secret", "[secret", ""]).is_empty());
}
