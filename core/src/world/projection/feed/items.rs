//! The items of a commit, made while it is folded: each event is looked at before and after its fold.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::commit::Commit;
use crate::content::Content;
use crate::event::{
    Author, CallEvent, CallReplaced, CallStatus, Event, MessageRouted, OutcomeSettled, SettledHow,
    TalkEvent, ToolFinished, ToolStarted, TurnEvent, WorldEvent,
};
use crate::ids::principal::Party;
use crate::ids::{AgentName, CallId, EpisodeId, Position, RequestId, Time, TurnId};
use crate::model::response::LLMResponse;
use crate::tool::ToolOutcome;
use crate::world::World;
use crate::world::consent::Request;
use crate::world::fold::{Watch, fold_watched};
use crate::world::memory::{Memory, Slot};
use crate::world::projection::feed::decision::decision;
use crate::world::projection::feed::{FeedActivity, FeedBody, FeedItem, ItemId};
use crate::world::projection::transcript::{said, said_anew};
use crate::world::projection::{Revision, TranscriptMessage, Waiting, answer_of};

impl World {
    /// Folds one commit, and gives the items that it brings to the feed, in order.
    pub fn apply_watched(&mut self, commit: &Commit) -> Vec<FeedItem> {
        let mut watcher = Watcher {
            time: commit.header.stamp.time,
            speaker: commit.header.principal.party(),
            episodes: self.episodes().keys().copied().collect(),
            turns: open_turns(self),
            pending: BTreeMap::new(),
            subject: Subject::default(),
            answer: None,
            items: Vec::new(),
        };
        watcher.pending = watcher.pending(self);
        fold_watched(self, commit, &mut watcher);
        watcher.finish(self)
    }
}

/// The place of an act: who acts, in which turn, in which episode.
#[derive(Debug, Clone, Default)]
struct Place {
    agent: Option<AgentName>,
    turn: Option<TurnId>,
    episode: Option<EpisodeId>,
}

/// A request that waits, and the call that it is about.
#[derive(Debug, Clone)]
struct Asked {
    call: CallId,
    place: Place,
}

/// The subject of an event, as the world knew it before: its fold may take it away.
#[derive(Debug, Clone, Default)]
struct Subject {
    place: Place,
    /// True if it is about a call that has no result yet.
    is_open: bool,
    /// The tool of the call that the event is about, as its agent named it.
    tool: String,
    /// The arguments of that call; `None` if they were erased.
    arguments: Option<String>,
}

/// Watches the fold of one commit.
struct Watcher {
    time: Time,
    /// The person or the service who gave the command; `None` if neither did.
    speaker: Option<Party>,
    /// The episodes that were open before the commit, and those of its messages.
    episodes: BTreeSet<EpisodeId>,
    /// The turns that were open before the commit or began in it, and their episodes. A revision forgets turns whose calls
    /// end only behind it.
    turns: BTreeMap<TurnId, EpisodeId>,
    /// The requests that waited before the event.
    pending: BTreeMap<RequestId, Asked>,
    subject: Subject,
    /// The answer that the events behind it refer to, and where it stands.
    answer: Option<(Position, Content<LLMResponse>)>,
    items: Vec<FeedItem>,
}

impl Watch for Watcher {
    fn before(&mut self, world: &World, event: &Event) {
        self.subject = self.subject_of(world, event);
    }

    fn after(&mut self, world: &World, event: &Event) {
        let at = world.head();
        self.answer = answer_of(at, event).or_else(|| self.answer.take());
        let waiting = self.pending(world);
        self.tell_decisions(world, &waiting, Some(event));
        self.tell(at, event);
        self.tell_settlement(world, at, event);
        self.tell_requests(world, &waiting);
        self.pending = waiting;
    }
}

impl Watcher {
    /// The items, with those that no event but the whole commit brings.
    fn finish(mut self, world: &World) -> Vec<FeedItem> {
        let waiting = self.pending(world);
        self.tell_decisions(world, &waiting, None);
        let ended: Vec<EpisodeId> = self
            .episodes
            .iter()
            .filter(|id| !world.episodes().contains_key(id))
            .copied()
            .collect();
        for episode in ended {
            let place = Place {
                episode: Some(episode),
                ..Place::default()
            };
            let activity = FeedActivity::EpisodeEnded;
            self.push(world.head(), place, FeedBody::Activity { activity });
        }
        self.items
    }

    fn push(&mut self, at: Position, place: Place, body: FeedBody) {
        let last = self.items.last().filter(|last| last.id.at == at);
        let number = last.map_or(0, |last| last.id.number.saturating_add(1));
        self.items.push(FeedItem {
            id: ItemId { at, number },
            time: self.time,
            episode: place.episode,
            agent: place.agent,
            turn: place.turn,
            body,
        });
    }

    fn tell(&mut self, at: Position, event: &Event) {
        match event {
            Event::Talk(event) => self.tell_talk(at, event),
            Event::Turn(event) => self.tell_turn(at, event),
            Event::Call(CallEvent::ToolStarted(started)) => self.tell_start(at, started),
            Event::Call(CallEvent::ToolFinished(finished)) => self.tell_finish(at, finished),
            Event::Call(CallEvent::CallReplaced(replaced)) => {
                let item = FeedBody::CallReplaced {
                    call: replaced.call,
                    by: replaced.by,
                };
                self.push(at, self.subject.place.clone(), item);
            }
            Event::World(WorldEvent::Forked(_)) => {
                self.push(at, Place::default(), FeedBody::Branched {});
            }
            Event::World(WorldEvent::ErasureRequested(asked)) => {
                let events = asked.events.clone();
                self.push(at, Place::default(), FeedBody::Erased { events });
            }
            // Requests and decisions are told from the state: see `tell_requests`.
            Event::Call(_) | Event::World(_) | Event::Refused(_) => {}
        }
    }

    fn tell_talk(&mut self, at: Position, event: &TalkEvent) {
        match event {
            TalkEvent::MessagePosted(posted) => {
                let message = said(at, self.time, posted, self.answer.as_ref());
                self.tell_message(at, posted.turn, message);
            }
            TalkEvent::MessageEdited(edited) => {
                self.tell_revision(at, None, event);
                self.tell_message(at, None, said_anew(at, self.time, edited));
            }
            TalkEvent::MessageRouted(routed) => self.belong(routed),
            TalkEvent::NoticePosted(posted) => {
                let place = Place {
                    episode: posted.episode,
                    ..Place::default()
                };
                let notice = posted.notice.clone();
                let to = posted.to.clone();
                self.push(at, place, FeedBody::Notice { notice, to });
            }
            TalkEvent::MessageRetracted(_) => self.tell_revision(at, None, event),
            TalkEvent::ReplyRegenerated(made) => self.tell_revision(at, Some(&made.agent), event),
            TalkEvent::ArtifactWithheld(_) | TalkEvent::StateObserved(_) => {}
        }
    }

    /// Says that words are gone.
    fn tell_revision(&mut self, at: Position, agent: Option<&AgentName>, event: &TalkEvent) {
        let Some(Revision {
            message, how, gone, ..
        }) = Revision::of_event(at, event)
        else {
            return;
        };
        let place = Place {
            agent: agent.cloned(),
            ..Place::default()
        };
        self.push(at, place, FeedBody::Revised { message, how, gone });
    }

    fn tell_message(&mut self, at: Position, turn: Option<TurnId>, message: TranscriptMessage) {
        let (agent, by) = match &message.author {
            Author::Agent(agent) => (Some(agent.clone()), None),
            Author::Person(_) | Author::Service(_) => (None, self.speaker.as_ref()),
            Author::World => (None, None),
        };
        let by = by.cloned();
        let place = Place {
            agent,
            turn,
            episode: Some(message.episode),
        };
        let item = FeedBody::Message {
            message: message.message,
            by,
            author: message.author,
            reply_to: message.reply_to,
            text: message.text,
            attachments: message.attachments,
            edited: message.edited,
            gone: false,
        };
        self.push(at, place, item);
    }

    /// Sets the episode of a message, which the event behind it tells.
    fn belong(&mut self, routed: &MessageRouted) {
        self.episodes.insert(routed.episode);
        for told in &mut self.items {
            if told.id.at == routed.message && matches!(told.body, FeedBody::Message { .. }) {
                told.episode = Some(routed.episode);
            }
        }
    }

    fn tell_turn(&mut self, at: Position, event: &TurnEvent) {
        if let TurnEvent::TurnOpened(opened) = event {
            let place = Place {
                agent: Some(opened.agent.clone()),
                turn: Some(TurnId(at)),
                episode: Some(opened.episode),
            };
            self.turns.insert(TurnId(at), opened.episode);
            let activity = FeedActivity::TurnOpened;
            self.push(at, place, FeedBody::Activity { activity });
        } else if let TurnEvent::TurnClosed(closed) = event {
            let activity = FeedActivity::TurnClosed(closed.reason);
            self.push(
                at,
                self.subject.place.clone(),
                FeedBody::Activity { activity },
            );
        }
    }

    fn tell_start(&mut self, at: Position, started: &ToolStarted) {
        let Subject {
            place,
            tool,
            arguments,
            ..
        } = self.subject.clone();
        let item = FeedBody::CallStarted {
            call: started.call,
            tool,
            arguments,
            attempt: started.attempt,
            effect: started.effect,
        };
        self.push(at, place, item);
    }

    fn tell_finish(&mut self, at: Position, finished: &ToolFinished) {
        let Subject { place, tool, .. } = self.subject.clone();
        let outcome = finished.outcome.present().and_then(Option::as_ref);
        let item = FeedBody::CallFinished {
            call: finished.call,
            tool,
            status: finished.status.clone(),
            same_as: finished.memo,
            text: outcome.and_then(words),
            views: finished.views().cloned().collect(),
        };
        self.push(at, place, item);
    }

    /// Tells the result of a call that a settlement closed, or that arrived late.
    fn tell_settlement(&mut self, world: &World, at: Position, event: &Event) {
        let Event::Call(CallEvent::OutcomeSettled(settled)) = event else {
            return;
        };
        let said = settled.text.present();
        let (status, text) = match settled.how {
            SettledHow::Ran => (
                CallStatus::SettledRan,
                said.and_then(|said| said.result.clone()),
            ),
            SettledHow::NotRun => (CallStatus::SettledNotRun, None),
            SettledHow::Late => {
                let late = said.and_then(|said| said.late.as_ref());
                (
                    CallStatus::Done,
                    late.and_then(|(_, outcome)| words(outcome)),
                )
            }
            SettledHow::RunAgain => return,
        };
        let is_late = settled.how == SettledHow::Late;
        if is_late || (self.subject.is_open && !is_open(world, &settled.agent, settled.call)) {
            let Subject { place, tool, .. } = self.subject.clone();
            let item = FeedBody::CallFinished {
                call: settled.call,
                tool,
                status,
                same_as: None,
                text,
                views: Vec::new(),
            };
            self.push(at, place, item);
        }
    }

    /// Tells the requests that wait since the event.
    fn tell_requests(&mut self, world: &World, waiting: &BTreeMap<RequestId, Asked>) {
        for (id, asked) in waiting {
            if self.pending.contains_key(id) {
                continue;
            }
            let Some(request) = world.consent().pending().get(id) else {
                continue;
            };
            let item = FeedBody::Request {
                call: asked.call,
                request: Box::new(Waiting::of(world, *id, request)),
            };
            self.push(world.head(), asked.place.clone(), item);
        }
    }

    /// Tells the requests that wait no longer since `event`.
    fn tell_decisions(
        &mut self,
        world: &World,
        waiting: &BTreeMap<RequestId, Asked>,
        event: Option<&Event>,
    ) {
        let over: Vec<(RequestId, Asked)> = self
            .pending
            .iter()
            .filter(|(id, _)| !waiting.contains_key(id))
            .map(|(id, asked)| (*id, asked.clone()))
            .collect();
        for (id, Asked { call, place }) in over {
            let settled = world.consent().settled().get(&id);
            self.push(world.head(), place, decision(id, call, settled, event));
        }
    }

    /// The requests that wait. One that waited before keeps the place that its call had then.
    fn pending(&self, world: &World) -> BTreeMap<RequestId, Asked> {
        let asked = |(id, request): (&RequestId, &Request)| {
            let known = self.pending.get(id).map(|asked| asked.place.clone());
            let call = request.call;
            let place = known.unwrap_or_else(|| self.place_of(world, &request.agent, call));
            (*id, Asked { call, place })
        };
        world.consent().pending().iter().map(asked).collect()
    }

    fn subject_of(&self, world: &World, event: &Event) -> Subject {
        if let Event::Turn(TurnEvent::TurnClosed(closed)) = event {
            let place = Place {
                agent: Some(closed.agent.clone()),
                turn: Some(closed.turn),
                episode: self.turns.get(&closed.turn).copied(),
            };
            return Subject {
                place,
                ..Subject::default()
            };
        }
        let Event::Call(event) = event else {
            return Subject::default();
        };
        if let CallEvent::ToolStarted(ToolStarted { agent, call, .. })
        | CallEvent::ToolFinished(ToolFinished { agent, call, .. })
        | CallEvent::OutcomeSettled(OutcomeSettled { agent, call, .. })
        | CallEvent::CallReplaced(CallReplaced { agent, call, .. }) = event
        {
            self.subject_of_call(world, agent, *call)
        } else {
            Subject::default()
        }
    }

    fn subject_of_call(&self, world: &World, agent: &AgentName, call: CallId) -> Subject {
        let memory = world.memory(agent);
        let open = memory.and_then(|memory| memory.open_calls.get(&call));
        let named = slot(memory, call).map(|slot| slot.tool.clone());
        let known = || open.and_then(|open| open.tool.as_ref().map(ToString::to_string));
        Subject {
            place: self.place_of(world, agent, call),
            is_open: open.is_some(),
            tool: named.or_else(known).unwrap_or_default(),
            arguments: open.and_then(|open| open.arguments.present().cloned()),
        }
    }

    /// The place of a call, as long as it is open or belongs to the turn that its agent is in.
    fn place_of(&self, world: &World, agent: &AgentName, call: CallId) -> Place {
        let memory = world.memory(agent);
        let open = memory.and_then(|memory| memory.open_calls.get(&call));
        let ended = || {
            slot(memory, call)
                .and(memory?.turn.as_ref())
                .map(|turn| turn.id)
        };
        let turn = open.map(|open| open.turn).or_else(ended);
        Place {
            agent: Some(agent.clone()),
            turn,
            episode: turn.and_then(|turn| self.turns.get(&turn).copied()),
        }
    }
}

/// The slot of a call in the turn that its agent is in.
fn slot(memory: Option<&Memory>, call: CallId) -> Option<&Slot> {
    let turn = memory?.turn.as_ref()?;
    turn.slots.iter().find(|slot| slot.call == call)
}

fn is_open(world: &World, agent: &AgentName, call: CallId) -> bool {
    let memory = world.memory(agent);
    memory.is_some_and(|memory| memory.open_calls.contains_key(&call))
}

/// The turns that are open, and their episodes.
fn open_turns(world: &World) -> BTreeMap<TurnId, EpisodeId> {
    let turns = world.agents.busy_memories();
    turns
        .filter_map(|(_, memory)| memory.turn.as_ref())
        .map(|turn| (turn.id, turn.episode))
        .collect()
}

/// The words of an outcome, where people see no views in their place. The detail of a failure is for operators.
fn words(outcome: &ToolOutcome) -> Option<String> {
    match outcome {
        ToolOutcome::Done(output) => {
            let has_words = output.views.is_empty() && !output.text.is_empty();
            has_words.then(|| output.text.clone())
        }
        ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_) => None,
    }
}
