//! Text of agents that was kept from people.

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{ArtifactWithheld, Event, TalkEvent};
use folkmoot::core::ids::{AgentName, MessageId, Position, Time, TurnId, WorldId, WorldName};
use folkmoot::core::model::response::LLMResponse;
use folkmoot::core::port::EventLog;
use folkmoot::core::text::firewall::{ArtifactFamily, Withheld};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::answer::ValueStream;
use super::query::{check_agent, entry};
use crate::exit::CliError;

/// A question for what was kept from people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WithheldQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// From which event on.
    pub(crate) from: Position,
    /// Only what this agent said.
    pub(crate) agent: Option<AgentName>,
}

/// The parts of an answer that were kept from people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WithheldView {
    /// The event that records it.
    pub(crate) position: Position,
    /// The time at which it was recorded, in milliseconds since 1970.
    pub(crate) time: Time,
    /// The agent.
    pub(crate) agent: AgentName,
    /// The agent's turn.
    pub(crate) turn: TurnId,
    /// The event that holds the answer.
    pub(crate) answer: Position,
    /// The message that people read instead; `null` if nothing was left.
    pub(crate) message: Option<MessageId>,
    /// The parts, in the order of the answer.
    pub(crate) parts: Vec<PartView>,
}

/// A part of an answer that people do not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartView {
    /// The family of the artifact.
    pub(crate) family: ArtifactFamily,
    /// The first byte in the spoken text.
    pub(crate) from: u32,
    /// The byte behind its last.
    pub(crate) to: u32,
    /// The exact text; `null` if it was erased.
    pub(crate) text: Option<String>,
}

/// Reads it, with the texts.
pub(crate) async fn withheld(
    log: &dyn EventLog,
    query: &WithheldQuery,
) -> Result<ValueStream, CliError> {
    let WithheldQuery { world, from, agent } = query;
    if let Some(agent) = agent {
        check_agent(log, world, agent).await?;
    }
    let id = entry(log, world).await?.world;
    let mut commits = log.read(id, (*from).max(Position::new(1))).await?;
    let mut views = Vec::new();
    while let Some(stored) = commits.try_next().await? {
        for (at, event) in stored.commit.numbered() {
            let Event::Talk(TalkEvent::ArtifactWithheld(kept)) = event else {
                continue;
            };
            if at >= *from && agent.as_ref().is_none_or(|agent| *agent == kept.agent) {
                // The event has spans of the answer, and no copy of their text (decision 0015).
                let spoken = spoken(log, id, &stored.commit, kept.answer).await?;
                views.push(WithheldView::of(
                    at,
                    stored.commit.header.stamp.time,
                    kept,
                    spoken.as_deref(),
                ));
            }
        }
    }
    ValueStream::values(&views)
}

impl WithheldView {
    pub(crate) fn of(
        position: Position,
        time: Time,
        kept: &ArtifactWithheld,
        spoken: Option<&str>,
    ) -> Self {
        let part = |span: &Withheld| PartView {
            family: span.family,
            from: span.from,
            to: span.to,
            text: spoken
                .and_then(|text| part_of(text, span))
                .map(str::to_owned),
        };
        Self {
            position,
            time,
            agent: kept.agent.clone(),
            turn: kept.turn,
            answer: kept.answer,
            message: kept.message,
            parts: kept.spans.iter().map(part).collect(),
        }
    }
}

fn part_of<'t>(text: &'t str, span: &Withheld) -> Option<&'t str> {
    text.get(usize::try_from(span.from).ok()?..usize::try_from(span.to).ok()?)
}

/// Returns the text of the answer at `at`; `None` if it was erased. The answer is mostly in the
/// commit that keeps a part of it back.
async fn spoken(
    log: &dyn EventLog,
    world: WorldId,
    commit: &Commit,
    at: Position,
) -> Result<Option<String>, CliError> {
    if at >= commit.header.first {
        return Ok(said_at(commit, at));
    }
    let stored = log.read(world, at).await?.try_next().await?;
    Ok(stored.and_then(|stored| said_at(&stored.commit, at)))
}

fn said_at(commit: &Commit, at: Position) -> Option<String> {
    let (_, event) = commit.numbered().find(|(position, _)| *position == at)?;
    event.response().map(LLMResponse::spoken)
}
