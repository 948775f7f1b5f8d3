//! Streams: events in, deltas out, and the answer at the end.

use std::borrow::Cow;

use folkmoot_core::model::response::LLMResponse;
use serde::Deserialize;
use serde_json::Value;

use super::answer::{AnthropicAnswer, Fragment};
use crate::codec::events::WireEvents;
use crate::codec::json::{Fields, fields_of, object, text_of};
use crate::codec::warning;
use crate::codec::{DecodeError, Delta, failure};

/// The events of one stream.
#[derive(Debug, Default)]
pub(super) struct MessageEvents {
    answer: AnthropicAnswer,
    is_done: bool,
}

/// The event that streams are made of, as it nearly always looks. It borrows what needs no
/// unescaping.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockDelta<'e> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'e, str>,
    index: u64,
    #[serde(borrow)]
    delta: EventPiece<'e>,
}

/// The addition that an event makes. The fields are no options, since those would not borrow.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventPiece<'e> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'e, str>,
    #[serde(borrow, default)]
    text: Cow<'e, str>,
    #[serde(borrow, default)]
    thinking: Cow<'e, str>,
    #[serde(borrow, default)]
    partial_json: Cow<'e, str>,
    #[serde(borrow, default)]
    signature: Cow<'e, str>,
}

impl<'e> EventPiece<'e> {
    /// The fragment, if it is one and nothing else.
    fn into_fragment(self) -> Option<(Fragment, Cow<'e, str>)> {
        let fragment = Fragment::of(&self.kind)?;
        let Self {
            text,
            thinking,
            partial_json,
            signature,
            ..
        } = self;
        let (own, others) = match fragment {
            Fragment::Text => (text, [thinking, partial_json, signature]),
            Fragment::Thinking => (thinking, [text, partial_json, signature]),
            Fragment::Json => (partial_json, [text, thinking, signature]),
            Fragment::Signature => (signature, [text, thinking, partial_json]),
        };
        others
            .iter()
            .all(|other| other.is_empty())
            .then_some((fragment, own))
    }
}

impl Fragment {
    fn of(kind: &str) -> Option<Self> {
        Some(match kind {
            "text_delta" => Self::Text,
            "thinking_delta" => Self::Thinking,
            "input_json_delta" => Self::Json,
            "signature_delta" => Self::Signature,
            _ => return None,
        })
    }

    const fn field(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::Json => "partial_json",
            Self::Signature => "signature",
        }
    }
}

impl WireEvents for MessageEvents {
    fn take(
        &mut self,
        name: &str,
        data: &[u8],
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        // ADR 0016: the common event is read without a tree of values; whatever is odd about it
        // goes the long way.
        if matches!(name, "content_block_delta" | "") && self.take_usual(data, deltas) {
            return Ok(());
        }
        // Some gateways end with it, as the streams of another wire do.
        if data == b"[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let event = object(data)?;
        let kind = if event.contains_key("type") {
            text_of(event.get("type"))
        } else {
            name
        }
        .to_owned();
        // Some gateways put an error into an event of another name.
        if kind == "error" || failure::reported(&event).is_some() {
            return Err(DecodeError::Reported(failure::of_event(event)));
        }
        self.take_event(&kind, event, data, deltas);
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn into_response(self) -> Result<LLMResponse, DecodeError> {
        if !self.is_done && !self.answer.is_finished() {
            return Err(DecodeError::CutOff);
        }
        self.answer.into_response()
    }
}

impl MessageEvents {
    /// Takes a delta that holds what it should and nothing else. False if it has to be looked at
    /// more closely.
    fn take_usual(&mut self, data: &[u8], deltas: &mut Vec<Delta>) -> bool {
        let Ok(event) = serde_json::from_slice::<BlockDelta<'_>>(data) else {
            return false;
        };
        let fragment = event
            .delta
            .into_fragment()
            .filter(|_| event.kind == "content_block_delta");
        fragment
            .is_some_and(|(fragment, text)| self.answer.append(event.index, fragment, text, deltas))
    }

    fn take_event(&mut self, kind: &str, mut event: Fields, data: &[u8], deltas: &mut Vec<Delta>) {
        let index = event.get("index").and_then(Value::as_u64);
        match kind {
            "message_start" => {
                let message = event.remove("message").unwrap_or_default();
                self.answer.begin(fields_of(message), deltas);
                self.keep_rest("message_start", event, &["type"]);
            }
            "content_block_start" => {
                let block = event.remove("content_block").unwrap_or_default();
                self.answer.begin_block(index, block, data, deltas);
                self.keep_rest("content_block_start", event, &["type", "index"]);
            }
            "content_block_delta" => self.take_block_delta(index, event, deltas),
            "content_block_stop" => self.keep_rest("content_block_stop", event, &["type", "index"]),
            "message_delta" => self.answer.take_delta(event, deltas),
            "message_stop" => {
                self.is_done = true;
                self.keep_rest("message_stop", event, &["type"]);
            }
            "ping" => self.keep_rest("ping", event, &["type"]),
            _ => self.answer.keep("events", Value::Object(event)),
        }
    }

    /// Keeps those fields of an event that are not `known`.
    fn keep_rest(&mut self, name: &str, mut event: Fields, known: &[&str]) {
        event.retain(|field, _| !known.contains(&field.as_str()));
        self.answer.keep(name, Value::Object(event));
    }

    /// Takes a delta of any shape: what is known of it counts, and the rest is kept.
    fn take_block_delta(&mut self, index: Option<u64>, mut event: Fields, deltas: &mut Vec<Delta>) {
        let (Some(index), Some(Value::Object(delta))) = (index, event.get_mut("delta")) else {
            return self.answer.keep("events", Value::Object(event));
        };
        let kind = text_of(delta.get("type")).to_owned();
        let is_taken = if kind == "citations_delta" {
            let citation = delta
                .get("citation")
                .filter(|citation| citation.is_object())
                .cloned();
            let is_taken = citation.is_some_and(|citation| self.answer.cite(index, citation));
            is_taken.then(|| delta.remove("citation")).is_some()
        } else if kind == "compaction_delta" {
            self.answer.compact(index, delta)
        } else if let Some(fragment) = Fragment::of(&kind) {
            let text = delta
                .get(fragment.field())
                .and_then(Value::as_str)
                .map(str::to_owned);
            let is_taken =
                text.is_some_and(|text| self.answer.append(index, fragment, text.into(), deltas));
            is_taken.then(|| delta.remove(fragment.field())).is_some()
        } else {
            false
        };
        if !is_taken {
            self.answer.warn(warning::DELTA_NOT_TAKEN);
            return self.answer.keep("events", Value::Object(event));
        }
        delta.remove("type");
        let rest = std::mem::take(delta);
        self.answer.keep("delta", Value::Object(rest));
        self.keep_rest("content_block_delta", event, &["type", "index", "delta"]);
    }
}
