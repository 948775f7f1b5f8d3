//! A collector of spans, behind HTTP.

use std::io::{self, Write as _};
use std::time::Duration;

use flate2::write::GzEncoder;
use folkmoot::core::port::causes::with_causes;
use folkmoot::otlp::{ExportTraceServiceRequest, Rejections};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, redirect};

use super::settings::{Compression, OtlpSettings};

/// The longest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// The longest part of an answer that is told, in characters.
const TOLD_MAX: usize = 200;

/// A collector of spans.
#[derive(Debug, Clone)]
pub struct Collector {
    client: Client,
    settings: OtlpSettings,
}

/// The reason that no collector can be reached at all.
#[derive(Debug, thiserror::Error)]
#[error("the requests to a collector cannot be made")]
pub struct CollectorError(#[from] reqwest::Error);

/// The reason that a request did not reach a collector.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// It cannot be reached, or is busy: the same request may be taken later.
    #[error("{endpoint} cannot be reached: {why}")]
    Unavailable {
        /// Its URL.
        endpoint: String,
        /// The reason.
        why: String,
        /// The wait that it asks for; `None` if it says nothing.
        retry_after: Option<Duration>,
    },
    /// It does not take the request, and will not.
    #[error("{endpoint} refuses the spans: {why}")]
    Refused {
        /// Its URL.
        endpoint: String,
        /// The reason.
        why: String,
    },
    /// The request cannot be written.
    #[error("the spans cannot be written")]
    Json(#[from] serde_json::Error),
    /// The request cannot be compressed.
    #[error("the spans cannot be compressed")]
    Gzip(#[from] io::Error),
}

impl Collector {
    /// The collector that `settings` name. It is not asked yet.
    ///
    /// # Errors
    /// [`CollectorError`] if the system has no TLS to speak to it with.
    pub fn new(settings: OtlpSettings) -> Result<Self, CollectorError> {
        // An error says that another part of the program has installed one, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let host = settings.endpoint.host_str();
        let is_here = matches!(host, Some("localhost" | "127.0.0.1" | "[::1]"));
        let client = Client::builder()
            .timeout(settings.timeout)
            .redirect(redirect::Policy::none()) // spans go where the settings say
            .user_agent(concat!("folkmoot/", env!("CARGO_PKG_VERSION")));
        let client = if is_here { client.no_proxy() } else { client };
        let client = client.build()?;
        Ok(Self { client, settings })
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &OtlpSettings {
        &self.settings
    }

    /// The endpoint without what may be secret in it.
    #[must_use]
    pub fn endpoint(&self) -> String {
        let mut url = self.settings.endpoint.clone();
        url.set_query(None);
        // Only URLs without a host have no place for these.
        let _has_place = url.set_username("").and_then(|()| url.set_password(None));
        url.to_string()
    }

    /// Sends spans, once. Gives those that the collector did not take.
    ///
    /// # Errors
    /// [`SendError`] says whether the same request may be taken later.
    pub async fn send(&self, request: &ExportTraceServiceRequest) -> Result<Rejections, SendError> {
        let encoding = self.settings.encoding;
        let bytes = encoding.write(request)?;
        let post = self
            .client
            .post(self.settings.endpoint.clone())
            .headers(self.settings.headers.clone())
            .header(CONTENT_TYPE, encoding.media_type());
        let post = match self.settings.compression {
            Compression::Plain => post.body(bytes),
            Compression::Gzip => post.header(CONTENT_ENCODING, "gzip").body(gzip(&bytes)?),
        };
        let answer = post.send().await;
        let answer = answer.map_err(|error| self.unavailable(&error.without_url()))?;
        let status = answer.status();
        let retry_after = retry_after(&answer);
        let body = body(answer).await;
        if status.is_success() {
            let body = body.map_err(|error| self.unavailable(&error.without_url()))?;
            return Ok(encoding.rejections(&body));
        }
        let endpoint = self.endpoint();
        let why = told(status, &body.unwrap_or_default());
        Err(if is_for_later(status) {
            SendError::Unavailable {
                endpoint,
                why,
                retry_after,
            }
        } else {
            SendError::Refused { endpoint, why }
        })
    }

    fn unavailable(&self, error: &reqwest::Error) -> SendError {
        SendError::Unavailable {
            endpoint: self.endpoint(),
            why: with_causes(error),
            retry_after: None,
        }
    }
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes)?;
    gzip.finish()
}

/// The statuses after which OTLP wants the same request once more.
fn is_for_later(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// The wait that an answer asks for, in seconds. A date is not read: the own pause is as good.
fn retry_after(answer: &Response) -> Option<Duration> {
    let seconds = answer.headers().get(RETRY_AFTER)?.to_str().ok()?;
    seconds.parse().map(Duration::from_secs).ok()
}

/// The beginning of an answer.
async fn body(mut answer: Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ANSWER_BYTES_MAX {
            bytes.truncate(ANSWER_BYTES_MAX);
            break;
        }
    }
    Ok(bytes)
}

/// A status, with what is printable of the words beside it.
fn told(status: StatusCode, body: &[u8]) -> String {
    let words = String::from_utf8_lossy(body);
    let words = words
        .chars()
        .filter(|c| !c.is_control() && *c != '\u{fffd}');
    let words: String = words.take(TOLD_MAX).collect();
    match words.trim() {
        "" => format!("it answers {status}"),
        words => format!("it answers {status}, {words}"),
    }
}
