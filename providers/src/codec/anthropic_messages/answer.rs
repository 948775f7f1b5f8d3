//! One answer, put together from one whole document or from many events.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::codec::json::{Fields, fields_of, text_of};
use crate::codec::kept::Kept;
use crate::codec::{DecodeError, Delta, failure};

use super::usage::Counts;

mod block;
mod parts;

use self::block::Block;
pub(super) use self::block::Fragment;

/// Facts about a message that say nothing about the answer. They are left out.
const METADATA: &[&str] = &["id", "type", "role", "provider"];

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Answer {
    has_message: bool,
    finish: Option<String>,
    model: Option<String>,
    counts: Counts,
    pieces: Vec<Piece>,
    /// Where the last block of each number stands.
    by_index: BTreeMap<u64, usize>,
    kept: Kept,
    warnings: Vec<&'static str>,
}

/// What an answer is made of.
#[derive(Debug)]
enum Piece {
    /// A block.
    Block(Block),
    /// Why the provider's classifiers stopped the answer.
    Refusal(String),
}

/// The inputs of a document's blocks as they are written there.
#[derive(Debug, Deserialize)]
struct Inputs<'b> {
    #[serde(borrow)]
    content: Vec<Input<'b>>,
}

/// The input of one block.
#[derive(Debug, Deserialize)]
struct Input<'b> {
    #[serde(borrow)]
    input: Option<&'b RawValue>,
}

/// The event that begins a block.
#[derive(Debug, Deserialize)]
struct Start<'b> {
    #[serde(borrow)]
    content_block: Input<'b>,
}

impl Input<'_> {
    fn written(&self) -> Option<String> {
        self.input.map(|input| input.get().to_owned())
    }
}

impl Answer {
    /// Takes a whole document, and the `body` that it was read from.
    pub(super) fn take_document(&mut self, document: Fields, body: &[u8]) -> Result<(), DecodeError> {
        if let Some(error) = failure::reported(&document) {
            return Err(DecodeError::Reported(error));
        }
        self.has_message = document.contains_key("content");
        let inputs = serde_json::from_slice::<Inputs<'_>>(body).map_or(Vec::new(), |inputs| inputs.content);
        self.take_message(document, &inputs, &mut Vec::new());
        Ok(())
    }

    /// Takes the message with which a stream begins.
    pub(super) fn begin(&mut self, message: Fields, deltas: &mut Vec<Delta>) {
        self.has_message = true;
        self.take_message(message, &[], deltas);
    }

    /// Takes what is told of the message near its end.
    pub(super) fn take_delta(&mut self, event: Fields, deltas: &mut Vec<Delta>) {
        for (name, value) in event {
            match (name.as_str(), value) {
                ("type", _) => {}
                ("delta", Value::Object(fields)) => self.take_message(fields, &[], deltas),
                ("usage", usage @ Value::Object(_)) => self.take_usage(usage),
                (field, value) => self.kept.add(field, value),
            }
        }
    }

    /// Begins a block. `data` is the event that it came in.
    pub(super) fn begin_block(&mut self, index: Option<u64>, block: Value, data: &[u8], deltas: &mut Vec<Delta>) {
        self.has_message = true;
        let start = serde_json::from_slice::<Start<'_>>(data).ok();
        self.add_block(index, block, start.and_then(|start| start.content_block.written()), deltas);
    }

    /// Adds a fragment to a block. False if there is no such block.
    pub(super) fn append(
        &mut self,
        index: u64,
        fragment: Fragment,
        text: Cow<'_, str>,
        deltas: &mut Vec<Delta>,
    ) -> bool {
        let Some(block) = self.block(index, fragment) else { return false };
        block.append(fragment, &text);
        match block.shown(fragment) {
            Some(delta) if !text.is_empty() => deltas.push(delta(text.into_owned())),
            Some(_) | None => {}
        }
        true
    }

    /// Adds a citation to a block. False if there is no such block.
    pub(super) fn cite(&mut self, index: u64, citation: Value) -> bool {
        self.block(index, Fragment::Json).map(|block| block.cite(citation)).is_some()
    }

    /// Keeps something of the stream that the codec does not know.
    pub(super) fn keep(&mut self, field: &str, value: Value) {
        self.kept.add(field, value);
    }

    /// Whether a stop reason has come.
    pub(super) const fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Adds a code to the warnings, once.
    pub(super) fn warn(&mut self, code: &'static str) {
        if !self.warnings.contains(&code) {
            self.warnings.push(code);
        }
    }

    fn take_message(&mut self, fields: Fields, inputs: &[Input<'_>], deltas: &mut Vec<Delta>) {
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("content", Value::Array(blocks)) => {
                    for (at, block) in blocks.into_iter().enumerate() {
                        self.add_block(None, block, inputs.get(at).and_then(Input::written), deltas);
                    }
                }
                ("model", Value::String(model)) if !model.is_empty() => self.model = Some(model),
                ("stop_reason", Value::String(reason)) if !reason.is_empty() => self.finish = Some(reason),
                ("stop_details", Value::Object(details)) => self.take_stop_details(details, deltas),
                ("usage", usage @ Value::Object(_)) => self.take_usage(usage),
                (field, _) if METADATA.contains(&field) => {}
                (field, value) => self.kept.add(field, value),
            }
        }
    }

    fn take_usage(&mut self, usage: Value) {
        for (field, value) in self.counts.take(usage) {
            self.kept.add(&field, value);
        }
    }

    /// The explanation is what a person is to read of a refusal.
    fn take_stop_details(&mut self, mut details: Fields, deltas: &mut Vec<Delta>) {
        let is_told = self.pieces.iter().any(|piece| matches!(piece, Piece::Refusal(_)));
        if !is_told && text_of(details.get("type")) == "refusal" && !text_of(details.get("explanation")).is_empty() {
            let explanation = details.remove("explanation").unwrap_or_default();
            let explanation = text_of(Some(&explanation)).to_owned();
            deltas.push(Delta::Refusal(explanation.clone()));
            self.pieces.push(Piece::Refusal(explanation));
        }
        self.kept.add("stop_details", Value::Object(details));
    }

    fn add_block(&mut self, index: Option<u64>, block: Value, input: Option<String>, deltas: &mut Vec<Delta>) {
        if !block.is_object() {
            return self.kept.add("content", block);
        }
        let block = Block::new(fields_of(block), input);
        deltas.extend(block.shown_so_far());
        self.push_block(index, block);
    }

    fn push_block(&mut self, index: Option<u64>, block: Block) {
        if let Some(index) = index {
            self.by_index.insert(index, self.pieces.len());
        }
        self.pieces.push(Piece::Block(block));
    }

    /// The block of this number. What is shown of an answer comes in the order of its parts, so that text for a block
    /// that is not the last one begins another.
    fn block(&mut self, index: u64, fragment: Fragment) -> Option<&mut Block> {
        let at = *self.by_index.get(&index)?;
        let is_last = at.saturating_add(1) == self.pieces.len();
        if let Some(Piece::Block(block)) = self.pieces.get(at)
            && !is_last
            && let Some(next) = block.shown(fragment).map(|_| block.next())
        {
            self.push_block(Some(index), next);
        }
        match self.pieces.get_mut(*self.by_index.get(&index)?) {
            Some(Piece::Block(block)) => Some(block),
            Some(Piece::Refusal(_)) | None => None,
        }
    }
}
