//! Worlds that nobody uses any more, and worlds that were deleted.

use std::time::Duration;

use folkmoot_agents::SystemClock;
use folkmoot_core::ids::{Position, Time, WorldName};
use folkmoot_core::port::{Clock as _, Labels, WorldEntry};
use folkmoot_store::Store;
use serde::{Deserialize, Serialize};

use super::ViewError;
use crate::life::{Retention, idle_worlds};

/// A question for the worlds that are idle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleQuery {
    /// The time for which nothing happened in them.
    pub idle_for: Duration,
    /// Only those that have all of these labels.
    pub labels: Labels,
}

/// A world that nobody used for so long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleView {
    /// The world's name.
    pub name: WorldName,
    /// The number of its events.
    pub events: Position,
    /// The time of its last commit, in milliseconds since 1970.
    pub last: Time,
    /// True if it has a clock of its own, and so no age.
    pub is_simulated: bool,
    /// A world used after this is not idle.
    pub idle_since: Time,
}

/// The idle worlds, and behind them those that have no age.
///
/// # Errors
/// [`ViewError::Fold`].
pub async fn idle(store: &Store, query: &IdleQuery) -> Result<Vec<IdleView>, ViewError> {
    let now = SystemClock.now();
    let retention = Retention {
        idle_for: query.idle_for,
        now,
        labels: query.labels.clone(),
    };
    let idle = idle_worlds(store, &retention).await?;
    let view = |entry: WorldEntry, is_simulated| IdleView {
        name: entry.name,
        events: entry.head,
        last: entry.time,
        is_simulated,
        idle_since: retention.limit(),
    };
    let aged = idle
        .worlds
        .into_iter()
        .map(|entry| view(entry, false))
        .collect::<Vec<_>>();
    Ok(aged
        .into_iter()
        .chain(idle.simulated.into_iter().map(|entry| view(entry, true)))
        .collect())
}
