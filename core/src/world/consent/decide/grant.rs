//! Grants: decisions that reach further than one request.

use std::time::Duration;

use crate::command::Judgement;
use crate::content::canonical::read;
use crate::event::refusal::RefusalReason;
use crate::event::{
    CallEvent, Event, GrantGiven, GrantRevoked, GrantUsed, Reach, Right, Scope, Wider,
};
use crate::ids::principal::{Party, Person, Principal};
use crate::ids::{AgentName, CallId, GrantId, RequestId};
use crate::spec::WorldSpec;
use crate::spec::rules::schema_digest;
use crate::tool::constraint::{Constraint, ConstraintFault, Terms, digest_of_rest, fits_all};
use crate::tool::{EffectClass, ToolSpec};
use crate::world::calls::decide::admission;
use crate::world::consent::decide::approval::Pending;
use crate::world::consent::decide::{approval, verification};
use crate::world::consent::second;
use crate::world::decide::{Draft, No};
use crate::world::opening::lineage;
use crate::world::people::decide::roster;
use crate::world::talk::decide::message;
use crate::world::turns::decide::turn;
use crate::world::{Grant, RequestKind};

/// Gives the grant that a decision asks for, if it asks for one. The decided call is its first use;
/// the requests that wait and are like it follow.
pub(in crate::world) fn grant<'w>(
    draft: &mut Draft<'w>,
    party: &Party,
    pending: &Pending<'w>,
    (call, effect, arguments): (CallId, EffectClass, &str),
    judgement: &Judgement,
) {
    if judgement.scope == Scope::Once {
        return;
    }
    let Pending {
        id,
        agent,
        open,
        tool,
        ..
    } = *pending;
    let ttl = Duration::from_millis(turn::rules_of(draft, agent).spec().limits.grant_ttl_ms);
    let given = GrantGiven {
        request: id,
        agent: agent.clone(),
        tool: tool.name.clone(),
        effect,
        schema: schema_digest(tool),
        settings: tool.settings,
        scope: judgement.scope,
        turn: (judgement.scope == Scope::Turn).then_some(open.turn),
        reach: reach(&judgement.wider, arguments),
        expires_at: draft.now().after(ttl),
        by: party.clone(),
    };
    let grant = GrantId(draft.push(given));
    use_grant(draft, grant, agent, call, None);
    allow_siblings(draft, agent, id);
}

/// Decides the requests of `agent` that wait and that a grant now allows, oldest first.
fn allow_siblings(draft: &mut Draft<'_>, agent: &AgentName, decided: RequestId) {
    let world = draft.world;
    for (id, request) in world
        .consent
        .pending()
        .iter()
        .filter(|(id, request)| **id != decided && request.agent == *agent)
    {
        if let RequestKind::Approval { expires_at, .. } = &request.kind
            && *expires_at <= draft.now()
        {
            continue;
        }
        let Ok(pending) = approval::pending(draft, *id, request) else {
            continue;
        };
        let Pending {
            call,
            tool,
            effect,
            arguments,
            ..
        } = pending;
        if verification::fits(draft, &pending).is_ok()
            && let Some(grant) = grant_for(draft, agent, tool, effect, arguments)
        {
            use_grant(draft, grant, agent, call, Some(*id));
        }
    }
}

pub(in crate::world) fn use_grant(
    draft: &mut Draft<'_>,
    grant: GrantId,
    agent: &AgentName,
    call: CallId,
    request: Option<RequestId>,
) {
    draft.push(GrantUsed {
        grant,
        call,
        agent: agent.clone(),
        request,
    });
}

/// The oldest grant that allows a call, with what this very commit gave and used.
pub(in crate::world) fn grant_for(
    draft: &Draft<'_>,
    agent: &AgentName,
    tool: &ToolSpec,
    effect: EffectClass,
    arguments: &str,
) -> Option<GrantId> {
    if admission::redoes(draft, agent, tool, effect) {
        return None;
    }
    let turn = turn::memory(draft, agent)
        .and_then(|memory| memory.turn.as_ref())
        .map(|turn| turn.id);
    let arguments = read(arguments).ok()?;
    let wants_two = second::wants_two(draft.world, agent, effect);
    let allows = |given: &GrantGiven| {
        given.agent == *agent
            && given.tool == tool.name
            && effect <= given.effect
            && given.schema == schema_digest(tool)
            && given.settings == tool.settings
            && (given.turn.is_none() || given.turn == turn)
            && tool.can_grant(given.reach.constraints())
            && given.reach.holds(&arguments)
            && (given.reach != Reach::Any || tool.grants_any)
            && fault_of_eyes(draft, agent, wants_two, &given.by).is_none()
            && draft
                .world
                .rights_of(&Principal::from(given.by.clone()))
                .has(Right::Decide)
    };
    let kept = draft
        .world
        .consent
        .grants()
        .iter()
        .map(|(id, grant)| (*id, grant.clone()));
    let new = (1..).zip(&draft.events).filter_map(|(number, event)| {
        let Event::Call(CallEvent::GrantGiven(given)) = event else {
            return None;
        };
        Some((
            GrantId(draft.world.head.plus(number)),
            Grant {
                given: given.clone(),
                used: 0,
            },
        ))
    });
    let is_open = |(id, grant): &(GrantId, Grant)| {
        let used = grant.used.saturating_add(used_now(draft, *id));
        Grant {
            used,
            ..grant.clone()
        }
        .left(draft.now())
            != Some(0)
    };
    kept.chain(new)
        .find(|grant| is_open(grant) && allows(&grant.1.given))
        .map(|(id, _)| id)
}

/// Counts how often this very commit used a grant.
fn used_now(draft: &Draft<'_>, grant: GrantId) -> u32 {
    let is_use = |event: &&Event| matches!(event, Event::Call(CallEvent::GrantUsed(used)) if used.grant == grant);
    u32::try_from(draft.events.iter().filter(is_use).count()).unwrap_or(u32::MAX)
}

/// Returns why the yes of `party` is not enough for a call of `agent`, if the room `wants_two`
/// people for it: they began what led to it, or they are no person.
pub(in crate::world) fn fault_of_eyes(
    draft: &Draft<'_>,
    agent: &AgentName,
    wants_two: bool,
    party: &Party,
) -> Option<RefusalReason> {
    match party {
        _ if !wants_two => None,
        Party::Service { .. } => Some(RefusalReason::ServiceForTwo),
        Party::Person(person) => {
            has_begun(draft, agent, person).then_some(RefusalReason::SamePerson)
        }
    }
}

/// Tells whether `person` is one of those who began what led to the agent's turn, as far as anybody
/// can tell.
fn has_begun(draft: &Draft<'_>, agent: &AgentName, person: &Person) -> bool {
    let world = draft.world;
    let opened = message::opened_turn(draft, agent).map_or(0, |opened| opened.news.len());
    second::began_by(world, agent, opened)
        .into_iter()
        .any(|one| world.people.is_one_hand(one, person))
}

pub(in crate::world) fn revoke(draft: &mut Draft<'_>, grant: GrantId) -> Result<(), No> {
    let party = draft
        .principal
        .party()
        .filter(|party| !message::is_called_like_an_agent(draft, party.display()));
    let party = party.ok_or(No::right(RefusalReason::NotAPerson))?;
    let is_open = draft
        .world
        .consent
        .grants()
        .get(&grant)
        .is_some_and(|grant| grant.left(draft.now()) != Some(0));
    if !is_open {
        // Up to the cut the numbers are those of the parent (decision 0019).
        let is_other = grant.0 <= lineage::shared(draft.world);
        return Err(No::right(if is_other {
            RefusalReason::OfParent
        } else {
            RefusalReason::UnknownGrant
        }));
    }
    draft.cause = Some(grant.0);
    roster::enrol(draft);
    draft.push(GrantRevoked {
        grant,
        by: Some(party),
    });
    Ok(())
}

/// Ends the grants of tools that a new definition changes or takes away.
pub(in crate::world) fn end_grants_of_changed(draft: &mut Draft<'_>, spec: &WorldSpec) {
    let world = draft.world;
    for (id, grant) in world.consent.grants() {
        let given = &grant.given;
        let has_it = spec
            .agent(&given.agent)
            .is_some_and(|agent| agent.tools.contains(&given.tool));
        let then = world.rules.spec().tools.get(&given.tool);
        let now = spec.tools.get(&given.tool).filter(|_| has_it);
        if !then
            .zip(now)
            // A grant is for the tool as it was: schema, settings, effect (decision 0013), and
            // folder (decision 0030).
            .is_some_and(|(then, now)| then.acts_like(now) && !then.has_moved(now))
        {
            draft.push(GrantRevoked {
                grant: *id,
                by: None,
            });
        }
    }
}

/// Returns the reason that `constraints` cannot be those of a grant for a call of `tool` with
/// `arguments`; `None` if they can.
pub(in crate::world) fn fault_of_reach(
    tool: &ToolSpec,
    constraints: &[Constraint],
    arguments: &str,
) -> Option<RefusalReason> {
    match constraints
        .iter()
        .find_map(|one| tool.fault_of(one, Terms::Grant))
    {
        Some(ConstraintFault::PathByLetters { .. }) => {
            return Some(RefusalReason::PathByLetters);
        }
        Some(ConstraintFault::NotPlain { .. }) => return Some(RefusalReason::PathNotPlain),
        Some(ConstraintFault::NoPath { .. }) => return Some(RefusalReason::NoPath),
        Some(ConstraintFault::FollowsLinks { .. }) => return Some(RefusalReason::FollowsLinks),
        Some(ConstraintFault::NoFreeArguments { .. }) => {
            return Some(RefusalReason::NoFreeArguments);
        }
        Some(ConstraintFault::Unsound(_)) => return Some(RefusalReason::BadConstraint),
        None => {}
    }
    let is_fit = read(arguments).is_ok_and(|arguments| fits_all(constraints, &arguments));
    let is_fit = is_fit && (1..=Constraint::MAX).contains(&constraints.len());
    (!is_fit).then_some(RefusalReason::BadConstraint)
}

fn reach(wider: &Wider, arguments: &str) -> Reach {
    let constraints = match wider {
        Wider::Any => return Reach::Any,
        Wider::Same => Vec::new(),
        Wider::Where(constraints) => constraints.clone(),
    };
    // Whoever waits for a person has arguments that were checked: they are JSON.
    let arguments = read(arguments).unwrap_or_default();
    Reach::Like {
        rest: digest_of_rest(&constraints, &arguments),
        constraints,
    }
}
