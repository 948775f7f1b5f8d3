//! The agent port: how news reaches an agent, and what it may do about it.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;

use crate::event::Attachment;
use crate::event::reaction::Reaction;
use crate::ids::{AgentName, CallId, EpisodeId, MessageId, Position, Time, TurnId};
use crate::model::Parameters;
use crate::prompt::Item;
use crate::tool::View;

/// A participant in code. It holds no handle on the world: it acts by what it returns.
#[async_trait]
pub trait Agent: Send + Sync {
    /// The agent's *standing reaction*: whatever its news and results are, its model is asked with these parameters. Such an
    /// agent is told its news and results once they are recorded, and what its handlers then answer counts for nothing.
    /// The room does not wait for it: the two channels are independent, and one that is 16 deliveries behind misses some.
    /// `None`, as without a word: it is asked each time.
    fn standing(&self) -> Option<Parameters> {
        None
    }

    /// Reacts to messages that address it. May be called again with the same news after a crash.
    ///
    /// # Errors
    /// [`AgentError`]: recorded, and tried again up to three times.
    async fn on_text(&self, view: &TurnView, news: &[TextEvent]) -> Result<Reaction, AgentError>;

    /// Reacts to the results of the calls it asked for, in admission order.
    ///
    /// # Errors
    /// [`AgentError`]: recorded, and tried again up to three times.
    async fn on_tool_results(
        &self,
        view: &TurnView,
        results: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError>;
}

/// The reason that an agent could not react.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct AgentError {
    /// A word that names the failure.
    pub code: String,
    /// For operators.
    pub detail: String,
}

/// The view that an agent has when it reacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnView {
    /// The agent.
    pub agent: AgentName,
    /// The episode that the turn belongs to.
    pub episode: EpisodeId,
    /// The turn, once it is open.
    pub turn: Option<TurnId>,
    /// The horizon: nothing behind this position is part of the view.
    pub horizon: Position,
    /// The world's time.
    pub time: Time,
    /// The items that the agent remembers, in the order in which it saw them.
    pub items: Vec<Arc<Item>>,
    /// The note it left last.
    pub note: Option<String>,
}

/// A message on the text channel. It has no tool fields, and nothing parses it into any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextEvent {
    /// The message's position.
    pub at: Position,
    /// The message.
    pub message: MessageId,
    /// The episode it belongs to.
    pub episode: EpisodeId,
    /// The speaker's display name.
    pub from: String,
    /// True if a person speaks.
    pub is_person: bool,
    /// The words; empty if they were erased.
    pub text: String,
    /// The attached files; nothing if they were erased.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

impl fmt::Display for TextEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.from, self.text)
    }
}

/// The result of a call on the tool-result channel, addressed to one agent. Only the runtime makes
/// one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolResultEvent {
    pub(crate) agent: AgentName,
    pub(crate) turn: TurnId,
    pub(crate) call: CallId,
    pub(crate) tool: String,
    pub(crate) text: String,
    pub(crate) failed: bool,
    pub(crate) views: Vec<View>,
}

impl fmt::Display for ToolResultEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.failed {
            "did not succeed"
        } else {
            "gave"
        };
        write!(f, "{} {how}: {}", self.tool, self.text)
    }
}

impl ToolResultEvent {
    /// The agent that asked.
    #[must_use]
    pub const fn agent(&self) -> &AgentName {
        &self.agent
    }

    /// The turn it asked in.
    #[must_use]
    pub const fn turn(&self) -> TurnId {
        self.turn
    }

    /// The call.
    #[must_use]
    pub const fn call(&self) -> CallId {
        self.call
    }

    /// The tool, as the agent named it.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the text that the agent may read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Tells whether the call failed or did not run.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.failed
    }

    /// Returns the views that people see, in order; empty if there is nothing but the text.
    #[must_use]
    pub fn views(&self) -> &[View] {
        &self.views
    }
}
