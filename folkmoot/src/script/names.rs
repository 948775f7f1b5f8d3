//! The names that a script gives, for checking those that it uses.

use std::collections::BTreeMap;

use super::grammar::Named;
use super::node::Node;
use super::servers;

/// The names that a script gives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// Agents, in roster order.
    pub(crate) agents: Vec<String>,
    /// The agents' display names.
    displays: Vec<String>,
    /// Tools.
    pub(crate) tools: Vec<String>,
    /// Servers, each with the names of its tools.
    servers: BTreeMap<String, Vec<String>>,
    /// Models.
    models: Vec<String>,
    /// States that clients may tell.
    states: Vec<String>,
    /// People who act in the script.
    people: Vec<String>,
    /// Steps, as far as the script has come.
    steps: Vec<String>,
}

impl Names {
    /// The names of a spec, and the people of the steps.
    pub(crate) fn of(spec: &Node, steps: Option<&Node>) -> Self {
        let mut names = Self {
            people: people(steps),
            ..Self::default()
        };
        names.respec(spec);
        names
    }

    /// Takes the names of a changed spec.
    pub(crate) fn respec(&mut self, spec: &Node) {
        let keys = |under| spec.get(under).map(keys_of).unwrap_or_default();
        self.agents = texts_of(spec, "name");
        self.displays = texts_of(spec, "display");
        self.tools = servers::tools_of(spec)
            .into_iter()
            .map(|tool| tool.name)
            .collect();
        self.servers = servers::entries_of(spec)
            .map(|(key, entry)| (key.text().to_owned(), servers::names_of(key, entry)))
            .collect();
        self.models = keys("models");
        self.states = keys("states");
    }

    /// The agent that mentions call `name`.
    pub(crate) fn agent_called(&self, name: &str) -> Option<&str> {
        let folded = name.to_lowercase();
        let mut names = self.agents.iter().chain(&self.displays);
        names
            .find(|known| known.to_lowercase() == folded)
            .map(String::as_str)
    }

    /// Everybody who speaks: agents, by their display names as well, and the people who act in the
    /// script.
    pub(crate) fn cast(&self) -> impl Iterator<Item = &str> {
        [&self.agents, &self.displays, &self.people]
            .into_iter()
            .flatten()
            .map(String::as_str)
    }

    /// The remedy where `name` is a server's and a tool's is wanted.
    pub(crate) fn help_for_server(&self, name: &str) -> Option<String> {
        let tools = self.servers.get(name)?;
        Some(if tools.is_empty() {
            format!(
                "`{name}` is a server: list its tools first (`folkmoot mcp tools` prints them), then name those"
            )
        } else {
            format!("`{name}` is a server: name its tools, {}", tools.join(", "))
        })
    }

    /// Takes the name of a step.
    pub(crate) fn step(&mut self, id: &str) {
        self.steps.push(id.to_owned());
    }

    /// Tells whether `name` is that of something `named`.
    pub(crate) fn has(&self, named: Named, name: &str) -> bool {
        self.known(named).any(|known| known == name)
    }

    /// All names of what is `named`.
    pub(crate) fn known(&self, named: Named) -> impl Iterator<Item = &str> {
        const WORLD: &[&str] = &["world"];
        let (owned, word): (Vec<&Vec<String>>, _) = match named {
            Named::Agent => (vec![&self.agents], None),
            Named::Tool => (vec![&self.tools], None),
            Named::Model => (vec![&self.models], None),
            Named::Step => (vec![&self.steps], None),
            Named::State => (vec![&self.states], None),
            Named::Speaker => (
                vec![&self.agents, &self.displays, &self.people],
                Some(WORLD),
            ),
            Named::World | Named::Actor => (Vec::new(), None),
        };
        owned
            .into_iter()
            .flatten()
            .map(String::as_str)
            .chain(word.into_iter().flatten().copied())
    }
}

fn keys_of(node: &Node) -> Vec<String> {
    node.entries()
        .map(|(key, _)| key.text().to_owned())
        .collect()
}

fn texts_of(spec: &Node, key: &str) -> Vec<String> {
    let agents = spec.get("agents").into_iter().flat_map(Node::items);
    agents
        .filter_map(|agent| agent.text_of(key))
        .map(str::to_owned)
        .collect()
}

fn people<'n>(steps: Option<&'n Node>) -> Vec<String> {
    let named = |step: &'n Node| {
        ["as", "join", "leave"]
            .into_iter()
            .filter_map(|key| step.text_of(key))
    };
    let actors = steps.into_iter().flat_map(Node::items).flat_map(named);
    std::iter::once("human")
        .chain(actors.filter(|actor| !actor.contains(':')))
        .map(str::to_owned)
        .collect()
}

impl Named {
    /// Returns what it is of, in the plural.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Self::World => "worlds",
            Self::Agent => "agents",
            Self::Tool => "tools",
            Self::Model => "models",
            Self::Step => "earlier steps with an `id`",
            Self::State => "states",
            Self::Actor => "people",
            Self::Speaker => "speakers",
        }
    }

    /// The sentence that nothing is called `name`.
    pub(crate) fn unknown(self, name: &str) -> String {
        match self {
            Self::World => format!("no world is called `{name}`"),
            Self::Agent => format!("no agent is called `{name}`"),
            Self::Tool => format!("no tool is called `{name}`"),
            Self::Model => format!("no model is called `{name}`"),
            Self::Step => format!("no earlier step has the id `{name}`"),
            Self::State => format!("no state is called `{name}`"),
            Self::Actor | Self::Speaker => format!("nobody is called `{name}`"),
        }
    }
}
