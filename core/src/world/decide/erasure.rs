//! Erasing content: asked for here, done by the store, and recorded when it is done.

use super::{Draft, No};
use crate::event::{Erased, ErasureRequested, Event, Span};
use crate::ids::Position;
use crate::refusal::Refusal;

/// The most spans of one request.
pub(crate) const SPANS_MAX: usize = 1_000;

/// The longest basis, in bytes.
const BASIS_MAX: usize = 4 * 1024;

impl Draft<'_> {
    pub(super) fn erase(&mut self, events: &[Span], basis: &str) -> Result<(), No> {
        let bad = |why: String| No::Quiet(Refusal::BadErasure { why });
        if events.is_empty() || events.len() > SPANS_MAX {
            return Err(bad(format!("it names {} ranges of events, from 1 to {SPANS_MAX} are allowed", events.len())));
        }
        if basis.trim().is_empty() || basis.len() > BASIS_MAX {
            return Err(bad(format!("its basis has {} bytes, from 1 to {BASIS_MAX} are allowed", basis.len())));
        }
        let mut before = Position::ZERO;
        for span in events {
            if span.from <= before || span.to < span.from || span.to > self.world.head {
                let (from, to, head) = (span.from, span.to, self.world.head);
                return Err(bad(format!("{from} to {to} is not behind {before} and within the {head} events")));
            }
            before = span.to;
        }
        self.push(Event::ErasureRequested(ErasureRequested {
            events: events.to_vec(),
            basis: basis.to_owned().into(),
        }));
        Ok(())
    }

    pub(super) fn record_erased(&mut self, request: Position, events: u64, files: u64) -> Result<(), No> {
        if !self.world.erasures.contains_key(&request) {
            return Err(No::STALE);
        }
        self.cause = Some(request);
        self.push(Event::Erased(Erased { request, events, files }));
        Ok(())
    }
}
