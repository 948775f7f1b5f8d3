//! A message as the room remembers it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::{Attachment, Author, Others};
use crate::ids::principal::{Person, Service};
use crate::ids::{AgentName, CallId, EpisodeId, MessageId, Position, TurnId};
use crate::port::TextEvent;
use crate::world::memory::{Ran, Remembered};

/// A message of the room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The message's position.
    pub at: Position,
    /// The message's id.
    pub id: MessageId,
    /// The author.
    pub author: Author,
    /// For a person's message: who said it, as the ingress proved them. Whoever else bears the name
    /// has no say in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Person>,
    /// For a service's message: the program that said it, as the ingress proved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// The people who led to it: whoever said it, or, for an agent's message, those who led to the
    /// turn it is said in. Four eyes compare this, whatever becomes of episodes.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub began_by: BTreeSet<Person>,
    /// The name under which the speaker is shown.
    pub from: String,
    /// The words.
    pub text: Content<String>,
    /// The attached files; nothing if they were erased.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// The length of the chain of replies that it ends: 0 if it answers none that is known.
    pub depth: u32,
    /// For an agent's message: the turn in which it is said.
    pub turn: Option<TurnId>,
    /// For an agent's message: the news of that turn. Once all of them are taken back, it is gone.
    /// Empty for people's.
    pub because: Arc<[Position]>,
    /// The calls that started in turns that answer it, and those that led to it before other turns
    /// took their turns' place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<Ran>,
    /// True if its words were put in the place of others.
    pub edited: bool,
    /// The episode it belongs to.
    pub episode: EpisodeId,
    /// The agents that are to answer it.
    pub respond: Vec<AgentName>,
    /// The agents that are addressed and not to answer it, so that the conversation ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damped: Vec<AgentName>,
    /// The treatment of it by all the others.
    pub others: Others,
    /// The calls that wait for an answer to it, each with the agent whose call it is: its own if it
    /// is a question from agent to agent, and those that a handoff passes on. Some may have ended
    /// since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<(AgentName, CallId)>,
    /// True if an agent hands the episode over with it: whoever answers it does not answer its
    /// author.
    #[serde(default)]
    pub is_handoff: bool,
    /// The agents that read it as the result of their call already, and so do not hear it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<AgentName>,
    /// The item that it is to whoever hears it.
    pub heard: Remembered,
}

/// The speaker and the words.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text.present().map_or("[erased]", String::as_str);
        write!(f, "{}: {text}", self.from)
    }
}

impl Message {
    /// Tells whether `agent` hears it. Nobody hears themselves, nor twice what their call gave.
    #[must_use]
    pub fn is_heard_by(&self, agent: &AgentName) -> bool {
        self.author != Author::Agent(agent.clone())
            && !self.told.contains(agent)
            && (self.others == Others::Store
                || self.respond.contains(agent)
                || self.damped.contains(agent))
    }

    /// Tells whether an agent says it in its own words: its reply, or what stands beside its tool
    /// calls. What a call says to another agent is no part of these.
    #[must_use]
    pub fn is_of_turn(&self) -> bool {
        let is_asked = |author: &AgentName| self.asks.iter().any(|(asker, _)| asker == author);
        matches!(&self.author, Author::Agent(author) if !self.is_handoff && !is_asked(author))
            && self.turn.is_some()
    }

    /// The agent that whoever answers it answers; `None` if that is a person.
    #[must_use]
    pub const fn answered_agent(&self) -> Option<&AgentName> {
        match &self.author {
            Author::Agent(agent) if !self.is_handoff => Some(agent),
            Author::Agent(_) | Author::Person(_) | Author::Service(_) | Author::World => None,
        }
    }

    /// The message on the text channel.
    #[must_use]
    pub fn to_text_event(&self) -> TextEvent {
        TextEvent {
            at: self.at,
            message: self.id,
            episode: self.episode,
            from: self.from.clone(),
            is_person: matches!(self.author, Author::Person(_)),
            text: self.text.present().cloned().unwrap_or_default(),
            attachments: self.attachments.clone(),
        }
    }
}
