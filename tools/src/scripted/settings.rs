use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use folkmoot_core::ids::ArtifactName;
use folkmoot_core::tool::{ArtifactSpec, EffectClass, Repeat};
use serde::Deserialize;
use serde_json::Value;

use super::result::{RawResult, ScriptedResult};
use crate::build::{BuildError, ToolDraft};
use folkmoot_core::ids::duration;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptSettings {
    pub(super) effect: Option<EffectClass>,
    #[serde(default)]
    idempotent: Idempotent,
    #[serde(default)]
    pub(super) reconciles: bool,
    #[serde(default)]
    pub(super) open_world: bool,
    pub(super) schema: Option<Value>,
    #[serde(default)]
    pub(super) paths: BTreeSet<String>,
    #[serde(default)]
    pub(super) artifacts: BTreeMap<ArtifactName, ArtifactSpec>,
    results: Vec<RawResult>,
}

/// `true`, `false`, or `{ for: 24h }`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(
    untagged,
    expecting = "expected `true`, `false`, or e.g. `{ for: 24h }`"
)]
enum Idempotent {
    Flag(bool),
    Horizon(Horizon),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Horizon {
    #[serde(rename = "for", deserialize_with = "duration::deserialize")]
    horizon: Duration,
}

impl Default for Idempotent {
    fn default() -> Self {
        Self::Flag(false)
    }
}

impl ScriptSettings {
    pub(super) fn repeat(&self) -> Repeat {
        match self.idempotent {
            Idempotent::Flag(true) => Repeat::Always,
            Idempotent::Flag(false) => Repeat::Never,
            Idempotent::Horizon(Horizon { horizon }) => {
                Repeat::Within(u64::try_from(horizon.as_millis()).unwrap_or(u64::MAX))
            }
        }
    }

    /// The checked results.
    pub(super) fn results(&self, draft: &ToolDraft<'_>) -> Result<Vec<ScriptedResult>, BuildError> {
        let check = |(index, raw): (usize, &RawResult)| raw.check(draft, &self.artifacts, index);
        let results: Vec<ScriptedResult> = self
            .results
            .iter()
            .enumerate()
            .map(check)
            .collect::<Result<_, _>>()?;
        if results.is_empty() {
            return Err(draft.bad("results", "add at least one, e.g. `- text: done`"));
        }
        let last = results.len() - 1;
        if let Some(index) = results
            .iter()
            .position(ScriptedResult::always_fits)
            .filter(|index| *index < last)
        {
            let why = "the results behind it are never reached: make it the last, or add `when`";
            return Err(draft.bad(format!("results[{index}]"), why));
        }
        if self.reconciles && results.iter().all(|result| result.counts.is_none()) {
            return Err(draft.bad(
                "reconciles",
                "lost runs are looked up in a `counts` file: add one to a result",
            ));
        }
        Ok(results)
    }
}
