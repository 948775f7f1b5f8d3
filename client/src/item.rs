//! Items of a feed.

use std::fmt;

use serde_json::Value;

use crate::error::ClientError;
use crate::request::Request;

/// The place of an item in the feed of its room, as the server writes it: `17`, or `17.1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemId(pub(crate) String);

impl ItemId {
    /// The place that `text` names: one that a client has kept.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The place as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that happened in a room.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    id: ItemId,
    json: String,
    value: Value,
}

impl Item {
    /// Reads an item.
    ///
    /// # Errors
    /// [`ClientError::Unreadable`].
    pub(crate) fn read(id: ItemId, json: String) -> Result<Self, ClientError> {
        let value: Value = serde_json::from_str(&json)
            .map_err(|error| ClientError::unreadable(format!("item {id} is no JSON: {error}")))?;
        if value.get("type").is_some_and(Value::is_string) {
            Ok(Self { id, json, value })
        } else {
            Err(ClientError::unreadable(format!("item {id} has no `type`")))
        }
    }

    /// The place in the feed.
    #[must_use]
    pub const fn id(&self) -> &ItemId {
        &self.id
    }

    /// The kind in one word, e.g. `message`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.word("type").unwrap_or_default()
    }

    /// All of it.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// All of it as JSON, byte for byte as the server sent it.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The episode that it belongs to.
    #[must_use]
    pub fn episode(&self) -> Option<u64> {
        self.number("episode")
    }

    /// The agent that acts.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.word("agent")
    }

    /// The id of the message, of a `message` or a `revised` item.
    #[must_use]
    pub fn message(&self) -> Option<u64> {
        self.number("message")
    }

    /// The name of whoever said a message; `None` if it is no message, or the room's own.
    #[must_use]
    pub fn author(&self) -> Option<&str> {
        let author = self.value.get("author")?;
        ["person", "agent"]
            .iter()
            .find_map(|kind| author.get(kind)?.as_str())
    }

    /// The words of a message, a decision or a result; `None` if there are none, or they were
    /// erased.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.word("text")
    }

    /// The request that waits from here on, of a `request` item.
    #[must_use]
    pub fn request(&self) -> Option<Request> {
        let request = self.value.get("request").filter(|it| it.is_object())?;
        serde_json::from_value(request.clone()).ok()
    }

    /// The change in who works, of an `activity` item: `turn_opened`, `turn_closed` or
    /// `episode_ended`.
    #[must_use]
    pub fn activity(&self) -> Option<&str> {
        match self.value.get("activity")? {
            Value::String(word) => Some(word),
            Value::Object(change) => change.keys().next().map(String::as_str),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        }
    }

    fn word(&self, name: &str) -> Option<&str> {
        self.value.get(name)?.as_str()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.value.get(name)?.as_u64()
    }
}
