//! Holds what happens against the laws.
//!
//! The simulated machine tells the checker what it hears, and the checker keeps books of its own:
//! what was asked of the log, what was acknowledged, what tools did outside, what people decided.
//! It believes nothing that the runtime says of itself.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, WorldEvent};
use folkmoot::core::ids::{CallId, Position, RequestId, WorldId};
use folkmoot::core::port::{AppendError, Appended};

use crate::law::{Law, Violation};
use book::Book;

mod book;
mod budgets;
mod calls;
mod decisions;

/// Keeps the books of one story.
#[derive(Debug, Default)]
pub struct StoryChecker {
    books: BTreeMap<WorldId, Book>,
    /// Appends that were asked for and not acknowledged: each may turn up, or never.
    asked: BTreeMap<(WorldId, Position), Vec<Commit>>,
    outside: OutsideFacts,
}

/// What happened outside of the log.
#[derive(Debug, Default)]
struct OutsideFacts {
    /// How often each call took effect.
    effects: BTreeMap<CallId, u32>,
    /// The requests that people set out to decide.
    decided: BTreeSet<RequestId>,
}

impl StoryChecker {
    /// An append is asked for; nothing is known of it yet.
    pub fn asked(&mut self, commit: &Commit) {
        self.asked
            .entry(place(commit))
            .or_default()
            .push(commit.clone());
    }

    /// An append was answered.
    ///
    /// # Errors
    /// The law that the commit breaks.
    pub fn answered(
        &mut self,
        commit: &Commit,
        answer: &Result<Appended, AppendError>,
    ) -> Result<(), Violation> {
        match answer {
            Ok(Appended::Committed { .. }) => self.take(commit),
            Ok(Appended::Repeated(_)) | Err(_) => Ok(()),
        }
    }

    /// A process has opened the store: these are all worlds in it.
    ///
    /// # Errors
    /// [`Law::NothingLost`]: one is missing.
    pub fn opened(&self, worlds: &[WorldId]) -> Result<(), Violation> {
        let missing = self.books.iter().find(|(world, _)| !worlds.contains(world));
        missing.map_or(Ok(()), |(_, book)| {
            Err(book.breaks(Law::NothingLost, None, "the world is gone"))
        })
    }

    /// A process has opened the store: this is all that is in it of `world`. Said before anything
    /// is appended, of every world.
    ///
    /// # Errors
    /// The law that the log breaks: something is lost, invented, or not valid.
    pub fn recovered(&mut self, world: WorldId, log: &[Commit]) -> Result<(), Violation> {
        let known = self.books.get(&world).map_or(0, |book| book.log.len());
        if let Some(book) = self.books.get(&world) {
            book.still_has(log)?;
        }
        // The commits of its parent stand before those of a fork, in the parent's name.
        let own = log
            .iter()
            .skip(known)
            .filter(|commit| commit.header.world == world || begins(commit) == Some(world));
        own.into_iter().try_for_each(|commit| self.find(commit))
    }

    /// A commit that nobody heard of: it must be one that was asked for.
    fn find(&mut self, commit: &Commit) -> Result<(), Violation> {
        let was_asked = self
            .asked
            .get(&place(commit))
            .is_some_and(|asked| asked.contains(commit));
        if was_asked {
            return self.take(commit);
        }
        let law = Law::NothingInvented;
        let what = "a commit that nobody asked for".to_owned();
        Err(Violation {
            law,
            world: None,
            at: Some(commit.header.first),
            what,
        })
    }

    fn take(&mut self, commit: &Commit) -> Result<(), Violation> {
        self.asked.remove(&place(commit));
        let world = commit.header.world;
        if let Some(Event::World(WorldEvent::Forked(forked))) = commit.events.first() {
            let parent = self
                .books
                .get(&forked.parent)
                .map(|parent| parent.up_to(commit.header.first));
            self.books.insert(world, parent.unwrap_or_default());
        }
        self.books
            .entry(world)
            .or_default()
            .take(commit, &self.outside)
    }

    /// A person is about to decide a request.
    pub fn decides(&mut self, request: RequestId) {
        self.outside.decided.insert(request);
    }

    /// A tool took effect outside: the run is past the point at which it could be called back. A
    /// run that only asks a question has none.
    ///
    /// # Errors
    /// The law that the run breaks.
    pub fn took_effect(
        &mut self,
        world: WorldId,
        call: CallId,
        key: &str,
    ) -> Result<(), Violation> {
        let effects = self.outside.effects.entry(call).or_default();
        *effects += 1;
        let effects = *effects;
        match self.books.get(&world) {
            Some(book) => book.allows_effect(call, effects, key),
            None => Err(Violation {
                law: Law::StartedBeforeRun,
                world: None,
                at: None,
                what: format!(
                    "{key} took effect in a world whose log does not say that there is one"
                ),
            }),
        }
    }

    /// Returns how often a call took effect outside.
    #[must_use]
    pub fn effects(&self, call: CallId) -> u32 {
        self.outside.effects.get(&call).copied().unwrap_or_default()
    }

    /// A follower was shown `seen`, one commit after the other, without a break.
    ///
    /// # Errors
    /// What it saw is not the log.
    pub fn followed(&self, world: WorldId, seen: &[Commit]) -> Result<(), Violation> {
        self.books
            .get(&world)
            .map_or(Ok(()), |book| book.was_followed(seen))
    }

    /// The log of `world`, as far as it was acknowledged or found.
    #[must_use]
    pub fn log(&self, world: WorldId) -> &[Commit] {
        self.books.get(&world).map_or(&[], |book| &book.log)
    }

    /// The story is over and every world is at rest: what is left open?
    ///
    /// # Errors
    /// Something that should not be.
    pub fn over(&self) -> Result<(), Violation> {
        self.books.values().try_for_each(Book::is_closed)
    }
}

/// Returns where a commit stands.
fn place(commit: &Commit) -> (WorldId, Position) {
    (commit.header.world, commit.header.first)
}

/// The fork that a commit begins, if it begins one.
fn begins(commit: &Commit) -> Option<WorldId> {
    if let Some(Event::World(WorldEvent::Forked(forked))) = commit.events.first() {
        Some(forked.world)
    } else {
        None
    }
}
