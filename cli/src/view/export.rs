//! A world written down, piece by piece.

use folkmoot::core::ids::WorldName;
use folkmoot::core::port::EventLog;
use folkmoot::export::{ExportFormat, Integrity, export};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exit::CliError;
use crate::view::answer::ValueStream;

/// A question for an export: of which world, and in which form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExportQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// The form.
    pub(crate) format: ExportFormat,
    /// The knowledge about the log's integrity.
    #[serde(default)]
    pub(crate) integrity: Integrity,
}

/// The pieces of an export, each a text.
pub(crate) async fn pieces(
    log: &dyn EventLog,
    query: &ExportQuery,
) -> Result<ValueStream, CliError> {
    let pieces = export(log, &query.world, query.format, &query.integrity).await?;
    Ok(ValueStream::of(
        pieces.map_ok(Value::String).map_err(CliError::from),
    ))
}
