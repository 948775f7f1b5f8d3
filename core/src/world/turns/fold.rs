//! Turns and model calls.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::content::{Content, ERASED};
use crate::event::reaction::Reaction;
use crate::event::{
    AgentFailed, AgentReacted, Author, MemoryCompacted, ModelAnswered, ModelCalled, ModelFailed,
    PrefixBroken, Purpose, Stopped, StreamStarted, TurnClosed, TurnDeclined, TurnOpened,
};
use crate::ids::{AgentName, Attempt, EpisodeId, Position, TurnId};
use crate::model::money::Money;
use crate::model::response::{LLMResponse, Part};
use crate::prompt::Item;
use crate::prompt::border::erased_notice;
use crate::world::World;
use crate::world::calls::done;
use crate::world::fold::Fold;
use crate::world::memory::{Chain, Charge, FrameMark, JoinEnd, Memory, Message, ModelState, Turn};
use crate::world::meters::meter::Ended;
use crate::world::meters::{episode, meter};
use crate::world::opening::fold::fork;
use crate::world::talk::fold::revision;
use crate::world::talk::observed;
use crate::world::turns::{ask, layers};
use crate::world::waits::fold::join;
use crate::world::waits::fold::join::Ending;

pub(in crate::world) fn open_turn(fold: &mut Fold<'_>, event: &TurnOpened) {
    if let Some(before) = event.resumes {
        return fork::resume_turn(fold, event, before);
    }
    let world = &mut *fold.world;
    let id = TurnId(world.head);
    // Before the news let go of it: an episode that nobody holds is over, and its budget with it.
    world.episodes.hold(event.episode);
    let began_by = episode::began_by(world, &event.agent, event.news.len())
        .cloned()
        .collect();
    let memory = world.agents.memory(&event.agent);
    let done = memory.and_then(|memory| {
        done::done_before(world, &event.agent, event.news.len(), &event.redoes, memory)
    });
    let news = take_news(world, &event.agent, event.horizon, event.news.len());
    if let Some(memory) = world.agents.memory_mut(&event.agent) {
        memory.remember_all(done);
    }
    // An agent was promised the rules that its turn began under; those of now are asked beside them
    // (decision 0023).
    let rules = Arc::clone(&world.rules);
    let layers = layers::layers_of(world, &event.agent).into_owned();
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.turn = Some(Turn {
        began_by,
        denied: BTreeSet::new(),
        id,
        episode: event.episode,
        horizon: event.horizon,
        because: news.iter().map(|message| message.at).collect(),
        asks: news
            .iter()
            .flat_map(|message| message.asks.iter().cloned())
            .collect(),
        news,
        compactions: 0,
        held: Money::ZERO,
        rules,
        layers,
        model: None,
        slots: Vec::new(),
        moved_by: id.0,
    });
    world.agents.wake(event.agent.clone());
}

pub(in crate::world) fn decline_turn(world: &mut World, event: &TurnDeclined) {
    let news = take_news(world, &event.agent, event.horizon, event.news.len());
    join::end_waits_for(world, &event.agent, &news, Ending::unheard(JoinEnd::Limit));
    world.agents.rest(&event.agent);
}

/// Moves the `count` oldest messages of the inbox, and whatever else the agent heard up to there,
/// into its items.
fn take_news(
    world: &mut World,
    agent: &AgentName,
    horizon: Position,
    count: usize,
) -> Vec<Arc<Message>> {
    let Some(memory) = world.agents.memory(agent) else {
        return Vec::new();
    };
    let until = memory.reaches(horizon, count);
    let fresh = observed::fresh_items(world, agent, memory, until);
    let Some(memory) = world.agents.memory_mut(agent) else {
        return Vec::new();
    };
    memory.remember_all(fresh);
    memory.seen = memory.seen.max(until);
    memory.calm();
    let taken: Vec<_> = memory
        .inbox
        .drain(..count.min(memory.inbox.len()))
        .collect();
    for message in &taken {
        world.episodes.release(message.episode, 1);
    }
    taken
}

pub(in crate::world) fn call_model(world: &mut World, event: &ModelCalled) {
    let at = world.head;
    let mark = mark_of(world, event);
    // Of an older attempt that has no outcome yet there will be none.
    meter::end_attempt(world, &event.agent, Ended::Lost);
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.calm();
    let items = memory.items.len();
    let Some(turn) = memory.turn.as_mut() else {
        return;
    };
    let older = turn.model.take();
    let older = older.filter(|older| older.call == event.call);
    let (failed, begun, stream) = older.map_or((0, 0, None), |older| {
        // The attempts of each model are counted apart: a fallback has all of its own
        // (decision 0017).
        let (failed, begun) = if older.model == event.model {
            (older.failed, older.begun)
        } else {
            (0, 0)
        };
        (failed, begun, older.stream.or(older.broken_stream))
    });
    turn.slots.clear();
    turn.moved_by = at;
    turn.held = event
        .reserved
        .map(|reserved| reserved.closing)
        .unwrap_or_default();
    turn.model = Some(ModelState {
        call: event.call,
        attempt: event.attempt,
        incarnation: event.incarnation,
        at,
        purpose: event.purpose,
        model: event.model.clone(),
        parameters: event.parameters.clone(),
        items: event.items,
        failed,
        begun: begun.saturating_add(1),
        retry_at: None,
        fallback: None,
        charge: Some(Charge {
            reserved: event
                .reserved
                .map(|reserved| reserved.attempt)
                .unwrap_or_default(),
        }),
        stream: None,
        broken_stream: stream,
        called: None,
    });
    let episode = turn.episode;
    let is_first = event.attempt == Attempt(1);
    match (event.purpose, mark) {
        (Purpose::Compaction, _) => {
            turn.compactions = turn.compactions.saturating_add(u32::from(is_first))
        }
        (Purpose::Turn | Purpose::Closing, mark) => {
            memory.broken = None;
            memory.chain = mark.map(|frame| Chain {
                turn: event.turn,
                frame,
                items,
                value: event.fingerprint,
                purpose: event.purpose,
                model: event.model.clone(),
                parameters: event.parameters.clone(),
            });
        }
    }
    meter::charge(world, event, episode);
    if is_first {
        // Another attempt is no further call: only its money counts.
        world.episodes.spend(&event.agent, episode, event.purpose);
    }
}

fn mark_of(world: &World, event: &ModelCalled) -> Option<FrameMark> {
    let memory = world.agents.memory(&event.agent)?;
    let turn = memory.turn.as_ref()?;
    let asked = (&event.model, &event.parameters);
    let known = memory
        .chain
        .as_ref()
        .and_then(|chain| chain.frame_in(turn.id, event.purpose, asked));
    known.or_else(|| {
        Some(
            ask::frame(
                &turn.rules,
                &turn.layers,
                &event.agent,
                asked,
                event.purpose,
            )?
            .mark(),
        )
    })
}

pub(in crate::world) fn start_stream(world: &mut World, event: &StreamStarted) {
    let at = world.head;
    if let Some(model) = model_mut(world, &event.agent).filter(|model| model.call == event.call) {
        model.stream = Some(at);
    }
}

pub(in crate::world) fn take_answer(fold: &mut Fold<'_>, event: &ModelAnswered) {
    fold.note_answer(event.response.clone());
    let world = &mut *fold.world;
    meter::end_attempt(world, &event.agent, Ended::Answered(event.usage));
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.played.extend(event.played);
    let model = memory.turn.as_ref().and_then(|turn| turn.model.as_ref());
    // A summary is no part of the conversation that it stands for.
    if model.is_none_or(|model| model.purpose != Purpose::Compaction) {
        memory.say(&event.response);
    }
    if let Some(turn) = memory.turn.as_mut() {
        turn.model = None;
        turn.moved_by = world.head;
    }
    memory.flush_taken_back();
}

pub(in crate::world) fn fail_model(world: &mut World, event: &ModelFailed) {
    meter::end_attempt(world, &event.agent, Ended::of_failure(event));
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.played.extend(event.played);
    let Some(model) = memory.turn.as_mut().and_then(|turn| turn.model.as_mut()) else {
        return;
    };
    model.failed = model.failed.saturating_add(1);
    model.retry_at = event.retry_at;
    model.fallback.clone_from(&event.fallback);
    model.broken_stream = model.stream.take().or(model.broken_stream);
    memory.flush_taken_back();
}

pub(in crate::world) fn take_reaction(fold: &mut Fold<'_>, event: &AgentReacted) {
    let (response, note) = match &event.reaction {
        Content::Present(Reaction::Answer { response, note }) => (
            event
                .has_answered
                .then(|| Content::Present(response.clone())),
            note.clone(),
        ),
        Content::Present(Reaction::Pass { note }) => (None, note.clone()),
        Content::Present(Reaction::AskModel(_)) => (None, None),
        Content::Erased { by } => (
            event.has_answered.then_some(Content::Erased { by: *by }),
            None,
        ),
    };
    let world = &mut *fold.world;
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.calm();
    memory.note = note.map(Content::Present).or(memory.note.take());
    let turn = memory.turn.as_mut().map(|turn| {
        turn.slots.clear();
        turn.moved_by = world.head;
        turn.episode
    });
    if let Some(response) = response {
        memory.say(&response);
        fold.note_answer(response);
        if let Some(episode) = turn {
            fold.world
                .episodes
                .spend(&event.agent, episode, Purpose::Turn);
        }
    }
}

pub(in crate::world) fn fail_agent(world: &mut World, event: &AgentFailed) {
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.failures = event.attempt.0;
    memory.retry_at = event.retry_at;
}

/// The summary stands in the answer of the same commit.
pub(in crate::world) fn compact(fold: &mut Fold<'_>, event: &MemoryCompacted) {
    let text = fold
        .response_at(event.answer)
        .map_or_else(|| ERASED.to_owned(), LLMResponse::spoken);
    let world = &mut *fold.world;
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.summarise(usize::try_from(event.items).unwrap_or(usize::MAX), text);
}

pub(in crate::world) fn break_prefix(world: &mut World, event: &PrefixBroken) {
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.forget(usize::try_from(event.dropped).unwrap_or(usize::MAX));
}

pub(in crate::world) fn close_turn(world: &mut World, event: &TurnClosed) {
    meter::end_attempt(world, &event.agent, Ended::Lost);
    let Some(memory) = world.agents.memory_mut(&event.agent) else {
        return;
    };
    memory.calm();
    let Some(turn) = memory.turn.take() else {
        return;
    };
    world.consent.end_turn(turn.id);
    memory.flush_taken_back();
    memory.flush_notices();
    join::end_waits_for(
        world,
        &event.agent,
        &turn.news,
        Ending::closed(turn.id, event.reason),
    );
    world.episodes.release(turn.episode, 1);
    world.agents.rest(&event.agent);
}

pub(in crate::world) fn stop(world: &mut World, event: &Stopped) {
    let is_meant = |episode: EpisodeId| event.episode.is_none_or(|only| only == episode);
    let agents: Vec<AgentName> = world.agents.busy().iter().cloned().collect();
    for agent in agents {
        let Some(memory) = world.agents.memory_mut(&agent) else {
            continue;
        };
        let (gone, kept): (VecDeque<_>, VecDeque<_>) = memory
            .inbox
            .drain(..)
            .partition(|message| is_meant(message.episode));
        memory.inbox = kept;
        for message in &gone {
            world.episodes.release(message.episode, 1);
        }
        join::end_waits_for(world, &agent, &gone, Ending::unheard(JoinEnd::Stopped));
        join::stop_join(world, &agent, is_meant);
        revision::put_back(world, &agent, left_by_stop(world, &agent, is_meant));
        world.agents.rest(&agent);
    }
}

/// The words of people in other episodes, which a turn that is stopped took up with its own news:
/// they are answered in a turn of its own.
fn left_by_stop(
    world: &World,
    agent: &AgentName,
    is_meant: impl Fn(EpisodeId) -> bool,
) -> Vec<Arc<Message>> {
    let turn = world.agents.turn(agent);
    let news = turn
        .filter(|turn| turn.is_about(&is_meant))
        .into_iter()
        .flat_map(|turn| &turn.news);
    let is_left = |message: &&Arc<Message>| match message.author {
        Author::Person(_) | Author::Service(_) | Author::World => !is_meant(message.episode),
        Author::Agent(_) => false,
    };
    news.filter(is_left).cloned().collect()
}

fn model_mut<'w>(world: &'w mut World, agent: &AgentName) -> Option<&'w mut ModelState> {
    world.agents.turn_mut(agent)?.model.as_mut()
}

impl Memory {
    /// Returns how far the agent sees when it takes `count` messages of its inbox at `horizon`: not
    /// past the first one that it leaves there.
    pub(in crate::world) fn reaches(&self, horizon: Position, count: usize) -> Position {
        match self.inbox.get(count) {
            Some(left) if left.at <= horizon => self
                .inbox
                .get(count.saturating_sub(1))
                .map_or(horizon, |last| last.at),
            Some(_) | None => horizon,
        }
    }

    /// Forgets failures: the agent has moved on.
    pub(in crate::world) fn calm(&mut self) {
        (self.failures, self.lost) = (0, 0);
        self.retry_at = None;
    }

    /// Remembers the agent's own answer. Calls without a provider's label get one of ours.
    fn say(&mut self, response: &Content<LLMResponse>) {
        let Content::Present(response) = response else {
            return self.remember(Item::Said {
                parts: vec![Part::Text(ERASED.to_owned())],
            });
        };
        let mut parts = response.reply().parts.clone();
        let mut unlabelled = self.unlabelled;
        for part in &mut parts {
            if let Part::Call(call) = part {
                call.label = call.label_or_next(&mut unlabelled);
            }
        }
        if !parts.is_empty() {
            self.remember(Item::Said { parts });
        }
    }

    /// Puts the results of the last answer's calls into the items, in admission order, once all are
    /// there; then the notices that waited for them.
    pub(in crate::world) fn flush_results(&mut self) {
        if !self.open_calls.is_empty() {
            return;
        }
        let slots = || self.turn.iter().flat_map(|turn| &turn.slots);
        let is_erased = slots().any(|slot| slot.is_erased);
        let results: Vec<Item> = slots()
            .filter_map(crate::world::memory::Slot::item)
            .collect();
        results
            .into_iter()
            .chain(is_erased.then(erased_notice))
            .for_each(|item| self.remember(item));
        self.flush_notices();
    }
}
