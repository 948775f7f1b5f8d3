//! Memory: what an agent remembers and what it has open. It is a fold of the log, and the one place
//! where pending calls live.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::{PrefixCause, Purpose};
use crate::ids::{CallId, Digest, ModelName, Position, Time, TurnId};
use crate::model::Parameters;
use crate::prompt::border::{checkpoint, own_summary};
use crate::prompt::tokens::TokenCounter;
use crate::prompt::{Item, fingerprint_next};

mod call;
mod edit;
mod joining;
mod message;
mod ran;
mod reading;
mod revision;
#[cfg(test)]
mod tests;
mod turn;

pub use call::{Allowance, CallState, Given, GivenForm, OpenCall, Run};
pub use joining::{JoinEnd, Joining};
pub use message::Message;
pub use ran::Ran;
pub(crate) use ran::note_ran;
pub(crate) use reading::Reading;
pub use revision::TakenBack;
pub(crate) use revision::{is_within, without};
pub use turn::{CallResult, Charge, ModelState, Slot, Turn};

/// An item with its digest and its tokens, computed once, when it entered the memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The item. Only this crate reads it here, so that a memory that anybody deserialised shows
    /// nobody a text.
    #[serde(deserialize_with = "checkpoint::item")]
    pub(crate) item: Arc<Item>,
    /// The item's digest.
    pub digest: Digest,
    /// The messages that it is there for: a heard one itself, the news of the turn for the agent's
    /// own answers and their results. Once all of them are taken back, it is gone. Empty if it is
    /// there for none, and stays.
    pub because: Arc<[Position]>,
    /// The item's tokens, as [`TokenCounter::ESTIMATE`] has them.
    pub tokens: u32,
}

impl Remembered {
    /// Remembers `item`, which is there for the messages at `because`.
    #[must_use]
    pub(crate) fn new(item: Item, because: Arc<[Position]>) -> Self {
        let tokens = TokenCounter::ESTIMATE.item(&item);
        Self {
            digest: item.digest(),
            item: Arc::new(item),
            because,
            tokens,
        }
    }
}

/// The chained fingerprint of an agent's last request, so that the next one costs its new items
/// only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The turn of that request: as long as it is open, its rules and its prompt stay.
    pub turn: TurnId,
    /// The mark of what was told before the items.
    pub frame: FrameMark,
    /// The number of items that it covers.
    pub items: usize,
    /// The last link.
    pub value: Digest,
    /// The purpose of that request: a closing one had its tools disabled.
    pub purpose: Purpose,
    /// The model that was asked.
    pub model: ModelName,
    /// The parameters that the agent wanted.
    pub parameters: Parameters,
}

impl Chain {
    /// The frame of another request of `turn`, if it is known to be the same.
    pub(crate) fn frame_in(
        &self,
        turn: TurnId,
        purpose: Purpose,
        (model, parameters): (&ModelName, &Parameters),
    ) -> Option<FrameMark> {
        let is_same = self.turn == turn
            && self.purpose == purpose
            && self.model == *model
            && self.parameters == *parameters;
        is_same.then_some(self.frame)
    }
}

/// The mark of the part of a request that does not grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameMark {
    /// The fingerprint's first link.
    pub start: Digest,
    /// The tokens that are left for items.
    pub room: u64,
    /// The tokens that it has itself: layers and tools.
    pub tokens: u64,
    /// The most tokens of the answer.
    pub answer: u32,
}

/// The memory of an agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Addressed messages that no turn has taken up yet, oldest first.
    pub inbox: VecDeque<Arc<Message>>,
    /// Messages up to here are in `items`, or were not for this agent.
    pub seen: Position,
    /// The conversation, in the order in which the agent saw it.
    pub items: Vec<Remembered>,
    /// The tokens of `items`.
    pub tokens: u64,
    /// The fingerprint of the last request.
    pub chain: Option<Chain>,
    /// The reason that the next request does not extend the last one, if that is known already.
    pub broken: Option<PrefixCause>,
    /// Messages that were taken back while the model reads the items, oldest first.
    pub taken_back: Vec<TakenBack>,
    /// The position where people last changed what is in the inbox: a reaction to what was in it
    /// before is to something else.
    pub revised: Position,
    /// The open turn.
    pub turn: Option<Turn>,
    /// The agents that it waits for before it takes up anything.
    pub joining: Option<Joining>,
    /// The calls that have no result yet.
    pub open_calls: BTreeMap<CallId, OpenCall>,
    /// The number of calls without a provider's label that it has made: they are called `call_<n>`.
    pub unlabelled: u32,
    /// The scripted or recorded replies that were played in the current run.
    pub played: BTreeSet<u32>,
    /// The note that an agent in code left to remember.
    pub note: Option<Content<String>>,
    /// The number of failures of the agent on what it is owed now.
    pub failures: u32,
    /// The number of processes that ended while the agent, one in code, was told what it is owed
    /// now.
    pub lost: u32,
    /// The time at which it is told again.
    pub retry_at: Option<Time>,
    /// Notices that wait until the results of the open calls are in their place.
    #[serde(deserialize_with = "checkpoint::items")]
    pub(crate) held_notices: Vec<Item>,
}

impl Memory {
    /// Tells whether the agent has anything to do or to wait for.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.turn.is_some() || !self.inbox.is_empty() || self.joining.is_some()
    }

    /// Tells whether the agent is to be told its news or its results.
    #[must_use]
    pub fn is_owed_delivery(&self) -> bool {
        self.turn.as_ref().map_or(
            !self.inbox.is_empty() && self.joining.is_none(),
            Turn::is_ready_to_continue,
        )
    }

    /// Adds an item of the open turn, which is there for its news.
    pub(crate) fn remember(&mut self, item: Item) {
        let because = self
            .turn
            .as_ref()
            .map(|turn| Arc::clone(&turn.because))
            .unwrap_or_default();
        self.remember_all([Remembered::new(item, because)]);
    }

    /// Adds items.
    pub(crate) fn remember_all(&mut self, items: impl IntoIterator<Item = Remembered>) {
        for kept in items {
            self.tokens = self.tokens.saturating_add(u64::from(kept.tokens));
            self.items.push(kept);
        }
    }

    /// Tells the agent something, but never between a call and its result, nor while its model
    /// reads the items. It is there for no news: what took effect stays true, whatever is taken
    /// back.
    pub(crate) fn notice(&mut self, item: Item) {
        let is_asking = self.turn.as_ref().is_some_and(|turn| turn.model.is_some());
        self.held_notices.push(item);
        if self.open_calls.is_empty() && !is_asking {
            self.flush_notices();
        }
    }

    /// Puts the notices that waited behind the items.
    pub(crate) fn flush_notices(&mut self) {
        let held = std::mem::take(&mut self.held_notices);
        self.remember_all(
            held.into_iter()
                .map(|item| Remembered::new(item, Arc::default())),
        );
    }

    /// Drops the `count` oldest items, and the results behind them whose calls these held. There
    /// are such only where erased answers have left fewer items than were counted.
    pub(crate) fn forget(&mut self, count: usize) {
        let count = count.min(self.items.len());
        let is_result = |kept: &&Remembered| matches!(*kept.item, Item::Result { .. });
        let count =
            count.saturating_add(self.items.iter().skip(count).take_while(is_result).count());
        for kept in self.items.drain(..count) {
            self.tokens = self.tokens.saturating_sub(u64::from(kept.tokens));
        }
        self.chain = None;
    }

    /// Puts a summary in the place of the `count` oldest items. It is there for no message, and
    /// stays.
    pub(crate) fn summarise(&mut self, count: usize, text: String) {
        self.forget(count);
        self.broken = None;
        let summary = Remembered::new(own_summary(text), Arc::default());
        self.tokens = self.tokens.saturating_add(u64::from(summary.tokens));
        self.items.insert(0, summary);
    }

    /// The fingerprint of the items and then `fresh`, beginning with `start`, after the `dropped`
    /// oldest are gone.
    #[must_use]
    pub(crate) fn fingerprint(
        &self,
        start: Digest,
        dropped: usize,
        fresh: &[Remembered],
    ) -> Digest {
        let (covered, value) = match &self.chain {
            Some(chain) if dropped == 0 && chain.frame.start == start => (chain.items, chain.value),
            Some(_) | None => (dropped, start),
        };
        self.items
            .iter()
            .chain(fresh)
            .skip(covered)
            .fold(value, |before, kept| fingerprint_next(before, kept.digest))
    }
}
