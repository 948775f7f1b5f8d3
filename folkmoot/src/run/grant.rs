//! Grants: finding the one that a step is about, and naming those that stand.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{CallEvent, Event, GrantGiven, Reach, Scope};
use folkmoot_core::ids::principal::Party;
use folkmoot_core::ids::{AgentName, GrantId, Time, ToolName, TurnId, WorldName};
use folkmoot_core::spec::DenyRule;
use folkmoot_core::tool::constraint::{Constraint, Terms};
use folkmoot_core::tool::{EffectClass, ToolSpec};
use folkmoot_core::world::{Grant, World};
use serde::{Deserialize, Serialize};

use super::{Run, RunError};
use crate::script::{GrantRef, Step};
use crate::words::reach;

/// A grant that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Its name: `WORLD#POSITION`.
    pub name: String,
    /// Its position.
    pub grant: GrantId,
    /// The agent whose calls it allows.
    pub agent: AgentName,
    /// The tool.
    pub tool: ToolName,
    /// What such a call may do at most.
    pub effect: EffectClass,
    /// How far it reaches.
    pub scope: Scope,
    /// The turn that it ends with, if its scope is that.
    pub turn: Option<TurnId>,
    /// How many more calls it allows; `None`: as many as come.
    pub left: Option<u32>,
    /// Which arguments it allows.
    pub reach: Reach,
    /// Why it covers nothing any more, and what to write in its place; empty if it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outdated: Vec<String>,
    /// When it expires, in milliseconds since 1970.
    pub expires_at: Time,
    /// Who gave it.
    pub by: Party,
}

impl Standing {
    /// The calls that it allows, in words, and how often. Its constraints and its end are told apart.
    #[must_use]
    pub fn covers(&self) -> String {
        let Self {
            agent,
            tool,
            effect,
            ..
        } = self;
        let often = match self.scope {
            Scope::Turn => "as often as it likes in this turn".to_owned(),
            Scope::World => "as often as it likes".to_owned(),
            Scope::Uses(uses) => {
                format!("{} more of {uses} times", self.left.unwrap_or_default())
            }
            Scope::Once => "once".to_owned(),
        };
        let arguments = reach(&self.reach);
        format!("{agent} may run {tool} ({effect}) {often}, {arguments}")
    }
}

/// All grants that stand in `world`, oldest first.
#[must_use]
pub fn standing(world: &World) -> Vec<Standing> {
    let name = world.name().map(WorldName::to_string).unwrap_or_default();
    let one = |(id, grant): (GrantId, &Grant)| Standing {
        name: format!("{name}#{id}"),
        grant: id,
        agent: grant.given.agent.clone(),
        tool: grant.given.tool.clone(),
        effect: grant.given.effect,
        scope: grant.given.scope,
        turn: grant.given.turn,
        left: grant.left(world.time()),
        reach: grant.given.reach.clone(),
        outdated: outdated(world, &grant.given),
        expires_at: grant.given.expires_at,
        by: grant.given.by.clone(),
    };
    world.grants().map(one).collect()
}

/// A deny rule of a world's definition that cannot be read as it was written, and so denies more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutdatedRule {
    /// The tool.
    pub tool: ToolName,
    /// What is wrong with it, and what to write in its place.
    pub why: Vec<String>,
}

/// The deny rules of `world` that were recorded in a form that says nothing any more: each denies all calls of its tool that
/// its other constraints fit.
#[must_use]
pub fn outdated_rules(world: &World) -> Vec<OutdatedRule> {
    let spec = world.rules().spec();
    let rule = |rule: &DenyRule| {
        let tool = spec.tools.get(&rule.tool)?;
        let why = faults(tool, &rule.when, Terms::Deny);
        (!why.is_empty()).then(|| OutdatedRule {
            tool: rule.tool.clone(),
            why,
        })
    };
    spec.policy.deny.iter().filter_map(rule).collect()
}

fn outdated(world: &World, given: &GrantGiven) -> Vec<String> {
    let tool = world.rules().spec().tools.get(&given.tool);
    tool.map(|tool| faults(tool, given.reach.constraints(), Terms::Grant))
        .unwrap_or_default()
}

fn faults(tool: &ToolSpec, constraints: &[Constraint], terms: Terms) -> Vec<String> {
    constraints
        .iter()
        .filter_map(|one| tool.fault_of(one, terms))
        .map(|fault| fault.to_string())
        .collect()
}

impl Run<'_> {
    /// The grant that `wanted` names.
    pub(super) async fn grant(
        &mut self,
        step: &Step,
        wanted: &GrantRef,
    ) -> Result<GrantId, RunError> {
        let (found, missing) = match wanted {
            GrantRef::Step(id) => {
                let given = self.commits_of(id).await?;
                (
                    given.iter().find_map(given_in),
                    format!("the step `{id}` has given no grant"),
                )
            }
            GrantRef::Fitting { agent, tool } => {
                let all = self.read(standing).await?;
                let fits = |one: &&Standing| {
                    agent.as_ref().is_none_or(|agent| *agent == one.agent)
                        && tool.as_ref().is_none_or(|tool| *tool == one.tool)
                };
                let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
                (
                    all.iter().find(fits).map(|one| one.grant),
                    format!("no grant fits; these stand: {}", list(&names)),
                )
            }
        };
        found.ok_or_else(|| RunError::Failed(self.fault(step, missing)))
    }
}

fn given_in(commit: &Commit) -> Option<GrantId> {
    let is_given = |event: &Event| matches!(event, Event::Call(CallEvent::GrantGiven(_)));
    commit
        .numbered()
        .find(|(_, event)| is_given(event))
        .map(|(at, _)| GrantId(at))
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
