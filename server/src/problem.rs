//! Problems: the errors that clients read, as `application/problem+json` (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::ToSchema;

mod code;
mod from;

pub use code::ProblemCode;
pub(crate) use from::key_reused;

/// The media type of a problem.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// The reason that a request was not done.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    code: ProblemCode,
    detail: Box<str>,
    field: Option<Box<str>>,
    more: Map<String, Value>,
}

/// A problem as clients read it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody<'p> {
    /// A URN of the code, e.g. `urn:folkmoot:problem:not_found`.
    #[serde(rename = "type")]
    kind: String,
    /// The kind of the problem in words; the same for each problem of its code.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// The stable word for the problem.
    code: ProblemCode,
    /// The fault: what is wrong, where, and what to do.
    detail: &'p str,
    /// The field of the request that is wrong; absent if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'p str>,
    /// Further members: who decided and how, when a limit ends.
    #[serde(flatten)]
    #[schema(additional_properties)]
    more: &'p Map<String, Value>,
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ProblemBody {
            kind: format!("urn:folkmoot:problem:{}", self.code.word()),
            title: self.code.title(),
            status: self.code.status().as_u16(),
            code: self.code,
            detail: &self.detail,
            field: self.field.as_deref(),
            more: &self.more,
        }
        .serialize(serializer)
    }
}

impl Problem {
    /// A problem of the kind `code`; `detail` is a sentence about this one.
    #[must_use]
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into().into(),
            field: None,
            more: Map::new(),
        }
    }

    /// The one answer about whatever is not there, or may not be read. It names nothing of what was
    /// asked for, so that both are the same, byte for byte (decision 0014).
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(
            ProblemCode::NotFound,
            "there is nothing here that you may read",
        )
    }

    /// The same in other words.
    #[must_use]
    pub(crate) fn in_words(mut self, detail: &str) -> Self {
        self.detail = detail.into();
        self
    }

    /// The same, about the field `field` of the request.
    #[must_use]
    pub fn about(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into().into());
        self
    }

    /// The same, with a further member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// The stable word for the problem.
    #[must_use]
    pub const fn code(&self) -> ProblemCode {
        self.code
    }

    /// The fault in a sentence.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The field of the request that is wrong; `None` if none is.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// A further member.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Value> {
        self.more.get(name)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.code.status();
        let (code, detail) = (self.code.word(), &*self.detail);
        if self.code == ProblemCode::Unavailable {
            // It passes: a server begins, ends, or has too much to do.
            tracing::warn!(code, detail, "a request has to wait");
        } else if status.is_server_error() {
            tracing::error!(code, detail, "a request failed");
        }
        let retry = self.member("retry_after_s").map(Value::to_string);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        response.extensions_mut().insert(self.code);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if let Some(after) = retry.and_then(|after| HeaderValue::try_from(after).ok()) {
            headers.insert(header::RETRY_AFTER, after);
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
