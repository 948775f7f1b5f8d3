//! Whether what a command leads to can be recorded. What cannot is refused before anything is
//! appended: an append that the store refuses stops the world.

use serde::Serialize;

use crate::command::{Action, Command, ConsentAction, ShellAction, TalkAction, WorldAction};
use crate::event::reaction::Reaction;
use crate::event::refusal::Refusal;
use crate::event::{Event, EventRecord, StoredContent};
use crate::ids::{AgentName, Seed, Stamp, Time, TurnId};
use crate::model::response::{LLMResponse, ModelError, ModelErrorKind, Reached};
use crate::spec::limits::{
    ANSWER_CALLS_MAX, CALL_NAME_BYTES_MAX, CONTENT_BYTES_MAX, DETAIL_BYTES_MAX, EVENT_BYTES,
    FACTS_BYTES_MAX,
};
use crate::world::World;
use crate::world::decide::{Draft, act};

/// The bytes of JSON up to which a command leads to nothing that is too large: no event says the
/// same thing often.
// Measuring decides the command once more, which most commands need not wait for (decision 0026).
const SMALL: usize = 8 * 1024;

/// Returns what a model or an agent brought, within bounds: an answer that cannot be recorded is a
/// failure, and the details of failures are cut. `None` if it is so already.
pub(super) fn bounded(world: &World, command: &Command) -> Option<Action> {
    if let Action::Shell(ShellAction::RecordAnswer {
        agent,
        call,
        attempt,
        response,
    }) = &command.action
    {
        // Said before anything is appended: a store that refuses the commit would stop the world,
        // and the model would be asked, and paid, again (decision 0026).
        let why = unfit_answer(world, command, response)?;
        let error = ModelError::new(ModelErrorKind::AnswerTooLarge, why).after(Reached::Answer);
        let error = ModelError {
            played: response.reply().played,
            ..error
        };
        Some(Action::Shell(ShellAction::RecordFailure {
            agent: agent.clone(),
            call: *call,
            attempt: *attempt,
            error,
        }))
    } else if let Action::Shell(ShellAction::RecordFailure {
        agent,
        call,
        attempt,
        error,
    }) = &command.action
        && error.detail.len() > DETAIL_BYTES_MAX
    {
        let error = ModelError {
            detail: cut_detail(&error.detail),
            ..error.clone()
        };
        Some(Action::Shell(ShellAction::RecordFailure {
            agent: agent.clone(),
            call: *call,
            attempt: *attempt,
            error,
        }))
    } else if let Action::Shell(ShellAction::FailAgent {
        agent,
        turn,
        code,
        detail,
    }) = &command.action
        && (code.len() > CALL_NAME_BYTES_MAX || detail.len() > DETAIL_BYTES_MAX)
    {
        let code = code
            .get(..code.floor_char_boundary(CALL_NAME_BYTES_MAX))
            .unwrap_or_default()
            .to_owned();
        let agent = agent.clone();
        let turn = *turn;
        let detail = cut_detail(detail);
        Some(Action::Shell(ShellAction::FailAgent {
            agent,
            turn,
            code,
            detail,
        }))
    } else {
        None
    }
}

/// The failure that a reaction is which cannot be recorded.
pub(super) fn unfit_reaction(
    world: &World,
    command: &Command,
    agent: &AgentName,
    turn: Option<TurnId>,
    reaction: &Reaction,
) -> Option<Action> {
    let detail = match reaction {
        Reaction::Answer { response, .. } => unfit_answer(world, command, response)?,
        Reaction::AskModel(_) => unfit(world, command, reaction)?,
        Reaction::Pass { .. } => return None,
    };
    let agent = agent.clone();
    let code = "reaction_too_large".to_owned();
    Some(Action::Shell(ShellAction::FailAgent {
        agent,
        turn,
        code,
        detail,
    }))
}

/// Returns the reason that a model's or an agent's answer cannot be taken; `None` if it can.
fn unfit_answer(world: &World, command: &Command, response: &LLMResponse) -> Option<String> {
    let mut calls = 0_usize;
    let mut longest = 0;
    for call in response.reply().calls() {
        calls += 1;
        longest = longest.max(call.label.len()).max(call.tool.len());
    }
    if calls > ANSWER_CALLS_MAX {
        return Some(format!(
            "it has {calls} calls, at most {ANSWER_CALLS_MAX} are possible"
        ));
    }
    if longest > CALL_NAME_BYTES_MAX {
        let most = CALL_NAME_BYTES_MAX;
        return Some(format!(
            "a call has a label or a tool name of {longest} bytes, at most {most} are possible"
        ));
    }
    unfit(world, command, response)
}

/// Returns why what `command` leads to cannot be recorded, of which `bulk` is all that may be
/// large. Whether the command is refused for another reason is not said here.
fn unfit(world: &World, command: &Command, bulk: &impl Serialize) -> Option<String> {
    let bytes = serde_json::to_vec(bulk).map_or(usize::MAX, |json| json.len());
    if bytes <= SMALL {
        return None;
    }
    if bytes > CONTENT_BYTES_MAX {
        return Some(format!(
            "it takes {bytes} bytes to record, at most {CONTENT_BYTES_MAX} are possible"
        ));
    }
    // How much it is does not depend on when it happens.
    let stamp = Stamp {
        time: Time(0),
        seed: Seed::new([0; 16]),
    };
    let id = world.id()?;
    let mut draft = Draft::of(world, id, &command.principal, stamp);
    act::act(&mut draft, &command.action).ok()?;
    misfit(&draft.events)
}

/// Refuses what cannot be recorded.
pub(super) fn check(action: &Action, events: &[Event]) -> Result<(), Refusal> {
    let why = if is_bounded(action) {
        None
    } else {
        misfit(events)
    };
    why.map_or(Ok(()), |why| Err(Refusal::TooLarge { why }))
}

/// Returns what is too large among `events`; `None` if nothing is.
fn misfit(events: &[Event]) -> Option<String> {
    let mut facts = 0_usize;
    for event in events {
        let record = match event.to_record() {
            Ok(record) => record,
            Err(error) => return Some(error.to_string()),
        };
        facts += counted(&record);
        let StoredContent::Present(content) = &record.content else {
            continue;
        };
        if content.len() > CONTENT_BYTES_MAX {
            let kind = event.kind().name();
            let bytes = content.len();
            return Some(format!(
                "it takes {bytes} bytes to record ({kind}), at most {CONTENT_BYTES_MAX} are possible"
            ));
        }
    }
    let is_misfit = facts > FACTS_BYTES_MAX;
    is_misfit.then(|| {
        format!("it takes {facts} bytes of facts to record, at most {FACTS_BYTES_MAX} are possible")
    })
}

/// The bytes of facts of `events`; what does not become a record counts as nothing, since it is
/// refused later.
pub(in crate::world) fn facts(events: &[Event]) -> usize {
    let records = events.iter().filter_map(|event| event.to_record().ok());
    records.map(|record| counted(&record)).sum()
}

/// The bytes that a record counts among the facts of its commit.
fn counted(record: &EventRecord) -> usize {
    record.facts.len() + EVENT_BYTES
}

/// Tells whether no command of its kind leads to much, or that was looked at where its
/// [meaning](World::meant) was found. What tools give is kept within bounds by the shell, which can
/// say so in its place.
const fn is_bounded(action: &Action) -> bool {
    match action {
        Action::Talk(TalkAction::PostMessage { text, .. })
        | Action::Talk(TalkAction::Edit { text, .. }) => text.len() <= SMALL,
        Action::World(WorldAction::Create { .. })
        | Action::World(WorldAction::Open { .. })
        | Action::World(WorldAction::Fork { .. })
        | Action::World(WorldAction::Revise { .. })
        | Action::Talk(TalkAction::Regenerate { .. })
        | Action::Talk(TalkAction::Retract { .. })
        | Action::World(WorldAction::Label { .. })
        | Action::Consent(ConsentAction::Decide { .. })
        | Action::World(WorldAction::SetRights { .. })
        | Action::Talk(TalkAction::Observe { .. })
        | Action::Consent(ConsentAction::Answer { .. })
        | Action::Consent(ConsentAction::Settle { .. })
        | Action::Talk(TalkAction::Stop { .. })
        | Action::World(WorldAction::Erase { .. })
        | Action::World(WorldAction::ViewWithheld { .. })
        | Action::Shell(ShellAction::Sign { .. }) => false,
        Action::Talk(TalkAction::Join)
        | Action::Talk(TalkAction::Leave)
        | Action::Shell(ShellAction::OpenTurn { .. })
        | Action::Shell(ShellAction::ContinueTurn { .. })
        | Action::Shell(ShellAction::FailAgent { .. })
        | Action::Shell(ShellAction::RetryModel { .. })
        | Action::Shell(ShellAction::StartStream { .. })
        | Action::Shell(ShellAction::RecordAnswer { .. })
        | Action::Shell(ShellAction::RecordFailure { .. })
        | Action::Shell(ShellAction::StartTool { .. })
        | Action::Shell(ShellAction::FinishTool { .. })
        | Action::Shell(ShellAction::RecordReconcile { .. })
        | Action::Shell(ShellAction::TimeOutTool { .. })
        | Action::Shell(ShellAction::DeclareUnknown { .. })
        | Action::Consent(ConsentAction::Revoke { .. })
        | Action::Shell(ShellAction::RecordErased { .. })
        | Action::Shell(ShellAction::Tick)
        | Action::World(WorldAction::RecordStep { .. }) => true,
    }
}

/// A detail that is not too long, and says so if it was.
fn cut_detail(detail: &str) -> String {
    let kept = detail
        .get(..detail.floor_char_boundary(DETAIL_BYTES_MAX.saturating_sub(64)))
        .unwrap_or_default();
    if kept.len() == detail.len() {
        detail.to_owned()
    } else {
        format!("{kept} [cut: {} bytes in all]", detail.len())
    }
}
