//! A message: its texts, told apart by their numbers, and how much of them was shown.

use std::collections::BTreeMap;
use std::ops::Bound;

use folkmoot_core::model::response::Part;
use serde_json::Value;

use super::super::note::{MessageNote, ResponsesNote};
use super::{Remarks, without_blanks};
use crate::codec::Delta;
use crate::codec::json::{Fields, is_blank, text_of};
use crate::codec::warning;

/// The types of pieces that are no text and are known.
const MEDIA: &[&str] = &[
    "output_audio",
    "output_image",
    "output_file",
    "input_image",
    "input_file",
    "input_audio",
];

/// The form of a piece of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Form {
    Text,
    Refusal,
    /// Not known: kept whole.
    Other,
}

impl Form {
    fn of(piece: &Fields) -> Self {
        match text_of(piece.get("type")) {
            "output_text" | "text"
                if piece
                    .get("text")
                    .is_none_or(|text| text.is_string() || text.is_null()) =>
            {
                Self::Text
            }
            "" if piece.get("text").is_some_and(Value::is_string) => Self::Text,
            "refusal" if piece.get("refusal").is_none_or(Value::is_string) => Self::Refusal,
            _ => Self::Other,
        }
    }

    const fn field(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Refusal => "refusal",
            Self::Other => "",
        }
    }
}

/// The place of a piece in its message.
pub(in super::super) type Key = (u64, Form);

/// A piece of content.
#[derive(Debug, Default)]
struct MessagePiece {
    text: String,
    /// The number of bytes of the text that were shown.
    shown: usize,
    /// True if the text is whole.
    is_done: bool,
    /// The fields besides the text; all fields, if the form is not known.
    rest: Fields,
}

/// A message as far as it has come.
#[derive(Debug, Default)]
pub(super) struct MessageItem {
    pieces: BTreeMap<Key, MessagePiece>,
    /// The last piece that was shown to its end.
    passed: Option<Key>,
    fields: Fields,
}

impl MessageItem {
    /// Tells whether the piece was shown to its end, or passed over.
    pub(super) fn has_passed(&self, key: Key) -> bool {
        self.passed.is_some_and(|passed| key <= passed)
    }

    /// Adds a fragment of a text.
    pub(super) fn add(&mut self, key: Key, fragment: &str) {
        self.pieces.entry(key).or_default().text.push_str(fragment);
    }

    /// Returns the part of the whole text that has not come yet; `None` if it is another text.
    pub(super) fn missing<'t>(&self, key: Key, whole: &'t str) -> Option<&'t str> {
        whole.strip_prefix(
            self.pieces
                .get(&key)
                .map_or("", |piece| piece.text.as_str()),
        )
    }

    /// Says that a text is whole.
    pub(super) fn end(&mut self, key: Key) {
        self.pieces.entry(key).or_default().is_done = true;
    }

    /// Adds an annotation that came by itself.
    pub(super) fn annotate(&mut self, number: u64, annotation: Value) {
        let rest = &mut self.pieces.entry((number, Form::Text)).or_default().rest;
        let list = rest
            .entry("annotations")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(annotation);
        }
    }

    /// Takes what a piece has besides its text, and gives the text. Its fields count where none
    /// came before, or `replaces` them.
    pub(super) fn take_piece(
        &mut self,
        number: u64,
        mut fields: Fields,
        replaces: bool,
        remarks: &mut Remarks,
    ) -> (Key, String) {
        let form = Form::of(&fields);
        let key = (number, form);
        let mut text = String::new();
        remarks.warnings.extend(oddity(form, &fields));
        if form != Form::Other {
            fields.remove("type");
            text = text_of(fields.remove(form.field()).as_ref()).to_owned();
            if fields
                .remove("logprobs")
                .is_some_and(|logprobs| !is_blank(&logprobs))
            {
                remarks.warn(warning::LOGPROBS_NOT_KEPT);
            }
            fields = without_blanks(fields);
        }
        let piece = self.pieces.entry(key).or_default();
        if !fields.is_empty() && (replaces || piece.rest.is_empty()) {
            piece.rest = fields;
        }
        (key, text)
    }

    /// Takes the message's own fields, and gives its pieces.
    pub(super) fn take_fields(
        &mut self,
        mut fields: Fields,
        replaces: bool,
        remarks: &mut Remarks,
    ) -> Vec<Fields> {
        let content = match fields.remove("content").unwrap_or_default() {
            Value::String(text) => vec![Fields::from_iter([
                ("type".to_owned(), Value::String("output_text".to_owned())),
                ("text".to_owned(), Value::String(text)),
            ])],
            Value::Array(items) => items
                .into_iter()
                .map(|item| piece_of(item, remarks))
                .collect(),
            Value::Null => Vec::new(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                vec![piece_of(other, remarks)]
            }
        };
        fields.remove("type");
        if text_of(fields.get("role")) == "assistant" {
            fields.remove("role");
        }
        if replaces || self.fields.is_empty() {
            self.fields = without_blanks(fields);
        }
        content
    }

    /// Tells whether the message says anything.
    pub(super) fn has_words(&self) -> bool {
        self.pieces.values().any(|piece| !piece.text.is_empty())
    }

    /// Shows one piece as far as it has come.
    pub(super) fn show(&mut self, key: Key, deltas: &mut Vec<Delta>) -> bool {
        self.pieces
            .get_mut(&key)
            .is_some_and(|piece| piece.show(key.1, deltas))
    }

    /// Shows all that may be shown: up to the end of the first text that is not whole. The last
    /// place where something was shown, and whether the end was reached.
    pub(super) fn show_on(
        &mut self,
        is_done: bool,
        deltas: &mut Vec<Delta>,
    ) -> (Option<Key>, bool) {
        let from = self.passed.map_or(Bound::Unbounded, Bound::Excluded);
        let mut last = None;
        for (key, piece) in self.pieces.range_mut((from, Bound::Unbounded)) {
            if piece.show(key.1, deltas) {
                last = Some(*key);
            }
            if !piece.is_done && !is_done && key.1 != Form::Other {
                return (last, false);
            }
            self.passed = Some(*key);
        }
        (last, is_done)
    }

    /// Adds the message's parts: texts, and a note of the rest.
    pub(super) fn into_parts(self, parts: &mut Vec<Part>) {
        let mut content = Vec::new();
        for ((_, form), piece) in self.pieces {
            if form != Form::Other && !piece.text.is_empty() {
                parts.push(if form == Form::Text {
                    Part::Text(piece.text)
                } else {
                    Part::Refusal(piece.text)
                });
                content.push(piece.rest);
            } else if !piece.rest.is_empty() {
                content.push(whole_piece(form, piece.rest));
            }
        }
        if content.iter().all(Fields::is_empty) {
            content.clear();
        }
        parts.extend(
            ResponsesNote::Message(MessageNote {
                fields: self.fields,
                content,
            })
            .into_part(),
        );
    }
}

impl MessagePiece {
    /// Shows what was not shown yet. True if that is something.
    fn show(&mut self, form: Form, deltas: &mut Vec<Delta>) -> bool {
        let Some(more) = self.text.get(self.shown..).filter(|more| !more.is_empty()) else {
            return false;
        };
        deltas.push(if form == Form::Refusal {
            Delta::Refusal(more.to_owned())
        } else {
            Delta::Text(more.to_owned())
        });
        self.shown = self.text.len();
        true
    }
}

/// A piece of content. A bare text is one of a shape that the wire does not have; what else is no
/// object is kept, and leaves its number unused.
fn piece_of(item: Value, remarks: &mut Remarks) -> Fields {
    match item {
        Value::Object(fields) => fields,
        Value::String(text) => Fields::from_iter([("text".to_owned(), Value::String(text))]),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => {
            if !is_blank(&other) {
                remarks.warn(warning::CONTENT_UNKNOWN);
            }
            remarks.keep("content", other);
            Fields::new()
        }
    }
}

/// The warning of a piece that is not what the wire has, or not for the room.
fn oddity(form: Form, piece: &Fields) -> Option<&'static str> {
    let kind = text_of(piece.get("type"));
    match form {
        Form::Text => kind.is_empty().then_some(warning::CONTENT_UNKNOWN),
        Form::Refusal => None,
        Form::Other if piece.is_empty() => None,
        Form::Other if MEDIA.contains(&kind) => Some(warning::CONTENT_NOT_SHOWN),
        Form::Other => Some(warning::CONTENT_UNKNOWN),
    }
}

/// A piece whose text is empty, or that is none of ours, as it came.
fn whole_piece(form: Form, mut rest: Fields) -> Fields {
    let name = match form {
        Form::Text => "output_text",
        Form::Refusal => "refusal",
        Form::Other => return rest,
    };
    rest.insert("type".to_owned(), Value::String(name.to_owned()));
    rest.insert(form.field().to_owned(), Value::String(String::new()));
    rest
}
