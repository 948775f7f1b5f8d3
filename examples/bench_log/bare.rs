//! The limit: a growing file with `fdatasync`, alone and with group commit, and no structure at all.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::Fallible;

/// Appends `record` for `time`, one after another, each synced before the next; gives the count and the time.
pub(crate) fn one(path: &Path, record: &[u8], time: Duration) -> Fallible<(u64, Duration)> {
    let mut file = create(path)?;
    let (started, mut count) = (Instant::now(), 0);
    while started.elapsed() < time {
        file.write_all(record)?;
        file.sync_data()?;
        count += 1;
    }
    Ok((count, started.elapsed()))
}

/// The mean time of one such append.
pub(crate) fn mean(path: &Path, record: &[u8], time: Duration) -> Fallible<Duration> {
    let (count, took) = one(path, record, time)?;
    Ok(took / u32::try_from(count.max(1))?)
}

/// The mean time of an append through sled and nothing else: `insert`, `flush`, and the sync that sled leaves to us.
pub(crate) fn sled(dir: &Path, record: &[u8], time: Duration) -> Fallible<Duration> {
    let config = sled::Config::new().path(dir).flush_every_ms(None);
    let db = config.open()?;
    let tree = db.open_tree("frames")?;
    let file = File::options().write(true).open(dir.join("db"))?;
    let (started, mut count) = (Instant::now(), 0_u32);
    while started.elapsed() < time {
        tree.insert(count.to_be_bytes(), record)?;
        db.flush()?;
        file.sync_data()?;
        count += 1;
    }
    Ok(started.elapsed() / count.max(1))
}

/// Overwrites one place of a file for `time`, each write synced before the next: what the device alone takes, since the
/// file system has nothing to note.
pub(crate) fn in_place(path: &Path, record: &[u8], time: Duration) -> Fallible<(u64, Duration)> {
    use std::os::unix::fs::FileExt as _;
    let mut file = create(path)?;
    file.write_all(record)?;
    file.sync_all()?;
    let (started, mut count) = (Instant::now(), 0);
    while started.elapsed() < time {
        file.write_all_at(record, 0)?;
        file.sync_data()?;
        count += 1;
    }
    Ok((count, started.elapsed()))
}

/// Appends `record` for `time` from `writers` tasks at once; one sync serves all that wait.
pub(crate) async fn many(
    path: &Path,
    record: &[u8],
    writers: u64,
    time: Duration,
) -> Fallible<(u64, Duration)> {
    let file = Grouped::create(path)?;
    let (started, mut tasks) = (Instant::now(), JoinSet::new());
    for _ in 0..writers {
        let (file, record) = (file.clone(), record.to_vec());
        tasks.spawn(async move {
            let mut count = 0;
            while started.elapsed() < time {
                file.append(record.clone()).await?;
                count += 1;
            }
            Fallible::Ok(count)
        });
    }
    let mut count = 0_u64;
    while let Some(joined) = tasks.join_next().await {
        count += joined??;
    }
    Ok((count, started.elapsed()))
}

/// An empty file. What the last one at `path` leaves to be done is not to be part of the next sync.
fn create(path: &Path) -> Fallible<File> {
    let file = File::create(path)?;
    file.sync_all()?;
    Ok(file)
}

/// A file that takes bytes from many tasks. Its thread ends with the last handle.
#[derive(Clone)]
struct Grouped {
    queue: Sender<(Vec<u8>, oneshot::Sender<()>)>,
}

impl Grouped {
    fn create(path: &Path) -> Fallible<Self> {
        let mut file = create(path)?;
        let (queue, waiting) = mpsc::channel::<(Vec<u8>, oneshot::Sender<()>)>();
        std::thread::spawn(move || -> std::io::Result<()> {
            while let Ok(first) = waiting.recv() {
                let batch: Vec<_> = std::iter::once(first).chain(waiting.try_iter()).collect();
                let bytes: Vec<u8> = batch.iter().flat_map(|(bytes, _)| bytes).copied().collect();
                file.write_all(&bytes)?;
                file.sync_data()?;
                for (_, done) in batch {
                    // A writer that has gone needs no answer.
                    let _gone = done.send(());
                }
            }
            Ok(())
        });
        Ok(Self { queue })
    }

    async fn append(&self, bytes: Vec<u8>) -> Fallible<()> {
        let (done, answer) = oneshot::channel();
        self.queue.send((bytes, done))?;
        Ok(answer.await?)
    }
}
