//! Files: kept before a message names them, and read back.

use std::io;
use std::sync::Arc;

use axum::Json;
use axum::body::Body as RawBody;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use folkmoot::Right;
use folkmoot::core::event::Attachment;
use folkmoot::core::ids::Digest;
use folkmoot::core::port::Blobs as _;
use futures::{StreamExt as _, stream};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::problem::{Problem, ProblemCode};
use crate::request::{InPath, InQuery, Signed};
use crate::rooms::{Daily, Lobby};

/// The file's name.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FileQuery {
    /// The file's name, without a path.
    name: String,
}

/// Keep a file, for a message to name
///
/// The body is the file; its `Content-Type` is the file's. The answer is one of `attachments` of a
/// message. A file that no message names within an hour is removed.
#[utoipa::path(
    post, path = "/worlds/{world}/blobs", tag = "files",
    params(("world" = String, Path, description = "The world's name"), FileQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, description = "The file is kept", body = Object)))]
pub(crate) async fn upload(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    InQuery(FileQuery { name }): InQuery<FileQuery>,
    headers: HeaderMap,
    body: RawBody,
) -> Result<(StatusCode, Json<Attachment>), Problem> {
    let seat = lobby.seat(&caller, &world, Right::Post).await?;
    if !seat.may(Right::Post) {
        return Err(crate::rooms::no_right(Right::Post));
    }
    let media_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .ok_or_else(|| {
            let why = "say with Content-Type of which media type the file is";
            Problem::new(ProblemCode::UnsupportedMediaType, why).about("Content-Type")
        })?
        .to_owned();
    let max = seat
        .read(|world| world.rules().spec().limits.attachment_bytes_max)
        .await?;
    let _place = lobby.uploads.acquire().await;
    let mut keeper = seat.begin_file(name, media_type).await?;
    let mut body = body.into_data_stream();
    let (mut len, mut uncounted) = (0_u64, 0_u64);
    while let Some(bytes) = body.next().await {
        let bytes =
            bytes.map_err(|_| Problem::new(ProblemCode::BadRequest, "the body broke off"))?;
        len = len.saturating_add(bytes.len() as u64);
        if len > u64::from(max) {
            let why = format!("the body is longer than {max} bytes");
            return Err(Problem::new(ProblemCode::TooLarge, why));
        }
        uncounted = uncounted.saturating_add(bytes.len() as u64);
        if uncounted >= COUNTED_BYTES {
            let daily = Daily::BytesStored(std::mem::take(&mut uncounted));
            lobby.check_owner(&seat, daily).await?;
        }
        keeper.push(&bytes).await?;
    }
    lobby
        .check_owner(&seat, Daily::BytesStored(uncounted))
        .await?;
    Ok((StatusCode::CREATED, Json(keeper.finish().await?)))
}

/// The bytes of a large file that are counted for its owner at a time, before they are kept.
const COUNTED_BYTES: u64 = 1024 * 1024;

/// Read a file that a message names
#[utoipa::path(
    get, path = "/worlds/{world}/blobs/{blob}", tag = "files",
    params(("world" = String, Path, description = "The world's name"),
        ("blob" = String, Path, description = "The SHA-256 of the file, in hex")),
    responses(
        (status = 200, content_type = "application/octet-stream", description = "The file", body = Vec<u8>)))]
pub(crate) async fn download(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath((world, blob)): InPath<(String, Digest)>,
) -> Result<Response, Problem> {
    let entry = lobby.room(&caller, &world).await?.entry;
    let blobs = lobby.blobs_of(&entry, blob).await?;
    let mut blobs = blobs.ok_or_else(Problem::not_found)?.into_iter();
    let store = lobby.rooms.store.clone();
    let read = move |blob: Digest| {
        let store = store.clone();
        async move { store.get(entry.world, blob).await }
    };
    // Before the head of the answer goes out: what is not there is not found.
    let first = match blobs.next() {
        Some(blob) => read(blob).await?.ok_or_else(Problem::not_found)?,
        None => return Err(Problem::not_found()),
    };
    let rest = stream::iter(blobs).then(read).map(|found| match found {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(io::Error::from(io::ErrorKind::NotFound)),
        Err(error) => Err(io::Error::other(error)),
    });
    let whole = stream::once(async { Ok(first) }).chain(rest);
    let mut response = RawBody::from_stream(whole).into_response();
    let headers = response.headers_mut();
    for (name, value) in SAFE {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// The headers under which a browser shows nothing of a file, and runs nothing of it.
const SAFE: [(HeaderName, &str); 5] = [
    (header::CONTENT_TYPE, "application/octet-stream"),
    (header::CONTENT_DISPOSITION, "attachment"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        header::CONTENT_SECURITY_POLICY,
        "sandbox; default-src 'none'",
    ),
    (header::CACHE_CONTROL, "private, no-store"),
];
