//! A model's answer.

use std::collections::BTreeSet;

use crate::content::Content;
use crate::event::{AnswerKind, ModelAnswered, Purpose, WarningRecorded};
use crate::ids::{AgentName, Attempt, ModelCallId};
use crate::model::response::LLMResponse;
use crate::world::decide::{Draft, No};
use crate::world::turns::decide::{compaction, model, turn};

/// The most kinds of warnings of one reply that are recorded. The reply itself holds all of them.
const WARNINGS_MAX: usize = 16;

pub(in crate::world) fn record_answer(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: ModelCallId,
    attempt: Attempt,
    response: &LLMResponse,
) -> Result<(), No> {
    let (open, model) = model::under_way(draft, agent, call, attempt)?;
    let turn = open.id;
    let purpose = model.purpose;
    let stream = model.stream;
    let cause = model.at;
    let reply = response.reply();
    draft.cause = Some(cause);
    let at = draft.push(ModelAnswered {
        agent: agent.clone(),
        turn,
        call,
        attempt,
        kind: AnswerKind::of(response),
        calls: u32::try_from(reply.calls().count()).unwrap_or(u32::MAX),
        usage: reply.usage,
        played: reply.played,
        response: Content::Present(response.clone()),
    });
    let kind = match AnswerKind::of(response) {
        AnswerKind::Truncated => Some("answer_truncated"),
        AnswerKind::Filtered => Some("answer_filtered"),
        AnswerKind::Refused => Some("answer_refused"),
        AnswerKind::Text | AnswerKind::Calls => None,
    };
    // First, so that no number of an adapter's warnings hides it.
    warn_of(
        draft,
        agent,
        kind.into_iter()
            .chain(reply.warnings.iter().map(String::as_str)),
    );
    if purpose == Purpose::Compaction {
        return compaction::take_summary(draft, agent, (open, model), at, response);
    }
    turn::take_answer(draft, agent, turn, at, stream, response, purpose);
    Ok(())
}

/// Records each of `codes` once, in their order. A reply with more kinds of them than a log should
/// hold says so.
fn warn_of<'c>(draft: &mut Draft<'_>, agent: &AgentName, codes: impl Iterator<Item = &'c str>) {
    let mut seen = BTreeSet::new();
    for code in codes
        .filter(|code| seen.insert(*code))
        .take(WARNINGS_MAX.saturating_add(1))
        .enumerate()
    {
        let (place, code) = code;
        warn(
            draft,
            agent,
            if place < WARNINGS_MAX {
                code
            } else {
                "more_warnings"
            },
        );
    }
}

pub(in crate::world) fn warn(draft: &mut Draft<'_>, agent: &AgentName, code: &str) {
    let code = code.to_owned();
    let agent = Some(agent.clone());
    draft.push(WarningRecorded { code, agent });
}
