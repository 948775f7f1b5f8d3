//! The parts of an answer that people do not read.

use crate::event::refusal::RefusalReason;
use crate::event::{ArtifactWithheld, WithheldViewed};
use crate::ids::{AgentName, MessageId, Position, TurnId};
use crate::text::reply::FinalReply;
use crate::world::decide::{Draft, No};

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

/// Records that somebody looks at what the event at `at` keeps from people. The state keeps no list of
/// such events, for it would grow with the log: whoever shows the text looks first whether `at` is one.
pub(in crate::world) fn view(draft: &mut Draft<'_>, at: Position) -> Result<(), No> {
    if at == Position::ZERO || at > draft.world.head {
        return Err(No::right(RefusalReason::NothingWithheld));
    }
    draft.cause = Some(at);
    draft.push(WithheldViewed {
        withheld: at,
        by: draft.principal.clone(),
    });
    Ok(())
}
