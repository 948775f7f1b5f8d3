//! The limit: a growing file, `fdatasync`, and group commit, with no structure at all.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc::{self, Sender};

use tokio::sync::oneshot;

/// A file that takes bytes from many tasks; one sync serves all that wait.
#[derive(Debug, Clone)]
pub(crate) struct BareFile {
    queue: Sender<(Vec<u8>, oneshot::Sender<()>)>,
}

impl BareFile {
    /// Makes the file, and the thread that writes it. The thread ends with the last handle.
    pub(crate) fn create(path: &Path) -> std::io::Result<Self> {
        let mut file = File::create(path)?;
        let (queue, waiting) = mpsc::channel::<(Vec<u8>, oneshot::Sender<()>)>();
        std::thread::spawn(move || -> std::io::Result<()> {
            while let Ok(first) = waiting.recv() {
                let batch: Vec<_> = std::iter::once(first).chain(waiting.try_iter()).collect();
                let bytes: Vec<u8> = batch.iter().flat_map(|(bytes, _)| bytes).copied().collect();
                file.write_all(&bytes)?;
                file.sync_data()?;
                for (_, done) in batch {
                    done.send(()).ok();
                }
            }
            Ok(())
        });
        Ok(Self { queue })
    }

    /// Returns once `bytes` survive power loss.
    pub(crate) async fn append(&self, bytes: Vec<u8>) {
        let (done, answer) = oneshot::channel();
        self.queue.send((bytes, done)).ok();
        answer.await.ok();
    }
}
