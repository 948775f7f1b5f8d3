//! The claims that an expectation may make: one line each.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::event::CloseReason;
use folkmoot_core::ids::{AgentName, PersonName, ToolName};
use folkmoot_core::world::Activity;

use super::description::{OneOrMany, Read};
use super::room::{BUDGET, Budget, GRANT, GrantMatch, Pending, QUESTION, REQUEST, SPEC, SpecClaim};
use super::talk::{
    ARTIFACT, ArtifactMatch, MESSAGE, MessageMatch, ROUTING, Routing, WITHHELD, WithheldMatch,
};
use crate::script::grammar::Shape::{self, Either, Entries, Flag, List, Ref, Word};
use crate::script::grammar::{
    NAMES_OF_AGENTS, NAMES_OF_TOOLS, Named, REFUSALS, Record, WHOLE, field,
};
use crate::script::node::Node;

/// One thing that must hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// A message that fits was posted.
    Message(MessageMatch),
    /// No message that fits was posted.
    NoMessage(MessageMatch),
    /// The last message went this way.
    Routing(Routing),
    /// These messages were routed, and no others.
    Routings(Vec<Routing>, Order),
    /// Such an approval waits; `None`: none at all does.
    Approval(Option<Pending>),
    /// Such a question waits; `None`: none at all does.
    Question(Option<Pending>),
    /// Such a call's outcome is unknown and waits for a person; `None`: no call's is.
    Outcome(Option<Pending>),
    /// These grants stand and no others, oldest first.
    Grants(Vec<GrantMatch>),
    /// So many requests wait.
    Requests(u32),
    /// These notices were posted, in this order, and no others. The words are the serialised names
    /// of `Notice`.
    Notices(Vec<String>),
    /// So many calls of each of these tools were started.
    ToolRuns(BTreeMap<ToolName, u32>),
    /// So many model calls were made. Further attempts of a call do not count.
    ModelCalls(Calls),
    /// At most so many model calls were made.
    ModelCallsMax(Calls),
    /// How each of these agents' turns ended, in their order.
    Turns(BTreeMap<AgentName, Vec<CloseReason>>),
    /// So many model calls are left in the last episode.
    Budget(Budget),
    /// Exactly these people are in the roster.
    People(BTreeSet<PersonName>),
    /// These commands were refused, in this order, and no others. The words are those of
    /// `Refusal::code`.
    Refusals(Vec<String>),
    /// The room has exactly these.
    Spec(SpecClaim),
    /// How the last turn of the last episode ended.
    EpisodeEnd(CloseReason),
    /// Whether no work is open and nothing waits.
    Idle(bool),
    /// The activity of the world.
    Activity(Activity),
    /// No agent ran out of scripted replies.
    NotExhausted,
    /// Folding the log anew gives the same state.
    ReplayIdentical,
    /// People were shown such an artifact; `None`: none at all.
    Artifact(Option<ArtifactMatch>),
    /// This was kept from people.
    Withheld(WithheldMatch),
}

/// The order in which messages are expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The one in which they are listed.
    Listed,
    /// Any order.
    Any,
}

/// Numbers of model calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Calls {
    /// Of all agents together, summaries of their memories included.
    Total(u32),
    /// Of each of these agents.
    Each(BTreeMap<AgentName, u32>),
}

impl Read for Calls {
    fn read(node: &Node) -> Option<Self> {
        match node.text() {
            Some(_) => u32::read(node).map(Self::Total),
            None => BTreeMap::read(node).map(Self::Each),
        }
    }
}

/// Makes the table of all claims and their reader: on each line the key, the shape that the check
/// holds against its value, the claim that is made of that value, and the words of the schema.
macro_rules! claims {
    ($($key:literal: $shape:expr => $claim:expr, $doc:literal;)+) => {
        /// The things that a step can expect.
        pub(crate) static EXPECT: Record =
            Record::new("an expectation", &[&[$(field($key, $shape, $doc),)+]]).any();

        /// Reads the claim under `key`; `None` if nothing of the kind stands there.
        pub(super) fn claim(key: &str, node: &Node) -> Option<Claim> {
            match key {
                $($key => made($claim, node),)+
                _ => None,
            }
        }
    };
}

fn made<T: Read>(claim: impl FnOnce(T) -> Claim, node: &Node) -> Option<Claim> {
    T::read(node).map(claim)
}

claims! {
    "message": Shape::Record(&MESSAGE) => Claim::Message, "A message that fits was posted.";
    "no_message": Shape::Record(&MESSAGE) => Claim::NoMessage,
        "No message that fits was posted; `{}` means no message at all.";
    "routing": Either(&[WAYS, Shape::Record(&ROUTING)]) => routed,
        "The last message went this way; or all of them, in this order.";
    "routing_unordered": WAYS => |ways| Claim::Routings(ways, Order::Any),
        "All messages went these ways, in any order.";
    "approval": Either(&[NONE, Shape::Record(&REQUEST)]) => Claim::Approval,
        "Such an approval waits, or none.";
    "question": Either(&[NONE, Shape::Record(&QUESTION)]) => Claim::Question,
        "Such a question waits, or none.";
    "outcome": Either(&[NONE, Shape::Record(&REQUEST)]) => Claim::Outcome,
        "Such a call has an unknown outcome, or none.";
    "grants": Either(&[NONE, List(&Shape::Record(&GRANT), 1)]) => Claim::Grants,
        "Exactly these grants stand, oldest first; or none.";
    "requests": WHOLE => Claim::Requests, "So many requests wait for people.";
    "notices": Either(&[NONE, List(&Word(NOTICES, &[]), 1)]) => Claim::Notices,
        "The world's notices to people, in order.";
    "tool_runs": Entries(&NAMES_OF_TOOLS, &WHOLE) => Claim::ToolRuns, "So many calls were started.";
    "model_calls": CALLS => Claim::ModelCalls,
        "So many model calls: of all agents, or of each.";
    "model_calls_max": CALLS => Claim::ModelCallsMax,
        "At most so many model calls: of all agents, or of each.";
    "turns": Entries(&NAMES_OF_AGENTS, &Either(&[Word(ENDS, &[]), List(&Word(ENDS, &[]), 0)])) => Claim::Turns,
        "How each agent's turns ended, in order.";
    "budget": Shape::Record(&BUDGET) => Claim::Budget,
        "Calls left in the last episode, and money.";
    "people": List(&Ref(Named::Speaker), 0) => Claim::People,
        "The people of the roster.";
    "refusals": Either(&[NONE, List(&Word(REFUSALS, &[]), 1)]) => Claim::Refusals,
        "The refusals, in order.";
    "spec": Shape::Record(&SPEC) => Claim::Spec, "The room has exactly these.";
    "episode_end": Word(ENDS, &[]) => Claim::EpisodeEnd, "How the last turn of the last episode ended.";
    "idle": Flag => Claim::Idle, "No work is open and nothing waits.";
    "activity": Word(ACTIVITIES, &[]) => Claim::Activity,
        "The world's activity; `parked` waits for a person.";
    "exhausted": NONE => |()| Claim::NotExhausted, "No agent ran out of scripted replies.";
    "replay": Word(&["identical"], &[]) => |()| Claim::ReplayIdentical,
        "Folding the log anew gives the same state.";
    "artifact": Either(&[NONE, Shape::Record(&ARTIFACT)]) => Claim::Artifact,
        "Such an artifact was shown, or none.";
    "withheld": Either(&[NONE, Shape::Record(&WITHHELD)]) => |kept: Option<_>| Claim::Withheld(kept.unwrap_or_default()),
        "This was kept from people, or nothing.";
}

fn routed(ways: OneOrMany<Routing>) -> Claim {
    match ways {
        OneOrMany::One(way) => Claim::Routing(way),
        OneOrMany::Many(ways) => Claim::Routings(ways, Order::Listed),
    }
}

const NONE: Shape = Word(&["none"], &[]);
const WAYS: Shape = List(&Shape::Record(&ROUTING), 1);
const CALLS: Shape = Either(&[WHOLE, Entries(&NAMES_OF_AGENTS, &WHOLE)]);
const ACTIVITIES: &[&str] = &["idle", "parked", "running"];
const ENDS: &[&str] = &[
    "answered",
    "passed",
    "failed",
    "limit",
    "stopped",
    "superseded",
    "handed_off",
];
const NOTICES: &[&str] = &[
    "undeliverable",
    "nobody_answers",
    "only_named",
    "hop_budget_spent",
    "pair_damped",
    "agent_waits",
    "inbox_full",
    "limit_reached",
    "turn_failed",
    "request_expired",
    "outcome_unknown",
];
