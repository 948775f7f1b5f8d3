//! The parts of an answer out of the feed of a room.
//!
//! An answer is all of an episode: what agents said and did because of one message. It is a function
//! of the feed from that message on. A step is told while turns are open, so that each call that
//! waits for a person stands in the last step: clients send decisions by themselves only from there.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::core::ids::EpisodeId;
use folkmoot::core::tool::View;
use folkmoot::{
    AgentName, Author, CloseReason, FeedActivity, FeedBody, FeedItem, MessageId, TurnId, words,
};
use serde_json::{Value, json};

use super::calls::{Call, Calls, Reader};
use super::part::{FinishReason, Part};
use super::speech::Speech;
use crate::protocols::run::{DraftNews, Rest};

/// The place in an answer: all that its parts so far mean for the next ones.
#[derive(Debug)]
pub(crate) struct Cursor {
    world: String,
    episode: EpisodeId,
    /// The open turns of the episode, by their agents. A step is open as long as one is.
    turns: BTreeMap<AgentName, TurnId>,
    speech: Speech,
    calls: Calls,
    /// The messages of agents that were told.
    said: BTreeSet<MessageId>,
    /// The words about the last turn that failed; `None` if none did.
    failure: Option<String>,
    /// True once a turn was stopped.
    is_stopped: bool,
}

impl Cursor {
    /// The beginning of the answer to the message that began `episode` in the world called `world`.
    pub(crate) fn new(world: String, episode: EpisodeId, reader: Reader) -> Self {
        Self {
            calls: Calls::none(world.clone(), reader),
            world,
            episode,
            turns: BTreeMap::new(),
            speech: Speech::default(),
            said: BTreeSet::new(),
            failure: None,
            is_stopped: false,
        }
    }

    /// The first part. The same answer has the same id each time.
    pub(crate) fn start(&self) -> Part {
        Part::Start {
            message_id: format!("{}#{}", self.world, self.episode),
        }
    }

    /// Tells whether an item belongs to the answer. Some about its calls and messages name no
    /// episode.
    fn has(&self, item: &FeedItem) -> bool {
        if let Some(episode) = item.episode {
            return episode == self.episode;
        }
        match &item.body {
            FeedBody::CallStarted { call, .. }
            | FeedBody::CallFinished { call, .. }
            | FeedBody::CallReplaced { call, .. }
            | FeedBody::Request { call, .. }
            | FeedBody::Decision { call, .. } => self.calls.has(*call),
            FeedBody::Revised { message, .. } => {
                self.said.contains(message) || message.0 == self.episode.0
            }
            FeedBody::Branched {} | FeedBody::Erased { .. } => true,
            FeedBody::Message { .. } | FeedBody::Notice { .. } | FeedBody::Activity { .. } => false,
        }
    }
}

/// The parts that an item adds to the answer.
pub(crate) fn frames(cursor: &mut Cursor, item: &FeedItem) -> Vec<Part> {
    if !cursor.has(item) {
        return Vec::new();
    }
    match &item.body {
        FeedBody::Message { .. } => message(cursor, item),
        FeedBody::Request { .. } | FeedBody::Decision { .. } => consent(cursor, item),
        FeedBody::CallStarted { .. } | FeedBody::CallFinished { .. } => call(cursor, item),
        FeedBody::CallReplaced { call, by } => {
            cursor.calls.replace(*call, *by);
            Vec::new()
        }
        FeedBody::Activity { activity } => activity_of(cursor, item, *activity),
        FeedBody::Branched {} => end_step(cursor),
        FeedBody::Notice { .. } | FeedBody::Revised { .. } | FeedBody::Erased { .. } => {
            beside(item).into_iter().collect()
        }
    }
}

/// The parts that a draft adds to the answer. It belongs to the turn that its agent is in.
pub(crate) fn drafts(cursor: &mut Cursor, news: &DraftNews) -> Vec<Part> {
    match news {
        DraftNews::Piece {
            agent,
            message,
            offset,
            text,
        } if cursor.turns.contains_key(agent) => {
            // No draft is longer than what can be addressed.
            let offset = usize::try_from(*offset).unwrap_or(usize::MAX);
            cursor.speech.write(agent, *message, offset, text)
        }
        DraftNews::Piece { .. } => Vec::new(),
        DraftNews::End { message, ending } => cursor.speech.end_draft(*message, *ending),
    }
}

/// Tells whether an item is the end of the answer's episode.
pub(crate) fn ends(cursor: &Cursor, item: &FeedItem) -> bool {
    let activity = FeedActivity::EpisodeEnded;
    item.episode == Some(cursor.episode) && item.body == FeedBody::Activity { activity }
}

/// The last parts of an answer that rests.
pub(crate) fn rest(cursor: &mut Cursor, rest: Rest) -> Vec<Part> {
    let mut parts = end_step(cursor);
    parts.push(match (rest, cursor.failure.take()) {
        (Rest::Waits, _) => Part::Finish {
            finish_reason: FinishReason::ToolCalls,
        },
        (Rest::Over, _) if cursor.is_stopped => Part::Abort {
            reason: "the answer was stopped".to_owned(),
        },
        (Rest::Over, Some(error_text)) => Part::Error { error_text },
        (Rest::Over, None) => Part::Finish {
            finish_reason: FinishReason::Stop,
        },
    });
    parts
}

/// The last parts of an answer that is left in the middle: the client is to come again.
pub(crate) fn bye(cursor: &mut Cursor) -> Vec<Part> {
    let mut parts = end_step(cursor);
    parts.push(Part::Error {
        error_text: "the server ends: resume the stream when it is back".to_owned(),
    });
    parts
}

fn end_step(cursor: &mut Cursor) -> Vec<Part> {
    let mut parts = cursor.speech.end_all();
    if !cursor.turns.is_empty() {
        cursor.turns.clear();
        parts.push(Part::FinishStep);
    }
    parts
}

fn message(cursor: &mut Cursor, item: &FeedItem) -> Vec<Part> {
    let FeedBody::Message {
        message,
        author,
        text,
        ..
    } = &item.body
    else {
        return Vec::new();
    };
    match (author, text) {
        // The client has the message that it answers.
        _ if item.id.at == cursor.episode.0 => Vec::new(),
        (Author::Agent(agent), Some(text)) => {
            cursor.said.insert(*message);
            cursor.speech.say(agent, *message, text)
        }
        (Author::Agent(_), None) => cursor.speech.end(*message).into_iter().collect(),
        (Author::Person(_) | Author::Service(_) | Author::World, _) => vec![Part::DataMessage {
            id: item.id.to_string(),
            data: json!({ "author": author.to_string(), "text": text }),
        }],
    }
}

fn activity_of(cursor: &mut Cursor, item: &FeedItem, activity: FeedActivity) -> Vec<Part> {
    match (activity, &item.agent, item.turn) {
        (FeedActivity::TurnOpened, Some(agent), Some(turn)) => begin_turn(cursor, agent, turn),
        (FeedActivity::TurnClosed(reason), Some(agent), _) => {
            match reason {
                CloseReason::Failed | CloseReason::Limit => {
                    cursor.failure = words::item(&item.body, Some(agent));
                }
                CloseReason::Stopped => cursor.is_stopped = true,
                CloseReason::Answered
                | CloseReason::Passed
                | CloseReason::Superseded
                | CloseReason::HandedOff => {}
            }
            end_turn(cursor, agent)
        }
        (FeedActivity::TurnOpened | FeedActivity::TurnClosed(_), _, _) => Vec::new(),
        // The end of the answer: see `ends` and `rest`.
        (FeedActivity::EpisodeEnded, _, _) => Vec::new(),
    }
}

fn begin_turn(cursor: &mut Cursor, agent: &AgentName, turn: TurnId) -> Vec<Part> {
    let is_first = cursor.turns.is_empty();
    cursor.turns.insert(agent.clone(), turn);
    if !is_first {
        return Vec::new();
    }
    cursor.speech.forget_speaker();
    vec![Part::StartStep]
}

fn end_turn(cursor: &mut Cursor, agent: &AgentName) -> Vec<Part> {
    let mut parts = cursor.speech.end_of(agent);
    let was_open = cursor.turns.remove(agent).is_some();
    if was_open && cursor.turns.is_empty() {
        parts.push(Part::FinishStep);
    }
    parts
}

/// Requests and their ends.
fn consent(cursor: &mut Cursor, item: &FeedItem) -> Vec<Part> {
    if let FeedBody::Request { call, request } = &item.body {
        let tool = request.tool.as_ref().map_or("", |tool| tool.as_str());
        let arguments = request.arguments.as_deref();
        let id = *call;
        let call = Call {
            id,
            tool,
            arguments,
        };
        let mut parts = tell(cursor, item, &call);
        parts.push(cursor.calls.ask(id, request));
        parts
    } else if let FeedBody::Decision {
        request, how, text, ..
    } = &item.body
    {
        let response = cursor.calls.decide(*request, how, text.as_deref());
        response.into_iter().chain(beside(item)).collect()
    } else {
        Vec::new()
    }
}

/// A call that was not told yet, and whose it is.
fn tell(cursor: &mut Cursor, item: &FeedItem, call: &Call<'_>) -> Vec<Part> {
    if cursor.calls.has(call.id) {
        return Vec::new();
    }
    let speaker = item.agent.as_ref();
    let speaker = speaker.and_then(|agent| cursor.speech.turn_to(agent));
    let begun = cursor.calls.tell(call);
    speaker.into_iter().chain(begun).collect()
}

/// The beginning and the end of a run of a tool.
fn call(cursor: &mut Cursor, item: &FeedItem) -> Vec<Part> {
    if let FeedBody::CallStarted {
        call,
        tool,
        arguments,
        ..
    } = &item.body
    {
        let call = Call {
            id: *call,
            tool,
            arguments: arguments.as_deref(),
        };
        let begun = tell(cursor, item, &call);
        if begun.is_empty() {
            cursor.calls.start(&call).into_iter().collect()
        } else {
            begun
        }
    } else if let FeedBody::CallFinished {
        call,
        tool,
        status,
        text,
        views,
        ..
    } = &item.body
    {
        let id = *call;
        // One that never ran was not told before.
        let call = Call {
            id,
            tool,
            arguments: None,
        };
        let mut parts = tell(cursor, item, &call);
        let words = words::item(&item.body, item.agent.as_ref()).unwrap_or_default();
        let output = output(text.as_deref(), views, &words);
        parts.extend(cursor.calls.finish(id, status, output, words));
        parts.extend(artifacts(item, views));
        parts
    } else {
        Vec::new()
    }
}

/// The result of a call as people see it: its views, else its words, else how it ended.
fn output(text: Option<&str>, views: &[View], words: &str) -> Value {
    if views.is_empty() {
        Value::String(text.unwrap_or(words).to_owned())
    } else {
        json!(views)
    }
}

fn artifacts(item: &FeedItem, views: &[View]) -> Vec<Part> {
    let artifacts = views.iter().enumerate().filter_map(|(number, view)| {
        let View::Artifact(artifact) = view else {
            return None;
        };
        Some(Part::DataArtifact {
            id: format!("{}-{number}", item.id),
            data: json!({ "agent": item.agent, "kind": artifact.kind, "data": artifact.data }),
        })
    });
    artifacts.collect()
}

/// An item that the protocol has no words for.
fn beside(item: &FeedItem) -> Option<Part> {
    let id = item.id.to_string();
    let words = words::item(&item.body, item.agent.as_ref());
    match &item.body {
        FeedBody::Notice { notice, to } => Some(Part::DataNotice {
            id,
            data: json!({ "words": words, "to": to, "notice": notice }),
        }),
        FeedBody::Decision {
            request,
            how,
            by,
            arguments,
            ..
        } => {
            let by = by.as_ref().map(ToString::to_string);
            let data = json!({
                "request": request, "how": how, "by": by, "arguments": arguments, "words": words,
            });
            Some(Part::DataDecision { id, data })
        }
        FeedBody::Revised { message, how, gone } => Some(Part::DataRevised {
            id,
            data: json!({ "message": message, "how": how, "gone": gone }),
        }),
        FeedBody::Erased { events } => Some(Part::DataErased {
            id,
            data: json!({ "events": events }),
        }),
        FeedBody::Message { .. }
        | FeedBody::Request { .. }
        | FeedBody::CallStarted { .. }
        | FeedBody::CallFinished { .. }
        | FeedBody::CallReplaced { .. }
        | FeedBody::Activity { .. }
        | FeedBody::Branched {} => None,
    }
}
