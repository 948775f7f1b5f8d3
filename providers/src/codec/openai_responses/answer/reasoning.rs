//! Reasoning: what may be read of it, and the item that goes back as it came.

use std::collections::BTreeMap;

use folkmoot_core::model::response::Part;
use serde_json::{Value, json};

use super::super::note::ResponsesNote;
use crate::codec::json::{Fields, is_blank, text_of};

/// A text of a reasoning item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum ReasoningSource {
    /// The reasoning itself.
    Content,
    /// A summary of it.
    Summary,
}

impl ReasoningSource {
    const ALL: [Self; 2] = [Self::Content, Self::Summary];

    const fn field(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Summary => "summary",
        }
    }

    const fn kind(self) -> &'static str {
        match self {
            Self::Content => "reasoning_text",
            Self::Summary => "summary_text",
        }
    }
}

/// Reasoning as far as it has come.
#[derive(Debug, Default)]
pub(super) struct ReasoningItem {
    fields: Fields,
    /// Texts that came in pieces. The item's own count, once they are there.
    texts: BTreeMap<(ReasoningSource, u64), String>,
}

impl ReasoningItem {
    /// Adds a fragment of a text.
    pub(super) fn add(&mut self, source: ReasoningSource, number: u64, fragment: &str) {
        self.texts
            .entry((source, number))
            .or_default()
            .push_str(fragment);
    }

    /// Takes a whole text.
    pub(super) fn settle(&mut self, source: ReasoningSource, number: u64, whole: String) {
        if !whole.is_empty() {
            self.texts.insert((source, number), whole);
        }
    }

    /// Takes the item that it is.
    pub(super) fn take_fields(&mut self, fields: Fields, replaces: bool) {
        if replaces || self.fields.is_empty() {
            self.fields = fields;
        }
    }

    /// Adds the texts, and the item, into which texts go that came only in pieces.
    pub(super) fn into_parts(mut self, parts: &mut Vec<Part>) {
        for source in ReasoningSource::ALL {
            if self.fields.get(source.field()).is_none_or(is_blank) {
                self.adopt(source);
            }
            let texts = self.fields.get(source.field()).and_then(Value::as_array);
            let texts = texts
                .into_iter()
                .flatten()
                .map(|piece| text_of(piece.get("text")));
            parts.extend(
                texts
                    .filter(|text| !text.is_empty())
                    .map(|text| Part::Reasoning(text.to_owned())),
            );
        }
        self.fields.insert("type".to_owned(), json!("reasoning"));
        self.fields.entry("summary").or_insert_with(|| json!([]));
        parts.extend(ResponsesNote::Item(self.fields).into_part());
    }

    fn adopt(&mut self, source: ReasoningSource) {
        let own = self
            .texts
            .iter()
            .filter(|((of, _), text)| *of == source && !text.is_empty());
        let texts: Vec<Value> = own
            .map(|(_, text)| json!({ "type": source.kind(), "text": text }))
            .collect();
        if !texts.is_empty() {
            self.fields
                .insert(source.field().to_owned(), Value::Array(texts));
        }
    }
}
