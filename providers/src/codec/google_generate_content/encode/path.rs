//! The path of a request: the model's name is part of it.

use crate::codec::AnswerMode;

/// The path of a call of `model`. Nothing in the model's name can leave its place in it.
pub(super) fn path(prefix: &str, model: &str, mode: AnswerMode) -> String {
    let (collection, name) = match model.split_once('/') {
        Some((collection @ ("models" | "tunedModels"), name)) => (collection, name),
        _ => ("models", model),
    };
    let method = match mode {
        AnswerMode::Whole => "generateContent",
        AnswerMode::Stream => "streamGenerateContent?alt=sse",
    };
    format!(
        "/{}/{collection}/{}:{method}",
        prefix.trim_matches('/'),
        percent_encoded(name)
    )
}

/// All but the unreserved characters of RFC 3986, section 2.3, as `%XX`.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
