//! Recorded refusals: how they are counted, and what can be said of one whose command is known by
//! its digest only.

use crate::command::Giver;
use crate::command::commit::Commit;
use crate::event::refusal::RefusalReason;
use crate::event::{Event, Refused};
use crate::ids::principal::Principal;
use crate::ids::{Digest, RequestId};
use crate::world::decide::Draft;
use crate::world::turns::decide::closing;
use crate::world::{RequestKind, World};

/// The number of equal refusals that are recorded one by one.
const REFUSALS_EACH: u32 = 32;

/// Records a refusal. From the 33rd equal one on, one stands for all of its recorded minute.
pub(in crate::world) fn refuse(
    draft: &mut Draft<'_>,
    command: Digest,
    reason: RefusalReason,
    request: Option<RequestId>,
) {
    let mut refused = Refused {
        reason,
        principal: draft.principal.clone(),
        command,
        request: request.map(|request| request.0),
        repeated: false,
    };
    let known = draft.world.upkeep.refusals().equal_to(&refused);
    if let Some(known) = known.filter(|known| known.count >= REFUSALS_EACH) {
        if known.repeated_in == Some(draft.now().minute()) && draft.events.is_empty() {
            return;
        }
        refused.repeated = true;
    }
    draft.push(refused);
}

impl World {
    /// The events of the refusal that ends `commit`, as this world records one with that reason, of
    /// that principal and command. Whether the command deserved it nobody can tell from its digest;
    /// see [`World::fault_of`].
    pub(crate) fn refuse_again(&self, commit: &Commit, refused: &Refused) -> Vec<Event> {
        let header = &commit.header;
        let request = refused.request.map(RequestId);
        let mut draft = Draft::of(self, header.world, &header.principal, header.stamp);
        // The one refusal that comes with events: it says first that the request's time is over.
        if let (RefusalReason::Expired, Some(id)) = (refused.reason, request)
            && let Some(pending) = self.consent.pending().get(&id)
        {
            closing::expire(&mut draft, id, pending);
        }
        refuse(&mut draft, refused.command, refused.reason, request);
        draft.events
    }

    /// Returns what speaks against a recorded refusal, as far as this world knows.
    pub(crate) fn fault_of(&self, commit: &Commit, refused: &Refused) -> Option<&'static str> {
        if refused.reason == RefusalReason::KeyReused {
            return refused
                .request
                .is_some()
                .then_some("a used key is about no request");
        }
        fault_of_right(self, commit, refused).or_else(|| {
            let about = refused
                .request
                .map(RequestId)
                .map(|id| is_about(self, id, refused.reason, commit));
            let has_own = matches!(refused.reason, RefusalReason::UnknownRequest)
                && refused.request.is_some();
            match about {
                Some(false) => Some("its request does not stand as it says"),
                _ if has_own => Some("it names the request that it says there is not"),
                Some(true) | None => None,
            }
        })
    }
}

/// A person or a service without the right to a command is refused for that, before anything else;
/// nobody else is.
fn fault_of_right(world: &World, commit: &Commit, refused: &Refused) -> Option<&'static str> {
    let kind = commit.header.command;
    let is_without = match (&commit.header.principal, kind.rule().right) {
        (Principal::Person(_) | Principal::Service(_), Some(right)) => {
            !world.rights_of(&commit.header.principal).has(right)
        }
        (_, _) => false,
    };
    let is_for_that = refused.reason == RefusalReason::NoRight;
    match (is_without, is_for_that) {
        (false, true) => Some("they had the right to this"),
        (true, false) if kind.rule().giver != Giver::Shell => {
            Some("they had no right to this, and something else is said")
        }
        (true | false, false) | (true, true) => None,
    }
}

/// Tells whether the request stands as a refusal says: it is known, and was settled for that reason
/// or waits.
fn is_about(world: &World, id: RequestId, reason: RefusalReason, commit: &Commit) -> bool {
    let is_of_whom = reason == RefusalReason::NotAPerson;
    if let Some(settled) = world.consent.settled().get(&id) {
        return is_of_whom || settled.reason == reason;
    }
    let Some(pending) = world.consent.pending().get(&id) else {
        return false;
    };
    match (&pending.kind, reason) {
        (RequestKind::Approval { expires_at, .. }, RefusalReason::Expired) => {
            *expires_at <= commit.header.stamp.time
        }
        (RequestKind::Question { .. } | RequestKind::Outcome { .. }, RefusalReason::Expired)
        | (_, RefusalReason::AlreadyDecided) => false,
        (_, _) => true,
    }
}
