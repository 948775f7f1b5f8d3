//! Constraints in words.

use super::constraint;

#[test]
fn a_constraint_is_told_with_its_place() {
    let rules = [
        (
            r#"{"path":"/path","prefix":"notes/"}"#,
            r#"/path begins with "notes/""#,
        ),
        (
            r#"{"path":"/argv","prefix":["git","log"]}"#,
            r#"/argv begins with ["git","log"] and any options after it"#,
        ),
        (
            r#"{"path":"/path","beneath":"notes"}"#,
            "/path is the folder notes, or lies in it",
        ),
        (
            r#"{"path":"/to","one_of":["ada","bob"]}"#,
            r#"/to is one of "ada", "bob""#,
        ),
        (r#"{"path":"/to","equals":null}"#, "/to is null"),
        (
            r#"{"path":"/n","range":{"min":1,"max":5}}"#,
            "/n is at least 1 and at most 5",
        ),
        (r#"{"path":"/n","range":{"max":2.5}}"#, "/n is at most 2.5"),
    ];
    for (text, words) in rules {
        assert_eq!(constraint(&text.parse().unwrap()), words);
    }
}
