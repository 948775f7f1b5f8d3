//! Events as `log` shows them.

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, StoredContent};
use folkmoot::core::ids::principal::Principal;
use folkmoot::core::ids::{Position, Time};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::exit::{CliError, FAILED};
use crate::view::gist;
use folkmoot::core::port::causes::with_causes;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EventView {
    /// The number of the event in the world's log.
    pub(crate) position: Position,
    /// The time at which it was recorded, in milliseconds since 1970.
    pub(crate) time: Time,
    /// The kind of event, by name.
    pub(crate) kind: String,
    /// The principal who gave the command that it answers.
    pub(crate) principal: Principal,
    /// The event that made that command necessary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<Position>,
    /// The facts: the part that decisions read.
    pub(crate) facts: Value,
    /// The content: the part that people, models and tools wrote. Left out if this kind has none,
    /// `{"erased": POSITION}` if it is gone, `{"lost": true}` if nobody asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Value>,
    /// A line for people. Not part of `--json`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) gist: String,
}

impl EventView {
    /// The events of a commit.
    pub(crate) fn of(commit: &Commit) -> Result<Vec<Self>, CliError> {
        commit
            .numbered()
            .map(|(at, event)| Self::one(commit, at, event))
            .collect()
    }

    /// The same, each with its line for people.
    pub(crate) fn with_gists(commit: &Commit) -> Result<Vec<Self>, CliError> {
        let mut views = Self::of(commit)?;
        for (view, event) in views.iter_mut().zip(&commit.events) {
            view.gist = gist::of(event, commit);
        }
        Ok(views)
    }

    fn one(commit: &Commit, position: Position, event: &Event) -> Result<Self, CliError> {
        let record = event
            .to_record()
            .map_err(|error| CliError::other(FAILED, with_causes(&error)))?;
        let read = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(CliError::json);
        let content = match &record.content {
            StoredContent::None => None,
            StoredContent::Present(bytes) => Some(read(bytes)?),
            StoredContent::Erased { by: None } => Some(json!({ "lost": true })),
            StoredContent::Erased { by: Some(by) } => Some(json!({ "erased": by })),
        };
        Ok(Self {
            position,
            time: commit.header.stamp.time,
            kind: event.kind().name().to_owned(),
            principal: commit.header.principal.clone(),
            cause: commit.header.cause,
            facts: read(&record.facts)?,
            content,
            gist: String::new(),
        })
    }

    /// Returns the name of whoever acts in it: the person who gave the command, else the agent it
    /// is about.
    pub(crate) fn actor(&self) -> String {
        let agent = self.agent().filter(|_| self.principal.person().is_none());
        agent.map_or_else(|| self.principal.to_string(), str::to_owned)
    }

    /// The agent that it is about, or that speaks in it.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.facts
            .get("agent")
            .or_else(|| self.facts.get("author")?.get("agent"))?
            .as_str()
    }
}
