//! The parts of a memory that leave it when messages are taken back.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::{PrefixCause, Purpose};
use crate::ids::{Incarnation, Position};
use crate::prompt::Item;
use crate::world::memory::{Memory, Remembered, Turn};

/// Messages that were taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBack {
    /// The positions of the messages, in ascending order.
    pub gone: Arc<[Position]>,
    /// To the agent whose reply was taken back itself: the news of the turn that said it. All that
    /// the agent did in that turn goes with the reply, while the news stay.
    pub said_for: Option<Arc<[Position]>>,
}

impl TakenBack {
    /// Tells whether an item goes with them.
    fn takes(&self, kept: &Remembered) -> bool {
        is_within(&kept.because, &self.gone) || self.takes_turn(kept)
    }

    fn takes_turn(&self, kept: &Remembered) -> bool {
        let is_own = !matches!(*kept.item, Item::Heard { .. });
        is_own && self.said_for.as_ref() == Some(&kept.because)
    }

    /// Tells whether anything about an item changes.
    fn touches(&self, kept: &Remembered) -> bool {
        self.takes_turn(kept) || without(&kept.because, &self.gone).is_some()
    }
}

/// Tells whether what is there for the messages at `because` goes when those at `gone`, in
/// ascending order, do.
pub(crate) fn is_within(because: &[Position], gone: &[Position]) -> bool {
    !because.is_empty() && because.iter().all(|at| gone.binary_search(at).is_ok())
}

/// `because` without the positions at `gone`, which are in ascending order; `None` if it has none
/// of them.
pub(crate) fn without(because: &[Position], gone: &[Position]) -> Option<Arc<[Position]>> {
    let is_kept = |at: &&Position| gone.binary_search(at).is_err();
    let kept: Arc<[Position]> = because.iter().filter(is_kept).copied().collect();
    (kept.len() < because.len()).then_some(kept)
}

impl Memory {
    /// Takes messages back: at once, or, while the model reads the items in this `incarnation`,
    /// once it has done so.
    pub(crate) fn take_back(&mut self, taken: TakenBack, incarnation: Incarnation) {
        if self.items.iter().any(|kept| taken.touches(kept)) {
            self.taken_back.push(taken);
        }
        let model = self.turn.as_ref().and_then(|turn| turn.model.as_ref());
        if model.is_none_or(|model| model.retry_at.is_some() || model.incarnation != incarnation) {
            self.flush_taken_back();
        }
    }

    /// Lets go of the items that were taken back while the model read them.
    pub(crate) fn flush_taken_back(&mut self) {
        // Every turn comes by here, and almost always for nothing: it must not cost what the memory
        // is long.
        if self.taken_back.is_empty() {
            return;
        }
        let before = self.items.len();
        for taken in std::mem::take(&mut self.taken_back) {
            self.shorten_summary(&taken);
            self.items.retain(|kept| !taken.takes(kept));
            for kept in &mut self.items {
                kept.because = without(&kept.because, &taken.gone)
                    .unwrap_or_else(|| Arc::clone(&kept.because));
            }
        }
        self.tokens = self
            .items
            .iter()
            .map(|kept| u64::from(kept.tokens))
            .fold(0, u64::saturating_add);
        if self.items.len() < before && self.chain.take().is_some() {
            self.broken = Some(PrefixCause::Retraction);
        }
    }

    /// A summary that is still to be asked for stands for what is left of its items.
    fn shorten_summary(&mut self, taken: &TakenBack) {
        let model = self.turn.as_mut().and_then(|turn| turn.model.as_mut());
        let Some(model) = model.filter(|model| model.purpose == Purpose::Compaction) else {
            return;
        };
        let gone = self
            .items
            .iter()
            .take(model.summarised())
            .filter(|kept| taken.takes(kept))
            .count();
        model.items = model
            .items
            .saturating_sub(u32::try_from(gone).unwrap_or(u32::MAX));
    }

    /// Tells whether any of the `count` oldest items was taken back while the model reads them.
    pub(crate) fn has_lost_any_of(&self, count: usize) -> bool {
        let is_taken = |kept: &Remembered| self.taken_back.iter().any(|taken| taken.takes(kept));
        self.items.iter().take(count).any(is_taken)
    }

    /// Tells whether the message at `at` is among the items.
    pub(crate) fn has_heard(&self, at: Position) -> bool {
        self.items
            .iter()
            .any(|kept| matches!(*kept.item, Item::Heard { .. }) && *kept.because == [at])
    }
}

impl Turn {
    /// Tells whether any of its news are among `gone`, or it is the one whose own words were taken
    /// back.
    pub(crate) fn is_undone_by(&self, taken: &TakenBack) -> bool {
        without(&self.because, &taken.gone).is_some() || self.is_of(taken)
    }

    /// Tells whether its own words were taken back themselves.
    pub(crate) fn is_of(&self, taken: &TakenBack) -> bool {
        taken.said_for.as_ref() == Some(&self.because)
    }

    /// Lets go of the news that are gone. A turn without any, or without its words, has no results
    /// to remember either.
    pub(crate) fn undo(&mut self, taken: &TakenBack) {
        if is_within(&self.because, &taken.gone) || self.is_of(taken) {
            self.slots.clear();
        }
        self.news
            .retain(|message| taken.gone.binary_search(&message.at).is_err());
        self.because =
            without(&self.because, &taken.gone).unwrap_or_else(|| Arc::clone(&self.because));
    }
}
