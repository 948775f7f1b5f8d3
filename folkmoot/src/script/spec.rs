//! A spec as it is written: all of a world's definition but the tools, which are built from it.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::content::Content;
use folkmoot_core::ids::{AgentName, ModelName, StateName, ToolName};
use folkmoot_core::spec::{
    AgentSpec, Definition, Join, Limits, ModelSpec, Policy, SpecText, StateSpec, WorldSpec,
};
use folkmoot_core::tool::ToolSpec;
use serde_json::{Map, Value};

use super::fault::Mark;
use super::gateway;
use super::node::Node;
use super::parameters::{parameters_of, price};
use super::scalar;
use super::servers;

/// A spec as it is written, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecDraft {
    /// What the room is for.
    pub description: Option<String>,
    /// The rules of the room.
    pub rules: Option<String>,
    /// What every agent should know of its subject.
    pub context: Option<String>,
    /// The agents, in roster order.
    pub agents: Vec<AgentDraft>,
    /// The models by name.
    pub models: BTreeMap<ModelName, ModelDraft>,
    /// The tools by name; those of servers each by itself.
    pub tools: BTreeMap<ToolName, ToolDraft>,
    /// The servers of tools by name, as their entries stand there, `${…}` unexpanded.
    pub servers: BTreeMap<ToolName, Value>,
    /// What clients may tell, by name.
    pub states: BTreeMap<StateName, StateSpec>,
    /// Who answers, and what is asked.
    pub policy: Policy,
    /// True if it says which rights people have whom it does not name. A server gives them none
    /// else: who opens a room owns it.
    pub says_rights: bool,
    /// The bounds.
    pub limits: Limits,
    /// True if its tools may work on this machine where a server is reached from others.
    pub local: bool,
    /// The scripted model's replies, each a list, as JSON.
    pub replies: BTreeMap<AgentName, Value>,
}

/// An agent as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentDraft {
    /// Its structure; its model is that of the defaults if it names none.
    pub spec: AgentSpec,
    /// What it is told about its part.
    pub prompt: Option<String>,
    /// What it is to do here.
    pub task: Option<String>,
    /// Where it stands.
    pub at: Mark,
}

/// A model as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelDraft {
    /// Its structure.
    pub spec: ModelSpec,
    /// Its entry as JSON, without what is in the structure: `timeout`, `context_tokens`,
    /// `parameters`, `price`, `fallback`; with what the gateway adds put in; `${…}` unexpanded.
    pub settings: Value,
    /// Where it stands.
    pub at: Places,
}

/// A tool as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDraft {
    /// Which tool it is: what stands under `use`.
    pub uses: String,
    /// All of its entry as JSON, `use` included, `${…}` unexpanded.
    pub settings: Value,
    /// Where it stands.
    pub at: Places,
}

/// Where an entry and its settings stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    entry: Mark,
    settings: BTreeMap<String, Mark>,
}

impl Places {
    /// Returns where the setting at `path` stands, e.g. `results[0].takes`, or else what it is a
    /// part of; with an empty path, the entry itself.
    #[must_use]
    pub fn of(&self, path: &str) -> Mark {
        let mut path = path;
        while !path.is_empty() {
            if let Some(mark) = self.settings.get(path) {
                return *mark;
            }
            path = path
                .rfind(['.', '['])
                .and_then(|at| path.get(..at))
                .unwrap_or("");
        }
        self.entry
    }

    fn read(node: &Node, entry: Mark) -> Self {
        let mut places = Self {
            entry,
            settings: BTreeMap::new(),
        };
        places.add(node, "");
        places
    }

    fn add(&mut self, node: &Node, path: &str) {
        for (key, value) in node.entries() {
            let dot = if path.is_empty() { "" } else { "." };
            self.put(value, format!("{path}{dot}{}", key.text()), value.mark);
        }
        for (index, item) in node.items().enumerate() {
            self.put(item, format!("{path}[{index}]"), item.mark);
        }
    }

    fn put(&mut self, node: &Node, path: String, mark: Mark) {
        self.add(node, &path);
        self.settings.insert(path, mark);
    }
}

impl SpecDraft {
    /// The definition of a world with these `tools`, which were built from [`SpecDraft::tools`].
    #[must_use]
    pub fn definition(&self, tools: BTreeMap<ToolName, ToolSpec>) -> Definition {
        let prompt = |agent: &AgentDraft| Some((agent.spec.name.clone(), agent.prompt.clone()?));
        let task = |agent: &AgentDraft| Some((agent.spec.name.clone(), agent.task.clone()?));
        let text = SpecText {
            description: self.description.clone(),
            rules: self.rules.clone(),
            context: self.context.clone(),
            tasks: self.agents.iter().filter_map(task).collect(),
            prompts: self.agents.iter().filter_map(prompt).collect(),
            models: self
                .models
                .iter()
                .map(|(name, model)| (name.clone(), model.settings.clone()))
                .collect(),
            tools: self
                .tools
                .iter()
                .map(|(name, tool)| (name.clone(), tool.settings.clone()))
                .collect(),
            replies: self.replies.clone(),
            local: self.local,
        };
        let spec = WorldSpec {
            agents: self.agents.iter().map(|agent| agent.spec.clone()).collect(),
            models: self
                .models
                .iter()
                .map(|(name, model)| (name.clone(), model.spec.clone()))
                .collect(),
            tools,
            states: self.states.clone(),
            policy: self.policy.clone(),
            limits: self.limits.clone(),
        };
        Definition {
            spec,
            text: Content::Present(text),
            source: None,
        }
    }

    /// The models that agents may ask: their own, and those that stand in for them.
    pub fn models_in_use(&self) -> impl Iterator<Item = (&ModelName, &ModelDraft)> {
        let own: BTreeSet<&ModelName> = self
            .agents
            .iter()
            .filter_map(|agent| agent.spec.model.as_ref())
            .collect();
        let others = own
            .iter()
            .filter_map(|name| self.models.get(*name))
            .flat_map(|model| &model.spec.fallback);
        let used: BTreeSet<&ModelName> = own.iter().copied().chain(others).collect();
        self.models
            .iter()
            .filter(move |(name, _)| used.contains(name))
    }

    /// True if any agent may ask a model that is neither scripted nor recorded.
    pub(crate) fn has_live_model(&self) -> bool {
        self.models_in_use()
            .any(|(_, model)| is_live(&model.spec.provider))
    }

    /// Reads a checked tree. The error is where it does not read.
    pub(crate) fn read(spec: &Node) -> Result<Self, Mark> {
        let entries = |key: &str| spec.get(key).into_iter().flat_map(Node::entries);
        let default = spec
            .get("defaults")
            .and_then(|defaults| defaults.text_of("model"));
        let agents = spec.get("agents").into_iter().flat_map(Node::items);
        Ok(Self {
            description: spec.text_of("description").map(str::to_owned),
            rules: spec.text_of("rules").map(str::to_owned),
            context: spec.text_of("context").map(str::to_owned),
            agents: agents
                .map(|node| agent(node, default).ok_or(node.mark))
                .collect::<Result<_, _>>()?,
            models: entries("models")
                .map(|(key, node)| {
                    let name = ModelName::new(key.text()).map_err(|_| key.mark)?;
                    Ok((name, model(spec, node, key.mark).ok_or(key.mark)?))
                })
                .collect::<Result<_, Mark>>()?,
            tools: servers::tools_of(spec)
                .iter()
                .map(|named| {
                    let name = ToolName::new(&named.name).map_err(|_| named.at)?;
                    Ok((name, tool(&named.settings, named.at).ok_or(named.at)?))
                })
                .collect::<Result<_, Mark>>()?,
            servers: servers::entries_of(spec)
                .map(|(key, node)| {
                    let name = ToolName::new(key.text()).map_err(|_| key.mark)?;
                    Ok((name, node.json()))
                })
                .collect::<Result<_, Mark>>()?,
            states: entries("states")
                .map(|(key, node)| {
                    let name = StateName::new(key.text()).map_err(|_| key.mark)?;
                    Ok((
                        name,
                        serde_json::from_value(node.json()).map_err(|_| node.mark)?,
                    ))
                })
                .collect::<Result<_, Mark>>()?,
            policy: spec
                .get("policy")
                .map_or_else(|| Ok(Policy::default()), policy)?,
            says_rights: says_rights(spec),
            limits: spec
                .get("limits")
                .map_or_else(|| Ok(Limits::default()), limits)?,
            local: spec.get("local").is_some_and(|local| local.json() == true),
            replies: entries("replies")
                .map(|(key, node)| {
                    Ok((
                        AgentName::new(key.text()).map_err(|_| key.mark)?,
                        node.json(),
                    ))
                })
                .collect::<Result<_, Mark>>()?,
        })
    }
}

fn agent(node: &Node, default: Option<&str>) -> Option<AgentDraft> {
    let model = node.text_of("model").or(default)?;
    let tools = node.get("tools").into_iter().flat_map(Node::items);
    let name = |key: &str| node.text_of(key).map(|name| AgentName::new(name).ok());
    Some(AgentDraft {
        spec: AgentSpec {
            name: name("name")??,
            display: name("display").map_or(Some(None), |name| name.map(Some))?,
            model: Some(ModelName::new(model).ok()?),
            tools: tools
                .map(|tool| ToolName::new(tool.text()?).ok())
                .collect::<Option<_>>()?,
            parameters: parameters_of(node)?,
            join: node
                .get("join")
                .map_or(Some(None), |node| join(node).map(Some))?,
        },
        task: node.text_of("task").map(str::to_owned),
        prompt: node.text_of("prompt").map(str::to_owned),
        at: node.get("name")?.mark,
    })
}

fn join(node: &Node) -> Option<Join> {
    let names = node.get("all_of").into_iter().flat_map(Node::items);
    Some(Join {
        all_of: names
            .map(|name| AgentName::new(name.text()?).ok())
            .collect::<Option<_>>()?,
        or_after_ms: node
            .text_of("or_after")
            .map_or(Some(Join::OR_AFTER_MS), scalar::duration_ms)?,
    })
}

/// The keys of a model that are part of the structure, and so not among its settings.
pub(crate) const STRUCTURE: [&str; 5] = [
    "timeout",
    "context_tokens",
    "parameters",
    "price",
    "fallback",
];

/// Returns where the price of `model` stands in `spec`: at the model, or in the table under the
/// provider's name of it.
pub(crate) fn price_of<'n>(spec: &'n Node, model: &'n Node) -> Option<&'n Node> {
    model.get("price").or_else(|| {
        spec.get("prices")?
            .get(model.text_of("model").or(model.text_of("provider"))?)
    })
}

/// True if a model of this provider is asked over the network, and so takes real time.
pub(crate) fn is_live(provider: &str) -> bool {
    !matches!(provider, "scripted" | "recorded")
}

/// The time limit of one attempt on a model, as it is written: its `timeout`, or its
/// `timeouts.total`.
pub(crate) fn total_of(model: &Node) -> Option<&str> {
    model
        .text_of("timeout")
        .or_else(|| model.get("timeouts")?.text_of("total"))
}

fn model(spec: &Node, node: &Node, at: Mark) -> Option<ModelDraft> {
    let provider = node.text_of("provider")?;
    let fallback = node.get("fallback").into_iter().flat_map(Node::items);
    let gateway = spec.get("gateway");
    let spec = ModelSpec {
        provider: provider.to_owned(),
        model: node.text_of("model").unwrap_or(provider).to_owned(),
        timeout_ms: total_of(node).map_or(Some(ModelSpec::TIMEOUT_MS), scalar::duration_ms)?,
        context_tokens_max: node
            .text_of("context_tokens")
            .map_or(Some(ModelSpec::CONTEXT_TOKENS_MAX), |count| {
                count.parse().ok()
            })?,
        parameters: parameters_of(node)?,
        price: price_of(spec, node).map_or(Some(None), |node| price(node).map(Some))?,
        fallback: fallback
            .map(|name| ModelName::new(name.text()?).ok())
            .collect::<Option<_>>()?,
    };
    let mut settings = node.json();
    if let Value::Object(settings) = &mut settings {
        settings.retain(|key, _| !STRUCTURE.contains(&key.as_str()));
        if let Some(gateway) = gateway {
            gateway::lead(settings, provider, gateway);
        }
    }
    Some(ModelDraft {
        spec,
        settings,
        at: Places::read(node, at),
    })
}

fn tool(node: &Node, at: Mark) -> Option<ToolDraft> {
    let uses = node.text_of("use")?.to_owned();
    Some(ToolDraft {
        uses,
        settings: node.json(),
        at: Places::read(node, at),
    })
}

fn says_rights(spec: &Node) -> bool {
    let rights = spec.get("policy").and_then(|policy| policy.get("rights"));
    rights.is_some_and(|rights| rights.get("default").is_some())
}

fn policy(node: &Node) -> Result<Policy, Mark> {
    serde_json::from_value(node.json()).map_err(|_| node.mark)
}

fn limits(node: &Node) -> Result<Limits, Mark> {
    let mut fields = Map::new();
    for (key, value) in node
        .entries()
        .filter(|(key, _)| !["approval_ttl", "ask_ttl", "grant_ttl"].contains(&key.text()))
    {
        let is_money = ["cost", "cost_per_episode"].contains(&key.text());
        let amount = value.text().filter(|_| is_money).map(Value::from);
        fields.insert(
            key.text().to_owned(),
            amount.unwrap_or_else(|| value.json()),
        );
    }
    for key in ["ask_ttl", "grant_ttl"] {
        if let Some(ttl) = node.get(key) {
            fields.insert(
                format!("{key}_ms"),
                ttl.text()
                    .and_then(scalar::duration_ms)
                    .ok_or(ttl.mark)?
                    .into(),
            );
        }
    }
    for (effect, ttl) in node.get("approval_ttl").into_iter().flat_map(Node::entries) {
        let ms = ttl.text().and_then(scalar::duration_ms).ok_or(ttl.mark)?;
        fields.insert(format!("approval_ttl_{}_ms", effect.text()), ms.into());
    }
    serde_json::from_value(Value::Object(fields)).map_err(|_| node.mark)
}
