//! From a checked tree to expectations.

use std::collections::BTreeMap;

use folkmoot_core::ids::{AgentName, NameError, ToolName};
use serde::de::DeserializeOwned;

use super::{Claim, Expect, MessageMatch, Pending, Routing, Since, SpecClaim, TextMatch};
use crate::script::node::Node;
use crate::script::step::optional;

impl Expect {
    /// Reads an expectation; `None` if a part of it does not read.
    pub(crate) fn read(node: &Node) -> Option<Self> {
        let claims = node.entries().map(|(key, value)| Some((key.mark, claim(key.text(), value)?)));
        Some(Self { since: None, claims: claims.collect::<Option<_>>()? })
    }
}

/// The word for the beginning of what is looked at.
pub(crate) fn since(word: &str) -> Option<Since> {
    match word {
        "start" => Some(Since::Start),
        "last" => Some(Since::Last),
        _ => None,
    }
}

fn claim(key: &str, node: &Node) -> Option<Claim> {
    Some(match key {
        "message" => Claim::Message(message(node)?),
        "no_message" => Claim::NoMessage(message(node)?),
        "routing" => Claim::Routing(routing(node)?),
        "approval" => Claim::Approval(pending(node)?),
        "question" => Claim::Question(pending(node)?),
        "outcome" => Claim::Outcome(pending(node)?),
        "requests" => Claim::Requests(node.text()?.parse().ok()?),
        "notices" => Claim::Notices(words(node)?),
        "tool_runs" => Claim::ToolRuns(counts(node)?),
        "model_calls" => Claim::ModelCalls(counts(node)?),
        "refusals" => Claim::Refusals(words(node)?),
        "spec" => Claim::Spec(spec(node)?),
        "episode_end" => Claim::EpisodeEnd(word(node)?),
        "idle" => Claim::Idle(node.text()? == "true"),
        "exhausted" => Claim::NotExhausted,
        "replay" => Claim::ReplayIdentical,
        _ => return None,
    })
}

fn message(node: &Node) -> Option<MessageMatch> {
    let text = |key| node.text_of(key).map(str::to_owned);
    Some(MessageMatch {
        from: text("from"),
        to: optional(node.text_of("to"), |name| AgentName::new(name).ok())?,
        text: TextMatch { contains: text("contains"), equals: text("equals"), matches: text("matches") },
    })
}

fn routing(node: &Node) -> Option<Routing> {
    let respond = node.get("respond").map(|respond| {
        let entries = respond.entries().map(|(key, reason)| Some((AgentName::new(key.text()).ok()?, word(reason)?)));
        entries.collect::<Option<BTreeMap<_, _>>>()
    });
    Some(Routing {
        rule: node.get("rule").map_or(Some(None), |rule| word(rule).map(Some))?,
        respond: respond.map_or(Some(None), |respond| respond.map(Some))?,
        undeliverable: optional(node.text_of("undeliverable"), |count| count.parse().ok())?,
    })
}

/// A request, or `Some(None)` for the word `none`.
fn pending(node: &Node) -> Option<Option<Pending>> {
    if node.text().is_some() {
        return Some(None);
    }
    Some(Some(Pending {
        agent: optional(node.text_of("agent"), |name| AgentName::new(name).ok())?,
        tool: optional(node.text_of("tool"), |name| ToolName::new(name).ok())?,
        arguments: node.get("match").map(Node::json),
        contains: node.text_of("contains").map(str::to_owned),
    }))
}

/// A list of words; the word `none` is an empty one.
fn words(node: &Node) -> Option<Vec<String>> {
    node.items().map(|item| item.text().map(str::to_owned)).collect()
}

fn counts<N: Ord + TryFrom<String, Error = NameError>>(node: &Node) -> Option<BTreeMap<N, u32>> {
    let entries = node.entries().map(|(key, count)| {
        let name = N::try_from(key.text().to_owned()).ok()?;
        Some((name, count.text()?.parse().ok()?))
    });
    entries.collect()
}

fn names<N: TryFrom<String, Error = NameError>>(node: &Node) -> Option<Vec<N>> {
    node.items().map(|item| N::try_from(item.text()?.to_owned()).ok()).collect()
}

fn spec(node: &Node) -> Option<SpecClaim> {
    Some(SpecClaim {
        agents: node.get("agents").map_or(Some(None), |agents| names(agents).map(Some))?,
        tools: node.get("tools").map_or(Some(None), |tools| names(tools).map(Some))?,
        main_agent: optional(node.text_of("main_agent"), |name| AgentName::new(name).ok())?,
    })
}

/// A word of one of core's enums.
fn word<T: DeserializeOwned>(node: &Node) -> Option<T> {
    serde_json::from_value(node.json()).ok()
}
