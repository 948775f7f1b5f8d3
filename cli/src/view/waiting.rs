//! Requests that wait for people, as a reader finds them: some have run out of time, and a crash
//! left calls in doubt.

use std::time::SystemTime;

use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::{AgentName, Time, ToolName};
use folkmoot::core::world::World;
use folkmoot::core::world::memory::CallState;
use folkmoot::run::{Asks, Waiting, waiting};
use serde::{Deserialize, Serialize};

/// A request that waits, and whether it is too late to decide it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WaitingView {
    /// The request.
    #[serde(flatten)]
    pub(crate) waiting: Waiting,
    /// True if the time is over: whoever opens the world next records that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_expired: bool,
}

impl WaitingView {
    /// Returns all requests that wait in `world`, oldest first.
    pub(crate) fn all(world: &World) -> Vec<Self> {
        let now = now(world);
        waiting(world)
            .into_iter()
            .map(|waiting| Self {
                is_expired: is_late(&waiting.asks, now),
                waiting,
            })
            .collect()
    }
}

/// True if it is too late at `now` to decide.
fn is_late(asks: &Asks, now: Time) -> bool {
    matches!(asks, Asks::Approval { expires_at, .. } if *expires_at <= now)
}

/// A call that was started, may not simply run again, and of which nobody knows yet whether it took
/// effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DoubtView {
    /// The agent whose call it is.
    pub(crate) agent: AgentName,
    /// The tool, if it is known.
    pub(crate) tool: Option<ToolName>,
    /// The call's arguments, byte for byte; `None` if they were erased.
    pub(crate) arguments: Option<String>,
    /// True if the world was not opened since: if a process has it open, the call runs.
    pub(crate) is_running: bool,
}

impl DoubtView {
    /// Returns the calls in doubt of `world`, agent by agent.
    pub(crate) fn all(world: &World) -> Vec<Self> {
        let now = now(world);
        let agents = world.rules().spec().agents.iter();
        let memories = agents.filter_map(|agent| Some((&agent.name, world.memory(&agent.name)?)));
        let of = |(agent, memory): (&AgentName, &folkmoot::core::world::memory::Memory)| {
            let calls = memory.open_calls.values().filter_map(|call| {
                let (run, is_running) = match &call.state {
                    CallState::Running(run) => (run, true),
                    CallState::InDoubt { run, .. } => (run, false),
                    CallState::Ready { .. }
                    | CallState::AwaitsApproval { .. }
                    | CallState::AwaitsAnswer { .. }
                    | CallState::AwaitsAgent { .. }
                    | CallState::AwaitsSettlement { .. } => return None,
                };
                let arguments = call.arguments.present().cloned();
                let agent = agent.clone();
                let tool = call.tool.clone();
                (!run.may_repeat(now)).then_some(Self {
                    agent,
                    tool,
                    arguments,
                    is_running,
                })
            });
            calls.collect::<Vec<_>>()
        };
        memories.flat_map(of).collect()
    }
}

/// The time by the world's clock.
fn now(world: &World) -> Time {
    let elapsed = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let system = Time(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
    match world.clock() {
        ClockKind::System => system.max(world.time()),
        ClockKind::Simulated => world.time(),
    }
}

#[cfg(test)]
mod tests {
    use folkmoot::core::ids::Digest;
    use folkmoot::run::Offers;

    use super::*;

    #[test]
    fn approval_whose_time_is_over_is_late_and_what_never_expires_is_not() {
        let shown = Digest::default();
        let offers = Offers::default();
        let approval = Asks::Approval {
            text: String::new(),
            shown,
            expires_at: Time(10),
            offers,
        };
        assert!(!is_late(&approval, Time(9)) && is_late(&approval, Time(10)));
        assert!(!is_late(&Asks::Outcome { is_open: true }, Time(10)));
        assert!(!is_late(&Asks::Question { question: None }, Time(10)));
    }
}
