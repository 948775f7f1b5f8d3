//! What was shown of the replies that are being written, for observers that come late or come back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use folkmoot_core::ids::{AgentName, MessageId, Position};
use folkmoot_core::text::UserText;
use serde::{Deserialize, Serialize};

use super::ActivityEvent;

/// The most bytes that are kept of one draft. What is longer is shown as it comes, and then stands in the log.
pub const DRAFT_BYTES_MAX: u64 = 1024 * 1024;

/// How many endings of drafts are remembered. Who is further behind finds in the log what became of a reply.
const ENDINGS_MAX: usize = 64;

/// How a draft ended. There is one ending to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DraftEnding {
    /// The model said all of it: the log has it.
    Whole,
    /// It broke off, or was stopped: nothing of it was said. Another attempt is another message.
    Aborted,
    /// Nobody here knows any more: if it was said, the log has it.
    Unknown,
}

/// The drafts of one world. An agent writes one at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drafts(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    agents: BTreeMap<AgentName, AgentDrafts>,
    /// How the newest drafts ended, oldest first.
    endings: VecDeque<(MessageId, DraftEnding)>,
}

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

/// The state of a draft, for whoever follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DraftState {
    /// It is being written.
    Open,
    /// It ended so.
    Ended(DraftEnding),
}

impl OpenDraft {
    /// The pieces that do not end before `offset`.
    fn pieces_from(&self, offset: u64) -> impl Iterator<Item = &(u64, UserText)> {
        let ends_before =
            move |(at, delta): &(u64, UserText)| at.saturating_add(length(delta)) <= offset;
        let first = self.pieces.partition_point(ends_before);
        self.pieces.iter().skip(first)
    }
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
        let mut kept = self.kept();
        let own = kept.agents.entry(agent.clone()).or_default();
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
        open.bytes = open.bytes.saturating_add(length(delta));
        if open.bytes <= DRAFT_BYTES_MAX {
            open.pieces.push((offset, delta.clone()));
        }
        true
    }

    /// Forgets the draft of `agent`, which ends at `at`, and refuses whatever else comes of a stream that began before;
    /// gives the message that it would be, if anything of it was shown.
    pub(super) fn end(
        &self,
        agent: &AgentName,
        at: Position,
        ending: DraftEnding,
    ) -> Option<MessageId> {
        let mut kept = self.kept();
        let own = kept.agents.entry(agent.clone()).or_default();
        own.ended = Some(at);
        let message = own.open.take().map(|open| open.message)?;
        kept.endings.push_back((message, ending));
        if kept.endings.len() > ENDINGS_MAX {
            kept.endings.pop_front();
        }
        Some(message)
    }

    /// Whoever writes.
    pub(super) fn writers(&self) -> Vec<AgentName> {
        self.open().into_iter().map(|(agent, _)| agent).collect()
    }

    /// The drafts that are being written, by their agents.
    pub(crate) fn open(&self) -> Vec<(AgentName, MessageId)> {
        let kept = self.kept();
        let open = kept
            .agents
            .iter()
            .filter_map(|(agent, own)| own.open.as_ref().map(|open| (agent.clone(), open.message)));
        open.collect()
    }

    /// The state of the draft of `message`.
    pub(crate) fn state(&self, message: MessageId) -> DraftState {
        let kept = self.kept();
        let is_it = |own: &AgentDrafts| {
            own.open
                .as_ref()
                .is_some_and(|open| open.message == message)
        };
        if kept.agents.values().any(is_it) {
            return DraftState::Open;
        }
        let mut endings = kept.endings.iter().rev();
        let ending = endings.find(|(ended, _)| *ended == message);
        DraftState::Ended(ending.map_or(DraftEnding::Unknown, |(_, ending)| *ending))
    }

    /// The first piece of `message` that does not end before `offset`, with its own offset; `None` if there is none yet.
    pub(crate) fn piece_at(&self, message: MessageId, offset: u64) -> Option<(u64, UserText)> {
        let kept = self.kept();
        let mut open = kept.agents.values().filter_map(|own| own.open.as_ref());
        let open = open.find(|open| open.message == message)?;
        open.pieces_from(offset).next().cloned()
    }

    /// The pieces of `message` that do not end before `offset`, as they were sent; none if it is not being written.
    pub(crate) fn since(&self, message: MessageId, offset: u64) -> Vec<ActivityEvent> {
        let kept = self.kept();
        let of_message = |(agent, own): (&AgentName, &AgentDrafts)| {
            let open = own.open.as_ref().filter(|open| open.message == message)?;
            let event = |(offset, delta): &(u64, UserText)| ActivityEvent::Draft {
                agent: agent.clone(),
                message,
                offset: *offset,
                delta: delta.clone(),
            };
            Some(open.pieces_from(offset).map(event).collect())
        };
        kept.agents.iter().find_map(of_message).unwrap_or_default()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The length of a piece in bytes.
fn length(delta: &UserText) -> u64 {
    u64::try_from(delta.len()).unwrap_or(u64::MAX)
}
