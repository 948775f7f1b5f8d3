//! The files that a world's messages and calls name: nobody reads another, and the rest is removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use folkmoot::core::event::{Attachment, CallEvent, Event, TalkEvent};
use folkmoot::core::ids::{Digest, WorldId};
use folkmoot::core::port::{EventLog as _, WorldEntry};
use folkmoot::core::tool::{ToolOutcome, View};
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
}

impl Files {
    /// Tells whether a message that stands, or a call, names `blob` in the world.
    pub(super) async fn is_named(
        &self,
        store: &Store,
        entry: &WorldEntry,
        blob: Digest,
    ) -> Result<bool, Problem> {
        let named = self.of(entry.world).await;
        let mut named = named.lock().await;
        named.catch_up(store, entry).await?;
        if named.by_calls.contains(&blob) {
            return Ok(true);
        }
        let Some(at) = named.by_messages.get(&blob) else {
            return Ok(false);
        };
        let end = entry.head.next();
        let gone = store.gone(entry.world, Position::new(1), end).await?;
        Ok(at.iter().any(|at| !gone.contains(at)))
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
                if let Some(Some(outcome)) = finished.outcome.present() {
                    self.by_calls.extend(files_of(outcome));
                }
                None
            }
            Event::World(_)
            | Event::Talk(_)
            | Event::Turn(_)
            | Event::Call(_)
            | Event::Refused(_) => None,
        };
        for Attachment { blob, .. } in attachments.iter().flat_map(|body| &body.attachments) {
            self.by_messages.entry(*blob).or_default().insert(at);
        }
    }
}

/// The files that the result of a call names.
fn files_of(outcome: &ToolOutcome) -> Vec<Digest> {
    let ToolOutcome::Done(output) = outcome else {
        return Vec::new();
    };
    let images = output.views.iter().filter_map(|view| match view {
        View::Image { image, .. } => Some(image.blob),
        View::Text(_) | View::Table(_) | View::Json(_) | View::Artifact(_) => None,
    });
    images
        .chain(output.whole.iter().map(|whole| whole.blob))
        .collect()
}
