//! The decisions that somebody could take about a request now.

use folkmoot_core::command::{Command, Judgement, Reply, Resolution, Settlement};
use folkmoot_core::event::refusal::{Refusal, RefusalReason};
use folkmoot_core::event::{Right, Verdict};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{RequestId, Seed, Stamp, Time};
use folkmoot_core::world::{Decision, RequestKind, World};
use serde::{Deserialize, Serialize};

use super::waiting::by_clock_of;
use crate::run::refused_because;

#[cfg(test)]
mod tests;

/// The answer to whether somebody can decide a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermitView {
    /// True if they can say no, or answer what is asked.
    pub decide: bool,
    /// True if they can let the call run. The same as `decide` for a question, and for an outcome
    /// of which nobody can say any more that the call is to run again.
    pub allow: bool,
    /// The reason that one of these is false; `None` if none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl PermitView {
    /// Somebody who cannot decide, for the reason `why`.
    #[must_use]
    pub fn refused(why: impl Into<String>) -> Self {
        Self {
            decide: false,
            allow: false,
            why: Some(why.into()),
        }
    }

    /// The decisions about `request` that `world` would take from `principal`. The machine's clock
    /// says `now`.
    #[must_use]
    pub fn of(world: &World, request: RequestId, principal: &Principal, now: Time) -> Self {
        let Some(pending) = world.consent().pending().get(&request) else {
            return Self::refused("the request waits no longer");
        };
        if !world.rights_of(principal).has(Right::Decide) {
            return Self::refused("you have no right to decide here");
        }
        let (no, yes) = probes(&pending.kind);
        let fault = |probe| fault(world, request, principal, probe, now);
        let (no, yes) = (fault(no), yes.and_then(fault));
        Self {
            decide: no.is_none(),
            allow: no.is_none() && yes.is_none(),
            why: no.or(yes),
        }
    }
}

/// A plain no to a request, and a plain yes if that is something else.
fn probes(kind: &RequestKind) -> (Resolution, Option<Resolution>) {
    let judge = |verdict| Resolution::Judge(Judgement::new(verdict));
    match kind {
        RequestKind::Approval { .. } => (judge(Verdict::Deny), Some(judge(Verdict::Allow))),
        // No question has such an option: whoever may answer hears of that alone.
        RequestKind::Question { .. } => {
            let none = Reply::Options(vec![u32::MAX]);
            (Resolution::Answer(none), None)
        }
        RequestKind::Outcome { is_open, .. } => {
            let settle = Resolution::Settle;
            let again = is_open.then(|| settle(Settlement::RunAgain));
            (settle(Settlement::NotRun), again)
        }
    }
}

/// The reason that `world` would refuse a resolution; `None` if it would take it.
fn fault(
    world: &World,
    request: RequestId,
    principal: &Principal,
    resolution: Resolution,
    now: Time,
) -> Option<String> {
    let refusal = decision(world, request, principal, resolution, now)
        .answer
        .err()?;
    if let Refusal::Right { reason, .. } = refusal {
        let is_probe = reason == RefusalReason::NoSuchOption;
        (!is_probe).then(|| refused_because(reason).to_owned())
    } else {
        Some(refusal.to_string())
    }
}

/// The decision that `world` would take now about a resolution that `principal` gives. Nothing is
/// recorded.
pub(super) fn decision(
    world: &World,
    request: RequestId,
    principal: &Principal,
    resolution: Resolution,
    now: Time,
) -> Decision {
    let command = Command::of(principal.clone(), resolution.of(request, None));
    let stamp = Stamp {
        time: by_clock_of(world, now),
        seed: Seed::new([0; 16]),
    };
    world.decide(&command, &stamp)
}
