//! An exchange: the request goes out, the answer comes in, under limits of time and size.

use std::ops::Deref;
use std::time::Duration;

use folkmoot_core::ids::Digest;
use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind as Kind, Reached};
use folkmoot_core::port::Drafts;
use folkmoot_core::port::causes::with_causes;
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::pulse::StreamPulse;
use super::retry_after::retry_after;
use super::tape::Tape;
use super::{HttpSettings, Timeouts};
use crate::codec::{AnswerMode, BodyReader, Codec, Delta, WireFailure};
use crate::reply::{read_from, show};

/// The most bytes that are read of an answer that failed.
const FAILURE_BYTES_MAX: usize = 64 * 1024;

/// The parts of an exchange, all borrowed from the model that asks.
pub(super) struct OpenExchange<'a> {
    /// The codec of the wire.
    pub(super) codec: &'a dyn Codec,
    /// The settings with the limits.
    pub(super) settings: &'a HttpSettings,
    /// The way in which the answer was asked for.
    pub(super) mode: AnswerMode,
    /// The receiver of what can be shown.
    pub(super) drafts: &'a dyn Drafts,
    /// The record of the exchange, if it is recorded.
    pub(super) tape: Option<Tape<'a>>,
}

impl OpenExchange<'_> {
    /// Performs it.
    pub(super) async fn perform(
        &mut self,
        request: RequestBuilder,
    ) -> Result<LLMResponse, ModelError> {
        let begun = Instant::now();
        let response = self.send(request).await?;
        let is_success = response.status().is_success();
        // For the recording alone. How the body is read follows from its first bytes (ADR 0027).
        let is_stream = is_success && self.mode == AnswerMode::Stream && !is_json(&response);
        self.tape
            .iter_mut()
            .for_each(|tape| tape.begin(&response, is_stream));
        if !is_success {
            return Err(self.failure(response).await);
        }
        self.answer(response, begun).await
    }

    /// Sends it and waits for the head of the answer. Without a stream that comes when the answer
    /// is whole.
    async fn send(&self, request: RequestBuilder) -> Result<Response, ModelError> {
        let sent = match self.mode {
            AnswerMode::Stream => {
                within(
                    self.settings.timeouts.first_byte,
                    FIRST_BYTE,
                    request.send(),
                )
                .await?
            }
            // No limit but that of the whole attempt: the head comes only when the answer is done
            // (ADR 0032).
            AnswerMode::Whole => request.send().await,
        };
        sent.map_err(network)
    }

    /// A body that cannot be read leaves the status, which says enough.
    async fn failure(&mut self, response: Response) -> ModelError {
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let is_redirect = response.status().is_redirection();
        let body = self
            // A gateway may answer an error with a whole page, and only its beginning is shown.
            .beginning(response, FAILURE_BYTES_MAX)
            .await
            .unwrap_or_default();
        let error = self.codec.decode_error(WireFailure {
            status,
            retry_after,
            body: &body,
        });
        if is_redirect {
            return ModelError::new(
                error.kind,
                format!(
                    "{} (redirects are not followed: mend base_url)",
                    error.detail
                ),
            );
        }
        error
    }

    /// The first bytes of a body.
    async fn beginning(
        &mut self,
        mut response: Response,
        bytes_max: usize,
    ) -> Result<Vec<u8>, ModelError> {
        let idle = self.settings.timeouts.idle;
        let mut body = Vec::new();
        while body.len() < bytes_max {
            let Some(bytes) = within(idle, NEXT_PIECE, self.next(&mut response)).await?? else {
                break;
            };
            body.extend(bytes.iter().take(bytes_max - body.len()));
        }
        Ok(body)
    }

    /// Silence ends a stream, however long it is: first of all until something of an event has
    /// come, and then between such bytes. A document is silent until it is done: only the whole
    /// attempt has a limit.
    async fn answer(
        &mut self,
        mut response: Response,
        begun: Instant,
    ) -> Result<LLMResponse, ModelError> {
        let Timeouts {
            first_byte, idle, ..
        } = match self.mode {
            AnswerMode::Stream => self.settings.timeouts,
            AnswerMode::Whole => Timeouts {
                first_byte: Duration::MAX,
                idle: Duration::MAX,
                ..self.settings.timeouts
            },
        };
        let mut pulse = StreamPulse::default();
        let mut wait = SilenceLimit {
            since: begun,
            limit: first_byte,
            what: FIRST_BYTE,
        };
        let mut reader = BodyReader::new(self.codec, self.settings.body_bytes_max);
        let mut body = Sha256::new();
        while !reader.is_done() {
            let Some(bytes) = wait.until(self.next(&mut response)).await?? else {
                break;
            };
            // ADR 0032: blank lines of a proxy keep a connection open for hours, and are no sign of
            // life.
            let has_event = pulse.beats(&bytes);
            // Hashed on the way: a stream is not kept, and the log has the digest of the whole
            // body.
            body.update(&*bytes);
            for delta in reader.push(&bytes)? {
                self.show(delta).await?;
            }
            // Showing takes its time as well, in which nobody listens. Of a document each byte
            // counts.
            if has_event || reader.is_document() {
                wait = SilenceLimit {
                    since: Instant::now(),
                    limit: idle,
                    what: NEXT_PIECE,
                };
            }
        }
        Ok(read_from(
            reader.finish()?,
            Digest::new(body.finalize().into()),
        ))
    }

    async fn show(&self, delta: Delta) -> Result<(), ModelError> {
        match delta {
            Delta::Text(text) | Delta::Refusal(text) => show(self.drafts, &text).await,
            Delta::Reasoning(_) => Ok(()), // not for the room
        }
    }

    async fn next(
        &mut self,
        response: &mut Response,
    ) -> Result<Option<impl Deref<Target = [u8]> + use<>>, ModelError> {
        let bytes = response.chunk().await.map_err(network)?;
        if let (Some(tape), Some(bytes)) = (&mut self.tape, &bytes) {
            tape.take(bytes);
        }
        Ok(bytes)
    }
}

/// The first thing that is waited for.
const FIRST_BYTE: &str = "first byte";
/// The thing that is waited for then.
const NEXT_PIECE: &str = "next piece";

/// A time in which nothing came that counts.
struct SilenceLimit {
    /// The time of the last byte that counts.
    since: Instant,
    /// The longest silence.
    limit: Duration,
    /// The thing that is waited for, as the error names it.
    what: &'static str,
}

impl SilenceLimit {
    /// Waits for `work`, as long as the silence may last in all.
    async fn until<T>(&self, work: impl Future<Output = T>) -> Result<T, ModelError> {
        let rest = self.limit.saturating_sub(self.since.elapsed());
        tokio::time::timeout(rest, work)
            .await
            .map_err(|_| timed_out(self.what, self.limit))
    }
}

async fn within<T>(
    limit: Duration,
    what: &str,
    work: impl Future<Output = T>,
) -> Result<T, ModelError> {
    tokio::time::timeout(limit, work)
        .await
        .map_err(|_| timed_out(what, limit))
}

/// The error of a wait for `what` that took longer than `limit`.
pub(super) fn timed_out(what: &str, limit: Duration) -> ModelError {
    ModelError::new(Kind::Timeout, format!("no {what} within {limit:?}"))
}

/// For the recording alone: what an answer is, its first bytes tell.
fn is_json(response: &Response) -> bool {
    media_type(response).starts_with("application/json")
}

fn media_type(response: &Response) -> String {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    kind.trim_start().to_ascii_lowercase()
}

/// The client's error without the URL, which may hold a secret in its path; with the server's
/// address instead.
fn network(error: reqwest::Error) -> ModelError {
    let server = error
        .url()
        .and_then(address)
        .map(|address| format!(" ({address})"))
        .unwrap_or_default();
    let error = error.without_url();
    let kind = if error.is_timeout() {
        Kind::Timeout
    } else if error.is_builder() {
        Kind::RefusesRequest
    } else {
        Kind::Outage
    };
    // The message of the client's error hides the cause; the causes name hosts and system errors,
    // never headers.
    let failed = ModelError::new(kind, format!("{}{server}", with_causes(&error)));
    // Without a connection nothing was sent.
    if error.is_connect() {
        failed.after(Reached::Nobody)
    } else {
        failed
    }
}

/// Host and port.
fn address(url: &reqwest::Url) -> Option<String> {
    Some(format!(
        "{}:{}",
        url.host_str()?,
        url.port_or_known_default()?
    ))
}

#[cfg(test)]
mod tests;
