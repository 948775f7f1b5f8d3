//! From a checked tree to expectations.

use std::collections::BTreeMap;

use folkmoot_core::event::CloseReason;
use folkmoot_core::ids::{AgentName, ArtifactName, NameError, PersonName, ToolName};
use serde::de::DeserializeOwned;

use super::{
    ArtifactMatch, Budget, Calls, Claim, Expect, GrantMatch, MessageMatch, Order, Pending, Pieces,
    Routing, Since, SpecClaim, TextMatch, WithheldMatch,
};
use crate::script::node::{Kind, Node};
use crate::script::step::optional;

impl Expect {
    /// Reads an expectation; `None` if a part of it does not read.
    pub(crate) fn read(node: &Node) -> Option<Self> {
        let claims = node
            .entries()
            .map(|(key, value)| Some((key.mark, claim(key.text(), value)?)));
        Some(Self {
            since: None,
            claims: claims.collect::<Option<_>>()?,
        })
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
        "routing" if matches!(node.kind, Kind::List(_)) => {
            Claim::Routings(routings(node)?, Order::Listed)
        }
        "routing" => Claim::Routing(routing(node)?),
        "routing_unordered" => Claim::Routings(routings(node)?, Order::Any),
        "approval" => Claim::Approval(pending(node)?),
        "question" => Claim::Question(pending(node)?),
        "outcome" => Claim::Outcome(pending(node)?),
        "grants" => Claim::Grants(node.items().map(grant).collect::<Option<_>>()?),
        "requests" => Claim::Requests(node.text()?.parse().ok()?),
        "notices" => Claim::Notices(words(node)?),
        "tool_runs" => Claim::ToolRuns(counts(node)?),
        "model_calls" => Claim::ModelCalls(calls(node)?),
        "model_calls_max" => Claim::ModelCallsMax(calls(node)?),
        "turns" => Claim::Turns(turns(node)?),
        "budget" => Claim::Budget(budget(node)?),
        "people" => Claim::People(names(node)?.into_iter().collect()),
        "refusals" => Claim::Refusals(words(node)?),
        "spec" => Claim::Spec(spec(node)?),
        "episode_end" => Claim::EpisodeEnd(word(node)?),
        "idle" => Claim::Idle(node.text()? == "true"),
        "activity" => Claim::Activity(word(node)?),
        "exhausted" => Claim::NotExhausted,
        "replay" => Claim::ReplayIdentical,
        "artifact" => Claim::Artifact(artifact(node)?),
        "withheld" => Claim::Withheld(withheld(node)?),
        _ => return None,
    })
}

fn message(node: &Node) -> Option<MessageMatch> {
    let text = |key| node.text_of(key).map(str::to_owned);
    Some(MessageMatch {
        from: text("from"),
        to: optional(node.text_of("to"), |name| AgentName::new(name).ok())?,
        text: TextMatch {
            contains: text("contains"),
            equals: text("equals"),
            matches: text("matches"),
        },
    })
}

fn routings(node: &Node) -> Option<Vec<Routing>> {
    node.items().map(routing).collect()
}

fn routing(node: &Node) -> Option<Routing> {
    let given = |key| node.get(key);
    Some(Routing {
        from: node.text_of("from").map(str::to_owned),
        rule: each(given("rule"), word)?,
        respond: each(given("to").or_else(|| given("respond")), words_of)?,
        people: each(given("people"), |people| {
            Some(names(people)?.into_iter().collect())
        })?,
        tag: each(given("tag"), |tag| {
            if tag.text() == Some("none") {
                Some(None)
            } else {
                word(tag).map(Some)
            }
        })?,
        damped: each(given("damped"), words_of)?,
        undeliverable: each(given("undeliverable"), |count| count.text()?.parse().ok())?,
        unknown: each(given("unknown"), words)?,
        nearest: each(given("nearest"), names)?,
    })
}

/// Returns what `read` makes of a part, if that is given: `None` only if it makes nothing of it.
fn each<T>(node: Option<&Node>, read: impl FnOnce(&Node) -> Option<T>) -> Option<Option<T>> {
    node.map_or(Some(None), |node| read(node).map(Some))
}

/// Agents with words of one of core's enums.
fn words_of<T: DeserializeOwned>(node: &Node) -> Option<BTreeMap<AgentName, T>> {
    node.entries()
        .map(|(key, value)| Some((AgentName::new(key.text()).ok()?, word(value)?)))
        .collect()
}

fn calls(node: &Node) -> Option<Calls> {
    match node.text() {
        Some(count) => count.parse().ok().map(Calls::Total),
        None => counts(node).map(Calls::Each),
    }
}

fn turns(node: &Node) -> Option<BTreeMap<AgentName, Vec<CloseReason>>> {
    let ends = |ends: &Node| match ends.text() {
        Some(_) => Some(vec![word(ends)?]),
        None => ends.items().map(word).collect(),
    };
    node.entries()
        .map(|(key, value)| Some((AgentName::new(key.text()).ok()?, ends(value)?)))
        .collect()
}

fn budget(node: &Node) -> Option<Budget> {
    Some(Budget {
        agents: node
            .get("agents")
            .map_or_else(|| Some(BTreeMap::new()), counts)?,
        episode: optional(node.text_of("episode"), |count| count.parse().ok())?,
        cost: optional(node.text_of("cost"), |cost| cost.parse().ok())?,
        spent: optional(node.text_of("spent"), |spent| spent.parse().ok())?,
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

fn grant(node: &Node) -> Option<GrantMatch> {
    Some(GrantMatch {
        agent: optional(node.text_of("agent"), |name| AgentName::new(name).ok())?,
        tool: optional(node.text_of("tool"), |name| ToolName::new(name).ok())?,
        scope: optional(node.text_of("scope"), |scope| scope.parse().ok())?,
        left: optional(node.text_of("left"), |count| count.parse().ok())?,
        by: optional(node.text_of("by"), |name| PersonName::new(name).ok())?,
    })
}

/// An artifact, or `Some(None)` for the word `none`.
fn artifact(node: &Node) -> Option<Option<ArtifactMatch>> {
    if node.text().is_some() {
        return Some(None);
    }
    Some(Some(ArtifactMatch {
        kind: optional(node.text_of("kind"), |name| ArtifactName::new(name).ok())?,
        agent: optional(node.text_of("agent"), |name| AgentName::new(name).ok())?,
        tool: optional(node.text_of("tool"), |name| ToolName::new(name).ok())?,
        data: node.get("data").map(Node::json),
        contains: node.text_of("contains").map(str::to_owned),
    }))
}

/// Returns what is kept back; nothing for the word `none`.
fn withheld(node: &Node) -> Option<WithheldMatch> {
    let pieces = match (node.get("families"), node.text_of("count")) {
        (Some(families), _) => Pieces::Families(families.items().map(word).collect::<Option<_>>()?),
        (None, Some(count)) => Pieces::Count(count.parse().ok()?),
        (None, None) => Pieces::default(),
    };
    Some(WithheldMatch {
        from: optional(node.text_of("from"), |name| AgentName::new(name).ok())?,
        pieces,
    })
}

/// A list of words; the word `none` is an empty one.
fn words(node: &Node) -> Option<Vec<String>> {
    node.items()
        .map(|item| item.text().map(str::to_owned))
        .collect()
}

fn counts<N: Ord + TryFrom<String, Error = NameError>>(node: &Node) -> Option<BTreeMap<N, u32>> {
    let entries = node.entries().map(|(key, count)| {
        let name = N::try_from(key.text().to_owned()).ok()?;
        Some((name, count.text()?.parse().ok()?))
    });
    entries.collect()
}

/// A list of names.
fn names<N: TryFrom<String, Error = NameError>>(node: &Node) -> Option<Vec<N>> {
    node.items()
        .map(|item| N::try_from(item.text()?.to_owned()).ok())
        .collect()
}

fn spec(node: &Node) -> Option<SpecClaim> {
    Some(SpecClaim {
        agents: node
            .get("agents")
            .map_or(Some(None), |agents| names(agents).map(Some))?,
        tools: node
            .get("tools")
            .map_or(Some(None), |tools| names(tools).map(Some))?,
        main_agent: optional(node.text_of("main_agent"), |name| AgentName::new(name).ok())?,
    })
}

/// A word of one of core's enums.
fn word<T: DeserializeOwned>(node: &Node) -> Option<T> {
    serde_json::from_value(node.json()).ok()
}
