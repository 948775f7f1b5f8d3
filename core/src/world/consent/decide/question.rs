//! Words of people on requests: answers and settlements.

use crate::command::{Reply, Settlement};
use crate::content::Content;
use crate::event::refusal::RefusalReason;
use crate::event::{OutcomeSettled, QuestionAnswered, SettledHow, SettledText};
use crate::ids::principal::Party;
use crate::ids::{AgentName, RequestId};
use crate::tool::Choose;
use crate::world::calls::decide::call;
use crate::world::consent::decide::{approval, grant};
use crate::world::consent::second;
use crate::world::decide::{Draft, No};
use crate::world::memory::{CallState, OpenCall};
use crate::world::opening::lineage;
use crate::world::people::decide::roster;
use crate::world::talk::decide::message;
use crate::world::turns::decide::turn;
use crate::world::{Request, RequestKind, World};

pub(in crate::world) fn answer(
    draft: &mut Draft<'_>,
    id: RequestId,
    reply: &Reply,
) -> Result<(), No> {
    let party = party(draft, id)?;
    let request = request(draft, id)?;
    let RequestKind::Question {
        options,
        choose,
        schema,
        ..
    } = &request.kind
    else {
        return Err(No::about(RefusalReason::OtherKind, id));
    };
    let (options, text) = match reply {
        Reply::Options(chosen) if is_choice(chosen, *options, *choose) => (chosen.clone(), None),
        Reply::Text(text) if *options == 0 => (Vec::new(), Some(text.clone())),
        Reply::Options(_) | Reply::Text(_) => {
            return Err(No::about(RefusalReason::NoSuchOption, id));
        }
    };
    if is_too_long(draft, text.as_deref()) {
        return Err(No::about(RefusalReason::TooLong, id));
    }
    if let (Some(text), Some(schema)) = (&text, schema)
        && !crate::spec::rules::answer_fits(schema, text)
    {
        return Err(No::about(RefusalReason::BadAnswer, id));
    }
    roster::enrol(draft);
    draft.push(QuestionAnswered {
        request: id,
        call: request.call,
        agent: request.agent.clone(),
        options,
        by: party,
        text: Content::Present(text),
    });
    Ok(())
}

pub(in crate::world) fn settle(
    draft: &mut Draft<'_>,
    id: RequestId,
    settlement: &Settlement,
) -> Result<(), No> {
    let party = party(draft, id)?;
    let request = request(draft, id)?;
    let RequestKind::Outcome { is_open, .. } = &request.kind else {
        return Err(No::about(RefusalReason::OtherKind, id));
    };
    let open = call::open_call(draft, &request.agent, request.call);
    let (how, result) = match settlement {
        Settlement::Ran(text) if is_too_long(draft, text.as_deref()) => {
            return Err(No::about(RefusalReason::TooLong, id));
        }
        Settlement::Ran(text) => (SettledHow::Ran, text.clone()),
        Settlement::NotRun => (SettledHow::NotRun, None),
        Settlement::RunAgain if *is_open && open.is_ok() => {
            verify_second(
                draft,
                &request.agent,
                open.as_ref().ok().copied(),
                &party,
                id,
            )?;
            (SettledHow::RunAgain, None)
        }
        Settlement::RunAgain => return Err(No::about(RefusalReason::Closed, id)),
    };
    roster::enrol(draft);
    draft.push(OutcomeSettled {
        request: id,
        call: request.call,
        agent: request.agent.clone(),
        how,
        by: draft.principal.clone(),
        text: SettledText { result, late: None }.into(),
    });
    if how == SettledHow::RunAgain {
        let open = open?;
        approval::replace(
            draft,
            &request.agent,
            request.call,
            open,
            (open.arguments_digest, open.effect),
        );
    }
    Ok(())
}

/// Checks that running a call again is allowed by a person who did not begin what led to it, where
/// the room wants two.
fn verify_second(
    draft: &Draft<'_>,
    agent: &AgentName,
    open: Option<&OpenCall>,
    party: &Party,
    id: RequestId,
) -> Result<(), No> {
    let Some(open) = open else { return Ok(()) };
    let tool = open
        .tool
        .as_ref()
        .and_then(|tool| turn::rules_of(draft, agent).spec().tools.get(tool));
    let Some(tool) = tool else { return Ok(()) };
    let effect = open.effect.unwrap_or(tool.effect);
    let wants_two = open.wants_two || second::wants_two(draft.world, agent, effect);
    let fault = grant::fault_of_eyes(draft, agent, wants_two, party);
    fault.map_or(Ok(()), |reason| Err(No::about(reason, id)))
}

/// Tells whether a text is longer than a message of the room may be.
pub(in crate::world) fn is_too_long(draft: &Draft<'_>, text: Option<&str>) -> bool {
    let max =
        usize::try_from(draft.world.rules.spec().limits.message_bytes_max).unwrap_or(usize::MAX);
    text.is_some_and(|text| text.len() > max)
}

/// The person or the service who gives the command. Agents, tools and the runtime decide nothing,
/// nor does anybody who is called like an agent: the log would name the agent as the one who decided.
pub(in crate::world) fn party(draft: &Draft<'_>, id: RequestId) -> Result<Party, No> {
    let request = draft.world.consent.knows(id).then_some(id);
    let reason = RefusalReason::NotAPerson;
    let party = draft
        .principal
        .party()
        .filter(|party| !message::is_called_like_an_agent(draft, party.display()));
    party.ok_or(No::Recorded {
        reason,
        request,
        decided: None,
    })
}

/// The request, if it waits; else why not.
pub(in crate::world) fn request<'w>(
    draft: &mut Draft<'w>,
    id: RequestId,
) -> Result<&'w Request, No> {
    let world: &'w World = draft.world;
    if let Some(request) = world.consent.pending().get(&id) {
        draft.cause = Some(id.0);
        return Ok(request);
    }
    match world.consent.settled().get(&id) {
        Some(settled) => Err(No::Recorded {
            reason: settled.reason,
            request: Some(id),
            decided: Some(settled.decided.clone()),
        }),
        None if lineage::is_inherited(world, id) => Err(No::right(RefusalReason::OfParent)),
        None => Err(No::right(RefusalReason::UnknownRequest)),
    }
}

/// Looks the call up in its agent's memory: a request is good only while that call waits for it.
pub(in crate::world) fn verify_waits(
    draft: &Draft<'_>,
    request: &Request,
    id: RequestId,
) -> Result<(), No> {
    let waits = |state: &CallState| matches!(state, CallState::AwaitsApproval { request, .. } if *request == id);
    match call::open_call(draft, &request.agent, request.call) {
        Ok(open) if waits(&open.state) => Ok(()),
        Ok(_) | Err(_) => Err(No::about(RefusalReason::Closed, id)),
    }
}

/// Tells whether `chosen` are ascending numbers of options, and as many as may be chosen.
fn is_choice(chosen: &[u32], options: u32, choose: Option<Choose>) -> bool {
    let Choose { min, max } = choose.unwrap_or(Choose { min: 1, max: 1 });
    let count = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
    let is_ascending = chosen
        .windows(2)
        .all(|pair| pair.is_sorted_by(|one, next| one < next));
    is_ascending && chosen.iter().all(|option| *option < options) && (min..=max).contains(&count)
}
