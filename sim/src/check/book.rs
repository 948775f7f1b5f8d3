//! The book of one world: its log, decided again as it comes.

use folkmoot::core::audit::{Auditor, Difference, Divergence, Finding};
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, TalkEvent};
use folkmoot::core::ids::{CallId, Position};

use super::OutsideFacts;
use super::budgets::Budgets;
use super::calls::LoggedCalls;
use super::decisions::Decisions;
use crate::law::{Law, Violation};

/// What is known of one world.
#[derive(Debug, Clone, Default)]
pub(super) struct Book {
    /// Its commits, those of its parents first.
    pub(super) log: Vec<Commit>,
    auditor: Auditor,
    calls: LoggedCalls,
    budgets: Budgets,
    decisions: Decisions,
}

impl Book {
    /// The book as it was before `position`: what a fork begins with.
    pub(super) fn up_to(&self, position: Position) -> Self {
        let mut book = Self::default();
        for commit in self
            .log
            .iter()
            .filter(|commit| commit.header.first < position)
        {
            book.auditor.take(commit);
            book.note(commit);
            book.log.push(commit.clone());
        }
        book
    }

    /// Takes a durable commit, and holds every event of it against the laws.
    pub(super) fn take(
        &mut self,
        commit: &Commit,
        outside: &OutsideFacts,
    ) -> Result<(), Violation> {
        self.decides_again(commit)?;
        self.log.push(commit.clone());
        let decided = self.decisions.allow(commit, outside);
        decided.map_err(|(at, what)| self.breaks(Law::NoTextApproves, Some(at), what))?;
        self.note(commit);
        for (at, event) in commit.numbered() {
            self.calls
                .check(event)
                .map_err(|what| self.breaks(Law::OneOutcome, Some(at), what))?;
            self.calls.take(event);
        }
        let budgets = self.budgets.check(self.auditor.world());
        budgets.map_err(|what| self.breaks(Law::WithinBudgets, Some(commit.last()), what))
    }

    /// Counts what a commit says, without judging it.
    fn note(&mut self, commit: &Commit) {
        for (at, event) in commit.numbered() {
            self.budgets.take(at, event);
            self.decisions.take(at, event);
        }
    }

    fn decides_again(&mut self, commit: &Commit) -> Result<(), Violation> {
        match self.auditor.take(commit) {
            Finding::Decided | Finding::RecordedRefusal | Finding::Erased => Ok(()),
            Finding::OtherRules(rules) => Err(self.breaks(
                Law::EveryPrefixValid,
                Some(commit.header.first),
                format!("other rules: {rules}"),
            )),
            Finding::Diverged(found) => {
                Err(self.breaks(law_of(&found), Some(found.at), format!("{found:?}")))
            }
        }
    }

    /// Tells whether the log still begins with what was acknowledged.
    pub(super) fn still_has(&self, log: &[Commit]) -> Result<(), Violation> {
        let differs = self
            .log
            .iter()
            .zip(log)
            .find(|(known, found)| known != found);
        if let Some((known, found)) = differs {
            let what = format!(
                "{:?} was acknowledged, {:?} is there",
                known.header, found.header
            );
            return Err(self.breaks(Law::NothingLost, Some(known.header.first), what));
        }
        let lost = self.log.get(log.len());
        lost.map_or(Ok(()), |lost| {
            let what = format!(
                "{} commits were acknowledged, {} are there",
                self.log.len(),
                log.len()
            );
            Err(self.breaks(Law::NothingLost, Some(lost.header.first), what))
        })
    }

    pub(super) fn was_followed(&self, seen: &[Commit]) -> Result<(), Violation> {
        let Some(first) = seen.first() else {
            return Ok(());
        };
        let from = self.log.iter().position(|commit| commit == first);
        let is_there =
            from.is_some_and(|from| self.log.iter().skip(from).take(seen.len()).eq(seen));
        if is_there {
            return Ok(());
        }
        let what = format!(
            "a follower saw {} commits that do not stand there like this",
            seen.len()
        );
        Err(self.breaks(Law::FollowersSeeTheLog, Some(first.header.first), what))
    }

    pub(super) fn allows_effect(
        &self,
        call: CallId,
        effects: u32,
        key: &str,
    ) -> Result<(), Violation> {
        if !self.calls.has_started(call) {
            let what = format!("{key} took effect, and its start is not in the log");
            return Err(self.breaks(Law::StartedBeforeRun, None, what));
        }
        if effects > 1 && !self.calls.may_repeat(call) {
            let what = format!("{key} may not repeat, and took effect {effects} times");
            return Err(self.breaks(Law::NothingTwice, None, what));
        }
        Ok(())
    }

    /// Tells whether each call has an outcome, or waits for somebody.
    pub(super) fn is_closed(&self) -> Result<(), Violation> {
        let world = self.auditor.world();
        let agents = || {
            world
                .rules()
                .spec()
                .agents
                .iter()
                .filter_map(|agent| world.memory(&agent.name))
        };
        let is_open = |call: CallId| agents().any(|memory| memory.open_calls.contains_key(&call));
        let lost = self.calls.without_outcome().find(|call| !is_open(*call));
        lost.map_or(Ok(()), |call| {
            Err(self.breaks(
                Law::OneOutcome,
                None,
                format!("{call} has no outcome, and nobody waits for one"),
            ))
        })
    }

    pub(super) fn breaks(
        &self,
        law: Law,
        at: Option<Position>,
        what: impl Into<String>,
    ) -> Violation {
        Violation {
            law,
            world: self.auditor.world().name().cloned(),
            at,
            what: what.into(),
        }
    }
}

/// The law that a commit breaks which is decided otherwise than it was.
fn law_of(found: &Divergence) -> Law {
    let Difference::Event {
        recorded,
        recomputed,
    } = &found.difference
    else {
        return Law::EveryPrefixValid;
    };
    let is_route = |event: &Option<Box<Event>>| {
        matches!(
            event.as_deref(),
            Some(Event::Talk(TalkEvent::MessageRouted(_)))
        )
    };
    if is_route(recorded) || is_route(recomputed) {
        Law::RoutingRecomputed
    } else {
        Law::EveryPrefixValid
    }
}
