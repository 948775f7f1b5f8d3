//! The request that keys decide.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::chat::ChatLine;

#[cfg(test)]
mod tests;

/// The request that keys decide: the one whose keys are the last thing that was printed. Anything
/// that is printed since takes it away, so that nobody decides what they did not just see.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyedRequest(Arc<Mutex<Keyed>>);

#[derive(Debug, Default)]
struct Keyed {
    /// The thing that was printed last.
    last: LastPrinted,
    /// True once its keys act at once: they have been seen for a moment.
    acts: bool,
    /// The request whose keys the person left, by name; `None` if they left none, or it was shown
    /// again.
    left: Option<String>,
}

/// The thing that was printed last.
#[derive(Debug, Default, PartialEq, Eq)]
enum LastPrinted {
    /// Something else.
    #[default]
    Other,
    /// The question of the request of this name.
    Block(String),
    /// The keys of the request of this name, right behind its question.
    Keys(String),
}

impl KeyedRequest {
    /// True if a line decides the request called `name` now.
    pub(crate) fn is_ready(&self, name: &str) -> bool {
        let keyed = self.lock();
        keyed.shown().is_some_and(|shown| shown == name)
    }

    /// Returns the name of the request that a key decides at once; `None` if there is none.
    pub(crate) fn at_once(&self) -> Option<String> {
        let keyed = self.lock();
        keyed.shown().filter(|_| keyed.acts).map(str::to_owned)
    }

    /// True if keys were shown that do not act at once yet.
    pub(super) fn is_new(&self) -> bool {
        let keyed = self.lock();
        keyed.shown().is_some() && !keyed.acts
    }

    /// Lets the keys that were shown act at once.
    pub(super) fn take_keys(&self) {
        self.lock().acts = true;
    }

    /// Leaves the keys that were shown, so that what is typed is said to the room; returns whether
    /// there were some.
    pub(crate) fn leave(&self) -> bool {
        let mut keyed = self.lock();
        let shown = keyed.shown().map(str::to_owned);
        let is_left = shown.is_some();
        if is_left {
            keyed.left = shown;
        }
        is_left
    }

    /// True if the person left the keys of the request called `name`.
    pub(crate) fn has_left(&self, name: &str) -> bool {
        self.lock().left.as_deref() == Some(name)
    }

    /// True if the question of the request called `name` was printed last.
    pub(super) fn has_block(&self, name: &str) -> bool {
        matches!(&self.lock().last, LastPrinted::Block(last) if last == name)
    }

    /// Notes that `line` is printed.
    pub(super) fn printed(&self, line: &ChatLine) {
        let mut keyed = self.lock();
        keyed.acts = false;
        keyed.last = match line {
            ChatLine::Asks(name, _) => LastPrinted::Block(name.clone()),
            ChatLine::Keys { name, again, .. }
                if again.is_some() || keyed.last == LastPrinted::Block(name.clone()) =>
            {
                keyed.left = None;
                LastPrinted::Keys(name.clone())
            }
            ChatLine::Said { .. }
            | ChatLine::Does { .. }
            | ChatLine::Shows { .. }
            | ChatLine::Quiet(_)
            | ChatLine::Good(_)
            | ChatLine::Bad(_)
            | ChatLine::Keys { .. }
            | ChatLine::Note(_)
            | ChatLine::Plain(_)
            | ChatLine::ToType(_) => LastPrinted::Other,
        };
    }

    /// Notes that something else is printed.
    pub(super) fn disturb(&self) {
        let mut keyed = self.lock();
        (keyed.last, keyed.acts) = (LastPrinted::Other, false);
    }

    fn lock(&self) -> MutexGuard<'_, Keyed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keyed {
    /// The name of the request whose keys were printed last and not left.
    fn shown(&self) -> Option<&str> {
        match &self.last {
            LastPrinted::Keys(name) if self.left.as_ref() != Some(name) => Some(name),
            LastPrinted::Keys(_) | LastPrinted::Block(_) | LastPrinted::Other => None,
        }
    }
}
