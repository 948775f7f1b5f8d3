//! What is verified of a decision before it counts: who decides, what they saw, and how wide it is.

use crate::command::Judgement;
use crate::content::canonical::{arguments_digest, read};
use crate::event::refusal::RefusalReason;
use crate::event::{Scope, Verdict, Wider};
use crate::ids::principal::Party;
use crate::ids::{AgentName, Digest, RequestId};
use crate::spec::limits::ARGUMENTS_BYTES_MAX;
use crate::world::consent::decide::approval::Pending;
use crate::world::consent::decide::now::Now;
use crate::world::consent::decide::{grant, now, question};
use crate::world::consent::second;
use crate::world::decide::{Draft, No};
use crate::world::turns::decide::{closing, turn};
use crate::world::{Request, RequestKind};

/// The shortest prefix of a digest that confirms what was shown.
const SHOWN_MIN: usize = 8;

/// Checks that the words of the person can be recorded.
pub(in crate::world) fn size(
    draft: &Draft<'_>,
    id: RequestId,
    judgement: &Judgement,
) -> Result<(), No> {
    let wider = serde_json::to_string(&judgement.wider).unwrap_or_default();
    let is_long = judgement
        .arguments
        .as_ref()
        .is_some_and(|arguments| arguments.len() > ARGUMENTS_BYTES_MAX);
    if is_long
        || question::is_too_long(draft, judgement.reason.as_deref())
        || question::is_too_long(draft, Some(&wider))
    {
        return Err(No::about(RefusalReason::TooLong, id));
    }
    Ok(())
}

/// Checks that the request waits, in time, and is the one that the person saw.
pub(in crate::world) fn asked(
    draft: &mut Draft<'_>,
    seen: Option<&AgentName>,
    id: RequestId,
    request: &Request,
    judgement: &Judgement,
) -> Result<(), No> {
    let no = |reason| Err(No::about(reason, id));
    let RequestKind::Approval {
        shown, expires_at, ..
    } = &request.kind
    else {
        return no(RefusalReason::OtherKind);
    };
    if seen.is_some_and(|agent| request.agent != *agent) {
        return no(RefusalReason::OtherAgent);
    }
    question::verify_waits(draft, request, id)?;
    if *expires_at <= draft.now() {
        closing::expire(draft, id, request);
        return no(RefusalReason::Expired);
    }
    if judgement
        .shown
        .as_ref()
        .is_some_and(|seen| !confirms(seen, *shown))
    {
        return no(RefusalReason::ShownDiffers);
    }
    if judgement.is_consistent() {
        Ok(())
    } else {
        no(RefusalReason::BadScope)
    }
}

/// Checks that it is a person who did not begin what led to the call, where the room wants two.
pub(in crate::world) fn eyes(
    draft: &Draft<'_>,
    party: &Party,
    pending: &Pending<'_>,
) -> Result<(), No> {
    let Pending {
        agent,
        open,
        effect,
        ..
    } = *pending;
    let wants_two = open.wants_two || second::wants_two(draft.world, agent, effect);
    let fault = grant::fault_of_eyes(draft, agent, wants_two, party);
    fault.map_or(Ok(()), |reason| Err(No::about(reason, pending.id)))
}

/// Checks that the arguments fit by the rules of now: those that older rules took may have two
/// meanings.
pub(in crate::world) fn fits(draft: &Draft<'_>, pending: &Pending<'_>) -> Result<(), No> {
    let findings =
        turn::rules_of(draft, pending.agent).findings(&pending.tool.name, pending.arguments);
    let is_fit = !findings.iter().any(|finding| finding.severity.is_error());
    if is_fit {
        Ok(())
    } else {
        Err(No::about(RefusalReason::BadArguments, pending.id))
    }
}

/// Checks that a grant can be as wide as it is wanted.
pub(in crate::world) fn reach(
    pending: &Pending<'_>,
    arguments: &str,
    judgement: &Judgement,
) -> Result<(), No> {
    let no = |reason| Err(No::about(reason, pending.id));
    match &judgement.wider {
        Wider::Same => Ok(()),
        Wider::Any if pending.tool.grants_any => Ok(()),
        Wider::Any => no(RefusalReason::AnyNotOffered),
        Wider::Where(constraints) => {
            grant::fault_of_reach(pending.tool, constraints, arguments).map_or(Ok(()), no)
        }
    }
}

/// The other arguments that the call is to run with, if there are any and they may run.
pub(in crate::world) fn edited<'j>(
    draft: &Draft<'_>,
    pending: &Pending<'_>,
    judgement: &'j Judgement,
) -> Result<Option<&'j str>, No> {
    let no = |reason| No::about(reason, pending.id);
    let Some(arguments) = judgement.arguments.as_deref() else {
        return Ok(None);
    };
    if arguments_digest(arguments) == pending.open.arguments_digest {
        return Ok(None);
    }
    let rules = turn::rules_of(draft, pending.agent);
    if rules
        .findings(&pending.tool.name, arguments)
        .iter()
        .any(|finding| finding.severity.is_error())
    {
        return Err(no(RefusalReason::BadArguments));
    }
    let value = read(arguments).map_err(|_| no(RefusalReason::BadArguments))?;
    let is_denied_now = matches!(
        now::ruled_now(draft.world, pending.agent, pending.tool, arguments),
        Now::Ends(_)
    );
    if is_denied_now || rules.forbids(pending.tool, &value) {
        return Err(no(RefusalReason::Forbidden));
    }
    Ok(Some(arguments))
}

/// Tells whether `seen` is a long enough beginning of the digest of what was shown.
fn confirms(seen: &str, shown: Digest) -> bool {
    seen.len() >= SHOWN_MIN && shown.to_string().starts_with(seen)
}

impl Judgement {
    /// Tells whether its parts fit together: a no reaches no further than its request, and only a
    /// grant can be wide.
    fn is_consistent(&self) -> bool {
        let is_plain = self.scope == Scope::Once && self.wider.is_same();
        match self.verdict {
            Verdict::Deny => is_plain && self.arguments.is_none(),
            Verdict::Allow => {
                self.scope != Scope::Uses(0) && (self.scope != Scope::Once || self.wider.is_same())
            }
        }
    }
}
