//! Tools: what they declare, what they are given, what they return.

use std::time::Duration;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{AgentName, ArtifactName, Digest, Time, ToolName};
use crate::tool::constraint::{Constraint, Terms, fits_all};

pub mod constraint;
mod finding;
mod output;
mod policy;
pub mod schema;

pub use finding::{ArgumentFinding, Severity};
pub use output::*;
pub use policy::*;

/// The effect of a tool on the world outside. There is no default: an unclassified tool cannot be
/// registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Changes nothing.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// May change what cannot be changed back.
    Destructive,
}

impl std::fmt::Display for EffectClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destructive => "destructive",
        })
    }
}

/// The rule of running a tool a second time under one idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// Never: what became of a lost run must be found out.
    Never,
    /// Always; the tool ignores a repeated key for ever, or changes nothing.
    Always,
    /// As long as the tool remembers the key, in milliseconds from the start of the first run.
    Within(u64),
}

impl Repeat {
    /// Tells whether a tool with `effect`, first run at `started`, may run again at `now`. Reading
    /// always may.
    #[must_use]
    pub fn allows(self, effect: EffectClass, started: Time, now: Time) -> bool {
        match (effect, self) {
            (EffectClass::Read, _) | (_, Self::Always) => true,
            (_, Self::Within(horizon_ms)) => {
                started.until(now) <= Duration::from_millis(horizon_ms)
            }
            (_, Self::Never) => false,
        }
    }
}

/// The performer of a tool's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// The shell runs it.
    #[default]
    Run,
    /// Another agent answers a question; the call waits for it.
    Ask {
        /// The agents that it may be put to; everyone if empty.
        agents: Vec<AgentName>,
    },
    /// Another agent goes on with the episode.
    Handoff {
        /// The agents that it may be handed to; everyone if empty.
        agents: Vec<AgentName>,
    },
}

impl ToolKind {
    /// Tells whether the shell runs it.
    #[must_use]
    pub fn is_run(&self) -> bool {
        *self == Self::Run
    }
}

/// The arguments of a tool that are paths, and how it goes along them.
///
/// Such an argument has to be a [plain path](crate::tool::constraint::path), or the call does not
/// fit. Constraints on it are `beneath`, `equals` and `one_of`. A list of paths is none: let such a
/// tool take one path for each call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathArguments {
    /// The places of the paths, as JSON pointers.
    pub at: BTreeSet<String>,
    /// True if the tool follows symbolic links in its folder: then nobody can say what lies beneath
    /// what.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows_links: bool,
    /// Those of the places whose calls reach all that lies beneath the path as well, e.g. the folder
    /// of a search. What denies a path there denies the folders above it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub trees: BTreeSet<String>,
}

impl PathArguments {
    /// Returns the paths at these places, of a tool that follows no links.
    #[must_use]
    pub fn at<P: Into<String>>(places: impl IntoIterator<Item = P>) -> Self {
        Self {
            at: places.into_iter().map(Into::into).collect(),
            follows_links: false,
            trees: BTreeSet::new(),
        }
    }

    /// The same, of a tool whose calls reach all that lies beneath each of them.
    #[must_use]
    pub fn trees<P: Into<String>>(places: impl IntoIterator<Item = P>) -> Self {
        let paths = Self::at(places);
        Self {
            trees: paths.at.clone(),
            ..paths
        }
    }

    /// Tells whether no argument is a path.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.at.is_empty()
    }
}

/// The description of a tool: all that the runtime and a model must know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, written by its name"
)]
pub struct ToolSpec {
    /// The name by which models and people call it.
    pub name: ToolName,
    /// The work that it does, for models.
    pub description: String,
    /// The performer of its work.
    #[serde(default, skip_serializing_if = "ToolKind::is_run")]
    pub kind: ToolKind,
    /// The effect that it may have.
    pub effect: EffectClass,
    /// The arguments that are paths in its folder.
    #[serde(default, skip_serializing_if = "PathArguments::is_none")]
    pub paths: PathArguments,
    /// True if it reaches systems beyond this machine.
    pub open_world: bool,
    /// The rule of running it again after its run was lost. A `read` tool always may.
    pub repeat: Repeat,
    /// True if [`Tool::reconcile`](crate::port::Tool::reconcile) can tell what became of a lost
    /// run.
    pub reconciles: bool,
    /// True if it runs processes, and so needs a [`ToolHost`](crate::port::ToolHost).
    pub needs_host: bool,
    /// True if it reads the files of the people who led to a call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_files: bool,
    /// JSON Schema (2020-12) of its arguments; an object.
    pub schema: Value,
    /// The longest time of one run, in milliseconds.
    pub timeout_ms: u64,
    /// The most bytes of output that a model sees.
    pub model_bytes_max: u64,
    /// The most bytes of output in all; what a model does not see of it is kept as a blob.
    #[serde(default = "ToolSpec::output_bytes_default")]
    pub output_bytes_max: u64,
    /// The part of its output that a model sees.
    #[serde(default, skip_serializing_if = "ViewPolicy::is_full")]
    pub view: ViewPolicy,
    /// The effects of calls where they depend on arguments: the first rule that fits decides, else
    /// `unlisted`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<CallRule>,
    /// The treatment of a call that none of `rules` fits.
    #[serde(default, skip_serializing_if = "Unlisted::is_by_effect")]
    pub unlisted: Unlisted,
    /// The number of runs that may go on at a time in a world; `None`: 8 for reading, 1 for
    /// writing. A destructive call runs alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency_max: Option<u32>,
    /// The number of calls in an episode; `None`: as many as answers ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_episode_max: Option<u32>,
    /// True if a result stands for further calls with the same arguments. Only a `read` tool may
    /// say so, whose result depends on its arguments alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub memoises: bool,
    /// True if people may grant any arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub grants_any: bool,
    /// The kinds of domain artifacts that it gives.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<ArtifactName, ArtifactSpec>,
    /// Its folder, as it was opened: the path without links, relative to the base of its settings.
    /// `None`: it has none, or was recorded before that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Digest of its settings (roots, allow-lists): a changed one is another tool to whoever
    /// allowed it.
    pub settings: Digest,
}

impl ToolSpec {
    /// The default time limit of a run.
    pub const TIMEOUT_MS: u64 = 10_000;
    /// The default cap on output that a model sees.
    pub const MODEL_BYTES_MAX: u64 = 64 * 1024;
    /// The default cap on output in all.
    pub const OUTPUT_BYTES_MAX: u64 = 8 * 1024 * 1024;

    /// A tool with default limits, of which the least is assumed: it stays on this machine, must
    /// not be run a second time, and cannot tell what became of a lost run.
    #[must_use]
    pub fn new(
        name: ToolName,
        effect: EffectClass,
        description: impl Into<String>,
        schema: Value,
    ) -> Self {
        Self {
            name,
            description: description.into(),
            kind: ToolKind::Run,
            effect,
            paths: PathArguments::default(),
            open_world: false,
            repeat: Repeat::Never,
            reconciles: false,
            needs_host: false,
            reads_files: false,
            schema,
            timeout_ms: Self::TIMEOUT_MS,
            model_bytes_max: Self::MODEL_BYTES_MAX,
            output_bytes_max: Self::OUTPUT_BYTES_MAX,
            view: ViewPolicy::Full,
            rules: Vec::new(),
            unlisted: Unlisted::ByEffect,
            concurrency_max: None,
            calls_per_episode_max: None,
            memoises: false,
            grants_any: false,
            artifacts: BTreeMap::new(),
            folder: None,
            settings: Digest::of(&[]),
        }
    }

    const fn output_bytes_default() -> u64 {
        Self::OUTPUT_BYTES_MAX
    }

    /// Tells whether a call means the same to both. What models read of a tool, and its limits, may
    /// differ.
    #[must_use]
    pub fn acts_like(&self, other: &Self) -> bool {
        let acts = |tool: &Self| {
            (
                tool.effect,
                tool.open_world,
                tool.repeat,
                tool.reconciles,
                tool.settings,
            )
        };
        acts(self) == acts(other)
            && self.schema == other.schema
            && self.paths == other.paths
            && self.rules == other.rules
            && self.unlisted == other.unlisted
    }

    /// Tells whether its folder was known, and is another one in `now`: the same words then mean
    /// another place.
    #[must_use]
    pub fn has_moved(&self, now: &Self) -> bool {
        self.folder.is_some() && self.folder != now.folder
    }

    /// Returns the effect of a call with `arguments`: by the first of `rules` that fits, else the
    /// tool's effect.
    #[must_use]
    pub fn effect_of(&self, arguments: &Value) -> EffectClass {
        self.rule_of(arguments)
            .map_or(self.effect, |rule| rule.effect)
    }

    /// The same, of arguments as they are written; those that are no JSON fit no rule.
    #[must_use]
    pub fn effect_at(&self, arguments: &str) -> EffectClass {
        serde_json::from_str(arguments).map_or(self.effect, |arguments| self.effect_of(&arguments))
    }

    /// Returns the effect of a call with arguments that are written as JSON, if it depends on them.
    pub(crate) fn effect_by_rules(&self, arguments: &str) -> Option<EffectClass> {
        let arguments = || serde_json::from_str(arguments).ok();
        if self.rules.is_empty() {
            None
        } else {
            Some(self.effect_of(&arguments()?))
        }
    }

    /// The first of `rules` that fits `arguments`.
    #[must_use]
    pub fn rule_of(&self, arguments: &Value) -> Option<&CallRule> {
        self.rules
            .iter()
            .find(|rule| fits_all(&rule.when, arguments))
    }

    /// Tells whether a deny rule with these constraints denies a call with `arguments`. A
    /// constraint that says nothing of this tool narrows nothing: such a rule is recorded in old
    /// definitions, and must not allow what it was to deny.
    #[must_use]
    pub fn is_denied(&self, when: &[Constraint], arguments: &Value) -> bool {
        when.iter().all(|one| {
            one.fits(arguments)
                || self.reaches(one, arguments)
                || self.fault_of(one, Terms::Deny).is_some()
        })
    }

    /// Tells whether a call with `arguments` reaches a path that `constraint` is about, because it
    /// lies beneath the one that they name.
    fn reaches(&self, constraint: &Constraint, arguments: &Value) -> bool {
        let folder = arguments.pointer(&constraint.path).and_then(Value::as_str);
        self.paths.trees.contains(&constraint.path)
            && folder.is_some_and(|folder| constraint.lies_beneath(folder))
    }

    /// Tells whether all of these constraints can be those of a grant for calls of this tool. One
    /// that was recorded and cannot covers nothing.
    #[must_use]
    pub fn can_grant(&self, constraints: &[Constraint]) -> bool {
        constraints
            .iter()
            .all(|one| self.fault_of(one, Terms::Grant).is_none())
    }

    /// The time limit of a run.
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

/// The outcome of one run of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// The tool ran.
    Done(ToolOutput),
    /// The tool failed. A model reads the code's fixed sentence, an operator the detail.
    Failed(ToolFailure),
    /// The tool needs a person first, and has done nothing yet.
    NeedsInput(Question),
}

impl ToolOutcome {
    /// A plain text result.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Done(ToolOutput::text(text))
    }

    /// Returns the reason that nobody knows whether the run took effect; `None` if that is known.
    #[must_use]
    pub const fn doubt(&self) -> Option<UnknownCause> {
        match self {
            Self::Failed(ToolFailure {
                code: ToolErrorCode::TimedOut,
                ..
            }) => Some(UnknownCause::TimedOut),
            Self::Failed(ToolFailure {
                code: ToolErrorCode::Lost,
                ..
            }) => Some(UnknownCause::Lost),
            Self::Failed(_) | Self::Done(_) | Self::NeedsInput(_) => None,
        }
    }

    /// A failure with a code for the model and a detail for operators.
    #[must_use]
    pub fn failed(code: ToolErrorCode, detail: impl Into<String>) -> Self {
        Self::Failed(ToolFailure::new(code, detail))
    }
}

/// A tool's failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// The code that the model is told.
    pub code: ToolErrorCode,
    /// The detail that operators are told.
    pub detail: String,
    /// A name of the call's own arguments that the failure is about, e.g. a column that is not
    /// there. The model is told it, if it is a plain name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
}

impl ToolFailure {
    /// A failure with a code for the model and a detail for operators.
    #[must_use]
    pub fn new(code: ToolErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            named: None,
        }
    }

    /// The same failure, about a thing that the call's arguments name.
    #[must_use]
    pub fn about(self, name: impl Into<String>) -> Self {
        Self {
            named: Some(name.into()),
            ..self
        }
    }

    /// The name, if it is one and no sentence: letters, digits, `_` and `.`, at most 64.
    #[must_use]
    pub fn plain_name(&self) -> Option<&str> {
        let is_plain = |name: &str| {
            (1..=64).contains(&name.len())
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
        };
        self.named.as_deref().filter(|name| is_plain(name))
    }
}

/// The failures that a model can do something about. Each has one fixed sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolErrorCode {
    /// The thing that the arguments name is not there.
    NotFound,
    /// The arguments ask for what is not allowed here.
    NotAllowed,
    /// The arguments fit the schema, but not the tool.
    BadArguments,
    /// The input or output is larger than the tool's limit.
    TooLarge,
    /// The run took longer than its limit, and was stopped.
    TimedOut,
    /// The program ran and reported failure.
    ExitedWithFailure,
    /// The process that ran it was lost on the way: nobody knows whether it took effect.
    Lost,
    /// The tool did not run: the world performs nothing by itself.
    DryRun,
    /// Anything else.
    Failed,
}

/// A tool's knowledge about a run that was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reconciliation {
    /// The run took effect, with this outcome.
    Landed(ToolOutcome),
    /// The run did not take effect.
    DidNot,
    /// The tool cannot tell.
    CannotTell,
}

/// The reason that an outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownCause {
    /// The process that ran it died.
    Crash,
    /// The run was stopped.
    Stopped,
    /// The run took too long.
    TimedOut,
    /// The process that ran it was lost: the helper was killed, or it panicked.
    Lost,
    /// A newer message took its turn's place.
    Superseded,
}
