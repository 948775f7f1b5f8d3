//! Verifying a world: what is told of it while it goes on, and at the end.

use std::path::PathBuf;

use folkmoot::audit::{self, Check, WorldReport};
use folkmoot::core::ids::{WorldId, WorldName};
use folkmoot::core::port::EventLog as _;
use folkmoot::core::port::causes::with_causes;
use folkmoot::proof::note::VerifierKey;
use folkmoot::store::Against;
use folkmoot::{FoldError, Store};
use futures::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::answer::ValueStream;
use crate::exit::CliError;

/// The remark where anchors are about other worlds only.
pub(crate) const ELSEWHERE: &str = "none of the given anchors is about this world";

/// A line of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerifyStep {
    /// The world is found, and its checks begin. Whoever asks knows from this that somebody is at
    /// work, however long that takes.
    Begins(WorldId),
    /// The report of the checks.
    Report(Box<WorldReport>),
}

/// A question for the verification of a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VerifyQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// The anchors and keys that it is compared with.
    pub(crate) given: GivenAnchors,
}

/// Anchors and keys, as they were given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GivenAnchors {
    /// The files of anchors: where they are, and what stands in them.
    pub(crate) anchors: Vec<(PathBuf, String)>,
    /// The keys, in their text form.
    pub(crate) keys: Vec<String>,
}

impl GivenAnchors {
    /// Reads the anchors and keys that can be used, with a check for everything that cannot.
    pub(crate) fn read(&self) -> (Against, Vec<Check>) {
        let mut unusable = Vec::new();
        let mut keys = Vec::new();
        for key in &self.keys {
            match VerifierKey::parse(key) {
                Ok(key) => keys.push(key),
                Err(error) => unusable.push(Check::missed(
                    audit::ANCHORS,
                    format!("the key {key}: {error}"),
                )),
            }
        }
        let mut against = Against::keys(keys);
        for (file, anchors) in &self.anchors {
            if let Err(error) = against.add(anchors.as_bytes()) {
                let what = format!("{}: {}", file.display(), with_causes(&error));
                unusable.push(Check::missed(audit::ANCHORS, what));
            }
        }
        (against, unusable)
    }
}

/// Checks a world.
pub(crate) async fn verify(store: &Store, query: &VerifyQuery) -> Result<ValueStream, CliError> {
    let VerifyQuery { world, given } = query;
    let entry = store
        .find(world)
        .await?
        .ok_or_else(|| FoldError::NoSuchWorld(world.clone()))?;
    let work = audit::verify(store, world).await?;
    let value = |step: &VerifyStep| serde_json::to_value(step).map_err(CliError::json);
    let begins = value(&VerifyStep::Begins(entry.world));
    let store = store.clone();
    let given = given.clone();
    let report = async move {
        let mut report = work.await;
        report
            .checks
            .splice(0..0, checks(&store, entry.world, &given).await);
        report
            .checks
            .extend(audit::saved(&store, &store, &entry.name).await);
        value(&VerifyStep::Report(Box::new(report)))
    };
    Ok(ValueStream::of(
        stream::iter([begins]).chain(stream::once(report)),
    ))
}

/// Checks whether the stored records are those that were written.
async fn checks(store: &Store, world: WorldId, given: &GivenAnchors) -> Vec<Check> {
    let (against, unusable) = given.read();
    let is_elsewhere = against.has_anchors() && !against.is_about(world);
    let found = match store.verify(world, against).await {
        Ok(found) => audit::integrity(&found),
        Err(error) => Check::missed(audit::INTEGRITY, with_causes(&error)),
    };
    let elsewhere = || Check::missed(audit::ANCHORS, ELSEWHERE);
    std::iter::once(found)
        .chain(unusable)
        .chain(is_elsewhere.then(elsewhere))
        .collect()
}
