//! The checks of what models cost, who stands in for whom, and which tool is to be called.

use crate::ids::ModelName;
use crate::model::ToolChoice;
use crate::spec::rules::RulesError;
use crate::spec::{AgentSpec, ModelSpec, WorldSpec};

pub(super) fn check(spec: &WorldSpec) -> Result<(), RulesError> {
    spec.models
        .iter()
        .try_for_each(|(name, model)| check_fallback(spec, name, model))?;
    for agent in &spec.agents {
        check_price(spec, agent)?;
        check_choice(spec, agent)?;
    }
    Ok(())
}

/// A model that stood in for itself, or twice, would only be asked more often than the limit of
/// attempts says.
fn check_fallback(spec: &WorldSpec, model: &ModelName, of: &ModelSpec) -> Result<(), RulesError> {
    for (place, name) in of.fallback.iter().enumerate() {
        let why = if !spec.models.contains_key(name) {
            "is not defined"
        } else if name == model {
            "is itself"
        } else if of.fallback.iter().take(place).any(|other| other == name) {
            "stands in the list already"
        } else {
            continue;
        };
        return Err(RulesError::BadFallback {
            model: model.clone(),
            name: name.clone(),
            why,
        });
    }
    Ok(())
}

fn check_price(spec: &WorldSpec, agent: &AgentSpec) -> Result<(), RulesError> {
    let limits = [
        ("cost", spec.limits.cost),
        ("cost_per_episode", spec.limits.cost_per_episode),
    ];
    let Some((limit, _)) = limits.into_iter().find(|(_, most)| most.is_some()) else {
        return Ok(());
    };
    let is_unknown = |name: &&ModelName| {
        spec.models
            .get(*name)
            .is_none_or(|model| model.price.is_none())
    };
    match spec.models_of(agent).find(is_unknown) {
        Some(model) => Err(RulesError::NoPrice {
            limit,
            agent: agent.name.clone(),
            model: model.clone(),
        }),
        None => Ok(()),
    }
}

/// A provider refuses a request whose tool choice names a tool that it does not declare.
fn check_choice(spec: &WorldSpec, agent: &AgentSpec) -> Result<(), RulesError> {
    let of_models = spec
        .models_of(agent)
        .filter_map(|name| Some((Some(name), &spec.models.get(name)?.parameters)));
    for (model, parameters) in [(None, &agent.parameters)].into_iter().chain(of_models) {
        // What the agent says itself is laid over what its models say.
        let is_overlaid = model.is_some() && agent.parameters.tool_choice.is_some();
        let Some(ToolChoice::Tool(tool)) = parameters.tool_choice.as_ref().filter(|_| !is_overlaid)
        else {
            continue;
        };
        if !agent.tools.iter().any(|name| name.as_str() == tool) {
            let place = model.map_or_else(
                || format!("agent {}", agent.name),
                |model| format!("model {model}"),
            );
            let agent = agent.name.clone();
            let tool = tool.clone();
            return Err(RulesError::ChoosesNoTool { place, agent, tool });
        }
    }
    Ok(())
}
