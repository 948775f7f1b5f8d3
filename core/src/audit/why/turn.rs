//! The story of an agent's turn, from being woken to its end.

use serde::{Deserialize, Serialize};

use crate::command::commit::Commit;
use crate::event::{
    CallEvent, CallsAdmitted, CloseReason, Event, Notice, TalkEvent, TurnDeclined, TurnEvent,
    TurnOpened,
};
use crate::ids::principal::Principal;
use crate::ids::{AgentName, Attempt, EpisodeId, Position, TurnId};

/// A turn: what it took up, what it did, how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStory {
    /// The agent.
    pub agent: AgentName,
    /// The turn; of news that were set aside, where that is recorded.
    pub turn: TurnId,
    /// The episode that it belongs to.
    pub episode: EpisodeId,
    /// The messages that woke the agent, oldest first.
    pub news: Vec<Position>,
    /// The number of its model calls, further attempts left out.
    pub model_calls: u32,
    /// The number of its tool calls.
    pub tool_calls: u32,
    /// The end of the turn; `None` while it is open.
    pub end: Option<TurnEnd>,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The position of its record.
    pub at: Position,
    /// The reason.
    pub reason: CloseReason,
    /// The principal who gave the command that ended it.
    pub by: Principal,
    /// The reply, or the newer message that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Position>,
    /// The code of a model error or of an agent that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The agent that goes on, after a handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<AgentName>,
}

/// The turn that an event belongs to, if it says so.
#[must_use]
pub fn turn_of(at: Position, event: &Event) -> Option<TurnId> {
    match event {
        Event::Turn(event) => turn_of_its_own(at, event),
        Event::Call(_) => CallsAdmitted::of_event(event).map(|admitted| admitted.turn),
        Event::World(_) | Event::Talk(_) | Event::Refused(_) => None,
    }
}

fn turn_of_its_own(at: Position, event: &TurnEvent) -> Option<TurnId> {
    match event {
        TurnEvent::TurnOpened(_) | TurnEvent::TurnDeclined(_) => Some(TurnId(at)),
        TurnEvent::TurnClosed(closed) => Some(closed.turn),
        TurnEvent::ModelCalled(called) => Some(called.turn),
        TurnEvent::ModelAnswered(answered) => Some(answered.turn),
        TurnEvent::ModelFailed(failed) => Some(failed.turn),
        TurnEvent::AgentReacted(reacted) => Some(reacted.turn),
        TurnEvent::AgentFailed(failed) => failed.turn,
        TurnEvent::HandedOff(handed) => Some(handed.turn),
        TurnEvent::MemoryCompacted(compacted) => Some(compacted.turn),
        TurnEvent::StreamStarted(_)
        | TurnEvent::StreamCut(_)
        | TurnEvent::PrefixBroken(_)
        | TurnEvent::Stopped(_)
        | TurnEvent::JoinElapsed(_) => None,
    }
}

impl TurnStory {
    /// Begins with the commit that opens `turn` or sets its news aside; `None` if `commit` does
    /// neither.
    #[must_use]
    pub fn begin(commit: &Commit, turn: TurnId) -> Option<Self> {
        let (_, event) = commit.numbered().find(|(at, _)| *at == turn.0)?;
        let (agent, episode, news) = if let Some(opened) = TurnOpened::of_event(event) {
            (&opened.agent, opened.episode, &opened.news)
        } else if let Some(declined) = TurnDeclined::of_event(event) {
            (&declined.agent, declined.episode, &declined.news)
        } else {
            return None;
        };
        let agent = agent.clone();
        let news = news.clone();
        let mut story = Self {
            agent,
            turn,
            episode,
            news,
            model_calls: 0,
            tool_calls: 0,
            end: None,
        };
        story.take(commit);
        Some(story)
    }

    /// Goes on with the next commit.
    pub fn take(&mut self, commit: &Commit) {
        for (at, event) in commit.numbered().filter(|(at, _)| *at >= self.turn.0) {
            if self.end.is_some() {
                return;
            }
            if let Event::Turn(TurnEvent::ModelCalled(called)) = event
                && called.turn == self.turn
                && called.attempt == Attempt(1)
            {
                self.model_calls = self.model_calls.saturating_add(1);
            } else if let Event::Call(CallEvent::CallsAdmitted(admitted)) = event
                && admitted.turn == self.turn
            {
                let count = u32::try_from(admitted.calls.len()).unwrap_or(u32::MAX);
                self.tool_calls = self.tool_calls.saturating_add(count);
            } else if let Event::Turn(TurnEvent::TurnClosed(closed)) = event
                && closed.turn == self.turn
            {
                self.end = Some(self.ended(at, closed.reason, commit));
            } else if let Event::Turn(TurnEvent::TurnDeclined(declined)) = event
                && at == self.turn.0
            {
                self.end = Some(self.ended(at, declined.reason, commit));
            }
        }
    }

    fn ended(&self, at: Position, reason: CloseReason, commit: &Commit) -> TurnEnd {
        let is_message = |event: &Event| {
            matches!(
                event,
                Event::Talk(TalkEvent::MessagePosted(_)) | Event::Talk(TalkEvent::MessageEdited(_))
            )
        };
        let message = commit
            .numbered()
            .find(|(_, event)| is_message(event))
            .map(|(at, _)| at);
        let message = message.filter(|_| is_told(reason));
        let code = commit.events.iter().find_map(|event| self.code(event));
        let to = commit.events.iter().find_map(|event| self.handed_to(event));
        TurnEnd {
            at,
            reason,
            by: commit.header.principal.clone(),
            message,
            code,
            to,
        }
    }

    fn handed_to(&self, event: &Event) -> Option<AgentName> {
        let Event::Turn(TurnEvent::HandedOff(handed)) = event else {
            return None;
        };
        (handed.turn == self.turn).then(|| handed.to.clone())
    }

    fn code(&self, event: &Event) -> Option<String> {
        let Event::Talk(TalkEvent::NoticePosted(posted)) = event else {
            return None;
        };
        let Notice::TurnFailed { agent, code } = &posted.notice else {
            return None;
        };
        (*agent == self.agent).then(|| code.clone())
    }
}

/// Tells whether a message beside the end tells why: the reply, the handoff, or what took the
/// turn's place.
const fn is_told(reason: CloseReason) -> bool {
    match reason {
        CloseReason::Answered | CloseReason::Superseded | CloseReason::HandedOff => true,
        CloseReason::Passed | CloseReason::Failed | CloseReason::Limit | CloseReason::Stopped => {
            false
        }
    }
}
