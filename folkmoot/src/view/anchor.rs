//! Heads of logs: how far each world has come, and how far it has been signed.

use folkmoot_core::event::{Event, HeadSigned, TreeHead, WorldEvent};
use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::{Custody, EventLog, Labels, WorldEntry};
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::world::{PAGE, entry};

/// The number of commits that are read at a time, from the newest on.
const COMMITS: usize = 64;

/// A question for the heads of logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnchorQuery {
    /// The world; `None` asks for all of them.
    pub world: Option<WorldName>,
}

/// The head of a world's log, and the part of it that has been signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnchorView {
    /// The world's name.
    pub world: WorldName,
    /// The world's id.
    pub id: WorldId,
    /// The newest head of its log.
    pub head: TreeHead,
    /// The newest signed head, and where it is recorded.
    pub signed: Option<(Position, HeadSigned)>,
    /// The number of events that no signed head covers, signatures not counted.
    pub unsigned: u64,
}

/// Looks for the newest signed head of each world.
///
/// # Errors
/// [`ViewError::Fold`].
pub async fn anchors(
    log: &dyn EventLog,
    custody: &dyn Custody,
    query: &AnchorQuery,
) -> Result<Vec<AnchorView>, ViewError> {
    if let Some(world) = &query.world {
        return Ok(vec![of(log, custody, entry(log, world).await?).await?]);
    }
    let mut all = Vec::new();
    let mut after: Option<WorldName> = None;
    loop {
        let page = log.worlds(&Labels::default(), after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(all);
        };
        after = Some(last.name.clone());
        for entry in page {
            all.push(of(log, custody, entry).await?);
        }
    }
}

async fn of(
    log: &dyn EventLog,
    custody: &dyn Custody,
    entry: WorldEntry,
) -> Result<AnchorView, ViewError> {
    let id = entry.world;
    let head = custody.tree_head(entry.world).await?;
    let mut before = head.of.next();
    let mut unsigned = 0_u64;
    loop {
        let commits = log.read_back(id, before, COMMITS).await?;
        let Some(oldest) = commits.last() else {
            return Ok(AnchorView {
                world: entry.name,
                id,
                head,
                signed: None,
                unsigned,
            });
        };
        before = oldest.commit.header.first;
        let mut events = commits.iter().flat_map(|stored| {
            // A head that a fork shares with its parent was signed for that one.
            let is_own = stored.commit.header.world == id;
            let numbered: Vec<_> = stored
                .commit
                .numbered()
                .map(|(at, event)| (at, event, is_own))
                .collect();
            numbered.into_iter().rev()
        });
        let signed = events.find_map(|(at, event, is_own)| {
            if let Event::World(WorldEvent::HeadSigned(signed)) = event
                && is_own
            {
                return Some((at, signed.clone()));
            }
            unsigned += 1;
            None
        });
        if signed.is_some() {
            return Ok(AnchorView {
                world: entry.name,
                id,
                head,
                signed,
                unsigned,
            });
        }
    }
}
