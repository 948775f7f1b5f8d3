//! Messages, and who hears them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::ids::{AgentName, CallId, Digest, EpisodeId, MessageId, PersonName, Position, TurnId};
use crate::text::reply::RoutingTag;
use crate::tool::FilePart;

/// A message was posted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePosted {
    /// The message's id.
    pub message: MessageId,
    /// The author.
    pub author: Author,
    /// The message it answers, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// For an agent's message: the turn in which it is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// For a question to another agent, and for a handoff: the call that says it. Its text is the
    /// body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// For an agent's reply: where its text stands. It is not stored again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerText>,
    /// For a person's message: what was written. An agent's reply has an empty one.
    #[serde(skip)]
    pub body: Content<MessageBody>,
}

impl MessagePosted {
    /// Something that a person or the world says.
    #[must_use]
    pub fn said(
        message: MessageId,
        author: Author,
        reply_to: Option<MessageId>,
        body: MessageBody,
    ) -> Self {
        Self {
            message,
            author,
            reply_to,
            turn: None,
            call: None,
            answer: None,
            body: Content::Present(body),
        }
    }
}

/// The author of a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person.
    Person(PersonName),
    /// A program that acts by itself.
    Service(PersonName),
    /// An agent.
    Agent(AgentName),
    /// The world itself, e.g. a world script.
    World,
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(person) => person.fmt(f),
            // No name ends so: a person cannot be called like a service.
            Self::Service(service) => write!(f, "{service} (service)"),
            Self::Agent(agent) => agent.fmt(f),
            Self::World => f.write_str("world"),
        }
    }
}

/// The place of an agent's text: the text parts of an answer, less the spans that were cut from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerText {
    /// The `ModelAnswered` or `AgentReacted`.
    pub at: Position,
    /// Byte ranges of the joined text that are not part of the message, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<(u32, u32)>,
}

/// The words of a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageBody {
    /// The text.
    pub text: String,
    /// The attached files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

impl MessageBody {
    /// Words alone.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            attachments: Vec::new(),
        }
    }
}

/// A file beside a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// The digest of its bytes: the blob, unless it has parts.
    pub blob: Digest,
    /// The file's media type.
    pub media_type: String,
    /// The file's name.
    pub name: String,
    /// The file's size in bytes.
    pub bytes: u64,
    /// The parts of a file that is larger than a blob may be, in order: each but the last one is as
    /// large as a blob may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FilePart>,
}

/// A person put other words in the place of a message. The message goes on under its id, at this
/// event's position and in an episode of its own; what was said in answer to the old words is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageEdited {
    /// The message's id.
    pub message: MessageId,
    /// The position of the message until now.
    pub at: Position,
    /// The author.
    pub author: Author,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// The positions of the messages that are gone: itself, and what was said in answer to these
    /// alone.
    pub gone: Vec<Position>,
    /// The new words.
    #[serde(skip)]
    pub body: Content<MessageBody>,
}

/// A message was taken back, and with it what its agent said in the same turn and what was said in
/// answer to these alone. The log keeps the original.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRetracted {
    /// The message's id.
    pub message: MessageId,
    /// The position of the message.
    pub at: Position,
    /// The positions of the messages that are gone: itself, and what was said in answer to these
    /// alone.
    pub gone: Vec<Position>,
}

/// An agent's reply was taken back, and the agent is to answer the same news once more, in an
/// episode of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyRegenerated {
    /// The reply's id.
    pub message: MessageId,
    /// The position of the reply.
    pub at: Position,
    /// The positions of the messages that are gone: itself, and what was said in answer to these
    /// alone.
    pub gone: Vec<Position>,
    /// The agent that said it.
    pub agent: AgentName,
    /// The news that it answers, which are in its inbox again.
    pub news: Vec<Position>,
}

/// A verdict on who hears a message and who answers it. The size grows with who is addressed, not
/// with the room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRouted {
    /// The message's position.
    pub message: Position,
    /// The episode that it begins or belongs to.
    pub episode: EpisodeId,
    /// The rule that decided.
    pub rule: RoutingRule,
    /// The agents that are to answer, in the order of the mentions or of the roster.
    pub respond: Vec<(AgentName, RoutingReason)>,
    /// The people that it addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PersonName>,
    /// The treatment of the message by all the others.
    pub others: Others,
    /// The routing tag that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<RoutingTag>,
    /// The agents that are addressed and not to answer, so that the conversation ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damped: Vec<(AgentName, DampReason)>,
    /// True if the author, an agent that waits for those who are to answer, is told of those who
    /// give it no answer. Older rules told it nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tells_join: bool,
    /// The number of names that could not be resolved.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undeliverable: u32,
    /// The names that could not be resolved, as they were written.
    #[serde(skip)]
    pub unknown: Content<Vec<String>>,
}

const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The rule that decided about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutingRule {
    /// A line begins with a mention.
    Addressed,
    /// No line begins with a mention, and the text names agents.
    Named,
    /// An agent's routing tag says who is to hear it, or that nobody is to answer.
    Tag,
    /// An agent's reply that addresses nobody answers the agent that it replies to.
    Reply,
    /// A question from one agent to another, by the tool for it.
    Asked,
    /// An agent hands the episode to another, by the tool for it.
    HandedOff,
    /// The message addresses nobody, and the room has a main agent.
    MainAgent,
    /// The message addresses nobody, and the room is small enough for everyone to answer.
    Everyone,
    /// The message addresses nobody, and the room is too large for everyone to answer.
    TooMany,
    /// An agent's message that addresses no agent: nobody answers.
    Unaddressed,
    /// The message addresses names that nobody has.
    Undeliverable,
    /// An agent says it beside tool calls: whoever is addressed hears it, and nobody is woken.
    BesideCalls,
    /// The world tells an agent what became of those for whom it waited.
    Joined,
}

/// The reason that an agent is to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutingReason {
    /// A line begins with its name.
    Mentioned,
    /// The text names it.
    Named,
    /// A routing tag names it.
    Tag,
    /// The message replies to what it said.
    Reply,
    /// Another agent asks it something and waits for the answer.
    Asked,
    /// Another agent hands the episode to it.
    HandedOff,
    /// The agent is the room's main agent.
    MainAgent,
    /// Everyone is.
    Everyone,
    /// The agent waited for others, and some of them gave it no answer.
    Joined,
}

/// The reason that an addressed agent is not to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DampReason {
    /// The episode has used up its messages from agent to agent: `hop_budget`.
    HopBudget,
    /// The two have only answered each other for too long: `pair_messages_max`.
    Pair,
    /// Services have begun as many episodes within the hour as they may:
    /// `service_episodes_per_hour`.
    ServiceEpisodes,
    /// The words stand beside tool calls: their author is not done.
    BesideCalls,
}

/// The treatment of a message by those who are not to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Others {
    /// The others remember it.
    Store,
    /// The others never see it.
    Ignore,
}
