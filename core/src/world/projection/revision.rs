//! The revisions of messages that observers of the text channel are shown: edited, taken back, made anew.

use serde::{Deserialize, Serialize};

use crate::command::commit::Commit;
use crate::event::{Author, Event, MessageEdited, TalkEvent};
use crate::ids::{EpisodeId, MessageId, Position};
use crate::port::TextEvent;
use crate::world::projection::shown;

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
            let (message, how, gone) = if let Event::Talk(TalkEvent::MessageEdited(edited)) = event
            {
                (edited.message, Revised::Edited, &edited.gone)
            } else if let Event::Talk(TalkEvent::MessageRetracted(retracted)) = event {
                (retracted.message, Revised::Retracted, &retracted.gone)
            } else if let Event::Talk(TalkEvent::ReplyRegenerated(made)) = event {
                (made.message, Revised::Regenerated, &made.gone)
            } else {
                return None;
            };
            Some(Self {
                at,
                message,
                how,
                gone: gone.clone(),
            })
        };
        commit.numbered().filter_map(revision).collect()
    }
}

/// The message that goes on with other words.
pub(super) fn edited_event(at: Position, edited: &MessageEdited) -> TextEvent {
    let body = edited.body.present().cloned().unwrap_or_default();
    TextEvent {
        at,
        message: edited.message,
        episode: EpisodeId(at),
        from: shown(&edited.author),
        is_person: matches!(edited.author, Author::Person(_)),
        text: body.text,
        attachments: body.attachments,
    }
}
