//! The events that an erasure is about.

use std::collections::BTreeMap;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, Span, StoredContent, TalkEvent, TurnEvent, WorldEvent};
use folkmoot::core::ids::Position;
use folkmoot::core::ids::principal::{Person, Principal};
use folkmoot::core::port::EventLog;
use futures::TryStreamExt as _;

use super::Erasing;
use crate::exit::{CliError, USAGE};
use crate::text::counted;

/// The events that are meant and have content.
#[derive(Debug)]
pub(super) struct Selection {
    spans: Vec<Span>,
}

impl Selection {
    /// Reads the log of the world for them.
    pub(super) async fn of(log: &dyn EventLog, erasing: &Erasing) -> Result<Self, CliError> {
        let name = &erasing.world;
        let none = || {
            CliError::other(
                crate::exit::STORE,
                format!("there is no world called {name}"),
            )
        };
        let entry = log.find(name).await?.ok_or_else(none)?;
        if let Some(span) = erasing.events.iter().find(|span| span.to > entry.head) {
            let why = format!(
                "{name} has {}, there is no event {}",
                counted(entry.head.get(), "event"),
                span.to
            );
            return Err(CliError::other(USAGE, why));
        }
        let mut commits = log.read(entry.world, Position::new(1)).await?;
        let mut episodes = Episodes::default();
        let mut chosen = Self { spans: Vec::new() };
        while let Some(stored) = commits.try_next().await? {
            let commit = stored.commit;
            let episode = episodes.take(&commit);
            let is_of_all = erasing
                .person
                .as_deref()
                .is_some_and(|person| is_by(&commit, person))
                || erasing
                    .episode
                    .is_some_and(|wanted| episode == Some(Position::new(wanted)));
            for (at, event) in commit.numbered() {
                let is_named = erasing
                    .events
                    .iter()
                    .any(|span| span.from <= at && at <= span.to);
                if (is_named || (is_of_all && is_talk(event))) && has_content(event) {
                    chosen.add(at);
                }
            }
        }
        Ok(chosen)
    }

    /// Takes the next one, which stands behind all others.
    fn add(&mut self, at: Position) {
        match self.spans.last_mut() {
            Some(last) if last.to.next() == at => last.to = at,
            Some(_) | None => self.spans.push(Span { from: at, to: at }),
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.spans
            .iter()
            .map(|span| span.to.get() - span.from.get() + 1)
            .sum()
    }

    pub(super) fn holds(&self, at: Position) -> bool {
        let behind = self.spans.partition_point(|span| span.from <= at);
        self.spans
            .get(behind.wrapping_sub(1))
            .is_some_and(|span| at <= span.to)
    }

    pub(super) fn spans(&self) -> &[Span] {
        &self.spans
    }

    pub(super) fn into_spans(self) -> Vec<Span> {
        self.spans
    }
}

/// To which episode commits belong: that of the turn they open, else that of what caused them, else
/// their own.
#[derive(Debug, Default)]
struct Episodes {
    by_event: BTreeMap<Position, Position>,
}

impl Episodes {
    fn take(&mut self, commit: &Commit) -> Option<Position> {
        let opened = commit.events.iter().find_map(|event| {
            if let Event::Turn(TurnEvent::TurnOpened(opened)) = event {
                Some(opened.episode.0)
            } else {
                None
            }
        });
        let begun = commit
            .numbered()
            .find_map(|(at, event)| begins(&commit.header.principal, event).then_some(at));
        let caused = || self.by_event.get(&commit.header.cause?).copied();
        let episode = opened.or(begun).or_else(caused)?;
        self.by_event
            .extend(commit.numbered().map(|(at, _)| (at, episode)));
        Some(episode)
    }
}

/// Only people, services and the world begin episodes.
fn begins(principal: &Principal, event: &Event) -> bool {
    let is_said = matches!(
        event,
        Event::Talk(TalkEvent::MessagePosted(_))
            | Event::Talk(TalkEvent::MessageEdited(_))
            | Event::Talk(TalkEvent::ReplyRegenerated(_))
    );
    is_said
        && matches!(
            principal,
            Principal::Person(_) | Principal::Service(_) | Principal::World
        )
}

/// By name, or as `method:subject`; a service by its name or by its proof.
fn is_by(commit: &Commit, name: &str) -> bool {
    let principal = &commit.header.principal;
    let is_called = principal
        .display()
        .is_some_and(|display| display.as_str() == name);
    let is_person = |person: &Person| format!("{}:{}", person.method, person.subject) == name;
    is_called
        || principal.person().is_some_and(is_person)
        || principal
            .service()
            .is_some_and(|service| service.proof() == name)
}

/// Not what the room is, nor why something was erased.
fn is_talk(event: &Event) -> bool {
    !matches!(
        event,
        Event::World(WorldEvent::WorldOpened(_))
            | Event::World(WorldEvent::SpecRevised(_))
            | Event::World(WorldEvent::ErasureRequested(_))
    )
}

pub(super) fn has_content(event: &Event) -> bool {
    // Content that is gone without a request is lost. It may be gone for good.
    let can_go = |content| {
        matches!(
            content,
            StoredContent::Present(_) | StoredContent::Erased { by: None }
        )
    };
    event.to_record().is_ok_and(|record| can_go(record.content))
}
