//! Golden logs: a commit a line.

use folkmoot::core::command::commit::{Commit, CommitHeader};
use folkmoot::core::event::{Event, EventRecord, StoredContent};
use folkmoot::store::lift;
use serde_json::Value;

/// Reads a line of a golden log. Its events are lifted to the versions of this build.
#[must_use]
pub fn golden_commit(line: &str) -> Commit {
    let line: Value = serde_json::from_str(line).expect("a line is JSON");
    let header: CommitHeader =
        serde_json::from_value(line.get("header").cloned().unwrap_or_default())
            .expect("a commit has a header");
    let events = line
        .get("events")
        .and_then(Value::as_array)
        .expect("a commit has events");
    Commit {
        header,
        events: events.iter().map(event).collect(),
    }
}

fn event(event: &Value) -> Event {
    let number = |key: &str| {
        event[key]
            .as_u64()
            .and_then(|number| u16::try_from(number).ok())
            .expect("a number")
    };
    let content = match event.get("content") {
        None => StoredContent::None,
        Some(content) => StoredContent::Present(content.to_string().into_bytes()),
    };
    let facts = event["facts"].to_string().into_bytes();
    let record = EventRecord {
        kind: number("kind"),
        version: number("version"),
        facts,
        content,
    };
    Event::from_record(lift(record).expect("it can be lifted")).expect("it can be read")
}
