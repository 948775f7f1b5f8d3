//! The verdicts about a message, for every agent of the room.

use serde::{Deserialize, Serialize};

use super::{message_of, routing_of};
use crate::command::commit::Commit;
use crate::event::{
    Author, DampReason, Event, MessageRouted, Notice, Others, RoutingReason, RoutingRule, TalkEvent,
};
use crate::ids::{AgentName, EpisodeId, PersonName, Position};
use crate::text::reply::RoutingTag;

/// The verdicts about a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// The message.
    pub message: Position,
    /// The author; `None` if that is not in its commit.
    pub author: Option<Author>,
    /// The episode that it begins or belongs to.
    pub episode: EpisodeId,
    /// The rule that decided.
    pub rule: RoutingRule,
    /// The routing tag that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<RoutingTag>,
    /// The people that it addresses.
    pub people: Vec<PersonName>,
    /// The names that nobody has, as they were written; empty if they were erased.
    pub unknown: Vec<String>,
    /// The agents whose names are nearest to those, best first.
    pub nearest: Vec<AgentName>,
    /// The treatment of the message by those who are silent.
    pub others: Others,
    /// The agents that answer, and why.
    pub answers: Vec<AgentVerdict<RoutingReason>>,
    /// The agents that are silent, and why: at most [`Verdicts::SILENT_MAX`] of those for whom
    /// there is no reason of their own.
    pub silent: Vec<AgentVerdict<Silence>>,
    /// The number of further ones that are silent for the reason that the last one of these has.
    pub more: usize,
}

/// The verdict for an agent, and its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentVerdict<R> {
    /// The agent.
    pub agent: AgentName,
    /// The reason.
    pub reason: R,
}

impl<R> AgentVerdict<R> {
    /// The verdict about `agent`.
    fn new(agent: &AgentName, reason: R) -> Self {
        Self {
            agent: agent.clone(),
            reason,
        }
    }
}

/// The reason that an agent does not answer a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// The agent said it.
    Own,
    /// The agent was addressed, and the conversation is damped.
    Damped(DampReason),
    /// The agent was addressed, and its inbox is full.
    InboxFull,
    /// The agent is only named, in a place where that does not count.
    OnlyNamed,
    /// The message is for others.
    NotAddressed,
    /// The message is for people alone.
    OnlyPeople,
    /// The speaker's routing tag lets nobody go on.
    Tag(RoutingTag),
    /// The message is for somebody whom nobody here is.
    Undeliverable,
    /// The room is too large for everyone to answer.
    TooMany,
    /// An agent's message that addresses nobody.
    Unaddressed,
}

impl Verdicts {
    /// The most agents that are listed as silent without a reason of their own.
    pub const SILENT_MAX: usize = 32;

    /// Returns what was decided about the message that the event at `at` posts, edits or routes, in
    /// a room of `agents`. `None` if that event does none of it.
    #[must_use]
    pub fn of<'a>(
        commit: &Commit,
        at: Position,
        agents: impl Iterator<Item = &'a AgentName>,
    ) -> Option<Self> {
        let message = message_of(commit, at)?;
        let routed = routing_of(commit, message)?;
        let author = author(commit, message);
        let told = MessageNotices::of(commit, message);
        let own = AgentReasons {
            routed,
            author: author.as_ref(),
            told: &told,
        };
        let answers = |name: &AgentName| routed.respond.iter().any(|(other, _)| other == name);
        let mut silent = Vec::new();
        let mut rest = Vec::new();
        let mut more = 0_usize;
        for name in agents.filter(|name| !answers(name)) {
            match own.silence(name) {
                Some(why) => silent.push(AgentVerdict::new(name, why)),
                None if rest.len() < Self::SILENT_MAX => {
                    rest.push(AgentVerdict::new(name, of_others(routed)))
                }
                None => more = more.saturating_add(1),
            }
        }
        silent.extend(rest);
        Some(Self {
            message,
            author,
            episode: routed.episode,
            rule: routed.rule,
            tag: routed.tag,
            people: routed.people.clone(),
            unknown: routed.unknown.present().cloned().unwrap_or_default(),
            nearest: told.nearest,
            others: routed.others,
            answers: routed
                .respond
                .iter()
                .map(|(name, why)| AgentVerdict::new(name, *why))
                .collect(),
            silent,
            more,
        })
    }
}

/// Returns the author of the message at `message`.
fn author(commit: &Commit, message: Position) -> Option<Author> {
    let (_, event) = commit.numbered().find(|(at, _)| *at == message)?;
    if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
        return Some(posted.author.clone());
    }
    if let Event::Talk(TalkEvent::MessageEdited(edited)) = event {
        Some(edited.author.clone())
    } else {
        None
    }
}

/// The notices beside a message that are about it.
#[derive(Debug, Default)]
struct MessageNotices {
    full: Vec<AgentName>,
    only_named: Vec<AgentName>,
    nearest: Vec<AgentName>,
}

impl MessageNotices {
    /// The notices between this message's verdicts and the next message.
    fn of(commit: &Commit, message: Position) -> Self {
        let mut told = Self::default();
        let is_other = |event: &Event| {
            matches!(
                event,
                Event::Talk(TalkEvent::MessagePosted(_)) | Event::Talk(TalkEvent::MessageEdited(_))
            )
        };
        let behind = commit
            .numbered()
            .skip_while(|(at, _)| *at <= message)
            .map(|(_, event)| event);
        for event in behind.take_while(|event| !is_other(event)) {
            if let Event::Talk(TalkEvent::NoticePosted(posted)) = event {
                told.take(&posted.notice);
            }
        }
        told
    }

    fn take(&mut self, notice: &Notice) {
        match notice {
            Notice::InboxFull { agent } => self.full.push(agent.clone()),
            Notice::OnlyNamed { agents, .. } => self.only_named.extend(agents.iter().cloned()),
            Notice::Undeliverable { nearest, named, .. }
            | Notice::NobodyAnswers { nearest, named, .. } => {
                self.nearest.extend(nearest.iter().cloned());
                self.only_named.extend(named.agents.iter().cloned());
            }
            Notice::HopBudgetSpent { .. }
            | Notice::ServiceEpisodesSpent { .. }
            | Notice::PairDamped { .. }
            | Notice::AgentWaits { .. }
            | Notice::LimitReached { .. }
            | Notice::TurnFailed { .. }
            | Notice::RequestExpired { .. }
            | Notice::OutcomeUnknown { .. } => {}
        }
    }
}

/// The reasons that single agents have.
struct AgentReasons<'a> {
    routed: &'a MessageRouted,
    author: Option<&'a Author>,
    told: &'a MessageNotices,
}

impl AgentReasons<'_> {
    fn silence(&self, name: &AgentName) -> Option<Silence> {
        let says_it = match self.author {
            Some(Author::Agent(author)) => author == name,
            Some(Author::Person(_) | Author::Service(_) | Author::World) | None => false,
        };
        let damped = self
            .routed
            .damped
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, why)| *why);
        if says_it {
            return Some(Silence::Own);
        }
        if let Some(why) = damped {
            return Some(Silence::Damped(why));
        }
        if self.told.full.contains(name) {
            return Some(Silence::InboxFull);
        }
        self.told
            .only_named
            .contains(name)
            .then_some(Silence::OnlyNamed)
    }
}

/// Returns the reason that all those are silent who have none of their own.
const fn of_others(routed: &MessageRouted) -> Silence {
    let is_for_agents = !routed.respond.is_empty() || !routed.damped.is_empty();
    match (routed.rule, routed.tag) {
        (_, Some(tag @ (RoutingTag::Stop | RoutingTag::Done | RoutingTag::Pass))) => {
            Silence::Tag(tag)
        }
        _ if is_for_agents => Silence::NotAddressed,
        (RoutingRule::Undeliverable, _) => Silence::Undeliverable,
        (RoutingRule::TooMany, _) => Silence::TooMany,
        _ if !routed.people.is_empty() => Silence::OnlyPeople,
        (RoutingRule::Unaddressed, _) => Silence::Unaddressed,
        (
            RoutingRule::Addressed
            | RoutingRule::Named
            | RoutingRule::Tag
            | RoutingRule::Reply
            | RoutingRule::Asked
            | RoutingRule::HandedOff
            | RoutingRule::MainAgent
            | RoutingRule::Everyone
            | RoutingRule::BesideCalls
            | RoutingRule::Joined,
            _,
        ) => Silence::NotAddressed,
    }
}
