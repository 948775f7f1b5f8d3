//! An event in a line of `log`.

use folkmoot::core::event::EventKind;
use folkmoot::core::ids::Time;
use folkmoot::view::event::EventView;
use unicode_width::UnicodeWidthChar as _;

use crate::show::style::{BOLD, DIM, paint};
use crate::show::{clean, one_line};

#[cfg(test)]
mod tests;

/// The fewest columns that a line is fitted into.
const WIDTH_MIN: usize = 40;
/// The fewest columns in which whoever acts has a column.
const WIDTH_OF_ACTORS: usize = 60;
/// The most columns of the name of whoever acts.
const ACTOR_MAX: usize = 10;

/// The lines of a log: each fits the terminal, and those of bookkeeping are dim.
#[derive(Debug)]
pub(super) struct Rows {
    /// The columns of the terminal; `None` if the lines are read by something else.
    width: Option<usize>,
    /// The day of the last line; `None` before the first one.
    day: Option<String>,
}

impl Rows {
    pub(super) fn new(width: Option<u16>) -> Self {
        Self {
            width: width.map(|width| usize::from(width).max(WIDTH_MIN)),
            day: None,
        }
    }

    /// The line of `event`; on a terminal, behind a line for its day if that is another one.
    pub(super) fn of(&mut self, event: &EventView) -> Vec<String> {
        let Some(width) = self.width else {
            return vec![whole(event)];
        };
        let day = stamp(event.time, "%Y-%m-%d");
        let begins = (self.day.as_ref() != Some(&day)).then(|| paint(DIM, &format!("      {day}")));
        self.day = Some(day);
        begins.into_iter().chain([fitted(event, width)]).collect()
    }
}

/// The line of an event for whoever reads lines: with all that there is to say.
fn whole(event: &EventView) -> String {
    let line = format!(
        "{:>5}  {}  {:<17}  {:<12}  {}",
        event.position.get(),
        stamp(event.time, "%Y-%m-%dT%H:%M:%S%.3fZ"),
        event.kind,
        clean(&event.actor()),
        one_line(&event.gist)
    );
    styled(event, line.trim_end())
}

/// The line of an event in `width` columns.
fn fitted(event: &EventView, width: usize) -> String {
    let (at, when) = (event.position.get(), stamp(event.time, "%H:%M:%S"));
    let gist = one_line(&event.gist);
    let line = if width < WIDTH_OF_ACTORS {
        format!("{at:>5} {when} {} {gist}", event.kind)
    } else {
        let actor = clean(&event.actor());
        // The column of names has said who speaks.
        let said = gist.strip_prefix(&format!("{actor}: ")).unwrap_or(&gist);
        let actor = padded(&actor, ACTOR_MAX);
        format!("{at:>5} {when} {:<17} {actor} {said}", event.kind)
    };
    let line = cut(&line, width);
    styled(event, line.trim_end())
}

/// The line, dim if the event is bookkeeping; else its kind stands out.
fn styled(event: &EventView, line: &str) -> String {
    if !matters(&event.kind) {
        return paint(DIM, line);
    }
    match line.split_once(&event.kind) {
        Some((before, after)) => {
            format!("{}{}{after}", paint(DIM, before), paint(BOLD, &event.kind))
        }
        None => line.to_owned(),
    }
}

/// True if people look for events of this kind: something was said, done, asked or decided, or it
/// went wrong. A kind that this build does not know counts as one.
fn matters(kind: &str) -> bool {
    let known = EventKind::ALL
        .iter()
        .map(|(known, _)| *known)
        .find(|known| known.name() == kind);
    match known {
        Some(
            EventKind::WorldOpened
            | EventKind::Opened
            | EventKind::EpochOpened
            | EventKind::StepDone
            | EventKind::Labelled
            | EventKind::HeadSigned
            | EventKind::MessageRouted
            | EventKind::StateObserved
            | EventKind::TurnOpened
            | EventKind::TurnDeclined
            | EventKind::ModelCalled
            | EventKind::StreamStarted
            | EventKind::StreamCut
            | EventKind::ModelAnswered
            | EventKind::AgentReacted
            | EventKind::PrefixBroken
            | EventKind::TurnClosed
            | EventKind::MemoryCompacted
            | EventKind::CallsAdmitted
            | EventKind::GrantUsed,
        ) => false,
        Some(
            EventKind::SpecRevised
            | EventKind::PersonJoined
            | EventKind::PersonLeft
            | EventKind::WarningRecorded
            | EventKind::RightsChanged
            | EventKind::Forked
            | EventKind::ErasureRequested
            | EventKind::Erased
            | EventKind::WithheldViewed
            | EventKind::Restored
            | EventKind::MessagePosted
            | EventKind::NoticePosted
            | EventKind::MessageEdited
            | EventKind::MessageRetracted
            | EventKind::ReplyRegenerated
            | EventKind::ArtifactWithheld
            | EventKind::ModelFailed
            | EventKind::AgentFailed
            | EventKind::Stopped
            | EventKind::JoinElapsed
            | EventKind::HandedOff
            | EventKind::ApprovalRequested
            | EventKind::ApprovalDecided
            | EventKind::ApprovalExpired
            | EventKind::QuestionAsked
            | EventKind::QuestionAnswered
            | EventKind::ToolStarted
            | EventKind::ToolFinished
            | EventKind::OutcomeUnknown
            | EventKind::OutcomeSettled
            | EventKind::Reconciled
            | EventKind::CallReplaced
            | EventKind::AgentAsked
            | EventKind::GrantGiven
            | EventKind::GrantRevoked
            | EventKind::Refused,
        )
        | None => true,
    }
}

/// A time in UTC; the bare number where that cannot be.
fn stamp(time: Time, form: &str) -> String {
    let stamp = i64::try_from(time.0)
        .ok()
        .and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    stamp.map_or_else(
        || time.0.to_string(),
        |stamp| stamp.strftime(form).to_string(),
    )
}

/// The text in exactly `width` columns.
fn padded(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let room = width.saturating_sub(text.chars().map(columns).sum());
    format!("{text}{}", " ".repeat(room))
}

/// The text in at most `width` columns, with `…` where it was longer.
fn cut(text: &str, width: usize) -> String {
    if text.chars().map(columns).sum::<usize>() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let fits = |c: &char| match left.checked_sub(columns(*c)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// The columns that a character takes.
fn columns(c: char) -> usize {
    c.width().unwrap_or_default()
}
