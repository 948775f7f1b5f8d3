//! The limit: a growing file, synced after each text, and no structure at all.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use peers_common::{Args, Fallible, Figure, Meter, Texts, disk_bytes};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> Fallible<()> {
    let args = Args::read()?;
    let texts = Arc::new(Texts::read(&args.texts)?);
    let file = File::create(args.dir.join("bare"))?;
    file.sync_all()?;
    let figure = match args.kind()? {
        ("effect", 1) => one(file, &texts, &Meter::new(args.time))?,
        ("effect", writers) => {
            many(file, &texts, &Arc::new(Meter::new(args.time)), writers).await?
        }
        ("growth", _) => {
            append(file, &texts, args.turns * 2)?;
            Figure::new(disk_bytes(&args.dir)?)
        }
        ("start", _) => {
            append(file, &texts, 1)?;
            Figure::new(1.0)
        }
        _ => return Err(format!("{} is not measured", args.measure).into()),
    };
    figure.print();
    Ok(())
}

/// Appends `count` texts, each synced before the next.
fn append(mut file: File, texts: &Texts, count: usize) -> Fallible<()> {
    for _ in 0..count {
        file.write_all(texts.next().as_bytes())?;
        file.sync_data()?;
    }
    Ok(())
}

/// Texts per second, each synced before the next.
fn one(mut file: File, texts: &Texts, meter: &Meter) -> Fallible<Figure> {
    meter.begin();
    while !meter.is_over() {
        file.write_all(texts.next().as_bytes())?;
        file.sync_data()?;
        meter.tick();
    }
    Ok(Figure::new(meter.rate()))
}

/// A text to append, and whom to tell when it is durable.
type Waiting = (String, oneshot::Sender<()>);

/// Texts per second of many writers, each of whom waits for its own. One sync serves all that wait.
async fn many(
    file: File,
    texts: &Arc<Texts>,
    meter: &Arc<Meter>,
    writers: usize,
) -> Fallible<Figure> {
    let (queue, waiting) = mpsc::channel::<Waiting>();
    let committer = std::thread::spawn(move || commit(file, &waiting));
    let mut tasks = JoinSet::new();
    meter.begin();
    for _ in 0..writers {
        let (queue, texts, meter) = (queue.clone(), Arc::clone(texts), Arc::clone(meter));
        tasks.spawn(async move {
            while !meter.is_over() {
                let (done, answer) = oneshot::channel();
                queue.send((texts.next(), done))?;
                answer.await?;
                meter.tick();
            }
            Fallible::Ok(())
        });
    }
    drop(queue);
    while let Some(joined) = tasks.join_next().await {
        joined??;
    }
    committer.join().map_err(|_| "the committer failed")??;
    Ok(Figure::new(meter.rate()))
}

/// Appends what waits, until the last writer has gone.
fn commit(mut file: File, waiting: &Receiver<Waiting>) -> std::io::Result<()> {
    while let Ok(first) = waiting.recv() {
        let batch: Vec<Waiting> = std::iter::once(first).chain(waiting.try_iter()).collect();
        let bytes: String = batch.iter().map(|(text, _)| text.as_str()).collect();
        file.write_all(bytes.as_bytes())?;
        file.sync_data()?;
        for (_, done) in batch {
            // A writer that has gone needs no answer.
            let _gone = done.send(());
        }
    }
    Ok(())
}
