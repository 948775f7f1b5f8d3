//! The end of an answer: which kind it is, and its parts.

use folkmoot_core::response::{LLMResponse, Part, Reply};
use serde_json::Value;

use super::super::note::Note;
use super::{Answer, Piece};
use crate::codec::DecodeError;
use crate::codec::json::Fields;
use crate::codec::kept::Kept;
use crate::codec::warning;

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// By itself.
    Done,
    /// At a limit, or at a pause of the provider.
    Cut,
    /// The model, or a classifier of the provider, declined.
    Refused,
}

/// The parts of an answer as they are put together.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// The parts, in order.
    pub(super) parts: Vec<Part>,
    /// Whether the answer was cut, so that its last block may be broken.
    pub(super) is_cut: bool,
    /// Whether there is a call.
    pub(super) has_calls: bool,
    /// Calls that broke off, or have no name.
    pub(super) incomplete_calls: Vec<Value>,
    /// Other blocks that broke off.
    pub(super) incomplete_blocks: Vec<Value>,
    kept: Kept,
}

impl Built {
    /// Adds a note, if there is something in it.
    pub(super) fn note(&mut self, note: Note) {
        self.parts.extend(note.into_part());
    }

    /// Keeps fields that belong to no part.
    pub(super) fn keep(&mut self, name: &str, fields: Fields) {
        self.kept.add(name, Value::Object(fields));
    }
}

impl Answer {
    /// The response: its parts in the order of the wire's blocks, then what was kept.
    pub(in super::super) fn into_response(mut self) -> Result<LLMResponse, DecodeError> {
        if !self.has_message {
            return Err(DecodeError::Empty);
        }
        let ending = self.ending();
        let mut built =
            Built { is_cut: ending != Ending::Done, kept: std::mem::take(&mut self.kept), ..Built::default() };
        for piece in std::mem::take(&mut self.pieces) {
            match piece {
                Piece::Block(block) => block.finish(&mut built),
                Piece::Refusal(text) => built.parts.push(Part::Refusal(text)),
            }
        }
        self.keep_incomplete(&mut built);
        if self.finish.as_deref() == Some("tool_use") && !built.has_calls {
            self.warn(warning::CALLS_MISSING);
        }
        let has_refusal = built.parts.iter().any(|part| matches!(part, Part::Refusal(_)));
        let has_calls = built.has_calls;
        let reply = self.into_reply(built);
        Ok(match ending {
            Ending::Cut => LLMResponse::Truncated(reply),
            Ending::Refused => LLMResponse::Refused(reply),
            Ending::Done if has_calls => LLMResponse::Calls(reply),
            Ending::Done if has_refusal => LLMResponse::Refused(reply),
            Ending::Done => LLMResponse::Text(reply),
        })
    }

    fn ending(&mut self) -> Ending {
        match self.finish.as_deref() {
            Some("end_turn" | "stop_sequence" | "tool_use") => Ending::Done,
            Some("max_tokens" | "model_context_window_exceeded") => Ending::Cut,
            Some("refusal") => Ending::Refused,
            // The provider's own tools took too long. It would go on if it were asked again.
            Some("pause_turn") => {
                self.warn(warning::TURN_PAUSED);
                Ending::Cut
            }
            Some(_) => {
                self.warn(warning::FINISH_UNKNOWN);
                Ending::Done
            }
            None => {
                self.warn(warning::FINISH_MISSING);
                Ending::Done
            }
        }
    }

    fn keep_incomplete(&mut self, built: &mut Built) {
        let calls = std::mem::take(&mut built.incomplete_calls);
        if !calls.is_empty() {
            self.warn(warning::CALLS_INCOMPLETE);
            built.kept.add("incomplete_calls", Value::Array(calls));
        }
        let blocks = std::mem::take(&mut built.incomplete_blocks);
        if !blocks.is_empty() {
            self.warn(warning::BLOCKS_INCOMPLETE);
            built.kept.add("incomplete_blocks", Value::Array(blocks));
        }
    }

    fn into_reply(self, mut built: Built) -> Reply {
        let kept = std::mem::take(&mut built.kept).into_fields();
        built.note(Note::Kept(kept));
        let mut warnings: Vec<String> = self.warnings.into_iter().map(str::to_owned).collect();
        warnings.sort_unstable(); // the order in which a stream met them means nothing
        let (usage, model, finish) = (self.counts.usage(), self.model, self.finish);
        Reply { parts: built.parts, usage, warnings, model, finish, played: None, body: None }
    }
}
