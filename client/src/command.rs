//! Commands: rooms to open, messages to post.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The key of a command. Sent again under the same key, it is done once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(pub(crate) String);

impl Key {
    /// A new key, which nobody else has.
    #[must_use]
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }

    /// A key of the caller's own, of 1 to 255 visible ASCII characters: whoever keeps it can repeat
    /// the command after a restart of their own.
    pub fn of(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl Default for Key {
    fn default() -> Self {
        Self::new()
    }
}

/// A room to open.
#[derive(Debug, Clone, Serialize)]
pub struct NewRoom {
    template: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip)]
    pub(crate) key: Key,
}

impl NewRoom {
    /// A room of the template called `template`.
    pub fn from_template(template: impl Into<String>) -> Self {
        Self {
            template: template.into(),
            title: None,
            labels: BTreeMap::new(),
            name: None,
            key: Key::new(),
        }
    }

    /// The same, with the title that people read.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same, with a label.
    #[must_use]
    pub fn labelled(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.insert(name.into(), value.into());
        self
    }

    /// The same, with a name of the caller's own. Only whoever operates the whole server may give
    /// one; else the server makes it.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same, under a key of the caller's own.
    #[must_use]
    pub fn under(mut self, key: Key) -> Self {
        self.key = key;
        self
    }
}

/// The answer to a room that was opened.
#[derive(Debug, Deserialize)]
pub(crate) struct Opened {
    pub(crate) world: String,
}

/// A message to post.
#[derive(Debug, Clone, Serialize)]
pub struct NewMessage {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<u64>,
    #[serde(skip)]
    pub(crate) key: Key,
}

impl NewMessage {
    /// A message in words, under a new key.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            reply_to: None,
            key: Key::new(),
        }
    }

    /// The same, as an answer to another message.
    #[must_use]
    pub const fn in_reply_to(mut self, message: u64) -> Self {
        self.reply_to = Some(message);
        self
    }

    /// The same, under a key of the caller's own.
    #[must_use]
    pub fn under(mut self, key: Key) -> Self {
        self.key = key;
        self
    }
}

/// A message that is in the room's log, and survives power loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Posted {
    /// The message's id.
    pub message: u64,
    /// The position of its event in the log.
    pub position: u64,
}
