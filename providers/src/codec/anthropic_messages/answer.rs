//! An answer, put together from one whole document or from many events.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::codec::json::{Fields, is_blank, text_of};
use crate::codec::kept_fields::KeptFields;
use crate::codec::{DecodeError, Delta, failure, warning};

use super::usage::TokenCounts;

mod block;
mod parts;

use self::block::AnswerBlock;
pub(super) use self::block::Fragment;

/// Facts about a message that say nothing about the answer. They are left out.
const METADATA: &[&str] = &["id", "type", "role", "provider"];

/// The types of blocks that are known; so are those of the results of the provider's own tools.
const BLOCKS: &[&str] = &[
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "container_upload",
    "compaction",
    "fallback",
];

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct AnthropicAnswer {
    /// True once a message has begun.
    has_message: bool,
    /// The provider's id of the message; empty if it gave none.
    id: String,
    /// The stop reason as the provider wrote it; `None` until it has come.
    finish: Option<String>,
    /// The model that says it made the answer.
    model: Option<String>,
    /// The tokens counted so far.
    counts: TokenCounts,
    /// The pieces in the order in which they are shown.
    pieces: Vec<AnswerPiece>,
    /// The place in `pieces` of the last block of each number.
    by_index: BTreeMap<u64, usize>,
    /// The fields that the codec does not understand.
    kept: KeptFields,
    /// The codes of warnings so far.
    warnings: Vec<&'static str>,
}

/// A piece of an answer.
#[derive(Debug)]
enum AnswerPiece {
    /// A block.
    Block(AnswerBlock),
    /// The reason why the provider's classifiers stopped the answer.
    Refusal(String),
}

/// The inputs of a document's blocks as they are written there.
#[derive(Debug, Deserialize)]
struct Inputs<'b> {
    #[serde(borrow)]
    content: Vec<BlockInput<'b>>,
}

/// The input of one block.
#[derive(Debug, Deserialize)]
struct BlockInput<'b> {
    #[serde(borrow)]
    input: Option<&'b RawValue>,
}

/// The event that begins a block.
#[derive(Debug, Deserialize)]
struct Start<'b> {
    #[serde(borrow)]
    content_block: BlockInput<'b>,
}

impl BlockInput<'_> {
    fn written(&self) -> Option<String> {
        self.input.map(|input| input.get().to_owned())
    }
}

impl AnthropicAnswer {
    /// Takes a whole document, and the `body` that it was read from.
    pub(super) fn take_document(
        &mut self,
        document: Fields,
        body: &[u8],
    ) -> Result<(), DecodeError> {
        if let Some(error) = failure::reported(&document) {
            return Err(DecodeError::Reported(error));
        }
        self.has_message = document
            .get("content")
            .is_some_and(|content| !content.is_null());
        // Cut from the body as it is written: a tree of values would not give it back byte for byte
        // (ADR 0016).
        let inputs =
            serde_json::from_slice::<Inputs<'_>>(body).map_or(Vec::new(), |inputs| inputs.content);
        self.take_message(document, &inputs, &mut Vec::new());
        Ok(())
    }

    /// Takes the message with which a stream begins.
    pub(super) fn begin(&mut self, message: Fields, deltas: &mut Vec<Delta>) {
        let id = text_of(message.get("id")).to_owned();
        if !self.pieces.is_empty() {
            let is_replayed = !id.is_empty() && id == self.id;
            self.begin_again(is_replayed);
        }
        self.id = id;
        self.has_message = true;
        self.take_message(message, &[], deltas);
    }

    /// A gateway asked again in mid-answer, and the second message counts. Of the first stay the
    /// texts, which were shown: its calls may be half, or come again. Both are paid for, unless the
    /// same is told once more.
    fn begin_again(&mut self, is_replayed: bool) {
        self.warn(warning::MESSAGE_BEGUN_AGAIN);
        self.finish = None;
        // The second message counts its blocks from 0 again.
        self.by_index.clear();
        if !is_replayed {
            self.counts.begin_again();
        }
        for piece in std::mem::take(&mut self.pieces) {
            match piece {
                AnswerPiece::Block(block) if !block.is_text() => {
                    self.kept.add("earlier_blocks", block.into_json())
                }
                AnswerPiece::Block(_) | AnswerPiece::Refusal(_) => self.pieces.push(piece),
            }
        }
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
    pub(super) fn begin_block(
        &mut self,
        index: Option<u64>,
        block: Value,
        data: &[u8],
        deltas: &mut Vec<Delta>,
    ) {
        self.has_message = true;
        let start = serde_json::from_slice::<Start<'_>>(data).ok();
        self.add_block(
            index,
            block,
            start.and_then(|start| start.content_block.written()),
            deltas,
        );
    }

    /// Adds a fragment to a block. False if there is no such block.
    pub(super) fn append(
        &mut self,
        index: u64,
        fragment: Fragment,
        text: Cow<'_, str>,
        deltas: &mut Vec<Delta>,
    ) -> bool {
        if let Some(kind) = fragment
            .kind()
            .filter(|_| !self.by_index.contains_key(&index))
        {
            // Its beginning is lost, and what it says is not.
            self.warn(warning::DELTA_NOT_TAKEN);
            self.push_block(Some(index), AnswerBlock::of_kind(kind));
        }
        let Some(block) = self
            .block(index, fragment)
            .filter(|block| block.takes(fragment))
        else {
            return false;
        };
        block.append(fragment, &text);
        match block.shown(fragment) {
            Some(delta) if !text.is_empty() => deltas.push(delta(text.into_owned())),
            Some(_) | None => {}
        }
        true
    }

    /// Adds a citation to a block. False if there is no such block.
    pub(super) fn cite(&mut self, index: u64, citation: Value) -> bool {
        self.block(index, Fragment::Json)
            .map(|block| block.cite(citation))
            .is_some()
    }

    /// Adds what a compaction made. False if there is no such block.
    pub(super) fn compact(&mut self, index: u64, delta: &mut Fields) -> bool {
        self.block(index, Fragment::Json)
            .is_some_and(|block| block.compact(delta))
    }

    /// Keeps something of the stream that the codec does not know.
    pub(super) fn keep(&mut self, field: &str, value: Value) {
        self.kept.add(field, value);
    }

    /// Tells whether a stop reason has come.
    pub(super) const fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Adds a code to the warnings, once.
    pub(super) fn warn(&mut self, code: &'static str) {
        if !self.warnings.contains(&code) {
            self.warnings.push(code);
        }
    }

    fn take_message(&mut self, fields: Fields, inputs: &[BlockInput<'_>], deltas: &mut Vec<Delta>) {
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("content", Value::Array(blocks)) => {
                    for (at, block) in blocks.into_iter().enumerate() {
                        self.add_block(
                            None,
                            block,
                            inputs.get(at).and_then(BlockInput::written),
                            deltas,
                        );
                    }
                }
                ("content", content) if !is_blank(&content) => {
                    self.add_block(None, content, None, deltas)
                }
                ("model", Value::String(model)) if !model.is_empty() => self.model = Some(model),
                ("stop_reason", Value::String(reason)) if !reason.is_empty() => {
                    self.finish = Some(reason)
                }
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
        if self.counts.has_several_models() {
            self.warn(warning::MODELS_MIXED);
        }
    }

    /// The explanation is what a person is to read of a refusal.
    fn take_stop_details(&mut self, mut details: Fields, deltas: &mut Vec<Delta>) {
        let is_told = self
            .pieces
            .iter()
            .any(|piece| matches!(piece, AnswerPiece::Refusal(_)));
        if !is_told
            && text_of(details.get("type")) == "refusal"
            && !text_of(details.get("explanation")).is_empty()
        {
            let explanation = details.remove("explanation").unwrap_or_default();
            let explanation = text_of(Some(&explanation)).to_owned();
            deltas.push(Delta::Refusal(explanation.clone()));
            self.pieces.push(AnswerPiece::Refusal(explanation));
        }
        self.kept.add("stop_details", Value::Object(details));
    }

    fn add_block(
        &mut self,
        index: Option<u64>,
        block: Value,
        input: Option<String>,
        deltas: &mut Vec<Delta>,
    ) {
        let block = self.known(block);
        if let Some(model) = block
            .pointer("/to/model")
            .and_then(Value::as_str)
            .filter(|_| is_of(&block, "fallback"))
        {
            self.model = Some(model.to_owned()); // which goes on in the place of the one that was asked
        }
        let Value::Object(fields) = block else {
            return self.kept.add("content", block);
        };
        let block = AnswerBlock::new(fields, input);
        deltas.extend(block.shown_so_far());
        self.push_block(index, block);
    }

    /// The block; what is none, or of an unknown type, is told. A text without a type is one.
    fn known(&mut self, block: Value) -> Value {
        let kind = text_of(block.get("type")).to_owned();
        let is_known = BLOCKS.contains(&kind.as_str()) || kind.ends_with("_tool_result");
        let is_text = |text: &Value| text.is_string() || text.is_null();
        if is_known && (kind != "text" || block.get("text").is_none_or(is_text)) {
            return block;
        }
        self.warn(warning::CONTENT_UNKNOWN);
        match block {
            Value::String(text) => json!({ "type": "text", "text": text }),
            Value::Object(mut fields)
                if kind.is_empty() && fields.get("text").is_some_and(Value::is_string) =>
            {
                fields.insert("type".to_owned(), json!("text"));
                Value::Object(fields)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => block,
        }
    }

    fn push_block(&mut self, index: Option<u64>, block: AnswerBlock) {
        if let Some(index) = index {
            self.by_index.insert(index, self.pieces.len());
        }
        self.pieces.push(AnswerPiece::Block(block));
    }

    /// The block of this number. What is shown of an answer comes in the order of its parts, so
    /// that text for a block that is not the last one begins another.
    fn block(&mut self, index: u64, fragment: Fragment) -> Option<&mut AnswerBlock> {
        let at = *self.by_index.get(&index)?;
        let is_last = at + 1 == self.pieces.len();
        if let Some(AnswerPiece::Block(block)) = self.pieces.get(at)
            && !is_last
            && let Some(next) = block.shown(fragment).map(|_| block.next())
        {
            self.push_block(Some(index), next);
        }
        match self.pieces.get_mut(*self.by_index.get(&index)?) {
            Some(AnswerPiece::Block(block)) => Some(block),
            Some(AnswerPiece::Refusal(_)) | None => None,
        }
    }
}

fn is_of(block: &Value, kind: &str) -> bool {
    text_of(block.get("type")) == kind
}
