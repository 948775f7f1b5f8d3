//! The protocol: items of the feed and pieces of replies in, events out.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::core::ids::{CallId, EpisodeId};
use folkmoot::words;
use folkmoot::{
    AgentName, Author, CloseReason, DraftEnding, FeedActivity, FeedBody, FeedItem, ItemId,
    MessageId,
};
use serde_json::Value;

use super::frame::{Frame, Role};
use crate::protocols::run::DraftNews;
use crate::stream::ItemFrame;

/// The place of a client in a run. All of it follows from the items and drafts that were told.
#[derive(Debug, Clone)]
pub(crate) struct Cursor {
    /// The name of the world, which is part of the messages' ids.
    world: String,
    /// The episodes of the run: the end of others is not its end.
    episodes: BTreeSet<EpisodeId>,
    /// The messages that have begun and not ended, and the bytes of each that were told.
    open: BTreeMap<MessageId, usize>,
    /// The messages that have begun, in this run or before it.
    said: BTreeSet<MessageId>,
    /// The agents whose turn was told to begin, and not to end.
    steps: BTreeSet<AgentName>,
    /// The calls that were told of, in this run or before it.
    told: BTreeSet<CallId>,
    /// The calls whose result was told.
    answered: BTreeSet<CallId>,
    /// The end of the run's last turn that ended without a reply; `None` behind a reply.
    fault: Option<Fault>,
    /// The time of the items that come.
    tense: Tense,
}

/// The time of items, as a run sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tense {
    /// Before the run: a snapshot has no item as it is.
    Past,
    /// In the run.
    Present,
}

/// The reason that a turn ended without a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Somebody stopped it.
    Stopped,
    /// Its agent failed; this says so.
    Failed(String),
}

impl Cursor {
    /// The place before all of a world's items.
    pub(crate) const fn new(world: String, episodes: BTreeSet<EpisodeId>) -> Self {
        Self {
            world,
            episodes,
            open: BTreeMap::new(),
            said: BTreeSet::new(),
            steps: BTreeSet::new(),
            told: BTreeSet::new(),
            answered: BTreeSet::new(),
            fault: None,
            tense: Tense::Present,
        }
    }

    /// The same for items before the run: none is told as it is until [the run
    /// begins](Self::begin_run).
    pub(crate) const fn of_past(world: String, episodes: BTreeSet<EpisodeId>) -> Self {
        let mut cursor = Self::new(world, episodes);
        cursor.tense = Tense::Past;
        cursor
    }

    /// The reason that the run's last turn ended without a reply.
    pub(crate) const fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Begins the run, and forgets how turns ended before it.
    pub(crate) fn begin_run(&mut self) {
        self.fault = None;
        self.tense = Tense::Present;
    }

    fn message_id(&self, message: MessageId) -> String {
        format!("{}#{message}", self.world)
    }

    /// The id of a result: the place of its item, which no message has.
    fn result_id(&self, item: ItemId) -> String {
        format!("{}#{item}.result", self.world)
    }
}

/// The events of an item.
pub(crate) fn frames(cursor: &mut Cursor, item: &FeedItem) -> Vec<Frame> {
    match &item.body {
        FeedBody::Message { .. } => message(cursor, item),
        FeedBody::Request { call, request } => {
            let tool = request.tool.as_ref().map_or("", |tool| tool.as_str());
            let mut frames = call_told(cursor, *call, tool, request.arguments.as_deref());
            frames.extend(custom(cursor, item));
            frames
        }
        FeedBody::CallStarted {
            call,
            tool,
            arguments,
            ..
        } => {
            let mut frames = call_told(cursor, *call, tool, arguments.as_deref());
            frames.extend(custom(cursor, item));
            frames
        }
        FeedBody::CallFinished { call, tool, .. } => finished(cursor, item, *call, tool),
        FeedBody::CallReplaced { call, by } => {
            let words = format!("another call runs in its place: {by}");
            let mut frames = result(cursor, item, *call, words);
            frames.extend(custom(cursor, item));
            frames
        }
        FeedBody::Activity { activity } => {
            let mut frames = step(cursor, item, *activity);
            frames.extend(custom(cursor, item));
            frames
        }
        FeedBody::Notice { .. }
        | FeedBody::Decision { .. }
        | FeedBody::Revised { .. }
        | FeedBody::Branched {}
        | FeedBody::Erased { .. } => custom(cursor, item).into_iter().collect(),
    }
}

/// The events of a piece of a reply, or of its end.
pub(crate) fn draft_frames(cursor: &mut Cursor, draft: &DraftNews) -> Vec<Frame> {
    match draft {
        DraftNews::Piece {
            agent,
            message,
            offset,
            text,
        } => {
            let sent = cursor.open.get(message).copied();
            // What comes behind a gap is told with the message.
            let known = usize::try_from(*offset).ok();
            let known = known.and_then(|offset| sent.unwrap_or(0).checked_sub(offset));
            let new = known.and_then(|known| text.get(known..));
            match new {
                Some(new) if !new.is_empty() => {
                    let mut frames = begun(cursor, *message, Role::Assistant, agent.as_str());
                    frames.extend(piece(cursor, *message, new));
                    frames
                }
                Some(_) | None => Vec::new(),
            }
        }
        DraftNews::End {
            message,
            ending: DraftEnding::Aborted,
        } => ended(cursor, *message),
        // The message follows, and ends it.
        DraftNews::End { .. } => Vec::new(),
    }
}

/// The events that end all that has begun.
pub(crate) fn close(cursor: &mut Cursor) -> Vec<Frame> {
    let open: Vec<MessageId> = cursor.open.keys().copied().collect();
    let ends = open.into_iter().flat_map(|message| ended(cursor, message));
    let mut frames: Vec<Frame> = ends.collect();
    let steps = std::mem::take(&mut cursor.steps);
    frames.extend(steps.into_iter().map(|agent| Frame::StepFinished {
        step_name: agent.to_string(),
    }));
    frames
}

fn message(cursor: &mut Cursor, item: &FeedItem) -> Vec<Frame> {
    let FeedBody::Message {
        message,
        author,
        text: Some(text),
        attachments,
        ..
    } = &item.body
    else {
        return custom(cursor, item).into_iter().collect();
    };
    if matches!(author, Author::Agent(_)) {
        cursor.fault = None;
    }
    let is_open = cursor.open.contains_key(message);
    // A client would add new words to those that it has: a snapshot brings them.
    if cursor.said.contains(message) && !is_open {
        return custom(cursor, item).into_iter().collect();
    }
    let mut frames = begun(cursor, *message, role(author), &author.to_string());
    let sent = cursor.open.get(message).copied().unwrap_or(0);
    frames.extend(piece(cursor, *message, text.get(sent..).unwrap_or("")));
    frames.extend(ended(cursor, *message));
    if !attachments.is_empty() {
        frames.extend(custom(cursor, item));
    }
    frames
}

const fn role(author: &Author) -> Role {
    match author {
        Author::Agent(_) => Role::Assistant,
        Author::Person(_) | Author::Service(_) => Role::User,
        Author::World => Role::System,
    }
}

/// Begins a message, unless it has begun.
fn begun(cursor: &mut Cursor, message: MessageId, role: Role, name: &str) -> Vec<Frame> {
    if cursor.open.contains_key(&message) {
        return Vec::new();
    }
    cursor.open.insert(message, 0);
    cursor.said.insert(message);
    vec![Frame::TextMessageStart {
        message_id: cursor.message_id(message),
        role,
        name: Some(name.to_owned()),
    }]
}

fn piece(cursor: &mut Cursor, message: MessageId, text: &str) -> Option<Frame> {
    if let Some(sent) = cursor.open.get_mut(&message) {
        *sent = sent.saturating_add(text.len());
    }
    (!text.is_empty()).then(|| Frame::TextMessageContent {
        message_id: cursor.message_id(message),
        delta: text.to_owned(),
    })
}

fn ended(cursor: &mut Cursor, message: MessageId) -> Vec<Frame> {
    let was_open = cursor.open.remove(&message).is_some();
    let end = was_open.then(|| Frame::TextMessageEnd {
        message_id: cursor.message_id(message),
    });
    end.into_iter().collect()
}

/// Tells of a call, unless that was told before.
fn call_told(cursor: &mut Cursor, call: CallId, tool: &str, arguments: Option<&str>) -> Vec<Frame> {
    if !cursor.told.insert(call) {
        return Vec::new();
    }
    let tool_call_id = call.to_string();
    let mut frames = vec![Frame::ToolCallStart {
        tool_call_id: tool_call_id.clone(),
        tool_call_name: tool.to_owned(),
    }];
    frames.extend(arguments.map(|arguments| Frame::ToolCallArgs {
        tool_call_id: tool_call_id.clone(),
        delta: arguments.to_owned(),
    }));
    frames.push(Frame::ToolCallEnd { tool_call_id });
    frames
}

fn finished(cursor: &mut Cursor, item: &FeedItem, call: CallId, tool: &str) -> Vec<Frame> {
    let FeedBody::CallFinished { text, views, .. } = &item.body else {
        return Vec::new();
    };
    let views_in_words: Vec<String> = views.iter().map(ToString::to_string).collect();
    let shown = text.clone().or_else(|| {
        let words = views_in_words.join("\n");
        (!words.is_empty()).then_some(words)
    });
    let words = || words::item(&item.body, item.agent.as_ref()).unwrap_or_default();
    let is_late = cursor.answered.contains(&call);
    // Calls that never ran were not told of.
    let mut frames = call_told(cursor, call, tool, None);
    frames.extend(result(cursor, item, call, shown.unwrap_or_else(words)));
    if is_late || !views.is_empty() {
        frames.extend(custom(cursor, item));
    }
    frames
}

/// Tells the result of a call, unless one was told before.
fn result(cursor: &mut Cursor, item: &FeedItem, call: CallId, content: String) -> Vec<Frame> {
    if !cursor.told.contains(&call) || !cursor.answered.insert(call) {
        return Vec::new();
    }
    vec![Frame::ToolCallResult {
        message_id: cursor.result_id(item.id),
        tool_call_id: call.to_string(),
        content,
        role: Role::Tool,
    }]
}

fn step(cursor: &mut Cursor, item: &FeedItem, activity: FeedActivity) -> Vec<Frame> {
    let Some(agent) = &item.agent else {
        return Vec::new();
    };
    let step_name = agent.to_string();
    match activity {
        FeedActivity::TurnOpened if cursor.steps.insert(agent.clone()) => {
            vec![Frame::StepStarted { step_name }]
        }
        FeedActivity::TurnClosed(reason) => {
            note_fault(cursor, item, reason);
            let was_open = cursor.steps.remove(agent);
            let end = was_open.then_some(Frame::StepFinished { step_name });
            end.into_iter().collect()
        }
        FeedActivity::TurnOpened | FeedActivity::EpisodeEnded => Vec::new(),
    }
}

fn note_fault(cursor: &mut Cursor, item: &FeedItem, reason: CloseReason) {
    let is_ours = |episode| cursor.episodes.contains(&episode);
    if !item.episode.is_some_and(is_ours) {
        return;
    }
    match reason {
        CloseReason::Stopped => cursor.fault = Some(Fault::Stopped),
        CloseReason::Failed | CloseReason::Limit => {
            let words = words::item(&item.body, item.agent.as_ref());
            cursor.fault = Some(Fault::Failed(words.unwrap_or_default()));
        }
        CloseReason::Answered
        | CloseReason::Passed
        | CloseReason::Superseded
        | CloseReason::HandedOff => {}
    }
}

/// The item itself, as the feed has it, under the name of its kind; `None` before the run.
fn custom(cursor: &Cursor, item: &FeedItem) -> Option<Frame> {
    if cursor.tense == Tense::Past {
        return None;
    }
    let value = serde_json::to_value(ItemFrame::from(item.clone()));
    Some(Frame::Custom {
        name: format!("folkmoot.{}", item.body.word()),
        // No item has a map whose keys are no strings.
        value: value.unwrap_or(Value::Null),
    })
}
