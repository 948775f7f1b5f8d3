//! Model providers: pure codecs, the transport, the scripted and the recorded model.
//!
//! A provider is a [`Codec`](codec::Codec), which turns requests and answers into bytes and back
//! without I/O, and something that moves the bytes: [`HttpModel`] over the network,
//! [`RecordedModel`] out of a file. [`ScriptedModel`] needs neither. This crate deliberately lacks
//! retries, limits and any knowledge of tools and agents: one call is one attempt, and what a model
//! asks for is data.
//!
//! Read first: [`codec::Codec`], [`HttpModel`], [`ScriptedModel`].
//!
//! ```
//! use folkmoot_providers::codec::{Codec, OpenAiChat};
//!
//! let body = br#"{ "choices": [{ "message": { "content": "Good morning." }, "finish_reason": "stop" }] }"#;
//! let response = OpenAiChat::default().decode(body)?;
//! assert_eq!(response.spoken(), "Good morning.");
//! # Ok::<(), folkmoot_providers::codec::DecodeError>(())
//! ```

mod reply;

pub mod codec;

pub mod record;

pub mod cache;

pub mod transport;

pub mod play;

pub mod catalogue;

pub use catalogue::{
    ModelBuildError, PRESETS, PROVIDERS, Preset, build_model, build_model_recorded, http_model,
    secrets_of, templates_of,
};
pub use play::{
    RecordedModel, RecordedSettings, ReplyError, ScriptedModel, ScriptedReply, ScriptedSettings,
};
pub use record::{Exchange, Recorder, RecordingFile, RecordingFileError};
pub use transport::{HttpModel, HttpSettings, ProcessEnvironment, Secret, Timeouts};
