//! The id of a request: the client's, if it can be read, or one that is made.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// The name of the header.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id of a client, in bytes.
const ID_BYTES_MAX: usize = 128;

/// Gives the request and its answer the same id.
pub(super) async fn identify(mut request: Request, next: Next) -> Response {
    let known = request.headers().get(&REQUEST_ID).filter(|id| is_fit(id));
    let id = known.cloned().unwrap_or_else(made);
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let mut response = next.run(request).await;
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

fn is_fit(id: &HeaderValue) -> bool {
    let id = id.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
    (1..=ID_BYTES_MAX).contains(&id.len()) && id.iter().all(is_plain)
}

fn made() -> HeaderValue {
    let mut bytes = [0; 16];
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::warn!(%error, "the machine gives no random numbers; a request has no id");
        return HeaderValue::from_static("none");
    }
    let id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    // Hex digits always fit.
    HeaderValue::try_from(id).unwrap_or_else(|_| HeaderValue::from_static("none"))
}
