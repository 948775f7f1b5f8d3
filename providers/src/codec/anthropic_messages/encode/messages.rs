//! The conversation as a list of messages, which alternate and begin with a user's.

use std::collections::BTreeSet;

use folkmoot_core::model::CachePlace;
use folkmoot_core::port::Files;
use folkmoot_core::prompt::ModelRequest;
use serde_json::{Value, json};

use super::super::AnthropicMessages;
use super::{blocks, files, mark_last};
use crate::codec::conversation::{Conversation, HeardTurn, WireResult, WireTurn};
use crate::codec::json::text_of;
use crate::codec::warning;

/// The words of a user where the conversation does not begin with one.
const OPENING: &str = "[the conversation begins]";

/// The words of a user where the agent spoke last: it would go on in mid-sentence, and many models
/// refuse that.
const CLOSING: &str = "[go on]";

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
}

impl Role {
    const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Messages as they are put together.
#[derive(Debug, Default)]
struct Messages {
    list: Vec<(Role, Vec<Value>)>,
    warnings: BTreeSet<&'static str>,
}

/// The messages, and what could not be carried.
pub(super) fn messages(
    codec: &AnthropicMessages,
    request: &ModelRequest,
    files: &Files,
) -> (Vec<Value>, BTreeSet<&'static str>) {
    let Conversation { turns, warnings } = Conversation::of(request, files, codec, id_of);
    let mut messages = Messages {
        list: Vec::new(),
        warnings,
    };
    for turn in turns {
        match turn {
            WireTurn::Heard(heard) => messages.hear(&heard),
            WireTurn::Said { parts, ids } => {
                let blocks = blocks::blocks(parts, ids, &mut messages.warnings);
                messages.add(Role::Assistant, blocks);
            }
            WireTurn::Results(results) => {
                messages.add(Role::User, results.iter().map(result).collect())
            }
        }
    }
    messages.frame();
    if let Some((_, blocks)) = messages.list.last_mut() {
        mark_last(blocks, request.parameters(), CachePlace::Conversation);
    }
    let list = messages
        .list
        .into_iter()
        .map(|(role, blocks)| json!({ "role": role.name(), "content": blocks }));
    (list.collect(), messages.warnings)
}

/// Tells whether the model may be told how many tokens to think: the wire refuses that between a
/// call and its result if the turn was begun without thinking, as one of another provider was.
pub(super) fn may_think(messages: &[Value]) -> bool {
    let has = |message: &Value, is_it: fn(&Value) -> bool| {
        message
            .get("content")
            .and_then(Value::as_array)
            .is_some_and(|blocks| blocks.iter().any(is_it))
    };
    let is_result = |block: &Value| text_of(block.get("type")) == "tool_result";
    let is_begun = |message: &&Value| {
        message
            .pointer("/content/0")
            .is_some_and(blocks::is_thinking)
    };
    let of_turn =
        |message: &&Value| text_of(message.get("role")) == "assistant" || has(message, is_result);
    let turn: Vec<&Value> = messages.iter().rev().take_while(of_turn).collect();
    let mut answers = turn
        .iter()
        .copied()
        .filter(|message| text_of(message.get("role")) == "assistant");
    let is_over = turn.first().is_none_or(|last| !has(last, is_result));
    // Within a turn some models think only before its first answer.
    is_over
        || answers.next().as_ref().is_some_and(is_begun)
        || answers.next_back().as_ref().is_some_and(is_begun)
}

impl Messages {
    /// Adds blocks to the last message, if it is of the same role, else a message of them.
    fn add(&mut self, role: Role, blocks: Vec<Value>) {
        match self.list.last_mut() {
            _ if blocks.is_empty() => {}
            // The wire wants the roles to take turns, and all results of an answer in one message.
            Some((last, so_far)) if *last == role => so_far.extend(blocks),
            Some(_) | None => self.list.push((role, blocks)),
        }
    }

    /// Files stand before the words about them, as the provider wants it.
    fn hear(&mut self, heard: &HeardTurn<'_>) {
        let mut blocks: Vec<Value> = heard.files.iter().filter_map(files::block).collect();
        if blocks.len() < heard.files.len() {
            self.warnings.insert(warning::ATTACHMENT_NOT_SENT);
        }
        blocks.extend(text(&heard.text));
        self.add(Role::User, blocks);
    }

    /// Sees to it that a user speaks first, and last. A block of the provider's own tools at the
    /// end is a pause, after which nobody else speaks.
    fn frame(&mut self) {
        if self
            .list
            .first()
            .is_none_or(|(role, _)| *role == Role::Assistant)
        {
            self.warnings.insert(warning::OPENING_ADDED);
            self.list.insert(
                0,
                (Role::User, vec![json!({ "type": "text", "text": OPENING })]),
            );
        }
        let ends_with_text = |(role, blocks): &(Role, Vec<Value>)| {
            *role == Role::Assistant
                && blocks
                    .last()
                    .is_some_and(|block| text_of(block.get("type")) == "text")
        };
        if self.list.last().is_some_and(ends_with_text) {
            self.warnings.insert(warning::CLOSING_ADDED);
            self.add(Role::User, vec![json!({ "type": "text", "text": CLOSING })]);
        }
    }
}

/// A block of text, unless it is blank: the wire refuses those.
pub(super) fn text(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

fn result(result: &WireResult) -> Value {
    let WireResult {
        id,
        text: content,
        failed,
        ..
    } = result;
    let mut block = json!({ "type": "tool_result", "tool_use_id": id });
    if let Some(fields) = block.as_object_mut() {
        if let Some(content) = text(content) {
            fields.insert("content".to_owned(), json!([content]));
        }
        if *failed {
            fields.insert("is_error".to_owned(), json!(true));
        }
    }
    block
}

/// The label, with an underscore for every character that the wire refuses.
fn id_of(label: &str, call: usize) -> String {
    let of_wire = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
            c
        } else {
            '_'
        }
    };
    if label.is_empty() {
        format!("call_{call}")
    } else {
        label.chars().map(of_wire).collect()
    }
}
