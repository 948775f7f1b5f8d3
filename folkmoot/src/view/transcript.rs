//! A page of what people read of a world.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_agents::{fold_world, read_transcript};
use folkmoot_core::ids::{ArtifactName, Position, WorldName};
use folkmoot_core::port::EventLog;
use folkmoot_core::tool::{ArtifactSpec, View};
use folkmoot_core::world::projection::{TranscriptEntry, TranscriptPage};
use serde::{Deserialize, Serialize};

use super::ViewError;

/// The number of entries of a page, unless the question says another.
pub const PAGE: u16 = 50;

/// The kinds of artifacts that a room knows.
pub type ArtifactKinds = BTreeMap<ArtifactName, ArtifactSpec>;

/// A question for a page of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptQuery {
    /// The world.
    pub world: WorldName,
    /// The page before this event; `None` is the newest.
    pub before: Option<Position>,
    /// The most entries that it has.
    pub limit: u16,
}

/// A page, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptView {
    /// The world.
    pub world: WorldName,
    /// The entries, and where the next page begins.
    #[serde(flatten)]
    pub page: TranscriptPage,
    /// The ways in which artifacts on it are shown, by their kind, as the room says now.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: ArtifactKinds,
}

/// Reads the page.
///
/// # Errors
/// [`ViewError::Fold`].
pub async fn transcript(
    log: &dyn EventLog,
    query: &TranscriptQuery,
) -> Result<TranscriptView, ViewError> {
    let TranscriptQuery {
        world,
        before,
        limit,
    } = query;
    let page = read_transcript(log, world, *before, usize::from(*limit)).await?;
    let kinds = kinds(log, world, &page).await?;
    Ok(TranscriptView {
        world: world.clone(),
        page,
        kinds,
    })
}

/// The kinds of the artifacts on a page. Only a page that has some asks for the state of the world.
async fn kinds(
    log: &dyn EventLog,
    world: &WorldName,
    page: &TranscriptPage,
) -> Result<ArtifactKinds, ViewError> {
    let wanted: BTreeSet<ArtifactName> = page.entries.iter().flat_map(kinds_of).collect();
    if wanted.is_empty() {
        return Ok(ArtifactKinds::new());
    }
    let mut kinds = fold_world(log, world, None).await?.rules().spec().kinds();
    kinds.retain(|kind, _| wanted.contains(kind));
    Ok(kinds)
}

fn kinds_of(entry: &TranscriptEntry) -> Vec<ArtifactName> {
    let views = if let TranscriptEntry::Shown(shown) = entry {
        shown.views.as_slice()
    } else {
        &[]
    };
    let kind = |view: &View| {
        if let View::Artifact(artifact) = view {
            Some(artifact.kind.clone())
        } else {
            None
        }
    };
    views.iter().filter_map(kind).collect()
}
