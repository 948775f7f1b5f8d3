//! How agents, models, prices and limits fit together.

use folkmoot_providers::Preset;
use folkmoot_providers::codec::Wire;

use crate::script::fault::Faults;
use crate::script::node::Node;
use crate::script::scalar;
use crate::script::spec::{is_live, price_of};

/// Checks a whole spec.
pub(super) fn check(spec: &Node, faults: &Faults) {
    for (key, model) in spec.get("models").into_iter().flat_map(Node::entries) {
        check_fallback(key.text(), model, faults);
        check_total(model, faults);
    }
    for agent in spec.get("agents").into_iter().flat_map(Node::items) {
        check_choice(spec, agent, faults);
        check_tool_names(spec, agent, faults);
    }
    check_prices(spec, faults);
}

/// A model that stood in for itself, or twice, would only be asked more often than `attempts` says.
fn check_fallback(name: &str, model: &Node, faults: &Faults) {
    let mut seen = vec![name];
    for other in model.get("fallback").into_iter().flat_map(Node::items) {
        let Some(text) = other.text() else { continue };
        if text == name {
            let message = format!("`{name}` cannot be its own fallback");
            faults.add_with_help(other.mark, message, "name another model");
        } else if seen.contains(&text) {
            let message = format!("`{text}` stands in this list already");
            faults.add_with_help(other.mark, message, "keep one of them");
        }
        seen.push(text);
    }
}

/// The time limit of an attempt is one, under two names.
fn check_total(model: &Node, faults: &Faults) {
    let total = model
        .get("timeouts")
        .and_then(|timeouts| timeouts.get("total"));
    let Some((total, other)) = total.zip(model.text_of("timeout")) else {
        return;
    };
    let ms = |text: &str| scalar::duration_ms(text);
    if total.text().and_then(ms) != ms(other) {
        let message =
            format!("`timeouts.total` and `timeout` are the same limit, and `timeout` is {other}");
        faults.add_with_help(total.mark, message, "leave one of them out");
    }
}

/// True if any agent may ask a model that is neither scripted nor recorded.
pub(in crate::script) fn has_live_model(spec: &Node) -> bool {
    let agents = spec.get("agents").into_iter().flat_map(Node::items);
    let mut models = agents.flat_map(|agent| models_of(spec, agent));
    models.any(|(_, model)| model.text_of("provider").is_some_and(is_live))
}

/// The models that `agent` may ask: its own, then those that stand in for it.
fn models_of<'n>(spec: &'n Node, agent: &'n Node) -> Vec<(&'n str, &'n Node)> {
    let default = || {
        spec.get("defaults")
            .and_then(|defaults| defaults.text_of("model"))
    };
    let find = |name: &'n str| Some((name, spec.get("models")?.get(name)?));
    let Some(own) = agent.text_of("model").or_else(default).and_then(find) else {
        return Vec::new();
    };
    let others = own.1.get("fallback").into_iter().flat_map(Node::items);
    std::iter::once(own)
        .chain(others.filter_map(|name| find(name.text()?)))
        .collect()
}

/// A provider refuses a request whose tool choice names a tool that it does not declare.
fn check_choice(spec: &Node, agent: &Node, faults: &Faults) {
    let chosen = |owner: &'_ Node| {
        owner
            .get("parameters")
            .and_then(|own| own.get("tool_choice"))
            .cloned()
    };
    let has = |tool: &str| {
        let tools = agent.get("tools").into_iter().flat_map(Node::items);
        tools.filter_map(Node::text).any(|name| name == tool)
    };
    let name = agent.text_of("name").unwrap_or("");
    let of_models = models_of(spec, agent)
        .into_iter()
        .filter_map(|(_, model)| chosen(model));
    let choices: Vec<Node> = match chosen(agent) {
        Some(own) => vec![own],
        None => of_models.collect(),
    };
    for tool in choices.iter().filter_map(|choice| choice.get("tool")) {
        if let Some(text) = tool.text().filter(|text| !has(text)) {
            let message = format!("{name} must call `{text}`, and does not have that tool");
            faults.add_with_help(
                tool.mark,
                message,
                format!("give {name} the tool, or leave the choice out"),
            );
        }
    }
}

/// A provider refuses a request that declares a tool with a name that its wire does not take.
fn check_tool_names(spec: &Node, agent: &Node, faults: &Faults) {
    let models = models_of(spec, agent);
    for tool in agent.get("tools").into_iter().flat_map(Node::items) {
        let Some(name) = tool.text() else { continue };
        let refused = models
            .iter()
            .find_map(|(model, settings)| Some((model, wire_of(settings)?.refuses_tool(name)?)));
        if let Some((model, why)) = refused {
            faults.add_with_help(
                tool.mark,
                format!("the model `{model}` cannot call `{name}`: {why}"),
                "give the tool another name",
            );
        }
    }
}

/// The wire that a model speaks; `None` if it is scripted.
fn wire_of(model: &Node) -> Option<Wire> {
    let recorded = || {
        Wire::ALL
            .into_iter()
            .find(|wire| Some(wire.name()) == model.text_of("wire"))
    };
    Preset::named(model.text_of("provider")?)
        .map(|preset| preset.wire)
        .or_else(recorded)
}

/// Nobody could say whether another call of a model without a price stays within a limit of cost.
fn check_prices(spec: &Node, faults: &Faults) {
    let limits = spec.get("limits");
    let limit = ["cost", "cost_per_episode"]
        .into_iter()
        .find_map(|key| limits?.key(key));
    let Some(limit) = limit else { return };
    let agents = spec.get("agents").into_iter().flat_map(Node::items);
    let mut unknown: Vec<&str> = agents
        .flat_map(|agent| models_of(spec, agent))
        .filter(|(_, model)| price_of(spec, model).is_none())
        .map(|(name, _)| name)
        .collect();
    unknown.sort_unstable();
    unknown.dedup();
    for name in unknown {
        let message = format!(
            "`{}` needs to know what the model `{name}` costs",
            limit.text()
        );
        let help = "give the model a `price`, or `prices` an entry for its `model`: { input: \"0.25\", output: \"2.00\" }";
        faults.add_with_help(limit.mark, message, help);
    }
}
