//! What the shell and people are shown of a world.

use std::sync::Arc;

use crate::content::Content;
use crate::ids::{AgentName, CallId, ToolName};
use crate::port::{Input, TextEvent, ToolResultEvent, TurnView};
use crate::prompt::Item;
use crate::tool::{ArgumentFinding, EffectClass};
use crate::world::World;
use crate::world::memory::{CallState, Given, OpenCall};
use crate::world::talk::observed;

/// Exactly what people are shown of a call that asks for permission. Its digest is in the request.
#[must_use]
pub fn approval_text(
    agent: &AgentName,
    tool: &ToolName,
    effect: EffectClass,
    arguments: &str,
    warnings: &[ArgumentFinding],
) -> String {
    let warnings: String = warnings
        .iter()
        .map(|finding| format!("\n{}", finding.to_line()))
        .collect();
    format!("{agent} asks to run {tool} ({effect}) with {arguments}{warnings}")
}

/// A call that is about to run, as the shell needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runnable {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments, byte for byte; `None` if they were erased.
    pub arguments: Option<String>,
    /// A person's answer to the tool's question.
    pub input: Option<Input>,
    /// The same for all attempts.
    pub idempotency_key: String,
}

impl World {
    /// Returns what `agent` may know when it reacts now.
    #[must_use]
    pub fn turn_view(&self, agent: &AgentName) -> Option<TurnView> {
        let memory = self.agents.memory(agent)?;
        let turn = memory.turn.as_ref();
        let unseen = if turn.is_none() {
            observed::unseen_items(self, memory, self.head)
        } else {
            Vec::new()
        };
        let oldest = memory.inbox.front().map(|message| message.episode);
        Some(TurnView {
            agent: agent.clone(),
            episode: turn.map(|turn| turn.episode).or(oldest)?,
            turn: turn.map(|turn| turn.id),
            horizon: turn.map_or(self.head, |turn| turn.horizon),
            time: self.time,
            items: self.items(agent).cloned().chain(unseen).collect(),
            note: memory.note.as_ref().and_then(Content::present).cloned(),
        })
    }

    /// Returns what `agent` remembers, in the order in which it saw it.
    pub fn items(&self, agent: &AgentName) -> impl Iterator<Item = &Arc<Item>> {
        self.agents
            .memory(agent)
            .into_iter()
            .flat_map(|memory| memory.items.iter().map(|kept| &kept.item))
    }

    /// The news that wake `agent`, oldest first: at most `news_max`.
    #[must_use]
    pub fn news(&self, agent: &AgentName) -> Vec<TextEvent> {
        let max = usize::try_from(self.rules.spec().limits.news_max).unwrap_or(usize::MAX);
        let inbox = self.agents.memory(agent).map(|memory| &memory.inbox);
        inbox
            .into_iter()
            .flatten()
            .take(max)
            .map(|message| message.to_text_event())
            .collect()
    }

    /// The results that `agent`'s turn goes on with, in admission order.
    #[must_use]
    pub fn tool_results(&self, agent: &AgentName) -> Vec<ToolResultEvent> {
        let Some(turn) = self.agents.turn(agent) else {
            return Vec::new();
        };
        let event = |slot: &crate::world::memory::Slot| {
            let result = slot.result.as_ref()?;
            Some(ToolResultEvent {
                agent: agent.clone(),
                turn: turn.id,
                call: slot.call,
                tool: slot.tool.clone(),
                text: result.view.read(),
                failed: result.view.has_failed(),
                views: result.views.clone(),
            })
        };
        turn.slots.iter().filter_map(event).collect()
    }

    /// Returns what is needed to run or to ask about an open call; `None` if there is no such call.
    #[must_use]
    pub fn runnable(&self, agent: &AgentName, call: CallId) -> Option<Runnable> {
        let open = self.agents.open_call(agent, call)?;
        Some(Runnable {
            tool: open.tool.clone()?,
            arguments: open.arguments.present().cloned(),
            input: open.input.as_ref().map(Given::input),
            idempotency_key: format!("{}:{call}", self.id()?),
        })
    }

    /// Tells whether the tool of an open call is still the one that was called, in the folder that
    /// was meant: what a person allowed, and what the log says of its effect, is about that one.
    #[must_use]
    pub fn has_tool_of(&self, agent: &AgentName, call: CallId) -> bool {
        let turn = self.memory(agent).and_then(|memory| memory.turn.as_ref());
        let tool = |open: &OpenCall| {
            let name = open.tool.as_ref()?;
            let then = turn?.rules.spec().tools.get(name)?;
            let now = self.rules.spec().tools.get(name)?;
            Some(then.acts_like(now) && !open.is_elsewhere(then, now))
        };
        self.agents
            .open_call(agent, call)
            .and_then(tool)
            .unwrap_or(false)
    }

    /// Tells whether a run of the call is under way in this incarnation.
    #[must_use]
    pub fn is_running(&self, agent: &AgentName, call: CallId) -> bool {
        self.agents
            .open_call(agent, call)
            .is_some_and(|open| matches!(open.state, CallState::Running(_)))
    }
}
