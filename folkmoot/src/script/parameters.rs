//! Parameters and prices as they are written.

use folkmoot_core::model::money::Price;
use folkmoot_core::model::{CachePlace, CacheTtl, OutputFormat, Parameters, Reasoning, ToolChoice};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::node::Node;
use super::scalar;

/// Returns what stands under `parameters` of `owner`, and the two that an agent may have beside its
/// name. `None` if it does not read.
pub(crate) fn parameters_of(owner: &Node) -> Option<Parameters> {
    let own = plain(owner)?;
    owner
        .get("parameters")
        .map_or(Some(Parameters::default()), read)
        .map(|under| own.or(&under))
}

/// The ones that are one value each.
fn plain(node: &Node) -> Option<Parameters> {
    Some(Parameters {
        temperature_milli: milli(node, "temperature")?,
        output_tokens_max: count(node, "output_tokens_max")?,
        ..Parameters::default()
    })
}

fn read(node: &Node) -> Option<Parameters> {
    let cache = node.get("cache").into_iter().flat_map(Node::entries);
    let place = |key: &str| word::<CachePlace>(key);
    Some(Parameters {
        top_p_milli: milli(node, "top_p")?,
        stop: node
            .get("stop")
            .into_iter()
            .flat_map(Node::items)
            .map(text)
            .collect::<Option<_>>()?,
        seed: count(node, "seed")?,
        tool_choice: optional(node.get("tool_choice"), tool_choice)?,
        parallel_calls: flag(node, "parallel_calls")?,
        strict_tools: flag(node, "strict_tools")?,
        output: optional(node.get("output"), output)?,
        reasoning: optional(node.get("reasoning"), reasoning)?,
        cache: cache
            .map(|(key, ttl)| Some((place(key.text())?, cache_ttl(ttl.text()?)?)))
            .collect::<Option<_>>()?,
        extra: extra(node)?,
        ..plain(node)?
    })
}

/// The further fields of the request. The provider's own tools are the list `tools` among them, as
/// wires have it.
fn extra(node: &Node) -> Option<Map<String, Value>> {
    let mut fields = match node.get("extra").map(Node::json) {
        None => Map::new(),
        Some(Value::Object(fields)) => fields,
        Some(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_),
        ) => return None,
    };
    let own: Vec<Value> = node
        .get("provider_tools")
        .into_iter()
        .flat_map(Node::items)
        .map(Node::json)
        .collect();
    if !own.is_empty() {
        let tools = fields
            .entry("tools")
            .or_insert_with(|| Value::Array(Vec::new()));
        tools.as_array_mut()?.extend(own);
    }
    Some(fields)
}

fn tool_choice(node: &Node) -> Option<ToolChoice> {
    match node.get("tool") {
        Some(tool) => text(tool).map(ToolChoice::Tool),
        None => word(node.text()?),
    }
}

fn output(node: &Node) -> Option<OutputFormat> {
    let Some(name) = node.get("name") else {
        return word(node.text()?);
    };
    Some(OutputFormat::Schema {
        name: text(name)?,
        schema: node.get("schema")?.json(),
        strict: flag(node, "strict")?,
    })
}

fn reasoning(node: &Node) -> Option<Reasoning> {
    match node.text() {
        Some(effort) => Some(Reasoning {
            effort: Some(word(effort)?),
            ..Reasoning::default()
        }),
        None => serde_json::from_value(node.json()).ok(),
    }
}

fn cache_ttl(text: &str) -> Option<CacheTtl> {
    match text {
        "default" => Some(CacheTtl::Default),
        "5m" => Some(CacheTtl::FiveMinutes),
        "1h" => Some(CacheTtl::OneHour),
        _ => None,
    }
}

/// A price. Its amounts are read as they are written, never as numbers of the machine.
pub(crate) fn price(node: &Node) -> Option<Price> {
    let rate = |key: &str| optional(node.get(key), |node| node.text()?.parse().ok());
    Some(Price {
        input: rate("input")??,
        output: rate("output")??,
        cached: rate("cached")?,
        cache_written: rate("cache_written")?,
    })
}

/// A value that is left out is none; one that is there must read.
fn optional<T>(node: Option<&Node>, read: impl Fn(&Node) -> Option<T>) -> Option<Option<T>> {
    node.map_or(Some(None), |node| read(node).map(Some))
}

fn milli(node: &Node, key: &str) -> Option<Option<u32>> {
    optional(node.get(key), |node| scalar::thousandths(node.text()?))
}

fn count(node: &Node, key: &str) -> Option<Option<u32>> {
    optional(node.get(key), |node| node.text()?.parse().ok())
}

fn flag(node: &Node, key: &str) -> Option<Option<bool>> {
    optional(node.get(key), |node| node.json().as_bool())
}

fn text(node: &Node) -> Option<String> {
    node.text().map(str::to_owned)
}

/// A word that stands for itself in records too.
fn word<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(Value::from(text)).ok()
}
