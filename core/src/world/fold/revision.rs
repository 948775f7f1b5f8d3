//! Messages that are edited, taken back and made anew; people who leave.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::content::Content;
use crate::event::{Author, MessageEdited, MessageRetracted, Others, ReplyRegenerated};
use crate::ids::{AgentName, CallId, EpisodeId, Position};
use crate::world::World;
use crate::world::memory::{CallState, Message, Ran, TakenBack, note_ran, without};

impl World {
    /// The message goes on under its id, at this event's position.
    pub(super) fn edit(&mut self, event: &MessageEdited) {
        let person = self
            .message_at(event.at)
            .and_then(|message| message.person.clone());
        let ran = self.ran_behind(event.at);
        self.take_back(event.at, &event.gone);
        let (text, attachments) = match &event.body {
            Content::Present(body) => (
                Content::Present(body.text.clone()),
                body.attachments.clone(),
            ),
            Content::Erased { by } => (Content::Erased { by: *by }, Vec::new()),
        };
        let from = self.shown_name(&event.author);
        self.push_message(Message {
            at: self.head,
            id: event.message,
            author: event.author.clone(),
            person,
            began_by: std::collections::BTreeSet::new(),
            heard: self.heard_from(&from, &text, &attachments),
            from,
            text,
            attachments,
            reply_to: event.reply_to,
            depth: self.depth_below(event.reply_to),
            turn: None,
            because: Arc::default(),
            ran,
            edited: true,
            episode: EpisodeId(self.head),
            respond: Vec::new(),
            damped: Vec::new(),
            others: Others::Ignore,
            asks: Vec::new(),
            is_handoff: false,
            told: Vec::new(),
        });
    }

    pub(super) fn retract(&mut self, event: &MessageRetracted) {
        self.take_back(event.at, &event.gone);
    }

    /// The news of the reply are put into its agent's inbox again.
    pub(super) fn regenerate(&mut self, event: &ReplyRegenerated) {
        let turn = self.message_at(event.at).and_then(|message| message.turn);
        let ran = self.ran_in(&event.agent, &event.news, turn);
        self.take_back(event.at, &event.gone);
        self.note_replaced(&event.news, &ran);
        let news = event
            .news
            .iter()
            .filter_map(|at| self.message_at(*at))
            .cloned()
            .collect();
        self.put_back(&event.agent, news);
    }

    /// Takes the message at `target` out of the room and out of all memories, with what goes with it.
    fn take_back(&mut self, target: Position, gone: &[Position]) {
        let author = self
            .message_at(target)
            .and_then(|message| match &message.author {
                Author::Agent(agent) => Some((agent.clone(), Arc::clone(&message.because))),
                Author::Person(_) | Author::World => None,
            });
        let gone: Arc<[Position]> = gone.into();
        let taken_from = |agent: &AgentName| {
            let said_for = author
                .as_ref()
                .filter(|(name, because)| name == agent && !because.is_empty());
            TakenBack {
                gone: Arc::clone(&gone),
                said_for: said_for.map(|(_, because)| Arc::clone(because)),
            }
        };
        let agents: Vec<(AgentName, TakenBack)> = self
            .memories
            .keys()
            .map(|name| (name.clone(), taken_from(name)))
            .collect();
        let undone: BTreeMap<&AgentName, Vec<Ran>> = agents
            .iter()
            .filter_map(|(name, taken)| Some((name, self.ran_in_undone(name, taken)?)))
            .collect();
        self.drop_messages(&gone);
        self.memos.forget(&gone);
        for (agent, taken) in &agents {
            self.take_from(
                agent,
                taken.clone(),
                undone.get(agent).map_or(&[], Vec::as_slice),
            );
        }
    }

    /// The calls that ran in the open turn of `agent`; `None` if that stays open.
    fn ran_in_undone(&self, agent: &AgentName, taken: &TakenBack) -> Option<Vec<Ran>> {
        let turn = self
            .memories
            .get(agent)?
            .turn
            .as_ref()
            .filter(|turn| turn.is_undone_by(taken))?;
        Some(self.ran_in(agent, &turn.because, Some(turn.id)))
    }

    /// Takes back what `agent` has of it; `ran` ran in its open turn, if that is over now.
    fn take_from(&mut self, agent: &AgentName, taken: TakenBack, ran: &[Ran]) {
        self.take_news_back(agent, &taken.gone);
        self.drop_join(agent, &taken.gone);
        let Some(memory) = self.memories.get_mut(agent) else {
            return;
        };
        let undone = memory
            .turn
            .as_mut()
            .filter(|turn| turn.is_undone_by(&taken));
        let mut left = Vec::new();
        if let Some(turn) = undone {
            // Of a reply that is taken back itself, the news are answered once more only if the reply is made anew.
            let is_own = turn.is_of(&taken);
            turn.undo(&taken);
            if !is_own {
                left.clone_from(&turn.news);
            }
        }
        memory.take_back(taken, self.incarnation);
        self.note_replaced(
            &left.iter().map(|message| message.at).collect::<Vec<_>>(),
            ran,
        );
        for message in &mut left {
            note_ran(&mut Arc::make_mut(message).ran, ran.iter().cloned());
        }
        self.put_back(agent, left);
        self.rest(agent);
    }

    /// Takes messages out of an inbox.
    fn take_news_back(&mut self, agent: &AgentName, gone: &[Position]) {
        let at = self.head;
        let Some(memory) = self.memories.get_mut(agent) else {
            return;
        };
        let is_gone = |message: &Arc<Message>| gone.binary_search(&message.at).is_ok();
        if !memory.inbox.iter().any(is_gone) {
            return;
        }
        let (lost, kept): (VecDeque<_>, VecDeque<_>) = memory.inbox.drain(..).partition(is_gone);
        memory.inbox = kept;
        memory.revised = at;
        if memory.inbox.is_empty() && memory.turn.is_none() {
            memory.calm();
        }
        for message in lost {
            self.release(message.episode, 1);
        }
    }

    /// Puts messages that an agent took up before into its inbox again, in their places and in an episode of their own:
    /// a person's word, or the world's, made that necessary.
    pub(super) fn put_back(&mut self, agent: &AgentName, news: Vec<Arc<Message>>) {
        let at = self.head;
        for mut message in news {
            let Some(memory) = self.memories.get_mut(agent) else {
                return;
            };
            let place = memory.inbox.partition_point(|other| other.at < message.at);
            if memory
                .inbox
                .get(place)
                .is_some_and(|other| other.at == message.at)
            {
                continue;
            }
            Arc::make_mut(&mut message).episode = EpisodeId(at);
            memory.revised = at;
            let author = message.author.clone();
            let asks = message.asks.clone();
            memory.inbox.insert(place, message);
            self.hold(EpisodeId(at));
            if let (Author::Person(person), Some(spent)) =
                (author, self.episodes.get_mut(&EpisodeId(at)))
            {
                spent.author = Some(person);
            }
            self.busy.insert(agent.clone());
            asks.iter()
                .for_each(|(asker, call)| self.await_anew(asker, *call, agent));
        }
    }

    /// A question that was handed on is with `agent` again.
    fn await_anew(&mut self, asker: &AgentName, call: CallId, agent: &AgentName) {
        let Some(open) = self.call_mut(asker, call) else {
            return;
        };
        if let CallState::AwaitsAgent { asked, .. } = &mut open.state {
            asked.clone_from(agent);
        }
    }

    /// Takes messages out of the transcript. What also answers something that stays, answers that alone from here on.
    fn drop_messages(&mut self, gone: &[Position]) {
        for at in gone {
            if let Some(id) = self.message_at(*at).map(|message| message.id) {
                self.moved.remove(&id);
            }
        }
        self.transcript
            .retain(|message| gone.binary_search(&message.at).is_err());
        for message in &mut self.transcript {
            if let Some(because) = without(&message.because, gone) {
                Arc::make_mut(message).because = because;
            }
        }
    }
}

impl World {}
