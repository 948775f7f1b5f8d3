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
    let mut calls = Vec::new();
    for agent in &world.rules().spec().agents {
        let open = world.memory(&agent.name).map(|memory| &memory.open_calls);
        for (call, open) in open.into_iter().flatten() {
            let CallState::Running(run) = &open.state else {
                continue;
            };
            calls.push(RunningCall {
                call: *call,
                agent: agent.name.clone(),
                tool: open.tool.clone(),
                age_ms: now.0.saturating_sub(run.started.0),
            });
        }
    }
    Some(Heartbeat { calls })
}
