//! Runs of tools, and what is asked about lost ones.

use std::sync::{Arc, Mutex};

use folkmoot_core::command::{Action, ShellAction};
use folkmoot_core::content::canonical::read;
use folkmoot_core::ids::{AgentName, Attempt, CallId, ToolName};
use folkmoot_core::port::{Progress, Tool, ToolCall, Unheard};
use folkmoot_core::tool::{Reconciliation, ToolErrorCode, ToolFailure, ToolOutcome};
use folkmoot_core::world::Runnable;
use folkmoot_core::world::effect::Effect;

use crate::bus::ActivityEvent;
use crate::output::Keeper;
use crate::task::halt::Halt;
use crate::task::progress::Reports;
use crate::task::{WorldTask, permission};

/// A run of a tool.
#[derive(Debug, Clone)]
pub(super) struct ToolRun {
    pub(super) agent: AgentName,
    pub(super) call: CallId,
    pub(super) attempt: Attempt,
}

impl WorldTask {
    /// Reads from the log that a call may start, and decides the start, which `decide` allows only
    /// while the call is open in the agent's memory. Gives the run that is to begin once the start is durable.
    pub(super) async fn start_tool(&mut self, run: ToolRun) -> Result<Option<ToolRun>, Halt> {
        let ToolRun {
            agent,
            call,
            attempt,
        } = &run;
        let ahead = self.ahead.commits();
        permission::verify(&*self.means.log, ahead, &self.world, agent, *call).await?;
        self.bring(Action::Shell(ShellAction::StartTool {
            agent: agent.clone(),
            call: *call,
            attempt: *attempt,
        }))
        .await?;
        Ok(self.world.is_running(&run.agent, run.call).then_some(run))
    }

    /// Runs a tool whose start is durable.
    pub(super) fn run_tool(&mut self, run: ToolRun) {
        let ToolRun {
            agent,
            call,
            attempt,
        } = run;
        let Some(runnable) = self.world.runnable(&agent, call) else {
            return;
        };
        let tool = self.tool(&agent, call, &runnable.tool);
        let name = runnable.tool.clone();
        self.bus.announce(ActivityEvent::Tool {
            agent: agent.clone(),
            call,
            tool: name,
        });
        let reports = self.reports(&agent, call, runnable.tool.clone());
        let run = self.tool_call(&agent, call, attempt, (runnable, reports.clone()));
        let keeper = self.keeper();
        let effect = Effect::RunTool {
            agent: agent.clone(),
            call,
            attempt,
        };
        self.flight.launch(effect, self.world.head(), async move {
            let run = tool.and_then(|tool| Ok((tool, run?)));
            let outcome = execute(run, &keeper).await;
            let progress = reports.end();
            match outcome {
                Some(outcome) => Action::Shell(ShellAction::FinishTool {
                    agent,
                    call,
                    attempt,
                    outcome,
                    progress,
                }),
                None => Action::Shell(ShellAction::TimeOutTool {
                    agent,
                    call,
                    attempt,
                }),
            }
        });
    }

    pub(super) fn reconcile(
        &mut self,
        effect: Effect,
        agent: AgentName,
        call: CallId,
        attempt: Attempt,
    ) {
        let Some(runnable) = self.world.runnable(&agent, call) else {
            return;
        };
        let tool = self.tool(&agent, call, &runnable.tool);
        let run = self.tool_call(&agent, call, attempt, (runnable, Arc::new(Unheard)));
        let keeper = self.keeper();
        self.flight.launch(effect, self.world.head(), async move {
            let result = match (tool, run) {
                (Ok(tool), Ok(run)) => {
                    let found =
                        tokio::time::timeout(tool.spec().timeout(), tool.reconcile(&run)).await;
                    keeper
                        .keep_found(found.unwrap_or(Reconciliation::CannotTell), tool.spec())
                        .await
                }
                (Err(_), _) | (_, Err(_)) => Reconciliation::CannotTell,
            };
            Action::Shell(ShellAction::RecordReconcile {
                agent,
                call,
                result,
            })
        });
    }

    /// The tool that a call is for. One that was defined anew since its turn began, or works in
    /// another folder, is another tool.
    fn tool(
        &self,
        agent: &AgentName,
        call: CallId,
        name: &ToolName,
    ) -> Result<Arc<dyn Tool>, ToolFailure> {
        if !self.world.has_tool_of(agent, call) {
            let why =
                "the tool was defined anew, or its folder is another one, since it was called";
            return Err(ToolFailure::new(ToolErrorCode::NotAllowed, why));
        }
        let tool = self.parts.tools.get(name).cloned();
        tool.ok_or_else(|| ToolFailure::new(ToolErrorCode::Failed, "the tool is not open here"))
    }

    fn keeper(&self) -> Keeper {
        let blobs = Arc::clone(&self.means.blobs);
        let secrets = self.parts.secrets.clone();
        Keeper {
            blobs,
            world: self.world.id(),
            secrets,
        }
    }

    fn reports(&self, agent: &AgentName, call: CallId, tool: ToolName) -> Arc<Reports> {
        let activity = self.bus.activity();
        let secrets = self.parts.secrets.clone();
        Arc::new(Reports {
            activity,
            tenure: Arc::clone(&self.tenure),
            secrets,
            agent: agent.clone(),
            call,
            tool,
            told: Mutex::default(),
        })
    }

    fn tool_call(
        &self,
        agent: &AgentName,
        call: CallId,
        attempt: Attempt,
        (runnable, progress): (Runnable, Arc<dyn Progress>),
    ) -> Result<ToolCall, ToolFailure> {
        let erased = || ToolFailure::new(ToolErrorCode::Failed, "the arguments were erased");
        let text = runnable.arguments.ok_or_else(erased)?;
        let tool = self.world.rules().spec().tools.get(&runnable.tool);
        let files = tool
            .filter(|tool| tool.reads_files)
            .and_then(|_| self.files_of(agent, call));
        let arguments = read(&text)
            .map_err(|error| ToolFailure::new(ToolErrorCode::BadArguments, error.to_string()))?;
        Ok(ToolCall {
            agent: agent.clone(),
            call,
            idempotency_key: runnable.idempotency_key,
            attempt,
            incarnation: self.world.incarnation(),
            arguments,
            input: runnable.input,
            clock: self.clock.port(),
            host: self.means.host_of(&self.world),
            files,
            progress,
        })
    }
}

/// Runs a tool within its time limit; `None` if it took longer and was dropped.
async fn execute(
    run: Result<(Arc<dyn Tool>, ToolCall), ToolFailure>,
    keeper: &Keeper,
) -> Option<ToolOutcome> {
    match run {
        Ok((tool, call)) => {
            let outcome = tokio::time::timeout(tool.spec().timeout(), tool.run(&call))
                .await
                .ok()?;
            Some(keeper.keep(outcome, tool.spec()).await)
        }
        Err(failure) => Some(ToolOutcome::Failed(failure)),
    }
}
