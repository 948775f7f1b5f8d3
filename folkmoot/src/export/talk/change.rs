//! What happens beside the talk.

use std::fmt;

use folkmoot_core::event::{
    ArtifactWithheld, ErasureRequested, JoinElapsed, MessageRetracted, NoticePosted, Refused,
    ReplyRegenerated, TurnEvent, WorldEvent,
};

use super::sentence::{ended, more};
use super::{Blank, Entry, EntryKind};
use crate::run::refused_because;
use crate::words::{about, told, tried};

/// The entry of a fact about the world; `None` if it is nothing to people.
pub(super) fn of_world(blank: &Blank, event: &WorldEvent) -> Option<Entry> {
    let change = |who: &str, deed: String| Some(change(blank, who, deed));
    match event {
        WorldEvent::SpecRevised(_) => change(&blank.by, "changes the room's definition".to_owned()),
        WorldEvent::Restored(_) => change("", "the room goes on in a copy of its store".to_owned()),
        WorldEvent::Forked(forked) => {
            let parent = &forked.parent_name;
            let at = forked.base.of;
            change(
                &blank.by,
                format!("branches this room off {parent}, behind #{at}"),
            )
        }
        WorldEvent::ErasureRequested(asked) => Some(erasure_asked(blank, asked)),
        WorldEvent::WithheldViewed(viewed) => {
            let deed = format!("looks at what #{} withholds", viewed.withheld);
            change(&blank.by, deed)
        }
        WorldEvent::Erased(gone) => change(
            "",
            format!("the content of {} events was erased", gone.events),
        ),
        WorldEvent::PersonLeft(left) => change(left.person.as_str(), "leaves".to_owned()),
        WorldEvent::WorldOpened(_)
        | WorldEvent::Opened(_)
        | WorldEvent::EpochOpened(_)
        | WorldEvent::PersonJoined(_)
        | WorldEvent::WarningRecorded(_)
        | WorldEvent::StepDone(_)
        | WorldEvent::Labelled(_)
        | WorldEvent::HeadSigned(_)
        | WorldEvent::RightsChanged(_) => None,
    }
}

/// The entry of a fact about a turn; `None` if it is nothing to people.
pub(super) fn of_turn(blank: &Blank, event: &TurnEvent) -> Option<Entry> {
    match event {
        TurnEvent::HandedOff(handed) => {
            let deed = format!("hands over to {}", handed.to);
            Some(change(blank, &handed.agent, deed))
        }
        TurnEvent::JoinElapsed(elapsed) => Some(join_elapsed(blank, elapsed)),
        TurnEvent::TurnClosed(closed) => {
            ended(closed.reason).map(|deed| change(blank, &closed.agent, deed))
        }
        TurnEvent::TurnDeclined(declined) => {
            let deed = "sets its news aside: it has no model call left".to_owned();
            Some(change(blank, &declined.agent, deed))
        }
        TurnEvent::Stopped(stopped) => {
            let deed = "stops what is going on".to_owned();
            Some(change(blank, &stopped.by, deed))
        }
        TurnEvent::TurnOpened(_)
        | TurnEvent::ModelCalled(_)
        | TurnEvent::StreamStarted(_)
        | TurnEvent::StreamCut(_)
        | TurnEvent::ModelAnswered(_)
        | TurnEvent::ModelFailed(_)
        | TurnEvent::AgentReacted(_)
        | TurnEvent::AgentFailed(_)
        | TurnEvent::PrefixBroken(_)
        | TurnEvent::MemoryCompacted(_) => None,
    }
}

/// Who tried which command, and why the room refused it.
pub(super) fn of_refusal(blank: &Blank, refused: &Refused) -> Entry {
    let tried = tried(blank.command);
    let why = refused_because(refused.reason);
    let deed = format!(
        "tries to {tried}{}, and the room refuses: {why}",
        about(refused)
    );
    let all = refused
        .repeated
        .then(|| "this stands for all such commands of the same minute".to_owned());
    let names = format!(
        "refused as {}, command {}",
        refused.reason.code(),
        refused.command.short()
    );
    Entry {
        notes: all.into_iter().chain([names]).collect(),
        ..blank.entry(EntryKind::Refused, &refused.principal, deed)
    }
}

pub(super) fn retracted(blank: &Blank, gone: &MessageRetracted) -> Entry {
    let deed = format!("takes back #{}{}", gone.at, more(gone.gone.len()));
    change(blank, &blank.by, deed)
}

pub(super) fn regenerated(blank: &Blank, made: &ReplyRegenerated) -> Entry {
    let behind = more(made.gone.len());
    let deed = format!("has #{} of {} made anew{behind}", made.at, made.agent);
    change(blank, &blank.by, deed)
}

pub(super) fn withheld(blank: &Blank, withheld: &ArtifactWithheld) -> Entry {
    let deed = "said something that is no prose, which people are not shown".to_owned();
    change(blank, &withheld.agent, deed)
}

pub(super) fn noticed(blank: &Blank, posted: &NoticePosted) -> Entry {
    let to = posted
        .to
        .as_ref()
        .map(|to| format!(" (to {to})"))
        .unwrap_or_default();
    let words = told(&posted.notice, |request| format!("#{request}"));
    blank.entry(EntryKind::Notice, "", format!("{words}{to}"))
}

fn erasure_asked(blank: &Blank, asked: &ErasureRequested) -> Entry {
    let spans: Vec<String> = asked
        .events
        .iter()
        .map(|span| format!("#{} to #{}", span.from, span.to))
        .collect();
    let deed = format!("has the content of {} erased", spans.join(", "));
    change(blank, &blank.by, deed)
}

fn join_elapsed(blank: &Blank, elapsed: &JoinElapsed) -> Entry {
    let missing: Vec<String> = elapsed.missing.iter().map(ToString::to_string).collect();
    let deed = format!("goes on without {}", missing.join(", "));
    change(blank, &elapsed.agent, deed)
}

fn change(blank: &Blank, who: &(impl fmt::Display + ?Sized), deed: String) -> Entry {
    blank.entry(EntryKind::Change, who, deed)
}
