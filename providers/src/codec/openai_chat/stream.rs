//! Streams: events in, deltas out, and the answer at the end.

use folkmoot_core::response::LLMResponse;

use super::super::{DecodeError, Delta, SseEvent, SseParser, StreamDecoder};
use super::answer::Answer;
use super::{error, object};

/// The decoder of one stream.
#[derive(Debug, Default)]
pub(super) struct ChatStream {
    events: SseParser,
    answer: Answer,
    is_done: bool,
    failed: Option<DecodeError>,
}

impl ChatStream {
    fn take(&mut self, event: &SseEvent, deltas: &mut Vec<Delta>) -> Result<(), DecodeError> {
        let data = event.data.trim_ascii();
        if data == b"[DONE]" {
            self.is_done = true;
        }
        if self.is_done || data.is_empty() {
            return Ok(());
        }
        let chunk = object(data)?;
        if event.name == "error" {
            return Err(DecodeError::Reported(error::of_event(chunk)));
        }
        self.answer.take_chunk(chunk, deltas)
    }

    fn try_push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, DecodeError> {
        let mut deltas = Vec::new();
        for event in self.events.push(bytes)? {
            self.take(&event, &mut deltas)?;
        }
        Ok(deltas)
    }

    /// The last event may lack its blank line. If it cannot be read, it was cut.
    fn take_rest(&mut self) -> Result<(), DecodeError> {
        let Some(event) = std::mem::take(&mut self.events).finish() else {
            return Ok(());
        };
        self.take(&event, &mut Vec::new())
            .map_err(|error| if matches!(error, DecodeError::Json(_)) { DecodeError::CutOff } else { error })
    }
}

impl StreamDecoder for ChatStream {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, DecodeError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.try_push(bytes).inspect_err(|error| self.failed = Some(error.clone()))
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn finish(mut self: Box<Self>) -> Result<LLMResponse, DecodeError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.take_rest()?;
        if !self.is_done && !self.answer.is_finished() {
            return Err(DecodeError::CutOff);
        }
        self.answer.into_response()
    }
}
