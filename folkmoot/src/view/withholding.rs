//! Text of agents that was kept from people.

use folkmoot_agents::read_withheld;
use folkmoot_core::event::{ArtifactWithheld, Event};
use folkmoot_core::ids::{AgentName, Position, WorldName};
use folkmoot_core::port::EventLog;
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::roster::check_agent;
use super::world::entry;

pub use folkmoot_agents::{PartView, WithheldView};

/// A question for what was kept from people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldQuery {
    /// The world.
    pub world: WorldName,
    /// From which event on.
    pub from: Position,
    /// Only what this agent said.
    pub agent: Option<AgentName>,
}

/// Reads it, with the texts.
///
/// # Errors
/// [`ViewError::Fold`], [`ViewError::NoSuchAgent`].
pub async fn withheld(
    log: &dyn EventLog,
    query: &WithheldQuery,
) -> Result<Vec<WithheldView>, ViewError> {
    let WithheldQuery { world, from, agent } = query;
    if let Some(agent) = agent {
        check_agent(log, world, agent).await?;
    }
    let id = entry(log, world).await?.world;
    let mut commits = log.read(id, (*from).max(Position::new(1))).await?;
    let mut views = Vec::new();
    while let Some(stored) = commits.try_next().await? {
        for (at, event) in stored.commit.numbered() {
            if at >= *from && is_meant(event, agent.as_ref()) {
                views.extend(read_withheld(log, id, at).await?);
            }
        }
    }
    Ok(views)
}

fn is_meant(event: &Event, agent: Option<&AgentName>) -> bool {
    ArtifactWithheld::of_event(event)
        .is_some_and(|kept| agent.is_none_or(|agent| *agent == kept.agent))
}
