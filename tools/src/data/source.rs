use std::io::{self, Read};
use std::sync::Arc;

/// The bytes of a data set. They can be read any number of times, from any place: an import reads them twice.
pub trait Source: Send + Sync {
    /// Returns the number of bytes.
    fn bytes(&self) -> u64;

    /// Reads what begins at `at`, at least one byte of it unless that is the end, and returns how many bytes it read.
    ///
    /// # Errors
    /// Whatever keeps them from being read.
    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize>;
}

impl Source for Vec<u8> {
    fn bytes(&self) -> u64 {
        u64::try_from(self.len()).unwrap_or(u64::MAX)
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        self.get(at..).unwrap_or_default().read(into)
    }
}

/// A source read from one place on.
#[derive(Clone)]
pub(super) struct SourceReader {
    source: Arc<dyn Source>,
    at: u64,
}

impl SourceReader {
    pub(super) fn new(source: &Arc<dyn Source>, at: u64) -> Self {
        Self {
            source: Arc::clone(source),
            at,
        }
    }
}

impl Read for SourceReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read_at(self.at, into)?;
        self.at = self
            .at
            .saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }
}
