//! Errors as Google writes them: `{"error": {code, message, status, details}}`, sometimes in a
//! list.

use std::time::Duration;

use folkmoot_core::model::response::{ModelError, ModelErrorKind as Kind};
use serde_json::{Value, json};

use crate::codec::json::{Fields, fields_of, is_blank, text_of};
use crate::codec::{WireFailure, failure};

/// The longest wait that is reported; beyond it a delay is taken for a mistake and cut.
const WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads the body of an answer whose status is no success.
pub(super) fn decode_error(failure: WireFailure<'_>) -> ModelError {
    let body = serde_json::from_slice::<Value>(failure.body).ok();
    let Some(error) = body.and_then(error_in) else {
        return failure::decode_error(failure);
    };
    let body = in_common_words(&error).to_string();
    let retry_after = failure.retry_after.or_else(|| wait(&error));
    let told = failure::decode_error(WireFailure {
        body: body.as_bytes(),
        retry_after,
        ..failure
    });
    ModelError {
        kind: kind(&error).unwrap_or(told.kind),
        ..told
    }
}

/// The error in a document that should hold an answer.
pub(super) fn reported(rest: &mut Fields) -> Option<ModelError> {
    let error = rest.remove("error").filter(|error| !is_blank(error))?;
    let Value::Object(error) = error else {
        return failure::reported(&Fields::from_iter([("error".to_owned(), error)]));
    };
    let told = failure::of_event(fields_of(in_common_words(&error)));
    let told = told.retry_after(wait(&error));
    Some(ModelError {
        kind: kind(&error).unwrap_or(told.kind),
        ..told
    })
}

/// A prompt that was not answered at all.
pub(super) fn blocked(reason: &str) -> ModelError {
    ModelError::new(
        Kind::ContentFilter,
        format!("the prompt was blocked: {reason}"),
    )
}

fn error_in(body: Value) -> Option<Fields> {
    let body = if let Value::Array(items) = body {
        items.into_iter().next()?
    } else {
        body
    };
    let error = fields_of(fields_of(body).remove("error")?);
    (!error.is_empty()).then_some(error)
}

fn in_common_words(error: &Fields) -> Value {
    let field = |name: &str| error.get(name).cloned().unwrap_or_default();
    json!({ "error": { "code": field("code"), "message": field("message"), "type": field("status") } })
}

/// The kind, where Google's words say more than the status.
fn kind(error: &Fields) -> Option<Kind> {
    let message = text_of(error.get("message")).to_lowercase();
    let has_reason =
        |start: &str| details(error).any(|detail| text_of(detail.get("reason")).starts_with(start));
    match text_of(error.get("status")) {
        "INVALID_ARGUMENT" if message.contains("exceeds the maximum number of tokens") => {
            Some(Kind::ContextTooLong)
        }
        // A wrong key answers 400 here, where others answer 401.
        "INVALID_ARGUMENT" if has_reason("API_KEY_") => Some(Kind::RefusesAccount),
        // No billing, or a region that is not served: nothing that another request would change.
        "FAILED_PRECONDITION" | "UNAUTHENTICATED" | "PERMISSION_DENIED" => {
            Some(Kind::RefusesAccount)
        }
        // Before the rate, which is waited for: nobody waits for the end of the day.
        "RESOURCE_EXHAUSTED" if is_quota_spent(error, &message) => Some(Kind::RefusesAccount),
        "RESOURCE_EXHAUSTED" => Some(Kind::Rate),
        "UNAVAILABLE" => Some(Kind::Overload),
        "DEADLINE_EXCEEDED" => Some(Kind::Timeout),
        "INTERNAL" | "CANCELLED" | "ABORTED" => Some(Kind::Outage),
        _ => None,
    }
}

/// Tells whether waiting a moment is of no use: the quota of the day is spent, or there is none.
/// The message is the same for a quota of a minute.
fn is_quota_spent(error: &Fields, message: &str) -> bool {
    let violations = details(error)
        .filter_map(|detail| detail.get("violations")?.as_array())
        .flatten();
    let mut ids = violations.map(|violation| text_of(violation.get("quotaId")));
    let is_none = |limit: &str| {
        limit
            .strip_prefix('0')
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    ids.any(|id| id.contains("PerDay")) || message.split("limit: ").skip(1).any(is_none)
}

/// The delay of a `RetryInfo`: seconds with an `s` behind them.
fn wait(error: &Fields) -> Option<Duration> {
    let delay = details(error).find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .map(|wait| wait.min(WAIT_MAX))
}

fn details(error: &Fields) -> impl Iterator<Item = &Value> {
    error
        .get("details")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}
