//! Blocking tools: code that holds its thread, run in a process that can be killed.
//!
//! ```text
//! runtime ──▶ helper ──call, as JSON──▶ worker: the tool, on a thread of its own
//!                    ◀────── outcome ──
//! ```
//!
//! A thread cannot be stopped from outside; a process can. The worker is the embedder's own program once more, so that the
//! tool is ordinary code. It runs under a [`ToolHost`](folkmoot_core::port::ToolHost) like any other program. It reports no
//! [`Progress`](folkmoot_core::port::Progress): one line goes each way.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Debug;
use std::path::PathBuf;
use std::process::ExitCode;

use async_trait::async_trait;
use folkmoot_core::ids::{AgentName, Attempt, CallId, Incarnation, ToolName};
use folkmoot_core::port::{HostCommand, Input, Tool, ToolCall};
use folkmoot_core::spec::limits::CALL_BYTES_MAX;
use folkmoot_core::tool::{Reconciliation, ToolErrorCode, ToolFailure, ToolOutcome, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::host::{failed, lock_of, usual_variables};

mod answer;
mod serve;

pub(crate) use answer::outcome;

/// The argument that turns a program which calls [`Workers::serve`] for it into a worker. The tool's name follows.
pub const WORKER_ARGUMENT: &str = "__worker";

/// Room for the edges of the outcome's line, and for saying that the outcome is too large.
const LINE_ROOM: u64 = 1024;

/// A tool whose code holds its thread: it computes, or waits without a runtime.
///
/// It shares no memory with the runtime: what it knows comes from its making, from the call, or from outside. What it
/// prints goes to operators, and only if it fails.
pub trait BlockingTool: Send + Sync + Debug {
    /// Returns the tool's declaration.
    fn spec(&self) -> &ToolSpec;

    /// Runs once, in a process of its own. At its time limit, or when nobody wants it any more, that process is killed
    /// with everything it started. An outcome that has more bytes, as JSON, than the spec's `output_bytes_max` becomes a
    /// failure.
    fn run(&self, call: &WorkerCall) -> ToolOutcome;
}

/// A run of a blocking tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerCall {
    /// The agent that asked for it.
    pub agent: AgentName,
    /// The call.
    pub call: CallId,
    /// The same for every attempt; contains the world's id.
    pub idempotency_key: String,
    /// The number of this attempt.
    pub attempt: Attempt,
    /// The opening of the world that runs it: a fencing token.
    pub incarnation: Incarnation,
    /// Checked against the tool's schema.
    pub arguments: Value,
    /// A person's answer, if the tool asked for one.
    pub input: Option<Input>,
}

/// The blocking tools of a program, for when it is started as a worker.
#[derive(Debug, Default)]
pub struct Workers(BTreeMap<ToolName, Box<dyn BlockingTool>>);

impl Workers {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `tool`, in place of one with the same name.
    #[must_use]
    pub fn with(mut self, tool: impl BlockingTool + 'static) -> Self {
        self.0.insert(tool.spec().name.clone(), Box::new(tool));
        self
    }

    /// Runs the tool called `name` for the call on standard input, and writes its outcome on standard output. The program
    /// must end with the exit code that this gives, whatever other threads the tool has left.
    #[must_use]
    pub fn serve(&self, name: Option<OsString>) -> ExitCode {
        serve::serve(self, &name.unwrap_or_default())
    }
}

/// The program of this process, for its helper to run: this very file, also if another one has taken its place meanwhile.
fn running_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok(PathBuf::from(format!("/proc/{}/exe", std::process::id())))
    } else {
        std::env::current_exe()
    }
}

/// A blocking tool as the runtime sees it: every run is a process.
#[derive(Debug, Clone)]
pub struct Worker {
    /// The declaration of the tool that runs in the worker.
    spec: ToolSpec,
    /// The program that serves as the worker; `None` is this one.
    program: Option<PathBuf>,
}

impl Worker {
    /// Declares the same as `tool` and runs it in a worker. This program must be one that serves as
    /// a worker with `tool` among its [`Workers`]. The worker cannot tell what became of a lost
    /// run.
    #[must_use]
    pub fn new(tool: &dyn BlockingTool) -> Self {
        Self {
            spec: ToolSpec {
                needs_host: true,
                reconciles: false,
                ..tool.spec().clone()
            },
            program: None,
        }
    }

    /// Runs the tool by `program` in place of this one.
    #[must_use]
    pub fn run_by(self, program: impl Into<PathBuf>) -> Self {
        Self {
            program: Some(program.into()),
            ..self
        }
    }

    fn command(&self, call: &ToolCall) -> Result<HostCommand, ToolFailure> {
        let failure = |detail: String| ToolFailure {
            code: ToolErrorCode::Failed,
            detail,
            named: None,
        };
        let program = match &self.program {
            Some(program) => program.clone(),
            None => running_program()
                .map_err(|error| failure(format!("cannot find this program: {error}")))?,
        };
        let Some(program) = program.to_str() else {
            return Err(failure(format!(
                "the path of {} is not Unicode",
                program.display()
            )));
        };
        let input = serde_json::to_string(&WorkerCall::from(call))
            .map_err(|error| failure(error.to_string()))?;
        if input.len() > CALL_BYTES_MAX {
            let detail = format!(
                "the call has {} bytes, {CALL_BYTES_MAX} are allowed",
                input.len()
            );
            return Err(ToolFailure {
                code: ToolErrorCode::TooLarge,
                detail,
                named: None,
            });
        }
        Ok(HostCommand {
            argv: vec![
                program.to_owned(),
                WORKER_ARGUMENT.to_owned(),
                self.spec.name.to_string(),
            ],
            cwd: PathBuf::from("."),
            folder: None,
            pins: Vec::new(),
            timeout: self.spec.timeout(),
            input: Some(input),
            output_max: usize::try_from(self.spec.output_bytes_max.saturating_add(LINE_ROOM))
                .unwrap_or(usize::MAX),
            variables: usual_variables(),
            sandbox: None,
            lock: lock_of(call),
        })
    }
}

impl From<&ToolCall> for WorkerCall {
    fn from(call: &ToolCall) -> Self {
        Self {
            agent: call.agent.clone(),
            call: call.call,
            idempotency_key: call.idempotency_key.clone(),
            attempt: call.attempt,
            incarnation: call.incarnation,
            arguments: call.arguments.clone(),
            input: call.input.clone(),
        }
    }
}

#[async_trait]
impl Tool for Worker {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let Some(host) = &call.host else {
            return ToolOutcome::failed(
                ToolErrorCode::Failed,
                "the runtime has no host for programs",
            );
        };
        let command = match self.command(call) {
            Ok(command) => command,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        match host.run(command).await {
            Ok(output) => outcome(&output),
            Err(error) => failed(&error),
        }
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}
