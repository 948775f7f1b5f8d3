use std::borrow::Cow;
use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{RedactionKind, SecretRules, all, redact_text, redact_value};

/// Pieces that make and break matches, so that their edges meet in every way.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "ada@example.com",
        "@",
        "a@",
        ".de",
        "4111 1111 1111 1111",
        "4111111111111111",
        "DE89 3704 0044 0532 0130 00",
        "+49 30 1234567",
        "030 1234567",
        "0",
        "212-555-0147",
        "(030) ",
        "+",
        "-",
        ".",
        ":",
        "/",
        " ",
        ",",
        "=",
        "x",
        "_",
        "key",
        "token: ",
        "password=",
        "Bearer ",
        "q7Rk2mXw9Lt4Zb8v",
        "sk-",
        "eyJhbGciOiJub25lIn0",
        "://",
        "tel ",
        "é",
        "话",
        "[email]",
        "[",
        "]",
        "\"",
        "\\",
        "\n",
        "-----BEGIN ",
        "PRIVATE KEY",
        "-----",
        "-----END ",
        "2026",
        "11",
        "22",
        "1",
    ];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => "[0-9]{1,5}",
        1 => "[a-zA-Z0-9]{1,4}",
        1 => any::<char>().prop_map(String::from),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..14).prop_map(|pieces| pieces.concat())
}

fn kinds() -> impl Strategy<Value = BTreeSet<RedactionKind>> {
    prop::sample::subsequence(RedactionKind::ALL.to_vec(), 0..=5).prop_map(BTreeSet::from_iter)
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::from(4_111_111_111_111_111_u64)),
        Just(Value::Null)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let fields = prop::collection::btree_map(text(), inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            fields.prop_map(|fields| Value::Object(Map::from_iter(fields))),
        ]
    })
}

/// A value without its strings and names: what must stay.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        // A number of which something is taken out is a string.
        Value::Number(_) | Value::String(_) => Value::from(""),
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::Object(fields) => {
            let mut shapes: Vec<_> = fields.values().map(shape).collect();
            shapes.sort_by_key(Value::to_string);
            Value::from(vec![Value::from("object"), Value::from(shapes)])
        }
    }
}

/// The strings of a value without the names of fields, in an order of their own.
fn strings(value: &Value) -> Vec<String> {
    let mut all = match value {
        Value::Null | Value::Bool(_) => Vec::new(),
        Value::Number(number) => vec![number.to_string()],
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
    };
    all.sort();
    all
}

/// A secret with what must not be left of it.
fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}\\.[a-z0-9]{1,8}@[a-z]{1,8}\\.(com|de|org)",
        "\\+49 [1-9][0-9]{2} [0-9]{3} [0-9]{4}",
        "\\([2-9][0-9]{2}\\) [2-9][0-9]{2}-[0-9]{4}",
        "4[0-9]{3} [0-9]{4} [0-9]{4} [0-9]{3}".prop_map(|head| with_sum(&head)),
        "5[1-5][0-9]{13}".prop_map(|head| with_sum(&head)),
        Just("GB82WEST12345698765432".to_owned()),
        "AKIA[A-Z2-7]{16}",
        "ghp_1[a-zA-Z0-9]{35}",
        "sk-proj-1[a-zA-Z0-9_]{30}[a-z]",
        "eyJ[a-zA-Z0-9]{20}\\.eyJ[a-zA-Z0-9]{20}\\.[a-zA-Z0-9]{30}",
    ]
}

fn with_sum(head: &str) -> String {
    let cards = (0..10).map(|last| format!("{head}{last}"));
    cards
        .into_iter()
        .find(|card| redact_text(&BTreeSet::from([RedactionKind::Card]), card) == "[card]")
        .unwrap()
}

/// What may stand beside a secret: anything that does not begin or end with what the secret could go on with.
fn beside() -> impl Strategy<Value = (String, String)> {
    let before = prop::sample::select(vec![
        "", " ", "\n", "\"", "'", "(", "<", ";", "; ", "| ", "] ", "，",
    ]);
    let after = prop::sample::select(vec![
        "", " ", "\n", "\"", "'", ")", ">", ";", ". ", "! ", "? ", "，", ", ",
    ]);
    (text(), before, after, text()).prop_map(|(far, near, close, on)| {
        let (near, close) = (
            if far.is_empty() { "" } else { near },
            if on.is_empty() { "" } else { close },
        );
        let near = if near.is_empty() && !far.is_empty() {
            "; "
        } else {
            near
        };
        let close = if close.is_empty() && !on.is_empty() {
            "; "
        } else {
            close
        };
        (format!("{far}{near}"), format!("{close}{on}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn redacting_twice_changes_nothing_more(kinds in kinds(), text in text()) {
        let once = redact_text(&kinds, &text);
        let twice = redact_text(&kinds, &once);
        prop_assert_eq!(&once, &twice, "{}", text);
    }

    #[test]
    fn a_text_is_borrowed_exactly_if_nothing_is_found(kinds in kinds(), text in text()) {
        match redact_text(&kinds, &text) {
            Cow::Borrowed(same) => prop_assert_eq!(same, &text),
            Cow::Owned(redacted) => prop_assert_ne!(redacted, text),
        }
    }

    #[test]
    fn a_planted_secret_never_remains((before, after) in beside(), secret in secret()) {
        let redacted = redact_text(&all(), &format!("{before}{secret}{after}")).into_owned();
        prop_assert!(!redacted.contains(&secret), "{} in {}", secret, redacted);
    }

    #[test]
    fn a_value_keeps_its_shape_and_is_redacted_once(kinds in kinds(), value in value()) {
        let mut once = value.clone();
        redact_value(&kinds, &mut once);
        prop_assert_eq!(shape(&once), shape(&value));
        let mut twice = once.clone();
        redact_value(&kinds, &mut twice);
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn json_in_a_text_is_redacted_as_a_value_is(kinds in kinds(), value in value(), indented in any::<bool>()) {
        let text = if indented { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        prop_assume!(!value.is_number());
        let redacted: Value = serde_json::from_str(&redact_text(&kinds, &text)).unwrap();
        prop_assert_eq!(shape(&redacted), shape(&value));
        let mut same = value;
        redact_value(&kinds, &mut same);
        prop_assert_eq!(strings(&redacted), strings(&same));
    }

    #[test]
    fn a_known_secret_never_remains_in_whole(
        secrets in prop::collection::vec("[ab]{6,9}", 1..4),
        text in prop::collection::vec("[ab]{0,12}", 0..4),
    ) {
        let rules = SecretRules::new(&secrets);
        let text = text.join(&secrets[0]);
        let once = rules.redact_text(&text).into_owned();
        for secret in &secrets {
            prop_assert!(!once.contains(secret.as_str()), "{} in {} from {}", secret, once, text);
        }
        prop_assert_eq!(&*rules.redact_text(&once), once.as_str());
    }
}
