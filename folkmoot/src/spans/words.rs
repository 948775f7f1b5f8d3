//! The words of spans, which are those of the feed: what people can read in the room.

use folkmoot_core::ids::{CallId, Position, TurnId};
use folkmoot_core::world::projection::{FeedBody, FeedItem};
use serde_json::{Value, json};

/// The message at `at`, as a model is given it.
pub(super) fn heard(words: &[FeedItem], at: Position) -> Option<Value> {
    let item = words.iter().find(|item| item.id.at == at)?;
    let FeedBody::Message { text, author, .. } = &item.body else {
        return None;
    };
    let part = json!({ "type": "text", "content": text.as_ref()? });
    Some(json!({ "role": "user", "name": author.to_string(), "parts": [part] }))
}

/// The words that were said in a turn, a part for each message.
pub(super) fn said(words: &[FeedItem], turn: TurnId) -> Vec<Value> {
    let said = |item: &FeedItem| {
        let FeedBody::Message { text, .. } = &item.body else {
            return None;
        };
        Some(json!({ "type": "text", "content": text.as_ref()? }))
    };
    let of_turn = words.iter().filter(|item| item.turn == Some(turn));
    of_turn.filter_map(said).collect()
}

/// The arguments of a call that starts.
pub(super) fn arguments(words: &[FeedItem], started: CallId) -> Option<String> {
    words.iter().find_map(|item| {
        if let FeedBody::CallStarted {
            call, arguments, ..
        } = &item.body
            && *call == started
        {
            arguments.clone()
        } else {
            None
        }
    })
}

/// The result of a call that ends: its words, or the views that people see in their place, as JSON.
pub(super) fn result(words: &[FeedItem], ended: CallId) -> Option<String> {
    words.iter().find_map(|item| {
        if let FeedBody::CallFinished {
            call, text, views, ..
        } = &item.body
            && *call == ended
        {
            let seen = || (!views.is_empty()).then(|| json!(views).to_string());
            text.clone().or_else(seen)
        } else {
            None
        }
    })
}
