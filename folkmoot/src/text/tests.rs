use serde_json::{Value, json};

use super::clean_json;

#[test]
fn json_has_no_character_that_a_terminal_obeys_or_nobody_sees() {
    let text = "a\u{9b}31m\u{85}\u{202e}\u{2066}\u{200b}\u{200d}\u{feff}\u{2028}\u{e0041}\u{7f}\u{1b}\t\né漢🦊";
    let value = json!({ text: [text] });
    for written in [
        value.to_string(),
        serde_json::to_string_pretty(&value).unwrap(),
    ] {
        let safe = clean_json(&written);
        assert!(
            !safe
                .chars()
                .any(|c| c != '\n' && (c.is_control() || super::is_obeyed(c))),
            "{safe:?}"
        );
        assert!(
            safe.contains(r"\u009b31m") && safe.contains(r"\u202e") && safe.contains(r"\u200d"),
            "{safe}"
        );
        assert!(safe.contains("é漢🦊"), "{safe}");
        assert_eq!(serde_json::from_str::<Value>(&safe).unwrap(), value);
    }
}
