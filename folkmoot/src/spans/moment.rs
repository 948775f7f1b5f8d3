//! An event's place in the log and in time, and the spans that are made there.

use folkmoot_core::ids::{AgentName, Position, Time, WorldId, WorldName};
use folkmoot_core::world::projection::FeedItem;

use super::span::{Attribute, Span, SpanKind};
use super::{SpanId, TraceId};

/// The moment of an event.
#[derive(Debug)]
pub(super) struct Moment<'a> {
    pub(super) world: WorldId,
    pub(super) name: WorldName,
    pub(super) at: Position,
    pub(super) time: Time,
    /// The words of its commit that people see; empty if none are captured.
    pub(super) words: &'a [FeedItem],
}

/// The place of a span among others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) trace: TraceId,
    /// The span above it.
    pub(super) parent: Option<SpanId>,
    /// The agent that acts.
    pub(super) agent: AgentName,
}

/// The beginning of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Beginning {
    pub(super) id: SpanId,
    pub(super) at: Position,
    pub(super) time: Time,
}

impl Moment<'_> {
    /// The beginning of a span that the event begins.
    pub(super) fn beginning(&self) -> Beginning {
        Beginning {
            id: SpanId::at(self.world, self.at),
            at: self.at,
            time: self.time,
        }
    }

    /// A span that ends here.
    pub(super) fn end(&self, place: &Place, began: &Beginning, name: String) -> Span {
        Span {
            trace: place.trace,
            id: began.id,
            parent: place.parent,
            name,
            kind: SpanKind::Internal,
            began: began.time,
            ended: self.time,
            attributes: vec![
                Attribute::text("gen_ai.conversation.id", self.name.as_str()),
                Attribute::text("gen_ai.agent.name", place.agent.as_str()),
                Attribute::text("folkmoot.world.id", self.world.to_string()),
                Attribute::number("folkmoot.position", began.at.get()),
            ],
            events: Vec::new(),
            error: None,
        }
    }
}
