//! Reasons for which a question about worlds has no answer.

use folkmoot_agents::FoldError;
use folkmoot_core::event::{EventKind, RecordError};
use folkmoot_core::ids::{AgentName, Position, WorldName};
use folkmoot_core::port::ReadError;

use crate::export::ExportError;
use crate::room::DefinitionError;
use crate::script::nearest;

/// The most names that are listed where none is near.
const LISTED_MAX: usize = 12;

/// A reason for which a question about worlds has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// There is no such world, or no such position in it, or its log does not read.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// There is no such event: ask for another.
    #[error("there is no event {at} in the world {world}: its events are 1 to {head}")]
    NoSuchEvent {
        /// The world.
        world: WorldName,
        /// The position that was asked for.
        at: Position,
        /// The last event.
        head: Position,
    },
    /// There is no such agent: ask for another.
    #[error("there is no agent {agent} in this world{}", or_those(agent.as_str(), &names(known)))]
    NoSuchAgent {
        /// The agent that was asked for.
        agent: AgentName,
        /// The agents of the room, in roster order.
        known: Vec<AgentName>,
    },
    /// There is no such kind of event: ask for another.
    #[error("there is no kind of event `{name}`{}", or_those(name, &kinds()))]
    NoSuchKind {
        /// The name that was asked for.
        name: String,
    },
    /// The event is there, and no model call: ask for another.
    #[error("event {at} is a {}, not a ModelCalled", kind.name())]
    NotModelCalled {
        /// The world.
        world: WorldName,
        /// The event that was asked for.
        at: Position,
        /// The kind of that event.
        kind: EventKind,
    },
    /// The state at a model call, folded by the rules of this program, asks no model.
    #[error("the state at this call holds no model request")]
    NoModelRequest,
    /// The log of one world among others is damaged. `verify` says where.
    #[error("the world {world} cannot be read")]
    Damaged {
        /// The world.
        world: WorldName,
        /// The damage.
        #[source]
        source: ReadError,
    },
    /// Nothing is left of a world, which is told by its name or else its id.
    #[error("{0}: no event of it is whole")]
    Lost(String),
    /// A damaged store does not even tell which worlds it had.
    #[error("nothing of the store tells which worlds it had")]
    NoWorlds,
    /// The log has no commit where its head says that there is one.
    #[error("no commit of the log holds event {0}")]
    NoCommit(Position),
    /// An event has no record.
    #[error("event {at} has no record")]
    Event {
        /// The event.
        at: Position,
        /// The fault.
        #[source]
        source: RecordError,
    },
    /// An event cannot be written down.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A value has no JSON form.
    #[error("this has no JSON form")]
    Json(#[from] serde_json::Error),
    /// A script makes no definition.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
}

impl From<ReadError> for ViewError {
    fn from(error: ReadError) -> Self {
        Self::Fold(FoldError::Read(error))
    }
}

fn names(agents: &[AgentName]) -> Vec<&str> {
    agents.iter().map(AgentName::as_str).collect()
}

fn kinds() -> Vec<&'static str> {
    EventKind::ALL.iter().map(|(kind, _)| kind.name()).collect()
}

/// The end of a sentence about an unknown name: the one of `known` that was probably meant, else
/// some that there are. Empty if there are none.
fn or_those(word: &str, known: &[&str]) -> String {
    if let Some(near) = nearest(word, known.iter().copied()) {
        return format!("; did you mean {near}?");
    }
    let some: Vec<&str> = known.iter().copied().take(LISTED_MAX).collect();
    match (some.as_slice(), known.len() > LISTED_MAX) {
        ([], _) => String::new(),
        ([one], _) => format!("; there is only {one}"),
        (some, false) => format!("; there are {}", some.join(", ")),
        (some, true) => format!("; there are {} and more", some.join(", ")),
    }
}
