//! The body of a post: the messages as the client has them, of which little is read.

use std::fmt;

use folkmoot::Verdict;
use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemCode};
use crate::request::parse;

/// The most decisions that one post may claim. Equal ones are one.
const CLAIMS_MAX: usize = 64;
/// The most messages of a chat.
const MESSAGES_MAX: usize = 4_000;
/// The longest id of a message that is posted, in bytes: it is part of a key.
const ID_BYTES_MAX: usize = 200;
/// The most parts of a message that is sent.
const PARTS_MAX: usize = 4_000;

/// A chat as the client has it. Nothing of it is taken for history.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Chat {
    /// The messages, oldest first. Only the one that is sent is read: one of the user is posted
    /// under its `id`, and in an answer the parts in the state `approval-responded` are decisions.
    #[schema(value_type = Vec<ChatMessage>)]
    messages: Unparsed<MESSAGES_MAX>,
    /// The message that is sent, if it is not the last one.
    message_id: Option<String>,
    /// `submit-message`.
    trigger: Option<String>,
}

/// A message as the client has it.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ChatMessage {
    id: String,
    role: Role,
    #[schema(value_type = Vec<Object>)]
    parts: Unparsed<PARTS_MAX>,
}

/// A list of at most `MAX` values of JSON. As they are read one by one, no small body is much memory.
#[derive(Debug)]
struct Unparsed<const MAX: usize>(Vec<Box<RawValue>>);

impl<'de, const MAX: usize> Deserialize<'de> for Unparsed<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(UnparsedVisitor)
    }
}

/// The reader of a list that ends with the first value too many.
struct UnparsedVisitor<const MAX: usize>;

impl<'de, const MAX: usize> Visitor<'de> for UnparsedVisitor<MAX> {
    type Value = Unparsed<MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX} values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            if values.len() == MAX {
                return Err(A::Error::invalid_length(MAX.saturating_add(1), &self));
            }
            values.push(value);
        }
        Ok(Unparsed(values))
    }
}

/// The author of a message, as the client has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Role {
    System,
    User,
    Assistant,
}

/// All that is read of a chat: the wish of the client.
///
/// It is one of the two. The client sends a decision by itself with the answer that it is part of,
/// and names that answer if it is not the last one (`addToolApprovalResponse` and `sendMessage` of
/// its `Chat`). Beside a new message, a decision may be one that somebody else clicked in a chat
/// which an app keeps for several people.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// An answer to a new message.
    Say { id: String, text: String },
    /// The rest of an answer, behind these decisions, oldest first.
    GoOn(Vec<ClaimedDecision>),
}

/// A decision that a client claims.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct ClaimedDecision {
    /// The request, as the client names it.
    pub(crate) id: String,
    pub(crate) approved: bool,
    #[serde(default)]
    pub(crate) reason: Option<String>,
}

impl ClaimedDecision {
    pub(crate) const fn verdict(&self) -> Verdict {
        if self.approved {
            Verdict::Allow
        } else {
            Verdict::Deny
        }
    }
}

impl Chat {
    /// Reads what is read of it.
    ///
    /// # Errors
    /// [`ProblemCode::Invalid`] if it asks for nothing, or for what this route does not do.
    pub(crate) fn read(self) -> Result<Asked, Problem> {
        if self.trigger.as_deref() == Some("regenerate-message") {
            let why = "a room makes an answer anew through POST …/messages/{message}/regenerate";
            return Err(invalid(why, "trigger"));
        }
        let sent = self.sent()?.get().as_bytes();
        let sent: ChatMessage = parse(sent).map_err(|problem| problem.about("messages"))?;
        sent.asked()
    }

    /// The message that is sent.
    fn sent(&self) -> Result<&RawValue, Problem> {
        let mut newest = self.messages.0.iter().rev();
        let sent = match &self.message_id {
            Some(id) => newest.find(|message| has_id(message, id)),
            None => newest.next(),
        };
        let sent = sent.map(AsRef::as_ref);
        sent.ok_or_else(|| invalid("the chat has no message to send", "messages"))
    }
}

impl ChatMessage {
    fn asked(self) -> Result<Asked, Problem> {
        match self.role {
            Role::User => {
                if self.id.len() > ID_BYTES_MAX {
                    let why = format!("the id of a message has at most {ID_BYTES_MAX} bytes");
                    return Err(invalid(&why, "messages"));
                }
                let text = self.text()?;
                Ok(Asked::Say { id: self.id, text })
            }
            Role::Assistant => Ok(Asked::GoOn(self.claims()?)),
            Role::System => {
                let why = "rooms take no system messages: their definitions say how agents work";
                Err(invalid(why, "messages"))
            }
        }
    }

    /// The decisions that its parts claim. What a part says of its tool, its arguments or its result
    /// is not read.
    fn claims(&self) -> Result<Vec<ClaimedDecision>, Problem> {
        let parts = self
            .parts
            .0
            .iter()
            .filter_map(|part| read::<CallPart>(part));
        let decided = parts.filter(|part| part.state == "approval-responded");
        let mut claims = Vec::new();
        for claim in decided.map(|part| part.approval) {
            if claims.contains(&claim) {
                continue;
            }
            if claims.len() == CLAIMS_MAX {
                let why = format!("a post claims at most {CLAIMS_MAX} decisions");
                return Err(invalid(&why, "messages"));
            }
            claims.push(claim);
        }
        Ok(claims)
    }

    fn text(&self) -> Result<String, Problem> {
        let mut texts = Vec::new();
        for part in &self.parts.0 {
            match read(part) {
                Some(PartKind { kind }) if kind == "file" => {
                    let why = "files are not taken here: POST …/blobs keeps them, POST …/messages \
                               sends them";
                    return Err(invalid(why, "messages"));
                }
                Some(PartKind { kind }) if kind == "text" => {
                    texts.extend(read(part).map(|TextPart { text }| text));
                }
                Some(_) | None => {}
            }
        }
        Ok(texts.join("\n\n"))
    }
}

/// The kind of a part.
#[derive(Debug, Deserialize)]
struct PartKind {
    #[serde(rename = "type")]
    kind: String,
}

/// A part with words.
#[derive(Debug, Deserialize)]
struct TextPart {
    text: String,
}

/// A part about a call that was asked about.
#[derive(Debug, Deserialize)]
struct CallPart {
    state: String,
    approval: ClaimedDecision,
}

/// The id of a message.
#[derive(Debug, Deserialize)]
struct MessageName {
    id: String,
}

fn has_id(message: &RawValue, id: &str) -> bool {
    read(message).is_some_and(|name: MessageName| name.id == id)
}

/// A value, if it has the members of a `T`.
fn read<T: DeserializeOwned>(value: &RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

fn invalid(why: &str, field: &str) -> Problem {
    Problem::new(ProblemCode::Invalid, why).about(field)
}
