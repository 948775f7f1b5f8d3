//! Verifying a world: a list of checks, each with a verdict.
//!
//! A world is checked from its log alone. No model and no tool is made for it, so none can be called.

use folkmoot_agents::FoldError;
use folkmoot_core::ids::{Position, WorldName};
use folkmoot_core::port::{CommitStream, EventLog, ReadError};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

pub use folkmoot_core::audit::{AuditVerdict, Auditor, Counts, Epoch, Finding, Redecision, Shown};

mod integrity;
mod saved;
#[cfg(test)]
mod tests;
mod words;

pub use integrity::{ANCHORS, INTEGRITY, STORE, closed, integrity, of_store};
pub use saved::{SAVED, saved};

/// The name of the check whether a log reads to its end.
pub const READING: &str = "reading";
/// The name of the check whether every recorded command is decided again as it was.
pub const RE_DECISION: &str = "re-decision";

/// What one check says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// What it says.
    pub verdict: AuditVerdict,
    /// The same in words, with what to do.
    pub detail: String,
    /// True if it was to be done and could not be. A check that nobody asked for is not missed.
    #[serde(default)]
    pub is_missed: bool,
}

/// What all checks of a world say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldReport {
    /// The world.
    pub world: WorldName,
    /// Its last event.
    pub head: Position,
    /// The checks, in the order in which they are to be read.
    pub checks: Vec<Check>,
    /// What deciding it again found, as far as it reads.
    pub redecision: Redecision,
}

/// What deciding a log again found, and whether it came to its end.
#[derive(Debug)]
pub struct Redecided {
    /// What was found.
    pub report: Redecision,
    /// Why it stopped before the end, if it did.
    pub stopped: Option<ReadError>,
}

impl Check {
    /// A check that was done.
    #[must_use]
    pub fn done(name: &str, verdict: AuditVerdict, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            verdict,
            detail: detail.into(),
            is_missed: false,
        }
    }

    /// A check that was to be done and could not be.
    #[must_use]
    pub fn missed(name: &str, why: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            verdict: AuditVerdict::NotChecked,
            detail: why.into(),
            is_missed: true,
        }
    }

    /// Tells whether it found something that is not as it should be.
    #[must_use]
    pub const fn is_bad(&self) -> bool {
        matches!(
            self.verdict,
            AuditVerdict::DamagedAt(_) | AuditVerdict::DivergedAt(_)
        )
    }
}

/// Decides a log again while it is read. It needs as much memory as the world, however long the log is.
pub async fn redecide(mut commits: CommitStream) -> Redecided {
    let mut auditor = Auditor::default();
    let mut report = Redecision::default();
    loop {
        match commits.try_next().await {
            Ok(Some(stored)) => {
                let finding = auditor.take(&stored.commit);
                report.note(&stored.commit, &finding);
            }
            Ok(None) => {
                return Redecided {
                    report,
                    stopped: None,
                };
            }
            Err(error) => {
                return Redecided {
                    report,
                    stopped: Some(error),
                };
            }
        }
    }
}

/// Begins to verify a world. The work is in what it gives, which holds no borrow of the log.
///
/// # Errors
/// [`FoldError`]: there is no such world, or the log cannot be read at all.
pub async fn verify(
    log: &dyn EventLog,
    name: &WorldName,
) -> Result<impl Future<Output = WorldReport> + Send + use<>, FoldError> {
    let entry = log
        .find(name)
        .await?
        .ok_or_else(|| FoldError::NoSuchWorld(name.clone()))?;
    let commits = log.read(entry.world, Position::new(1)).await?;
    Ok(async move {
        let found = redecide(commits).await;
        let checks = vec![
            words::reading(&found, entry.head),
            words::redecision(&found),
        ];
        WorldReport {
            world: entry.name,
            head: entry.head,
            checks,
            redecision: found.report,
        }
    })
}
