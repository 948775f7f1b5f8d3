//! The short way: chunks of the shape that nearly all have.

use super::ChatAnswer;
use crate::codec::Delta;
use crate::codec::openai_chat::chunk::{Chunk, ChunkChoice, ChunkDelta};
use crate::codec::openai_chat::usage::usage;

impl ChatAnswer {
    /// Takes the same from a chunk as [`take_chunk`](Self::take_chunk).
    pub(in super::super) fn take_plain(&mut self, chunk: Chunk<'_>, deltas: &mut Vec<Delta>) {
        if let Some(choice) = chunk.choices.0 {
            self.take_plain_choice(choice, deltas);
        }
        if let Some(model) = chunk.model.filter(|model| !model.0.is_empty()) {
            match &mut self.model {
                Some(known) if *known == model.0 => {}
                known => *known = Some(model.0.into_owned()),
            }
        }
        if let Some(counts) = chunk.usage {
            self.usage = usage(&counts);
        }
    }

    fn take_plain_choice(&mut self, choice: ChunkChoice<'_>, deltas: &mut Vec<Delta>) {
        if let Some(message) = choice.delta {
            self.has_message = true;
            self.take_plain_message(message, deltas);
        }
        self.has_choice = true;
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.0.is_empty()) {
            self.finish = Some(reason.0.into_owned());
        }
    }

    fn take_plain_message(&mut self, message: ChunkDelta<'_>, deltas: &mut Vec<Delta>) {
        if let Some(text) = message.content {
            self.add_text(text.0, deltas);
        }
        if let Some(text) = message.reasoning {
            self.take_reasoning(0, text.0, deltas);
        }
        if let Some(text) = message.reasoning_content {
            self.take_reasoning(1, text.0, deltas);
        }
        if let Some(text) = message.refusal {
            self.take_refusal(text.0, deltas);
        }
        message
            .tool_calls
            .iter()
            .flatten()
            .for_each(|fragment| self.calls.take_plain(fragment));
    }
}
