//! The moving half of an adapter: one HTTP request, one attempt.

use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind, Reply};
use folkmoot_core::port::{Drafts, Model, ModelCall};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::codec::{AnswerMode, Codec, Wire};
use crate::record::{Recorder, account};
use crate::reply::MapReply as _;

mod client;
mod exchange;
mod pulse;
mod rate;
pub(crate) mod retry_after;
mod secret;
mod settings;
mod tape;
mod url;

pub use client::{HttpSetupError, Proxy};
pub use rate::RateLimit;
pub use secret::{
    Environment, MissingVariable, ProcessEnvironment, Secret, Template, TemplateError,
};
pub use settings::{HttpSettings, Timeouts};

/// A model behind HTTP.
#[derive(Debug)]
pub struct HttpModel {
    /// The codec of the wire.
    codec: Arc<dyn Codec>,
    /// The settings of the script.
    settings: HttpSettings,
    /// The place where variables are looked up.
    environment: Arc<dyn Environment>,
    /// The HTTP client, with its pool of connections.
    client: reqwest::Client,
    /// The wire and the recorder of exchanges, if they are recorded.
    recorder: Option<(Wire, Arc<dyn Recorder>)>,
}

impl HttpModel {
    /// A model that speaks the wire of `codec`, with variables looked up in `environment`.
    ///
    /// # Errors
    /// [`HttpSetupError`].
    pub fn new(
        codec: Arc<dyn Codec>,
        settings: HttpSettings,
        environment: Arc<dyn Environment>,
    ) -> Result<Self, HttpSetupError> {
        let client = client::client(&settings, &*environment)?;
        Ok(Self {
            codec,
            settings,
            environment,
            client,
            recorder: None,
        })
    }

    /// The same; `recorder` is told of every exchange, in which `wire` was spoken.
    #[must_use]
    pub fn recorded_by(mut self, wire: Wire, recorder: Arc<dyn Recorder>) -> Self {
        self.recorder = Some((wire, recorder));
        self
    }

    /// Returns the model's settings.
    #[must_use]
    pub const fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    /// Writes the HTTP request.
    fn request(&self, call: &ModelCall) -> Result<Outgoing, ModelError> {
        let mode = if self.settings.stream {
            AnswerMode::Stream
        } else {
            AnswerMode::Whole
        };
        let wire = self.codec.encode(&call.request, &call.files, mode);
        let base_url = self.expand(&self.settings.base_url)?;
        let keyed = if self.settings.key.is_some() {
            url::KeyUse::Yes
        } else {
            url::KeyUse::No
        };
        let url = url::url(base_url.expose(), &wire.path, keyed);
        let limiter = |limit| rate::limiter(limit, base_url.expose(), call.request.model());
        let limiter = self.settings.rate_limit.map(limiter);
        let headers = self.headers(&wire.headers, &call.idempotency_key)?;
        let request = self.client.post(url).json(&wire.body).headers(headers);
        Ok(Outgoing {
            request,
            mode,
            limiter,
            path: wire.path,
            body: wire.body,
            warnings: wire.warnings,
        })
    }

    /// The headers: the wire's, the key's, and the script's, which take the place of others with
    /// their name. A key whose header the script writes itself is not sent: it is for the provider,
    /// and the script's for whoever stands before it.
    fn headers(
        &self,
        of_wire: &[(&'static str, String)],
        idempotency_key: &str,
    ) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        // A provider that knows the header answers a repeated attempt without doing the work twice.
        headers.insert("idempotency-key", sensitive(idempotency_key)?);
        for (name, value) in of_wire {
            headers.insert(*name, sensitive(value)?);
        }
        if let Some(key) = &self.settings.key {
            // Asked for the name alone first: a key that is not sent need not be set.
            let (name, _) = self.codec.key_header("");
            if !self
                .settings
                .headers
                .keys()
                .any(|own| own.eq_ignore_ascii_case(name))
            {
                let (name, value) = self.codec.key_header(self.expand(key)?.expose());
                headers.insert(name, sensitive(&value)?);
            }
        }
        for (name, template) in &self.settings.headers {
            let refused = |_| {
                ModelError::new(
                    ModelErrorKind::RefusesRequest,
                    format!("`{name}` cannot be the name of a header"),
                )
            };
            let value = sensitive(self.expand(template)?.expose())?;
            headers.insert(HeaderName::try_from(name).map_err(refused)?, value);
        }
        Ok(headers)
    }

    fn expand(&self, template: &Template) -> Result<Secret, ModelError> {
        template
            .expand(&*self.environment)
            .map_err(|missing| ModelError::new(ModelErrorKind::RefusesAccount, missing.to_string()))
    }
}

/// A request about to be sent.
struct Outgoing {
    request: reqwest::RequestBuilder,
    mode: AnswerMode,
    limiter: Option<Arc<rate::Limiter>>,
    path: String,
    body: Value,
    warnings: Vec<String>,
}

fn sensitive(value: &str) -> Result<HeaderValue, ModelError> {
    let header = HeaderValue::from_str(value);
    let refused = |_| {
        ModelError::new(
            ModelErrorKind::RefusesAccount,
            "a key or header has characters that HTTP forbids",
        )
    };
    header.map_err(refused).map(|mut header| {
        // So that no debug output of the client shows it.
        header.set_sensitive(true);
        header
    })
}

#[async_trait]
impl Model for HttpModel {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let Outgoing {
            request,
            mode,
            limiter,
            path,
            body,
            warnings,
        } = self.request(call)?;
        if let Some(limiter) = limiter {
            // Before the clock of the attempt begins: a wait for a place is no slowness of the
            // provider.
            limiter.place().await?;
        }
        // Looked up for each call: a key that was changed since must be hidden too.
        let secrets = self.settings.secrets(&*self.environment);
        let tape = self.recorder.as_ref().map(|(wire, recorder)| {
            let sent = tape::Sent {
                call,
                wire: *wire,
                path,
                request: body,
            };
            tape::Tape::new(sent, &**recorder, secrets.clone())
        });
        let mut exchange = exchange::OpenExchange {
            codec: &*self.codec,
            settings: &self.settings,
            mode,
            drafts,
            tape,
        };
        let answer =
            // ADR 0032: a limit of silence alone would never end a stream of pings.
            tokio::time::timeout(self.settings.timeouts.total, exchange.perform(request)).await;
        let answer = answer
            .unwrap_or_else(|_| Err(exchange::timed_out("answer", self.settings.timeouts.total)));
        let redact = |text: &str| account::without_people(&secrets.redact_text(text)).into_owned();
        match answer {
            Ok(response) => Ok(response.map_reply(|reply| warn(reply, warnings))),
            // Cut last: a part of a secret would not be known as one.
            Err(error) => Err(ModelError {
                detail: short(&redact(&error.detail)),
                ..error
            }),
        }
    }

    fn takes_file(&self, media_type: &str) -> bool {
        self.codec.takes_file(media_type)
    }
}

/// The most characters of a detail.
const DETAIL_CHARS_MAX: usize = 500;

fn short(detail: &str) -> String {
    detail.chars().take(DETAIL_CHARS_MAX).collect()
}

fn warn(mut reply: Reply, warnings: Vec<String>) -> Reply {
    reply.warnings.extend(warnings);
    reply
}
