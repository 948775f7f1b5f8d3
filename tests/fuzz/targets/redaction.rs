//! Personal data and keys, taken out of texts and values.

use folkmoot::core::text::redaction::{RedactionKind, SecretRules, redact_text, redact_value};
use serde_json::Value;

const SECRET: &str = "hunter2-\"quoted\"";

/// Doing it twice changes nothing more. A value keeps its shape, and what was read of it as a text is redacted in it as
/// well. Of a known secret nothing is left, in either form.
pub(crate) fn law(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let kinds = RedactionKind::ALL.into();
    let once = redact_text(&kinds, &text);
    assert_eq!(redact_text(&kinds, &once), once);
    let secrets = SecretRules::new([SECRET, "correct horse"]);
    let hidden = secrets.redact_text(&text);
    assert!(
        !hidden.contains(SECRET) && !hidden.contains("correct horse"),
        "{hidden}"
    );
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else {
        return;
    };
    let before = value.clone();
    redact_value(&kinds, &mut value);
    same_shape(&before, &value);
    let once = value.clone();
    redact_value(&kinds, &mut value);
    assert_eq!(value, once);
}

fn same_shape(before: &Value, after: &Value) {
    match (before, after) {
        (Value::Array(before), Value::Array(after)) => {
            assert_eq!(before.len(), after.len());
            before
                .iter()
                .zip(after)
                .for_each(|(before, after)| same_shape(before, after));
        }
        (Value::Object(before), Value::Object(after)) => assert_eq!(before.len(), after.len()),
        (Value::String(_), Value::String(_)) => {}
        (before, after) => assert_eq!(before, after),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::corpus::texts(&[
        "Write to ada@example.com or +44 20 7946 0958, pay to DE89 3704 0044 0532 0130 00 or 4111 1111 1111 1111.",
        "{\"password\":\"hunter2-\\\"quoted\\\"\",\"mail\":[\"ada@example.com\",\"ada@example.com\"],\"ada@example.com\":1}",
        "api_key=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789 AKIAIOSFODNN7EXAMPLE ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "token: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk correct horse -----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----",
    ])
}
