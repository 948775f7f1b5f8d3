//! The recorded model: HTTP bodies out of a file, through the real codec.
//!
//! A line is found by the request's fingerprint if lines have one, else in order. What is not in the file is an error,
//! never a call over the network.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::ids::Digest;
use folkmoot_core::port::{Drafts, Model, ModelCall};
use folkmoot_core::response::{LLMResponse, ModelError, ModelErrorKind, Reply};
use serde::Deserialize;

use crate::codec::{Codec, Delta, Wire, WireFailure};
use crate::reply::{MapReply as _, read_from, show};

mod exchange;
#[cfg(test)]
mod tests;

use exchange::RecordedExchange;

/// The largest recording that is read.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What a script says about a recorded model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedSettings {
    /// The adapter's name, as a script has it. Not read here.
    pub provider: Option<String>,
    /// The model's name, as a script has it. Not read here.
    pub model: Option<String>,
    /// The wire.
    pub wire: Wire,
    /// The file: JSON lines. A relative path begins at the script's folder.
    pub from: PathBuf,
}

/// Why a recording cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("cannot read the recording {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is too long.
    #[error("the recording {} is longer than {bytes_max} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The limit.
        bytes_max: u64,
    },
    /// A line is no recorded exchange.
    #[error("line {line} of the recording is no exchange")]
    BadLine {
        /// Which one, from 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
}

/// Plays recorded exchanges.
#[derive(Debug)]
pub struct RecordedModel {
    codec: Arc<dyn Codec>,
    exchanges: Vec<RecordedExchange>,
}

impl RecordedModel {
    /// Reads the file of `settings`; a relative path begins at `base`.
    ///
    /// # Errors
    /// [`RecordingError`].
    pub fn open(settings: &RecordedSettings, base: Option<&Path>) -> Result<Self, RecordingError> {
        let path = base.map_or_else(|| settings.from.clone(), |base| base.join(&settings.from));
        let unreadable = |source| RecordingError::Unreadable { path: path.clone(), source };
        if std::fs::metadata(&path).map_err(unreadable)?.len() > FILE_BYTES_MAX {
            return Err(RecordingError::TooLong { path, bytes_max: FILE_BYTES_MAX });
        }
        Self::new(settings.wire, &std::fs::read_to_string(&path).map_err(unreadable)?)
    }

    /// Reads exchanges: one JSON object a line; empty lines count for nothing.
    ///
    /// # Errors
    /// [`RecordingError::BadLine`].
    pub fn new(wire: Wire, lines: &str) -> Result<Self, RecordingError> {
        let codec = wire.default_codec();
        let lines = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let read = |(at, line): (usize, &str)| {
            let bad_line = |source| RecordingError::BadLine { line: at.saturating_add(1), source };
            serde_json::from_str(line).map_err(bad_line)
        };
        Ok(Self { codec, exchanges: lines.map(read).collect::<Result<_, _>>()? })
    }

    /// The next exchange with the request's fingerprint, or else the last one with it, or else the next without any.
    fn find(&self, call: &ModelCall) -> Option<(u32, &RecordedExchange)> {
        let fingerprint = call.request.fingerprint();
        let fitting = || (0..).zip(&self.exchanges).filter(|(_, exchange)| exchange.is_for(&call.agent));
        let keyed = || fitting().filter(|(_, exchange)| exchange.fingerprint == Some(fingerprint));
        let unplayed = |(index, _): &(u32, &RecordedExchange)| !call.played.contains(index);
        let in_order = || fitting().filter(|(_, exchange)| exchange.fingerprint.is_none()).find(unplayed);
        keyed().find(unplayed).or_else(|| keyed().last()).or_else(in_order)
    }

    fn not_recorded(&self, call: &ModelCall) -> ModelError {
        let detail = format!(
            "none of the {} recorded exchanges is left for {} asking {} with the fingerprint {}",
            self.exchanges.len(),
            call.agent,
            call.request.model(),
            call.request.fingerprint(),
        );
        ModelError::new(ModelErrorKind::NotRecorded, detail)
    }

    async fn play(&self, exchange: &RecordedExchange, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let body = exchange.body.as_bytes();
        if !exchange.is_success() {
            let retry_after = exchange.retry_after();
            return Err(self.codec.decode_error(WireFailure { status: exchange.status, retry_after, body }));
        }
        if !exchange.stream {
            return Ok(read_from(self.codec.decode(body)?, Digest::sha256(body)));
        }
        let mut decoder = self.codec.stream_decoder();
        for delta in decoder.push(body)? {
            if let Delta::Text(text) | Delta::Refusal(text) = delta {
                show(drafts, &text).await?;
            }
        }
        Ok(read_from(decoder.finish()?, Digest::sha256(body)))
    }
}

#[async_trait]
impl Model for RecordedModel {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let (index, exchange) = self.find(call).ok_or_else(|| self.not_recorded(call))?;
        match self.play(exchange, drafts).await {
            Ok(response) => Ok(response.map_reply(|reply| Reply { played: Some(index), ..reply })),
            Err(error) => Err(ModelError { played: Some(index), ..error }),
        }
    }
}
