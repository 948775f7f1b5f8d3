//! What people read of a world, one entry after another: messages, notices, requests and decisions, runs of tools.

use std::fmt;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{CallEvent, Event, StoredContent, TalkEvent, TurnEvent, WorldEvent};
use folkmoot_core::ids::{Position, Time};

use super::survey::{Calls, Revisions};

mod change;
mod request;
mod said;
mod sentence;

pub(super) use sentence::{counted, how};

/// The longest text of a tool that is shown, in characters.
const OUTPUT_MAX: usize = 4_000;

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
    /// What else is to be known of it.
    pub(super) notes: Vec<String>,
    /// What became of it, if it does not stand any more.
    pub(super) gone: Option<String>,
}

/// What sort of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Person,
    Agent,
    World,
    Notice,
    Request,
    Yes,
    No,
    Run,
    Change,
}

impl EntryKind {
    /// Its name, for style sheets.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::World => "world",
            Self::Notice => "notice",
            Self::Request => "request",
            Self::Yes => "yes",
            Self::No => "no",
            Self::Run => "run",
            Self::Change => "change",
        }
    }

    /// Whether it is said, and not done.
    pub(super) const fn is_talk(self) -> bool {
        matches!(self, Self::Person | Self::Agent | Self::World)
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
    /// What stands in their place, if they are not there.
    pub(super) const fn instead(&self) -> Option<&'static str> {
        match self {
            Self::Erased => Some("[erased]"),
            Self::Lost => Some("[content lost]"),
            Self::None | Self::Prose(_) | Self::Code(_) => None,
        }
    }
}

/// Whether content of an event is gone without a request.
pub(super) fn is_lost(event: &Event) -> bool {
    let content = || event.to_record().map(|record| record.content);
    event.is_erased() && matches!(content(), Ok(StoredContent::Erased { by: None }))
}

/// Reads commits in order.
#[derive(Debug, Default)]
pub(super) struct Talk {
    calls: Calls,
    revisions: Revisions,
}

impl Talk {
    /// `revisions` are those of the whole log.
    pub(super) fn new(revisions: Revisions) -> Self {
        Self {
            calls: Calls::default(),
            revisions,
        }
    }

    /// What people read of the next commit.
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

    /// What people read of an event. A new kind of event is to find its place here.
    fn entry(&self, commit: &Commit, at: Position, event: &Event) -> Option<Entry> {
        let blank = Blank {
            at,
            time: commit.header.stamp.time,
            by: commit.header.principal.to_string(),
        };
        match event {
            Event::Talk(TalkEvent::MessagePosted(_)) | Event::Talk(TalkEvent::MessageEdited(_)) => {
                self.said(&blank, commit, event)
            }
            Event::Call(CallEvent::ApprovalRequested(_))
            | Event::Call(CallEvent::ApprovalDecided(_))
            | Event::Call(CallEvent::GrantGiven(_))
            | Event::Call(CallEvent::GrantUsed(_))
            | Event::Call(CallEvent::GrantRevoked(_))
            | Event::Call(CallEvent::QuestionAsked(_))
            | Event::Call(CallEvent::QuestionAnswered(_))
            | Event::Call(CallEvent::OutcomeUnknown(_))
            | Event::Call(CallEvent::OutcomeSettled(_))
            | Event::Call(CallEvent::ToolFinished(_)) => self.of_call(&blank, event),
            Event::Talk(TalkEvent::MessageRetracted(_))
            | Event::Talk(TalkEvent::ReplyRegenerated(_))
            | Event::Talk(TalkEvent::ArtifactWithheld(_))
            | Event::Talk(TalkEvent::NoticePosted(_))
            | Event::Turn(TurnEvent::HandedOff(_))
            | Event::Turn(TurnEvent::JoinElapsed(_))
            | Event::Turn(TurnEvent::TurnClosed(_))
            | Event::Turn(TurnEvent::TurnDeclined(_))
            | Event::Turn(TurnEvent::Stopped(_))
            | Event::World(WorldEvent::SpecRevised(_))
            | Event::World(WorldEvent::PersonLeft(_))
            | Event::World(WorldEvent::Forked(_))
            | Event::World(WorldEvent::Restored(_))
            | Event::World(WorldEvent::ErasureRequested(_))
            | Event::World(WorldEvent::Erased(_))
            | Event::Refused(_) => change::of(&blank, event),
            Event::World(WorldEvent::WorldOpened(_))
            | Event::World(WorldEvent::Opened(_))
            | Event::World(WorldEvent::EpochOpened(_))
            | Event::World(WorldEvent::PersonJoined(_))
            | Event::World(WorldEvent::WarningRecorded(_))
            | Event::World(WorldEvent::StepDone(_))
            | Event::World(WorldEvent::Labelled(_))
            | Event::World(WorldEvent::HeadSigned(_))
            | Event::World(WorldEvent::RightsChanged(_))
            | Event::Talk(TalkEvent::MessageRouted(_))
            | Event::Talk(TalkEvent::StateObserved(_))
            | Event::Turn(TurnEvent::TurnOpened(_))
            | Event::Turn(TurnEvent::ModelCalled(_))
            | Event::Turn(TurnEvent::StreamStarted(_))
            | Event::Turn(TurnEvent::StreamCut(_))
            | Event::Turn(TurnEvent::ModelAnswered(_))
            | Event::Turn(TurnEvent::ModelFailed(_))
            | Event::Turn(TurnEvent::AgentReacted(_))
            | Event::Turn(TurnEvent::AgentFailed(_))
            | Event::Turn(TurnEvent::PrefixBroken(_))
            | Event::Turn(TurnEvent::MemoryCompacted(_))
            | Event::Call(CallEvent::CallsAdmitted(_))
            | Event::Call(CallEvent::ApprovalExpired(_))
            | Event::Call(CallEvent::ToolStarted(_))
            | Event::Call(CallEvent::Reconciled(_))
            | Event::Call(CallEvent::CallReplaced(_))
            | Event::Call(CallEvent::AgentAsked(_)) => None,
        }
    }
}

/// Where an entry stands, when that was, and who gave the command.
struct Blank {
    at: Position,
    time: Time,
    by: String,
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
            notes: Vec::new(),
            gone: None,
        }
    }
}
