//! Heartbeats: what runs, while anything does.

use folkmoot::core::port::Clock as _;
use folkmoot::core::world::World;
use folkmoot::core::world::memory::CallState;
use folkmoot::{Activity, AgentName, CallId, SystemClock, ToolName};
use serde::Serialize;

/// A sign of life.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "heartbeat")]
pub(super) struct Heartbeat {
    /// The calls that run, in the order of the agents.
    calls: Vec<RunningCall>,
}

#[derive(Debug, Serialize)]
struct RunningCall {
    call: CallId,
    agent: AgentName,
    tool: Option<ToolName>,
    /// The time since it started, in milliseconds.
    age_ms: u64,
}

/// The heartbeat of a world; `None` while nothing runs in it.
pub(super) fn heartbeat(world: &World) -> Option<Heartbeat> {
    if world.activity() != Activity::Running {
        return None;
    }
    let now = SystemClock.now();
    let running = world.open_calls().filter_map(|(agent, call, open)| {
        let CallState::Running(run) = &open.state else {
            return None;
        };
        Some(RunningCall {
            call,
            agent: agent.clone(),
            tool: open.tool.clone(),
            age_ms: now.0.saturating_sub(run.started.0),
        })
    });
    let calls = running.collect();
    Some(Heartbeat { calls })
}
