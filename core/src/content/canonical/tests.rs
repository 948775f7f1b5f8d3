use proptest::prelude::*;
use serde_json::json;

use super::*;

fn text(arguments: &str) -> Option<String> {
    canonical(arguments).map(|bytes| String::from_utf8(bytes).unwrap())
}

/// Golden: digests of arguments are recorded, and compared for as long as a world lives.
#[test]
fn canonical_form_is_what_it_always_was() {
    for (arguments, form) in [
        (
            " { \"b\" : [ 1 , 2 ] ,\n\t\"a\" : { \"d\" : null , \"c\" : true } } ",
            r#"{"a":{"c":true,"d":null},"b":[1,2]}"#,
        ),
        (r#"{"a":[],"b":{},"":""}"#, r#"{"":"","a":[],"b":{}}"#),
        (
            r#"{"aa":1,"a":2,"B":3,"ä":4,"1":5,"10":6,"2":7}"#,
            r#"{"1":5,"10":6,"2":7,"B":3,"a":2,"aa":1,"ä":4}"#,
        ),
        // U+10000 stands behind U+FFFD: by UTF-16 units it would stand before.
        (
            "{\"\u{10000}\":1,\"\u{fffd}\":2}",
            "{\"\u{fffd}\":2,\"\u{10000}\":1}",
        ),
        (
            r#""\u0041\u00e9\/\u000a\u001f\"\\\ud83e\udd8a""#,
            "\"Aé/\\n\\u001f\\\"\\\\🦊\"",
        ),
        ("9007199254740993", "9007199254740993"),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("1e2", "100.0"),
        ("1E+2", "100.0"),
        ("1.50", "1.5"),
        ("0.1", "0.1"),
        ("1e-7", "1e-7"),
        ("1e300", "1e+300"),
        ("-0", "-0.0"),
        ("0", "0"),
        ("0.0", "0.0"),
    ] {
        assert_eq!(text(arguments).as_deref(), Some(form), "{arguments}");
    }
    let digest = canonical_digest(&json!({ "path": "a.txt", "lines": [1, 2.5, null] }));
    assert_eq!(
        digest.to_string(),
        "8e60db3e16d9846eeeaab8ce2c9583f6173888324ffb0f93f0476f919fcbe345"
    );
}

#[test]
fn what_is_no_json_has_no_form() {
    for arguments in [
        "",
        "{",
        "{'a':1}",
        "1e400",
        r#""\ud800""#,
        "NaN",
        "{} {}",
        "01",
        "\u{feff}{}",
    ] {
        assert_eq!(canonical(arguments), None, "{arguments}");
    }
    let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(text(&nested(127)), Some(nested(127)));
    assert_eq!(canonical(&nested(128)), None);
}

#[test]
fn of_a_key_that_stands_twice_the_last_value_counts() {
    assert_eq!(
        text(r#"{"a":{"x":1,"x":2},"b":0,"a":{"y":3}}"#).as_deref(),
        Some(r#"{"a":{"y":3},"b":0}"#)
    );
    assert_eq!(text(r#"{"\u0061":1,"a":2}"#).as_deref(), Some(r#"{"a":2}"#));
}

#[test]
fn integers_beyond_2_to_53_differ_and_numbers_of_two_kinds_too() {
    let forms = [
        "9007199254740992",
        "9007199254740993",
        "1",
        "1.0",
        "0.0",
        "-0.0",
        "\"1\"",
    ]
    .map(canonical);
    let told_apart: std::collections::BTreeSet<_> = forms.iter().collect();
    assert_eq!(told_apart.len(), forms.len());
}

#[test]
fn keys_are_sorted_whatever_order_their_map_keeps() {
    let (a, b, one) = ("a".to_owned(), "b".to_owned(), json!(1));
    let written = |members: Vec<_>| {
        let mut left = Vec::new();
        open_object(members, &mut left);
        left.iter()
            .rev()
            .filter_map(|piece| {
                if let Unwritten::Key(key) = piece {
                    Some(*key)
                } else {
                    None
                }
            })
            .collect::<String>()
    };
    assert_eq!(written(vec![(&b, &one), (&a, &one)]), "ab");
    assert_eq!(written(vec![(&a, &one), (&b, &one)]), "ab");
}

#[test]
fn depth_costs_no_stack() {
    let mut value = json!(null);
    for _ in 0..200_000 {
        value = Value::Array(vec![value]);
    }
    let bytes = canonical_json(&value).len();
    // Dropping it as a whole would take a stack frame for each level.
    while let Value::Array(mut items) = value {
        value = items.pop().unwrap_or_default();
    }
    assert_eq!(bytes, 400_004);
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3_i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (u64::MAX - 3..).prop_map(Value::from),
        (0..3_u8).prop_map(|whole| Value::from(f64::from(whole))),
        // `-0.0` compares as equal to `0.0`, and has a form of its own.
        any::<f64>().prop_map(|float| Value::from(if float == 0.0 { 0.0 } else { float })),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec!["", "a", "1", "\u{e9}", "e\u{301}", "\"", "\\u0061"])
            .prop_map(Value::from),
    ]
}

/// Small enough that two are often equal.
fn value() -> impl Strategy<Value = Value> {
    let key = prop_oneof![4 => "[abé]?", 1 => any::<String>()];
    scalar().prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..4)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// The same value written with other white space and escapes.
fn loosely(value: &Value) -> String {
    let escaped = |c: char| {
        c.encode_utf16(&mut [0; 2])
            .iter()
            .map(|unit| format!("\\u{unit:04X}"))
            .collect()
    };
    let pretty = serde_json::to_string_pretty(value).unwrap_or_default();
    pretty
        .chars()
        .map(|c| {
            if c.is_ascii() {
                c.to_string()
            } else {
                escaped(c)
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equal_values_and_only_they_have_equal_bytes(one in value(), other in value()) {
        prop_assert_eq!(one == other, canonical_json(&one) == canonical_json(&other));
        prop_assert_eq!(one == other, canonical_digest(&one) == canonical_digest(&other));
    }

    #[test]
    fn form_reads_as_the_value_and_however_it_is_written_the_form_is_the_same(value in value()) {
        let bytes = canonical_json(&value);
        prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value.clone());
        prop_assert_eq!(canonical(&loosely(&value)), Some(bytes));
    }
}

/// A JSON text with the member `key` of one object twice, the second time as `again` writes it; and the same without it.
fn with_repeat(text: &Value, at: usize, again: impl Fn(&str) -> String) -> Option<String> {
    let written = text.to_string();
    let mut objects = written.match_indices("{\"").map(|(place, _)| place);
    let open = objects.nth(at)?;
    let key: String = serde_json::Deserializer::from_str(written.get(open + 1..)?)
        .into_iter()
        .next()?
        .ok()?;
    Some(format!(
        "{}{}:0,{}",
        &written[..=open],
        again(&key),
        &written[open + 1..]
    ))
}

fn escaped(key: &str) -> String {
    let units = key.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
    format!("\"{}\"", units.collect::<String>())
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-d\u{e9}\u{1f98a}]{1,2}", inner, 1..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn text_with_a_key_twice_is_refused_wherever_it_stands_and_however_it_is_escaped(json in any_json(), at in 0_usize..6) {
        let plain = |key: &str| Value::from(key).to_string();
        for text in [with_repeat(&json, at, plain), with_repeat(&json, at, escaped)].into_iter().flatten() {
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{}", text);
            prop_assert!(matches!(read(&text), Err(JsonFault::RepeatedKey(_))), "{}", text);
        }
    }

    #[test]
    fn text_with_each_key_once_is_read_as_ever(json in any_json()) {
        prop_assert_eq!(read(&json.to_string()).unwrap(), json);
    }
}

#[test]
fn what_is_read_once_is_one_json_and_nothing_behind_it() {
    for text in [
        "",
        "{",
        "{} {}",
        "1e400",
        "[1,]",
        r#""\ud800""#,
        "nul",
        &"[".repeat(200),
    ] {
        assert!(matches!(read(text), Err(JsonFault::NotJson(_))), "{text}");
    }
    let fault = read(r#"{"a":[{"to":1,"t\u006f":2}]}"#).unwrap_err();
    assert!(
        fault
            .to_string()
            .starts_with(r#"the key "to" occurs twice in one object"#),
        "{fault}"
    );
}
