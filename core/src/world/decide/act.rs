//! The way of an action to its subject.

use crate::command::{Action, ConsentAction, Giver, ShellAction, TalkAction, WorldAction};
use crate::event::Forked;
use crate::event::refusal::RefusalReason;
use crate::ids::Position;
use crate::ids::principal::Principal;
use crate::world::calls::decide::{call, doubt};
use crate::world::consent::decide::{approval, grant, question};
use crate::world::decide::{Draft, No};
use crate::world::opening::decide::{fork, opening, restore};
use crate::world::opening::lineage;
use crate::world::people::decide::{named, rights, roster};
use crate::world::talk::decide::{message, observe, revision, withholding};
use crate::world::turns::decide::{answer, closing, model, turn};
use crate::world::upkeep::decide::{erasure, label, signing};

pub(super) fn act(draft: &mut Draft<'_>, action: &Action) -> Result<(), No> {
    let is_beginning = matches!(action, Action::World(WorldAction::Create { .. }));
    if (draft.world.head == Position::ZERO) != is_beginning {
        return Err(No::STALE);
    }
    check_principal(draft, action)?;
    rights::check_right(draft, action)?;
    named::check_giver(draft, action)?;
    match action {
        Action::World(action) => act_on_world(draft, action),
        Action::Talk(action) => act_in_talk(draft, action),
        Action::Consent(action) => act_on_consent(draft, action),
        Action::Shell(action) => take_outcome(draft, action),
    }
}

/// Refuses a principal who can never give a command of this kind.
fn check_principal(draft: &Draft<'_>, action: &Action) -> Result<(), No> {
    let is_of_the_room = matches!(draft.principal, Principal::Agent(_) | Principal::Tool(_));
    match (action.kind().rule().giver, action) {
        (Giver::Shell, Action::Shell(action)) if *draft.principal != Principal::Runtime => {
            Err(No::right(intrusion(draft, action)))
        }
        (Giver::House, _) if is_of_the_room => Err(No::right(RefusalReason::NotAPerson)),
        (Giver::Shell | Giver::House | Giver::Anyone, _) => Ok(()),
    }
}

fn act_on_world(draft: &mut Draft<'_>, action: &WorldAction) -> Result<(), No> {
    match action {
        WorldAction::Create {
            world,
            name,
            clock,
            base,
            definition,
            node,
            signer,
            copy,
            labelled,
        } => {
            let opened = opening::first_opening(*node, signer.as_deref());
            opening::create(
                draft,
                *world,
                name,
                *clock,
                base.as_deref(),
                definition,
                (opened, labelled),
            )?;
            restore::begin_in(draft, *copy);
            Ok(())
        }
        WorldAction::Open {
            node,
            base,
            revise,
            signer,
            copy,
        } => opening::open(
            draft,
            *node,
            base.as_deref(),
            revise.as_ref(),
            signer.as_deref(),
            *copy,
        ),
        WorldAction::Fork {
            world,
            name,
            base,
            link,
            effects,
            node,
            signer,
            copy,
            labelled,
        } => {
            let (parent, parent_name) = draft
                .world
                .id()
                .zip(draft.world.name().cloned())
                .ok_or(No::STALE)?;
            let opened = opening::first_opening(*node, signer.as_deref());
            let world = *world;
            let name = name.clone();
            let base = base.clone();
            let link = *link;
            let effects = *effects;
            fork::fork(
                draft,
                Forked {
                    world,
                    name,
                    parent,
                    parent_name,
                    base,
                    link,
                    effects,
                },
                opened,
                *copy,
                labelled.as_ref(),
            )
        }
        WorldAction::Revise { definition } => opening::revise(draft, definition),
        WorldAction::Label { owner, labels } => label::label(draft, owner.as_deref(), labels),
        WorldAction::SetRights {
            holder,
            method,
            subject,
            rights,
        } => rights::set_rights(draft, (*holder, method, subject), rights.as_ref()),
        WorldAction::ViewWithheld { at } => withholding::view(draft, *at),
        WorldAction::Erase { events, basis } => erasure::erase(draft, events, basis),
        WorldAction::RecordStep { step, digest } => opening::record_step(draft, *step, *digest),
    }
}

fn act_in_talk(draft: &mut Draft<'_>, action: &TalkAction) -> Result<(), No> {
    match action {
        TalkAction::PostMessage {
            text,
            attachments,
            reply_to,
        } => message::post(draft, text, attachments, *reply_to),
        TalkAction::Edit { message, text } => revision::edit(draft, *message, text),
        TalkAction::Retract { message } => revision::retract(draft, *message),
        TalkAction::Regenerate { message } => revision::regenerate(draft, *message),
        TalkAction::Join => roster::join(draft),
        TalkAction::Leave => roster::leave(draft),
        TalkAction::Observe { name, state } => observe::observe(draft, name, state),
        TalkAction::Stop { episode } => closing::stop(draft, *episode),
    }
}

fn act_on_consent(draft: &mut Draft<'_>, action: &ConsentAction) -> Result<(), No> {
    match action {
        ConsentAction::Decide {
            agent,
            request,
            judgement,
        } => approval::decide(draft, agent.as_ref(), *request, judgement),
        ConsentAction::Revoke { grant } => grant::revoke(draft, *grant),
        ConsentAction::Answer { request, reply } => question::answer(draft, *request, reply),
        ConsentAction::Settle {
            request,
            settlement,
        } => question::settle(draft, *request, settlement),
    }
}

fn take_outcome(draft: &mut Draft<'_>, action: &ShellAction) -> Result<(), No> {
    match action {
        ShellAction::OpenTurn {
            agent,
            horizon,
            reaction,
        } => {
            check_may_ask(draft)?;
            turn::open_turn(draft, agent, *horizon, reaction)
        }
        ShellAction::ContinueTurn {
            agent,
            turn,
            reaction,
        } => {
            check_may_ask(draft)?;
            turn::continue_turn(draft, agent, *turn, reaction)
        }
        ShellAction::FailAgent {
            agent,
            turn,
            code,
            detail,
        } => turn::fail_agent(draft, agent, *turn, code, detail),
        ShellAction::RetryModel { agent, call } => {
            check_may_ask(draft)?;
            model::retry_model(draft, agent, *call)
        }
        ShellAction::StartStream {
            agent,
            call,
            attempt,
        } => model::start_stream(draft, agent, *call, *attempt),
        ShellAction::RecordAnswer {
            agent,
            call,
            attempt,
            response,
        } => answer::record_answer(draft, agent, *call, *attempt, response),
        ShellAction::RecordFailure {
            agent,
            call,
            attempt,
            error,
        } => model::record_failure(draft, agent, *call, *attempt, error),
        ShellAction::StartTool {
            agent,
            call,
            attempt,
        } => call::start_tool(draft, agent, *call, *attempt),
        ShellAction::FinishTool {
            agent,
            call,
            attempt,
            outcome,
            progress,
        } => call::finish_tool(draft, agent, *call, *attempt, (outcome, *progress)),
        ShellAction::TimeOutTool {
            agent,
            call,
            attempt,
        } => call::time_out_tool(draft, agent, *call, *attempt),
        ShellAction::RecordReconcile {
            agent,
            call,
            result,
        } => doubt::record_reconcile(draft, agent, *call, result),
        ShellAction::DeclareUnknown { agent, call } => doubt::declare_unknown(draft, agent, *call),
        ShellAction::RecordErased {
            request,
            events,
            files,
        } => erasure::record_erased(draft, *request, *events, *files),
        ShellAction::Sign {
            head,
            key,
            signature,
            occasion,
        } => signing::sign(draft, head, key, signature, *occasion),
        ShellAction::Tick => closing::tick(draft),
    }
}

/// Refuses what may ask a model while content is being erased: a request must not hold words that
/// are on their way out.
fn check_may_ask(draft: &Draft<'_>) -> Result<(), No> {
    if draft.world.upkeep.is_erasing() {
        Err(No::STALE)
    } else {
        Ok(())
    }
}

/// Returns the reason that only the runtime can bring an outcome: first of all, whether there is
/// such a call.
fn intrusion(draft: &Draft<'_>, action: &ShellAction) -> RefusalReason {
    let Some((agent, call)) = action.tool_call() else {
        return RefusalReason::NotTheRuntime;
    };
    let world = draft.world;
    let is_open_for = |memory: &crate::world::memory::Memory| memory.open_calls.contains_key(&call);
    if world.agents.memory(agent).is_some_and(is_open_for) {
        RefusalReason::NotTheRuntime
    } else if world.agents.memories().values().any(is_open_for) {
        RefusalReason::OtherAgent
    } else {
        let known = world
            .consent
            .reason_of(call)
            .or_else(|| lineage::inherited_reason(world, call));
        known.unwrap_or(RefusalReason::UnknownCall)
    }
}
