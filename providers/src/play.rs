//! Models that need no network: a script, and a recording.

pub mod recorded;
pub mod scripted;

#[cfg(test)]
mod tests;

pub use recorded::{RecordedModel, RecordedSettings, RecordingError};
pub use scripted::{ReplyError, ScriptedModel, ScriptedReply, ScriptedSettings};
