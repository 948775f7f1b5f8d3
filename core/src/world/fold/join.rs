//! Agents that wait until all whom they addressed are done.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::event::{Author, JoinElapsed};
use crate::ids::{AgentName, EpisodeId, Position};
use crate::memory::{Joining, Message};
use crate::world::World;

impl World {
    /// Begins the waiting of an agent whose reply wakes agents that its definition joins. A question waits as a call, and
    /// a handoff for nobody.
    pub(super) fn begin_join(&mut self, agent: &AgentName, message: &Message) {
        let is_reply = !message.is_handoff && message.asks.iter().all(|(asker, _)| asker != agent);
        let now = self.time;
        let Some(memory) = self.memories.get_mut(agent).filter(|_| is_reply) else { return };
        let rules = memory.turn.as_ref().map_or(&self.rules, |turn| &turn.rules);
        let Some(join) = rules.agent(agent).and_then(|spec| spec.join.as_ref()) else { return };
        let of: BTreeSet<AgentName> =
            message.respond.iter().filter(|name| join.all_of.contains(name)).cloned().collect();
        if !of.is_empty() {
            let until = now.after(Duration::from_millis(join.or_after_ms));
            memory.joining = Some(Joining { message: message.at, episode: message.episode, of, until });
            self.busy.insert(agent.clone());
        }
    }

    /// `agent` is done with `messages`: their authors wait for it no longer, unless it is to take them up once more.
    pub(super) fn end_waits_for<'m>(
        &mut self,
        agent: &AgentName,
        messages: impl IntoIterator<Item = &'m Arc<Message>>,
    ) {
        for message in messages {
            let Author::Agent(author) = &message.author else { continue };
            let inbox = self.memories.get(agent).map(|memory| &memory.inbox);
            if inbox.into_iter().flatten().any(|other| other.at == message.at) {
                continue;
            }
            let Some(memory) = self.memories.get_mut(author) else { continue };
            let Some(joining) = memory.joining.as_mut().filter(|joining| joining.message == message.at) else {
                continue;
            };
            joining.of.remove(agent);
            if joining.of.is_empty() {
                memory.joining = None;
                self.rest(author);
            }
        }
    }

    pub(super) fn elapse_join(&mut self, event: &JoinElapsed) {
        if let Some(memory) = self.memories.get_mut(&event.agent) {
            memory.joining = None;
            self.rest(&event.agent);
        }
    }

    /// Nobody waits for answers to what is taken back.
    pub(super) fn drop_join(&mut self, agent: &AgentName, gone: &[Position]) {
        self.drop_join_if(agent, |joining| gone.binary_search(&joining.message).is_ok());
    }

    /// Stopping an episode ends the waits in it.
    pub(super) fn stop_join(&mut self, agent: &AgentName, is_meant: impl Fn(EpisodeId) -> bool) {
        self.drop_join_if(agent, |joining| is_meant(joining.episode));
    }

    fn drop_join_if(&mut self, agent: &AgentName, is_over: impl Fn(&Joining) -> bool) {
        if let Some(memory) = self.memories.get_mut(agent) {
            memory.joining = memory.joining.take().filter(|joining| !is_over(joining));
        }
    }
}
