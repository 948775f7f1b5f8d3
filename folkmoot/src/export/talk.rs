//! What people read of a world, one entry after another: messages, notices, requests and decisions, runs of tools.

use std::collections::BTreeMap;
use std::fmt;

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, StoredContent, TalkEvent};
use folkmoot_core::ids::{ArtifactName, Position, Time};
use folkmoot_core::text::view::Block;
use folkmoot_core::tool::ArtifactSpec;

use super::survey::{Calls, Revisions};
use speech::Said;

mod change;
mod request;
mod sentence;
mod speech;

pub(super) use sentence::how;

/// The longest view in Markdown, in characters.
pub(super) const VIEW_MAX: usize = 20_000;
/// The longest text of a tool that is shown, in characters.
pub(super) const OUTPUT_MAX: usize = 4_000;

/// One thing that people read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) at: Position,
    pub(super) time: Time,
    pub(super) kind: EntryKind,
    /// Who speaks or acts.
    pub(super) who: String,
    /// What they do, if they do not speak.
    pub(super) deed: String,
    pub(super) body: Body,
    /// What a tool shows people, as it is drawn.
    pub(super) views: Vec<Vec<Block>>,
    /// The result of a tool in words, where views stand in its place.
    pub(super) in_words: Option<String>,
    /// What else is to be known of it.
    pub(super) notes: Vec<String>,
    /// What became of it, if it does not stand any more.
    pub(super) gone: Option<String>,
}

/// What sort of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Person,
    Service,
    Agent,
    World,
    Notice,
    Request,
    Yes,
    No,
    Refused,
    Run,
    Change,
}

impl EntryKind {
    /// Returns its name, for style sheets.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Service => "service",
            Self::Agent => "agent",
            Self::World => "world",
            Self::Notice => "notice",
            Self::Request => "request",
            Self::Yes => "yes",
            Self::No => "no",
            Self::Refused => "refused",
            Self::Run => "run",
            Self::Change => "change",
        }
    }

    /// Tells whether it is said, and not done.
    pub(super) const fn is_talk(self) -> bool {
        matches!(
            self,
            Self::Person | Self::Service | Self::Agent | Self::World
        )
    }
}

/// The words of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    /// It has none.
    None,
    /// What somebody said.
    Prose(String),
    /// What is read letter by letter.
    Code(String),
    /// They were erased.
    Erased,
    /// They are not there, and nobody asked for that.
    Lost,
}

impl Body {
    /// Returns what stands in their place, if they are not there.
    pub(super) const fn instead(&self) -> Option<&'static str> {
        match self {
            Self::Erased => Some("[erased]"),
            Self::Lost => Some("[content lost]"),
            Self::None | Self::Prose(_) | Self::Code(_) => None,
        }
    }
}

/// Tells whether content of an event is gone without a request.
pub(super) fn is_lost(event: &Event) -> bool {
    let content = || event.to_record().map(|record| record.content);
    event.is_erased() && matches!(content(), Ok(StoredContent::Erased { by: None }))
}

/// Reads commits in order.
#[derive(Debug, Default)]
pub(super) struct Talk {
    calls: Calls,
    revisions: Revisions,
    kinds: Kinds,
}

/// The kinds of artifacts of a room.
pub(super) type Kinds = BTreeMap<ArtifactName, ArtifactSpec>;

impl Talk {
    /// `revisions` are those of the whole log, `kinds` those of the room as it is now.
    pub(super) fn new(revisions: Revisions, kinds: Kinds) -> Self {
        Self {
            calls: Calls::default(),
            revisions,
            kinds,
        }
    }

    /// Returns what people read of the next commit.
    pub(super) fn take(&mut self, commit: &Commit) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (at, event) in commit.numbered() {
            self.calls.take(commit, event);
            entries.extend(self.entry(commit, at, event));
            self.calls.let_go(event);
        }
        if entries.iter().any(|entry| entry.body == Body::Erased)
            && commit.events.iter().any(is_lost)
        {
            let erased = entries
                .iter_mut()
                .filter(|entry| entry.body == Body::Erased);
            erased.for_each(|entry| entry.body = Body::Lost);
        }
        entries
    }

    /// Returns what people read of an event. A new kind of event is to find its place here.
    fn entry(&self, commit: &Commit, at: Position, event: &Event) -> Option<Entry> {
        let blank = Blank {
            at,
            time: commit.header.stamp.time,
            by: commit.header.principal.to_string(),
            command: commit.header.command,
        };
        match event {
            Event::World(event) => change::of_world(&blank, event),
            Event::Talk(event) => self.of_talk(&blank, commit, event),
            Event::Turn(event) => change::of_turn(&blank, event),
            Event::Call(event) => self.of_call(&blank, event),
            Event::Refused(refused) => Some(change::of_refusal(&blank, refused)),
        }
    }

    fn of_talk(&self, blank: &Blank, commit: &Commit, event: &TalkEvent) -> Option<Entry> {
        match event {
            TalkEvent::MessagePosted(posted) => {
                let said = Said {
                    author: &posted.author,
                    reply_to: posted.reply_to,
                    instead: None,
                };
                Some(self.said(blank, commit, said))
            }
            TalkEvent::MessageEdited(edited) => {
                let said = Said {
                    author: &edited.author,
                    reply_to: edited.reply_to,
                    instead: Some(format!("in the place of #{}", edited.at)),
                };
                Some(self.said(blank, commit, said))
            }
            TalkEvent::MessageRetracted(gone) => Some(change::retracted(blank, gone)),
            TalkEvent::ReplyRegenerated(made) => Some(change::regenerated(blank, made)),
            TalkEvent::ArtifactWithheld(withheld) => Some(change::withheld(blank, withheld)),
            TalkEvent::NoticePosted(posted) => Some(change::noticed(blank, posted)),
            TalkEvent::MessageRouted(_) | TalkEvent::StateObserved(_) => None,
        }
    }
}

/// Where an entry stands, when that was, and who gave which command.
struct Blank {
    at: Position,
    time: Time,
    by: String,
    command: CommandKind,
}

impl Blank {
    /// An entry without words.
    fn entry(&self, kind: EntryKind, who: &(impl fmt::Display + ?Sized), deed: String) -> Entry {
        let Self { at, time, .. } = *self;
        Entry {
            at,
            time,
            kind,
            who: who.to_string(),
            deed,
            body: Body::None,
            views: Vec::new(),
            in_words: None,
            notes: Vec::new(),
            gone: None,
        }
    }
}
