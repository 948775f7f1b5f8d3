//! Pure projections of commits: what observers of the two channels are shown.

use std::collections::BTreeMap;

use crate::command::commit::Commit;
use crate::content::Content;
use crate::event::reaction::Reaction;
use crate::event::{
    AdmittedCall, Author, CallEvent, CallStatus, Event, MessagePosted, MessageRouted, SettledHow,
    TalkEvent, ToolFinished, TurnEvent, WorldEvent,
};
use crate::ids::{AgentName, CallId, EpisodeId, Position, TurnId};
use crate::model::response::LLMResponse;
use crate::port::{TextEvent, ToolResultEvent};
use crate::prompt::border::Crossing;
use crate::spec::WorldSpec;
use crate::tool::ViewPolicy;
use crate::world::World;
use crate::world::memory::CallResult;

mod feed;
mod revision;
mod transcript;
mod waiting;

pub use feed::{FeedActivity, FeedBody, FeedItem, ItemId, ItemIdError};
pub use revision::{Revised, Revision};
pub use transcript::{
    TranscriptEntry, TranscriptMessage, TranscriptNotice, TranscriptPage, TranscriptPager,
    TranscriptShown,
};
pub use waiting::{Asks, Offers, Waiting, waiting};

use revision::edited_event;

/// Messages.
#[derive(Debug, Clone, Default)]
pub struct TextProjection {}

impl TextProjection {
    /// The messages of a commit. One that was edited comes once more, under its id and at its new position.
    #[must_use]
    pub fn take(&mut self, commit: &Commit) -> Vec<TextEvent> {
        let mut answer = None;
        let mut found = Vec::new();
        for (at, event) in commit.numbered() {
            if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
                found.push(text_event(at, posted, answer.as_ref()));
            } else if let Event::Talk(TalkEvent::MessageEdited(edited)) = event {
                found.push(edited_event(at, edited));
            } else if let Event::Talk(TalkEvent::MessageRouted(MessageRouted {
                message,
                episode,
                ..
            })) = event
            {
                found
                    .iter_mut()
                    .filter(|found| found.at == *message)
                    .for_each(|found| found.episode = *episode);
            } else {
                answer = answer_of(at, event).or(answer);
            }
        }
        found
    }
}

/// The answer that an event brought, with its position.
fn answer_of(at: Position, event: &Event) -> Option<(Position, Content<LLMResponse>)> {
    if let Event::Turn(TurnEvent::ModelAnswered(answered)) = event {
        return Some((at, answered.response.clone()));
    }
    let Event::Turn(TurnEvent::AgentReacted(reacted)) = event else {
        return None;
    };
    match &reacted.reaction {
        Content::Present(Reaction::Answer { response, .. }) => {
            Some((at, Content::Present(response.clone())))
        }
        Content::Present(Reaction::Pass { .. } | Reaction::AskModel(_))
        | Content::Erased { .. } => None,
    }
}

fn text_event(
    at: Position,
    posted: &MessagePosted,
    answer: Option<&(Position, Content<LLMResponse>)>,
) -> TextEvent {
    let text = match (&posted.answer, answer) {
        (Some(place), Some((_, Content::Present(response)))) => response.spoken_without(&place.cut),
        (None, _) => posted
            .body
            .present()
            .map(|body| body.text.clone())
            .unwrap_or_default(),
        (Some(_), _) => String::new(),
    };
    TextEvent {
        at,
        message: posted.message,
        episode: EpisodeId(at),
        from: posted.author.to_string(),
        is_person: matches!(posted.author, Author::Person(_)),
        text,
        attachments: posted
            .body
            .present()
            .map(|body| body.attachments.clone())
            .unwrap_or_default(),
    }
}

/// The words of the message at `at`, which `commit` posted; `None` if they were erased.
fn said_at(at: Position, commit: &Commit) -> Option<String> {
    let messages = TextProjection::default().take(commit);
    messages
        .into_iter()
        .find(|message| message.at == at)
        .map(|message| message.text)
        .filter(|text| !text.is_empty())
}

/// Results of one agent's calls.
#[derive(Debug, Clone)]
pub struct ToolResultProjection {
    agent: AgentName,
    open: BTreeMap<CallId, (TurnId, String)>,
    /// The outputs of tools as a model may read them: in the agent's turn, and in the next one.
    views: Views,
    views_next: Views,
}

/// Policies by the tools' names.
type Views = BTreeMap<String, ViewPolicy>;

fn views_of(spec: &WorldSpec) -> Views {
    spec.tools
        .values()
        .map(|tool| (tool.name.to_string(), tool.view))
        .collect()
}

impl ToolResultProjection {
    /// Begins at the head of `world`.
    #[must_use]
    pub fn of(world: &World, agent: &AgentName) -> Self {
        let memory = world.memory(agent);
        let turn = memory.and_then(|memory| memory.turn.as_ref());
        let slots = turn
            .into_iter()
            .flat_map(|turn| turn.slots.iter().map(|slot| (turn.id, slot)));
        let open = slots.filter(|(_, slot)| slot.result.is_none());
        let rules = turn.map_or(world.rules(), |turn| &turn.rules);
        Self {
            agent: agent.clone(),
            open: open
                .map(|(turn, slot)| (slot.call, (turn, slot.tool.clone())))
                .collect(),
            views: views_of(rules.spec()),
            views_next: views_of(world.rules().spec()),
        }
    }

    /// The results that a commit brought.
    #[must_use]
    pub fn take(&mut self, commit: &Commit) -> Vec<ToolResultEvent> {
        let mut answer = None;
        let mut found = Vec::new();
        for (at, event) in commit.numbered() {
            answer = answer_of(at, event).or(answer);
            found.extend(self.fold(event, answer.as_ref(), commit));
        }
        found
    }

    fn fold(
        &mut self,
        event: &Event,
        answer: Option<&(Position, Content<LLMResponse>)>,
        commit: &Commit,
    ) -> Option<ToolResultEvent> {
        if let Event::World(WorldEvent::SpecRevised(revised)) = event {
            self.views_next = views_of(&revised.spec);
        }
        if let Event::Turn(TurnEvent::TurnOpened(opened)) = event
            && opened.agent == self.agent
        {
            self.views = self.views_next.clone();
        }
        if let Event::Call(CallEvent::CallsAdmitted(admitted)) = event
            && admitted.agent == self.agent
        {
            for call in &admitted.calls {
                let tool = self.tool_of(call, answer);
                self.open.insert(call.call, (admitted.turn, tool));
            }
        }
        if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            let result = if let CallStatus::Answered(at) = finished.status {
                CallResult::answered(said_at(at, commit).as_deref(), Crossing::OPEN)
            } else {
                CallResult::ended(
                    finished,
                    Crossing {
                        view: self.view_of(finished),
                        ..Crossing::OPEN
                    },
                )
            };
            return self.close(finished.call, result);
        }
        let Event::Call(CallEvent::OutcomeSettled(settled)) = event else {
            return None;
        };
        match settled.how {
            SettledHow::Ran | SettledHow::NotRun => {
                self.close(settled.call, CallResult::settled(settled, Crossing::OPEN))
            }
            SettledHow::RunAgain | SettledHow::Late => None,
        }
    }

    fn view_of(&self, finished: &ToolFinished) -> ViewPolicy {
        let tool = self.open.get(&finished.call).map(|(_, tool)| tool);
        tool.and_then(|tool| self.views.get(tool))
            .copied()
            .unwrap_or(ViewPolicy::None)
    }

    /// The tool as the agent named it: in its answer, or in the call that this one replaces.
    fn tool_of(
        &self,
        call: &AdmittedCall,
        answer: Option<&(Position, Content<LLMResponse>)>,
    ) -> String {
        if let Some(origin) = call.origin {
            return self
                .open
                .get(&origin)
                .map(|(_, tool)| tool.clone())
                .unwrap_or_default();
        }
        let ordinal = usize::try_from(call.ordinal).unwrap_or(usize::MAX);
        let response = answer.and_then(|(_, response)| response.present());
        let part = response.and_then(|response| response.reply().calls().nth(ordinal));
        part.map(|part| part.tool.clone()).unwrap_or_default()
    }

    fn close(&mut self, call: CallId, result: CallResult) -> Option<ToolResultEvent> {
        let (turn, tool) = self.open.remove(&call)?;
        let CallResult { view, views } = result;
        let text = view.read();
        let failed = view.has_failed();
        Some(ToolResultEvent {
            agent: self.agent.clone(),
            turn,
            call,
            tool,
            text,
            failed,
            views,
        })
    }
}
