//! The console: a page for browsers, made of files that the program carries.
//!
//! The files have no build step. They are served below `/console`, and the page that loads them at
//! `/` and `/login`; its own addresses stand behind `#`, so that it works below any prefix.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};

use crate::problem::Problem;

mod lean;

use lean::{lean, tight};

#[cfg(test)]
mod tests;

/// The files of the console.
#[derive(RustEmbed)]
#[folder = "console/"]
#[include = "*.html"]
#[include = "*.js"]
#[include = "*.css"]
#[include = "*.svg"]
struct Files;

/// The headers of each file. A page that runs nothing but these files, asks nobody but this server,
/// and stands in no frame of another.
const SAFE: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// The routes of the console.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/", get(index))
        .route("/login", get(index))
        .route("/console/{*path}", get(file))
}

async fn index(headers: HeaderMap) -> Response {
    served("index.html", &headers)
}

async fn file(Path(path): Path<String>, headers: HeaderMap) -> Response {
    served(&path, &headers)
}

/// The file at `path`, or the word that the browser has it already.
fn served(path: &str, headers: &HeaderMap) -> Response {
    let Some(bytes) = bytes(path) else {
        return Problem::not_found().into_response();
    };
    let tag = tag(&bytes);
    let known = headers.get(header::IF_NONE_MATCH);
    if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, SAFE, [(header::ETAG, tag)]).into_response();
    }
    let about = [
        (header::ETAG, tag),
        (header::CONTENT_TYPE, media_type(path).to_owned()),
    ];
    (SAFE, about, bytes).into_response()
}

/// The bytes of a file as they are served; `None` if there is no such file.
fn bytes(path: &str) -> Option<Vec<u8>> {
    let file = Files::get(path)?.data;
    let text = std::str::from_utf8(&file).ok();
    Some(match (text, path.rsplit_once('.')) {
        (Some(text), Some((_, "js"))) => lean(text).into_bytes(),
        (Some(text), Some((_, "css"))) => tight(text).into_bytes(),
        (_, _) => file.into_owned(),
    })
}

/// The entity tag of a file: the first half of its digest, in hex.
fn tag(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let half = digest.iter().take(16);
    let hex: String = half.map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
