//! The lifts of this build, one per kind and version that it no longer writes.

use folkmoot_core::event::{EventKind, EventRecord, StoredContent};
use serde_json::{Map, Value, json};

use super::Lift;
use crate::format::Malformed;

const _: () = assert!(
    is_complete(EventKind::ALL),
    "an older version of an event has no lift, or more than one"
);

/// Tells whether each version of each kind that this build no longer writes has one lift, to the
/// next version. It is asked when this is compiled: a new schema version without its lift is no
/// program.
const fn is_complete(mut kinds: &[(EventKind, u16)]) -> bool {
    while let [(kind, current), rest @ ..] = kinds {
        let mut from = 1;
        while from < *current {
            if count(&ALL, *kind, from) != 1 {
                return false;
            }
            from += 1;
        }
        kinds = rest;
    }
    true
}

const fn count(mut lifts: &[(EventKind, u16, Lift)], kind: EventKind, from: u16) -> usize {
    let mut count = 0;
    while let [(lifted, version, _), rest @ ..] = lifts {
        if *lifted as u16 == kind as u16 && *version == from {
            count += 1;
        }
        lifts = rest;
    }
    count
}

/// All lifts: the kind, and the version that each starts from.
pub(super) const ALL: [(EventKind, u16, Lift); 17] = [
    (EventKind::WorldOpened, 1, paths_of_files),
    (EventKind::SpecRevised, 1, as_it_is),
    (EventKind::SpecRevised, 2, paths_of_files),
    (EventKind::ApprovalRequested, 1, as_it_is),
    (EventKind::ApprovalDecided, 1, reason_to_text),
    (EventKind::ApprovalDecided, 2, as_it_is),
    (EventKind::QuestionAnswered, 1, option_to_options),
    (EventKind::QuestionAnswered, 2, as_it_is),
    (EventKind::ToolFinished, 1, outcome),
    (EventKind::OutcomeSettled, 1, late_outcome),
    (EventKind::Reconciled, 1, landed_outcome),
    (EventKind::GrantGiven, 1, as_it_is),
    (EventKind::GrantRevoked, 1, as_it_is),
    (EventKind::Refused, 1, as_it_is),
    (EventKind::ModelFailed, 1, as_it_is),
    (EventKind::MessageRouted, 1, as_it_is),
    (EventKind::NoticePosted, 1, as_it_is),
];

/// Tools did not say which of their arguments are paths. Those that shipped said so in words, in
/// their schemas.
fn paths_of_files(mut record: EventRecord) -> Result<EventRecord, Malformed> {
    let mut facts: Map<String, Value> = read(&record.facts)?;
    if let Some(Value::Object(tools)) = facts.get_mut("spec").and_then(|spec| spec.get_mut("tools"))
    {
        for tool in tools.values_mut().filter(|tool| takes_path(tool)) {
            if let Value::Object(tool) = tool {
                tool.insert("paths".to_owned(), json!({ "at": ["/path"] }));
            }
        }
    }
    record.facts = write(&Value::Object(facts))?;
    with_content(record, |text| text)
}

fn takes_path(tool: &Value) -> bool {
    let told = tool
        .pointer("/schema/properties/path/description")
        .and_then(Value::as_str);
    told.is_some_and(|told| told.starts_with("relative to the tool's folder"))
}

/// New fields may be absent: who changed a definition, how it differs, and in which folder a tool
/// works was not said before. A person who decided is written as ever.
fn as_it_is(mut record: EventRecord) -> Result<EventRecord, Malformed> {
    record.version = record.version.saturating_add(1);
    Ok(record)
}

/// The content was the reason alone; other arguments stand beside it now.
fn reason_to_text(record: EventRecord) -> Result<EventRecord, Malformed> {
    with_content(record, |reason| {
        if reason.is_null() {
            json!({})
        } else {
            json!({ "reason": reason })
        }
    })
}

/// Lifts an answer whose one option could be chosen to one with several.
fn option_to_options(mut record: EventRecord) -> Result<EventRecord, Malformed> {
    let mut facts: Map<String, Value> = read(&record.facts)?;
    if let Some(option) = facts.remove("option") {
        facts.insert("options".to_owned(), json!([option]));
    }
    record.facts = write(&Value::Object(facts))?;
    with_content(record, |text| text)
}

/// An outcome had a text for models and a value for people; it has a text and views now.
fn outcome(record: EventRecord) -> Result<EventRecord, Malformed> {
    with_content(record, two_tracks)
}

fn late_outcome(record: EventRecord) -> Result<EventRecord, Malformed> {
    with_content(record, |mut text| {
        if let Some(late) = text.pointer_mut("/late/1") {
            *late = two_tracks(late.take());
        }
        text
    })
}

fn landed_outcome(record: EventRecord) -> Result<EventRecord, Malformed> {
    with_content(record, |mut told| {
        if let Some(landed) = told.get_mut("landed") {
            *landed = two_tracks(landed.take());
        }
        told
    })
}

fn two_tracks(mut outcome: Value) -> Value {
    if let Some(Value::Object(output)) = outcome.get_mut("done") {
        let views: Vec<Value> = output
            .remove("user")
            .into_iter()
            .map(|user| json!({ "json": user }))
            .collect();
        if let Some(text) = output.remove("model") {
            output.insert("text".to_owned(), text);
        }
        if !views.is_empty() {
            output.insert("views".to_owned(), views.into());
        }
    }
    outcome
}

/// The record in the next version, its content changed; erased content stays erased.
fn with_content(
    mut record: EventRecord,
    change: impl FnOnce(Value) -> Value,
) -> Result<EventRecord, Malformed> {
    if let StoredContent::Present(bytes) = &record.content {
        record.content = StoredContent::Present(write(&change(read(bytes)?))?);
    }
    record.version = record.version.saturating_add(1);
    Ok(record)
}

fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Malformed> {
    serde_json::from_slice(bytes).map_err(|error| Malformed(error.to_string()))
}

fn write(value: &Value) -> Result<Vec<u8>, Malformed> {
    serde_json::to_vec(value).map_err(|error| Malformed(error.to_string()))
}
