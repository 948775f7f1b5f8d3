//! A command as a world takes it: what would change nothing, or cannot be done, is put in the form that is recorded.

use std::borrow::Cow;

use crate::command::{
    Action, Command, ConsentAction, Judgement, ShellAction, TalkAction, WorldAction,
};
use crate::event::reaction::Reaction;
use crate::ids::{AgentName, Attempt, CallId, RequestId, TurnId};
use crate::model::Parameters;
use crate::tool::ToolOutcome;
use crate::world::World;
use crate::world::memory::CallState;

/// The longest note that an agent may leave, in bytes.
const NOTE_MAX: usize = 4 * 1024;

impl World {
    /// `command` as this world takes it: [`Command::rebuild`] gives exactly this back from the commit that it led to.
    ///
    /// A definition that is in force already is no revision, and a copy that the world was opened in last no other one,
    /// unless more is to be asked there. A
    /// reaction that breaks the rules of agents is the agent's failure, and an answer that cannot be recorded is the failure
    /// of an attempt. What is wanted of a model that can no longer be asked is left out, and what a tool reported where its run
    /// has no result. A decision says whose call it is about. A client's state is in its canonical form.
    #[must_use]
    pub fn meant<'c>(&self, command: &'c Command) -> Cow<'c, Command> {
        let action = match &command.action {
            Action::World(WorldAction::Open {
                node,
                base,
                revise,
                signer,
                copy,
            }) => {
                let revise = revise
                    .clone()
                    .filter(|definition| !self.is_in_force(definition));
                let copy = copy.filter(|copy| self.copy != Some(*copy) || self.is_restoring());
                let (node, base, signer) = (*node, base.clone(), signer.clone());
                Some(Action::World(WorldAction::Open {
                    node,
                    base,
                    revise,
                    signer,
                    copy,
                }))
            }
            Action::Shell(ShellAction::FinishTool {
                agent,
                call,
                attempt,
                outcome,
                progress: Some(_),
            }) if matches!(outcome, ToolOutcome::NeedsInput(_))
                || !self.runs(agent, *call, *attempt) =>
            {
                let (agent, call, attempt, outcome) =
                    (agent.clone(), *call, *attempt, outcome.clone());
                Some(Action::Shell(ShellAction::FinishTool {
                    agent,
                    call,
                    attempt,
                    outcome,
                    progress: None,
                }))
            }
            Action::Consent(ConsentAction::Decide {
                agent,
                request,
                judgement,
            }) => self.decision(agent.as_ref(), *request, judgement),
            Action::Shell(ShellAction::OpenTurn {
                agent, reaction, ..
            }) => self
                .fault(agent, None, reaction)
                .or_else(|| self.unfit_reaction(command, agent, None, reaction)),
            Action::Shell(ShellAction::ContinueTurn {
                agent,
                turn,
                reaction,
            }) => self
                .fault(agent, Some(*turn), reaction)
                .or_else(|| self.unaskable(agent, *turn, reaction))
                .or_else(|| self.unfit_reaction(command, agent, Some(*turn), reaction)),
            Action::Shell(ShellAction::RecordAnswer { .. })
            | Action::Shell(ShellAction::RecordFailure { .. })
            | Action::Shell(ShellAction::FailAgent { .. }) => self.bounded(command),
            Action::Talk(TalkAction::Observe { name, state }) => self.observation(name, state),
            Action::World(WorldAction::Create { .. })
            | Action::World(WorldAction::Revise { .. })
            | Action::Talk(TalkAction::PostMessage { .. })
            | Action::Talk(TalkAction::Edit { .. })
            | Action::Talk(TalkAction::Retract { .. })
            | Action::Talk(TalkAction::Regenerate { .. })
            | Action::Talk(TalkAction::Join)
            | Action::Talk(TalkAction::Leave)
            | Action::World(WorldAction::Label { .. })
            | Action::Shell(ShellAction::RetryModel { .. })
            | Action::Shell(ShellAction::StartStream { .. })
            | Action::Shell(ShellAction::StartTool { .. })
            | Action::Shell(ShellAction::FinishTool { .. })
            | Action::Shell(ShellAction::TimeOutTool { .. })
            | Action::Shell(ShellAction::RecordReconcile { .. })
            | Action::Shell(ShellAction::DeclareUnknown { .. })
            | Action::Consent(ConsentAction::Revoke { .. })
            | Action::World(WorldAction::SetRights { .. })
            | Action::Consent(ConsentAction::Answer { .. })
            | Action::Consent(ConsentAction::Settle { .. })
            | Action::Talk(TalkAction::Stop { .. })
            | Action::World(WorldAction::Fork { .. })
            | Action::World(WorldAction::Erase { .. })
            | Action::Shell(ShellAction::RecordErased { .. })
            | Action::Shell(ShellAction::Sign { .. })
            | Action::Shell(ShellAction::Tick)
            | Action::World(WorldAction::RecordStep { .. }) => None,
        };
        action.map_or(Cow::Borrowed(command), |action| {
            Cow::Owned(Command {
                action,
                ..command.clone()
            })
        })
    }

    /// The form in which a decision is recorded: it says whose call it is about, and nothing of the world that it is made in.
    /// `None` if it has that form already.
    fn decision(
        &self,
        seen: Option<&AgentName>,
        request: RequestId,
        judgement: &Judgement,
    ) -> Option<Action> {
        let waiting = self.consent.pending().get(&request);
        let agent = seen.or_else(|| waiting.map(|waiting| &waiting.agent));
        let is_said_here = judgement.world.is_some() && judgement.world == self.id();
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
        &self,
        agent: &AgentName,
        turn: Option<TurnId>,
        reaction: &Reaction,
    ) -> Option<Action> {
        let code = match reaction {
            Reaction::AskModel(_) if !self.has_model(agent) => "no_model",
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
        let (agent, code, detail) = (agent.clone(), code.to_owned(), String::new());
        Some(Action::Shell(ShellAction::FailAgent {
            agent,
            turn,
            code,
            detail,
        }))
    }

    /// Whether `attempt` of an open call is under way, so that its outcome is the call's result.
    fn runs(&self, agent: &AgentName, call: CallId, attempt: Attempt) -> bool {
        let open = self
            .memories
            .get(agent)
            .and_then(|memory| memory.open_calls.get(&call));
        open.is_some_and(
            |open| matches!(&open.state, CallState::Running(run) if run.attempt == attempt),
        )
    }

    fn unaskable(&self, agent: &AgentName, turn: TurnId, reaction: &Reaction) -> Option<Action> {
        let open = self.memories.get(agent)?.turn.as_ref()?;
        let is_unaskable = matches!(reaction, Reaction::AskModel(_))
            && self.affords(&open.rules, agent, open.episode).is_none();
        let reaction = Reaction::AskModel(Parameters::default());
        is_unaskable.then(|| {
            Action::Shell(ShellAction::ContinueTurn {
                agent: agent.clone(),
                turn,
                reaction,
            })
        })
    }

    /// Whether `agent` has a model under the rules that it works by now: those of its open turn, if there is one.
    pub(in crate::world) fn has_model(&self, agent: &AgentName) -> bool {
        let turn = self
            .memories
            .get(agent)
            .and_then(|memory| memory.turn.as_ref());
        let rules = turn.map_or(&self.rules, |turn| &turn.rules);
        rules.agent(agent).is_some_and(|spec| spec.model.is_some())
    }
}
