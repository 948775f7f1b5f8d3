//! Messages.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::content::Content;
use crate::event::{
    Attachment, Author, MessagePosted, MessageRouted, NoticePosted, Others, RoutingRule,
};
use crate::ids::principal::Person;
use crate::ids::{EpisodeId, PersonName, Position};
use crate::prompt::border::heard;
use crate::world::World;
use crate::world::episode::Told;
use crate::world::fold::asking::asked_by;
use crate::world::memory::{Joining, Message, Ran, Remembered, note_ran};

impl World {
    pub(super) fn part(&mut self, person: &PersonName) {
        self.keep_called();
        self.people.leave(person, self.head);
    }

    /// The words that models are saying just now are finalised among those who were there when they were asked: whoever leaves
    /// meanwhile is among them.
    fn keep_called(&mut self) {
        for agent in &self.busy {
            let turn = self
                .memories
                .get_mut(agent)
                .and_then(|memory| memory.turn.as_mut());
            if let Some(model) = turn.and_then(|turn| turn.model.as_mut()) {
                let called = || Arc::clone(self.people.called());
                model.called.get_or_insert_with(called);
            }
        }
    }

    pub(super) fn post(&mut self, event: &MessagePosted) {
        let text = self.text_of(event);
        let attachments = event
            .body
            .present()
            .map(|body| body.attachments.clone())
            .unwrap_or_default();
        let from = self.shown_name(&event.author);
        self.push_message(Message {
            at: self.head,
            id: event.message,
            author: event.author.clone(),
            person: self.spoken_by(&event.author),
            began_by: BTreeSet::new(),
            heard: self.heard_from(&from, &text, &attachments),
            from,
            text,
            attachments,
            reply_to: event.reply_to,
            depth: self.depth_below(event.reply_to),
            turn: event.turn,
            because: self.because_of(event).unwrap_or_default(),
            ran: self.redone_in(event),
            edited: false,
            episode: EpisodeId(self.head),
            respond: Vec::new(),
            damped: Vec::new(),
            others: Others::Ignore,
            asks: asked_by(event),
            is_handoff: false,
            told: Vec::new(),
        });
    }

    /// The item that a message is to all who hear it.
    pub(super) fn heard_from(
        &self,
        from: &str,
        text: &Content<String>,
        attachments: &[Attachment],
    ) -> Remembered {
        let item = heard(from, text, attachments, &self.rules.spec().policy.redact);
        Remembered::new(item, Arc::new([self.head]))
    }

    /// The person who says something, as the ingress proved them: others may be called like them.
    pub(super) fn spoken_by(&self, author: &Author) -> Option<Person> {
        match author {
            Author::Person(name) => self
                .speaker
                .clone()
                .or_else(|| self.people.roster().get(name).cloned()),
            Author::Agent(_) | Author::World => None,
        }
    }

    /// The news of the turn in which an agent says something.
    fn because_of(&self, event: &MessagePosted) -> Option<Arc<[Position]>> {
        let Author::Agent(agent) = &event.author else {
            return None;
        };
        let turn = self
            .memories
            .get(agent)?
            .turn
            .as_ref()
            .filter(|turn| event.turn == Some(turn.id))?;
        Some(Arc::clone(&turn.because))
    }

    /// The calls of older turns that a message carries on: what is said in a turn that takes another's place leads to turns
    /// that take the place of others as well.
    fn redone_in(&self, event: &MessagePosted) -> Vec<Ran> {
        let Author::Agent(agent) = &event.author else {
            return Vec::new();
        };
        let mut ran = Vec::new();
        note_ran(&mut ran, self.redone_by(agent, 0).cloned());
        ran
    }

    pub(super) fn route_to(&mut self, event: &MessageRouted) {
        let passed = self.passed_on(event);
        let began_by = self.led_to_last();
        let joined = self.end_of_join(event);
        let Some(last) = self
            .transcript
            .back_mut()
            .filter(|message| message.at == event.message)
        else {
            return;
        };
        let message = Arc::make_mut(last);
        message.episode = event.episode;
        message.began_by = began_by;
        message.respond = event.respond.iter().map(|(name, _)| name.clone()).collect();
        message.damped = event.damped.iter().map(|(name, _)| name.clone()).collect();
        message.others = event.others;
        if event.rule == RoutingRule::HandedOff {
            message.is_handoff = true;
            message.asks = passed;
        }
        if let Some(joined) = &joined {
            message.began_by.clone_from(&joined.began_by);
            message.because = Arc::new([joined.message]);
        }
        let message = Arc::clone(last);
        match &message.author {
            Author::Person(person) => {
                self.episodes.entry(event.episode).or_default().author = Some(person.clone());
                self.upkeep.forget_refusals();
            }
            Author::World if joined.is_some() => {}
            Author::World => self.upkeep.forget_refusals(),
            Author::Agent(agent) => {
                if let Some(episode) = self.episodes.get_mut(&event.episode) {
                    episode.hop(agent, event.respond.iter().map(|(name, _)| name));
                }
                self.begin_join(agent, &message, event.tells_join);
            }
        }
        for (name, _) in &event.respond {
            let Some(memory) = self.memories.get_mut(name) else {
                continue;
            };
            memory.inbox.push_back(Arc::clone(&message));
            self.busy.insert(name.clone());
            self.hold(event.episode);
        }
        self.release(
            event.episode,
            usize::from(joined.is_some_and(|joined| joined.tells)),
        );
    }

    /// The wait that ends with a message of the world about it.
    fn end_of_join(&mut self, event: &MessageRouted) -> Option<Joining> {
        let (agent, _) = event
            .respond
            .first()
            .filter(|_| event.rule == RoutingRule::Joined)?;
        self.take_join(agent)
    }

    /// The people who led to the newest message.
    fn led_to_last(&self) -> BTreeSet<Person> {
        let Some(message) = self.transcript.back() else {
            return BTreeSet::new();
        };
        match &message.author {
            Author::Person(_) => message.person.iter().cloned().collect(),
            Author::Agent(agent) => {
                let turn = self
                    .memories
                    .get(agent)
                    .and_then(|memory| memory.turn.as_ref());
                turn.map(|turn| turn.began_by.clone()).unwrap_or_default()
            }
            Author::World => BTreeSet::new(),
        }
    }

    pub(super) fn note_notice(&mut self, event: &NoticePosted) {
        let Some(spent) = event
            .episode
            .and_then(|episode| self.episodes.get_mut(&episode))
        else {
            return;
        };
        spent.told.extend(Told::of(&event.notice));
    }

    /// A person's text stands in the event, an agent's in the answer of the same commit.
    fn text_of(&self, event: &MessagePosted) -> Content<String> {
        let Some(place) = &event.answer else {
            return match &event.body {
                Content::Present(body) => Content::Present(body.text.clone()),
                Content::Erased { by } => Content::Erased { by: *by },
            };
        };
        match &self.answer {
            Some((at, _, Content::Present(response))) if *at == place.at => {
                Content::Present(response.spoken_without(&place.cut))
            }
            Some((_, _, Content::Erased { by })) => Content::Erased { by: *by },
            Some((_, _, Content::Present(_))) | None => Content::default(),
        }
    }

    pub(super) fn shown_name(&self, author: &Author) -> String {
        match author {
            Author::Person(person) => person.to_string(),
            Author::Agent(agent) => agent.to_string(),
            Author::World => "world".to_owned(),
        }
    }
}
