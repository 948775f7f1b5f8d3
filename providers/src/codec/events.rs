//! The frame of every decoder of an event stream: events in, deltas out, one answer at the end.

use std::fmt::Debug;

use folkmoot_core::model::response::LLMResponse;

use super::{DecodeError, Delta, SseParser, StreamDecoder};

/// The reading of a wire's events.
pub(super) trait WireEvents: Debug + Send {
    /// Takes one event with data, and adds what can be shown of it. Not called any more once it is
    /// done.
    fn take(&mut self, name: &str, data: &[u8], deltas: &mut Vec<Delta>)
    -> Result<(), DecodeError>;

    /// Tells whether the wire has said that nothing follows.
    fn is_done(&self) -> bool;

    /// The answer; [`DecodeError::CutOff`] if the stream ended too early.
    fn into_response(self) -> Result<LLMResponse, DecodeError>;
}

/// The state of an answer: begun, once an event of it has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum StreamProgress {
    #[default]
    Nothing,
    Begun,
}

/// The decoder of one stream.
#[derive(Debug, Default)]
pub(super) struct EventDecoder<E> {
    /// The parser that cuts the stream into events.
    parser: SseParser,
    /// The reading of the wire's events.
    events: E,
    /// The state of the answer.
    progress: StreamProgress,
    /// The first error; every later call returns it again.
    failed: Option<DecodeError>,
}

impl<E: WireEvents> StreamDecoder for EventDecoder<E> {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, DecodeError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut deltas = Vec::new();
        let Self {
            parser,
            events,
            progress,
            failed,
        } = self;
        match parser.push(bytes, |name, data| {
            take(events, progress, name, data, &mut deltas)
        }) {
            Ok(()) => Ok(deltas),
            Err(error) => {
                *failed = Some(error.clone());
                // What came before the error is shown first, however the bytes came; the error is
                // told next.
                if deltas.is_empty() {
                    Err(error)
                } else {
                    Ok(deltas)
                }
            }
        }
    }

    fn is_done(&self) -> bool {
        self.failed.is_some() || self.events.is_done()
    }

    fn finish(self: Box<Self>) -> Result<LLMResponse, DecodeError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        // The last event may lack its blank line. If it cannot be read, it was cut.
        let Self {
            parser,
            mut events,
            mut progress,
            ..
        } = *self;
        let rest = parser
            .finish(|name, data| take(&mut events, &mut progress, name, data, &mut Vec::new()));
        rest.map_err(|error| {
            if matches!(error, DecodeError::Json(_)) {
                DecodeError::CutOff
            } else {
                error
            }
        })?;
        events.into_response()
    }
}

/// An error behind the first event is one of an answer that had begun.
fn take<E: WireEvents>(
    events: &mut E,
    progress: &mut StreamProgress,
    name: &str,
    data: &[u8],
    deltas: &mut Vec<Delta>,
) -> Result<(), DecodeError> {
    let data = data.trim_ascii();
    if data.is_empty() || events.is_done() {
        return Ok(());
    }
    let taken = events.take(name, data, deltas);
    match std::mem::replace(progress, StreamProgress::Begun) {
        StreamProgress::Nothing => taken,
        StreamProgress::Begun => taken.map_err(DecodeError::in_answer),
    }
}
