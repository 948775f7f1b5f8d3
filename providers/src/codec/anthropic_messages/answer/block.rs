//! A block of an answer.

use folkmoot_core::model::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::note::AnthropicNote;
use super::parts::BuiltParts;
use crate::codec::Delta;
use crate::codec::ending::AnswerEnding;
use crate::codec::json::{Fields, fields_of, is_blank, text_of};

/// A block as far as it has come.
#[derive(Debug)]
pub(super) struct AnswerBlock {
    /// The block's fields as they came, but for a call's input.
    fields: Fields,
    /// The input as a document has it; `None` in a stream.
    input: Option<String>,
    /// The input as a stream brings it: JSON, in pieces. Empty for a document.
    fragments: String,
}

/// The part of a block that a fragment adds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Fragment {
    /// Prose.
    Text,
    /// Reasoning.
    Thinking,
    /// The input of a call.
    Json,
    /// The signature of reasoning.
    Signature,
}

impl Fragment {
    /// The type of the block that such a fragment alone is enough for.
    pub(super) const fn kind(self) -> Option<&'static str> {
        match self {
            Self::Text => Some("text"),
            Self::Thinking => Some("thinking"),
            Self::Json | Self::Signature => None,
        }
    }
}

impl AnswerBlock {
    /// A block that begins with these fields.
    pub(super) const fn new(fields: Fields, input: Option<String>) -> Self {
        Self {
            fields,
            input,
            fragments: String::new(),
        }
    }

    /// An empty block of the same type.
    pub(super) fn next(&self) -> Self {
        Self::of_kind(self.kind())
    }

    /// An empty block of a type.
    pub(super) fn of_kind(kind: &str) -> Self {
        Self::new(Fields::from_iter([("type".to_owned(), json!(kind))]), None)
    }

    pub(super) fn is_text(&self) -> bool {
        self.kind() == "text"
    }

    /// Tells whether such a fragment can be a part of the block.
    pub(super) fn takes(&self, fragment: Fragment) -> bool {
        match fragment {
            Fragment::Text => self.is_text(),
            Fragment::Thinking | Fragment::Signature => self.kind() == "thinking",
            Fragment::Json => !matches!(self.kind(), "text" | "thinking"),
        }
    }

    /// Returns the delta that shows such a fragment, if it is shown.
    pub(super) fn shown(&self, fragment: Fragment) -> Option<fn(String) -> Delta> {
        match fragment {
            Fragment::Text if self.kind() == "text" => Some(Delta::Text),
            Fragment::Thinking if self.kind() == "thinking" => Some(Delta::Reasoning),
            Fragment::Text | Fragment::Thinking | Fragment::Json | Fragment::Signature => None,
        }
    }

    /// Returns the beginning of the block, as it is shown.
    pub(super) fn shown_so_far(&self) -> Option<Delta> {
        let shown = [(Fragment::Text, "text"), (Fragment::Thinking, "thinking")];
        let (delta, field) = shown
            .into_iter()
            .find_map(|(kind, field)| Some((self.shown(kind)?, field)))?;
        let text = text_of(self.fields.get(field));
        (!text.is_empty()).then(|| delta(text.to_owned()))
    }

    /// Adds a fragment.
    pub(super) fn append(&mut self, fragment: Fragment, text: &str) {
        let field = match fragment {
            Fragment::Text => "text",
            Fragment::Thinking => "thinking",
            Fragment::Signature => "signature",
            Fragment::Json => return self.fragments.push_str(text),
        };
        if let Some(Value::String(so_far)) = self.fields.get_mut(field) {
            so_far.push_str(text);
        } else {
            self.fields.insert(field.to_owned(), json!(text));
        }
    }

    /// Adds what a compaction made: a text, and what goes back with it. Takes them out of the
    /// delta. False if it is another block.
    pub(super) fn compact(&mut self, delta: &mut Fields) -> bool {
        if self.kind() != "compaction" {
            return false;
        }
        for field in ["content", "encrypted_content"] {
            match (self.fields.get_mut(field), delta.remove(field)) {
                (_, None | Some(Value::Null)) => {}
                (Some(Value::String(so_far)), Some(Value::String(more))) if field == "content" => {
                    so_far.push_str(&more)
                }
                (_, Some(value)) => drop(self.fields.insert(field.to_owned(), value)),
            }
        }
        true
    }

    /// The block as plain JSON, for keeping.
    pub(super) fn into_json(mut self) -> Value {
        if !self.fragments.is_empty() {
            self.fields
                .insert("input".to_owned(), Value::String(self.fragments));
        }
        Value::Object(self.fields)
    }

    /// Adds a citation.
    pub(super) fn cite(&mut self, citation: Value) {
        if let Some(Value::Array(citations)) = self.fields.get_mut("citations") {
            citations.push(citation);
        } else {
            self.fields
                .insert("citations".to_owned(), Value::Array(vec![citation]));
        }
    }

    /// Adds its parts to an answer.
    pub(super) fn finish(mut self, built: &mut BuiltParts) {
        match self.kind() {
            "text" => {
                let text = self.take_text("text");
                let rest = self.rest();
                // An empty text goes back to nobody: the wire refuses such blocks.
                if text.is_empty() {
                    built.keep("text", rest);
                } else {
                    built.parts.push(Part::Text(text));
                    built.note(AnthropicNote::Text(rest));
                }
            }
            "thinking" => {
                let text = self.take_text("thinking");
                if !text.is_empty() {
                    built.parts.push(Part::Reasoning(text));
                }
                self.fields.remove("type");
                built.note(AnthropicNote::Thinking(self.fields));
            }
            "tool_use" => self.finish_call(built),
            _ => self.finish_stranger(built),
        }
    }

    fn finish_call(mut self, built: &mut BuiltParts) {
        let label = self.take_text("id");
        let tool = self.take_text("name");
        let arguments = self.arguments(built);
        let call = CallPart {
            label,
            tool,
            arguments,
        };
        let is_whole = serde_json::from_str::<Fields>(&call.arguments).is_ok();
        // Without a name nobody can run it, and no wire takes it back.
        if call.tool.is_empty() || (built.ending == AnswerEnding::Refused && !is_whole) {
            built.incomplete_calls.push(json!(call));
            return;
        }
        built.has_cut_calls |= built.ending == AnswerEnding::Cut && !is_whole;
        // That the model itself asks is the rule; only another caller is worth a note.
        self.fields
            .retain(|field, value| !(field == "caller" && *value == json!({ "type": "direct" })));
        built.has_calls = true;
        built.parts.push(Part::Call(call));
        built.note(AnthropicNote::Call(self.rest()));
    }

    /// Returns the arguments as they were written. Where a limit cut the call, the server closes
    /// what there is, or leaves it empty: no arguments are known to be whole then.
    fn arguments(&mut self, built: &mut BuiltParts) -> String {
        let input = self.fields.remove("input").filter(|input| !is_blank(input));
        let fragments = std::mem::take(&mut self.fragments);
        let whole = serde_json::from_str::<Fields>(&fragments).ok();
        // ADR 0027: JSON that was closed by the server looks whole, and the model never wrote its
        // end.
        if built.is_cut && (fragments.is_empty() || whole.is_some()) {
            built.keep(
                "cut_input",
                whole.unwrap_or_else(|| fields_of(input.unwrap_or_default())),
            );
            return String::new();
        }
        match input {
            input if !fragments.is_empty() => {
                built.keep(
                    "input",
                    input
                        .into_iter()
                        .map(|input| ("begun_with".to_owned(), input))
                        .collect(),
                );
                fragments
            }
            Some(input) => self.input.take().unwrap_or_else(|| input.to_string()),
            None => "{}".to_owned(),
        }
    }

    /// A block of the provider's own. It goes back as it came, unless its input broke off.
    fn finish_stranger(mut self, built: &mut BuiltParts) {
        if !self.fragments.is_empty() {
            let Ok(input) = serde_json::from_str(&self.fragments) else {
                self.fields
                    .insert("input".to_owned(), Value::String(self.fragments));
                built.incomplete_blocks.push(Value::Object(self.fields));
                return;
            };
            self.fields.insert("input".to_owned(), input);
        }
        built.note(AnthropicNote::Block(self.fields));
    }

    fn kind(&self) -> &str {
        text_of(self.fields.get("type"))
    }

    /// Takes a text out; what is no text stays.
    fn take_text(&mut self, field: &str) -> String {
        match self.fields.get_mut(field) {
            Some(Value::String(text)) => {
                let text = std::mem::take(text);
                self.fields.remove(field);
                text
            }
            Some(
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_),
            )
            | None => String::new(),
        }
    }

    /// The other fields that say something.
    fn rest(self) -> Fields {
        self.fields
            .into_iter()
            .filter(|(field, value)| field != "type" && !is_blank(value))
            .collect()
    }
}
