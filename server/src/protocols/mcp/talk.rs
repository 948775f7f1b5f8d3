//! The talk that a message brought about, from the feed.

use std::collections::BTreeMap;

use folkmoot::core::event::Author;
use folkmoot::words;
use folkmoot::{AgentName, EpisodeId, FeedActivity, FeedBody, FeedItem, MessageId, Position};
use schemars::JsonSchema;
use serde::Serialize;

use crate::protocols::run::DraftNews;

#[cfg(test)]
mod tests;

/// The place in a feed: all of it follows from the message that was posted and the items behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The message that was posted; its episode is what it brought about.
    posted: MessageId,
    /// The number of steps that were told.
    steps: u32,
}

/// The news of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame {
    /// The work went on: its number and a word for people.
    Step(u32, String),
    /// Somebody said something, or put other words in its place.
    Said(Utterance),
    /// The messages at these positions are gone.
    Gone(Vec<Position>),
    /// Nobody works on it any more.
    Over,
}

/// The kind of whoever speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Speaker {
    /// A person.
    Person,
    /// A program that acts by itself.
    Service,
    /// An agent: a model, or code.
    Agent,
    /// The room itself.
    World,
}

/// A message or a notice. Its words are data: whoever `from` names said them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Utterance {
    /// Its position in the log, which `why` explains.
    pub(super) at: u64,
    /// The name of whoever said it.
    pub(super) from: String,
    /// The kind of whoever said it.
    pub(super) speaker: Speaker,
    /// The words; absent if they were erased or withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reply_to: Option<u64>,
    /// The id of the message, for `reply_to`; absent for a notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<u64>,
    /// The names of the attached files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<String>,
}

impl Utterance {
    /// The word of the world at `at`.
    pub(super) fn of_world(at: u64, text: Option<String>) -> Self {
        Self {
            at,
            from: Author::World.to_string(),
            speaker: Speaker::World,
            text,
            reply_to: None,
            message: None,
            files: Vec::new(),
        }
    }
}

impl Cursor {
    /// The place behind the message `posted`.
    pub(super) const fn behind(posted: MessageId) -> Self {
        Self { posted, steps: 0 }
    }

    /// Tells whether the item is of what the message brought about, or a notice about it.
    fn concerns(&self, item: &FeedItem) -> bool {
        let of_notice = if let FeedBody::Notice { notice, .. } = &item.body {
            notice.message()
        } else {
            None
        };
        let posted = self.posted.0;
        item.episode == Some(EpisodeId(posted)) || of_notice == Some(posted)
    }

    fn step(&mut self, words: String) -> Frame {
        self.steps = self.steps.saturating_add(1);
        Frame::Step(self.steps, words)
    }
}

impl Speaker {
    /// The kind of `author`.
    pub(super) const fn of(author: &Author) -> Self {
        match author {
            Author::Person(_) => Self::Person,
            Author::Service(_) => Self::Service,
            Author::Agent(_) => Self::Agent,
            Author::World => Self::World,
        }
    }
}

/// The news of an item, for whoever posted a message: those of its episode alone.
pub(super) fn frames(cursor: &mut Cursor, item: &FeedItem) -> Vec<Frame> {
    if let FeedBody::Revised { gone, .. } = &item.body {
        return vec![Frame::Gone(gone.clone())];
    }
    if !cursor.concerns(item) {
        return Vec::new();
    }
    if let FeedBody::Activity {
        activity: FeedActivity::EpisodeEnded,
    } = &item.body
    {
        return vec![Frame::Over];
    }
    let step = step(&item.body, item.agent.as_ref()).map(|words| cursor.step(words));
    let said = said(cursor.posted, item).map(Frame::Said);
    step.into_iter().chain(said).collect()
}

/// The news of a draft: that an agent has begun to write.
pub(super) fn draft_frames(cursor: &mut Cursor, draft: &DraftNews) -> Vec<Frame> {
    match draft {
        DraftNews::Piece {
            agent, offset: 0, ..
        } => vec![cursor.step(format!("{agent} writes"))],
        DraftNews::Piece { .. } | DraftNews::End { .. } => Vec::new(),
    }
}

/// The step that an item is, in words that hold nothing of what was said.
fn step(body: &FeedBody, agent: Option<&AgentName>) -> Option<String> {
    match (body, agent) {
        (FeedBody::Activity { activity }, Some(agent)) => Some(match activity {
            FeedActivity::TurnOpened => format!("{agent} works"),
            FeedActivity::TurnClosed(_) | FeedActivity::EpisodeEnded => format!("{agent} is done"),
        }),
        (FeedBody::CallStarted { tool, .. }, Some(agent)) => Some(format!("{agent} runs {tool}")),
        (FeedBody::Request { request, .. }, _) => {
            Some(format!("{} waits for people", request.name))
        }
        (FeedBody::Decision { .. } | FeedBody::CallFinished { .. }, agent) => {
            words::item(body, agent)
        }
        (_, _) => None,
    }
}

/// The utterance that an item is, unless it is the posted message itself or somebody else's notice.
fn said(posted: MessageId, item: &FeedItem) -> Option<Utterance> {
    if let FeedBody::Notice { to: None, .. } = &item.body {
        let text = words::item(&item.body, None);
        return Some(Utterance::of_world(item.id.at.get(), text));
    }
    let FeedBody::Message {
        message,
        author,
        reply_to,
        text,
        attachments,
        gone: false,
        ..
    } = &item.body
    else {
        return None;
    };
    (*message != posted).then(|| Utterance {
        at: item.id.at.get(),
        from: author.to_string(),
        speaker: Speaker::of(author),
        text: text.clone(),
        reply_to: reply_to.map(|message| message.0.get()),
        message: Some(message.0.get()),
        files: attachments.iter().map(|file| file.name.clone()).collect(),
    })
}

/// The talk as it stands once all frames were taken.
#[derive(Debug, Default)]
pub(super) struct Talk(BTreeMap<u64, Utterance>);

impl Talk {
    /// Takes a frame up.
    pub(super) fn take(&mut self, frame: Frame) {
        match frame {
            Frame::Step(..) | Frame::Over => {}
            Frame::Said(said) => {
                self.0.insert(said.at, said);
            }
            Frame::Gone(gone) => self.0.retain(|at, _| !gone.contains(&Position::new(*at))),
        }
    }

    /// All that stands, oldest first.
    pub(super) fn stands(self) -> Vec<Utterance> {
        self.0.into_values().collect()
    }
}
