//! A span, with what it tells.

use folkmoot_core::ids::Time;

use super::{SpanId, TraceId};

/// Something that went on in a world, from its beginning to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The trace.
    pub trace: TraceId,
    /// The span's own id.
    pub id: SpanId,
    /// The span in which it went on, or which caused it; `None` for the work that a message of a person began.
    pub parent: Option<SpanId>,
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: SpanKind,
    /// The recorded time of its beginning.
    pub began: Time,
    /// The recorded time of its end.
    pub ended: Time,
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The events in it, in order.
    pub events: Vec<SpanEvent>,
    /// The class of the error that it ended with; `None` if it ended well.
    pub error: Option<String>,
}

/// The kinds of spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work in the runtime.
    Internal,
    /// A question to somebody elsewhere.
    Client,
}

/// An event in a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanEvent {
    /// The name.
    pub name: &'static str,
    /// The recorded time.
    pub time: Time,
    /// The attributes.
    pub attributes: Vec<Attribute>,
}

/// An attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The name, by the semantic conventions or below `folkmoot.`.
    pub key: &'static str,
    /// The value.
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeValue {
    /// A text.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
    /// A whole number.
    Number(u64),
    /// A fraction, in thousandths.
    Thousandths(u32),
}

impl Attribute {
    /// A text.
    pub(super) fn text(key: &'static str, text: impl Into<String>) -> Self {
        let value = AttributeValue::Text(text.into());
        Self { key, value }
    }

    /// A whole number.
    pub(super) fn number(key: &'static str, number: impl Into<u64>) -> Self {
        let value = AttributeValue::Number(number.into());
        Self { key, value }
    }
}
