//! The revisions of messages that observers of the text channel are shown: edited, taken back, made anew.

use serde::{Deserialize, Serialize};

use crate::command::commit::Commit;
use crate::event::{Author, Event, MessageEdited, TalkEvent};
use crate::ids::{EpisodeId, MessageId, Position};
use crate::port::TextEvent;

/// Messages left the room. Whoever shows messages shows them no longer, or says that they are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// The position. An edited message is on the text channel again under this one.
    pub at: Position,
    /// The message that it is about.
    pub message: MessageId,
    /// The kind of the revision.
    pub how: Revised,
    /// The positions of the messages that are gone: that one, and what was said in answer to these alone.
    pub gone: Vec<Position>,
}

/// The kind of a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Revised {
    /// The message has other words.
    Edited,
    /// The message was taken back.
    Retracted,
    /// The message is made anew, as another one.
    Regenerated,
}

impl Revision {
    /// The revisions of a commit.
    #[must_use]
    pub fn of(commit: &Commit) -> Vec<Self> {
        let revision = |(at, event): (Position, &Event)| {
            let Event::Talk(event) = event else {
                return None;
            };
            Self::of_event(at, event)
        };
        commit.numbered().filter_map(revision).collect()
    }

    /// The revision that the event at `at` is; `None` if it is none.
    pub(super) fn of_event(at: Position, event: &TalkEvent) -> Option<Self> {
        let (message, how, gone) = match event {
            TalkEvent::MessageEdited(edited) => (edited.message, Revised::Edited, &edited.gone),
            TalkEvent::MessageRetracted(retracted) => {
                (retracted.message, Revised::Retracted, &retracted.gone)
            }
            TalkEvent::ReplyRegenerated(made) => (made.message, Revised::Regenerated, &made.gone),
            TalkEvent::MessagePosted(_)
            | TalkEvent::MessageRouted(_)
            | TalkEvent::NoticePosted(_)
            | TalkEvent::ArtifactWithheld(_)
            | TalkEvent::StateObserved(_) => return None,
        };
        Some(Self {
            at,
            message,
            how,
            gone: gone.clone(),
        })
    }
}

/// The message that goes on with other words.
pub(super) fn edited_event(at: Position, edited: &MessageEdited) -> TextEvent {
    let body = edited.body.present().cloned().unwrap_or_default();
    TextEvent {
        at,
        message: edited.message,
        episode: EpisodeId(at),
        from: edited.author.to_string(),
        is_person: matches!(edited.author, Author::Person(_)),
        text: body.text,
        attachments: body.attachments,
    }
}
