use serde_json::json;

use super::*;

#[test]
fn ids_of_accounts_and_keys_are_hidden() {
    for (text, expected) in [
        (
            "in organization org-AbCdEf123456 on",
            "in organization [account] on",
        ),
        (
            r#"{"user_id":"user_2aBcDeFgHiJkLmNoPq"}"#,
            r#"{"user_id":"[account]"}"#,
        ),
        (
            "key provided: sk-proj-********************abcd.",
            "key provided: [account]",
        ),
        (
            r#"{"message":"\norg-AbCdEf123456\t"}"#,
            r#"{"message":"\n[account]\t"}"#,
        ),
        (
            "proj_AbCdEf123456, proj_AbCdEf123457",
            "[account], [account]",
        ),
    ] {
        assert_eq!(hidden(text), expected);
        assert_eq!(hidden(expected), expected);
    }
}

#[test]
fn words_and_ids_of_the_conversation_stay() {
    for text in [
        "",
        "a user-defined-function-of-mine",
        "org-wide",
        "call_AbCdEf1234567890",
        "chatcmpl-AbCdEf1234567890",
        "msg_01AbCdEf1234567890",
        "sk-",
        "user_location_and_time_zone",
        "größe org-",
        r"\",
    ] {
        assert!(matches!(hidden(text), Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn errors_name_nobody() {
    assert_eq!(
        without_people("the key of ada@example.com (org-AbCdEf123456)"),
        "the key of [email] ([account])"
    );
}

#[test]
fn values_are_searched_at_every_depth() {
    let mut value =
        json!({ "a": ["org-AbCdEf123456", 1], "b": { "org-AbCdEf123456": "x sk-AbCdEf123456 y" } });
    hide_in(&mut value);
    assert_eq!(
        value,
        json!({ "a": ["[account]", 1], "b": { "org-AbCdEf123456": "x [account] y" } })
    );
}
