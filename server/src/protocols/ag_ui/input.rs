//! The request of a client, of which only the newest message and the answers to requests count.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::frame::Outcome;
use crate::limits::ServerLimits;
use crate::problem::{Problem, ProblemCode};
use crate::request::parse;

/// The longest id of a run, in bytes: it is part of the keys of what the run does.
const RUN_ID_BYTES_MAX: usize = 100;

/// The most answers of a run.
const ANSWERS_MAX: usize = 64;

/// A run, as a client of AG-UI asks for it. Other members are not read.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunAgentInput {
    /// The room's name.
    pub(super) thread_id: String,
    /// The id of the run. A run that is sent again posts and decides nothing twice.
    pub(super) run_id: String,
    /// The version that the client speaks; none before 1.0.
    #[serde(default)]
    protocol_version: Option<String>,
    /// The client's memory. Only the last message is read, and only if it is the user's and new.
    #[schema(value_type = Vec<Object>)]
    messages: Vec<Box<RawValue>>,
    /// The client's own tools. None is taken.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    tools: Vec<Box<RawValue>>,
    /// Texts for the agent. None is taken.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    context: Vec<Box<RawValue>>,
    /// The client state, if the room has one.
    #[serde(default)]
    #[schema(value_type = Object)]
    state: Option<Box<RawValue>>,
    /// The answers to the interrupts of the run before.
    #[serde(default)]
    pub(super) resume: Vec<ResumeEntry>,
}

/// The answer to an interrupt.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeEntry {
    /// The interrupt's id.
    pub(super) interrupt_id: String,
    /// The kind of the answer.
    pub(super) status: ResumeStatus,
    /// The answer, as the interrupt's schema says.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub(super) payload: Option<Box<RawValue>>,
}

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResumeStatus {
    /// It was answered.
    Resolved,
    /// It was left.
    Cancelled,
}

/// The last message of a client.
#[derive(Debug, Deserialize)]
struct InputMessage {
    id: String,
    role: String,
    #[serde(default)]
    content: Value,
}

impl RunAgentInput {
    /// Refuses a run of another room, an id that is part of no key, and answers that no run has.
    pub(super) fn check(&self, world: &str, limits: &ServerLimits) -> Result<(), Problem> {
        let invalid = |field, why| Err(Problem::new(ProblemCode::Invalid, why).about(field));
        if self.thread_id != world {
            return invalid(
                "threadId",
                "the thread is the room that the path names".to_owned(),
            );
        }
        if !(1..=RUN_ID_BYTES_MAX).contains(&self.run_id.len()) {
            let why = format!("the id of a run has 1 to {RUN_ID_BYTES_MAX} bytes");
            return invalid("runId", why);
        }
        check_answers(&self.resume, limits.body_bytes_max)
    }

    /// The words that are to be posted: those of the last message, if it is the user's and not one
    /// that the room gave.
    pub(super) fn news(&self) -> Result<Option<String>, Problem> {
        let Some(last) = self.messages.last() else {
            return Ok(None);
        };
        let message: InputMessage =
            parse(last.get().as_bytes()).map_err(|problem| problem.about("messages"))?;
        let is_known = message.id.starts_with(&format!("{}#", self.thread_id));
        if message.role != "user" || is_known {
            return Ok(None);
        }
        words(&message.content).map(Some)
    }

    /// The client state, unless it is empty.
    pub(super) fn told_state(&self) -> Option<&str> {
        let state = self.state.as_ref().map(|state| state.get().trim());
        state.filter(|state| !matches!(*state, "null" | "{}"))
    }

    /// The outcome of a run that was stopped: clients before 1.0 know of none.
    pub(super) const fn stopped(&self) -> Outcome {
        if self.protocol_version.is_some() {
            Outcome::Cancelled
        } else {
            Outcome::Success
        }
    }

    /// The members that hold something which no room takes.
    pub(super) fn untaken(&self) -> Vec<&'static str> {
        let members = [("tools", &self.tools), ("context", &self.context)];
        let untaken = members.into_iter().filter(|(_, member)| !member.is_empty());
        untaken.map(|(name, _)| name).collect()
    }
}

/// Refuses more answers than a run has, two to one interrupt, and one that is longer than the body
/// in which people give it elsewhere.
fn check_answers(answers: &[ResumeEntry], bytes_max: usize) -> Result<(), Problem> {
    let fault = |code, why: String| Err(Problem::new(code, why).about("resume"));
    if answers.len() > ANSWERS_MAX {
        let why = format!("a run has at most {ANSWERS_MAX} answers");
        return fault(ProblemCode::Invalid, why);
    }
    let mut answered = BTreeSet::new();
    for ResumeEntry {
        interrupt_id,
        payload,
        ..
    } in answers
    {
        if !answered.insert(interrupt_id) {
            let why = format!("there are two answers to {interrupt_id}");
            return fault(ProblemCode::Invalid, why);
        }
        let length = payload.as_ref().map_or(0, |payload| payload.get().len());
        if length > bytes_max {
            let why = format!("an answer has at most {bytes_max} bytes");
            return fault(ProblemCode::TooLarge, why);
        }
    }
    Ok(())
}

/// The words of a message's content: a text, or parts of which each is one.
fn words(content: &Value) -> Result<String, Problem> {
    let parts = match content {
        Value::String(text) => return Ok(text.clone()),
        Value::Array(parts) => parts,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            return Err(no_words());
        }
    };
    let texts = parts.iter().map(|part| {
        let is_text = part.get("type").and_then(Value::as_str) == Some("text");
        let text = part.get("text").and_then(Value::as_str);
        text.filter(|_| is_text).ok_or_else(no_words)
    });
    texts
        .collect::<Result<Vec<&str>, _>>()
        .map(|texts| texts.join("\n"))
}

fn no_words() -> Problem {
    let why = "the newest message is to be words alone: files are posted at `POST …/messages`";
    Problem::new(ProblemCode::Invalid, why).about("messages")
}
