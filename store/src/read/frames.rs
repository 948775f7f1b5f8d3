//! Shared frames, read ahead.

use crate::engine::{Engine, EngineError, FrameNumber};
use crate::format::Malformed;
use crate::format::frame::{FrameRef, Joiner};
use crate::read::reader::LARGE_BYTES;

/// The number of bytes of shared frames that are read ahead.
const AHEAD_BYTES: usize = 32 * 1024;

/// Shared frames that were read ahead.
#[derive(Debug, Default)]
pub(crate) struct Frames(Vec<(FrameNumber, Vec<u8>)>);

impl Frames {
    /// The unit that begins with the frame `first`; `None` if it is not there.
    pub(crate) fn unit(
        &mut self,
        engine: &dyn Engine,
        first: FrameNumber,
    ) -> Result<Option<Vec<u8>>, EngineError> {
        for bytes_max in [0, AHEAD_BYTES, LARGE_BYTES] {
            if bytes_max > 0 {
                self.0 = engine.read(first, bytes_max)?;
            }
            let unit = self
                .join(first)
                .map_err(|error| EngineError::Damaged(error.0))?;
            if unit.is_some() {
                return Ok(unit);
            }
        }
        Ok(None)
    }

    fn join(&self, first: FrameNumber) -> Result<Option<Vec<u8>>, Malformed> {
        let at = self.0.partition_point(|(number, _)| *number < first);
        let mut joiner = Joiner::default();
        for ((number, bytes), expected) in self.0.iter().skip(at).zip(first.0..) {
            let frame = FrameRef::read(bytes)?;
            if number.0 != expected || frame.number != expected {
                return Ok(None);
            }
            if let Some(unit) = joiner.add(&frame)? {
                return Ok(Some(unit.to_vec()));
            }
        }
        Ok(None)
    }
}
