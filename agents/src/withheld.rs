//! Text of agents that was kept from people.

use folkmoot_core::event::ArtifactWithheld;
use folkmoot_core::ids::{AgentName, MessageId, Position, Time, TurnId, WorldId};
use folkmoot_core::model::response::LLMResponse;
use folkmoot_core::port::{EventLog, ReadError};
use folkmoot_core::text::firewall::{ArtifactFamily, Withheld};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

/// The parts of an answer that were kept from people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldView {
    /// The event that records it.
    pub position: Position,
    /// The time at which it was recorded, in milliseconds since 1970.
    pub time: Time,
    /// The agent.
    pub agent: AgentName,
    /// The agent's turn.
    pub turn: TurnId,
    /// The event that holds the answer.
    pub answer: Position,
    /// The message that people read instead; `null` if nothing was left.
    pub message: Option<MessageId>,
    /// The parts, in the order of the answer.
    pub parts: Vec<PartView>,
}

/// A part of an answer that people do not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartView {
    /// The family of the artifact.
    pub family: ArtifactFamily,
    /// The first byte in the spoken text.
    pub from: u32,
    /// The byte behind its last.
    pub to: u32,
    /// The exact text; `null` if it was erased.
    pub text: Option<String>,
}

impl WithheldView {
    /// The parts that the event at `position` keeps from people, cut from the `spoken` text of the
    /// answer; `None` if that was erased.
    #[must_use]
    pub fn of(
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

/// Reads what the event at `position` keeps from people; `None` if no such event stands there.
///
/// # Errors
/// [`ReadError`]: the log cannot be read.
pub async fn read_withheld(
    log: &dyn EventLog,
    world: WorldId,
    position: Position,
) -> Result<Option<WithheldView>, ReadError> {
    let Some(stored) = log.read(world, position).await?.try_next().await? else {
        return Ok(None);
    };
    let mut events = stored.commit.numbered();
    let Some((_, event)) = events.find(|(at, _)| *at == position) else {
        return Ok(None);
    };
    let Some(kept) = ArtifactWithheld::of_event(event) else {
        return Ok(None);
    };
    // The event has spans of the answer, and no copy of their text (decision 0015).
    let spoken = spoken(log, world, kept.answer).await?;
    let time = stored.commit.header.stamp.time;
    let view = WithheldView::of(position, time, kept, spoken.as_deref());
    Ok(Some(view))
}

/// Returns the text of the answer at `at`; `None` if it was erased.
async fn spoken(
    log: &dyn EventLog,
    world: WorldId,
    at: Position,
) -> Result<Option<String>, ReadError> {
    let stored = log.read(world, at).await?.try_next().await?;
    Ok(stored.and_then(|stored| {
        let (_, event) = stored.commit.numbered().find(|(one, _)| *one == at)?;
        event.response().map(LLMResponse::spoken)
    }))
}
