//! Messages that are edited, taken back and made anew; people who leave.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::content::Content;
use crate::event::{Author, MessageEdited, MessageRetracted, Others, ReplyRegenerated};
use crate::ids::{AgentName, CallId, EpisodeId, Position};
use crate::world::World;
use crate::world::calls::done;
use crate::world::files;
use crate::world::memory::{CallState, Message, Ran, TakenBack, note_ran};
use crate::world::talk::fold::message;
use crate::world::waits::fold::join;

/// The message goes on under its id, at this event's position.
pub(in crate::world) fn edit(world: &mut World, event: &MessageEdited) {
    let before = world.transcript.message_at(event.at);
    let person = before.and_then(|message| message.person.clone());
    let service = before.and_then(|message| message.service.clone());
    let ran = done::ran_behind(world, event.at);
    take_back(world, event.at, &event.gone);
    let (text, attachments) = match &event.body {
        Content::Present(body) => (
            Content::Present(body.text.clone()),
            body.attachments.clone(),
        ),
        Content::Erased { by } => (Content::Erased { by: *by }, Vec::new()),
    };
    let from = message::shown_name(&event.author);
    let message = Message {
        at: world.head,
        id: event.message,
        author: event.author.clone(),
        person,
        service,
        began_by: std::collections::BTreeSet::new(),
        heard: message::heard_from(world, &from, &text, &attachments),
        from,
        text,
        attachments,
        reply_to: event.reply_to,
        depth: world.transcript.depth_below(event.reply_to),
        turn: None,
        because: Arc::default(),
        ran,
        edited: true,
        episode: EpisodeId(world.head),
        respond: Vec::new(),
        damped: Vec::new(),
        others: Others::Ignore,
        asks: Vec::new(),
        is_handoff: false,
        told: Vec::new(),
    };
    files::note_message(world, &message);
    let max = world.rules.spec().limits.transcript_max;
    world.transcript.push(message, max);
}

pub(in crate::world) fn retract(world: &mut World, event: &MessageRetracted) {
    take_back(world, event.at, &event.gone);
}

/// The news of the reply are put into its agent's inbox again.
pub(in crate::world) fn regenerate(world: &mut World, event: &ReplyRegenerated) {
    let turn = world
        .transcript
        .message_at(event.at)
        .and_then(|message| message.turn);
    let ran = done::ran_in(world, &event.agent, &event.news, turn);
    take_back(world, event.at, &event.gone);
    done::note_replaced(world, &event.news, &ran);
    let news = event
        .news
        .iter()
        .filter_map(|at| world.transcript.message_at(*at))
        .cloned()
        .collect();
    put_back(world, &event.agent, news);
}

/// Takes the message at `target` out of the room and out of all memories, with what goes with it.
fn take_back(world: &mut World, target: Position, gone: &[Position]) {
    let author = world
        .transcript
        .message_at(target)
        .and_then(|message| match &message.author {
            Author::Agent(agent) => Some((agent.clone(), Arc::clone(&message.because))),
            Author::Person(_) | Author::Service(_) | Author::World => None,
        });
    let gone: Arc<[Position]> = gone.into();
    let taken_from = |agent: &AgentName| {
        let said_for = author
            .as_ref()
            .filter(|(name, because)| name == agent && !because.is_empty());
        TakenBack {
            gone: Arc::clone(&gone),
            said_for: said_for.map(|(_, because)| Arc::clone(because)),
        }
    };
    let agents: Vec<(AgentName, TakenBack)> = world
        .agents
        .memories()
        .keys()
        .map(|name| (name.clone(), taken_from(name)))
        .collect();
    let undone: BTreeMap<&AgentName, Vec<Ran>> = agents
        .iter()
        .filter_map(|(name, taken)| Some((name, ran_in_undone(world, name, taken)?)))
        .collect();
    world.transcript.remove(&gone);
    files::take_back(world, &gone);
    world.memos.forget(&gone);
    for (agent, taken) in &agents {
        take_from(
            world,
            agent,
            taken.clone(),
            undone.get(agent).map_or(&[], Vec::as_slice),
        );
    }
}

/// The calls that ran in the open turn of `agent`; `None` if that stays open.
fn ran_in_undone(world: &World, agent: &AgentName, taken: &TakenBack) -> Option<Vec<Ran>> {
    let turn = world
        .agents
        .turn(agent)
        .filter(|turn| turn.is_undone_by(taken))?;
    Some(done::ran_in(world, agent, &turn.because, Some(turn.id)))
}

/// Takes back what `agent` has of it; `ran` ran in its open turn, if that is over now.
fn take_from(world: &mut World, agent: &AgentName, taken: TakenBack, ran: &[Ran]) {
    take_news_back(world, agent, &taken.gone);
    join::drop_join(world, agent, &taken.gone);
    let Some(memory) = world.agents.memory_mut(agent) else {
        return;
    };
    let undone = memory
        .turn
        .as_mut()
        .filter(|turn| turn.is_undone_by(&taken));
    let mut left = Vec::new();
    if let Some(turn) = undone {
        // Of a reply that is taken back itself, the news are answered once more only if the reply
        // is made anew.
        let is_own = turn.is_of(&taken);
        turn.undo(&taken);
        if !is_own {
            left.clone_from(&turn.news);
        }
    }
    memory.take_back(taken, world.incarnation);
    done::note_replaced(
        world,
        &left.iter().map(|message| message.at).collect::<Vec<_>>(),
        ran,
    );
    for message in &mut left {
        note_ran(&mut Arc::make_mut(message).ran, ran.iter().cloned());
    }
    put_back(world, agent, left);
    world.agents.rest(agent);
}

/// Takes messages out of an inbox.
fn take_news_back(world: &mut World, agent: &AgentName, gone: &[Position]) {
    let at = world.head;
    let Some(memory) = world.agents.memory_mut(agent) else {
        return;
    };
    let is_gone = |message: &Arc<Message>| gone.binary_search(&message.at).is_ok();
    if !memory.inbox.iter().any(is_gone) {
        return;
    }
    let (lost, kept): (VecDeque<_>, VecDeque<_>) = memory.inbox.drain(..).partition(is_gone);
    memory.inbox = kept;
    memory.revised = at;
    if memory.inbox.is_empty() && memory.turn.is_none() {
        memory.calm();
    }
    for message in lost {
        world.episodes.release(message.episode, 1);
    }
}

/// Puts messages that an agent took up before into its inbox again, in their places and in an
/// episode of their own: a person's word, or the world's, made that necessary.
pub(in crate::world) fn put_back(world: &mut World, agent: &AgentName, news: Vec<Arc<Message>>) {
    let at = world.head;
    for mut message in news {
        let Some(memory) = world.agents.memory_mut(agent) else {
            return;
        };
        let place = memory.inbox.partition_point(|other| other.at < message.at);
        if memory
            .inbox
            .get(place)
            .is_some_and(|other| other.at == message.at)
        {
            continue;
        }
        Arc::make_mut(&mut message).episode = EpisodeId(at);
        memory.revised = at;
        let author = message.author.clone();
        let asks = message.asks.clone();
        memory.inbox.insert(place, message);
        world.episodes.hold(EpisodeId(at));
        if let (Author::Person(person), Some(spent)) =
            (author, world.episodes.get_mut(&EpisodeId(at)))
        {
            spent.author = Some(person);
        }
        world.agents.wake(agent.clone());
        asks.iter()
            .for_each(|(asker, call)| await_anew(world, asker, *call, agent));
    }
}

/// A question that was handed on is with `agent` again.
fn await_anew(world: &mut World, asker: &AgentName, call: CallId, agent: &AgentName) {
    let Some(open) = world.agents.open_call_mut(asker, call) else {
        return;
    };
    if let CallState::AwaitsAgent { asked, .. } = &mut open.state {
        asked.clone_from(agent);
    }
}
