//! Whether a store that was cut from power is what it must be.

use std::path::Path;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::content::Content;
use folkmoot::core::event::{Event, TalkEvent, WorldEvent};
use folkmoot::core::ids::{Digest, Position};
use folkmoot::core::port::{Appended, Blobs as _, EventLog as _, StoredCommit};
use folkmoot::store::{Against, OpenError};
use folkmoot::{OpenMode, Store};
use folkmoot_tests::Dice;
use futures::StreamExt as _;

use super::engine::{self, Engine};
use super::ledger::{Ledger, Progress};
use super::script::{FIRST, Script};
use super::text;
use super::workload::{STORE, backup};

/// What is wrong.
pub(crate) type Wrong = String;

/// Checks the stores of an image.
pub(crate) struct Check<'a> {
    pub(crate) engine: Engine,
    pub(crate) script: Script,
    pub(crate) ledger: &'a Ledger,
    pub(crate) image: &'a Path,
}

impl Check<'_> {
    /// Opens, reads and verifies everything, and goes on writing.
    pub(crate) async fn run(&self, dice: &mut Dice) -> Result<(), Wrong> {
        self.texts()?;
        let Some(store) = self.open()? else {
            return Ok(());
        };
        let mut heads = Vec::new();
        for world in self.script.worlds() {
            if let Some(head) = self.world(&store, world).await? {
                heads.push((world, head));
            }
        }
        self.blobs(&store).await?;
        self.go_on(store, &heads, dice).await?;
        self.texts()?;
        for (number, copy) in &self.ledger.backups {
            if copy.progress == Progress::Done {
                self.backup(*number)
                    .await
                    .map_err(|wrong| format!("backup {number}: {wrong}"))?;
            }
        }
        Ok(())
    }

    fn open_at(&self, dir: &Path, mode: OpenMode) -> Result<Store, OpenError> {
        engine::open(self.engine, dir, mode)
    }

    /// Opens the store. One that nobody was told of may be missing, and can then be made.
    fn open(&self) -> Result<Option<Store>, Wrong> {
        let dir = self.image.join(STORE);
        let opened = match self.open_at(&dir, OpenMode::Existing) {
            Err(OpenError::Missing { .. }) if !self.ledger.is_open => {
                self.open_at(&dir, OpenMode::Create)
            }
            opened => opened,
        };
        opened
            .map(Some)
            .map_err(|error| format!("it does not open: {}", chain(&error)))
    }

    /// Nothing that was erased or deleted is in any file.
    fn texts(&self) -> Result<(), Wrong> {
        let (script, ledger) = (self.script, self.ledger);
        let done = |progress: &Progress| *progress == Progress::Done;
        let worlds = ledger
            .deletions
            .iter()
            .filter(|(_, progress)| done(progress))
            .map(|(world, _)| script.canaries(*world));
        let mut gone: Vec<String> = worlds.collect();
        for erasure in ledger
            .erasures
            .iter()
            .filter(|erasure| done(&erasure.progress))
        {
            let events = erasure.span.from.get()..=erasure.span.to.get();
            // A text that began before what was erased may say the same elsewhere.
            gone.extend(
                events
                    .map(|first| script.canary(erasure.world, first))
                    .filter(|canary| self.is_wholly_erased(erasure.world, canary)),
            );
        }
        match text::find(&self.image.join(STORE), &gone) {
            None => Ok(()),
            Some((file, text)) => Err(format!("{text} is in {} again", file.display())),
        }
    }

    /// Whether all events of the commit with this canary are erased.
    fn is_wholly_erased(&self, world: u8, canary: &str) -> bool {
        let first: u64 = canary
            .trim_end_matches('-')
            .rsplit('-')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let last = first + self.script.commit(world, first).events.len() as u64 - 1;
        (first..=last).all(|at| self.ledger.erasure(world, at) == Some(Progress::Done))
    }

    /// Reads and verifies a world; gives its last event, 0 if it was not begun, and nothing if it is deleted.
    async fn world(&self, store: &Store, world: u8) -> Result<Option<u64>, Wrong> {
        let id = self.script.id(world);
        let found = store
            .find(&self.script.name(world))
            .await
            .map_err(|error| chain(&error))?;
        let deleted = store.deleted().await.map_err(|error| chain(&error))?;
        let is_deleted = deleted.iter().any(|tombstone| tombstone.world == id);
        let acknowledged = self.ledger.last(world);
        match (self.ledger.deletions.get(&world), found, is_deleted) {
            (Some(Progress::Done), None, true) => Ok(None),
            (Some(Progress::Begun), None, true) => Ok(None),
            (Some(Progress::Done), ..) => Err(format!("world {world} was deleted, and is not")),
            (None, _, true) => Err(format!("nobody deleted world {world}")),
            (_, None, false) if acknowledged.is_none() => Ok(Some(0)),
            (_, None, _) => Err(format!("world {world} is lost")),
            (_, Some(_), _) => self
                .commits(store, world)
                .await
                .map(Some)
                .map_err(|wrong| format!("world {world}: {wrong}")),
        }
    }

    async fn commits(&self, store: &Store, world: u8) -> Result<u64, Wrong> {
        let stored = read(store, self.script, world).await?;
        let mut next = 1;
        for StoredCommit { commit, link, .. } in &stored {
            let first = commit.header.first.get();
            if first != next {
                return Err(format!("event {next} is missing"));
            }
            next += commit.events.len() as u64;
            if self
                .ledger
                .links
                .get(&(world, first))
                .is_some_and(|known| *known != link.to_string())
            {
                return Err(format!(
                    "the commit at {first} is not the one that was acknowledged"
                ));
            }
            self.commit(world, commit)?;
        }
        if let Some(last) = self.ledger.last(world).filter(|last| *last >= next) {
            return Err(format!(
                "the commit at {last} was acknowledged, and the log ends at {}",
                next - 1
            ));
        }
        let found = store
            .verify(self.script.id(world), Against::default())
            .await
            .map_err(|error| chain(&error))?;
        match found.damage {
            Some(damage) => Err(format!("verifying finds {damage:?}")),
            None if found.events.get() != next - 1 => {
                Err(format!("verifying ends at {}", found.events))
            }
            None => Ok(next - 1),
        }
    }

    /// Whether a commit is one that was submitted, but for what was erased.
    fn commit(&self, world: u8, commit: &Commit) -> Result<(), Wrong> {
        let first = commit.header.first.get();
        let candidates = self.ledger.candidates(self.script, world, first);
        for (at, event) in (first..).zip(&commit.events) {
            let (asked, is_erased) = (self.ledger.erasure(world, at), is_erased(event));
            if is_erased == Some(true) && asked.is_none() {
                return Err(format!("nobody asked for the erasure of event {at}"));
            }
            if is_erased == Some(false) && asked == Some(Progress::Done) {
                return Err(format!("event {at} was erased, and has its content"));
            }
        }
        let is_one = candidates
            .into_iter()
            .any(|candidate| without_erased(candidate, commit) == *commit);
        if is_one {
            Ok(())
        } else {
            Err(format!("the commit at {first} was never submitted"))
        }
    }

    async fn blobs(&self, store: &Store) -> Result<(), Wrong> {
        for (world, first) in &self.ledger.blobs {
            if self.ledger.deletions.contains_key(world)
                || self.ledger.erasure(*world, *first).is_some()
            {
                continue;
            }
            let bytes = self.script.blob(*world, *first).unwrap();
            let found = store
                .get(self.script.id(*world), Digest::sha256(&bytes))
                .await;
            if !matches!(&found, Ok(Some(found)) if *found == bytes) {
                return Err(format!(
                    "the file of event {first} of world {world}: {:?}",
                    found.map(|found| found.is_some())
                ));
            }
        }
        Ok(())
    }

    /// Appends to a world, opens the store again, and finds that there.
    async fn go_on(&self, store: Store, heads: &[(u8, u64)], dice: &mut Dice) -> Result<(), Wrong> {
        if heads.is_empty() {
            return store.close().map_err(|error| chain(&error));
        }
        let (world, head) = *dice.one(heads);
        let commit = self.script.commit(world, head + 1);
        match store.append(FIRST, vec![commit.clone()]).await {
            Ok(Appended::Committed { .. }) => {}
            other => {
                return Err(format!(
                    "event {} of world {world} cannot be appended: {other:?}",
                    head + 1
                ));
            }
        }
        store
            .close()
            .map_err(|error| format!("it does not close: {}", chain(&error)))?;
        drop(store);
        let again = self.open_at(&self.image.join(STORE), OpenMode::Existing);
        let again = again.map_err(|error| format!("it does not open again: {}", chain(&error)))?;
        let stored = read(&again, self.script, world).await?;
        let last = stored.last().map(|stored| stored.commit.header.first.get());
        if last != Some(head + 1) {
            return Err(format!(
                "event {} of world {world} is not there after opening again",
                head + 1
            ));
        }
        again
            .close()
            .map_err(|error| format!("it does not close again: {}", chain(&error)))
    }

    async fn backup(&self, number: u64) -> Result<(), Wrong> {
        let copy = &self.ledger.backups[&number];
        let store = self.open_at(&backup(self.image, number), OpenMode::Existing);
        let store = store.map_err(|error| format!("it does not open: {}", chain(&error)))?;
        for (world, head) in copy.heads.iter().filter(|(_, head)| **head > 0) {
            let stored = read(&store, self.script, *world).await?;
            let end = stored.last().map_or(0, |stored| {
                stored.commit.header.first.get() + stored.commit.events.len() as u64 - 1
            });
            if end < *head {
                return Err(format!("world {world} ends at {end}, not at {head}"));
            }
        }
        store.close().map_err(|error| chain(&error))
    }
}

async fn read(store: &Store, script: Script, world: u8) -> Result<Vec<StoredCommit>, Wrong> {
    let failed =
        |error: &dyn std::error::Error| format!("world {world} does not read: {}", chain(error));
    let mut stream = store
        .read(script.id(world), Position::ZERO)
        .await
        .map_err(|error| failed(&error))?;
    let mut all = Vec::new();
    while let Some(stored) = stream.next().await {
        all.push(stored.map_err(|error| failed(&error))?);
    }
    Ok(all)
}

/// Whether an event's content is erased; `None` if it has none.
fn is_erased(event: &Event) -> Option<bool> {
    if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
        Some(posted.body.present().is_none())
    } else if let Event::World(WorldEvent::ErasureRequested(asked)) = event {
        Some(asked.basis.present().is_none())
    } else {
        None
    }
}

/// `commit` without the content that is erased in `stored`.
fn without_erased(mut commit: Commit, stored: &Commit) -> Commit {
    for (event, stored) in commit.events.iter_mut().zip(&stored.events) {
        match (event, stored) {
            (
                Event::Talk(TalkEvent::MessagePosted(event)),
                Event::Talk(TalkEvent::MessagePosted(stored)),
            ) => take_out(&mut event.body, &stored.body),
            (
                Event::World(WorldEvent::ErasureRequested(event)),
                Event::World(WorldEvent::ErasureRequested(stored)),
            ) => take_out(&mut event.basis, &stored.basis),
            _ => {}
        }
    }
    commit
}

fn take_out<T>(content: &mut Content<T>, stored: &Content<T>) {
    if let Content::Erased { by } = stored {
        *content = Content::Erased { by: *by };
    }
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
