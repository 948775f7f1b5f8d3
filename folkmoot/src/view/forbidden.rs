//! The rule that forbids a call.

use folkmoot_agents::fold_world;
use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{CallEvent, CallStatus, Event};
use folkmoot_core::ids::{CallId, Position, WorldName};
use folkmoot_core::port::EventLog;
use folkmoot_core::spec::rules::Rules;
use folkmoot_core::tool::Unlisted;
use folkmoot_core::world::World;
use serde_json::Value;

use super::ViewError;

/// Says which rule forbids a call of `tool` with `arguments`; `None` if none does.
#[must_use]
pub fn by_rule(rules: &Rules, tool: &str, arguments: &str) -> Option<String> {
    let spec = rules.spec();
    let (_, tool) = spec.tools.iter().find(|(name, _)| name.as_str() == tool)?;
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let mut deny = spec.policy.deny.iter().enumerate();
    let denies =
        deny.find(|(_, rule)| rule.tool == tool.name && tool.is_denied(&rule.when, &arguments));
    if let Some((number, rule)) = denies {
        let text = serde_json::to_string(rule).unwrap_or_default();
        return Some(format!(
            "rule {} of `deny` in the room's policy forbids it: {text}",
            number + 1
        ));
    }
    let is_unlisted = tool.unlisted == Unlisted::Refuse && tool.rule_of(&arguments).is_none();
    is_unlisted.then(|| {
        format!(
            "the tool {} lists the calls that it may get, and this is none of them",
            tool.name
        )
    })
}

/// Says which rule forbade the call that ends in the event at `at`; `None` if the event is no such
/// end, or the arguments were erased.
pub(super) async fn by_which(
    log: &dyn EventLog,
    name: &WorldName,
    commit: &Commit,
    at: Position,
) -> Result<Option<String>, ViewError> {
    let event = commit.numbered().find(|(here, _)| *here == at);
    let Some((_, Event::Call(CallEvent::ToolFinished(finished)))) = event else {
        return Ok(None);
    };
    if finished.status != CallStatus::Forbidden {
        return Ok(None);
    }
    let before = Position::new(commit.header.first.get().saturating_sub(1));
    let world = fold_world(log, name, Some(before)).await?;
    let known = new_call(commit, finished.call).or_else(|| open_call(&world, finished.call));
    // The rules of a call that was admitted before are those of its turn, which a revision leaves.
    Ok(known.and_then(|(tool, arguments)| by_rule(world.rules(), &tool, &arguments)))
}

/// The tool and the arguments of a call that `commit` admits.
fn new_call(commit: &Commit, call: CallId) -> Option<(String, String)> {
    let response = commit.events.iter().find_map(Event::response)?;
    let admitted = commit.events.iter().find_map(|event| {
        let Event::Call(CallEvent::CallsAdmitted(admitted)) = event else {
            return None;
        };
        admitted.calls.iter().find(|one| one.call == call)
    })?;
    let ordinal = usize::try_from(admitted.ordinal).ok()?;
    let part = response.reply().calls().nth(ordinal)?;
    Some((part.tool.clone(), part.arguments.clone()))
}

/// The tool and the arguments of a call that is open in `world`.
fn open_call(world: &World, call: CallId) -> Option<(String, String)> {
    let agents = &world.rules().spec().agents;
    let mut memories = agents.iter().filter_map(|agent| world.memory(&agent.name));
    let open = memories.find_map(|memory| memory.open_calls.get(&call))?;
    Some((
        open.tool.as_ref()?.to_string(),
        open.arguments.present()?.clone(),
    ))
}
