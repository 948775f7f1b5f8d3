//! The surroundings that tools need in tests.

#[cfg(target_os = "linux")]
pub(crate) mod paths;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use folkmoot_core::ids::{AgentName, Attempt, CallId, Incarnation, Time, ToolName};
use folkmoot_core::port::{Clock, Input, Tool, ToolCall, Unheard};
use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use serde_json::Value;

use crate::{BuildError, Built, build_tool};

/// A clock that is always where it was last waited for.
#[derive(Debug)]
pub(crate) struct Jumping(AtomicU64);

#[async_trait]
impl Clock for Jumping {
    fn now(&self) -> Time {
        Time(self.0.load(Ordering::Relaxed))
    }

    async fn sleep_until(&self, time: Time) {
        self.0.fetch_max(time.0, Ordering::Relaxed);
    }
}

pub(crate) fn try_build(settings: &Value, base: &Path) -> Result<Built, BuildError> {
    build_tool(&ToolName::new("tool").unwrap(), settings, base)
}

pub(crate) fn build(settings: &Value, base: &Path) -> Arc<dyn Tool> {
    try_build(settings, base).unwrap().tool
}

pub(crate) fn call(arguments: Value) -> ToolCall {
    ToolCall {
        agent: AgentName::new("worker").unwrap(),
        call: CallId::new([7; 16]),
        idempotency_key: "world/call 7".into(),
        attempt: Attempt(1),
        incarnation: Incarnation(1),
        arguments,
        input: None,
        clock: Arc::new(Jumping(AtomicU64::new(Time::SIMULATED_START.0))),
        host: None,
        files: None,
        progress: Arc::new(Unheard),
    }
}

pub(crate) fn answered(call: ToolCall, text: &str) -> ToolCall {
    ToolCall {
        input: Some(Input {
            options: Vec::new(),
            text: text.into(),
            value: text.into(),
        }),
        ..call
    }
}

/// The text of a result; any other outcome is a failed test.
pub(crate) fn done(outcome: ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Done(output) => output.text,
        ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_) => panic!("it failed: {outcome:?}"),
    }
}

/// The code of a failure; any other outcome is a failed test.
pub(crate) fn failure(outcome: &ToolOutcome) -> (ToolErrorCode, &str) {
    match outcome {
        ToolOutcome::Failed(failure) => (failure.code, &failure.detail),
        ToolOutcome::Done(_) | ToolOutcome::NeedsInput(_) => panic!("it did not fail: {outcome:?}"),
    }
}
