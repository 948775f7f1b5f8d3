//! Consent: the requests that wait for people, those that no longer do, and the grants that stand.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::GrantGiven;
use crate::event::refusal::{Decided, RefusalReason};
use crate::ids::{CallId, GrantId, Position, RequestId, Time, TurnId};

pub(super) mod decide;
pub(super) mod fold;
mod grant;
mod request;
mod second;

pub use grant::Grant;
pub use request::{Request, RequestKind, Settled};

/// The consent that a world waits for and has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// The requests that wait. A request about a call that ended stays while its outcome is
    /// unknown.
    pending: BTreeMap<RequestId, Request>,
    /// The newest requests that no longer wait, so that a second decision can be told who was
    /// first.
    settled: BTreeMap<RequestId, Settled>,
    /// The grants that were given, also used ones until the next is given.
    grants: BTreeMap<GrantId, Grant>,
}

impl Consent {
    /// The most grants that a world keeps: the oldest gives way to a new one.
    pub const GRANTS_MAX: usize = 256;
    /// The most settled requests that are remembered.
    pub const SETTLED_MAX: usize = 1_000;

    /// The requests to people that wait, oldest first.
    #[must_use]
    pub const fn pending(&self) -> &BTreeMap<RequestId, Request> {
        &self.pending
    }

    /// The requests that no longer wait, as far as they are remembered.
    #[must_use]
    pub const fn settled(&self) -> &BTreeMap<RequestId, Settled> {
        &self.settled
    }

    /// The grants that are kept, oldest first. Some may be used up or over.
    #[must_use]
    pub const fn grants(&self) -> &BTreeMap<GrantId, Grant> {
        &self.grants
    }

    /// The grants that can still be used at `now`, oldest first.
    pub fn grants_at(&self, now: Time) -> impl Iterator<Item = (GrantId, &Grant)> {
        self.grants
            .iter()
            .filter(move |(_, grant)| grant.left(now) != Some(0))
            .map(|(id, grant)| (*id, grant))
    }

    /// The oldest request that waits and fits.
    pub(super) fn find(&self, fits: impl Fn(&Request) -> bool) -> Option<RequestId> {
        self.pending
            .iter()
            .find(|(_, request)| fits(request))
            .map(|(id, _)| *id)
    }

    /// Tells whether there is or was such a request, as far as that is remembered.
    pub(super) fn knows(&self, id: RequestId) -> bool {
        self.pending.contains_key(&id) || self.settled.contains_key(&id)
    }

    /// The reason for which the call's request was settled; `None` if none is remembered.
    pub(super) fn reason_of(&self, call: CallId) -> Option<RefusalReason> {
        self.settled
            .values()
            .find(|settled| settled.call == call)
            .map(|settled| settled.reason)
    }

    /// Asks people.
    pub(super) fn ask(&mut self, id: RequestId, request: Request) {
        self.pending.insert(id, request);
    }

    /// Withdraws the requests about a call that the event at `at` asks about anew.
    pub(super) fn withdraw(&mut self, call: CallId, at: Position) {
        self.settle_all(
            at,
            |request| request.call == call,
            RefusalReason::Closed,
            "asked anew",
        );
    }

    /// Puts `id` in the place of the request that waits about the outcome of `call`. Whether there
    /// was one.
    pub(super) fn ask_outcome_anew(&mut self, id: RequestId, call: CallId) -> bool {
        let is_it = |request: &Request| request.call == call && request.kind.is_of_outcome();
        let Some(before) = self.find(is_it) else {
            return false;
        };
        let asked = self.pending.get(&before).cloned();
        self.settle(
            before,
            id.0,
            RefusalReason::Closed,
            Decided::by_nobody("asked anew"),
        );
        self.pending.extend(asked.map(|asked| (id, asked)));
        true
    }

    /// Takes a request out of those that wait, by the event at `at`.
    pub(super) fn settle(
        &mut self,
        id: RequestId,
        at: Position,
        reason: RefusalReason,
        decided: Decided,
    ) {
        let Some(request) = self.pending.remove(&id) else {
            return;
        };
        self.settled.insert(
            id,
            Settled {
                agent: request.agent,
                call: request.call,
                tool: request.tool,
                at,
                reason,
                decided,
            },
        );
        while self.settled.len() > Self::SETTLED_MAX {
            self.settled.pop_first();
        }
    }

    /// Closes the requests of a call that got its result some other way. One about an outcome
    /// stays: it is still unknown, but no longer decides the call.
    pub(super) fn close_requests_of(&mut self, call: CallId, at: Position) {
        self.settle_all(
            at,
            |request| request.call == call && !request.kind.is_of_outcome(),
            RefusalReason::Closed,
            "closed",
        );
    }

    /// Lets the request about the outcome of a call that was closed wait for an answer that is only
    /// told.
    pub(super) fn close_outcome_of(&mut self, call: CallId) {
        for request in self.pending.values_mut() {
            if let RequestKind::Outcome { is_open, .. } = &mut request.kind
                && request.call == call
            {
                *is_open = false;
            }
        }
    }

    /// Leaves requests and grants to the world that this one is branched off: none of them can be
    /// decided or used here.
    pub(super) fn disown(&mut self, at: Position) {
        self.grants.clear();
        self.settle_all(at, |_| true, RefusalReason::OfParent, "forked");
        for settled in self.settled.values_mut() {
            settled.reason = RefusalReason::OfParent;
        }
    }

    fn settle_all(
        &mut self,
        at: Position,
        is_it: impl Fn(&Request) -> bool,
        reason: RefusalReason,
        how: &str,
    ) {
        let ids: Vec<RequestId> = self
            .pending
            .iter()
            .filter(|(_, request)| is_it(request))
            .map(|(id, _)| *id)
            .collect();
        for id in ids {
            self.settle(id, at, reason, Decided::by_nobody(how));
        }
    }

    /// Keeps a new grant. Those that are used up go, and if there are too many, the oldest.
    pub(super) fn give(&mut self, id: GrantId, given: GrantGiven, now: Time) {
        self.grants.retain(|_, grant| grant.left(now) != Some(0));
        self.grants.insert(id, Grant { given, used: 0 });
        while self.grants.len() > Self::GRANTS_MAX {
            self.grants.pop_first();
        }
    }

    /// Counts one more call that a grant allowed, and returns the grant.
    pub(super) fn use_grant(&mut self, id: GrantId) -> Option<&Grant> {
        let grant = self.grants.get_mut(&id)?;
        grant.used = grant.used.saturating_add(1);
        Some(grant)
    }

    pub(super) fn revoke(&mut self, id: GrantId) {
        self.grants.remove(&id);
    }

    /// Ends the grants that were given for one turn.
    pub(super) fn end_turn(&mut self, turn: TurnId) {
        self.grants
            .retain(|_, grant| grant.given.turn != Some(turn));
    }
}
