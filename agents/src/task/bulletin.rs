//! The bulletin: what observers were last told of what goes on.

use folkmoot_core::ids::AgentName;
use folkmoot_core::world::{Activity, Doing, World};

use super::{Door, Status};
use crate::bus::ActivityEvent;

/// The last that observers were told of each agent.
pub(super) struct Bulletin(Vec<(AgentName, Doing)>);

impl Bulletin {
    /// Begins with what the agents of `world` do now.
    pub(super) fn of(world: &World) -> Self {
        let agents = world.rules().spec().agents.iter();
        let doing = |name: &AgentName| (name.clone(), world.doing(name));
        Self(agents.map(|agent| doing(&agent.name)).collect())
    }

    /// Tells observers what changed since the last time, by `tell`.
    pub(super) fn announce(
        &mut self,
        door: &Door,
        (world, activity): (&World, Activity),
        tell: impl Fn(ActivityEvent),
    ) {
        let head = world.head();
        let before = door.status.send_replace(Status::Open { activity, head });
        if !matches!(before, Status::Open { activity: known, .. } if known == activity) {
            tell(ActivityEvent::World(activity));
        }
        for (agent, known) in &mut self.0 {
            let doing = world.doing(agent);
            if doing != *known {
                *known = doing;
                tell(ActivityEvent::Agent {
                    agent: agent.clone(),
                    doing,
                });
            }
        }
    }
}
