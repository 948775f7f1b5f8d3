//! The pieces of a conversation.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::model::response::Part;
use crate::prompt::border::ModelText;

/// A piece of the conversation as an agent saw it. Holds no id, position or time of ours.
///
/// Only an `Item` of [`ModelText`] goes to a model, and only this crate makes one. An
/// `Item<String>` is a description of one, for views and tests; it goes nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item<T = ModelText> {
    /// A message of somebody.
    Heard {
        /// The speaker's display name.
        from: T,
        /// The text of the message.
        text: T,
        /// The attachments. The adapter gives the model some of them, and says what it leaves out.
        #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attached<T>>,
    },
    /// The agent's own answer: text, reasoning and calls, as the model gave them.
    Said {
        /// In order; calls carry the label under which their results are answered.
        parts: Vec<Part>,
    },
    /// The result of a call.
    Result {
        /// The label of the call in the agent's own answer.
        label: String,
        /// The text for the model: data between [fences](crate::prompt::border::Fence), or a fixed
        /// sentence.
        text: T,
        /// True if the call failed or did not run.
        failed: bool,
    },
    /// A word of the runtime, e.g. what became of a call whose outcome was unknown.
    Notice {
        /// A fixed sentence.
        text: T,
    },
    /// A state of a client, of what its user sees: data, never instructions.
    State {
        /// The state's name and its value, as JSON between [fences](crate::prompt::border::Fence).
        text: T,
    },
    /// The agent's own summary of what it no longer remembers word for word.
    Summary {
        /// The summary.
        text: T,
    },
}

/// A file that somebody attached, as a model is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached<T = ModelText> {
    /// The digest of its bytes.
    pub blob: Digest,
    /// The media type.
    pub media_type: T,
    /// The name.
    pub name: T,
    /// The size in bytes.
    pub bytes: u64,
}

impl Item {
    /// The item's digest: over its JSON, whose key order is fixed by this type.
    #[must_use]
    pub fn digest(&self) -> Digest {
        // An `Item` holds strings, booleans and JSON values only; none of them can fail to
        // serialise.
        Digest::of(&[&serde_json::to_vec(self).unwrap_or_default()])
    }

    /// The same in plain strings.
    #[must_use]
    pub fn to_plain(&self) -> Item<String> {
        self.clone().map(&|text: ModelText| text.to_string())
    }
}

impl<T> Item<T> {
    /// The same with other texts.
    pub(crate) fn map<U>(self, text_of: &impl Fn(T) -> U) -> Item<U> {
        match self {
            Self::Heard {
                from,
                text,
                attachments,
            } => Item::Heard {
                from: text_of(from),
                text: text_of(text),
                attachments: attachments
                    .into_iter()
                    .map(|file| file.map(text_of))
                    .collect(),
            },
            Self::Said { parts } => Item::Said { parts },
            Self::Result {
                label,
                text,
                failed,
            } => Item::Result {
                label,
                text: text_of(text),
                failed,
            },
            Self::Notice { text } => Item::Notice {
                text: text_of(text),
            },
            Self::State { text } => Item::State {
                text: text_of(text),
            },
            Self::Summary { text } => Item::Summary {
                text: text_of(text),
            },
        }
    }
}

impl<T> Attached<T> {
    fn map<U>(self, text_of: &impl Fn(T) -> U) -> Attached<U> {
        let Self {
            blob,
            media_type,
            name,
            bytes,
        } = self;
        Attached {
            blob,
            media_type: text_of(media_type),
            name: text_of(name),
            bytes,
        }
    }
}

/// The one line in which a model is told of it. The name stands between quotation marks, and its
/// own are escaped: where it ends is not for it to say.
impl<T: fmt::Display> fmt::Display for Attached<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            media_type,
            bytes,
            ..
        } = self;
        write!(
            f,
            "[attached: \"{}\", {media_type}, {bytes} bytes]",
            name.to_string().replace('"', "\\\"")
        )
    }
}
