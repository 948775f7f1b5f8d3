//! The record of one exchange, made while it goes on.

use std::collections::BTreeMap;

use folkmoot_core::port::ModelCall;
use folkmoot_core::text::redaction::SecretRules;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::codec::Wire;
use crate::record::{Exchange, Recorder};

/// The headers of an answer that a recording keeps: those that are read, and the date that a wait
/// is measured by.
const HEADERS: [&str; 4] = ["content-type", "date", "retry-after", "retry-after-ms"];

/// The request that was sent.
#[derive(Debug)]
pub(super) struct Sent<'a> {
    pub(super) call: &'a ModelCall,
    pub(super) wire: Wire,
    pub(super) path: String,
    pub(super) request: Value,
}

/// Records one exchange when it is dropped, if an answer had begun: a call that was stopped, or
/// whose stream broke off, leaves what had come.
#[derive(Debug)]
pub(super) struct Tape<'a> {
    sent: Sent<'a>,
    recorder: &'a dyn Recorder,
    secrets: SecretRules,
    answer: Option<TapedAnswer>,
}

#[derive(Debug)]
struct TapedAnswer {
    status: u16,
    headers: BTreeMap<String, String>,
    stream: bool,
    body: Vec<u8>,
}

impl<'a> Tape<'a> {
    pub(super) const fn new(
        sent: Sent<'a>,
        recorder: &'a dyn Recorder,
        secrets: SecretRules,
    ) -> Self {
        Self {
            sent,
            recorder,
            secrets,
            answer: None,
        }
    }

    /// The answer begins.
    pub(super) fn begin(&mut self, response: &Response, stream: bool) {
        let status = response.status().as_u16();
        let headers = kept(response.headers());
        self.answer = Some(TapedAnswer {
            status,
            headers,
            stream,
            body: Vec::new(),
        });
    }

    /// More of it came.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.answer
            .iter_mut()
            .for_each(|answer| answer.body.extend(bytes));
    }
}

impl Drop for Tape<'_> {
    fn drop(&mut self) {
        let Some(answer) = self.answer.take() else {
            return;
        };
        let exchange = Exchange {
            fingerprint: self.sent.call.request.fingerprint(),
            agent: self.sent.call.agent.clone(),
            wire: self.sent.wire,
            path: std::mem::take(&mut self.sent.path),
            request: self.sent.request.take(),
            status: answer.status,
            headers: answer.headers,
            stream: answer.stream,
            body: String::from_utf8_lossy(&answer.body).into_owned(),
        };
        self.recorder.record(&exchange.without(&self.secrets));
    }
}

fn kept(headers: &HeaderMap) -> BTreeMap<String, String> {
    let text = |name: &str| {
        Some((
            name.to_owned(),
            headers.get(name)?.to_str().ok()?.to_owned(),
        ))
    };
    HEADERS.iter().filter_map(|name| text(name)).collect()
}
