//! Verifying a world: what is told of it while it goes on, and at the end.

use folkmoot::audit::{self, WorldReport};
use folkmoot::core::ids::WorldName;
use folkmoot::core::port::EventLog;
use futures::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::query::Answer;
use crate::exit::CliError;

/// A line of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerifyStep {
    /// The world is found, and its checks begin. Whoever asks knows from this that somebody is at work, however long that
    /// takes.
    Begins(WorldName),
    /// What they say.
    Report(Box<WorldReport>),
}

/// Checks a world.
pub(crate) async fn verify(log: &dyn EventLog, world: &WorldName) -> Result<Answer, CliError> {
    let work = audit::verify(log, world).await?;
    let value = |step: &VerifyStep| serde_json::to_value(step).map_err(CliError::json);
    let begins = value(&VerifyStep::Begins(world.clone()));
    let report = async move { value(&VerifyStep::Report(Box::new(work.await))) };
    Ok(stream::iter([begins]).chain(stream::once(report)).boxed())
}
