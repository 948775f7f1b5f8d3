//! Streams: documents in, deltas out, and the answer at the end.

use folkmoot_core::model::response::LLMResponse;

use super::answer::GoogleAnswer;
use crate::codec::events::WireEvents;
use crate::codec::{DecodeError, Delta};

/// The documents of one stream.
#[derive(Debug, Default)]
pub(super) struct Documents {
    answer: GoogleAnswer,
}

impl WireEvents for Documents {
    fn take(&mut self, _: &str, data: &[u8], deltas: &mut Vec<Delta>) -> Result<(), DecodeError> {
        if data == b"[DONE]" {
            Ok(())
        } else {
            self.answer.take(data, deltas)
        }
    }

    /// The wire has no last word: a stream ends with its connection, and a finish reason may stand
    /// in the midst.
    fn is_done(&self) -> bool {
        false
    }

    fn into_response(self) -> Result<LLMResponse, DecodeError> {
        if self.answer.is_finished() {
            self.answer.into_response()
        } else {
            Err(DecodeError::CutOff)
        }
    }
}
