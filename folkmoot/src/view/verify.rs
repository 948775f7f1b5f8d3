//! Verifying a world: what is told of it while it goes on, and at the end.

use std::path::PathBuf;

use folkmoot_core::ids::{Position, Time, WorldId, WorldName};
use folkmoot_core::port::EventLog as _;
use folkmoot_core::port::causes::with_causes;
use folkmoot_proof::note::VerifierKey;
use folkmoot_store::{Against, LogVerdict, Store};
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::world::entry;
use crate::audit::{self, Check, WorldReport};

mod badge;

pub use badge::{Badge, BadgeAnchor, BadgeState, JudgedReport};

/// The remark where anchors are about other worlds only.
pub const ELSEWHERE: &str = "none of the given anchors is about this world";

/// A line of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyStep {
    /// The world is found, and its checks begin. Whoever asks knows from this that somebody is at
    /// work, however long that takes.
    Begins(WorldId),
    /// The report of the checks.
    Report(Box<WorldReport>),
}

/// A question for the verification of a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyQuery {
    /// The world.
    pub world: WorldName,
    /// The anchors and keys that it is compared with.
    pub given: GivenAnchors,
}

/// Anchors and keys, as they were given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAnchors {
    /// The files of anchors: where they are, and what stands in them.
    pub anchors: Vec<(PathBuf, String)>,
    /// The keys, in their text form.
    pub keys: Vec<String>,
}

impl GivenAnchors {
    /// Reads the anchors and keys that can be used, with a check for everything that cannot.
    #[must_use]
    pub fn read(&self) -> (Against, Vec<Check>) {
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

/// Checks a world: says that the checks begin, and at the end what they found.
///
/// # Errors
/// [`ViewError::Fold`] if there is no such world. Damage of its log stands in the report.
pub async fn verify(
    store: &Store,
    query: &VerifyQuery,
) -> Result<BoxStream<'static, VerifyStep>, ViewError> {
    let world = entry(store, &query.world).await?.world;
    let work = checked(store, query).await?;
    let report = async move { VerifyStep::Report(Box::new(work.await.0)) };
    let begins = stream::iter([VerifyStep::Begins(world)]);
    Ok(begins.chain(stream::once(report)).boxed())
}

/// Checks a world, and says in short what was found.
///
/// # Errors
/// [`ViewError::Fold`] if there is no such world. Damage of its log stands in the report.
pub async fn verdict(store: &Store, query: &VerifyQuery) -> Result<JudgedReport, ViewError> {
    let world = entry(store, &query.world).await?.world;
    let (report, attested) = checked(store, query).await?.await;
    let anchor = match attested {
        Some(position) => Some(BadgeAnchor {
            position,
            time: time_at(store, world, position).await,
        }),
        None => None,
    };
    let badge = Badge::of(&report, anchor);
    Ok(JudgedReport { report, badge })
}

/// The work of all checks. It gives how far an anchor covers the log, too, if one that was given
/// does.
async fn checked(
    store: &Store,
    query: &VerifyQuery,
) -> Result<impl Future<Output = (WorldReport, Option<Position>)> + Send + use<>, ViewError> {
    let VerifyQuery { world, given } = query;
    let entry = entry(store, world).await?;
    let work = audit::verify(store, world).await?;
    let store = store.clone();
    let given = given.clone();
    Ok(async move {
        let mut report = work.await;
        let (stored, attested) = checks(&store, entry.world, &given).await;
        report.checks.splice(0..0, stored);
        let saved = audit::saved(&store, &store, &entry.name).await;
        report.checks.extend(saved);
        (report, attested)
    })
}

/// Checks whether the stored records are those that were written.
async fn checks(
    store: &Store,
    world: WorldId,
    given: &GivenAnchors,
) -> (Vec<Check>, Option<Position>) {
    let (against, unusable) = given.read();
    let is_elsewhere = against.has_anchors() && !against.is_about(world);
    let (found, attested) = match store.verify(world, against).await {
        Ok(found) => {
            let is_anchored = found.verdict() == LogVerdict::Intact;
            let attested = is_anchored.then_some(found.tail.attested);
            (audit::integrity(&found), attested)
        }
        Err(error) => (Check::missed(audit::INTEGRITY, with_causes(&error)), None),
    };
    let elsewhere = || Check::missed(audit::ANCHORS, ELSEWHERE);
    let all = std::iter::once(found)
        .chain(unusable)
        .chain(is_elsewhere.then(elsewhere));
    (all.collect(), attested)
}

async fn time_at(store: &Store, world: WorldId, at: Position) -> Option<Time> {
    let mut commits = store.read(world, at).await.ok()?;
    let stored = commits.next().await?.ok()?;
    Some(stored.commit.header.stamp.time)
}
