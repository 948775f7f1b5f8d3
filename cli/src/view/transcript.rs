//! A page of what people read of a world.

use folkmoot::core::ids::{Position, WorldName};
use folkmoot::core::port::EventLog;
use folkmoot::{TranscriptPage, read_transcript};
use serde::{Deserialize, Serialize};

use crate::exit::CliError;

/// How many entries a page has at most, unless the question says so.
pub(crate) const PAGE: u16 = 50;

/// Which page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TranscriptQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// The page before this event; `None` is the newest.
    pub(crate) before: Option<Position>,
    /// How many entries it has at most.
    pub(crate) limit: u16,
}

/// A page, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TranscriptView {
    /// The world.
    pub(crate) world: WorldName,
    /// What is on it, and where the next one begins.
    #[serde(flatten)]
    pub(crate) page: TranscriptPage,
}

/// Reads the page.
pub(crate) async fn transcript(log: &dyn EventLog, query: &TranscriptQuery) -> Result<TranscriptView, CliError> {
    let TranscriptQuery { world, before, limit } = query;
    let page = read_transcript(log, world, *before, usize::from(*limit)).await?;
    Ok(TranscriptView { world: world.clone(), page })
}
