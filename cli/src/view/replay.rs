//! The folded state of a world at a position, an agent's memory, and the request of a model call.

use std::collections::BTreeMap;

use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::principal::Person;
use folkmoot::core::ids::{
    AgentName, CallId, Digest, EpisodeId, Incarnation, MessageId, ModelName, PersonName, Position,
    Time, ToolName, TurnId, WorldId, WorldName,
};
use folkmoot::core::prompt::Item;
use folkmoot::core::spec::Limits;
use folkmoot::core::spec::rules::Pipeline;
use folkmoot::core::world::memory::{CallState, Memory, Message};
use folkmoot::core::world::{Activity, Doing, Episode, World};
use serde::{Deserialize, Serialize};

use folkmoot::run::{OutdatedRule, Standing, Waiting, outdated_rules, standing, waiting};

/// The folded state of a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReplayView {
    /// The world's name; `None` if it has no event.
    pub(crate) world: Option<WorldName>,
    /// The world's id; `None` if it has no event.
    pub(crate) id: Option<WorldId>,
    /// The last event that is in the state: the last one of the commit that holds the position
    /// asked for.
    pub(crate) at: Position,
    /// The time of that commit, in milliseconds since 1970.
    pub(crate) time: Time,
    /// The clock of the world.
    pub(crate) clock: ClockKind,
    /// The number of openings for writing.
    pub(crate) incarnation: Incarnation,
    /// The digest of its definition.
    pub(crate) spec: Digest,
    /// The folder that relative paths are relative to.
    pub(crate) base: Option<String>,
    /// The state of work: running, waiting for people, or idle.
    pub(crate) activity: Activity,
    /// The agents, in roster order.
    pub(crate) agents: Vec<AgentView>,
    /// The people who have spoken or decided.
    pub(crate) people: Vec<Person>,
    /// The newest messages, oldest first.
    pub(crate) transcript: Vec<MessageView>,
    /// The requests that wait for people, oldest first.
    pub(crate) pending: Vec<Waiting>,
    /// The grants that stand, oldest first.
    pub(crate) grants: Vec<Standing>,
    /// The deny rules that say nothing any more as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outdated_rules: Vec<OutdatedRule>,
    /// The budgets that were spent, by episode, as long as somebody works on it.
    pub(crate) episodes: Vec<EpisodeView>,
    /// The bounds.
    pub(crate) limits: Limits,
    /// The stages that calls and requests go through.
    pub(crate) pipeline: Pipeline,
    /// The progress of the world script; `None` if none has run.
    pub(crate) script: Option<ScriptView>,
}

/// An agent of the roster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentView {
    pub(crate) name: AgentName,
    pub(crate) display: Option<AgentName>,
    pub(crate) model: Option<ModelName>,
    pub(crate) tools: Vec<ToolName>,
    pub(crate) doing: Doing,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MessageView {
    pub(crate) at: Position,
    /// The message.
    pub(crate) message: MessageId,
    /// The episode that it belongs to.
    pub(crate) episode: EpisodeId,
    /// The name of its author.
    pub(crate) from: String,
    /// The agents that are to answer it.
    pub(crate) respond: Vec<AgentName>,
    /// `null` if it was erased.
    pub(crate) text: Option<String>,
}

/// The budgets that an episode has spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EpisodeView {
    /// The episode.
    pub(crate) episode: EpisodeId,
    /// The person whose message began it; `null` if it was nobody's.
    pub(crate) author: Option<PersonName>,
    /// Model calls by agent.
    pub(crate) model_calls: BTreeMap<AgentName, u32>,
    /// Model calls of all agents.
    pub(crate) model_calls_total: u32,
    /// Messages and turns that belong to it and are not done.
    pub(crate) open: u32,
}

/// The progress of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScriptView {
    /// The run, from 1.
    pub(crate) run: u32,
    /// The number of its steps that are recorded.
    pub(crate) done: usize,
}

/// An agent's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MemoryView {
    /// The world's name.
    pub(crate) world: Option<WorldName>,
    /// The last event that was folded.
    pub(crate) at: Position,
    /// The agent.
    pub(crate) agent: AgentName,
    /// The agent's state.
    pub(crate) doing: Doing,
    /// The open turn.
    pub(crate) turn: Option<TurnId>,
    /// Messages up to here were seen.
    pub(crate) seen: Position,
    /// Addressed messages that no turn has taken up.
    pub(crate) inbox: Vec<Position>,
    /// The conversation, in the order in which the agent saw it.
    pub(crate) items: Vec<Item<String>>,
    /// The calls that have no result.
    pub(crate) open_calls: Vec<CallView>,
    /// The note that an agent in code left to remember.
    pub(crate) note: Option<String>,
}

/// A call without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallView {
    /// The call.
    pub(crate) call: CallId,
    /// The tool; `null` if it is not known.
    pub(crate) tool: Option<ToolName>,
    /// The arguments, as JSON; `null` if they were erased.
    pub(crate) arguments: Option<String>,
    pub(crate) state: CallState,
}

impl ReplayView {
    /// The state of `world`.
    pub(crate) fn of(world: &World) -> Self {
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
    let agent = |spec: &folkmoot::core::spec::AgentSpec| AgentView {
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
    pub(crate) fn of(world: &World, agent: &AgentName, memory: &Memory) -> Self {
        let call = |(id, call): (&CallId, &folkmoot::core::world::memory::OpenCall)| CallView {
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
