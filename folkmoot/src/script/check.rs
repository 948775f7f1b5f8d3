//! What the grammar cannot say: how the parts of a script fit together.

use folkmoot_core::ids::alike::{Looks, reserved};
use folkmoot_core::text::mentions::name_fault;

use super::fault::{Faults, Mark};
use super::names::Names;
use super::node::{Key, Node};
use super::step::request_position;
use super::{attach, gateway, secret, servers};

mod models;

pub(super) use models::has_live_model;

/// Checks a whole spec, included files and all. `owner` is where a fault of the spec as a whole is
/// shown.
pub(crate) fn check_spec(spec: &Node, owner: Mark, faults: &Faults) {
    let agents = || spec.get("agents").into_iter().flat_map(Node::items);
    if agents().next().is_none() {
        let help = "add `agents:` with at least one agent, e.g. `- name: planner`";
        faults.add_with_help(owner, "the world has no agents", help);
    }
    let default = spec
        .get("defaults")
        .and_then(|defaults| defaults.get("model"));
    for agent in agents().filter(|agent| default.is_none() && agent.get("model").is_none()) {
        if let Some(name) = agent.get("name") {
            let help = "give it a `model`, or all agents one with `defaults: { model: NAME }`";
            faults.add_with_help(name.mark, "this agent has no model", help);
        }
    }
    check_roster(spec, faults);
    check_keys(spec.get("tools"), faults);
    servers::check(spec, faults);
    check_keys(spec.get("models"), faults);
    models::check(spec, faults);
}

/// Checks the texts of one file or of a change: what its spec says, not how it fits with others.
pub(crate) fn check_texts(tree: &Node, faults: &Faults) {
    let text = |node: Option<&Node>| {
        if let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) {
            secret::check_text(text, node.mark, faults);
        }
    };
    text(tree.get("description"));
    for agent in tree.get("agents").into_iter().flat_map(Node::items) {
        ["name", "display", "prompt"]
            .into_iter()
            .for_each(|key| text(agent.get(key)));
    }
    for under in ["models", "tools"] {
        let entries = tree.get(under).into_iter().flat_map(Node::entries);
        entries.for_each(|(_, settings)| secret::check_settings(settings, faults));
    }
    if let Some(gateway) = tree.get("gateway") {
        secret::check_settings(gateway, faults);
        gateway::check(gateway, faults);
    }
}

/// No two agents may have names that a mention could not tell apart.
fn check_roster(spec: &Node, faults: &Faults) {
    let mut seen: Vec<(String, usize, &Node)> = Vec::new();
    for (number, agent) in spec
        .get("agents")
        .into_iter()
        .flat_map(Node::items)
        .enumerate()
    {
        for name in ["name", "display"]
            .into_iter()
            .filter_map(|key| agent.get(key))
        {
            let Some(text) = name.text() else { continue };
            if let Some(word) = reserved(text) {
                faults.add_with_help(name.mark, nobody(text, word), TAKE_ANOTHER);
            }
            let folded = text.to_lowercase();
            let looks = Looks::of(text);
            let is_like = |known: &Node| looks.is_like(&Looks::of(known.text().unwrap_or("")));
            let is_alike = |(known, owner, node): &&(String, usize, &Node)| {
                *known != folded && *owner != number && is_like(node)
            };
            if let Some((_, _, other)) = seen.iter().find(is_alike) {
                faults.add_with_help(
                    name.mark,
                    looks_like(text, other.text().unwrap_or("")),
                    TAKE_ANOTHER,
                );
            }
            if let Some((_, _, other)) = seen
                .iter()
                .find(|(known, owner, _)| *known == folded && *owner != number)
            {
                faults.add_with_help(
                    name.mark,
                    format!("two agents are called `{}`", other.text().unwrap_or("")),
                    "capitals make no difference in mentions",
                );
            }
            seen.push((folded, number, name));
        }
    }
}

const TAKE_ANOTHER: &str = "take another name";

fn nobody(name: &str, word: &str) -> String {
    format!("nobody can be called `{name}`: `{word}` is reserved")
}

fn looks_like(name: &str, other: &str) -> String {
    format!("`{name}` looks like `{other}`: people could confuse the two")
}

/// Checks the names of the people who act in a step: what a run would refuse is a fault, unless the
/// step expects that.
pub(crate) fn check_people(step: &Node, names: &Names, faults: &Faults) {
    if step.get("refused").is_some() {
        return;
    }
    for node in ["as", "join", "leave"]
        .into_iter()
        .filter_map(|key| step.get(key))
    {
        let Some(name) = node.text().filter(|name| is_a_person(name)) else {
            continue;
        };
        if let Some(why) = name_fault(name) {
            faults.add_with_help(
                node.mark,
                format!("`{name}` cannot be mentioned: {why}"),
                TAKE_ANOTHER,
            );
            continue;
        }
        if let Some(word) = reserved(name) {
            faults.add_with_help(node.mark, nobody(name, word), TAKE_ANOTHER);
            continue;
        }
        if let Some(agent) = names.agent_called(name) {
            faults.add_with_help(
                node.mark,
                format!("an agent is called `{agent}`"),
                TAKE_ANOTHER,
            );
            continue;
        }
        let looks = Looks::of(name);
        let mut others = names.cast().filter(|other| *other != name);
        if let Some(other) = others.find(|other| looks.is_like(&Looks::of(other))) {
            faults.add_with_help(node.mark, looks_like(name, other), TAKE_ANOTHER);
        }
    }
}

/// Tells whether whoever acts under that name is a person, and no agent or tool that a step names
/// as such.
fn is_a_person(name: &str) -> bool {
    !["agent:", "tool:"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// No two keys may differ by capitals alone.
fn check_keys(map: Option<&Node>, faults: &Faults) {
    let mut seen: Vec<&Key> = Vec::new();
    for (key, _) in map.into_iter().flat_map(Node::entries) {
        if let Some(other) = seen
            .iter()
            .find(|other| other.text().to_lowercase() == key.text().to_lowercase())
        {
            faults.add(
                key.mark,
                format!(
                    "`{}` and `{}` differ only in capitals",
                    other.text(),
                    key.text()
                ),
            );
        }
        seen.push(key);
    }
}

/// The clock of a room that has a live model and does not say which one it wants.
pub(crate) const OF_LIVE_MODELS: &str = "system, for a live model";

const ADVANCES: &str = "`advance` needs the simulated clock";

/// Checks a step beside its grammar.
pub(crate) fn check_step(step: &Node, clock: Option<&str>, faults: &Faults) {
    if let Some(said) = step.get("say").or_else(|| step.get("edit")) {
        check_words(said, faults);
    }
    check_house(step, faults);
    for (_, select) in step.entries() {
        if let Some(request) = select
            .get("request")
            .filter(|request| is_no_request(request))
        {
            let help = "write `WORLD#POSITION`, or the position alone";
            faults.add_with_help(request.mark, "this is not the name of a request", help);
        }
    }
    match (step.key("advance"), clock) {
        (Some(key), Some("system")) => {
            let help = "write `clock: simulated`, or leave the step out";
            faults.add_with_help(key.mark, ADVANCES, help);
        }
        (Some(key), Some(OF_LIVE_MODELS)) => {
            let help = "a room with a live model has the machine's clock, unless its script says `clock: simulated`";
            faults.add_with_help(key.mark, ADVANCES, help);
        }
        (_, _) => {}
    }
}

/// Checks what a step says.
fn check_words(said: &Node, faults: &Faults) {
    let text = said.get("text").unwrap_or(said);
    if let Some(words) = text.text() {
        secret::check_text(words, text.mark, faults);
    }
    let is_empty = text
        .scalar()
        .is_some_and(|scalar| !scalar.is_plain && scalar.text.trim().is_empty());
    if is_empty && said.get("attach").is_none() {
        faults.add_with_help(text.mark, "the text is empty", "write at least one word");
    }
    said.get("attach")
        .into_iter()
        .flat_map(Node::items)
        .for_each(|file| attach::check_name(file, faults));
}

/// People join and leave by themselves.
fn check_house(step: &Node, faults: &Faults) {
    for word in ["join", "leave"] {
        let (Some(person), Some(by)) = (step.text_of(word), step.get("as")) else {
            continue;
        };
        if by.text().is_some_and(|by| by != person && is_a_person(by)) {
            let help = format!("leave out `as`: the step acts as {person}");
            faults.add_with_help(
                by.mark,
                format!("nobody can `{word}` for somebody else"),
                help,
            );
        }
    }
}

fn is_no_request(node: &Node) -> bool {
    node.text()
        .is_some_and(|text| request_position(text).is_none())
}
