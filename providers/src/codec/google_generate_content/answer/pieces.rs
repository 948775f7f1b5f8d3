//! The parts of an answer.

use std::borrow::Cow;

use folkmoot_core::model::response::{CallPart, Part};
use serde_json::Value;

use super::super::document::{ContentPiece, FunctionCall};
use super::super::note::{GoogleNote, PartKind};
use super::super::shape::Expected;
use super::GoogleAnswer;
use crate::codec::Delta;
use crate::codec::json::Fields;
use crate::codec::warning;

/// Goes back in the part in which it came, also in one that says nothing else.
const SIGNATURE: &str = "thoughtSignature";

/// The fields of parts that are known.
const KNOWN: &[&str] = &[
    "thought",
    SIGNATURE,
    "inlineData",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "functionResponse",
    "toolCall",
    "toolResponse",
    "videoMetadata",
    "partMetadata",
    "mediaResolution",
    "audioTranscription",
];

/// The fields among them that are files.
const MEDIA: &[&str] = &["inlineData", "fileData"];

impl GoogleAnswer {
    /// Takes one part. What of it the vocabulary of answers has no word for stands in a note right
    /// behind it.
    pub(super) fn take_piece(&mut self, piece: ContentPiece<'_>, deltas: &mut Vec<Delta>) {
        let ContentPiece {
            text,
            thought,
            call,
            mut rest,
        } = piece;
        let kind = if thought == Some(Value::Bool(true)) {
            PartKind::Thought
        } else {
            PartKind::Text
        };
        let mut keep = |field: &str, value: Value| {
            if !value.is_null() {
                rest.insert(field.to_owned(), value);
            }
        };
        keep(
            "thought",
            thought
                .filter(|thought| !thought.is_boolean())
                .unwrap_or_default(),
        );
        let text = text.and_then(|text| text.or_keep(|value| keep("text", value)));
        let mut broken = None;
        let call = call.and_then(|call| self.whole_call(call, &mut rest));
        let call = call.and_then(|call| readable(call).or_keep(|value| broken = Some(value)));
        if let Some(call) = broken {
            return self.keep_broken(call, text, marked(rest, kind), deltas);
        }
        match (text, call) {
            (None, None) if rest.is_empty() => {}
            (None, None) => self.take_stranger_part(marked(rest, kind)),
            (Some(text), None) => self.take_text(kind, text, rest, deltas),
            (None, Some(call)) => self.take_call(call, marked(rest, kind)),
            (Some(text), Some(call)) => {
                self.take_text(kind, text, Fields::new(), deltas);
                self.take_call(call, rest);
            }
        }
    }

    /// A part that holds neither text nor a call goes back as it came.
    fn take_stranger_part(&mut self, part: Fields) {
        if !part.keys().all(|field| KNOWN.contains(&field.as_str())) {
            self.warn(warning::CONTENT_UNKNOWN);
        }
        if part.keys().any(|field| MEDIA.contains(&field.as_str())) {
            self.warn(warning::CONTENT_NOT_SHOWN);
        }
        self.push_note(GoogleNote::Part(part));
    }

    /// A call that nobody can run: it is kept, and does not go back. Text beside it stands.
    fn keep_broken(
        &mut self,
        call: Value,
        text: Option<Cow<'_, str>>,
        mut rest: Fields,
        deltas: &mut Vec<Delta>,
    ) {
        self.warn(warning::CALLS_INCOMPLETE);
        if let Some(text) = text {
            let kind = if rest.remove("thought").is_some() {
                PartKind::Thought
            } else {
                PartKind::Text
            };
            self.take_text(kind, text, rest, deltas);
        } else {
            self.kept.add("parts", Value::Object(rest));
        }
        self.kept.add("incomplete_calls", call);
    }

    /// A part with a signature stays one part; the others are joined.
    pub(super) fn take_text(
        &mut self,
        kind: PartKind,
        text: Cow<'_, str>,
        mut rest: Fields,
        deltas: &mut Vec<Delta>,
    ) {
        if text.is_empty() {
            if rest.keys().any(|field| field == SIGNATURE) && rest.len() == 1 {
                rest.insert("text".to_owned(), Value::from(""));
            }
            return self.push_note(GoogleNote::Part(if rest.is_empty() {
                rest
            } else {
                marked(rest, kind)
            }));
        }
        let so_far = match (kind, self.parts.last_mut()) {
            (PartKind::Thought, Some(Part::Reasoning(so_far)))
            | (PartKind::Text | PartKind::Call, Some(Part::Text(so_far)))
                if rest.is_empty() =>
            {
                Some(so_far)
            }
            _ => None,
        };
        if let Some(so_far) = so_far {
            so_far.push_str(&text);
        } else {
            let text = text.clone().into_owned();
            self.parts.push(if kind == PartKind::Thought {
                Part::Reasoning(text)
            } else {
                Part::Text(text)
            });
            self.push_note(GoogleNote::With {
                part: kind,
                fields: rest,
            });
        }
        let text = text.into_owned();
        deltas.push(if kind == PartKind::Thought {
            Delta::Reasoning(text)
        } else {
            Delta::Text(text)
        });
    }

    /// Arguments that are left out are none: the wire leaves empty objects out.
    fn take_call(&mut self, call: FunctionCall<'_>, mut rest: Fields) {
        let FunctionCall {
            id,
            name,
            args,
            rest: mut of_call,
            ..
        } = call;
        let mut text = |field: &str, text: Option<Expected<Cow<'_, str>>>| {
            let text = text.and_then(|text| {
                text.or_keep(|value| drop(of_call.insert(field.to_owned(), value)))
            });
            text.unwrap_or_default().into_owned()
        };
        let label = text("id", id);
        let tool = text("name", name);
        if !label.is_empty() {
            of_call.insert("id".to_owned(), Value::from(label.clone()));
        }
        of_call.retain(|_, value| !value.is_null());
        if !of_call.is_empty() {
            rest.insert("functionCall".to_owned(), Value::Object(of_call));
        }
        let arguments = args
            .map(|args| args.get())
            .filter(|args| *args != "null")
            .unwrap_or("{}")
            .to_owned();
        self.parts.push(Part::Call(CallPart {
            label,
            tool,
            arguments,
        }));
        self.push_note(GoogleNote::With {
            part: PartKind::Call,
            fields: rest,
        });
    }

    fn push_note(&mut self, note: GoogleNote) {
        self.parts.extend(note.into_part());
    }
}

/// A call without a name is none that anybody could run.
fn readable(call: Expected<FunctionCall<'_>>) -> Expected<FunctionCall<'_>> {
    match call {
        Expected::As(unnamed) if !unnamed.has_name() => Expected::Other(unnamed.into_value()),
        Expected::As(_) | Expected::Other(_) => call,
    }
}

/// The fields of a part that is no text, and whether it is a thought.
fn marked(mut fields: Fields, kind: PartKind) -> Fields {
    if kind == PartKind::Thought {
        fields.insert("thought".to_owned(), Value::Bool(true));
    }
    fields
}
