//! The parts of an answer that people do not read.

use crate::event::ArtifactWithheld;
use crate::ids::{AgentName, MessageId, Position, TurnId};
use crate::text::reply::FinalReply;
use crate::world::decide::Draft;

/// Records what was withheld of the answer at `answer`. The message, if there is one, is posted
/// right behind.
pub(in crate::world) fn note_withheld(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    answer: Position,
    stream: Option<Position>,
    reply: &FinalReply,
) {
    if reply.withheld.is_empty() {
        return;
    }
    let message =
        (!reply.text.is_empty()).then(|| MessageId(stream.unwrap_or_else(|| draft.here().next())));
    let agent = agent.clone();
    let spans = reply.withheld.clone();
    draft.push(ArtifactWithheld {
        agent,
        turn,
        answer,
        message,
        spans,
    });
}
