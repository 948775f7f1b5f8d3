//! The bytes of a data set, read from the room's blobs.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use folkmoot_core::ids::FileId;
use folkmoot_core::port::CallFiles;
use folkmoot_core::spec::limits::BLOB_BYTES_MAX;
use tokio::runtime::Handle;

use crate::data::Source;

/// A file of a room. Its reads block, so they belong on a thread of their own.
pub(super) struct FileSource {
    files: Arc<dyn CallFiles>,
    file: FileId,
    bytes: u64,
    runtime: Handle,
    /// The blob that was read last, and its number.
    held: Mutex<Option<(usize, Arc<[u8]>)>>,
    /// How far it was read.
    pub(super) read: Arc<AtomicU64>,
    /// The file that is being derived of it. Once that is gone, so is the reason to read.
    derived: Option<PathBuf>,
}

impl FileSource {
    pub(super) fn new(
        files: Arc<dyn CallFiles>,
        file: FileId,
        bytes: u64,
        derived: Option<PathBuf>,
    ) -> Self {
        Self {
            files,
            file,
            bytes,
            runtime: Handle::current(),
            held: Mutex::default(),
            read: Arc::default(),
            derived,
        }
    }

    fn blob(&self, number: usize) -> io::Result<Arc<[u8]>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, bytes)) = &*held
            && *at == number
        {
            return Ok(Arc::clone(bytes));
        }
        if self.derived.as_ref().is_some_and(|path| !path.exists()) {
            return Err(gone());
        }
        let read = self.runtime.block_on(self.files.read(self.file, number));
        let bytes: Arc<[u8]> = read.map_err(io::Error::other)?.ok_or_else(gone)?.into();
        *held = Some((number, Arc::clone(&bytes)));
        Ok(bytes)
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the file was taken back meanwhile")
}

impl Source for FileSource {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        if at >= self.bytes {
            return Ok(0);
        }
        let size = BLOB_BYTES_MAX as u64;
        let blob = self.blob(usize::try_from(at / size).unwrap_or(usize::MAX))?;
        let within = usize::try_from(at % size).unwrap_or(usize::MAX);
        let rest = blob.get(within..).unwrap_or_default();
        let count = rest.len().min(into.len());
        for (to, from) in into.iter_mut().zip(rest) {
            *to = *from;
        }
        let end = at.saturating_add(count as u64);
        self.read.fetch_max(end, Ordering::Relaxed);
        Ok(count)
    }
}
