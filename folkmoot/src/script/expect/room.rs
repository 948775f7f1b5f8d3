//! Expected requests and grants, and the state of the room.

use std::collections::BTreeMap;

use folkmoot_core::event::Scope;
use folkmoot_core::ids::{AgentName, PersonName, ToolName};
use folkmoot_core::model::money::Money;
use serde_json::Value;

use super::description::{Read, described, part};
use crate::script::grammar::Shape::{self, Entries, List, Ref, Text};
use crate::script::grammar::parameters::MONEY;
use crate::script::grammar::{NAMES_OF_AGENTS, NAMES_OF_TOOLS, Named, Record, WHOLE, field};
use crate::script::node::Node;
use crate::script::step::fits;

described! {
    /// A request that waits for a person. Every given key must fit.
    Pending, QUESTION: "an expected question";
    /// The agent whose call it is.
    "agent" => agent: AgentName, NAMES_OF_AGENTS;
    /// The tool that is called.
    "tool" => tool: ToolName, NAMES_OF_TOOLS;
    /// Arguments that the call has.
    "match" => arguments: Value, Shape::JsonMap;
    /// The question contains this.
    "contains" => contains: String, Text;
}

/// A request that is no question has no text.
pub(in crate::script) static REQUEST: Record =
    QUESTION.without("an expected request", &["contains"]);

impl Pending {
    /// Tells whether a call with the arguments `given` fits: each wanted one is there and equal;
    /// others may be there too.
    #[must_use]
    pub fn fits_arguments(&self, given: &Value) -> bool {
        self.arguments
            .as_ref()
            .is_none_or(|wanted| fits(wanted, given))
    }
}

described! {
    /// A grant that stands. Every given key must fit.
    GrantMatch, GRANT: "an expected grant", any();
    /// The agent.
    "agent" => agent: AgentName, NAMES_OF_AGENTS;
    /// The tool.
    "tool" => tool: ToolName, NAMES_OF_TOOLS;
    /// The scope of the grant.
    "scope" => scope: Scope, Shape::Scope;
    /// The number of calls that it still allows.
    "left" => left: u32, WHOLE;
    /// The person who gave it.
    "by" => by: PersonName, Ref(Named::Speaker);
}

described! {
    /// Model calls that are left in an episode, and the money of the room.
    Budget, BUDGET: "an expected budget", any();
    /// Calls left to each agent.
    "agents" => agents: BTreeMap<AgentName, u32>, Entries(&NAMES_OF_AGENTS, &WHOLE);
    /// Calls left to all together.
    "episode" => episode: u32, WHOLE;
    /// Money left of `limits.cost`.
    "cost" => cost: Money, MONEY;
    /// The models' cost in this run, as far as counted.
    "spent" => spent: Money, MONEY;
}

described! {
    /// The parts that the room has.
    SpecClaim, SPEC: "an expected spec", any();
    /// The agents, in roster order.
    "agents" => agents: Vec<AgentName>, List(&NAMES_OF_AGENTS, 0);
    /// The tools, in any order.
    "tools" => tools: Vec<ToolName>, List(&NAMES_OF_TOOLS, 0);
    /// The main agent.
    "main_agent" => main_agent: AgentName, NAMES_OF_AGENTS;
}
