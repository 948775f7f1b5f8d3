//! Streams: chunks in, deltas out, and the answer at the end.

use folkmoot_core::model::response::LLMResponse;

use super::answer::ChatAnswer;
use super::chunk::Chunk;
use crate::codec::events::WireEvents;
use crate::codec::json::object;
use crate::codec::{DecodeError, Delta, failure};

/// The chunks of one stream.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    answer: ChatAnswer,
    is_done: bool,
}

impl WireEvents for Chunks {
    fn take(
        &mut self,
        name: &str,
        data: &[u8],
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        if data == b"[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        if let Some(chunk) = plain(name, data) {
            self.answer.take_plain(chunk, deltas);
            return Ok(());
        }
        let chunk = object(data)?;
        if name == "error" {
            return Err(DecodeError::Reported(failure::of_event(chunk)));
        }
        self.answer.take_chunk(chunk, deltas)
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn into_response(self) -> Result<LLMResponse, DecodeError> {
        if !self.is_done && !self.answer.is_finished() {
            return Err(DecodeError::CutOff);
        }
        self.answer.into_response()
    }
}

/// The chunk of an event, if it has the shape that nearly all have.
fn plain<'e>(name: &str, data: &'e [u8]) -> Option<Chunk<'e>> {
    if name == "error" {
        None
    } else {
        Chunk::read(data)
    }
}
