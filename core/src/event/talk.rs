//! What is said, and who hears it.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::ids::{AgentName, Digest, EpisodeId, MessageId, PersonName, Position, RequestId};

/// Somebody said something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePosted {
    /// The message's id.
    pub message: MessageId,
    /// Who says it.
    pub author: Author,
    /// The message it answers, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// For an agent's message: where its text stands. It is not stored again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerText>,
    /// For a person's message: what was written. An agent's has an empty one.
    #[serde(skip)]
    pub body: Content<MessageBody>,
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person.
    Person(PersonName),
    /// An agent.
    Agent(AgentName),
    /// The world itself, e.g. a world script.
    World,
}

/// Where an agent's text stands: the text parts of an answer, less the spans that were cut from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerText {
    /// The `ModelAnswered` or `AgentReacted`.
    pub at: Position,
    /// Byte ranges of the joined text that are not part of the message, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<(u32, u32)>,
}

/// What a person wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageBody {
    /// The text.
    pub text: String,
    /// What was attached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

/// A file beside a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// The digest of its bytes.
    pub blob: Digest,
    /// Its media type.
    pub media_type: String,
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// It was decided who hears a message and who answers it. The size grows with who is addressed, not with the room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRouted {
    /// The message's position.
    pub message: Position,
    /// The episode that it begins or belongs to.
    pub episode: EpisodeId,
    /// The rule that decided.
    pub rule: RoutingRule,
    /// Who is to answer, in the order of the mentions or of the roster.
    pub respond: Vec<(AgentName, RoutingReason)>,
    /// What all the others do with it.
    pub others: Others,
    /// How many names could not be resolved.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undeliverable: u32,
    /// Those names, as they were written.
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
    /// Nobody is addressed, and the room has a main agent.
    MainAgent,
    /// Nobody is addressed, and the room is small enough for everyone to answer.
    Everyone,
    /// Nobody is addressed, and the room is too large for everyone to answer.
    TooMany,
    /// An agent's message that addresses no agent: nobody answers.
    Unaddressed,
    /// It addresses names that nobody has.
    Undeliverable,
}

/// Why an agent is to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutingReason {
    /// A line begins with its name.
    Mentioned,
    /// It is the room's main agent.
    MainAgent,
    /// Everyone is.
    Everyone,
}

/// What those who are not to answer do with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Others {
    /// They remember it.
    Store,
    /// They never see it.
    Ignore,
}

/// The world told people something: a code with arguments, never prose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticePosted {
    /// What is told.
    pub notice: Notice,
    /// Whom it is for; `None` is everyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<PersonName>,
    /// The episode it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeId>,
}

/// What the world tells people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// Nobody answers to a name in the message at `message`.
    Undeliverable {
        /// The message.
        message: Position,
        /// The nearest agents, best first.
        nearest: Vec<AgentName>,
    },
    /// Nobody will answer: the room is too large for everyone, and has no main agent.
    NobodyAnswers {
        /// The message.
        message: Position,
    },
    /// The agent waits for a person; the message is kept until then.
    AgentWaits {
        /// The agent.
        agent: AgentName,
        /// What it waits for.
        request: RequestId,
    },
    /// The agent's inbox is full; the message is not kept for it.
    InboxFull {
        /// The agent.
        agent: AgentName,
    },
    /// The agent has no model calls left in this episode.
    LimitReached {
        /// The agent.
        agent: AgentName,
    },
    /// The agent's turn failed.
    TurnFailed {
        /// The agent.
        agent: AgentName,
        /// What failed: a model error's or an agent's code.
        code: String,
    },
    /// A request expired.
    RequestExpired {
        /// The request.
        request: RequestId,
    },
    /// Whether a call took effect is not known.
    OutcomeUnknown {
        /// The agent.
        agent: AgentName,
        /// The request that asks people about it.
        request: RequestId,
    },
}
