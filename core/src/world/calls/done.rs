//! The doings of calls, kept for the case that another turn takes the place of the one that they
//! ran in.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::ToolStarted;
use crate::ids::{AgentName, CallId, Position, TurnId};
use crate::prompt::border::{self, DoneCall, ModelView, checkpoint};
use crate::tool::EffectClass;
use crate::world::World;
use crate::world::memory::{Memory, Message, Ran, Remembered, note_ran};

/// The most calls that are known with their arguments and results; the oldest goes first.
const DONE_MAX: usize = 256;
/// The most bytes of arguments that are kept for being told again.
const ARGUMENTS_BYTES_MAX: usize = 1024;
/// The most bytes of a result that are kept for being told again.
const RESULT_BYTES_MAX: usize = 4 * 1024;

/// Calls that did more than read, in the order in which they were admitted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::world) struct Doings(VecDeque<RunningCall>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunningCall {
    call: CallId,
    /// The place among all calls, see [`Ran::order`].
    order: (Position, u32),
    /// The arguments, cut.
    arguments: Content<String>,
    /// The result as its agent was told it, cut; `None` while nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gave: Option<Gave>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Gave(#[serde(deserialize_with = "checkpoint::view")] ModelView);

impl Doings {
    pub(in crate::world) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find(&self, call: CallId) -> Option<&RunningCall> {
        self.0.iter().rev().find(|doing| doing.call == call)
    }

    fn find_mut(&mut self, call: CallId) -> Option<&mut RunningCall> {
        self.0.iter_mut().rev().find(|doing| doing.call == call)
    }

    fn begin(&mut self, ran: &Ran, arguments: &Content<String>) {
        let Ran { call, order, .. } = *ran;
        if self.find(call).is_some() {
            return;
        }
        let arguments = match arguments {
            Content::Present(text) => Content::Present(cut(text, ARGUMENTS_BYTES_MAX)),
            Content::Erased { by } => Content::Erased { by: *by },
        };
        let place = self.0.partition_point(|other| other.order < order);
        self.0.insert(
            place,
            RunningCall {
                call,
                order,
                arguments,
                gave: None,
            },
        );
        if self.0.len() > DONE_MAX {
            self.0.pop_front();
        }
    }
}

/// The beginning of `text`, and a sign that there is more.
fn cut(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let (kept, _) = text.split_at(text.floor_char_boundary(bytes_max));
    format!("{kept}…")
}

/// A call started: the messages that its turn answers know of it from here on.
pub(in crate::world) fn note_start(world: &mut World, event: &ToolStarted) {
    let Some(memory) = world.agents.memory(&event.agent) else {
        return;
    };
    let Some((turn, open)) = memory.turn.as_ref().zip(memory.open_calls.get(&event.call)) else {
        return;
    };
    let Some(tool) = open.tool.clone() else {
        return;
    };
    let slot = turn
        .slots
        .iter()
        .position(|slot| slot.call == event.call)
        .unwrap_or_default();
    let order = (open.admitted, u32::try_from(slot).unwrap_or(u32::MAX));
    let ran = Ran {
        call: event.call,
        agent: event.agent.clone(),
        tool,
        order,
        is_replaced: false,
    };
    if event.effect != EffectClass::Read {
        world.doings.begin(&ran, &open.arguments);
    }
    for at in Arc::clone(&turn.because).iter() {
        note_ran_for(world, *at, [ran.clone()]);
    }
}

/// A call ended with what its agent is told.
pub(in crate::world) fn note_end(world: &mut World, call: CallId, view: &ModelView) {
    if let Some(doing) = world.doings.find_mut(call) {
        doing.gave = Some(Gave(view.cut(RESULT_BYTES_MAX)));
    }
}

/// A call runs again as another one: that one stands for it.
pub(in crate::world) fn forget_doing(world: &mut World, call: CallId) {
    world.doings.0.retain(|doing| doing.call != call);
}

fn note_ran_for(world: &mut World, at: Position, more: impl IntoIterator<Item = Ran>) {
    if let Some(message) = world.transcript.message_at_mut(at) {
        note_ran(&mut Arc::make_mut(message).ran, more);
    }
}

/// Another turn is to answer the messages at `news`, after one in which these calls ran.
pub(in crate::world) fn note_replaced(world: &mut World, news: &[Position], ran: &[Ran]) {
    for at in news {
        note_ran_for(world, *at, ran.iter().cloned());
    }
}

/// The calls that ran for the message at `at`, or for what was said because of it.
pub(in crate::world) fn ran_behind(world: &World, at: Position) -> Vec<Ran> {
    ran_after(world, at, |message| message.at == at)
}

/// The calls that ran in a turn of `agent` that answers the messages at `because`, and behind what
/// was said in it.
pub(in crate::world) fn ran_in(
    world: &World,
    agent: &AgentName,
    because: &[Position],
    turn: Option<TurnId>,
) -> Vec<Ran> {
    let messages = because
        .iter()
        .filter_map(|at| world.transcript.message_at(*at));
    let own = messages
        .flat_map(|message| &message.ran)
        .filter(|ran| ran.agent == *agent || ran.is_replaced);
    let mut all = Vec::new();
    note_ran(&mut all, own.cloned().map(Ran::replaced));
    if let Some(turn) = turn {
        note_ran(
            &mut all,
            ran_after(world, turn.0, |message| message.turn == Some(turn)),
        );
    }
    all
}

/// The calls that ran for those messages from `from` on that `begins` picks, or for what was said
/// because of them.
fn ran_after(world: &World, from: Position, begins: impl Fn(&Message) -> bool) -> Vec<Ran> {
    let mut led_to = Vec::new();
    let mut all = Vec::new();
    for message in world.transcript.since(from) {
        let stems = message
            .because
            .iter()
            .any(|at| led_to.binary_search(at).is_ok());
        if stems || begins(message) {
            led_to.push(message.at);
            note_ran(&mut all, message.ran.iter().cloned().map(Ran::replaced));
        }
    }
    all
}

/// The calls that ran in the turns whose place a turn of `agent` takes: the open one, else one with
/// its `count` oldest news.
pub(in crate::world) fn redone_by<'w>(
    world: &'w World,
    agent: &AgentName,
    count: usize,
) -> impl Iterator<Item = &'w Ran> {
    let memory = world.agents.memory(agent);
    let turn = memory.and_then(|memory| memory.turn.as_ref());
    let waiting = memory
        .filter(|_| turn.is_none())
        .into_iter()
        .flat_map(move |memory| memory.inbox.iter().take(count));
    let news = turn.into_iter().flat_map(|turn| &turn.news).chain(waiting);
    news.flat_map(|message| &message.ran)
        .filter(|ran| ran.is_replaced)
}

/// Returns the calls that did more than read, each once, as far as that is still known one by one.
pub(in crate::world) fn redoes(world: &World, agent: &AgentName, count: usize) -> Vec<CallId> {
    let mut calls = Vec::new();
    for ran in redone_by(world, agent, count) {
        if world.doings.find(ran.call).is_some() && !calls.contains(&ran.call) {
            calls.push(ran.call);
        }
    }
    calls
}

/// The item that tells `agent` of `calls`, before its turn with its `count` oldest news begins;
/// `None` if there are none.
pub(in crate::world) fn done_before(
    world: &World,
    agent: &AgentName,
    count: usize,
    calls: &[CallId],
    memory: &Memory,
) -> Option<Remembered> {
    let ran: Vec<&Ran> = redone_by(world, agent, count).collect();
    let told = calls.iter().filter_map(|call| {
        let Ran {
            agent: by, tool, ..
        } = ran.iter().find(|ran| ran.call == *call)?;
        let doing = world.doings.find(*call)?;
        let by = (by != agent).then_some(by);
        Some(DoneCall {
            tool,
            by,
            arguments: &doing.arguments,
            gave: doing.gave.as_ref().map(|gave| &gave.0),
        })
    });
    let item = border::done_before(&told.collect::<Vec<_>>())?;
    Some(Remembered::new(
        item,
        memory
            .inbox
            .iter()
            .take(count)
            .map(|message| message.at)
            .collect(),
    ))
}
