//! The JSON of answers, where it differs from that of the log: times are RFC 3339.

use axum::response::sse::Event;
use folkmoot::core::ids::Time;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemCode};

/// An event of a stream (`text/event-stream`).
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "it stands in the document; axum writes the events"
)]
pub(crate) struct SentEvent {
    /// The place to come back to, as `Last-Event-ID`; absent if the event has none.
    id: Option<String>,
    /// The name of its kind; absent in a log.
    event: Option<String>,
    /// The event itself, as JSON.
    data: String,
}

/// `event` with `data` as JSON.
pub(crate) fn with_json(event: Event, data: &impl Serialize) -> Event {
    match event.json_data(data) {
        Ok(event) => event,
        // No frame has a map whose keys are no strings.
        Err(error) => Event::default().comment(error.to_string()),
    }
}

/// The JSON of `value`, with the times at `pointers` (RFC 6901) as RFC 3339. A pointer that leads
/// nowhere, or to no number, changes nothing.
///
/// # Errors
/// [`ProblemCode::Internal`] if it has no JSON form.
pub(crate) fn json(value: &impl Serialize, pointers: &[&str]) -> Result<Value, Problem> {
    let mut json = serde_json::to_value(value)
        .map_err(|error| Problem::new(ProblemCode::Internal, error.to_string()))?;
    write_times(&mut json, pointers);
    Ok(json)
}

/// A time as RFC 3339 with three digits of milliseconds, so that times sort as texts; the bare
/// number where that cannot be.
pub(crate) fn time(time: Time) -> String {
    let stamp = i64::try_from(time.0).ok();
    let stamp = stamp.and_then(|millis| Timestamp::from_millisecond(millis).ok());
    stamp.map_or_else(|| time.0.to_string(), |stamp| format!("{stamp:.3}"))
}

/// Writes the times at `pointers` as RFC 3339.
pub(crate) fn write_times(json: &mut Value, pointers: &[&str]) {
    for pointer in pointers {
        if let Some(at) = json.pointer_mut(pointer)
            && let Some(millis) = at.as_u64()
        {
            *at = Value::String(time(Time(millis)));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_have_milliseconds_always() {
        for (millis, written) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_893_456_000_870, "2030-01-01T00:00:00.870Z"),
            (1_893_456_000_001, "2030-01-01T00:00:00.001Z"),
            (u64::MAX, "18446744073709551615"),
        ] {
            assert_eq!(time(Time(millis)), written);
        }
    }

    #[test]
    fn only_named_times_are_written_anew() {
        let mut value = json!({ "time": 1_893_456_000_000_u64, "data": { "time": 5 } });
        write_times(&mut value, &["/time", "/nowhere", "/data"]);
        let expected = json!({ "time": "2030-01-01T00:00:00.000Z", "data": { "time": 5 } });
        assert_eq!(value, expected);
    }
}
