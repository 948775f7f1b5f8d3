//! The definition that a room is opened with.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::Content;
use crate::ids::{AgentName, ArtifactName, Digest, ModelName, StateName, ToolName};
use crate::model::Parameters;
use crate::model::money::{Money, Price};
use crate::text::redaction::RedactionKind;
use crate::tool::{ArtifactSpec, EffectClass, ToolSpec};

mod change;
mod consent;
pub mod limits;
mod resolve;
pub mod rules;

pub use change::{Change, How};
pub use consent::{DenyRule, FourEyes, RightsPolicy, StateSpec};

/// The structure of a room: all that decisions read. It is a fact of the log and is never erased.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldSpec {
    /// The agents, in roster order.
    pub agents: Vec<AgentSpec>,
    /// The models by name.
    #[serde(default)]
    pub models: BTreeMap<ModelName, ModelSpec>,
    /// The tools by name.
    #[serde(default)]
    pub tools: BTreeMap<ToolName, ToolSpec>,
    /// The states that clients may tell of what their users see.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<StateName, StateSpec>,
    /// The policy: who answers and what is asked.
    #[serde(default)]
    pub policy: Policy,
    /// The bounds.
    #[serde(default)]
    pub limits: Limits,
}

impl WorldSpec {
    /// The agent called `name`.
    #[must_use]
    pub fn agent(&self, name: &AgentName) -> Option<&AgentSpec> {
        self.agents.iter().find(|agent| agent.name == *name)
    }

    /// The models that `agent` may ask: its own first, then those that stand in for it, in order.
    pub fn models_of<'s>(&'s self, agent: &'s AgentSpec) -> impl Iterator<Item = &'s ModelName> {
        let own = agent.model.as_ref();
        let others = own
            .and_then(|name| self.models.get(name))
            .into_iter()
            .flat_map(|model| &model.fallback);
        own.into_iter().chain(others)
    }

    /// The kinds of domain artifacts that its tools give.
    #[must_use]
    pub fn kinds(&self) -> BTreeMap<ArtifactName, ArtifactSpec> {
        let kinds = self.tools.values().flat_map(|tool| &tool.artifacts);
        kinds
            .map(|(name, kind)| (name.clone(), kind.clone()))
            .collect()
    }

    /// The digest of the structure and the text together.
    #[must_use]
    pub fn digest(&self, text: &SpecText) -> Digest {
        // Neither type holds anything that cannot be serialised.
        let json = |value: Result<Vec<u8>, _>| value.unwrap_or_default();
        Digest::of(&[
            &json(serde_json::to_vec(self)),
            &json(serde_json::to_vec(text)),
        ])
    }
}

/// The words of people in the spec: they can be erased, and then the room still folds, but performs
/// no more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecText {
    /// The purpose of the room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The rules of the room, for every agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The context: what every agent should know of the room's subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The agents' prompts: their roles and domains.
    #[serde(default)]
    pub prompts: BTreeMap<AgentName, String>,
    /// The task of each agent here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tasks: BTreeMap<AgentName, String>,
    /// Settings of the models, `${…}` unexpanded.
    #[serde(default)]
    pub models: BTreeMap<ModelName, Value>,
    /// Settings of the tools, `${…}` unexpanded.
    #[serde(default)]
    pub tools: BTreeMap<ToolName, Value>,
    /// The scripted model's replies.
    #[serde(default)]
    pub replies: BTreeMap<AgentName, Value>,
    /// True if its tools may work on files and programs of a machine whose server others reach.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
}

/// Structure and text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The structure, which decisions read.
    pub spec: WorldSpec,
    /// The words of people.
    #[serde(default)]
    pub text: Content<SpecText>,
    /// The file that it was read from, by the file's own name. `None`: from none, or nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// An agent of a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// The name by which it is mentioned.
    pub name: AgentName,
    /// The name under which it is shown; it can be mentioned by this as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<AgentName>,
    /// The model behind it; `None` for an agent in code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The tools it may call.
    #[serde(default)]
    pub tools: Vec<ToolName>,
    /// Sampling and length of its calls.
    #[serde(default)]
    pub parameters: Parameters,
    /// The agents that it waits for once it has addressed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
}

/// An agent that waits until all whom it addressed are done, and is then woken once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    /// The agents that it waits for, if it addressed them.
    pub all_of: Vec<AgentName>,
    /// The longest wait, in milliseconds.
    pub or_after_ms: u64,
}

impl Join {
    /// The default longest wait.
    pub const OR_AFTER_MS: u64 = 60_000;
}

/// A model of a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// The adapter that speaks to it, e.g. `openai-chat`, `scripted`.
    pub provider: String,
    /// The provider's name of the model.
    pub model: String,
    /// The time limit of one attempt in all. Its adapter has the same.
    pub timeout_ms: u64,
    /// The most tokens of a request, as the runtime counts them.
    pub context_tokens_max: u32,
    /// The parameters of its answers, where neither the agent nor a reaction says otherwise.
    #[serde(default, skip_serializing_if = "Parameters::is_default")]
    pub parameters: Parameters,
    /// The price of it; `None`: nobody knows, and so nobody knows what a call of it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// The models that are asked in its place, one after the other, once the attempts on it are
    /// over. Theirs are not followed: two models may stand in for each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<ModelName>,
}

impl AgentSpec {
    /// An agent without tools; `None` for the model of one in code.
    #[must_use]
    pub fn new(name: AgentName, model: Option<ModelName>) -> Self {
        Self {
            name,
            display: None,
            model,
            tools: Vec::new(),
            parameters: Parameters::default(),
            join: None,
        }
    }
}

impl ModelSpec {
    /// A model with the default limits.
    #[must_use]
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            model: model.into(),
            timeout_ms: Self::TIMEOUT_MS,
            context_tokens_max: Self::CONTEXT_TOKENS_MAX,
            parameters: Parameters::default(),
            price: None,
            fallback: Vec::new(),
        }
    }

    /// The default for the most tokens of a request.
    pub const CONTEXT_TOKENS_MAX: u32 = 100_000;
    /// The default time limit of one attempt, 30 min: what cuts an answer that comes is silence,
    /// which its adapter sees.
    pub const TIMEOUT_MS: u64 = 30 * 60_000;
}

/// The policy of a room: who answers, and what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// The calls that wait for a person.
    pub mode: Mode,
    /// The agent that answers an unaddressed message of a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main_agent: Option<AgentName>,
    /// The places where a mention of an agent counts in a person's message.
    pub mentions: Mentions,
    /// The messages that an agent remembers.
    pub memory: MemoryPolicy,
    /// The history that an agent learns when it joins.
    pub history: History,
    /// The treatment of a message to an agent that waits for a person.
    pub while_waiting: WhileWaiting,
    /// True if a reply that broke off after part of it was shown is asked for again.
    pub retry_shown: bool,
    /// The effects that only somebody else than the person who began the episode can allow.
    #[serde(skip_serializing_if = "FourEyes::is_empty")]
    pub four_eyes: FourEyes,
    /// Calls that nobody can allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<DenyRule>,
    /// The kinds of data that are taken out of what models read of people, tools and clients.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub redact: BTreeSet<RedactionKind>,
    /// The rights that people have from the beginning.
    #[serde(skip_serializing_if = "RightsPolicy::is_open")]
    pub rights: RightsPolicy,
    /// The way in which content is stored: for the life of the world.
    #[serde(skip_serializing_if = "Privacy::is_open")]
    pub privacy: Privacy,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            mode: Mode::Ask,
            main_agent: None,
            mentions: Mentions::Anywhere,
            memory: MemoryPolicy::Shared,
            history: History::All,
            while_waiting: WhileWaiting::Queue,
            retry_shown: false,
            four_eyes: FourEyes::new(),
            deny: Vec::new(),
            redact: BTreeSet::new(),
            rights: RightsPolicy::default(),
            privacy: Privacy::Open,
        }
    }
}

/// The way in which content is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Privacy {
    /// As it was written.
    #[default]
    Open,
    /// Encrypted under keys that are kept apart from it: one for each person, and one for all
    /// others.
    Sealed,
}

impl Privacy {
    const fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }
}

/// The calls that wait for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Whatever is not `read` asks.
    Ask,
    /// Only `read` runs; everything else is refused without asking.
    Read,
    /// No call waits: everything runs without asking.
    Auto,
}

/// The messages that an agent remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryPolicy {
    /// Every message of people and agents.
    Shared,
    /// People's messages, and those of agents that address it.
    Addressed,
}

/// The places where a mention of an agent counts in a person's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mentions {
    /// At the start of lines; in mid-text if no line begins with one.
    Anywhere,
    /// At the start of lines only.
    LineStart,
}

/// The history that an agent learns when it joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// The agent remembers the transcript, as far as that is kept.
    All,
    /// The agent remembers what is said from then on.
    SinceJoin,
}

/// The treatment of a message to an agent that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhileWaiting {
    /// The message is kept until the turn is over; its author gets one notice.
    Queue,
    /// The message closes the turn and its requests.
    Supersede,
}

/// The episodes that services may begin within an hour, unless a definition says.
const SERVICE_EPISODES_PER_HOUR: u32 = 30;

/// Definitions that say nothing of services keep the digest that they had before there were any.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_usual_for_services(episodes: &u32) -> bool {
    *episodes == SERVICE_EPISODES_PER_HOUR
}

/// The bounds of a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Model calls per agent and episode, the closing call included.
    pub model_calls_per_agent: u32,
    /// Model calls per episode.
    pub model_calls_per_episode: u32,
    /// Tool calls per answer; the rest get the result `too_many_calls`.
    pub tool_calls_per_answer: u32,
    /// Attempts per model call; those lost to crashes do not count.
    pub attempts: u32,
    /// An unaddressed message of a person reaches everyone only up to this many agents.
    pub broadcast_max: u32,
    /// Messages from agent to agent that wake somebody, per episode.
    pub hop_budget: u32,
    /// Messages in a row that two agents may exchange with nobody else, per episode.
    pub pair_messages_max: u32,
    /// Episodes that messages of services begin within an hour, all services of the room together.
    #[serde(skip_serializing_if = "is_usual_for_services")]
    pub service_episodes_per_hour: u32,
    /// The time that an agent that asked another waits for the answer, in milliseconds.
    pub ask_ttl_ms: u64,
    /// The number of agents that may wait for one another.
    pub ask_depth_max: u32,
    /// Addressed messages that may wait for one agent; more are undeliverable.
    pub inbox_max: u32,
    /// Messages that one turn takes.
    pub news_max: u32,
    /// Messages that the fold keeps for agents that have not seen them yet.
    pub transcript_max: u32,
    /// Items that an agent's memory keeps; at this many the older half is dropped, and
    /// `PrefixBroken` says so.
    pub items_max: u32,
    /// The time that an approval of a destructive call waits, in milliseconds.
    pub approval_ttl_destructive_ms: u64,
    /// The time that an approval of a writing call waits, in milliseconds.
    pub approval_ttl_write_ms: u64,
    /// The longest life of a grant, in milliseconds.
    pub grant_ttl_ms: u64,
    /// The most bytes of one message's text.
    pub message_bytes_max: u32,
    /// Files that may be attached to one message.
    pub attachments_max: u32,
    /// The most bytes of one attached file; at most
    /// [`BLOB_BYTES_MAX`](crate::spec::limits::BLOB_BYTES_MAX).
    pub attachment_bytes_max: u32,
    /// The most that the models of the room may cost together, from its beginning on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// The most that they may cost in one episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_per_episode: Option<Money>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            model_calls_per_agent: 5,
            model_calls_per_episode: 25,
            tool_calls_per_answer: 5,
            attempts: 3,
            broadcast_max: 8,
            hop_budget: 12,
            pair_messages_max: 8,
            service_episodes_per_hour: SERVICE_EPISODES_PER_HOUR,
            ask_ttl_ms: 15 * 60 * 1_000,
            ask_depth_max: 4,
            inbox_max: 100,
            news_max: 50,
            transcript_max: 1_000,
            items_max: 2_000,
            approval_ttl_destructive_ms: 15 * 60 * 1_000,
            approval_ttl_write_ms: 24 * 60 * 60 * 1_000,
            grant_ttl_ms: 24 * 60 * 60 * 1_000,
            message_bytes_max: 56 * 1024,
            attachments_max: 8,
            attachment_bytes_max: 8 * 1024 * 1024,
            cost: None,
            cost_per_episode: None,
        }
    }
}

impl Limits {
    /// Tells whether the models of the room may only cost so much.
    #[must_use]
    pub const fn has_cost(&self) -> bool {
        self.cost.is_some() || self.cost_per_episode.is_some()
    }

    /// Returns the time that an approval of a call with `effect` waits, in milliseconds.
    #[must_use]
    pub const fn approval_ttl_ms(&self, effect: EffectClass) -> u64 {
        match effect {
            EffectClass::Destructive => self.approval_ttl_destructive_ms,
            EffectClass::Write | EffectClass::Read => self.approval_ttl_write_ms,
        }
    }
}
