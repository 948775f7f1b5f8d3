//! Expected messages, the ways that they went, and the things that were shown or withheld.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::event::{DampReason, RoutingReason, RoutingRule};
use folkmoot_core::ids::{AgentName, ArtifactName, PersonName, ToolName};
use folkmoot_core::text::firewall::ArtifactFamily;
use folkmoot_core::text::reply::RoutingTag;
use regex::Regex;
use serde_json::Value;

use super::description::{Read, described, part};
use crate::script::grammar::Shape::{Entries, Json, List, Pattern, Ref, Text, Word};
use crate::script::grammar::{NAMES_OF_AGENTS, NAMES_OF_TOOLS, Named, Record, Shape, WHOLE, field};
use crate::script::node::Node;
use crate::script::step::fits;

described! {
    /// The messages that are meant. Every given key must fit.
    MessageMatch, MESSAGE: "an expected message";
    /// The person or agent who said it.
    "from" => from: String, Ref(Named::Speaker);
    /// An agent that the message was for.
    "to" => to: AgentName, NAMES_OF_AGENTS;
    /// The message contains this.
    "contains" => contains: String, Text;
    /// The message is exactly this.
    "equals" => equals: String, Text;
    /// The message fits this regular expression.
    "matches" => matches: String, Pattern;
}

impl MessageMatch {
    /// Tells whether `text` is as the message is to be.
    #[must_use]
    pub fn fits_text(&self, text: &str) -> bool {
        let is_match =
            |pattern: &String| Regex::new(pattern).is_ok_and(|regex| regex.is_match(text));
        self.contains
            .as_ref()
            .is_none_or(|part| text.contains(part.as_str()))
            && self.equals.as_ref().is_none_or(|whole| text == whole)
            && self.matches.as_ref().is_none_or(is_match)
    }
}

described! {
    /// The way of a message. Every given key must fit.
    Routing, ROUTING: "an expected routing", any(), clash(&[&["to", "respond"]]);
    /// The person or agent who said it.
    "from" => from: String, Ref(Named::Speaker);
    /// The rule that decided.
    "rule" => rule: RoutingRule, Word(RULES, &[]);
    /// Exactly these agents answer, each with the reason.
    "to" or "respond" => respond: BTreeMap<AgentName, RoutingReason>, ANSWERS;
    /// Exactly these people are addressed.
    "people" => people: BTreeSet<PersonName>, List(&Ref(Named::Speaker), 0);
    /// The agent's routing tag, if any.
    "tag" => tag: Option<RoutingTag>, Word(TAGS, &[]);
    /// Exactly these are addressed and do not answer, and why.
    "damped" => damped: BTreeMap<AgentName, DampReason>, Entries(&NAMES_OF_AGENTS, &Word(DAMPS, &[]));
    /// So many names could not be reached.
    "undeliverable" => undeliverable: u32, WHOLE;
    /// Exactly these names are nobody's.
    "unknown" => unknown: Vec<String>, List(&Text, 0);
    /// The agents that the notice suggests, best first.
    "nearest" => nearest: Vec<AgentName>, List(&NAMES_OF_AGENTS, 0);
}

const ANSWERS: Shape = Entries(&NAMES_OF_AGENTS, &Word(REASONS, &[]));
const RULES: &[&str] = &[
    "addressed",
    "named",
    "tag",
    "reply",
    "asked",
    "handed_off",
    "main_agent",
    "everyone",
    "too_many",
    "unaddressed",
    "undeliverable",
    "beside_calls",
    "joined",
];
const REASONS: &[&str] = &[
    "mentioned",
    "named",
    "tag",
    "reply",
    "asked",
    "handed_off",
    "main_agent",
    "everyone",
    "joined",
];
const TAGS: &[&str] = &["none", "stop", "done", "pass", "to"];
const DAMPS: &[&str] = &["hop_budget", "pair", "beside_calls"];

described! {
    /// The artifacts that are meant. Every given key must fit.
    ArtifactMatch, ARTIFACT: "an expected artifact", any();
    /// The kind of the artifact.
    "kind" => kind: ArtifactName, Text;
    /// The agent whose call gave it.
    "agent" => agent: AgentName, NAMES_OF_AGENTS;
    /// The tool that gave it.
    "tool" => tool: ToolName, NAMES_OF_TOOLS;
    /// The data contains this.
    "data" => data: Value, Json;
    /// The text for people has this in it.
    "contains" => contains: String, Text;
}

impl ArtifactMatch {
    /// Tells whether the data `given` fits: each wanted value is there and equal; others may be
    /// there too.
    #[must_use]
    pub fn fits_data(&self, given: &Value) -> bool {
        self.data.as_ref().is_none_or(|wanted| fits(wanted, given))
    }
}

described! {
    /// The pieces of what agents said that were kept from people. With neither a count nor families
    /// there are none.
    WithheldMatch, WITHHELD: "expected as withheld", any_of(&["count", "families"]), clash(&[&["count", "families"]]);
    /// Who said it; by default any agent.
    "from" => from: AgentName, NAMES_OF_AGENTS;
    /// The number of pieces.
    "count" => count: u32, WHOLE;
    /// Their kinds, in this order.
    "families" => families: Vec<ArtifactFamily>, List(&Word(FAMILIES, &[]), 1);
}

const FAMILIES: &[&str] = &[
    "react_json",
    "react_text",
    "openai_call",
    "anthropic_call",
    "llama_call",
    "gemini_call",
    "call_tag",
    "tool_result",
    "approval",
    "domain_artifact",
];
