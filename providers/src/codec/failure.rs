//! Errors: from statuses, and from the many shapes in which servers write them.

use folkmoot_core::model::response::{ModelError, ModelErrorKind as Kind, Reached};
use serde_json::Value;

use super::WireFailure;
use super::json::{Fields, is_blank, text_of};

/// The most characters of a provider's message that go into a detail. The transport cuts it again,
/// once it has taken secrets out of it.
const DETAIL_CHARS_MAX: usize = 8_000;

/// Reads the body of an answer whose status is no success.
pub(super) fn decode_error(failure: WireFailure<'_>) -> ModelError {
    let report = serde_json::from_slice(failure.body).map_or_else(
        |_| ServerReport {
            message: String::from_utf8_lossy(failure.body).into_owned(),
            ..ServerReport::default()
        },
        |body: Value| ServerReport::of(&body),
    );
    let detail = format!("HTTP {}: {}", failure.status, report.detail());
    ModelError::new(report.kind(Some(failure.status)), detail).retry_after(failure.retry_after)
}

/// The error in a document that should hold an answer.
pub(super) fn reported(document: &Fields) -> Option<ModelError> {
    let has_error = document.get("error").is_some_and(|error| !is_blank(error));
    let is_error = text_of(document.get("object")) == "error";
    (has_error || is_error).then(|| of_event(document.clone()))
}

/// The error that a document is.
pub(super) fn of_event(document: Fields) -> ModelError {
    let report = ServerReport::of(&Value::Object(document));
    let status = report
        .code
        .parse()
        .ok()
        .filter(|status| (400..600).contains(status));
    ModelError::new(report.kind(status), report.detail())
}

/// The error that a finish reason tells of.
pub(super) fn interrupted(reason: &str) -> ModelError {
    let kind = if reason == "insufficient_system_resource" {
        Kind::Overload
    } else {
        Kind::Outage
    };
    ModelError::new(
        kind,
        format!("the answer ended with the finish reason {reason}"),
    )
    .after(Reached::Answer)
}

/// The parts of an error, as servers tell it.
#[derive(Debug, Default)]
struct ServerReport {
    code: String,
    kind: String,
    message: String,
}

impl ServerReport {
    /// Reads `{"error": {…}}`, `{"error": "…"}`, `{"detail": …}`, or the fields themselves.
    fn of(body: &Value) -> Self {
        let inner = body
            .get("error")
            .filter(|error| !is_blank(error))
            .unwrap_or(body);
        if let Value::String(message) = inner {
            return Self {
                message: message.clone(),
                ..Self::default()
            };
        }
        let text = |field: &str| match inner.get(field) {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        let message = [text("message"), text("detail"), inner.to_string()];
        let message = message
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default();
        Self {
            code: text("code"),
            kind: text("type"),
            message,
        }
    }

    fn detail(&self) -> String {
        let names = [&self.code, &self.kind]
            .into_iter()
            .filter(|name| !name.is_empty());
        let names = names.map(String::as_str).collect::<Vec<_>>().join(", ");
        let message = self
            .message
            .chars()
            // The detail is shown on a terminal.
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(DETAIL_CHARS_MAX);
        let message = message.collect::<String>();
        let message = message.trim();
        if names.is_empty() {
            message.to_owned()
        } else {
            format!("{message} ({names})")
        }
    }

    fn kind(&self, status: Option<u16>) -> Kind {
        let text = format!("{} {} {}", self.code, self.kind, self.message).to_lowercase();
        let names = format!("{} {}", self.code, self.kind).to_lowercase();
        let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
        let is_named = |needles: &[&str]| needles.iter().any(|needle| names.contains(needle));
        // The model wrote a call or a form that its server cannot read: it may do better.
        if is_named(REPLY_NAMES) || has(REPLY) {
            return Kind::BadReply;
        }
        let may_be_request = status.is_none_or(|status| matches!(status, 400 | 403 | 413 | 422));
        // Before the filter and the account: a request that is too long can be made shorter, and
        // the other two are final.
        if is_named(CONTEXT_NAMES) || (may_be_request && (status == Some(413) || has(CONTEXT))) {
            return Kind::ContextTooLong;
        }
        // Local servers answer so with any status.
        if status.is_some_and(|status| status >= 500) && has(CONTEXT_OF_SERVER) {
            return Kind::ContextTooLong;
        }
        if may_be_request && (is_named(FILTER_NAMES) || has(FILTER)) {
            return Kind::ContentFilter;
        }
        // Before the status: several providers answer 429, as for a limit of rate, where the money
        // is spent, and waiting does not help.
        if status == Some(402) || is_named(ACCOUNT_NAMES) || has(ACCOUNT) {
            return Kind::RefusesAccount;
        }
        status.map_or_else(|| by_name(&names), |status| by_status(status, &text))
    }
}

const REPLY_NAMES: &[&str] = &[
    "tool_use_failed",
    "json_validate_failed",
    "output_parse_failed",
];
const REPLY: &[&str] = &[
    "failed to parse tool call arguments",
    "failed to call a function",
    "tool call validation failed",
];
const CONTEXT_NAMES: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size",
    "model_context_window_exceeded",
];
const CONTEXT: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "maximum prompt length",
    "max context length",
    "available context size",
    "context size has been exceeded",
    "model's context length",
    "exceeds the context length",
    "context length of only",
    "greater than the context length",
    "context window",
    "prompt is too long",
    "input is too long",
    "reduce the length of the",
    "exceed context limit",
    "request_too_large",
    "context shift is disabled",
    "exceeds maximum allowed token",
    "prompt token count of",
];
const CONTEXT_OF_SERVER: &[&str] = &[
    "available context size",
    "context size has been exceeded",
    "exceeds the context length",
    "context length of only",
    "greater than the context length",
    "max context length",
    "context shift is disabled",
];
const FILTER_NAMES: &[&str] = &["content_filter", "content_policy", "moderation"];
const FILTER: &[&str] = &[
    "responsibleaipolicyviolation",
    "content management policy",
    "content filtering policy",
    "flagged by moderation",
];
const ACCOUNT_NAMES: &[&str] = &[
    "insufficient_quota",
    "billing",
    "invalid_api_key",
    "authentication",
    "permission",
];
const ACCOUNT: &[&str] = &[
    "invalid api key",
    "incorrect api key",
    "api key not valid",
    "insufficient credits",
    "insufficient balance",
    "credit balance",
    "api usage limits",
];

fn by_status(status: u16, text: &str) -> Kind {
    match status {
        401 | 403 => Kind::RefusesAccount,
        408 | 504 | 524 => Kind::Timeout,
        429 if text.contains("overload") => Kind::Overload,
        429 => Kind::Rate,
        409 | 425 | 498 | 503 | 529 => Kind::Overload,
        500.. => Kind::Outage,
        _ => Kind::RefusesRequest,
    }
}

/// For errors inside a stream, which have no status.
fn by_name(names: &str) -> Kind {
    let has = |needle: &str| names.contains(needle);
    if has("rate_limit") || has("too_many") {
        Kind::Rate
    } else if has("overload") || has("unavailable") || has("capacity") {
        Kind::Overload
    } else if has("timeout") {
        Kind::Timeout
    } else if has("invalid") || has("not_found") || has("unsupported") {
        Kind::RefusesRequest
    } else {
        Kind::Outage
    }
}
