//! The agent's own answers.

use std::collections::BTreeSet;

use folkmoot_core::model::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::note::AnthropicNote;
use super::messages::text;
use crate::codec::arguments::object_of;
use crate::codec::json::{Fields, text_of};
use crate::codec::warning;

/// Under this key stand arguments that are no JSON object, as the provider advises: an input has to
/// be one.
const INVALID: &str = "INVALID_JSON";

/// An answer as it is written again.
#[derive(Debug, Default)]
struct AnswerBlocks<'r> {
    /// The blocks so far.
    blocks: Vec<Value>,
    /// Reasoning whose note has not come.
    reasoning: Option<&'r str>,
    /// True if the next note may be about the last block.
    is_open: bool,
}

/// The blocks of an answer whose calls have these `ids`.
pub(super) fn blocks(
    parts: &[Part],
    ids: Vec<String>,
    warnings: &mut BTreeSet<&'static str>,
) -> Vec<Value> {
    let mut said = AnswerBlocks::default();
    let mut ids = ids.into_iter();
    for part in parts {
        if !matches!(part, Part::Opaque(_)) {
            said.drop_reasoning(warnings);
        }
        match part {
            Part::Text(prose) | Part::Refusal(prose) => said.push(text(prose)),
            Part::Reasoning(reasoning) => said.reasoning = Some(reasoning),
            Part::Call(call) => said.push(ids.next().map(|id| call_block(call, &id, warnings))),
            Part::Opaque(opaque) => match AnthropicNote::read(opaque) {
                Some(note) => said.take_note(note, warnings),
                None => drop(warnings.insert(warning::OPAQUE_NOT_CARRIED)),
            },
        }
    }
    said.drop_reasoning(warnings);
    said.drop_last_thinking(warnings);
    said.blocks
}

impl AnswerBlocks<'_> {
    fn push(&mut self, block: Option<Value>) {
        self.is_open = block.is_some();
        self.blocks.extend(block);
    }

    /// Reasoning without a note is of another wire: it has no signature, and would be refused.
    fn drop_reasoning(&mut self, warnings: &mut BTreeSet<&'static str>) {
        if self.reasoning.take().is_some() {
            warnings.insert(warning::REASONING_NOT_CARRIED);
        }
    }

    /// The wire refuses a message that ends with thinking, as that of an answer that was cut while
    /// it thought.
    fn drop_last_thinking(&mut self, warnings: &mut BTreeSet<&'static str>) {
        while self.blocks.last().is_some_and(is_thinking) {
            self.blocks.pop();
            warnings.insert(warning::REASONING_NOT_CARRIED);
        }
    }

    fn take_note(&mut self, note: AnthropicNote, warnings: &mut BTreeSet<&'static str>) {
        match note {
            // It was cut before its signature came, and would be refused.
            AnthropicNote::Thinking(fields) if text_of(fields.get("signature")).is_empty() => {
                self.reasoning = None;
                self.is_open = false;
                warnings.insert(warning::REASONING_NOT_CARRIED);
            }
            AnthropicNote::Thinking(mut fields) => {
                let reasoning = self.reasoning.take().unwrap_or_default();
                fields.insert("type".to_owned(), json!("thinking"));
                fields.insert("thinking".to_owned(), json!(reasoning));
                self.blocks.push(Value::Object(fields));
                self.is_open = false;
            }
            AnthropicNote::Text(fields) => self.extend_last("text", fields),
            AnthropicNote::Call(fields) => self.extend_last("tool_use", fields),
            AnthropicNote::Block(fields) => {
                self.drop_reasoning(warnings);
                self.blocks.push(Value::Object(fields));
                self.is_open = false;
            }
            AnthropicNote::Kept(_) => {}
        }
    }

    /// Gives the last block further fields. It keeps its own.
    fn extend_last(&mut self, kind: &str, fields: Fields) {
        let last = self
            .blocks
            .last_mut()
            .filter(|block| self.is_open && text_of(block.get("type")) == kind);
        if let Some(Value::Object(block)) = last {
            let own = std::mem::replace(block, fields);
            block.extend(own);
        }
    }
}

/// Tells whether a block is reasoning.
pub(super) fn is_thinking(block: &Value) -> bool {
    matches!(text_of(block.get("type")), "thinking" | "redacted_thinking")
}

fn call_block(call: &CallPart, id: &str, warnings: &mut BTreeSet<&'static str>) -> Value {
    let input = object_of(&call.arguments, INVALID, warnings);
    json!({ "type": "tool_use", "id": id, "name": call.tool, "input": input })
}
