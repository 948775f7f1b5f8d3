//! The folded state of a world at a position, an agent's memory, and the request of a model call.

use std::collections::BTreeMap;

use folkmoot_agents::fold_world_from;
use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::principal::Person;
use folkmoot_core::ids::{
    AgentName, CallId, Digest, EpisodeId, Incarnation, MessageId, ModelName, PersonName, Position,
    Time, ToolName, TurnId, WorldId, WorldName,
};
use folkmoot_core::prompt::Item;
use folkmoot_core::spec::Limits;
use folkmoot_core::spec::rules::Pipeline;
use folkmoot_core::world::memory::{CallState, Memory, Message};
use folkmoot_core::world::{Activity, Doing, Episode, World};
use folkmoot_store::Store;
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::roster::no_agent;
use crate::run::{OutdatedRule, Standing, Waiting, outdated_rules, standing, waiting};

/// The folded state of a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayView {
    /// The world's name; `None` if it has no event.
    pub world: Option<WorldName>,
    /// The world's id; `None` if it has no event.
    pub id: Option<WorldId>,
    /// The last event that is in the state: the last one of the commit that holds the position
    /// asked for.
    pub at: Position,
    /// The time of that commit, in milliseconds since 1970.
    pub time: Time,
    /// The clock of the world.
    pub clock: ClockKind,
    /// The number of openings for writing.
    pub incarnation: Incarnation,
    /// The digest of its definition.
    pub spec: Digest,
    /// The folder that relative paths are relative to.
    pub base: Option<String>,
    /// The state of work: running, waiting for people, or idle.
    pub activity: Activity,
    /// The agents, in roster order.
    pub agents: Vec<AgentView>,
    /// The people who have spoken or decided.
    pub people: Vec<Person>,
    /// The newest messages, oldest first.
    pub transcript: Vec<MessageView>,
    /// The requests that wait for people, oldest first.
    pub pending: Vec<Waiting>,
    /// The grants that stand, oldest first.
    pub grants: Vec<Standing>,
    /// The deny rules that say nothing any more as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outdated_rules: Vec<OutdatedRule>,
    /// The budgets that were spent, by episode, as long as somebody works on it.
    pub episodes: Vec<EpisodeView>,
    /// The bounds.
    pub limits: Limits,
    /// The stages that calls and requests go through.
    pub pipeline: Pipeline,
    /// The progress of the world script; `None` if none has run.
    pub script: Option<ScriptView>,
}

/// An agent of the roster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentView {
    /// The agent's name.
    pub name: AgentName,
    /// The name that people see; `None` if it is the same.
    pub display: Option<AgentName>,
    /// The agent's model, by its name in the room; `None` for an agent in code.
    pub model: Option<ModelName>,
    /// The tools that it may call.
    pub tools: Vec<ToolName>,
    /// The agent's state.
    pub doing: Doing,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageView {
    /// The position of the message.
    pub at: Position,
    /// The message.
    pub message: MessageId,
    /// The episode that it belongs to.
    pub episode: EpisodeId,
    /// The name of its author.
    pub from: String,
    /// The agents that are to answer it.
    pub respond: Vec<AgentName>,
    /// `null` if it was erased.
    pub text: Option<String>,
}

/// The budgets that an episode has spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpisodeView {
    /// The episode.
    pub episode: EpisodeId,
    /// The person whose message began it; `null` if it was nobody's.
    pub author: Option<PersonName>,
    /// Model calls by agent.
    pub model_calls: BTreeMap<AgentName, u32>,
    /// Model calls of all agents.
    pub model_calls_total: u32,
    /// Messages and turns that belong to it and are not done.
    pub open: u32,
}

/// The progress of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptView {
    /// The run, from 1.
    pub run: u32,
    /// The number of its steps that are recorded.
    pub done: usize,
}

/// An agent's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryView {
    /// The world's name.
    pub world: Option<WorldName>,
    /// The last event that was folded.
    pub at: Position,
    /// The agent.
    pub agent: AgentName,
    /// The agent's state.
    pub doing: Doing,
    /// The open turn.
    pub turn: Option<TurnId>,
    /// Messages up to here were seen.
    pub seen: Position,
    /// Addressed messages that no turn has taken up.
    pub inbox: Vec<Position>,
    /// The conversation, in the order in which the agent saw it.
    pub items: Vec<Item<String>>,
    /// The calls that have no result.
    pub open_calls: Vec<CallView>,
    /// The note that an agent in code left to remember.
    pub note: Option<String>,
}

/// A call without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallView {
    /// The call.
    pub call: CallId,
    /// The tool; `null` if it is not known.
    pub tool: Option<ToolName>,
    /// The arguments, as JSON; `null` if they were erased.
    pub arguments: Option<String>,
    /// The state of the call: what it waits for.
    pub state: CallState,
}

/// Folds a world as it stood at the end of the commit that holds `at`; at its head if that is
/// `None`.
///
/// # Errors
/// [`ViewError::Fold`].
pub async fn state(
    store: &Store,
    world: &WorldName,
    at: Option<Position>,
) -> Result<ReplayView, ViewError> {
    let world = fold_world_from(store, store, world, at).await?;
    Ok(ReplayView::of(&world))
}

/// Folds a world in the same way, and shows the memory of `agent` alone.
///
/// # Errors
/// [`ViewError::Fold`], [`ViewError::NoSuchAgent`].
pub async fn memory(
    store: &Store,
    world: &WorldName,
    at: Option<Position>,
    agent: &AgentName,
) -> Result<MemoryView, ViewError> {
    let world = fold_world_from(store, store, world, at).await?;
    let memory = world.memory(agent).ok_or_else(|| no_agent(&world, agent))?;
    Ok(MemoryView::of(&world, agent, memory))
}

impl ReplayView {
    /// The state of `world`.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let script = world.script();
        Self {
            world: world.name().cloned(),
            id: world.id(),
            at: world.head(),
            time: world.time(),
            clock: world.clock(),
            incarnation: world.incarnation(),
            spec: world.spec_digest(),
            base: world.base().map(str::to_owned),
            activity: world.activity(),
            agents: agents(world),
            people: world.people().roster().values().cloned().collect(),
            transcript: world
                .transcript()
                .iter()
                .map(|message| MessageView::of(message))
                .collect(),
            pending: waiting(world),
            grants: standing(world),
            outdated_rules: outdated_rules(world),
            episodes: world
                .episodes()
                .iter()
                .map(|(id, episode)| EpisodeView::of(*id, episode))
                .collect(),
            limits: world.rules().spec().limits.clone(),
            pipeline: world.rules().pipeline(),
            script: (script.run > 0).then_some(ScriptView {
                run: script.run,
                done: script.done.len(),
            }),
        }
    }
}

fn agents(world: &World) -> Vec<AgentView> {
    let agent = |spec: &folkmoot_core::spec::AgentSpec| AgentView {
        name: spec.name.clone(),
        display: spec.display.clone(),
        model: spec.model.clone(),
        tools: spec.tools.clone(),
        doing: world.doing(&spec.name),
    };
    world.rules().spec().agents.iter().map(agent).collect()
}

impl MessageView {
    fn of(message: &Message) -> Self {
        Self {
            at: message.at,
            message: message.id,
            episode: message.episode,
            from: message.from.clone(),
            respond: message.respond.clone(),
            text: message.text.present().cloned(),
        }
    }
}

impl EpisodeView {
    fn of(id: EpisodeId, episode: &Episode) -> Self {
        Self {
            episode: id,
            author: episode.author.clone(),
            model_calls: episode.calls.clone(),
            model_calls_total: episode.calls_total,
            open: episode.open,
        }
    }
}

impl MemoryView {
    /// The memory of `agent`.
    #[must_use]
    pub fn of(world: &World, agent: &AgentName, memory: &Memory) -> Self {
        let call = |(id, call): (&CallId, &folkmoot_core::world::memory::OpenCall)| CallView {
            call: *id,
            tool: call.tool.clone(),
            arguments: call.arguments.present().cloned(),
            state: call.state.clone(),
        };
        Self {
            world: world.name().cloned(),
            at: world.head(),
            agent: agent.clone(),
            doing: world.doing(agent),
            turn: memory.turn.as_ref().map(|turn| turn.id),
            seen: memory.seen,
            inbox: memory.inbox.iter().map(|message| message.at).collect(),
            items: world.items(agent).map(|item| item.to_plain()).collect(),
            open_calls: memory.open_calls.iter().map(call).collect(),
            note: memory
                .note
                .as_ref()
                .and_then(|note| note.present().cloned()),
        }
    }
}
