//! The end of an answer: which kind it is, and its parts.

use folkmoot_core::model::response::{LLMResponse, Part, Reply};
use serde_json::Value;

use super::super::note::AnthropicNote;
use super::{AnswerPiece, AnthropicAnswer};
use crate::codec::DecodeError;
use crate::codec::ending::AnswerEnding;
use crate::codec::json::Fields;
use crate::codec::kept_fields::KeptFields;
use crate::codec::warning;

/// Reasons of an answer that met a limit.
const CUT: &[&str] = &["max_tokens", "model_context_window_exceeded"];

/// The parts of an answer as they are put together.
#[derive(Debug)]
pub(super) struct BuiltParts {
    /// The parts, in order.
    pub(super) parts: Vec<Part>,
    /// The ending of the answer.
    pub(super) ending: AnswerEnding,
    /// True if the next block is the one that a limit cut.
    pub(super) is_cut: bool,
    /// True if a call was cut.
    pub(super) has_cut_calls: bool,
    /// True if there is a call.
    pub(super) has_calls: bool,
    /// Calls that broke off, or have no name.
    pub(super) incomplete_calls: Vec<Value>,
    /// Other blocks that broke off.
    pub(super) incomplete_blocks: Vec<Value>,
    /// The fields that the codec does not understand.
    kept: KeptFields,
}

impl BuiltParts {
    const fn new(ending: AnswerEnding, kept: KeptFields) -> Self {
        Self {
            parts: Vec::new(),
            ending,
            is_cut: false,
            has_cut_calls: false,
            has_calls: false,
            incomplete_calls: Vec::new(),
            incomplete_blocks: Vec::new(),
            kept,
        }
    }

    /// Adds a note, if there is something in it.
    pub(super) fn note(&mut self, note: AnthropicNote) {
        self.parts.extend(note.into_part());
    }

    /// Keeps fields that belong to no part.
    pub(super) fn keep(&mut self, name: &str, fields: Fields) {
        self.kept.add(name, Value::Object(fields));
    }
}

impl AnthropicAnswer {
    /// The response: its parts in the order of the wire's blocks, then what was kept.
    pub(in super::super) fn into_response(mut self) -> Result<LLMResponse, DecodeError> {
        if !self.has_message {
            return Err(DecodeError::Empty);
        }
        let ending = self.ending();
        let meets_limit = self
            .finish
            .as_deref()
            .is_some_and(|reason| CUT.contains(&reason));
        let pieces = std::mem::take(&mut self.pieces);
        let last = pieces.len().checked_sub(1);
        let mut built = BuiltParts::new(ending, std::mem::take(&mut self.kept));
        for (at, piece) in pieces.into_iter().enumerate() {
            // Only the last block can be the one: the blocks before it ended before the limit came.
            built.is_cut = meets_limit && Some(at) == last;
            match piece {
                AnswerPiece::Block(block) => block.finish(&mut built),
                AnswerPiece::Refusal(text) => built.parts.push(Part::Refusal(text)),
            }
        }
        self.keep_incomplete(&mut built);
        if self.finish.as_deref() == Some("tool_use") && !built.has_calls {
            self.warn(warning::CALLS_MISSING);
        }
        if built.has_cut_calls {
            self.warn(warning::CALL_CUT);
        }
        ending.response(self.into_reply(built))
    }

    fn ending(&mut self) -> AnswerEnding {
        match self.finish.as_deref() {
            Some("end_turn" | "stop_sequence" | "tool_use") => AnswerEnding::Done,
            Some(reason) if CUT.contains(&reason) => AnswerEnding::Cut,
            Some("refusal") => AnswerEnding::Refused,
            // The provider's own tools took too long, or it summed up. It would go on if it were
            // asked again.
            Some("pause_turn" | "compaction") => {
                self.warn(warning::TURN_PAUSED);
                AnswerEnding::Cut
            }
            Some(_) => {
                self.warn(warning::FINISH_UNKNOWN);
                AnswerEnding::Done
            }
            None => {
                self.warn(warning::FINISH_MISSING);
                AnswerEnding::Done
            }
        }
    }

    fn keep_incomplete(&mut self, built: &mut BuiltParts) {
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

    fn into_reply(self, mut built: BuiltParts) -> Reply {
        let kept = std::mem::take(&mut built.kept).into_fields();
        built.note(AnthropicNote::Kept(kept));
        let mut warnings: Vec<String> = self.warnings.into_iter().map(str::to_owned).collect();
        warnings.sort_unstable(); // the order in which a stream met them means nothing
        let usage = self.counts.usage();
        let model = self.model;
        let finish = self.finish;
        Reply {
            parts: built.parts,
            usage,
            warnings,
            model,
            finish,
            played: None,
            body: None,
        }
    }
}
