//! What the tests of this crate stand on: a past, one `check`, and the laws that every commit obeys.

use std::borrow::Borrow;

use crate::command::commit::Commit;
use crate::command::{Action, Command};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::{Erased, ErasureRequested, Event, WorldEvent};
use crate::ids::{Position, Seed, Stamp, Time};
use crate::world::{Decision, World};

pub(crate) mod acts;
pub(crate) mod facts;
pub(crate) mod laws;
pub(crate) mod room;
pub(crate) mod slices;

pub(crate) use acts::*;
pub(crate) use facts::*;
pub(crate) use room::*;
pub(crate) use slices::*;

/// A world with its log, moved on by commands. Every commit is held against the laws.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub(crate) world: World,
    pub(crate) commits: Vec<Commit>,
    pub(crate) now: Time,
    laws: laws::Laws,
}

impl Past {
    /// A world that was just created with the room of the tests.
    pub(crate) fn began() -> Self {
        Self::with(room())
    }

    /// A world that was just created with `spec`.
    pub(crate) fn with(spec: crate::spec::WorldSpec) -> Self {
        Self::empty().then(Command::of_runtime(create(spec)))
    }

    /// No world yet.
    pub(crate) fn empty() -> Self {
        Self {
            world: World::default(),
            commits: Vec::new(),
            now: Time::SIMULATED_START,
            laws: laws::Laws::default(),
        }
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.world.stamp(self.now, Seed::new([0; 16]))
    }

    pub(crate) fn decide(&self, command: &Command) -> Decision {
        self.world.decide(command, &self.stamp())
    }

    /// Gives a command that is accepted.
    pub(crate) fn then(mut self, command: impl Borrow<Command>) -> Self {
        let command = command.borrow();
        let answer = self.give(command);
        assert!(answer.is_ok(), "{command:?} was refused: {answer:?}");
        self
    }

    /// Gives commands of a person that are refused and recorded.
    pub(crate) fn then_refused(mut self, command: impl Borrow<Command>) -> Self {
        let command = command.borrow();
        assert!(self.give(command).is_err(), "{command:?} was accepted");
        self
    }

    /// Gives a command, appends and folds what it leads to.
    pub(crate) fn give(&mut self, command: &Command) -> Result<(), Refusal> {
        let (stamp, before) = (self.stamp(), self.world.clone());
        let decision = self.world.decide(command, &stamp);
        assert_eq!(
            decision,
            self.world.decide(command, &stamp),
            "decide is a function"
        );
        assert_eq!(before, self.world, "decide changes nothing");
        if let Some(commit) = self.world.commit(command, &stamp, &decision) {
            self.world.apply(&commit);
            self.laws
                .hold(&before, command, &commit, &decision, &self.world);
            let done = commit.events.iter().find_map(erased);
            self.commits.push(commit);
            if let Some(request) = done {
                self.erase(request);
            }
        }
        decision.answer.map(|_| ())
    }

    /// Erases what the event at `request` asked for, and folds the log anew: as a store does, and then the shell.
    pub(crate) fn erase(&mut self, request: Position) {
        let numbered = self.commits.iter().flat_map(Commit::numbered);
        let asked = numbered.into_iter().find(|(at, _)| *at == request);
        let Some((_, Event::World(WorldEvent::ErasureRequested(ErasureRequested { events, .. })))) =
            asked
        else {
            return;
        };
        let spans = events.clone();
        let is_meant = |at: Position| spans.iter().any(|span| span.from <= at && at <= span.to);
        for commit in &mut self.commits {
            let numbered = commit.numbered().map(|(at, event)| {
                if is_meant(at) {
                    laws::bare(event)
                } else {
                    event.clone()
                }
            });
            commit.events = numbered.collect();
        }
        self.world = World::default();
        self.commits
            .iter()
            .for_each(|commit| self.world.apply(commit));
        self.laws.replay(&self.world, &self.commits);
    }

    /// Lets time pass.
    pub(crate) fn after_ms(mut self, ms: u64) -> Self {
        self.now = Time(self.now.0 + ms);
        self
    }

    pub(crate) fn owed(&self) -> Vec<crate::world::effect::Effect> {
        self.world.owed().collect()
    }

    /// The events of the last commit.
    pub(crate) fn last(&self) -> &[Event] {
        &self.commits.last().unwrap().events
    }

    /// All events so far.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.commits.iter().flat_map(|commit| &commit.events)
    }
}

/// The request that an event says is done.
fn erased(event: &Event) -> Option<Position> {
    if let Event::World(WorldEvent::Erased(Erased { request, .. })) = event {
        Some(*request)
    } else {
        None
    }
}

/// What a command is to lead to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Then {
    events: Vec<Event>,
    answer: Result<(), Refusal>,
}

/// It is accepted with these events.
pub(crate) fn accepted(events: impl IntoIterator<Item = Event>) -> Then {
    Then {
        events: events.into_iter().collect(),
        answer: Ok(()),
    }
}

/// It is refused, and nothing is recorded.
pub(crate) fn quietly(refusal: Refusal) -> Then {
    Then {
        events: Vec::new(),
        answer: Err(refusal),
    }
}

/// It is refused, and these events say so.
pub(crate) fn recorded(reason: RefusalReason, events: impl IntoIterator<Item = Event>) -> Then {
    let answer = Err(Refusal::Right {
        reason,
        decided: None,
    });
    Then {
        events: events.into_iter().collect(),
        answer,
    }
}

/// History, request, outcome.
#[track_caller]
pub(crate) fn check(given: &Past, when: &Command, then: &Then) {
    let Decision { events, answer, .. } = given.decide(when);
    assert_eq!(
        &Then {
            events,
            answer: answer.map(|_| ())
        },
        then
    );
    // Held against the laws as well.
    let _answer = given.clone().give(when);
}

/// A command of the shell.
pub(crate) fn runtime(action: Action) -> Command {
    Command::of_runtime(action)
}
