//! One exchange: the request goes out, the answer comes in, under limits of time and size.

use std::ops::Deref;
use std::time::Duration;

use folkmoot_core::causes::with_causes;
use folkmoot_core::ids::Digest;
use folkmoot_core::port::Drafts;
use folkmoot_core::response::{LLMResponse, ModelError, ModelErrorKind as Kind, Reached};
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response};
use sha2::{Digest as _, Sha256};

use super::HttpSettings;
use super::retry_after::retry_after;
use super::tape::Tape;
use crate::codec::{Codec, Delta, Mode, WireFailure};
use crate::reply::{read_from, show};

/// The most bytes that are read of an answer that failed.
const FAILURE_BYTES_MAX: usize = 64 * 1024;

/// What an exchange needs.
pub(super) struct Exchange<'a> {
    pub(super) codec: &'a dyn Codec,
    pub(super) settings: &'a HttpSettings,
    pub(super) mode: Mode,
    pub(super) drafts: &'a dyn Drafts,
    pub(super) tape: Option<Tape<'a>>,
}

impl Exchange<'_> {
    /// Performs it.
    pub(super) async fn perform(&mut self, request: RequestBuilder) -> Result<LLMResponse, ModelError> {
        let wait = self.settings.timeouts.first_byte;
        let response = within(wait, "first byte", request.send()).await?.map_err(network)?;
        let is_success = response.status().is_success();
        let is_stream = is_success && self.mode == Mode::Stream && !is_json(&response);
        self.tape.iter_mut().for_each(|tape| tape.begin(&response, is_stream));
        if !is_success {
            return Err(self.failure(response).await);
        }
        if media_type(&response).starts_with("text/html") {
            return Err(self.page(response).await);
        }
        if is_stream {
            self.stream(response).await
        } else {
            let body = self.body(response, self.settings.body_bytes_max, TooLong::Fails).await?;
            Ok(read_from(self.codec.decode(&body)?, Digest::sha256(&body)))
        }
    }

    /// A body that cannot be read leaves the status, which says enough.
    async fn failure(&mut self, response: Response) -> ModelError {
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let is_redirect = response.status().is_redirection();
        let body = self.body(response, FAILURE_BYTES_MAX, TooLong::IsCut).await.unwrap_or_default();
        let error = self.codec.decode_error(WireFailure { status, retry_after, body: &body });
        if is_redirect {
            return ModelError::new(
                error.kind,
                format!("{} (redirects are not followed: mend base_url)", error.detail),
            );
        }
        error
    }

    /// A page for people, such as a login: no wire answers with one.
    async fn page(&mut self, response: Response) -> ModelError {
        let page = self.body(response, FAILURE_BYTES_MAX, TooLong::IsCut).await.unwrap_or_default();
        let page: String =
            String::from_utf8_lossy(&page).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        ModelError::new(Kind::BadReply, format!("the server answered with a page of HTML: {page}"))
    }

    async fn body(
        &mut self,
        mut response: Response,
        bytes_max: usize,
        too_long: TooLong,
    ) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while let Some(bytes) = self.next(&mut response).await? {
            let room = bytes_max.saturating_sub(body.len());
            body.extend(bytes.iter().take(room));
            if bytes.len() > room {
                return match too_long {
                    TooLong::Fails => Err(too_long_error(bytes_max)),
                    TooLong::IsCut => Ok(body),
                };
            }
        }
        Ok(body)
    }

    async fn stream(&mut self, mut response: Response) -> Result<LLMResponse, ModelError> {
        let mut decoder = self.codec.stream_decoder();
        let mut body = Sha256::new();
        let mut room = self.settings.body_bytes_max;
        while !decoder.is_done() {
            let Some(bytes) = self.next(&mut response).await? else {
                break;
            };
            room = room.checked_sub(bytes.len()).ok_or_else(|| too_long_error(self.settings.body_bytes_max))?;
            body.update(&*bytes);
            for delta in decoder.push(&bytes)? {
                self.show(delta).await?;
            }
        }
        Ok(read_from(decoder.finish()?, Digest::new(body.finalize().into())))
    }

    async fn show(&self, delta: Delta) -> Result<(), ModelError> {
        match delta {
            Delta::Text(text) | Delta::Refusal(text) => show(self.drafts, &text).await,
            Delta::Reasoning(_) => Ok(()), // not for the room
        }
    }

    async fn next(&mut self, response: &mut Response) -> Result<Option<impl Deref<Target = [u8]> + use<>>, ModelError> {
        let bytes = within(self.settings.timeouts.idle, "next piece", response.chunk()).await?;
        let bytes = bytes.map_err(network)?;
        if let (Some(tape), Some(bytes)) = (&mut self.tape, &bytes) {
            tape.take(bytes);
        }
        Ok(bytes)
    }
}

/// What becomes of a body beyond its limit.
#[derive(Debug, Clone, Copy)]
enum TooLong {
    Fails,
    IsCut,
}

fn too_long_error(bytes_max: usize) -> ModelError {
    ModelError::new(Kind::BadReply, format!("the answer is longer than {bytes_max} bytes"))
}

async fn within<T>(limit: Duration, what: &str, work: impl Future<Output = T>) -> Result<T, ModelError> {
    tokio::time::timeout(limit, work).await.map_err(|_| timed_out(what, limit))
}

/// The error of a wait for `what` that took longer than `limit`.
pub(super) fn timed_out(what: &str, limit: Duration) -> ModelError {
    ModelError::new(Kind::Timeout, format!("no {what} within {limit:?}"))
}

/// A server may answer a request for a stream with one document.
fn is_json(response: &Response) -> bool {
    media_type(response).starts_with("application/json")
}

fn media_type(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase()
}

/// The client's error without the URL, which may hold a secret in its path; with the server's address instead.
fn network(error: reqwest::Error) -> ModelError {
    let server = error.url().and_then(address).map(|address| format!(" ({address})")).unwrap_or_default();
    let error = error.without_url();
    let kind = if error.is_timeout() {
        Kind::Timeout
    } else if error.is_builder() {
        Kind::RefusesRequest
    } else {
        Kind::Outage
    };
    // The message of the client's error hides the cause; the causes name hosts and system errors, never headers.
    let failed = ModelError::new(kind, format!("{}{server}", with_causes(&error)));
    // Without a connection nothing was sent.
    if error.is_connect() { failed.after(Reached::Nobody) } else { failed }
}

/// Host and port.
fn address(url: &reqwest::Url) -> Option<String> {
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}
