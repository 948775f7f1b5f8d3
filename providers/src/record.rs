//! Recording: what went over the wire, kept for the [recorded model](crate::RecordedModel).
//!
//! [`HttpModel`](crate::HttpModel) tells a [`Recorder`] of each exchange, failed ones included.
//! Keys, the values of variables and ids of accounts are taken out before.

use std::collections::BTreeMap;
use std::fmt;

use folkmoot_core::ids::{AgentName, Digest};
use folkmoot_core::text::redaction::SecretRules;
use serde::Serialize;
use serde_json::Value;

use crate::codec::Wire;

pub(crate) mod account;
mod file;

pub use file::{RecordingFile, RecordingFileError};

/// Takes exchanges.
pub trait Recorder: fmt::Debug + Send + Sync {
    /// Keeps one. What goes wrong is the recorder's to tell: the answer is there, and the call does
    /// not fail.
    fn record(&self, exchange: &Exchange);
}

/// An exchange: a line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exchange {
    /// The fingerprint of the request.
    pub fingerprint: Digest,
    /// The agent that asked.
    pub agent: AgentName,
    /// The wire that was spoken.
    pub wire: Wire,
    /// Behind the base URL.
    pub path: String,
    /// The body that was sent.
    pub request: Value,
    /// The HTTP status.
    pub status: u16,
    /// The headers of the answer that are read, by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// True if the answer is an event stream.
    pub stream: bool,
    /// The text of the answer, as far as it came. Bytes that are no UTF-8 are replaced.
    pub body: String,
}

impl Exchange {
    /// The same without `secrets`, keys that are known by their form, and ids of accounts; and,
    /// where it failed, without mail addresses: providers tell whose key it was.
    #[must_use]
    pub fn without(mut self, secrets: &SecretRules) -> Self {
        let hide = |text: &str| account::hidden(&secrets.redact_text(text)).into_owned();
        self.path = hide(&self.path);
        self.body = hide(&self.body);
        if !matches!(self.status, 200..=299) {
            self.body = account::without_people(&self.body).into_owned();
        }
        self.headers
            .values_mut()
            .for_each(|value| *value = hide(value));
        secrets.redact_value(&mut self.request);
        account::hide_in(&mut self.request);
        self
    }
}
