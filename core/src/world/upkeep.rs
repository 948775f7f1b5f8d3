//! Upkeep: the work of a world on its own log. It signs heads, erases content and keeps refusals
//! from flooding it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Refused, Span};
use crate::ids::{Position, Time};
use crate::world::effect::Effect;

pub(super) mod decide;
pub(super) mod fold;
mod refusals;
mod signing;

pub(super) use refusals::Refusals;
use signing::Signing;

/// The state of a world's upkeep.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upkeep {
    /// The signing of heads of the log; `None` if this opening signs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signing: Option<Signing>,
    /// The spans that are still to be erased, by the request that wants it. Empty if no erasure is
    /// under way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    erasures: BTreeMap<Position, Vec<Span>>,
    /// The recorded refusals of this episode, counted.
    refusals: Refusals,
}

impl Upkeep {
    /// The key that this opening signs with.
    #[must_use]
    pub fn signer(&self) -> Option<&str> {
        self.signing.as_ref().map(Signing::key)
    }

    /// Tells whether there are events that no signed head covers, although somebody signs.
    #[must_use]
    pub fn has_unsigned(&self) -> bool {
        self.signing.as_ref().is_some_and(Signing::has_unsigned)
    }

    /// The signature that is owed at `now`; `None` if none is.
    pub(super) fn owed_signature(&self, is_quiet: bool, now: Time) -> Option<Effect> {
        self.signing.as_ref()?.owed(is_quiet, now)
    }

    /// Tells whether content is still to be erased. Until then nothing else is owed, and no fold is
    /// to be saved.
    #[must_use]
    pub fn is_erasing(&self) -> bool {
        !self.erasures.is_empty()
    }

    /// The spans that a request wants erased, in order; nothing if it is done, or if there is no
    /// such request.
    #[must_use]
    pub fn to_be_erased(&self, request: Position) -> &[Span] {
        self.erasures.get(&request).map_or(&[], Vec::as_slice)
    }

    /// The oldest request for an erasure that is not done.
    pub(super) fn next_erasure(&self) -> Option<Position> {
        self.erasures.keys().next().copied()
    }

    /// Tells whether `request` is for an erasure that is not done.
    pub(super) fn awaits_erasure(&self, request: Position) -> bool {
        self.erasures.contains_key(&request)
    }

    /// The refusals of this episode.
    pub(super) const fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    /// Signs with `key` from an opening at `now` on; `None` signs nothing.
    pub(super) fn sign_with(&mut self, key: Option<&str>, now: Time) {
        let before = self.signing.take();
        self.signing = key.map(|key| Signing::new(key, before, now));
    }

    /// Counts an event that is not a signature.
    pub(super) fn note_unsigned(&mut self, now: Time) {
        if let Some(signing) = &mut self.signing {
            signing.count(now);
        }
    }

    /// Notes that the head is signed.
    pub(super) fn note_signed(&mut self) {
        if let Some(signing) = &mut self.signing {
            signing.restart();
        }
    }

    /// Takes up an erasure that the event at `request` wants.
    pub(super) fn ask_erasure(&mut self, request: Position, events: Vec<Span>) {
        self.erasures.insert(request, events);
    }

    /// Notes that the erasure is done.
    pub(super) fn note_erased(&mut self, request: Position) {
        self.erasures.remove(&request);
    }

    /// Counts a refusal, recorded at `now`.
    pub(super) fn count_refusal(&mut self, refused: &Refused, now: Time) {
        self.refusals.count(refused, now);
    }

    /// Counts refusals anew: a new episode began.
    pub(super) fn forget_refusals(&mut self) {
        self.refusals = Refusals::default();
    }

    /// Leaves everything to the world that this one is branched off.
    pub(super) fn disown(&mut self) {
        *self = Self::default();
    }
}
