//! The items of a commit, made while it is folded: each event is looked at before and after its fold.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::commit::Commit;
use crate::content::Content;
use crate::event::{
    Author, CallEvent, Event, MessageEdited, MessageRouted, TalkEvent, ToolFinished, ToolStarted,
    TurnEvent, WorldEvent,
};
use crate::ids::{AgentName, CallId, EpisodeId, Position, RequestId, Time, TurnId};
use crate::model::response::LLMResponse;
use crate::tool::{ToolOutcome, View};
use crate::world::World;
use crate::world::fold::{Watch, fold_watched};
use crate::world::projection::feed::decision::decision;
use crate::world::projection::feed::{FeedActivity, FeedItem, Item, ItemId};
use crate::world::projection::transcript::{said, said_anew};
use crate::world::projection::{Revised, TranscriptMessage, Waiting, answer_of};

impl World {
    /// Folds one commit, and gives the items that it brings to the feed, in order.
    pub fn apply_watched(&mut self, commit: &Commit) -> Vec<FeedItem> {
        let mut watcher = Watcher {
            time: commit.header.stamp.time,
            episodes: self.episodes().keys().copied().collect(),
            pending: pending(self),
            subject: Subject::default(),
            answer: None,
            items: Vec::new(),
        };
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

/// The subject of an event, as the world knew it before: its fold may take it away.
#[derive(Debug, Clone, Default)]
struct Subject {
    place: Place,
    /// The tool of the call that the event is about, as its agent named it.
    tool: String,
    /// The arguments of that call; `None` if they were erased.
    arguments: Option<String>,
}

/// Watches the fold of one commit.
struct Watcher {
    time: Time,
    /// The episodes that were open before the commit.
    episodes: BTreeSet<EpisodeId>,
    /// The requests that waited before the event, and the places of their calls.
    pending: BTreeMap<RequestId, Place>,
    subject: Subject,
    /// The answer that the events behind it refer to, and where it stands.
    answer: Option<(Position, Content<LLMResponse>)>,
    items: Vec<FeedItem>,
}

impl Watch for Watcher {
    fn before(&mut self, world: &World, event: &Event) {
        self.subject = Subject::of(world, event);
    }

    fn after(&mut self, world: &World, event: &Event) {
        let at = world.head();
        self.answer = answer_of(at, event).or_else(|| self.answer.take());
        let waiting = pending(world);
        self.tell_decisions(world, &waiting, Some(event));
        self.tell(at, event);
        self.tell_requests(world, &waiting);
        self.pending = waiting;
    }
}

impl Watcher {
    /// The items, with those that no event but the whole commit brings.
    fn finish(mut self, world: &World) -> Vec<FeedItem> {
        let waiting = pending(world);
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
            self.push(world.head(), place, Item::Activity { activity });
        }
        self.items
    }

    fn push(&mut self, at: Position, place: Place, item: Item) {
        let last = self.items.last().filter(|last| last.id.at == at);
        let number = last.map_or(0, |last| last.id.number.saturating_add(1));
        self.items.push(FeedItem {
            id: ItemId { at, number },
            time: self.time,
            episode: place.episode,
            agent: place.agent,
            turn: place.turn,
            item,
        });
    }

    fn tell(&mut self, at: Position, event: &Event) {
        match event {
            Event::Talk(event) => self.tell_talk(at, event),
            Event::Turn(event) => self.tell_turn(at, event),
            Event::Call(CallEvent::ToolStarted(started)) => self.tell_start(at, started),
            Event::Call(CallEvent::ToolFinished(finished)) => self.tell_finish(at, finished),
            Event::World(WorldEvent::ErasureRequested(asked)) => {
                let events = asked.events.clone();
                self.push(at, Place::default(), Item::Erased { events });
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
            TalkEvent::MessageEdited(edited) => self.tell_edit(at, edited),
            TalkEvent::MessageRouted(routed) => self.belong(routed),
            TalkEvent::NoticePosted(posted) => {
                let place = Place {
                    episode: posted.episode,
                    ..Place::default()
                };
                let notice = posted.notice.clone();
                let to = posted.to.clone();
                self.push(at, place, Item::Notice { notice, to });
            }
            TalkEvent::MessageRetracted(retracted) => {
                let item = Item::Revised {
                    message: retracted.message,
                    how: Revised::Retracted,
                    gone: retracted.gone.clone(),
                };
                self.push(at, Place::default(), item);
            }
            TalkEvent::ReplyRegenerated(made) => {
                let place = Place {
                    agent: Some(made.agent.clone()),
                    ..Place::default()
                };
                let item = Item::Revised {
                    message: made.message,
                    how: Revised::Regenerated,
                    gone: made.gone.clone(),
                };
                self.push(at, place, item);
            }
            TalkEvent::ArtifactWithheld(_) | TalkEvent::StateObserved(_) => {}
        }
    }

    /// Says that the old words are gone, and then the new ones.
    fn tell_edit(&mut self, at: Position, edited: &MessageEdited) {
        let item = Item::Revised {
            message: edited.message,
            how: Revised::Edited,
            gone: edited.gone.clone(),
        };
        self.push(at, Place::default(), item);
        self.tell_message(at, None, said_anew(at, self.time, edited));
    }

    fn tell_message(&mut self, at: Position, turn: Option<TurnId>, message: TranscriptMessage) {
        let agent = match &message.author {
            Author::Agent(agent) => Some(agent.clone()),
            Author::Person(_) | Author::World => None,
        };
        let place = Place {
            agent,
            turn,
            episode: Some(message.episode),
        };
        let item = Item::Message {
            message: message.message,
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
        for told in &mut self.items {
            if told.id.at == routed.message && matches!(told.item, Item::Message { .. }) {
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
            let activity = FeedActivity::TurnOpened;
            self.push(at, place, Item::Activity { activity });
        } else if let TurnEvent::TurnClosed(closed) = event {
            let activity = FeedActivity::TurnClosed(closed.reason);
            self.push(at, self.subject.place.clone(), Item::Activity { activity });
        }
    }

    fn tell_start(&mut self, at: Position, started: &ToolStarted) {
        let Subject {
            place,
            tool,
            arguments,
        } = self.subject.clone();
        let item = Item::CallStarted {
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
        let views: Vec<View> = finished.views().cloned().collect();
        let outcome = finished.outcome.present().and_then(Option::as_ref);
        let text = match outcome {
            Some(ToolOutcome::Done(output)) => Some(output.text.clone()),
            Some(ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_)) | None => None,
        };
        let item = Item::CallFinished {
            call: finished.call,
            tool,
            status: finished.status.clone(),
            text: text.filter(|text| views.is_empty() && !text.is_empty()),
            views,
        };
        self.push(at, place, item);
    }

    /// Tells the requests that wait since the event.
    fn tell_requests(&mut self, world: &World, waiting: &BTreeMap<RequestId, Place>) {
        for (id, place) in waiting {
            if self.pending.contains_key(id) {
                continue;
            }
            let Some(request) = world.consent().pending().get(id) else {
                continue;
            };
            let request = Box::new(Waiting::of(world, *id, request));
            self.push(world.head(), place.clone(), Item::Request { request });
        }
    }

    /// Tells the requests that wait no longer since `event`.
    fn tell_decisions(
        &mut self,
        world: &World,
        waiting: &BTreeMap<RequestId, Place>,
        event: Option<&Event>,
    ) {
        let over: Vec<(RequestId, Place)> = self
            .pending
            .iter()
            .filter(|(id, _)| !waiting.contains_key(id))
            .map(|(id, place)| (*id, place.clone()))
            .collect();
        for (id, place) in over {
            let Some(settled) = world.consent().settled().get(&id) else {
                continue;
            };
            self.push(world.head(), place, decision(id, settled, event));
        }
    }
}

impl Subject {
    fn of(world: &World, event: &Event) -> Self {
        if let Event::Turn(TurnEvent::TurnClosed(closed)) = event {
            let turn = world
                .memory(&closed.agent)
                .and_then(|memory| memory.turn.as_ref());
            let place = Place {
                agent: Some(closed.agent.clone()),
                turn: Some(closed.turn),
                episode: turn
                    .filter(|turn| turn.id == closed.turn)
                    .map(|turn| turn.episode),
            };
            return Self {
                place,
                ..Self::default()
            };
        }
        if let Event::Call(CallEvent::ToolStarted(ToolStarted { agent, call, .. }))
        | Event::Call(CallEvent::ToolFinished(ToolFinished { agent, call, .. })) = event
        {
            return Self::of_call(world, agent, *call);
        }
        Self::default()
    }

    fn of_call(world: &World, agent: &AgentName, call: CallId) -> Self {
        let memory = world.memory(agent);
        let turn = memory.and_then(|memory| memory.turn.as_ref());
        let slot = turn.and_then(|turn| turn.slots.iter().find(|slot| slot.call == call));
        let open = memory.and_then(|memory| memory.open_calls.get(&call));
        Self {
            place: Place::of_call(world, agent, call),
            tool: slot.map(|slot| slot.tool.clone()).unwrap_or_default(),
            arguments: open.and_then(|open| open.arguments.present().cloned()),
        }
    }
}

impl Place {
    /// The place of a call: its turn, as long as that is open.
    fn of_call(world: &World, agent: &AgentName, call: CallId) -> Self {
        let turn = world
            .memory(agent)
            .and_then(|memory| memory.turn.as_ref())
            .filter(|turn| turn.slots.iter().any(|slot| slot.call == call));
        Self {
            agent: Some(agent.clone()),
            turn: turn.map(|turn| turn.id),
            episode: turn.map(|turn| turn.episode),
        }
    }
}

/// The requests that wait, and the places of their calls.
fn pending(world: &World) -> BTreeMap<RequestId, Place> {
    let all = world.consent().pending().iter();
    all.map(|(id, request)| (*id, Place::of_call(world, &request.agent, request.call)))
        .collect()
}
