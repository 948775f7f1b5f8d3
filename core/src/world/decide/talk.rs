//! Messages of people and of the world.

use super::{Draft, No};
use crate::content::Content;
use crate::event::{
    AnswerText, Attachment, Author, CloseReason, Event, MessageBody, MessagePosted, MessageRouted, Notice,
    NoticePosted, TurnOpened,
};
use crate::ids::{AgentName, EpisodeId, MessageId, PersonName, Position, RequestId, TurnId};
use crate::principal::Principal;
use crate::refusal::{Refusal, RefusalReason};
use crate::routing::mentions::name_fault;
use crate::routing::{Route, route};
use crate::spec::{Limits, WhileWaiting};

impl Draft<'_> {
    pub(super) fn post(
        &mut self,
        text: &str,
        attachments: &[Attachment],
        reply_to: Option<MessageId>,
    ) -> Result<(), No> {
        let author = match self.principal {
            Principal::Person(person) => Author::Person(person.display.clone()),
            Principal::World => Author::World,
            Principal::Agent(_) | Principal::Tool(_) | Principal::Runtime => {
                return Err(No::right(RefusalReason::NotAPerson));
            }
        };
        self.check_author(&author)?;
        self.check_message(text, attachments, reply_to)?;
        self.enrol();
        let message = MessageId(self.here());
        let body = MessageBody { text: text.to_owned(), attachments: attachments.to_vec() };
        let at = self.push(Event::MessagePosted(MessagePosted::said(message, author.clone(), reply_to, body)));
        self.route(at, EpisodeId(at), &author, text);
        Ok(())
    }

    /// A person who is called like an agent would be heard as that agent.
    pub(super) fn check_author(&self, author: &Author) -> Result<(), No> {
        match author {
            Author::Person(name) if self.is_called_like_an_agent(name) => {
                Err(No::Quiet(Refusal::BadMessage { why: format!("an agent is called {name}") }))
            }
            Author::Person(name) => match name_fault(name.as_str()) {
                Some(why) => Err(No::Quiet(Refusal::BadMessage { why: format!("{name} cannot be mentioned: {why}") })),
                None => Ok(()),
            },
            Author::Agent(_) | Author::World => Ok(()),
        }
    }

    pub(super) fn is_called_like_an_agent(&self, person: &PersonName) -> bool {
        self.world.rules.names().find(person.as_str()).is_some()
    }

    pub(super) fn check_message(
        &self,
        text: &str,
        attachments: &[Attachment],
        reply_to: Option<MessageId>,
    ) -> Result<(), No> {
        let bad = |why: String| Err(No::Quiet(Refusal::BadMessage { why }));
        let max = self.world.rules.spec().limits.message_bytes_max;
        if text.trim().is_empty() && attachments.is_empty() {
            return bad("it is empty".to_owned());
        }
        if text.len() > usize::try_from(max).unwrap_or(usize::MAX) {
            return bad(format!("it has {} bytes, at most {max} are allowed", text.len()));
        }
        self.check_attachments(attachments)?;
        match reply_to {
            Some(id) if self.world.message(id).is_none() => Err(No::Quiet(Refusal::NoSuchMessage { message: id.0 })),
            Some(_) | None => Ok(()),
        }
    }

    fn check_attachments(&self, attachments: &[Attachment]) -> Result<(), No> {
        let bad = |why: String| No::Quiet(Refusal::BadMessage { why });
        let Limits { attachments_max, attachment_bytes_max, .. } = self.world.rules.spec().limits;
        if attachments.len() > usize::try_from(attachments_max).unwrap_or(usize::MAX) {
            let count = attachments.len();
            return Err(bad(format!("it has {count} attachments, at most {attachments_max} are allowed")));
        }
        let fault = attachments.iter().find_map(|attachment| attachment.check(attachment_bytes_max).err());
        fault.map_or(Ok(()), |error| Err(bad(error.to_string())))
    }

    /// Posts an agent's answer; its text stands at `answer`.
    pub(super) fn post_answer(&mut self, agent: &AgentName, answer: Position, stream: Option<Position>, text: &str) {
        let message = MessageId(stream.unwrap_or_else(|| self.here()));
        let author = Author::Agent(agent.clone());
        let news = self.newest_news(agent);
        let at = self.push(Event::MessagePosted(MessagePosted {
            message,
            author: author.clone(),
            reply_to: news.map(|(_, message)| message),
            turn: news.map(|(turn, _)| turn),
            call: None,
            answer: Some(AnswerText { at: answer, cut: Vec::new() }),
            body: MessageBody::default().into(),
        }));
        let episode = self.episode_of(agent).unwrap_or(EpisodeId(at));
        self.route(at, episode, &author, text);
    }

    /// The open turn, or the one that this very commit opens, and the newest of its news: what its answer replies to.
    fn newest_news(&self, agent: &AgentName) -> Option<(TurnId, MessageId)> {
        let memory = self.memory(agent)?;
        if let Some(turn) = &memory.turn {
            return Some((turn.id, turn.news.last()?.id));
        }
        let (at, opened) = self.opened(agent)?;
        let newest = opened.news.last()?;
        let message = memory.inbox.iter().find(|message| message.at == *newest)?;
        Some((TurnId(at), message.id))
    }

    /// The episode of the open turn, or of the one that this very commit opens.
    pub(super) fn episode_of(&self, agent: &AgentName) -> Option<EpisodeId> {
        let open = self.memory(agent).and_then(|memory| memory.turn.as_ref()).map(|turn| turn.episode);
        open.or_else(|| Some(self.opened(agent)?.1.episode))
    }

    /// The turn that this very commit opens for `agent`, and where.
    fn opened(&self, agent: &AgentName) -> Option<(Position, &TurnOpened)> {
        let mut numbered = std::iter::successors(Some(self.world.head.next()), |at| Some(at.next())).zip(&self.events);
        numbered.find_map(|(at, event)| {
            if let Event::TurnOpened(opened) = event { (opened.agent == *agent).then_some((at, opened)) } else { None }
        })
    }

    /// Decides who hears and who answers the message at `at`, and records the verdicts.
    pub(super) fn route(&mut self, at: Position, episode: EpisodeId, author: &Author, text: &str) {
        let Route { rule, mut respond, others, unknown, nearest } = route(self.world, author, text);
        if let Author::Agent(agent) = author {
            // They read it as the result of their calls.
            let askers = self.askers_of(agent);
            respond.retain(|(name, _)| !askers.contains(name));
        }
        let full: Vec<AgentName> =
            respond.iter().map(|(name, _)| name.clone()).filter(|name| self.is_full(name)).collect();
        let respond: Vec<_> = respond.into_iter().filter(|(name, _)| !full.contains(name)).collect();
        let agents: Vec<AgentName> = respond.iter().map(|(name, _)| name.clone()).collect();
        let undeliverable = u32::try_from(unknown.len().saturating_add(full.len())).unwrap_or(u32::MAX);
        let says_nobody = rule == crate::event::RoutingRule::TooMany;
        let is_unknown = !unknown.is_empty();
        self.push(Event::MessageRouted(MessageRouted {
            message: at,
            episode,
            rule,
            respond,
            people: Vec::new(),
            others,
            tag: None,
            damped: Vec::new(),
            undeliverable,
            unknown: Content::Present(unknown),
        }));
        let to = match author {
            Author::Person(person) => Some(person.clone()),
            Author::Agent(_) | Author::World => None,
        };
        if is_unknown {
            self.tell(Notice::Undeliverable { message: at, nearest }, to.clone(), episode);
        }
        if says_nobody {
            self.tell(Notice::NobodyAnswers { message: at }, to.clone(), episode);
        }
        for agent in full {
            self.tell(Notice::InboxFull { agent }, to.clone(), episode);
        }
        agents.into_iter().for_each(|agent| self.reach_waiting(agent, to.clone(), episode));
    }

    pub(super) fn tell(&mut self, notice: Notice, to: Option<PersonName>, episode: EpisodeId) {
        self.push(Event::NoticePosted(NoticePosted { notice, to, episode: Some(episode) }));
    }

    /// Whether `agent`'s inbox is full, with what this very commit put into it.
    pub(super) fn is_full(&self, agent: &AgentName) -> bool {
        let max = usize::try_from(self.world.rules.spec().limits.inbox_max).unwrap_or(usize::MAX);
        let is_for = |event: &&Event| {
            let Event::MessageRouted(routed) = event else { return false };
            routed.respond.iter().any(|(name, _)| name == agent)
        };
        let new = self.events.iter().filter(is_for).count();
        let memory = self.world.memories.get(agent);
        memory.is_some_and(|memory| self.waiting(memory).saturating_add(new) >= max)
    }

    /// A message to an agent that waits for a person: it is kept, and its author is told; or it closes what waits.
    pub(super) fn reach_waiting(&mut self, agent: AgentName, author: Option<PersonName>, episode: EpisodeId) {
        let Some(request) = self.waits_for(&agent).filter(|_| !self.is_closing(&agent)) else { return };
        match self.world.rules.spec().policy.while_waiting {
            WhileWaiting::Queue => self.tell(Notice::AgentWaits { agent, request }, author, episode),
            WhileWaiting::Supersede => self.close_turn_of(&agent, CloseReason::Superseded),
        }
    }

    /// The request that `agent`'s open turn waits for.
    pub(super) fn waits_for(&self, agent: &AgentName) -> Option<RequestId> {
        let open = &self.world.memories.get(agent)?.open_calls;
        let is_open = |call| open.contains_key(call);
        self.world.pending.iter().find(|(_, request)| is_open(&request.call)).map(|(id, _)| *id)
    }
}
