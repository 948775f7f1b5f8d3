use serde_json::{Value, json};

use super::*;

fn read(settings: &Value) -> Result<HttpSettings, String> {
    let mut settings = settings.clone();
    settings
        .as_object_mut()
        .unwrap()
        .entry("base_url")
        .or_insert_with(|| json!("http://127.0.0.1:1"));
    HttpSettings::deserialize(settings).map_err(|error| error.to_string())
}

#[test]
fn no_settings_are_the_defaults() {
    let settings = read(&json!({})).unwrap();
    assert_eq!(
        (settings.key, settings.stream, settings.body_bytes_max),
        (None, true, HttpSettings::BODY_BYTES_MAX)
    );
    assert_eq!(
        (settings.timeouts, settings.headers),
        (Timeouts::default(), BTreeMap::new())
    );
}

#[test]
fn everything_can_be_set() {
    let settings = read(&json!({
        "base_url": "http://127.0.0.1:1/v1", "key": null,
        "headers": { "X-Api-Key": "${OTHER}", "X-Title": "room" }, "stream": false, "timeouts": { "idle": "2s" }, "body_bytes_max": 9,
    }));
    let settings = settings.unwrap();
    assert_eq!(
        (settings.key, settings.stream, settings.body_bytes_max),
        (None, false, 9)
    );
    assert_eq!(
        settings.timeouts,
        Timeouts {
            idle: Duration::from_secs(2),
            ..Timeouts::default()
        }
    );
}

#[test]
fn a_literal_secret_is_refused_without_repeating_it() {
    for settings in [
        json!({ "key": "sk-123" }),
        json!({ "headers": { "X-Api-Key": "sk-123" } }),
        json!({ "headers": { "authorization": "Bearer sk-123" } }),
    ] {
        let text = read(&settings).unwrap_err();
        assert!(
            text.contains("${NAME}") && !text.contains("sk-123"),
            "{text}"
        );
    }
}

#[test]
fn unknown_keys_and_bad_durations_are_errors() {
    assert!(
        read(&json!({ "baseurl": "x" }))
            .unwrap_err()
            .contains("unknown field `baseurl`")
    );
    assert!(
        read(&json!({ "timeouts": { "idle": "2" } }))
            .unwrap_err()
            .contains("`2` is not a duration")
    );
    assert!(
        read(&json!({ "base_url": "${" }))
            .unwrap_err()
            .contains("not of the form")
    );
}
