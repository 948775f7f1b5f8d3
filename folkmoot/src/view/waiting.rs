//! Requests that wait for people, as a reader finds them: some have run out of time, and a crash
//! left calls in doubt.

use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::{AgentName, Time, ToolName};
use folkmoot_core::world::World;
use folkmoot_core::world::memory::CallState;
use serde::{Deserialize, Serialize};

use crate::run::{Asks, Waiting, waiting};

/// A request that waits, and whether it is too late to decide it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingView {
    /// The request.
    #[serde(flatten)]
    pub waiting: Waiting,
    /// True if the time is over: whoever opens the world next records that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_expired: bool,
}

impl WaitingView {
    /// Returns all requests that wait in `world`, oldest first. The machine's clock says `now`.
    #[must_use]
    pub fn all(world: &World, now: Time) -> Vec<Self> {
        let now = by_clock_of(world, now);
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
pub struct DoubtView {
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The tool, if it is known.
    pub tool: Option<ToolName>,
    /// The call's arguments, byte for byte; `None` if they were erased.
    pub arguments: Option<String>,
    /// True if the world was not opened since: if a process has it open, the call runs.
    pub is_running: bool,
}

impl DoubtView {
    /// Returns the calls in doubt of `world`, agent by agent. The machine's clock says `now`.
    #[must_use]
    pub fn all(world: &World, now: Time) -> Vec<Self> {
        let now = by_clock_of(world, now);
        let calls = world.open_calls().filter_map(|(agent, _, call)| {
            let is_running = matches!(call.state, CallState::Running(_));
            let run = call.run().filter(|run| !run.may_repeat(now));
            run.map(|_| Self {
                agent: agent.clone(),
                tool: call.tool.clone(),
                arguments: call.arguments.present().cloned(),
                is_running,
            })
        });
        calls.collect()
    }
}

/// The time by the world's clock, while the machine's says `now`.
pub(super) fn by_clock_of(world: &World, now: Time) -> Time {
    match world.clock() {
        ClockKind::System => now.max(world.time()),
        ClockKind::Simulated => world.time(),
    }
}

#[cfg(test)]
mod tests {
    use crate::run::Offers;
    use folkmoot_core::ids::Digest;

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
