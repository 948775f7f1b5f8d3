//! Who answers a message, and why each of the others does not.

use folkmoot_core::audit::why::Verdicts;
use folkmoot_core::ids::{AgentName, Position, WorldName};
use folkmoot_core::port::EventLog;
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::why::verdicts;
use crate::words::{answering, routing_rule, silent_because};

/// The verdicts about a message, in words. It holds no word of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingView {
    /// The position of the message.
    pub message: Position,
    /// The rule that decided.
    pub words: String,
    /// The agents of the room: those that answer, and then the others.
    pub agents: Vec<RoutedView>,
    /// The number of further agents that are silent for the reason of the last one; 0 in most rooms.
    pub more: usize,
}

/// The verdict for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutedView {
    /// The agent.
    pub agent: AgentName,
    /// True if it answers.
    pub answers: bool,
    /// The reason.
    pub words: String,
}

/// Reads who answers the message at `message`; `None` if no message was posted or edited there.
///
/// # Errors
/// As [`why`](super::why::why).
pub async fn routing(
    log: &dyn EventLog,
    world: &WorldName,
    message: Position,
) -> Result<Option<RoutingView>, ViewError> {
    let verdicts = verdicts(log, world, message).await?;
    Ok(verdicts.map(|verdicts| RoutingView::from(&verdicts)))
}

impl From<&Verdicts> for RoutingView {
    fn from(verdicts: &Verdicts) -> Self {
        let answers = verdicts.answers.iter().map(|one| RoutedView {
            agent: one.agent.clone(),
            answers: true,
            words: answering(one.reason).to_owned(),
        });
        let silent = verdicts.silent.iter().map(|one| RoutedView {
            agent: one.agent.clone(),
            answers: false,
            words: silent_because(verdicts, one.reason),
        });
        Self {
            message: verdicts.message,
            words: routing_rule(verdicts.rule).to_owned(),
            agents: answers.chain(silent).collect(),
            more: verdicts.more,
        }
    }
}
