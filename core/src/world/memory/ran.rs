//! The calls that started for a message, so that a turn that takes another's place knows what was
//! done already.

use serde::{Deserialize, Serialize};

use crate::ids::{AgentName, CallId, Position, ToolName};

/// The most calls that a message knows one by one. Beyond them the older calls of a tool go: that
/// it ran stays known.
const RAN_MAX: usize = 64;

/// A call that started in a turn that answers a message, or that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The tool.
    pub tool: ToolName,
    /// The place of its admission, and its number among the calls there: calls are told in this
    /// order, whichever started first.
    pub order: (Position, u32),
    /// True once another turn takes the place of the one that it ran in.
    pub is_replaced: bool,
}

impl Ran {
    /// The same call, of a turn that another one takes the place of.
    #[must_use]
    pub(crate) fn replaced(self) -> Self {
        Self {
            is_replaced: true,
            ..self
        }
    }
}

/// Adds what `known` does not hold yet, in the order of admission, and keeps it within its limit.
pub(crate) fn note_ran(known: &mut Vec<Ran>, more: impl IntoIterator<Item = Ran>) {
    for ran in more {
        match known.iter_mut().find(|other| other.call == ran.call) {
            Some(other) => other.is_replaced |= ran.is_replaced,
            None => known.insert(known.partition_point(|other| other.order < ran.order), ran),
        }
    }
    while known.len() > RAN_MAX {
        let is_known_later = |(place, ran): (usize, &Ran)| {
            let mut later = known.iter().skip(place.saturating_add(1));
            later.any(|other| other.tool == ran.tool && other.is_replaced == ran.is_replaced)
        };
        let Some(place) = known.iter().enumerate().position(is_known_later) else {
            return;
        };
        known.remove(place);
    }
}
