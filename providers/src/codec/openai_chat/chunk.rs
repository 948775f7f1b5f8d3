//! A chunk of the shape that nearly all have, read without a tree of values in between.
//!
//! Texts borrow from the event where they hold no escapes. Whatever else is in a chunk makes it no
//! such chunk, and it is read the long way: this is a shortcut, and takes the same from a chunk as
//! [`ChatAnswer::take_chunk`](super::answer::Answer) does. It accepts nothing that the long way
//! refuses, so what it skips is read as strictly as what it keeps.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A text that borrows from the event if it can.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'e>(#[serde(borrow)] pub(super) Cow<'e, str>);

/// The chunk.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chunk<'e> {
    #[serde(borrow, default)]
    pub(super) object: Option<Text<'e>>,
    #[serde(borrow, default)]
    pub(super) model: Option<Text<'e>>,
    #[serde(borrow)]
    pub(super) choices: One<ChunkChoice<'e>>,
    #[serde(default)]
    pub(super) usage: Option<Value>,
    #[serde(default, rename = "id")]
    _id: Skipped,
    #[serde(default, rename = "created")]
    _created: Skipped,
    #[serde(default, rename = "service_tier")]
    _service_tier: Skipped,
    #[serde(default, rename = "system_fingerprint")]
    _system_fingerprint: Skipped,
    #[serde(default, rename = "provider")]
    _provider: Skipped,
    #[serde(default, rename = "obfuscation")]
    _obfuscation: Skipped,
    #[serde(default, rename = "p")]
    _p: Skipped,
    #[serde(default, rename = "prompt_token_ids")]
    _prompt_token_ids: Skipped,
}

/// A choice of a chunk.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChunkChoice<'e> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) delta: Option<ChunkDelta<'e>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Option<Text<'e>>,
    /// Only null: whatever it says is for the long way.
    #[serde(default, rename = "logprobs")]
    _logprobs: (),
    #[serde(default, rename = "native_finish_reason")]
    _native_finish_reason: Skipped,
    #[serde(default, rename = "stop_reason")]
    _stop_reason: Skipped,
    #[serde(default, rename = "token_ids")]
    _token_ids: Skipped,
    #[serde(default, rename = "content_filter_results")]
    _content_filter_results: Skipped,
}

/// The delta of a choice.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChunkDelta<'e> {
    #[serde(borrow, default)]
    pub(super) content: Option<Text<'e>>,
    #[serde(borrow, default)]
    pub(super) reasoning: Option<Text<'e>>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Option<Text<'e>>,
    #[serde(borrow, default)]
    pub(super) refusal: Option<Text<'e>>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<CallFragment<'e>>>,
    #[serde(default, rename = "role")]
    _role: Skipped,
    #[serde(default, rename = "padding")]
    _padding: Skipped,
}

/// A fragment of a call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallFragment<'e> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) id: Option<Text<'e>>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'e>>,
    #[serde(borrow, default)]
    pub(super) function: Option<Function<'e>>,
}

/// The function of a fragment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Function<'e> {
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'e>>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Text<'e>>,
}

impl<'e> Chunk<'e> {
    /// The chunk in an event; `None` if it is to be read the long way.
    pub(super) fn read(json: &'e [u8]) -> Option<Self> {
        serde_json::from_slice(json).ok().filter(Self::is_plain)
    }

    fn is_plain(&self) -> bool {
        let is_function =
            |fragment: &CallFragment<'_>| matches!(text(fragment.kind.as_ref()), "" | "function");
        let calls = |choice: &ChunkChoice<'_>| {
            let calls = choice
                .delta
                .as_ref()
                .and_then(|delta| delta.tool_calls.as_ref());
            calls.is_none_or(|calls| calls.iter().all(is_function))
        };
        text(self.object.as_ref()) != "error"
            && self.usage.as_ref().is_none_or(Value::is_object)
            && self
                .choices
                .0
                .as_ref()
                .is_none_or(|choice| choice.index.unwrap_or_default() == 0 && calls(choice))
    }
}

/// The text of a field; empty if there is none.
pub(super) fn text<'t>(text: Option<&'t Text<'_>>) -> &'t str {
    text.map_or("", |text| &text.0)
}

/// A list of at most one.
#[derive(Debug)]
pub(super) struct One<T>(pub(super) Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for One<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(OneVisitor(std::marker::PhantomData))
    }
}

struct OneVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneVisitor<T> {
    type Value = One<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of at most one")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<One<T>, A::Error> {
        let first = items.next_element()?;
        match items.next_element::<IgnoredAny>()? {
            None => Ok(One(first)),
            Some(_) => Err(A::Error::custom("several")),
        }
    }
}

/// A value that says nothing about the answer. It is read as strictly as if it were kept, and then
/// let go.
#[derive(Debug, Default)]
struct Skipped;

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(SkippedVisitor)
    }
}

struct SkippedVisitor;

impl<'de> Visitor<'de> for SkippedVisitor {
    type Value = Skipped;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_str<E>(self, _: &str) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_unit<E>(self) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Skipped, A::Error> {
        while items.next_element::<Skipped>()?.is_some() {}
        Ok(Skipped)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Skipped, A::Error> {
        while entries.next_entry::<Skipped, Skipped>()?.is_some() {}
        Ok(Skipped)
    }
}
