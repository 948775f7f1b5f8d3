//! What was shown of the replies that are being written, for observers that come late or come back.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use folkmoot_core::ids::{AgentName, MessageId, Position};
use folkmoot_core::text::UserText;

use super::ActivityEvent;

/// The most bytes that are kept of one draft. What is longer is shown as it comes, and then stands in the log.
pub const DRAFT_BYTES_MAX: u64 = 1024 * 1024;

/// How a draft ended. There is one ending to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DraftEnding {
    /// The model said all of it: the log has it.
    Whole,
    /// It broke off, or was stopped: nothing of it was said. Another attempt is another message.
    Aborted,
}

/// The drafts of one world. An agent writes one at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drafts(Arc<Mutex<BTreeMap<AgentName, AgentDrafts>>>);

#[derive(Debug, Default)]
struct AgentDrafts {
    open: Option<OpenDraft>,
    /// Where the agent's last stream ended: what comes later of one that began before comes too late.
    ended: Option<Position>,
}

#[derive(Debug)]
struct OpenDraft {
    message: MessageId,
    pieces: Vec<(u64, UserText)>,
    bytes: u64,
}

impl Drafts {
    /// Keeps a piece. False if the draft has ended.
    pub(super) fn keep(
        &self,
        agent: &AgentName,
        message: MessageId,
        offset: u64,
        delta: &UserText,
    ) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.entry(agent.clone()).or_default();
        if own.ended.is_some_and(|ended| message.0 <= ended) {
            return false;
        }
        let open = own.open.get_or_insert(OpenDraft {
            message,
            pieces: Vec::new(),
            bytes: 0,
        });
        if open.message != message {
            return false;
        }
        open.bytes = open
            .bytes
            .saturating_add(u64::try_from(delta.len()).unwrap_or(u64::MAX));
        if open.bytes <= DRAFT_BYTES_MAX {
            open.pieces.push((offset, delta.clone()));
        }
        true
    }

    /// Forgets the draft of `agent`, which ends at `at`, and refuses whatever else comes of a stream that began before;
    /// gives the message that it would be, if anything of it was shown.
    pub(super) fn end(&self, agent: &AgentName, at: Position) -> Option<MessageId> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.entry(agent.clone()).or_default();
        own.ended = Some(at);
        own.open.take().map(|open| open.message)
    }

    /// Whoever writes.
    pub(super) fn writers(&self) -> Vec<AgentName> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter()
            .filter(|(_, own)| own.open.is_some())
            .map(|(agent, _)| agent.clone())
            .collect()
    }

    /// The pieces of `message` that do not end before `offset`, as they were sent; none if it is not being written.
    pub(crate) fn since(&self, message: MessageId, offset: u64) -> Vec<ActivityEvent> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_message = |(agent, own): (&AgentName, &AgentDrafts)| {
            let open = own.open.as_ref().filter(|open| open.message == message)?;
            let ends_before = |(at, delta): &&(u64, UserText)| {
                at.saturating_add(u64::try_from(delta.len()).unwrap_or(u64::MAX)) <= offset
            };
            let pieces = open.pieces.iter().skip_while(ends_before);
            let event = |(offset, delta): &(u64, UserText)| ActivityEvent::Draft {
                agent: agent.clone(),
                message,
                offset: *offset,
                delta: delta.clone(),
            };
            Some(pieces.map(event).collect())
        };
        all.iter().find_map(of_message).unwrap_or_default()
    }
}
