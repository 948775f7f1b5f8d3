//! The orchestrator: performs what the world owes, and brings each outcome back as a command.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::command::{Action, ShellAction};
use folkmoot_core::event::Purpose;
use folkmoot_core::ids::{AgentName, ModelCallId, Position, TurnId};
use folkmoot_core::model::response::{ModelError, ModelErrorKind};
use folkmoot_core::port::{AgentError, DraftsClosed, Files, ModelCall, Reaction, TurnView};
use folkmoot_core::tool::{Reconciliation, ToolErrorCode, ToolOutcome};
use folkmoot_core::world::effect::Effect;

use super::WorldTask;
use super::drafts::{Audience, Channel};
use super::flight::{LandedEffect, WorkOutcome};
use super::halt::Halt;
use crate::bus::Delivery;
use crate::files;
use crate::opening::Perform;

mod seen;
mod tool;

pub(super) use seen::FilesGone;
use tool::ToolRun;

/// A step that needs no work outside.
enum OwnStep {
    /// The action, and the news of the agent that need not be asked.
    Decide(Box<ShellAction>, Option<Box<Delivery>>),
    StartTool(ToolRun),
}

/// The things to do once the steps before them are durable.
#[derive(Default)]
struct Behind {
    told: Vec<Delivery>,
    starting: Vec<ToolRun>,
}

impl WorldTask {
    /// Starts everything that is owed, due, and not under way. What needs no work outside is
    /// decided first and appended together; work outside begins behind that.
    pub(super) async fn perform_owed(&mut self) -> Result<(), Halt> {
        let mut behind = Behind::default();
        loop {
            let head = self.world.head();
            for effect in self.due() {
                if let Some(step) = self.own_step(&effect) {
                    let before = self.world.head();
                    self.make(step, &mut behind).await?;
                    self.check_moved(&effect, before)?;
                }
            }
            if self.world.head() != head {
                continue;
            }
            // Whoever acts on a fact must find it after a crash.
            self.flush().await?;
            behind
                .told
                .drain(..)
                .for_each(|delivery| self.bus.tell(delivery));
            behind.starting.drain(..).for_each(|run| self.run_tool(run));
            let mut is_all = true;
            for effect in self.due() {
                // It has become due while the others were appended.
                if self.own_step(&effect).is_some() {
                    is_all = false;
                    continue;
                }
                let before = self.world.head();
                self.start(effect.clone()).await?;
                self.check_moved(&effect, before)?;
            }
            if is_all && self.world.head() == head {
                return self.flush().await;
            }
        }
    }

    /// The keys of what is owed, due, and not under way.
    fn due(&self) -> Vec<Effect> {
        let now = self.clock.now();
        let is_due = |effect: &Effect| effect.not_before().is_none_or(|time| time <= now);
        let is_meant = |effect: &Effect| self.door.perform.does(effect);
        let owed = self.world.owed().filter(is_due).filter(is_meant);
        let keys = owed.map(|effect| effect.key());
        keys.filter(|effect| !self.flight.has(effect)).collect()
    }

    /// The step with which the task answers an effect by itself; `None` if that needs work outside.
    fn own_step(&self, effect: &Effect) -> Option<OwnStep> {
        let (action, delivery) = match effect {
            Effect::TickAt { .. } => (ShellAction::Tick, None),
            Effect::RetryModel { agent, call, .. } => {
                let (agent, call) = (agent.clone(), *call);
                (ShellAction::RetryModel { agent, call }, None)
            }
            Effect::DeclareUnknown { agent, call } => {
                let (agent, call) = (agent.clone(), *call);
                (ShellAction::DeclareUnknown { agent, call }, None)
            }
            Effect::RunTool {
                agent,
                call,
                attempt,
            } => {
                return Some(OwnStep::StartTool(ToolRun {
                    agent: agent.clone(),
                    call: *call,
                    attempt: *attempt,
                }));
            }
            Effect::Wake { agent, .. } => {
                let (view, reaction) = self.standing(agent)?;
                let action = ShellAction::OpenTurn {
                    agent: agent.clone(),
                    horizon: view.horizon,
                    reaction,
                };
                (action, Some(Delivery::Text(view, self.world.news(agent))))
            }
            Effect::Continue { agent, turn, .. } => {
                let (view, reaction) = self.standing(agent)?;
                let action = ShellAction::ContinueTurn {
                    agent: agent.clone(),
                    turn: *turn,
                    reaction,
                };
                let results = self.world.tool_results(agent);
                (action, Some(Delivery::Results(view, results)))
            }
            Effect::CallModel { .. }
            | Effect::Reconcile { .. }
            | Effect::Sign { .. }
            | Effect::Erase { .. } => return None,
        };
        Some(OwnStep::Decide(Box::new(action), delivery.map(Box::new)))
    }

    /// Makes a step of its own; `behind` gets what that leads to.
    async fn make(&mut self, step: OwnStep, behind: &mut Behind) -> Result<(), Halt> {
        match step {
            OwnStep::StartTool(run) => behind.starting.extend(self.start_tool(run).await?),
            OwnStep::Decide(action, delivery) => {
                behind.told.extend(delivery.map(|delivery| *delivery));
                self.bring(Action::Shell(*action)).await?;
            }
        }
        Ok(())
    }

    /// The view and the reaction of an agent that need not be asked.
    fn standing(&self, agent: &AgentName) -> Option<(TurnView, Reaction)> {
        let reaction = self.bus.standing(agent)?;
        Some((self.world.turn_view(agent)?, reaction))
    }

    /// Begins work outside.
    async fn start(&mut self, effect: Effect) -> Result<(), Halt> {
        match &effect {
            Effect::Sign { occasion, .. } => self.sign(*occasion).await,
            Effect::Erase { request } => {
                let request = *request;
                self.erase(effect, request);
                Ok(())
            }
            Effect::Wake { agent, .. } => {
                let agent = agent.clone();
                self.wake(effect, agent);
                Ok(())
            }
            Effect::Continue { agent, turn, .. } => {
                let agent = agent.clone();
                let turn = *turn;
                self.go_on(effect, agent, turn);
                Ok(())
            }
            Effect::CallModel { agent, call, .. } => {
                let agent = agent.clone();
                let call = *call;
                self.call_model(effect, agent, call);
                Ok(())
            }
            Effect::Reconcile {
                agent,
                call,
                attempt,
            } => {
                let agent = agent.clone();
                let call = *call;
                let attempt = *attempt;
                self.reconcile(effect, agent, call, attempt);
                Ok(())
            }
            Effect::TickAt { .. }
            | Effect::RetryModel { .. }
            | Effect::DeclareUnknown { .. }
            | Effect::RunTool { .. } => Ok(()),
        }
    }

    /// Tells an agent its news over its text channel.
    fn wake(&mut self, effect: Effect, agent: AgentName) {
        let Some(view) = self.world.turn_view(&agent) else {
            return;
        };
        let news = self.world.news(&agent);
        let line = self.bus.line(&agent);
        let horizon = view.horizon;
        self.flight.launch(effect, self.world.head(), async move {
            match line.text(view, news).await {
                Ok(reaction) => Action::Shell(ShellAction::OpenTurn {
                    agent,
                    horizon,
                    reaction,
                }),
                Err(error) => failed(agent, None, error),
            }
        });
    }

    /// Tells an agent its results over its tool-result channel.
    fn go_on(&mut self, effect: Effect, agent: AgentName, turn: TurnId) {
        let Some(view) = self.world.turn_view(&agent) else {
            return;
        };
        let results = self.world.tool_results(&agent);
        let line = self.bus.line(&agent);
        self.flight.launch(effect, self.world.head(), async move {
            match line.results(view, results).await {
                Ok(reaction) => Action::Shell(ShellAction::ContinueTurn {
                    agent,
                    turn,
                    reaction,
                }),
                Err(error) => failed(agent, Some(turn), error),
            }
        });
    }

    fn call_model(&mut self, effect: Effect, agent: AgentName, call: ModelCallId) {
        let Some(ask) = self.world.model_ask(&agent) else {
            return;
        };
        let model = self.parts.models.get(&ask.model).cloned();
        let limit = Duration::from_millis(ask.timeout_ms);
        let cutter = self.world.reply_cutter(&agent);
        let attempt = ask.attempt;
        let drafts = match ask.purpose {
            Purpose::Turn | Purpose::Closing => {
                let world = self.door.own.clone();
                Audience::Room(Box::new(Channel::new(
                    world,
                    self.bus.activity(),
                    Arc::clone(&self.tenure),
                    agent.clone(),
                    call,
                    attempt,
                    cutter,
                )))
            }
            Purpose::Compaction => Audience::Nobody,
        };
        let model_call = ModelCall {
            agent: agent.clone(),
            purpose: ask.purpose,
            request: ask.request,
            idempotency_key: ask.idempotency_key,
            played: ask.played,
            clock: self.clock.port(),
            files: Files::new(),
        };
        let blobs = Arc::clone(&self.means.blobs);
        let world = self.world.id();
        self.flight.launch(effect, self.world.head(), async move {
            let mut model_call = model_call;
            let answer = match &model {
                Some(model) => {
                    model_call.files =
                        files::load(&*blobs, world, &model_call.request, &**model).await;
                    // By the machine's clock in every world: the model is real (decision 0007).
                    tokio::time::timeout(limit, model.call(&model_call, &drafts)).await
                }
                None => Ok(Err(ModelError::new(
                    ModelErrorKind::RefusesRequest,
                    format!("no model called {} is open here", ask.model),
                ))),
            };
            match answer {
                Ok(Ok(response)) => {
                    // Drafts that are closed show nothing more; what comes of the answer is decided
                    // all the same.
                    let (Ok(()) | Err(DraftsClosed)) = drafts.finish().await;
                    Action::Shell(ShellAction::RecordAnswer {
                        agent,
                        call,
                        attempt,
                        response,
                    })
                }
                Ok(Err(error)) => Action::Shell(ShellAction::RecordFailure {
                    agent,
                    call,
                    attempt,
                    error,
                }),
                Err(_elapsed) => {
                    let error = ModelError::new(
                        ModelErrorKind::Timeout,
                        format!("no answer within {limit:?}"),
                    );
                    Action::Shell(ShellAction::RecordFailure {
                        agent,
                        call,
                        attempt,
                        error,
                    })
                }
            }
        });
    }

    /// Takes up what came of an effect.
    pub(super) async fn land(&mut self, landed: LandedEffect) -> Result<(), Halt> {
        // Two runs of one script must take outcomes up in one order, however fast each was
        // (decision 0007).
        if self.door.perform == Perform::InOrder {
            self.flight.hold(landed);
            return Ok(());
        }
        self.settle(landed).await
    }

    /// Takes up the outcomes that were put aside, once everything that is under way sleeps.
    pub(super) async fn land_in_order(&mut self) -> Result<(), Halt> {
        if !self.flight.holds_any() || self.flight.under_way() > self.clock.sleeping() {
            return Ok(());
        }
        for landed in self.flight.take_held() {
            self.settle(landed).await?;
        }
        Ok(())
    }

    /// Lets tools that run, and an erasure, come to their end, so that nobody has to ask what
    /// became of them; starts nothing new, and gives up everything else. What sleeps on a simulated
    /// clock is given up as well: nobody would wake it.
    pub(super) async fn drain(&mut self) -> Result<(), Halt> {
        self.flight.abort_all_but_lasting();
        // A call that is dropped here would be one of unknown outcome, and a person would have to
        // settle it.
        while self.flight.under_way() > self.clock.sleeping() {
            tokio::select! {
                biased;
                landed = self.flight.next() => self.flight.hold(landed),
                () = self.clock.somebody_sleeps() => {}
            }
        }
        for landed in self.flight.take_held() {
            self.take_up(&landed.effect, landed.outcome).await?;
            self.flush().await?;
        }
        self.flight.abort_all();
        Ok(())
    }

    /// Work that is refused because the world has moved on since it was begun is not stuck: it is
    /// begun again, with what is so now.
    async fn settle(
        &mut self,
        LandedEffect {
            effect,
            outcome,
            begun_at,
            ..
        }: LandedEffect,
    ) -> Result<(), Halt> {
        self.take_up(
            &effect,
            outcome.or_else(|| panicked(&effect).map(WorkOutcome::from)),
        )
        .await?;
        self.check_moved(&effect, begun_at)
    }

    async fn take_up(&mut self, effect: &Effect, outcome: Option<WorkOutcome>) -> Result<(), Halt> {
        match (effect, outcome) {
            (_, Some(WorkOutcome::Action(action))) => self.bring(*action).await,
            (Effect::Erase { request }, Some(WorkOutcome::Erased(erased))) => {
                self.note_erased(*request, erased?).await
            }
            (_, Some(WorkOutcome::NotBegun)) => Err(Halt::TenureLost),
            (_, Some(WorkOutcome::Erased(_)) | None) => Ok(()),
        }
    }

    /// Stops a world that still owes what was just done: it would owe it for ever.
    fn check_moved(&self, effect: &Effect, before: Position) -> Result<(), Halt> {
        let is_stuck = self.world.head() == before
            && !self.flight.has(effect)
            && self.world.owed().any(|owed| owed.key() == *effect);
        if is_stuck {
            Err(Halt::Stuck(effect.clone()))
        } else {
            Ok(())
        }
    }
}

fn failed(
    agent: AgentName,
    turn: Option<TurnId>,
    AgentError { code, detail }: AgentError,
) -> Action {
    Action::Shell(ShellAction::FailAgent {
        agent,
        turn,
        code,
        detail,
    })
}

/// Returns what a panic of an effect's work means.
fn panicked(effect: &Effect) -> Option<Action> {
    const WHY: &str = "it panicked";
    match effect {
        Effect::RunTool {
            agent,
            call,
            attempt,
        } => Some(Action::Shell(ShellAction::FinishTool {
            agent: agent.clone(),
            call: *call,
            attempt: *attempt,
            // It may have acted before it panicked.
            outcome: ToolOutcome::failed(ToolErrorCode::Lost, WHY),
            progress: None,
        })),
        Effect::CallModel {
            agent,
            call,
            attempt,
        } => Some(Action::Shell(ShellAction::RecordFailure {
            agent: agent.clone(),
            call: *call,
            attempt: *attempt,
            error: ModelError::new(ModelErrorKind::Outage, WHY),
        })),
        Effect::Reconcile { agent, call, .. } => {
            let result = Reconciliation::CannotTell;
            Some(Action::Shell(ShellAction::RecordReconcile {
                agent: agent.clone(),
                call: *call,
                result,
            }))
        }
        Effect::Wake { agent, .. } => Some(Action::Shell(ShellAction::FailAgent {
            agent: agent.clone(),
            turn: None,
            code: "panicked".to_owned(),
            detail: WHY.to_owned(),
        })),
        Effect::Continue { agent, turn, .. } => Some(Action::Shell(ShellAction::FailAgent {
            agent: agent.clone(),
            turn: Some(*turn),
            code: "panicked".to_owned(),
            detail: WHY.to_owned(),
        })),
        Effect::RetryModel { .. }
        | Effect::DeclareUnknown { .. }
        | Effect::Sign { .. }
        | Effect::Erase { .. }
        | Effect::TickAt { .. } => None,
    }
}
