//! Drafts: replies while they are being written, put together so that each byte comes once.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::ClientError;
use crate::item::Item;

#[cfg(test)]
mod tests;

/// The next piece of a reply that is being written. It is not in the log yet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Draft {
    /// The agent that speaks.
    pub agent: String,
    /// The message that it will be.
    pub message: u64,
    /// The place of the piece in the message, in bytes: the length of all pieces before.
    pub offset: u64,
    /// The piece.
    pub text: String,
}

/// The end of a draft. If it was said, the message's item comes behind this.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct DraftEnd {
    /// The message that it was to be.
    pub message: u64,
    /// The way in which it ended: `whole`, `aborted` (nothing of it was said), or `unknown`.
    pub ending: String,
}

/// The drafts whose end was not told yet, by their agents: an agent writes one at a time.
#[derive(Debug, Default)]
pub(crate) struct OpenDrafts(BTreeMap<String, Shown>);

/// A draft that was given out.
#[derive(Debug, Clone, Copy)]
struct Shown {
    message: u64,
    /// The number of bytes that were given.
    bytes: u64,
}

impl OpenDrafts {
    /// Takes a piece, which may repeat what came before the connection was lost. Gives the end of
    /// the agent's draft before, if nobody told it, and what is new of the piece.
    ///
    /// # Errors
    /// [`ClientError::Unreadable`] if the piece splits a letter that was given before.
    pub(crate) fn take(
        &mut self,
        mut piece: Draft,
    ) -> Result<(Option<DraftEnd>, Option<Draft>), ClientError> {
        let before = self.0.get(&piece.agent).copied();
        let over = before.filter(|shown| shown.message != piece.message);
        let bytes = match before {
            Some(shown) if over.is_none() => shown.bytes,
            Some(_) | None => 0,
        };
        let known = usize::try_from(bytes.saturating_sub(piece.offset)).unwrap_or(usize::MAX);
        if known >= piece.text.len() {
            return Ok((over.map(lost), None));
        }
        piece.text = piece.text.get(known..).map(str::to_owned).ok_or_else(|| {
            ClientError::unreadable(format!(
                "a draft of message {} changed while it was written",
                piece.message
            ))
        })?;
        piece.offset = piece.offset.saturating_add(known as u64);
        let shown = Shown {
            message: piece.message,
            bytes: piece.offset.saturating_add(piece.text.len() as u64),
        };
        self.0.insert(piece.agent.clone(), shown);
        Ok((over.map(lost), Some(piece)))
    }

    /// Takes an end. False if the draft's end was told before, or nothing of it was given.
    pub(crate) fn end(&mut self, end: &DraftEnd) -> bool {
        let before = self.0.len();
        self.0.retain(|_, shown| shown.message != end.message);
        self.0.len() < before
    }

    /// Takes an item. Gives the end of a draft that it shows to be over: of a connection that was
    /// lost meanwhile, no end is told.
    pub(crate) fn pass(&mut self, item: &Item) -> Option<DraftEnd> {
        let agent = item.agent()?;
        let shown = self.0.get(agent).copied()?;
        let is_it = item.kind() == "message" && item.message() == Some(shown.message);
        if is_it || item.activity() == Some("turn_closed") {
            self.0.remove(agent);
            Some(lost(shown))
        } else {
            None
        }
    }
}

/// The end of a draft of which nobody told the end.
fn lost(shown: Shown) -> DraftEnd {
    DraftEnd {
        message: shown.message,
        ending: "unknown".to_owned(),
    }
}
