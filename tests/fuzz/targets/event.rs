//! Events of every version, from their stored bytes to what they say.

use folkmoot::core::event::Event;
use folkmoot::store::testing::read_event;
use serde_json::Value;

use crate::corpus;

/// An event that is read, lifted and taken apart again is the same event; one that is refused is refused with a reason.
pub(crate) fn law(input: &[u8]) {
    match read_event(input) {
        Ok((event, len)) => {
            assert!(len <= input.len());
            let record = event.to_record().unwrap();
            assert_eq!(Event::from_record(record).unwrap(), event);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let logs = ["v1", "v2", "v3", "v4"]
        .map(|version| corpus::files(&format!("tests/golden/{version}"), ".jsonl"));
    let lines = logs
        .iter()
        .flatten()
        .flat_map(|log| log.split(|byte| *byte == b'\n'));
    let commits = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let events = commits.flat_map(|commit| commit["events"].as_array().unwrap().clone());
    events.map(|event| stored(&event)).collect()
}

/// Kind, version, form, lengths, facts and content: see `docs/decisions/0001-store-layout.md`.
fn stored(event: &Value) -> Vec<u8> {
    let number = |key: &str| (event[key].as_u64().unwrap() as u16).to_le_bytes();
    let len = |text: &str| (text.len() as u32).to_le_bytes();
    let (facts, content) = (
        event["facts"].to_string(),
        event.get("content").map(Value::to_string),
    );
    let head = [
        &number("kind")[..],
        &number("version"),
        &[u8::from(content.is_some())],
        &len(&facts),
    ]
    .concat();
    match content {
        None => [&head, facts.as_bytes()].concat(),
        Some(content) => [
            &head[..],
            &[7; 16],
            &len(&content),
            facts.as_bytes(),
            content.as_bytes(),
        ]
        .concat(),
    }
}
