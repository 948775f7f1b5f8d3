//! The settings that every tool has, beside `use`.

use std::time::Duration;

use folkmoot_core::tool::{EffectClass, ToolSpec, ViewPolicy};
use serde::Deserialize;

use folkmoot_core::ids::duration;

/// A model that sees fewer bytes of an output than this sees nothing but the line that says it was cut.
const MODEL_BYTES_MIN: u64 = 256;

#[derive(Debug, Deserialize)]
pub(super) struct CommonSettings {
    /// The words for the model, in place of those of the kind.
    pub(super) description: Option<String>,
    /// The time that a run may take.
    #[serde(default, deserialize_with = "duration::deserialize_some")]
    pub(super) timeout: Option<Duration>,
    /// The most bytes of an output that a model reads.
    pub(super) model_bytes: Option<u64>,
    /// The most bytes of an output that are kept.
    output_bytes: Option<u64>,
    /// The most runs at one time; `None` sets no limit.
    concurrency: Option<u32>,
    /// The most calls in an episode; `None` sets no limit.
    calls_per_episode: Option<u32>,
    /// True if a result stands for further calls with the same arguments.
    #[serde(default)]
    pub(super) memoise: bool,
    /// The grants beyond a call's own arguments; `None` allows none.
    grants: Option<GrantsSetting>,
    /// The view that a model has of an output.
    view: Option<ViewPolicy>,
}

/// The grants that people may give beyond a call's own arguments.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GrantsSetting {
    /// Calls with any arguments.
    Any,
}

impl CommonSettings {
    /// Returns the setting that cannot be so, and the reason.
    pub(super) fn fault(&self) -> Option<(&'static str, String)> {
        if self.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Some(("timeout", "the limit must be longer than 0".into()));
        }
        if self
            .model_bytes
            .is_some_and(|bytes| bytes < MODEL_BYTES_MIN)
        {
            return Some((
                "model_bytes",
                format!("at least {MODEL_BYTES_MIN} bytes are needed"),
            ));
        }
        if self
            .output_bytes
            .is_some_and(|bytes| !(MODEL_BYTES_MIN..=ToolSpec::OUTPUT_BYTES_MAX).contains(&bytes))
        {
            let max = ToolSpec::OUTPUT_BYTES_MAX;
            return Some((
                "output_bytes",
                format!("the limit goes from {MODEL_BYTES_MIN} to {max} bytes"),
            ));
        }
        let counts = [
            ("concurrency", self.concurrency),
            ("calls_per_episode", self.calls_per_episode),
        ];
        let (key, _) = counts.into_iter().find(|(_, count)| *count == Some(0))?;
        Some((key, "write at least 1, or nothing could run".into()))
    }

    /// Returns the reason why a tool with `effect` cannot memoise, if it is to.
    pub(super) fn memo_fault(&self, effect: EffectClass) -> Option<&'static str> {
        let cannot = self.memoise && effect != EffectClass::Read;
        cannot.then_some("only a tool that reads may reuse a result: a reused result leaves out the effect of the call")
    }

    /// Returns the keys of those of these settings that are about runs.
    pub(super) fn about_runs(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("timeout", self.timeout.is_some()),
            ("model_bytes", self.model_bytes.is_some()),
            ("output_bytes", self.output_bytes.is_some()),
            ("concurrency", self.concurrency.is_some()),
            ("memoise", self.memoise),
            ("grants", self.grants.is_some()),
            ("view", self.view.is_some()),
        ];
        given
            .into_iter()
            .filter(|(_, is_given)| *is_given)
            .map(|(key, _)| key)
    }

    /// `spec` with these settings.
    pub(super) fn set(&self, spec: ToolSpec) -> ToolSpec {
        let timeout = self
            .timeout
            .map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        ToolSpec {
            timeout_ms: timeout.unwrap_or(spec.timeout_ms),
            model_bytes_max: self.model_bytes.unwrap_or(spec.model_bytes_max),
            output_bytes_max: self.output_bytes.unwrap_or(spec.output_bytes_max),
            concurrency_max: self.concurrency,
            calls_per_episode_max: self.calls_per_episode,
            memoises: self.memoise,
            grants_any: self.grants.is_some_and(|GrantsSetting::Any| true),
            view: self.view.unwrap_or(spec.view),
            ..spec
        }
    }
}
