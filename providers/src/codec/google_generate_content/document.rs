//! The documents of this wire.

use folkmoot_core::model::response::Usage;
use serde::de::{IgnoredAny, MapAccess};
use serde_json::Value;
use serde_json::value::RawValue;

use super::shape::{Expected, List, Shape, Text};
use crate::codec::json::Fields;

/// A whole answer, or an event of a stream.
#[derive(Debug, Default)]
pub(super) struct GoogleDocument<'de> {
    pub(super) candidates: Option<List<Candidate<'de>>>,
    pub(super) usage: Option<Expected<GoogleCounts>>,
    pub(super) model: Option<Text<'de>>,
    pub(super) rest: Fields,
}

/// An answer to a request, among several.
#[derive(Debug, Default)]
pub(super) struct Candidate<'de> {
    pub(super) content: Option<Expected<CandidateContent<'de>>>,
    pub(super) finish: Option<Text<'de>>,
    pub(super) index: Option<u64>,
    pub(super) rest: Fields,
}

/// The words of a candidate.
#[derive(Debug, Default)]
pub(super) struct CandidateContent<'de> {
    pub(super) parts: Option<List<ContentPiece<'de>>>,
    pub(super) rest: Fields,
}

/// A part of a content.
#[derive(Debug, Default)]
pub(super) struct ContentPiece<'de> {
    pub(super) text: Option<Text<'de>>,
    pub(super) thought: Option<Value>,
    pub(super) call: Option<Expected<FunctionCall<'de>>>,
    pub(super) rest: Fields,
}

/// A tool call.
#[derive(Debug, Default)]
pub(super) struct FunctionCall<'de> {
    pub(super) id: Option<Text<'de>>,
    pub(super) name: Option<Text<'de>>,
    /// As they were written.
    pub(super) args: Option<&'de RawValue>,
    /// Arguments that come one by one, and in pieces.
    pub(super) partial: Option<Value>,
    /// `true` if more of the call follows.
    pub(super) goes_on: Option<Value>,
    pub(super) rest: Fields,
}

/// Token counts.
#[derive(Debug, Default)]
pub(super) struct GoogleCounts {
    prompt: Option<u64>,
    tool_use: Option<u64>,
    cached: Option<u64>,
    candidates: Option<u64>,
    thoughts: Option<u64>,
    total: Option<u64>,
}

impl<'de> Shape<'de> for GoogleDocument<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<(), A::Error> {
        match name {
            "candidates" => self.candidates = Some(fields.next_value()?),
            "usageMetadata" => self.usage = Some(fields.next_value()?),
            "modelVersion" => self.model = Some(fields.next_value()?),
            // They say nothing about the answer.
            "responseId" | "createTime" => skip(fields)?,
            other => keep(&mut self.rest, other, fields)?,
        }
        Ok(())
    }
}

impl<'de> Shape<'de> for Candidate<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<(), A::Error> {
        match name {
            "content" => self.content = Some(fields.next_value()?),
            "finishReason" => self.finish = Some(fields.next_value()?),
            "index" => self.index = number(fields)?,
            other => keep(&mut self.rest, other, fields)?,
        }
        Ok(())
    }
}

impl<'de> Shape<'de> for CandidateContent<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<(), A::Error> {
        match name {
            "parts" => self.parts = Some(fields.next_value()?),
            "role" => skip(fields)?,
            other => keep(&mut self.rest, other, fields)?,
        }
        Ok(())
    }
}

impl<'de> Shape<'de> for ContentPiece<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<(), A::Error> {
        match name {
            "text" => self.text = Some(fields.next_value()?),
            "thought" => self.thought = Some(fields.next_value()?),
            "functionCall" => self.call = Some(fields.next_value()?),
            other => keep(&mut self.rest, other, fields)?,
        }
        Ok(())
    }
}

impl<'de> Shape<'de> for FunctionCall<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<(), A::Error> {
        match name {
            "id" => self.id = Some(fields.next_value()?),
            "name" => self.name = Some(fields.next_value()?),
            "args" => self.args = Some(fields.next_value()?),
            "partialArgs" => self.partial = Some(fields.next_value()?),
            "willContinue" => self.goes_on = Some(fields.next_value()?),
            other => keep(&mut self.rest, other, fields)?,
        }
        Ok(())
    }
}

impl<'de> Shape<'de> for GoogleCounts {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<(), A::Error> {
        match name {
            "promptTokenCount" => self.prompt = number(fields)?,
            "toolUsePromptTokenCount" => self.tool_use = number(fields)?,
            "cachedContentTokenCount" => self.cached = number(fields)?,
            "candidatesTokenCount" => self.candidates = number(fields)?,
            "thoughtsTokenCount" => self.thoughts = number(fields)?,
            "totalTokenCount" => self.total = number(fields)?,
            _ => skip(fields)?, // the same by modality, and the tier
        }
        Ok(())
    }
}

impl GoogleCounts {
    /// Returns the usage. The texts that the provider's own tools read are input too. Candidates
    /// and thoughts are counted apart, and a count of none may be left out.
    pub(super) fn usage(&self) -> Usage {
        let input = self
            .prompt
            .map(|prompt| prompt.saturating_add(self.tool_use.unwrap_or_default()));
        let parts = [self.candidates, self.thoughts]
            .into_iter()
            .flatten()
            .reduce(u64::saturating_add);
        let output = parts.or_else(|| self.total?.checked_sub(input?));
        Usage {
            input,
            output,
            cached: self.cached,
            cache_written: None,
            reasoning: self.thoughts,
        }
    }
}

impl Candidate<'_> {
    /// The candidate as plain JSON, for keeping one that is not the answer.
    pub(super) fn into_value(self) -> Value {
        let mut fields = self.rest;
        put(
            &mut fields,
            "content",
            self.content
                .map(|content| value_of(content, CandidateContent::into_value)),
        );
        put(&mut fields, "finishReason", self.finish.map(text_value));
        put(&mut fields, "index", self.index.map(Value::from));
        Value::Object(fields)
    }
}

impl CandidateContent<'_> {
    fn into_value(self) -> Value {
        let mut fields = self.rest;
        let piece = |piece| value_of(piece, ContentPiece::into_value);
        let list = |pieces: Vec<_>| pieces.into_iter().map(piece).collect();
        put(
            &mut fields,
            "parts",
            self.parts.map(|parts| value_of(parts, list)),
        );
        Value::Object(fields)
    }
}

impl ContentPiece<'_> {
    fn into_value(self) -> Value {
        let mut fields = self.rest;
        put(&mut fields, "text", self.text.map(text_value));
        put(&mut fields, "thought", self.thought);
        put(
            &mut fields,
            "functionCall",
            self.call
                .map(|call| value_of(call, FunctionCall::into_value)),
        );
        Value::Object(fields)
    }
}

impl FunctionCall<'_> {
    /// Tells whether the call names a tool.
    pub(super) fn has_name(&self) -> bool {
        matches!(&self.name, Some(Expected::As(name)) if !name.is_empty())
    }

    /// The call as plain JSON, for keeping one that cannot be read.
    pub(super) fn into_value(self) -> Value {
        let mut fields = self.rest;
        put(&mut fields, "id", self.id.map(text_value));
        put(&mut fields, "name", self.name.map(text_value));
        let args = |args: &RawValue| {
            serde_json::from_str(args.get()).unwrap_or_else(|_| Value::from(args.get()))
        };
        put(&mut fields, "args", self.args.map(args));
        put(&mut fields, "partialArgs", self.partial);
        put(&mut fields, "willContinue", self.goes_on);
        Value::Object(fields)
    }
}

fn put(fields: &mut Fields, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        fields.insert(name.to_owned(), value);
    }
}

fn value_of<T>(read: Expected<T>, of_known: impl FnOnce(T) -> Value) -> Value {
    match read {
        Expected::As(known) => of_known(known),
        Expected::Other(value) => value,
    }
}

fn text_value(text: Text<'_>) -> Value {
    value_of(text, |text| Value::from(text.into_owned()))
}

fn keep<'de, A: MapAccess<'de>>(
    rest: &mut Fields,
    name: &str,
    fields: &mut A,
) -> Result<(), A::Error> {
    rest.insert(name.to_owned(), fields.next_value()?);
    Ok(())
}

fn skip<'de, A: MapAccess<'de>>(fields: &mut A) -> Result<(), A::Error> {
    fields.next_value::<IgnoredAny>().map(drop)
}

/// A count; anything that is none says nothing.
fn number<'de, A: MapAccess<'de>>(fields: &mut A) -> Result<Option<u64>, A::Error> {
    Ok(fields.next_value::<&RawValue>()?.get().parse().ok())
}
