//! The recorded model: HTTP bodies out of a file, through the real codec.
//!
//! A line is found by the request's fingerprint if lines have one, else in order. What is not in
//! the file is an error that says what is different about the request; there is no client here that
//! could make a call over the network.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::ids::Digest;
use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind, Reply};
use folkmoot_core::port::{Drafts, Model, ModelCall};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::codec::{AnswerMode, BodyReader, Codec, Delta, Wire, WireFailure};
use crate::record::account;
use crate::reply::{MapReply as _, read_from, show};

mod difference;
mod exchange;
#[cfg(test)]
mod tests;

use exchange::RecordedExchange;

/// The largest recording that is read.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The settings of a recorded model in a script.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RecordedSettings {
    /// The adapter's name, as a script has it. Not read here.
    pub provider: Option<String>,
    /// The model's name, as a script has it. Not read here.
    pub model: Option<String>,
    /// The wire.
    pub wire: Wire,
    /// The file: JSON lines. A relative path begins at the script's folder.
    pub from: PathBuf,
    /// The settings of the wire's codec, as the model had them that was recorded.
    #[serde(flatten)]
    pub codec: Map<String, Value>,
}

impl RecordedSettings {
    /// The names of its own settings.
    pub const FIELDS: [&str; 4] = ["provider", "model", "wire", "from"];
}

/// A reason why a recording cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("cannot read the recording {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
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
    #[error("line {line} of the recording is not an exchange of a request and an answer")]
    BadLine {
        /// The number of the line, from 1.
        line: usize,
        /// The fault that serde found.
        source: serde_json::Error,
    },
    /// The codec does not take the settings.
    #[error("the settings of the recorded model cannot be used")]
    Settings(#[source] serde_json::Error),
}

/// Plays recorded exchanges.
#[derive(Debug)]
pub struct RecordedModel {
    /// The wire that is played.
    wire: Wire,
    /// The codec that reads the bodies.
    codec: Arc<dyn Codec>,
    /// The exchanges of the recording, in its order.
    exchanges: Vec<RecordedExchange>,
}

impl RecordedModel {
    /// Reads the file of `settings`; a relative path begins at `base`.
    ///
    /// # Errors
    /// [`RecordingError`].
    pub fn open(settings: &RecordedSettings, base: Option<&Path>) -> Result<Self, RecordingError> {
        let codec = settings
            .wire
            .codec(&settings.codec)
            .map_err(RecordingError::Settings)?;
        let path = base.map_or_else(|| settings.from.clone(), |base| base.join(&settings.from));
        let unreadable = |source| RecordingError::Unreadable {
            path: path.clone(),
            source,
        };
        let metadata = std::fs::metadata(&path).map_err(unreadable)?;
        // A pipe would have to be waited for, and a device may never end.
        if !metadata.is_file() {
            let what = io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
            return Err(unreadable(what));
        }
        if metadata.len() > FILE_BYTES_MAX {
            return Err(RecordingError::TooLong {
                path,
                bytes_max: FILE_BYTES_MAX,
            });
        }
        Self::read(
            settings.wire,
            codec,
            &std::fs::read_to_string(&path).map_err(unreadable)?,
        )
    }

    /// Reads exchanges: one JSON object a line; empty lines count for nothing. Lines of other wires
    /// are left alone.
    ///
    /// # Errors
    /// [`RecordingError::BadLine`].
    pub fn new(wire: Wire, lines: &str) -> Result<Self, RecordingError> {
        Self::read(wire, wire.default_codec(), lines)
    }

    fn read(wire: Wire, codec: Arc<dyn Codec>, lines: &str) -> Result<Self, RecordingError> {
        let lines = lines
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let read = |(at, line): (usize, &str)| {
            let bad_line = |source| RecordingError::BadLine {
                line: at + 1,
                source,
            };
            serde_json::from_str(line).map_err(bad_line)
        };
        Ok(Self {
            wire,
            codec,
            exchanges: lines.map(read).collect::<Result<_, _>>()?,
        })
    }

    /// The next exchange with the request's fingerprint, or else the last one with it, or else the
    /// next without any.
    fn find(&self, call: &ModelCall) -> Option<(u32, &RecordedExchange)> {
        let fingerprint = call.request.fingerprint();
        let fitting = || self.fitting(call);
        let keyed = || fitting().filter(|(_, exchange)| exchange.fingerprint == Some(fingerprint));
        let unplayed = |(index, _): &(u32, &RecordedExchange)| !call.played.contains(index);
        let in_order = || {
            fitting()
                .filter(|(_, exchange)| exchange.fingerprint.is_none())
                .find(unplayed)
        };
        keyed()
            .find(unplayed)
            .or_else(|| keyed().last())
            .or_else(in_order)
    }

    /// Returns the exchanges for this wire and the agent that asks, each with its number from 0.
    fn fitting(&self, call: &ModelCall) -> impl Iterator<Item = (u32, &RecordedExchange)> {
        (0..)
            .zip(&self.exchanges)
            .filter(|(_, exchange)| exchange.is_for(&call.agent, self.wire))
    }

    fn not_recorded(&self, call: &ModelCall) -> ModelError {
        let agent = &call.agent;
        let model = call.request.model();
        let count = self.exchanges.len();
        let asked = format!(
            "{agent} asks {model} with the fingerprint {}",
            call.request.fingerprint().short()
        );
        let detail = match self.changed(call) {
            Some((line, why)) => {
                format!("the request is not that of exchange {line}: {why} ({asked})")
            }
            None if self.fitting(call).next().is_none() => {
                let wire = self.wire.name();
                format!(
                    "none of the {count} recorded exchanges is one of {agent} over {wire} ({asked})"
                )
            }
            None => format!("none of the {count} recorded exchanges is left ({asked})"),
        };
        ModelError::new(ModelErrorKind::NotRecorded, detail)
    }

    /// Returns the number, from 1, of the next exchange that the agent has not played, and the
    /// difference from it.
    fn changed(&self, call: &ModelCall) -> Option<(u32, String)> {
        let mut unplayed = self
            .fitting(call)
            .filter(|(index, _)| !call.played.contains(index));
        let with_request =
            |(index, exchange)| Some((index, exchange, RecordedExchange::request(exchange)?));
        let (index, exchange, recorded) = unplayed.find_map(with_request)?;
        // An error is no stream, also where one was asked for.
        let is_stream = exchange.stream || recorded.get("stream") == Some(&Value::Bool(true));
        let mode = if is_stream {
            AnswerMode::Stream
        } else {
            AnswerMode::Whole
        };
        let mut now = self.codec.encode(&call.request, &call.files, mode).body;
        account::hide_in(&mut now); // as the recording had it done
        let same =
            "not in what goes over the wire, but in what the fingerprint covers besides".to_owned();
        Some((
            index + 1,
            difference::differences(recorded, &now).unwrap_or(same),
        ))
    }

    async fn play(
        &self,
        exchange: &RecordedExchange,
        drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        let body = exchange.body.as_bytes();
        if !exchange.is_success() {
            let retry_after = exchange.retry_after();
            return Err(self.codec.decode_error(WireFailure {
                status: exchange.status,
                retry_after,
                body,
            }));
        }
        let mut reader = BodyReader::new(&*self.codec, body.len());
        // Line by line, as a stream comes: what was shown before an error is shown again.
        for line in body.split_inclusive(|byte| *byte == b'\n') {
            for delta in reader.push(line)? {
                if let Delta::Text(text) | Delta::Refusal(text) = delta {
                    show(drafts, &text).await?;
                }
            }
        }
        Ok(read_from(reader.finish()?, Digest::sha256(body)))
    }
}

#[async_trait]
impl Model for RecordedModel {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let (index, exchange) = self.find(call).ok_or_else(|| self.not_recorded(call))?;
        match self.play(exchange, drafts).await {
            Ok(response) => Ok(response.map_reply(|reply| Reply {
                played: Some(index),
                ..reply
            })),
            Err(error) => Err(ModelError {
                played: Some(index),
                ..error
            }),
        }
    }

    fn takes_file(&self, media_type: &str) -> bool {
        self.codec.takes_file(media_type)
    }
}
