//! Agents that a question names.

use folkmoot_agents::fold_world;
use folkmoot_core::ids::{AgentName, Position, WorldName};
use folkmoot_core::port::EventLog;
use folkmoot_core::world::World;
use futures::TryStreamExt as _;

use super::ViewError;
use super::event::EventView;
use super::world::entry;

/// Refuses the name of an agent that the world never had.
///
/// # Errors
/// [`ViewError::NoSuchAgent`], or that the log does not read.
pub(super) async fn check_agent(
    log: &dyn EventLog,
    world: &WorldName,
    agent: &AgentName,
) -> Result<(), ViewError> {
    let folded = fold_world(log, world, None).await?;
    let roster = &folded.rules().spec().agents;
    if roster.iter().any(|known| known.name == *agent) {
        return Ok(());
    }
    // A revision may have taken the agent out of the room.
    let id = entry(log, world).await?.world;
    let mut commits = log.read(id, Position::new(1)).await?;
    while let Some(stored) = commits.try_next().await? {
        let mut events = EventView::of(&stored.commit)?.into_iter();
        if events.any(|event| event.agent() == Some(agent.as_str())) {
            return Ok(());
        }
    }
    Err(no_agent(&folded, agent))
}

/// The error about an agent that is not in the room.
pub(super) fn no_agent(world: &World, agent: &AgentName) -> ViewError {
    let agents = world.rules().spec().agents.iter();
    ViewError::NoSuchAgent {
        agent: agent.clone(),
        known: agents.map(|agent| agent.name.clone()).collect(),
    }
}
