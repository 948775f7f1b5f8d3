//! The checks of a definition before a room is opened with it.

use std::collections::BTreeMap;

use super::RulesError;
use crate::ids::AgentName;
use crate::ids::alike::{Looks, reserved};
use crate::spec::limits::DEFINITION_BYTES_MAX;
use crate::spec::{AgentSpec, DenyRule, Limits, WorldSpec};
use crate::text::mentions::{Names, name_fault};
use crate::tool::constraint::{Terms, is_pointer};
use crate::tool::{EffectClass, ToolKind, ToolSpec, Unlisted};

mod money;

/// The reason that no agent is called like what is nobody.
const RESERVED: &str = "the name is reserved; so are runtime, world, system, agent:… and tool:…";

/// Checks all of `spec` but its schemas.
pub(super) fn check(spec: &WorldSpec) -> Result<(), RulesError> {
    check_size(spec)?;
    check_limits(spec)?;
    check_names(spec)?;
    money::check(spec)?;
    spec.policy
        .deny
        .iter()
        .try_for_each(|rule| check_deny(spec, rule))?;
    for tool in spec.tools.values() {
        check_kind(spec, tool)?;
        check_memo(tool)?;
        check_paths(tool)?;
        check_limits_of(tool)?;
    }
    Ok(())
}

/// Checks that the facts of a definition find room in an event.
fn check_size(spec: &WorldSpec) -> Result<(), RulesError> {
    let bytes = serde_json::to_vec(spec).map_or(usize::MAX, |json| json.len());
    let max = DEFINITION_BYTES_MAX;
    if bytes <= max {
        Ok(())
    } else {
        Err(RulesError::TooLarge { bytes, max })
    }
}

fn check_names(spec: &WorldSpec) -> Result<(), RulesError> {
    let mut places = Names::default();
    let mut seen: [BTreeMap<String, (usize, &AgentName)>; 2] = Default::default();
    for (place, agent) in spec.agents.iter().enumerate() {
        for name in [Some(&agent.name), agent.display.as_ref()]
            .into_iter()
            .flatten()
        {
            if let Some(why) =
                name_fault(name.as_str()).or_else(|| reserved(name.as_str()).map(|_| RESERVED))
            {
                return Err(RulesError::BadName {
                    name: name.clone(),
                    why,
                });
            }
            if !places.insert(name.as_str(), place) && places.find(name.as_str()) != Some(&place) {
                return Err(RulesError::SameName(agent.name.clone()));
            }
            for (seen, look) in seen.iter_mut().zip(Looks::of(name.as_str()).each()) {
                match seen.get(look) {
                    Some((owner, other)) if *owner != place => {
                        return Err(RulesError::LooksLike {
                            name: name.clone(),
                            other: (*other).clone(),
                        });
                    }
                    Some(_) => {}
                    None => {
                        seen.insert(look.clone(), (place, name));
                    }
                }
            }
        }
        check_parts(spec, agent)?;
    }
    match &spec.policy.main_agent {
        Some(main) if spec.agent(main).is_none() => Err(RulesError::NoAgent {
            place: "main_agent".to_owned(),
            name: main.clone(),
        }),
        Some(_) | None => Ok(()),
    }
}

/// Without news no turn opens, without a transcript no message is routed, without attempts nothing
/// is tried.
fn check_limits(spec: &WorldSpec) -> Result<(), RulesError> {
    let Limits {
        news_max,
        transcript_max,
        attempts,
        ..
    } = spec.limits;
    let limits = [
        ("news_max", news_max),
        ("transcript_max", transcript_max),
        ("attempts", attempts),
    ];
    match limits.into_iter().find(|(_, value)| *value == 0) {
        Some((limit, _)) => Err(RulesError::ZeroLimit { limit }),
        None => Ok(()),
    }
}

fn check_parts(spec: &WorldSpec, agent: &AgentSpec) -> Result<(), RulesError> {
    let missing = |what, name: &str| RulesError::NoPart {
        agent: agent.name.clone(),
        what,
        name: name.to_owned(),
    };
    if let Some(tool) = agent
        .tools
        .iter()
        .find(|tool| !spec.tools.contains_key(*tool))
    {
        return Err(missing("tool", tool.as_str()));
    }
    let joined = agent.join.iter().flat_map(|join| &join.all_of);
    if let Some(name) = joined.into_iter().find(|name| spec.agent(name).is_none()) {
        return Err(RulesError::NoAgent {
            place: format!("the join of {}", agent.name),
            name: name.clone(),
        });
    }
    if agent
        .join
        .iter()
        .any(|join| join.all_of.contains(&agent.name))
    {
        return Err(RulesError::JoinsItself(agent.name.clone()));
    }
    match &agent.model {
        Some(model) if !spec.models.contains_key(model) => Err(missing("model", model.as_str())),
        Some(_) | None => Ok(()),
    }
}

/// A rule that fits nothing by mistake would allow what it was to deny.
fn check_deny(spec: &WorldSpec, rule: &DenyRule) -> Result<(), RulesError> {
    let Some(tool) = spec.tools.get(&rule.tool) else {
        return Err(RulesError::DeniesNoTool(rule.tool.clone()));
    };
    let is_bad = |path: &&String| !path.is_empty() && !path.starts_with('/');
    if let Some(path) = rule
        .when
        .iter()
        .map(|constraint| &constraint.path)
        .find(is_bad)
    {
        return Err(RulesError::BadPointer {
            tool: rule.tool.clone(),
            path: path.clone(),
        });
    }
    let bad = |why| RulesError::BadConstraint {
        place: "a deny rule",
        tool: tool.name.clone(),
        why,
    };
    rule.when
        .iter()
        .find_map(|constraint| tool.fault_of(constraint, Terms::Deny))
        .map_or(Ok(()), |why| Err(bad(why)))
}

/// The tool's own list is made of the same constraints. Those of a list mean: and anything may
/// follow.
fn check_paths(tool: &ToolSpec) -> Result<(), RulesError> {
    if let Some(path) = tool.paths.at.iter().find(|path| !is_pointer(path)) {
        return Err(RulesError::BadPointer {
            tool: tool.name.clone(),
            path: path.clone(),
        });
    }
    let bad = |why| RulesError::BadConstraint {
        place: "the list of calls",
        tool: tool.name.clone(),
        why,
    };
    let mut listed = tool.rules.iter().flat_map(|rule| &rule.when);
    listed
        .find_map(|constraint| tool.fault_of(constraint, Terms::Deny))
        .map_or(Ok(()), |why| Err(bad(why)))
}

/// Results stand for other calls only where nothing depends on who asks, or when.
fn check_memo(tool: &ToolSpec) -> Result<(), RulesError> {
    let why = match tool {
        ToolSpec {
            memoises: false, ..
        } => return Ok(()),
        ToolSpec {
            effect: EffectClass::Write | EffectClass::Destructive,
            ..
        } => "its effect is not read",
        ToolSpec {
            rules, unlisted, ..
        } if !rules.is_empty() || *unlisted != Unlisted::ByEffect => {
            "its effect depends on its arguments"
        }
        ToolSpec { kind, .. } if !kind.is_run() => "another agent answers it",
        ToolSpec { .. } => return Ok(()),
    };
    Err(RulesError::CannotMemoise {
        tool: tool.name.clone(),
        why,
    })
}

fn check_limits_of(tool: &ToolSpec) -> Result<(), RulesError> {
    let limits = [
        ("concurrency", tool.concurrency_max),
        ("calls_per_episode", tool.calls_per_episode_max),
    ];
    match limits.into_iter().find(|(_, max)| *max == Some(0)) {
        Some((limit, _)) => Err(RulesError::ZeroLimitOfTool {
            tool: tool.name.clone(),
            limit,
        }),
        None => Ok(()),
    }
}

fn check_kind(spec: &WorldSpec, tool: &ToolSpec) -> Result<(), RulesError> {
    let (ToolKind::Ask { agents } | ToolKind::Handoff { agents }) = &tool.kind else {
        return Ok(());
    };
    if tool.effect != EffectClass::Read {
        return Err(RulesError::EffectOfAgent {
            tool: tool.name.clone(),
        });
    }
    match agents.iter().find(|agent| spec.agent(agent).is_none()) {
        Some(name) => Err(RulesError::NoAgent {
            place: format!("tool {}", tool.name),
            name: name.clone(),
        }),
        None => Ok(()),
    }
}
