//! The files that a world's messages and calls name: nobody reads another, and the rest is removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use folkmoot::core::event::{Attachment, CallEvent, Event, TalkEvent};
use folkmoot::core::ids::{Digest, WorldId};
use folkmoot::core::port::{EventLog as _, WorldEntry};
use folkmoot::core::tool::{FileChange, FilePart, ToolOutcome, ToolOutput, View};
use folkmoot::{Position, Store};
use futures::TryStreamExt as _;
use tokio::sync::Mutex;

use crate::problem::Problem;

/// The most worlds whose files are known at a time.
const KNOWN_MAX: usize = 1_000;

/// A memory of which files the logs of worlds name.
#[derive(Debug, Default)]
pub(super) struct Files {
    known: Mutex<HashMap<WorldId, Arc<Mutex<Named>>>>,
}

/// The files that a log names, up to an event.
#[derive(Debug, Default)]
struct Named {
    through: Position,
    /// The events that name each: messages that may be taken back.
    by_messages: BTreeMap<Digest, BTreeSet<Position>>,
    /// Those that results of calls name.
    by_calls: BTreeSet<Digest>,
    /// The parts of those that are larger than a blob.
    parts: BTreeMap<Digest, Vec<FilePart>>,
}

impl Files {
    /// Returns the blobs that hold the file `blob`, if a message that stands, or a call, names it in the world.
    pub(super) async fn blobs_of(
        &self,
        store: &Store,
        entry: &WorldEntry,
        blob: Digest,
    ) -> Result<Option<Vec<Digest>>, Problem> {
        let named = self.of(entry.world).await;
        let mut named = named.lock().await;
        named.catch_up(store, entry).await?;
        let parts = named.parts.get(&blob);
        let blobs = parts.map_or(vec![blob], |parts| {
            parts.iter().map(|part| part.blob).collect()
        });
        if named.by_calls.contains(&blob) {
            return Ok(Some(blobs));
        }
        let Some(at) = named.by_messages.get(&blob) else {
            return Ok(None);
        };
        let end = entry.head.next();
        let gone = store.gone(entry.world, Position::new(1), end).await?;
        Ok(at.iter().any(|at| !gone.contains(at)).then_some(blobs))
    }

    /// All files that the log of the world names, those of messages that are gone among them: the
    /// log keeps these until they are erased.
    pub(super) async fn all(
        &self,
        store: &Store,
        entry: &WorldEntry,
    ) -> Result<BTreeSet<Digest>, Problem> {
        let named = self.of(entry.world).await;
        let mut named = named.lock().await;
        named.catch_up(store, entry).await?;
        let by_messages = named.by_messages.keys().copied();
        Ok(by_messages.chain(named.by_calls.iter().copied()).collect())
    }

    async fn of(&self, world: WorldId) -> Arc<Mutex<Named>> {
        let mut known = self.known.lock().await;
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        Arc::clone(known.entry(world).or_default())
    }
}

impl Named {
    async fn catch_up(&mut self, store: &Store, entry: &WorldEntry) -> Result<(), Problem> {
        if self.through >= entry.head {
            return Ok(());
        }
        let mut commits = store.read(entry.world, self.through.next()).await?;
        while let Some(stored) = commits.try_next().await? {
            for (at, event) in stored.commit.numbered() {
                if at > self.through {
                    self.take(at, event);
                    self.through = at;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, at: Position, event: &Event) {
        let attachments = match event {
            Event::Talk(TalkEvent::MessagePosted(posted)) => posted.body.present(),
            Event::Talk(TalkEvent::MessageEdited(edited)) => edited.body.present(),
            Event::Call(CallEvent::ToolFinished(finished)) => {
                if let Some(Some(ToolOutcome::Done(output))) = finished.outcome.present() {
                    self.take_output(output);
                }
                None
            }
            Event::World(_)
            | Event::Talk(_)
            | Event::Turn(_)
            | Event::Call(_)
            | Event::Refused(_) => None,
        };
        for file in attachments.iter().flat_map(|body| &body.attachments) {
            self.note_parts(file);
            for part in std::iter::once(file.blob).chain(file.blobs().map(|part| part.blob)) {
                self.by_messages.entry(part).or_default().insert(at);
            }
        }
    }

    fn take_output(&mut self, output: &ToolOutput) {
        let images = output.views.iter().filter_map(|view| match view {
            View::Image { image, .. } => Some(image.blob),
            View::Text(_) | View::Table(_) | View::Json(_) | View::Artifact(_) => None,
        });
        self.by_calls
            .extend(images.chain(output.whole.iter().map(|whole| whole.blob)));
        for change in &output.files {
            let FileChange::Added(file) = change else {
                continue;
            };
            let file = Attachment::from(file);
            self.note_parts(&file);
            self.by_calls.insert(file.blob);
            self.by_calls.extend(file.blobs().map(|part| part.blob));
        }
    }

    fn note_parts(&mut self, file: &Attachment) {
        if !file.parts.is_empty() {
            self.parts.insert(file.blob, file.parts.clone());
        }
    }
}
