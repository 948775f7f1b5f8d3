use serde_json::json;

use super::*;

fn told(recorded: &Value, now: &Value) -> String {
    differences(recorded, now).unwrap()
}

#[test]
fn equal_requests_have_no_differences() {
    let request = json!({ "model": "m", "messages": [{ "content": "hi" }], "n": 1 });
    assert_eq!(differences(&request, &request), None);
}

#[test]
fn a_difference_is_told_with_its_path_and_both_values() {
    let recorded = json!({ "messages": [{}, {}, { "content": "hi" }], "n": 1, "tools": [{ "name": "a" }], "top": true });
    let now = json!({ "messages": [{}, {}, { "content": "ho" }], "n": 2, "tools": [{ "name": "a" }, { "name": "b" }] });
    assert_eq!(
        told(&recorded, &now),
        r#"messages[2].content: recorded "hi", now "ho"; n: recorded 1, now 2; tools[1] is new, {"name":"b"}; top is gone, recorded true"#
    );
    assert_eq!(told(&json!({}), &json!({ "a": [1] })), "a is new, [1]");
    assert_eq!(told(&json!([1, 2]), &json!([1])), "[1] is gone, recorded 2");
    assert_eq!(
        told(&json!({ "a": "1" }), &json!({ "a": 1 })),
        r#"a: recorded "1", now 1"#
    );
}

#[test]
fn long_texts_are_told_from_where_they_part() {
    let same = "ä".repeat(100);
    let text = told(
        &json!({ "a": format!("{same}one") }),
        &json!({ "a": format!("{same}two") }),
    );
    let ä = "ä".repeat(20);
    assert_eq!(
        text,
        format!(r#"a (behind 80 equal characters): recorded "{ä}one", now "{ä}two""#)
    );
}

#[test]
fn differences_are_bounded_in_number_and_length() {
    let list = |text: &str| Value::from(vec![text.repeat(1_000); 100]);
    let text = told(&list("x"), &list("y"));
    assert!(text.ends_with("; and 95 more"), "{text}");
    assert!(
        text.chars().count() < 1_000,
        "{} characters",
        text.chars().count()
    );
}
