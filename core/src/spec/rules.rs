//! A definition that was checked: what decisions read of a room, with its schemas compiled.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jsonschema::Validator;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::canonical::read;
use crate::ids::{AgentName, ArtifactName, Digest, ModelName, StateName, ToolName};
use crate::spec::{AgentSpec, WorldSpec};
use crate::text::firewall::Known;
use crate::text::mentions::Names;
use crate::tool::constraint::ConstraintFault;
use crate::tool::schema::{SchemaError, ToolSchema, compile};
use crate::tool::{ToolSpec, reads_json};

mod check;
mod kinds;
mod pipeline;
mod ruling;
mod states;
#[cfg(test)]
mod tests;
mod validate;

use kinds::{Kinds, check_kinds, kinds_of};
pub use pipeline::{Pipeline, Stage};
pub(crate) use ruling::Ruling;

/// A room's structure with its tools' schemas compiled.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "WorldSpec", into = "WorldSpec")]
pub struct Rules {
    spec: WorldSpec,
    schemas: BTreeMap<ToolName, ToolSchema>,
    kinds: Kinds,
    states: BTreeMap<StateName, Arc<Validator>>,
    /// Agents and their display names, as mentions find them.
    names: Arc<Names<AgentName>>,
    /// The agents' places in the roster.
    places: BTreeMap<AgentName, usize>,
    /// The tools and kinds that tell artifacts from prose.
    known: Known,
}

/// A definition that no room can be opened with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// Two agents have one name, as mentions compare names.
    #[error("two agents are called {0}")]
    SameName(AgentName),
    /// Two agents have names that people could take for one another.
    #[error("the agents {other} and {name} have names that look alike; rename one of them")]
    LooksLike {
        /// The later one.
        name: AgentName,
        /// The one before.
        other: AgentName,
    },
    /// A mention could not tell such a name from the text around it.
    #[error("{name:?} cannot be an agent's name: {why}")]
    BadName {
        /// The name.
        name: AgentName,
        /// The broken rule.
        why: &'static str,
    },
    /// An agent waits for itself.
    #[error("the join of {0} names {0} itself; an agent cannot wait for itself")]
    JoinsItself(AgentName),
    /// Something names an agent that is not there.
    #[error("{place} names the agent {name}, which is not defined")]
    NoAgent {
        /// The place that names it.
        place: String,
        /// The name.
        name: AgentName,
    },
    /// An agent names a tool or a model that is not there.
    #[error("agent {agent} names the {what} {name}, which is not defined")]
    NoPart {
        /// The agent.
        agent: AgentName,
        /// `tool` or `model`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A model names one to stand in for it that cannot.
    #[error("model {model} names {name} as a fallback, which {why}")]
    BadFallback {
        /// The model.
        model: ModelName,
        /// The other one.
        name: ModelName,
        /// The broken rule.
        why: &'static str,
    },
    /// The model has no price: nobody could say whether another call of it stays within what the room may cost.
    #[error("the limit {limit} needs a price of model {model}, which agent {agent} may ask")]
    NoPrice {
        /// The limit.
        limit: &'static str,
        /// The agent.
        agent: AgentName,
        /// The model.
        model: ModelName,
    },
    /// An agent's call is to be of a tool that it does not have.
    #[error("{place} requires calls of the tool {tool}, and agent {agent} does not have that tool")]
    ChoosesNoTool {
        /// The place that says so: the agent, or a model that it may ask.
        place: String,
        /// The agent.
        agent: AgentName,
        /// The tool.
        tool: String,
    },
    /// A room with such a limit could do nothing.
    #[error("the limit {limit} is 0; it must be at least 1")]
    ZeroLimit {
        /// The limit.
        limit: &'static str,
    },
    /// A tool by which agents turn to agents, with an effect of its own.
    #[error("tool {tool} asks another agent, so its effect must be `read`")]
    EffectOfAgent {
        /// The tool.
        tool: ToolName,
    },
    /// A tool whose results could not stand for other calls.
    #[error("tool {tool} cannot memoise: {why}")]
    CannotMemoise {
        /// The tool.
        tool: ToolName,
        /// The broken rule.
        why: &'static str,
    },
    /// A limit of a tool under which nothing could ever run.
    #[error("the limit {limit} of tool {tool} is 0; it must be at least 1")]
    ZeroLimitOfTool {
        /// The tool.
        tool: ToolName,
        /// The limit.
        limit: &'static str,
    },
    /// A deny rule, or a tool's list of paths, that names no place in arguments: it would mean nothing.
    #[error("{path:?} is not a JSON pointer into the arguments of tool {tool}: begin it with `/`")]
    BadPointer {
        /// The tool.
        tool: ToolName,
        /// The text that stands there.
        path: String,
    },
    /// A constraint says nothing of the arguments of its tool.
    #[error("{place} of tool {tool} cannot be used: {why}")]
    BadConstraint {
        /// The place that has the constraint.
        place: &'static str,
        /// The tool.
        tool: ToolName,
        /// The fault of it, and the constraint to write instead.
        why: ConstraintFault,
    },
    /// A deny rule is about a tool that is not there.
    #[error("a deny rule names the tool {0}, which is not defined")]
    DeniesNoTool(ToolName),
    /// No log could hold the definition.
    #[error(
        "the definition has {bytes} bytes as JSON, at most {max} are possible; put long texts into prompts and memory, which do not count"
    )]
    TooLarge {
        /// The bytes that it has.
        bytes: usize,
        /// The bytes that it may have.
        max: usize,
    },
    /// No client could tell such a state.
    #[error("the state {state} cannot be used: {why}")]
    BadState {
        /// The state.
        state: StateName,
        /// The fault of it.
        why: String,
    },
    /// A tool's schema is not one, or no model can be told of it.
    #[error("the schema of tool {tool} cannot be used: {why}")]
    BadSchema {
        /// The tool.
        tool: ToolName,
        /// The fault of it, and its place.
        why: SchemaError,
    },
    /// A kind of domain artifact that nothing can be drawn by.
    #[error("the kind of artifact {kind} cannot be used: {why}")]
    BadKind {
        /// The kind.
        kind: ArtifactName,
        /// The fault of it.
        why: String,
    },
    /// Two tools declare a kind of domain artifact, and mean something else by it.
    #[error("two tools declare the kind of artifact {kind} differently; declare it once, or alike")]
    TwoKinds {
        /// The kind.
        kind: ArtifactName,
    },
}

impl Rules {
    /// Checks `spec`: names are unique and resolve, schemas compile and models can be told of them.
    ///
    /// # Errors
    /// [`RulesError`] names the first fault.
    pub fn check(spec: WorldSpec) -> Result<Self, RulesError> {
        check::check(&spec)?;
        let mut schemas = BTreeMap::new();
        for (name, tool) in &spec.tools {
            let bad = |why| RulesError::BadSchema {
                tool: name.clone(),
                why,
            };
            schemas.insert(name.clone(), ToolSchema::check(&tool.schema).map_err(bad)?);
        }
        let kinds = check_kinds(&spec)?;
        states::check(&spec.states)?;
        let states = states::compiled(&spec.states);
        let known = known_of(&spec);
        Ok(Self {
            names: Arc::new(names_of(&spec)),
            places: places_of(&spec),
            known,
            spec,
            schemas,
            kinds,
            states,
        })
    }

    /// The structure.
    #[must_use]
    pub const fn spec(&self) -> &WorldSpec {
        &self.spec
    }

    /// The agent called `name`.
    #[must_use]
    pub fn agent(&self, name: &AgentName) -> Option<&AgentSpec> {
        self.spec.agents.get(*self.places.get(name)?)
    }

    /// The names and display names of the agents.
    #[must_use]
    pub const fn names(&self) -> &Arc<Names<AgentName>> {
        &self.names
    }

    /// Returns the tools and kinds that tell execution artifacts from prose in this room.
    #[must_use]
    pub const fn known(&self) -> &Known {
        &self.known
    }

    /// The tool `name` of `agent`, if the agent has it.
    #[must_use]
    pub fn tool_of(&self, agent: &AgentName, name: &str) -> Option<&ToolSpec> {
        let name = self
            .agent(agent)?
            .tools
            .iter()
            .find(|tool| tool.as_str() == name)?;
        self.spec.tools.get(name)
    }

    /// Returns the schema of `tool` that models are told; `None` if they cannot be told, and so are
    /// not told of the tool. Only a recorded structure has such a tool.
    #[must_use]
    pub fn told_schema(&self, tool: &ToolName) -> Option<&Value> {
        self.schemas.get(tool)?.told.as_deref()
    }
}

/// The digest of a tool's schema, as approvals record it.
#[must_use]
pub fn schema_digest(tool: &ToolSpec) -> Digest {
    // A JSON value always serialises; its maps are sorted.
    Digest::of(&[&serde_json::to_vec(&tool.schema).unwrap_or_default()])
}

/// Tells whether a free answer fits its question's schema. An answer that is read as JSON must be
/// JSON.
pub(crate) fn answer_fits(schema: &Value, text: &str) -> bool {
    let value = if reads_json(schema) {
        read(text).ok()
    } else {
        Some(Value::from(text))
    };
    compile(schema)
        .ok()
        .zip(value)
        .is_some_and(|(validator, value)| validator.is_valid(&value))
}

/// The tools that the firewall knows calls by: all of them, whichever agents may call them.
fn known_of(spec: &WorldSpec) -> Known {
    let tools = spec.tools.values();
    let kinds = tools
        .clone()
        .flat_map(|tool| tool.artifacts.keys().map(ArtifactName::as_str));
    Known::new(
        tools.clone().map(|tool| (tool.name.as_str(), &tool.schema)),
        kinds,
    )
}

fn names_of(spec: &WorldSpec) -> Names<AgentName> {
    let mut names = Names::default();
    for agent in &spec.agents {
        for name in [Some(&agent.name), agent.display.as_ref()]
            .into_iter()
            .flatten()
        {
            names.insert(name.as_str(), agent.name.clone());
        }
    }
    names
}

fn places_of(spec: &WorldSpec) -> BTreeMap<AgentName, usize> {
    // The first of two that have one name is meant.
    spec.agents
        .iter()
        .enumerate()
        .rev()
        .map(|(place, agent)| (agent.name.clone(), place))
        .collect()
}

/// A recorded structure is taken as it is. A schema that no longer compiles refuses every call of
/// its tool. Of one that models cannot be told of, calls are validated as ever, but the tool is
/// declared to no model.
impl From<WorldSpec> for Rules {
    fn from(spec: WorldSpec) -> Self {
        let schema = |(name, tool): (&ToolName, &ToolSpec)| {
            (name.clone(), ToolSchema::recorded(&tool.schema))
        };
        let schemas = spec.tools.iter().map(schema).collect();
        let kinds = kinds_of(&spec);
        let states = states::compiled(&spec.states);
        let known = known_of(&spec);
        Self {
            names: Arc::new(names_of(&spec)),
            places: places_of(&spec),
            known,
            spec,
            schemas,
            kinds,
            states,
        }
    }
}

impl From<Rules> for WorldSpec {
    fn from(rules: Rules) -> Self {
        rules.spec
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}
