//! The rooms of a store, as a caller may see them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use folkmoot::core::command::{Action, TalkAction};
use folkmoot::core::ids::{Digest, WorldId};
use folkmoot::core::port::{AppendError, EventLog as _, Labels, WorldEntry};
use folkmoot::core::world::World;
use folkmoot::view::summary::WorldSummary;
use folkmoot::{
    Accepted, Key, OpenError, Opening, Right, Runtime, Seat, Store, WorldHandle, WorldName,
};

use tokio::sync::{RwLock, Semaphore};

use crate::hosts::Hosts;
use crate::identity::{Authenticate, Caller, Sessions};
use crate::limits::ServerLimits;
use crate::metrics::Metrics;
use crate::problem::{Problem, ProblemCode, key_reused};

mod day;
mod directory;
mod drain;
mod files;
mod naming;
mod quotas;
mod reopening;
mod sweep;
mod templates;
#[cfg(test)]
mod tests;

pub(crate) use day::Daily;
use day::Days;
use directory::Directory;
pub use drain::Drain;
use files::Files;
use quotas::Quotas;
pub use reopening::Reopened;
pub use templates::{Template, TemplateDigests, TemplateError, Templates, TemplatesError};

/// The number of worlds that are looked at at a time.
const PAGE: usize = 256;

/// All that a server serves from.
#[derive(Debug, Clone)]
pub struct Rooms {
    /// The runtime that opens the worlds.
    pub runtime: Runtime,
    /// The store that the runtime is over.
    pub store: Store,
    /// The templates that rooms are opened from.
    pub templates: Templates,
    /// The way in which callers are known.
    pub authenticate: Arc<dyn Authenticate>,
    /// The sessions that browsers begin; `None` if the embedding program has its own.
    pub sessions: Option<Sessions>,
    /// The hosts and origins that requests may name.
    pub hosts: Hosts,
    /// The limits.
    pub limits: ServerLimits,
    /// The beginning of the server's end.
    pub drain: Drain,
}

/// All that requests are answered from.
#[derive(Debug)]
pub(crate) struct Lobby {
    pub(crate) rooms: Rooms,
    /// The places of those who send a file: each is held in memory while it comes.
    pub(crate) uploads: Semaphore,
    pub(crate) quotas: Quotas,
    pub(crate) metrics: Metrics,
    days: Days,
    directory: Directory,
    files: Files,
    /// Held by whoever posts a message with files, and alone by whoever removes files of a store of this process.
    posting: RwLock<()>,
    /// True once the worlds that had work left were opened.
    is_ready: AtomicBool,
}

/// A world that its caller may read.
#[derive(Debug)]
pub(crate) struct Room {
    /// The entry of the world in the log.
    pub(crate) entry: WorldEntry,
}

impl Lobby {
    pub(crate) fn new(rooms: Rooms) -> Self {
        let metrics = Metrics::new();
        Self {
            uploads: Semaphore::new(rooms.limits.uploads_max),
            quotas: Quotas::new(&rooms.limits, metrics.clone()),
            metrics,
            rooms,
            days: Days::default(),
            directory: Directory::default(),
            files: Files::default(),
            posting: RwLock::default(),
            is_ready: AtomicBool::new(false),
        }
    }

    /// The world called `name`, if `caller` may read it. Nothing is opened for it.
    ///
    /// # Errors
    /// One answer for a world that is not there and for one that may not be read.
    pub(crate) async fn room(&self, caller: &Caller, name: &str) -> Result<Room, Problem> {
        let name = WorldName::new(name).map_err(|_| Problem::not_found())?;
        let Some(entry) = self.rooms.store.find(&name).await? else {
            return Err(Problem::not_found());
        };
        if self.has(caller, &entry, Right::Read).await? {
            Ok(Room { entry })
        } else {
            Err(Problem::not_found())
        }
    }

    /// Keeps what a fold of the world says, so that nobody folds it again at the same head.
    pub(crate) fn know(&self, entry: &WorldEntry, world: &World) {
        self.directory.learn(entry, world);
    }

    /// Tells whether `caller` has `right` in the world, by their token and by its rights. Nothing is
    /// opened for it.
    async fn has(
        &self,
        caller: &Caller,
        entry: &WorldEntry,
        right: Right,
    ) -> Result<bool, Problem> {
        if !caller.may.has(right, &entry.name) {
            return Ok(false);
        }
        // Another process may have deleted the world of that name that is open here, and begun this one.
        let open = self.rooms.runtime.world(&entry.name);
        if let Some(world) = open.filter(|world| world.id() == Some(entry.world)) {
            return Ok(world.may(caller.proof.principal(), right));
        }
        let summary = self.summary(entry).await?;
        Ok(summary.access.of(caller.proof.principal()).has(right))
    }

    /// The world of `entry` in short. Nothing is opened for it.
    pub(crate) async fn summary(&self, entry: &WorldEntry) -> Result<Arc<WorldSummary>, Problem> {
        self.directory.summary(&self.rooms.store, entry).await
    }

    /// The worlds that `caller` may read, by name, from behind `after` on, with all of `labels`.
    /// Names of others show nowhere.
    pub(crate) async fn readable(
        &self,
        caller: &Caller,
        labels: &Labels,
        after: Option<WorldName>,
        mut is_full: impl FnMut(WorldEntry, Arc<WorldSummary>) -> bool + Send,
    ) -> Result<(), Problem> {
        let mut after = after;
        loop {
            let page = self
                .rooms
                .store
                .worlds(labels, after.as_ref(), PAGE)
                .await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = Some(last.name.clone());
            for entry in page {
                if !self.has(caller, &entry, Right::Read).await? {
                    continue;
                }
                let summary = self.summary(&entry).await?;
                if is_full(entry, summary) {
                    return Ok(());
                }
            }
        }
    }

    /// The name of a world in which `caller` has `right`.
    ///
    /// # Errors
    /// As [`Lobby::allowed_room`].
    pub(crate) async fn allowed(
        &self,
        caller: &Caller,
        name: &str,
        right: Right,
    ) -> Result<WorldName, Problem> {
        Ok(self.allowed_room(caller, name, right).await?.entry.name)
    }

    /// A world in which `caller` has `right`.
    ///
    /// # Errors
    /// As [`Lobby::room`]; [`ProblemCode::Forbidden`] if they may only read it.
    pub(crate) async fn allowed_room(
        &self,
        caller: &Caller,
        name: &str,
        right: Right,
    ) -> Result<Room, Problem> {
        let room = self.room(caller, name).await?;
        if right == Right::Read || self.has(caller, &room.entry, right).await? {
            Ok(room)
        } else {
            Err(no_right(right))
        }
    }

    /// A seat of `caller` in the world called `name`, for what takes `right`. The world is opened
    /// if it is not open.
    ///
    /// # Errors
    /// As [`Lobby::room`]; [`ProblemCode::Forbidden`] if the token does not give the right. The
    /// world itself refuses what its rights do not give.
    pub(crate) async fn seat(
        &self,
        caller: &Caller,
        name: &str,
        right: Right,
    ) -> Result<Seat, Problem> {
        let room = self.room(caller, name).await?;
        if !caller.may.has(right, &room.entry.name) {
            return Err(no_right(right));
        }
        if right != Right::Read {
            self.quotas.command(caller)?;
        }
        let world = self.open(&room.entry.name).await?;
        Ok(world.as_principal(caller.proof.clone()))
    }

    /// Gives `action` in the world called `name`, in the name of `caller`.
    ///
    /// # Errors
    /// As [`Lobby::seat`] for the right that the action takes, or the refusal of the world.
    pub(crate) async fn give(
        &self,
        caller: &Caller,
        name: &str,
        action: impl Into<Action>,
        key: Option<Key>,
    ) -> Result<Accepted, Problem> {
        let action = action.into();
        let right = action.right().unwrap_or(Right::Read);
        let seat = self.seat(caller, name, right).await?;
        if matches!(
            action,
            Action::Talk(TalkAction::Edit { .. } | TalkAction::Regenerate { .. })
        ) {
            self.check_cost(&seat).await?;
        }
        let accepted = seat.give(action, key).await?;
        if right == Right::Decide {
            self.metrics.decided();
        }
        Ok(accepted)
    }

    /// Refuses what would begin new work in a room whose owner has spent what the day allows.
    pub(crate) async fn check_cost(&self, seat: &Seat) -> Result<(), Problem> {
        self.check_owner(seat, Daily::Cost).await
    }

    /// Refuses what goes beyond a limit of the day of the room's owner. A room without one, which
    /// was not opened through a server, has no such limits.
    pub(crate) async fn check_owner(&self, seat: &Seat, daily: Daily) -> Result<(), Problem> {
        let entry = self.rooms.store.find(seat.world().name()).await?;
        match entry.and_then(|entry| entry.owner) {
            Some(owner) => self.check_day(&owner, daily).await,
            None => Ok(()),
        }
    }

    /// Returns the blobs that hold the file `blob`, in order; `None` unless a message that stands, or a call, names it in
    /// the world of `entry`.
    pub(crate) async fn blobs_of(
        &self,
        entry: &WorldEntry,
        blob: Digest,
    ) -> Result<Option<Vec<Digest>>, Problem> {
        self.files.blobs_of(&self.rooms.store, entry, blob).await
    }

    /// Begins a world. Another request with the same key may have begun it just now: that is the
    /// same world.
    pub(crate) async fn begin(&self, opening: Opening) -> Result<(), Problem> {
        let name = opening.name.clone();
        let id = opening.id;
        let owner = opening.owner.clone();
        let Err(error) = self.rooms.runtime.open(opening).await else {
            if let Some(owner) = owner {
                self.own(owner, name).await;
            }
            return Ok(());
        };
        let entry = self.rooms.store.find(&name).await?;
        if entry.is_some_and(|entry| Some(entry.world) == id) {
            return Ok(());
        }
        Err(not_begun(id, error))
    }

    /// Refuses a text that is longer than people may write.
    pub(crate) fn check_length(&self, text: &str) -> Result<(), Problem> {
        let max = self.rooms.limits.message_chars_max;
        if text.chars().count() <= max {
            return Ok(());
        }
        let why = format!("a message has at most {max} characters");
        Err(Problem::new(ProblemCode::Invalid, why).about("text"))
    }

    /// The client state `state`, if it is not too long.
    pub(crate) fn checked_state(&self, state: String) -> Result<String, Problem> {
        let max = self.rooms.limits.state_bytes_max;
        if state.len() <= max {
            return Ok(state);
        }
        let why = format!("a client state has at most {max} bytes");
        Err(Problem::new(ProblemCode::TooLarge, why).about("state"))
    }

    /// The world called `name`, open here, or followed where another node holds it.
    pub(crate) async fn open(&self, name: &WorldName) -> Result<WorldHandle, Problem> {
        let opening = Opening::recorded(name.clone());
        Ok(self.rooms.runtime.reach(opening).await?)
    }
}

/// The problem of a world that was not begun with the id `id`. The key of the request may have made
/// a world of that id already: under another name, or one that is deleted.
pub(crate) fn not_begun(id: Option<WorldId>, error: OpenError) -> Problem {
    if matches!(error, OpenError::Append(AppendError::Conflict { .. })) {
        return key_reused();
    }
    if matches!(&error, OpenError::Append(AppendError::NoSuchWorld(gone)) if Some(*gone) == id) {
        let why = "this Idempotency-Key made a room that was deleted: take another key";
        return Problem::new(ProblemCode::KeyReused, why).about("Idempotency-Key");
    }
    if let OpenError::AlreadyOpen(name) = error {
        return AppendError::NameTaken(name).into();
    }
    error.into()
}

/// The problem of a caller whose token does not give `right`.
pub(crate) fn no_right(right: Right) -> Problem {
    let word = match right {
        Right::Read => "read",
        Right::Post => "post",
        Right::Decide => "decide",
        Right::Operate => "operate",
    };
    Problem::new(
        ProblemCode::Forbidden,
        format!("the token does not give the right to {word} here"),
    )
    .with("reason", "no_right")
}
