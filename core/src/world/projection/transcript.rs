//! The transcript: what people read of a world, newest first, a page at a time.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::command::commit::Commit;
use crate::content::Content;
use crate::event::{
    Attachment, Author, CallEvent, Event, MessageBody, MessageEdited, MessagePosted, MessageRouted,
    Notice, NoticePosted, TalkEvent, ToolFinished,
};
use crate::ids::{AgentName, CallId, EpisodeId, MessageId, PersonName, Position, Time};
use crate::model::response::LLMResponse;
use crate::tool::View;
use crate::world::projection::answer_of;

#[cfg(test)]
mod tests;

/// A piece of what people read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptEntry {
    /// A message of somebody.
    Message(TranscriptMessage),
    /// The world told something.
    Notice(TranscriptNotice),
    /// A tool showed something.
    Shown(TranscriptShown),
}

/// A message as it reads now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptMessage {
    /// Its id: the same before and after an edit.
    pub message: MessageId,
    /// Where it stands: an edit moves it there.
    pub at: Position,
    /// When that was.
    pub time: Time,
    /// Who says it.
    pub author: Author,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// The episode it belongs to.
    pub episode: EpisodeId,
    /// What is said; `None` if it was erased.
    pub text: Option<String>,
    /// What is attached; nothing if that was erased.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// True if its words were put in the place of others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
}

/// What the world told: a code with arguments, to be put into words where it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptNotice {
    /// Where it stands.
    pub at: Position,
    /// When that was.
    pub time: Time,
    /// What is told.
    pub notice: Notice,
    /// Whom it is for; `None` is everyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<PersonName>,
    /// The episode it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeId>,
}

/// What a tool showed people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptShown {
    /// Where it stands.
    pub at: Position,
    /// When that was.
    pub time: Time,
    /// The agent whose call it was.
    pub agent: AgentName,
    /// The call.
    pub call: CallId,
    /// What is shown, in order; never empty.
    pub views: Vec<View>,
}

/// The entry in words, for programs that draw nothing of their own.
impl fmt::Display for TranscriptEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(message) => message.fmt(f),
            Self::Notice(notice) => notice.fmt(f),
            Self::Shown(shown) => shown.fmt(f),
        }
    }
}

/// The author and the words.
impl fmt::Display for TranscriptMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text.as_deref().unwrap_or("[erased]");
        write!(f, "{}: {text}", self.author)
    }
}

/// The code of the notice, and what it names.
impl fmt::Display for TranscriptNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "world: {}", self.notice)
    }
}

/// The agent whose call it was, and what people see, a line each.
impl fmt::Display for TranscriptShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a tool of {} shows:", self.agent)?;
        self.views.iter().try_for_each(|view| write!(f, "\n{view}"))
    }
}

impl TranscriptEntry {
    /// Returns where it stands.
    #[must_use]
    pub const fn at(&self) -> Position {
        match self {
            Self::Message(message) => message.at,
            Self::Notice(notice) => notice.at,
            Self::Shown(shown) => shown.at,
        }
    }
}

/// A page of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptPage {
    /// What is on it, newest first.
    pub entries: Vec<TranscriptEntry>,
    /// What the next, older page is before; `None` if there is none.
    pub next: Option<Position>,
}

/// Fills a page from commits, newest first.
#[derive(Debug)]
pub struct TranscriptPager {
    limit: usize,
    before: Position,
    entries: Vec<TranscriptEntry>,
}

impl TranscriptPager {
    /// Begins a page of at most `limit` entries, all before `before`.
    #[must_use]
    pub const fn new(before: Position, limit: usize) -> Self {
        Self {
            limit,
            before,
            entries: Vec::new(),
        }
    }

    /// Takes what fits of the next older commit. `gone` has at least those of its messages that later events took away.
    pub fn take(&mut self, commit: &Commit, gone: &BTreeSet<Position>) {
        for entry in entries_of(commit, gone).into_iter().rev() {
            if !self.is_full() && entry.at() < self.before {
                self.before = entry.at();
                self.entries.push(entry);
            }
        }
        if !self.is_full() {
            self.before = self.before.min(commit.header.first);
        }
    }

    /// Returns how many more entries fit.
    #[must_use]
    pub const fn room(&self) -> usize {
        self.limit.saturating_sub(self.entries.len())
    }

    /// Tells whether no more fits.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.room() == 0
    }

    /// Sets the place that all entries still to be read are before.
    #[must_use]
    pub const fn before(&self) -> Position {
        self.before
    }

    /// The page, as far as it got.
    #[must_use]
    pub fn finish(self) -> TranscriptPage {
        let next = (self.before > Position::new(1)).then_some(self.before);
        TranscriptPage {
            entries: self.entries,
            next,
        }
    }
}

/// Returns what people read of a commit, in order.
fn entries_of(commit: &Commit, gone: &BTreeSet<Position>) -> Vec<TranscriptEntry> {
    let mut answer = None;
    let mut entries = Vec::new();
    let time = commit.header.stamp.time;
    for (at, event) in commit.numbered() {
        answer = answer_of(at, event).or(answer);
        if gone.contains(&at) {
            continue;
        }
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            entries.push(TranscriptEntry::Message(said(
                at,
                time,
                posted,
                answer.as_ref(),
            )));
        } else if let Event::Talk(TalkEvent::MessageEdited(edited)) = event {
            entries.push(TranscriptEntry::Message(said_anew(at, time, edited)));
        } else if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
            entries.iter_mut().for_each(|entry| belong(entry, routed));
        } else if let Event::Talk(TalkEvent::NoticePosted(posted)) = event
            && !posted
                .notice
                .message()
                .is_some_and(|message| gone.contains(&message))
        {
            let NoticePosted {
                notice,
                to,
                episode,
            } = posted.clone();
            entries.push(TranscriptEntry::Notice(TranscriptNotice {
                at,
                time,
                notice,
                to,
                episode,
            }));
        } else if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            entries.extend(shown(at, time, finished).map(TranscriptEntry::Shown));
        }
    }
    entries
}

pub(super) fn said(
    at: Position,
    time: Time,
    posted: &MessagePosted,
    answer: Option<&(Position, Content<LLMResponse>)>,
) -> TranscriptMessage {
    let text = match (&posted.answer, answer) {
        (None, _) => posted.body.present().map(|body| body.text.clone()),
        (Some(place), Some((stands, response))) if place.at == *stands => response
            .present()
            .map(|response| response.spoken_without(&place.cut)),
        (Some(_), Some(_) | None) => None,
    };
    TranscriptMessage {
        message: posted.message,
        at,
        time,
        author: posted.author.clone(),
        reply_to: posted.reply_to,
        episode: EpisodeId(at),
        text,
        attachments: attached(&posted.body),
        edited: false,
    }
}

pub(super) fn said_anew(at: Position, time: Time, edited: &MessageEdited) -> TranscriptMessage {
    TranscriptMessage {
        message: edited.message,
        at,
        time,
        author: edited.author.clone(),
        reply_to: edited.reply_to,
        episode: EpisodeId(at),
        text: edited.body.present().map(|body| body.text.clone()),
        attachments: attached(&edited.body),
        edited: true,
    }
}

fn shown(at: Position, time: Time, finished: &ToolFinished) -> Option<TranscriptShown> {
    let views: Vec<View> = finished.views().cloned().collect();
    let agent = finished.agent.clone();
    let call = finished.call;
    (!views.is_empty()).then_some(TranscriptShown {
        at,
        time,
        agent,
        call,
        views,
    })
}

fn attached(body: &Content<MessageBody>) -> Vec<Attachment> {
    body.present()
        .map(|body| body.attachments.clone())
        .unwrap_or_default()
}

fn belong(entry: &mut TranscriptEntry, routed: &MessageRouted) {
    if let TranscriptEntry::Message(message) = entry
        && message.at == routed.message
    {
        message.episode = routed.episode;
    }
}
