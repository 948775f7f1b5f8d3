//! Messages.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::content::Content;
use crate::event::{
    Attachment, Author, MessagePosted, MessageRouted, Notice, NoticePosted, Others, RoutingRule,
};
use crate::ids::principal::Person;
use crate::ids::{EpisodeId, PersonName, Position};
use crate::prompt::border::heard;
use crate::world::World;
use crate::world::calls::done;
use crate::world::files;
use crate::world::fold::Fold;
use crate::world::memory::{Joining, Message, Ran, Remembered, note_ran};
use crate::world::meters::episode::Told;
use crate::world::waits::fold::asking::asked_by;
use crate::world::waits::fold::{asking, join};

pub(in crate::world) fn part(world: &mut World, person: &PersonName) {
    keep_called(world);
    world.people.leave(person, world.head);
}

/// The words that models are saying just now are finalised among those who were there when they
/// were asked: whoever leaves meanwhile is among them.
fn keep_called(world: &mut World) {
    let asked = world.agents.turns_mut();
    for model in asked.filter_map(|turn| turn.model.as_mut()) {
        let called = || Arc::clone(world.people.called());
        model.called.get_or_insert_with(called);
    }
}

pub(in crate::world) fn post(fold: &mut Fold<'_>, event: &MessagePosted) {
    let text = text_of(fold, event);
    let person = spoken_by(fold, &event.author);
    let service = fold.service.clone();
    let world = &mut *fold.world;
    let attachments = event
        .body
        .present()
        .map(|body| body.attachments.clone())
        .unwrap_or_default();
    let from = shown_name(&event.author);
    let message = Message {
        at: world.head,
        id: event.message,
        author: event.author.clone(),
        person,
        service,
        began_by: BTreeSet::new(),
        heard: heard_from(world, &from, &text, &attachments),
        from,
        text,
        attachments,
        reply_to: event.reply_to,
        depth: world.transcript.depth_below(event.reply_to),
        turn: event.turn,
        because: because_of(world, event).unwrap_or_default(),
        ran: redone_in(world, event),
        edited: false,
        episode: EpisodeId(world.head),
        respond: Vec::new(),
        damped: Vec::new(),
        others: Others::Ignore,
        asks: asked_by(event),
        is_handoff: false,
        told: Vec::new(),
    };
    files::note_message(world, &message);
    let max = world.rules.spec().limits.transcript_max;
    world.transcript.push(message, max);
}

/// The item that a message is to all who hear it.
pub(in crate::world) fn heard_from(
    world: &World,
    from: &str,
    text: &Content<String>,
    attachments: &[Attachment],
) -> Remembered {
    let item = heard(from, text, attachments, &world.rules.spec().policy.redact);
    Remembered::new(item, Arc::new([world.head]))
}

/// The person who says something, as the ingress proved them: others may be called like them.
fn spoken_by(fold: &Fold<'_>, author: &Author) -> Option<Person> {
    match author {
        Author::Person(name) => fold
            .speaker
            .clone()
            .or_else(|| fold.world.people.roster().get(name).cloned()),
        Author::Service(_) | Author::Agent(_) | Author::World => None,
    }
}

/// The news of the turn in which an agent says something.
fn because_of(world: &World, event: &MessagePosted) -> Option<Arc<[Position]>> {
    let Author::Agent(agent) = &event.author else {
        return None;
    };
    let turn = world
        .agents
        .turn(agent)
        .filter(|turn| event.turn == Some(turn.id))?;
    Some(Arc::clone(&turn.because))
}

/// The calls of older turns that a message carries on: what is said in a turn that takes another's
/// place leads to turns that take the place of others as well.
fn redone_in(world: &World, event: &MessagePosted) -> Vec<Ran> {
    let Author::Agent(agent) = &event.author else {
        return Vec::new();
    };
    let mut ran = Vec::new();
    note_ran(&mut ran, done::redone_by(world, agent, 0).cloned());
    ran
}

pub(in crate::world) fn route_to(world: &mut World, event: &MessageRouted) {
    let passed = asking::passed_on(world, event);
    let began_by = led_to_last(world);
    let joined = end_of_join(world, event);
    let Some(last) = world
        .transcript
        .last_mut()
        .filter(|message| message.at == event.message)
    else {
        return;
    };
    let message = Arc::make_mut(last);
    message.episode = event.episode;
    message.began_by = began_by;
    message.respond = event.respond.iter().map(|(name, _)| name.clone()).collect();
    message.damped = event.damped.iter().map(|(name, _)| name.clone()).collect();
    message.others = event.others;
    if event.rule == RoutingRule::HandedOff {
        message.is_handoff = true;
        message.asks = passed;
    }
    if let Some(joined) = &joined {
        message.began_by.clone_from(&joined.began_by);
        message.because = Arc::new([joined.message]);
    }
    let message = Arc::clone(last);
    match &message.author {
        Author::Person(person) => {
            world.episodes.begun(event.episode).author = Some(person.clone());
            world.upkeep.forget_refusals();
        }
        Author::Service(_) => {
            if !event.respond.is_empty() {
                world.services.begin(world.time);
            }
            world.episodes.begun(event.episode);
            world.upkeep.forget_refusals();
        }
        Author::World if joined.is_some() => {}
        Author::World => world.upkeep.forget_refusals(),
        Author::Agent(agent) => {
            if let Some(episode) = world.episodes.get_mut(&event.episode) {
                episode.hop(agent, event.respond.iter().map(|(name, _)| name));
            }
            join::begin_join(world, agent, &message, event.tells_join);
        }
    }
    for (name, _) in &event.respond {
        let Some(memory) = world.agents.memory_mut(name) else {
            continue;
        };
        memory.inbox.push_back(Arc::clone(&message));
        world.agents.wake(name.clone());
        world.episodes.hold(event.episode);
    }
    world.episodes.release(
        event.episode,
        usize::from(joined.is_some_and(|joined| joined.tells)),
    );
}

/// The wait that ends with a message of the world about it.
fn end_of_join(world: &mut World, event: &MessageRouted) -> Option<Joining> {
    let (agent, _) = event
        .respond
        .first()
        .filter(|_| event.rule == RoutingRule::Joined)?;
    join::take_join(world, agent)
}

/// The people who led to the newest message.
fn led_to_last(world: &World) -> BTreeSet<Person> {
    let Some(message) = world.transcript.last() else {
        return BTreeSet::new();
    };
    match &message.author {
        Author::Person(_) => message.person.iter().cloned().collect(),
        Author::Agent(agent) => {
            let turn = world.agents.turn(agent);
            turn.map(|turn| turn.began_by.clone()).unwrap_or_default()
        }
        // A service is nobody's pair of eyes.
        Author::Service(_) | Author::World => BTreeSet::new(),
    }
}

pub(in crate::world) fn note_notice(world: &mut World, event: &NoticePosted) {
    if matches!(event.notice, Notice::ServiceEpisodesSpent { .. }) {
        world.services.tell();
    }
    let Some(spent) = event
        .episode
        .and_then(|episode| world.episodes.get_mut(&episode))
    else {
        return;
    };
    spent.told.extend(Told::of(&event.notice));
}

/// A person's text stands in the event, an agent's in the answer of the same commit.
fn text_of(fold: &Fold<'_>, event: &MessagePosted) -> Content<String> {
    let Some(place) = &event.answer else {
        return match &event.body {
            Content::Present(body) => Content::Present(body.text.clone()),
            Content::Erased { by } => Content::Erased { by: *by },
        };
    };
    let Some(answer) = &fold.answer else {
        return Content::default();
    };
    match &answer.response {
        Content::Present(response) if answer.at == place.at => {
            Content::Present(response.spoken_without(&place.cut))
        }
        Content::Present(_) => Content::default(),
        Content::Erased { by } => Content::Erased { by: *by },
    }
}

pub(in crate::world) fn shown_name(author: &Author) -> String {
    author.to_string()
}
