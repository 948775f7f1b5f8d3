//! A command as a world takes it: what would change nothing, or cannot be done, is put in the form
//! that is recorded.

use std::borrow::Cow;

use crate::command::{
    Action, Command, ConsentAction, Judgement, ShellAction, TalkAction, WorldAction,
};
use crate::event::reaction::Reaction;
use crate::ids::{AgentName, Attempt, CallId, CopyId, RequestId, TurnId};
use crate::model::Parameters;
use crate::spec::Definition;
use crate::tool::ToolOutcome;
use crate::world::decide::fit;
use crate::world::memory::CallState;
use crate::world::meters::episode;
use crate::world::talk::decide::observe;
use crate::world::{World, owed};

/// The longest note that an agent may leave, in bytes.
const NOTE_MAX: usize = 4 * 1024;

impl World {
    /// `command` as this world takes it: [`Command::rebuild`] gives exactly this back from the
    /// commit that it led to.
    ///
    /// A fork's labels are left out if they are those of its parent. A definition that is in force already is no revision, and a copy that the world was opened
    /// in last no other one, unless more is to be asked there. A reaction that breaks the rules of
    /// agents is the agent's failure, and an answer that cannot be recorded is the failure of an
    /// attempt. What is wanted of a model that can no longer be asked is left out, and what a tool
    /// reported where its run has no result. A decision says whose call it is about. A client's
    /// state is in its canonical form.
    #[must_use]
    pub fn meant<'c>(&self, command: &'c Command) -> Cow<'c, Command> {
        let action = match &command.action {
            Action::World(action) => opening_meant(self, action),
            Action::Talk(action) => talk_meant(self, action),
            Action::Consent(action) => consent_meant(self, action),
            Action::Shell(action) => outcome_meant(self, command, action),
        };
        action.map_or(Cow::Borrowed(command), |action| {
            Cow::Owned(Command {
                action,
                ..command.clone()
            })
        })
    }
}

fn opening_meant(world: &World, action: &WorldAction) -> Option<Action> {
    match action {
        WorldAction::Open {
            node,
            base,
            revise,
            signer,
            copy,
        } => {
            let is_news = |definition: &Definition| !world.is_in_force(definition);
            let is_other = |copy: &CopyId| world.copy != Some(*copy) || world.is_restoring();
            let open = WorldAction::Open {
                node: *node,
                base: base.clone(),
                revise: revise.clone().filter(is_news),
                signer: signer.clone(),
                copy: copy.filter(is_other),
            };
            Some(open.into())
        }
        WorldAction::Fork {
            world: id,
            name,
            base,
            link,
            effects,
            node,
            signer,
            copy,
            labelled: Some(labelled),
        } if *labelled == world.labelled => {
            let fork = WorldAction::Fork {
                world: *id,
                name: name.clone(),
                base: base.clone(),
                link: *link,
                effects: *effects,
                node: *node,
                signer: signer.clone(),
                copy: *copy,
                labelled: None,
            };
            Some(fork.into())
        }
        WorldAction::Create { .. }
        | WorldAction::Revise { .. }
        | WorldAction::Label { .. }
        | WorldAction::SetRights { .. }
        | WorldAction::Fork { .. }
        | WorldAction::Erase { .. }
        | WorldAction::ViewWithheld { .. }
        | WorldAction::RecordStep { .. } => None,
    }
}

fn talk_meant(world: &World, action: &TalkAction) -> Option<Action> {
    match action {
        TalkAction::Observe { name, state } => observe::observation(world, name, state),
        TalkAction::PostMessage { .. }
        | TalkAction::Edit { .. }
        | TalkAction::Retract { .. }
        | TalkAction::Regenerate { .. }
        | TalkAction::Join
        | TalkAction::Leave
        | TalkAction::Stop { .. } => None,
    }
}

fn consent_meant(world: &World, action: &ConsentAction) -> Option<Action> {
    match action {
        ConsentAction::Decide {
            agent,
            request,
            judgement,
        } => decision(world, agent.as_ref(), *request, judgement),
        ConsentAction::Revoke { .. }
        | ConsentAction::Answer { .. }
        | ConsentAction::Settle { .. } => None,
    }
}

fn outcome_meant(world: &World, command: &Command, action: &ShellAction) -> Option<Action> {
    match action {
        ShellAction::FinishTool {
            agent,
            call,
            attempt,
            outcome,
            progress: Some(_),
        } if matches!(outcome, ToolOutcome::NeedsInput(_))
            || !runs(world, agent, *call, *attempt) =>
        {
            let finish = ShellAction::FinishTool {
                agent: agent.clone(),
                call: *call,
                attempt: *attempt,
                outcome: outcome.clone(),
                progress: None,
            };
            Some(finish.into())
        }
        ShellAction::OpenTurn {
            agent, reaction, ..
        } => fault(world, agent, None, reaction)
            .or_else(|| fit::unfit_reaction(world, command, agent, None, reaction)),
        ShellAction::ContinueTurn {
            agent,
            turn,
            reaction,
        } => fault(world, agent, Some(*turn), reaction)
            .or_else(|| unaskable(world, agent, *turn, reaction))
            .or_else(|| fit::unfit_reaction(world, command, agent, Some(*turn), reaction)),
        ShellAction::RecordAnswer { .. }
        | ShellAction::RecordFailure { .. }
        | ShellAction::FailAgent { .. } => fit::bounded(world, command),
        ShellAction::FinishTool { .. }
        | ShellAction::RetryModel { .. }
        | ShellAction::StartStream { .. }
        | ShellAction::StartTool { .. }
        | ShellAction::TimeOutTool { .. }
        | ShellAction::RecordReconcile { .. }
        | ShellAction::DeclareUnknown { .. }
        | ShellAction::RecordErased { .. }
        | ShellAction::Sign { .. }
        | ShellAction::Tick => None,
    }
}

/// The form in which a decision is recorded: it says whose call it is about, and nothing of the
/// world that it is made in. `None` if it has that form already.
fn decision(
    world: &World,
    seen: Option<&AgentName>,
    request: RequestId,
    judgement: &Judgement,
) -> Option<Action> {
    let waiting = world.consent.pending().get(&request);
    let agent = seen.or_else(|| waiting.map(|waiting| &waiting.agent));
    let is_said_here = judgement.world.is_some() && judgement.world == world.id();
    (agent != seen || is_said_here).then(|| {
        Action::Consent(ConsentAction::Decide {
            agent: agent.cloned(),
            request,
            judgement: Judgement {
                world: judgement.world.filter(|_| !is_said_here),
                ..judgement.clone()
            },
        })
    })
}

/// The failure that a reaction is which no agent may have.
fn fault(
    world: &World,
    agent: &AgentName,
    turn: Option<TurnId>,
    reaction: &Reaction,
) -> Option<Action> {
    let code = match reaction {
        Reaction::AskModel(_) if !owed::has_model(world, agent) => "no_model",
        Reaction::Answer {
            note: Some(note), ..
        }
        | Reaction::Pass { note: Some(note) }
            if note.len() > NOTE_MAX =>
        {
            "note_too_long"
        }
        Reaction::AskModel(_) | Reaction::Answer { .. } | Reaction::Pass { .. } => return None,
    };
    let agent = agent.clone();
    let code = code.to_owned();
    let detail = String::new();
    Some(Action::Shell(ShellAction::FailAgent {
        agent,
        turn,
        code,
        detail,
    }))
}

/// Tells whether `attempt` of an open call is under way, so that its outcome is the call's result.
fn runs(world: &World, agent: &AgentName, call: CallId, attempt: Attempt) -> bool {
    let open = world
        .agents
        .memory(agent)
        .and_then(|memory| memory.open_calls.get(&call));
    open.is_some_and(
        |open| matches!(&open.state, CallState::Running(run) if run.attempt == attempt),
    )
}

fn unaskable(
    world: &World,
    agent: &AgentName,
    turn: TurnId,
    reaction: &Reaction,
) -> Option<Action> {
    let open = world.agents.turn(agent)?;
    let is_unaskable = matches!(reaction, Reaction::AskModel(_))
        && episode::affords(world, &open.rules, agent, open.episode).is_none();
    let reaction = Reaction::AskModel(Parameters::default());
    is_unaskable.then(|| {
        Action::Shell(ShellAction::ContinueTurn {
            agent: agent.clone(),
            turn,
            reaction,
        })
    })
}
