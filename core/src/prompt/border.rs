//! Every text that a model reads is made in a module below this one, and nowhere else.
//!
//! Three kinds of words cross. Fixed sentences and what the room's definition says are ours. What
//! people, tools and clients gave is data: it is redacted as the room's policy says, and results
//! stand between fences. An agent's own words come back to it byte for byte, since providers
//! compare them with what they gave.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;

use serde::Serialize;

use crate::content::Content;
use crate::text::redaction::{RedactionKind, redact_text};
use crate::tool::ViewPolicy;

pub(crate) mod checkpoint;
mod done;
mod fence;
#[cfg(feature = "testing")]
mod forgery;
mod layer;
mod message;
mod notice;
mod sentence;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use done::{DoneCall, done_before};
pub use fence::Fence;
#[cfg(feature = "testing")]
pub use forgery::ForgedRequest;
pub(crate) use layer::{declaration, identity, written};
pub(crate) use message::{heard, observed, own_summary};
pub(crate) use notice::{erased_notice, settled_notice, summary_instruction};
pub use view::ModelView;

/// A text that a model may read. Only this crate makes one: there is no way to turn a string into
/// it from outside.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ModelText(String);

/// The text can be read as any text can.
impl Deref for ModelText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ModelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for ModelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The word of the room's rules and of people on one crossing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crossing<'r> {
    /// The kinds of data that are taken out of what others wrote.
    pub(crate) redact: &'r BTreeSet<RedactionKind>,
    /// The part of the tool's output that a model sees.
    pub(crate) view: ViewPolicy,
    /// The change that a person made to the call's arguments.
    pub(crate) edits: Option<&'r Content<String>>,
    /// The reason that a person denied the call, if the agent may read it.
    pub(crate) reason: Option<&'r Content<String>>,
}

impl Crossing<'static> {
    /// Takes nothing out and holds nothing back: for people, who read the same sentences.
    pub(crate) const OPEN: Self = Self {
        redact: &BTreeSet::new(),
        view: ViewPolicy::Full,
        edits: None,
        reason: None,
    };
}

/// Takes out of others' words what the room's policy keeps from models. The one place where the
/// policy is applied.
fn redacted(kinds: &BTreeSet<RedactionKind>, text: &str) -> String {
    redact_text(kinds, text).into_owned()
}
