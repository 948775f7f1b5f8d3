//! The scripted model: it says what a script wrote down for each agent.
//!
//! It keeps no state. Which replies are used up comes with the call, out of the log, so that a
//! restart repeats none.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::event::Purpose;
use folkmoot_core::ids::AgentName;
use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind, Part, Reply};
use folkmoot_core::port::{Drafts, Model, ModelCall};
use folkmoot_core::prompt::border::Fence;
use folkmoot_core::prompt::{Item, ModelRequest};
use serde::Deserialize;

use crate::reply::show;

mod reply;
#[cfg(test)]
mod tests;

use reply::ScriptedAnswer;
pub use reply::{ReplyError, ScriptedReply};

/// The warning of an answer that is empty because all replies are used up.
pub const SCRIPT_EXHAUSTED: &str = "script_exhausted";

/// The summary that an agent gives whose script has none.
pub const SCRIPTED_SUMMARY: &str = "There was an earlier conversation.";

/// The settings of a scripted model in a script: nothing but its name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedSettings {
    /// The adapter's name, as a script has it. Not read here.
    pub provider: Option<String>,
    /// The model's name, as a script has it. Not read here.
    pub model: Option<String>,
}

/// Plays replies. Those with a `when` that fits are tried first, in order, and are used up only if
/// they say `once`; then comes the first of the others that is not used up. Summaries are played
/// for summaries only.
#[derive(Debug, Clone, Default)]
pub struct ScriptedModel {
    /// The replies of each agent, in the order of the script.
    replies: BTreeMap<AgentName, Vec<ScriptedReply>>,
}

impl ScriptedModel {
    /// A model that plays `replies`, by agent. An agent without any passes at once.
    #[must_use]
    pub const fn new(replies: BTreeMap<AgentName, Vec<ScriptedReply>>) -> Self {
        Self { replies }
    }

    fn next(&self, call: &ModelCall) -> Option<NextReply<'_>> {
        let replies = self.replies.get(&call.agent)?;
        let is_summary = call.purpose == Purpose::Compaction;
        let may_play = |index: u32, reply: &ScriptedReply| {
            reply.is_summary() == is_summary && !reply.is_used_up(index, &call.played)
        };
        let numbered = || {
            (0..)
                .zip(replies)
                .filter(|(index, reply)| may_play(*index, reply))
        };
        let heard = last_heard(&call.request);
        let fitting =
            numbered().find(|(_, reply)| reply.when.as_ref().is_some_and(|when| when.fits(heard)));
        let (index, reply) =
            fitting.or_else(|| numbered().find(|(_, reply)| reply.when.is_none()))?;
        Some(NextReply {
            index,
            played: reply.is_consumed().then_some(index),
            reply,
        })
    }
}

/// The reply to play.
struct NextReply<'a> {
    index: u32,
    /// The reply's number, if playing it uses it up.
    played: Option<u32>,
    reply: &'a ScriptedReply,
}

/// The last message, or the last tool result without its fence.
fn last_heard(request: &ModelRequest) -> &str {
    let text = |item: &Item| match item {
        Item::Heard { .. } | Item::Result { .. } => true,
        Item::Said { .. } | Item::Notice { .. } | Item::State { .. } | Item::Summary { .. } => {
            false
        }
    };
    match request
        .items()
        .iter()
        .rev()
        .map(AsRef::as_ref)
        .find(|item| text(item))
    {
        Some(Item::Heard { text, .. }) => text,
        Some(Item::Result { text, .. }) => Fence::ToolOutput.inside(text),
        Some(
            Item::Said { .. } | Item::Notice { .. } | Item::State { .. } | Item::Summary { .. },
        )
        | None => "",
    }
}

#[async_trait]
impl Model for ScriptedModel {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let Some(NextReply {
            index,
            played,
            reply,
        }) = self.next(call)
        else {
            if call.purpose == Purpose::Compaction {
                return Ok(LLMResponse::text(SCRIPTED_SUMMARY));
            }
            return Ok(LLMResponse::Text(Reply {
                warnings: vec![SCRIPT_EXHAUSTED.to_owned()],
                ..Reply::default()
            }));
        };
        // By the room's clock, so that a simulated pause takes no time (ADR 0007).
        if let Some(pause) = reply.pause {
            call.clock.sleep_until(call.clock.now().after(pause)).await;
        }
        let usage = reply.usage;
        match &reply.answer {
            ScriptedAnswer::Fails { kind, retry_after } => {
                Err(failure(*kind, *retry_after, played))
            }
            ScriptedAnswer::Refuses(text) => {
                let parts = vec![Part::Refusal(text.clone())];
                Ok(LLMResponse::Refused(Reply {
                    parts,
                    played,
                    usage,
                    ..Reply::default()
                }))
            }
            ScriptedAnswer::Summarises(text) => Ok(LLMResponse::Text(Reply {
                parts: vec![Part::Text(text.clone())],
                played,
                usage,
                ..Reply::default()
            })),
            ScriptedAnswer::Says {
                chunks,
                is_streamed,
                calls,
            } => {
                if *is_streamed {
                    for chunk in chunks {
                        show(drafts, chunk)
                            .await
                            .map_err(|error| ModelError { played, ..error })?;
                    }
                }
                let text = Some(chunks.concat())
                    .filter(|text| !text.is_empty())
                    .map(Part::Text);
                let calls = (0..)
                    .zip(calls)
                    .map(|(ordinal, call)| Part::Call(call.part(index, ordinal)));
                let parts: Vec<Part> = text.into_iter().chain(calls).collect();
                let has_calls = parts.iter().any(|part| matches!(part, Part::Call(_)));
                let reply = Reply {
                    parts,
                    played,
                    usage,
                    ..Reply::default()
                };
                Ok(if has_calls {
                    LLMResponse::Calls(reply)
                } else {
                    LLMResponse::Text(reply)
                })
            }
        }
    }
}

fn failure(kind: ModelErrorKind, retry_after: Option<Duration>, played: Option<u32>) -> ModelError {
    let error =
        ModelError::new(kind, "the script says that this attempt fails").retry_after(retry_after);
    ModelError { played, ..error }
}
