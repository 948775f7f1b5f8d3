//! Messages that people edit, take back and have made anew.

use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::{
    Author, CallStatus, CloseReason, Event, MessageBody, MessageEdited, MessageRetracted,
    ReplyRegenerated, TalkEvent, TurnClosed, TurnEvent, UnansweredCause,
};
use crate::ids::principal::Principal;
use crate::ids::{AgentName, CallId, EpisodeId, MessageId, Position};
use crate::world::calls::decide::admission;
use crate::world::decide::{Draft, No};
use crate::world::memory::{Memory, Message, TakenBack};
use crate::world::people::decide::roster;
use crate::world::talk::decide::message;
use crate::world::turns::decide::closing;
use crate::world::waits::decide::asking;

/// Puts other words in the place of a person's or the world's message. It is routed like a new one.
pub(in crate::world) fn edit(draft: &mut Draft<'_>, id: MessageId, text: &str) -> Result<(), No> {
    let message = message_of(draft, id)?;
    if matches!(message.author, Author::Agent(_)) {
        return Err(No::right(RefusalReason::NotYours));
    }
    message::check_message(draft, text, &message.attachments, None)?;
    roster::enrol(draft);
    let gone = draft.world.transcript.gone_with(message.at);
    let author = message.author.clone();
    let at = draft.push(MessageEdited {
        message: id,
        at: message.at,
        author: author.clone(),
        reply_to: message.reply_to,
        gone: gone.clone(),
        body: MessageBody {
            text: text.to_owned(),
            attachments: message.attachments.clone(),
        }
        .into(),
    });
    undo_turns(draft, message, &gone, &[]);
    message::route_outside(draft, at, &author, text);
    Ok(())
}

/// Takes a message back, with what was said in answer to it alone.
pub(in crate::world) fn retract(draft: &mut Draft<'_>, id: MessageId) -> Result<(), No> {
    let message = message_of(draft, id)?;
    roster::enrol(draft);
    let gone = draft.world.transcript.gone_with(message.at);
    draft.push(MessageRetracted {
        message: id,
        at: message.at,
        gone: gone.clone(),
    });
    undo_turns(draft, message, &gone, &[]);
    Ok(())
}

/// Takes an agent's reply back, and wakes the agent with the news that it answered.
pub(in crate::world) fn regenerate(draft: &mut Draft<'_>, id: MessageId) -> Result<(), No> {
    let message = message_of(draft, id)?;
    let (agent, news) = answered(draft, message).ok_or(No::right(RefusalReason::NoReply))?;
    if draft.principal.service().is_some() && message::services_are_spent(draft) {
        let max = draft.world.rules.spec().limits.service_episodes_per_hour;
        let why = format!(
            "services have begun {max} episodes within the hour, as many as they may: ask a person, or wait"
        );
        return Err(No::Quiet(Refusal::BadMessage { why }));
    }
    roster::enrol(draft);
    let gone = draft.world.transcript.gone_with(message.at);
    let at = draft.push(ReplyRegenerated {
        message: id,
        at: message.at,
        gone: gone.clone(),
        agent: agent.clone(),
        news: news.clone(),
    });
    undo_turns(draft, message, &gone, &news);
    let to = draft
        .principal
        .person()
        .map(|person| person.display.clone());
    message::reach_waiting(draft, agent.clone(), to, EpisodeId(at));
    Ok(())
}

/// The message that the command is about, if whoever gives it has a say in it.
fn message_of<'w>(draft: &mut Draft<'w>, id: MessageId) -> Result<&'w Message, No> {
    match draft.principal {
        Principal::World => {}
        Principal::Person(person) if !message::is_called_like_an_agent(draft, &person.display) => {}
        Principal::Service(service)
            if !message::is_called_like_an_agent(draft, &service.display) => {}
        Principal::Person(_)
        | Principal::Service(_)
        | Principal::Agent(_)
        | Principal::Tool(_)
        | Principal::Runtime => {
            return Err(No::right(RefusalReason::NotAPerson));
        }
    }
    let world = draft.world;
    let message = world
        .transcript
        .message(id)
        .ok_or(No::Quiet(Refusal::NoSuchMessage { message: id.0 }))?;
    if !has_a_say_in(draft, message) {
        return Err(No::right(RefusalReason::NotYours));
    }
    draft.cause = Some(message.at);
    Ok(message)
}

/// Tells whether the message is an agent's, or of the one who gives the command. The world has a
/// say in all of them.
fn has_a_say_in(draft: &Draft<'_>, message: &Message) -> bool {
    match (draft.principal, &message.author) {
        (Principal::World, _)
        | (Principal::Person(_) | Principal::Service(_), Author::Agent(_)) => true,
        (Principal::Service(service), Author::Service(_)) => message
            .service
            .as_ref()
            .is_some_and(|known| known.is_same_as(service)),
        (Principal::Person(person), Author::Person(name)) => {
            let is_theirs = message
                .person
                .as_ref()
                .is_none_or(|known| draft.world.people.is_one_hand(known, person));
            *name == person.display && is_theirs && !roster::is_taken(draft, person)
        }
        (Principal::Person(_), Author::Service(_) | Author::World)
        | (Principal::Service(_), Author::Person(_) | Author::World)
        | (Principal::Agent(_) | Principal::Tool(_) | Principal::Runtime, _) => false,
    }
}

/// The agent whose reply it is, and the news that it answers, if all of them are still known.
fn answered<'w>(draft: &Draft<'w>, message: &'w Message) -> Option<(&'w AgentName, Vec<Position>)> {
    let agent = match &message.author {
        Author::Agent(agent) => agent,
        Author::Person(_) | Author::Service(_) | Author::World => return None,
    };
    let is_known = |at: &Position| draft.world.transcript.message_at(*at).is_some();
    let can_answer = draft.world.rules.agent(agent).is_some() && !message.because.is_empty();
    (can_answer && message.because.iter().all(is_known)).then(|| (agent, message.because.to_vec()))
}

/// Closes the turns that answer what is gone, or in which it was said, with everything that is open
/// in them. Who asked something that nobody will answer now is told so; `news` are those that are
/// answered once more.
fn undo_turns(draft: &mut Draft<'_>, target: &Message, gone: &[Position], news: &[Position]) {
    let world = draft.world;
    let asks_of = |at: &Position| {
        world
            .transcript
            .message_at(*at)
            .map(|message| message.asks.iter())
            .into_iter()
            .flatten()
    };
    let mut loose: Vec<&(AgentName, CallId)> = gone.iter().flat_map(asks_of).collect();
    let mut kept: Vec<&(AgentName, CallId)> = news.iter().flat_map(asks_of).collect();
    for agent in world.agents.busy() {
        let is_own = target.author == Author::Agent(agent.clone()) && !target.because.is_empty();
        let taken = TakenBack {
            gone: gone.into(),
            said_for: is_own.then(|| target.because.clone()),
        };
        let turn = world.agents.turn(agent);
        let Some(turn) = turn.filter(|turn| turn.is_undone_by(&taken)) else {
            continue;
        };
        closing::cut_calls_of(draft, agent, CloseReason::Superseded);
        let agent = agent.clone();
        let turn_id = turn.id;
        let reason = CloseReason::Superseded;
        draft.push(TurnClosed {
            agent,
            turn: turn_id,
            reason,
            unasked: None,
        });
        loose.extend(&turn.asks);
        if !turn.is_of(&taken) {
            let left = turn
                .news
                .iter()
                .filter(|message| gone.binary_search(&message.at).is_err());
            kept.extend(left.flat_map(|message| &message.asks));
        }
    }
    for (asker, call) in loose {
        if !kept.contains(&&(asker.clone(), *call)) && asking::awaits(draft, asker, *call) {
            admission::end(
                draft,
                asker,
                *call,
                None,
                CallStatus::Unanswered(UnansweredCause::Stopped),
            );
        }
    }
}

/// Tells whether this very commit closes the turn of `agent`.
pub(in crate::world) fn is_closing(draft: &Draft<'_>, agent: &AgentName) -> bool {
    draft.events.iter().any(|event| {
        if let Event::Turn(TurnEvent::TurnClosed(over)) = event {
            over.agent == *agent
        } else {
            false
        }
    })
}

/// Counts the messages that wait for an agent, without those that this very commit takes back.
pub(in crate::world) fn waiting(draft: &Draft<'_>, memory: &Memory) -> usize {
    let edited = draft.events.iter().find_map(|event| {
        if let Event::Talk(TalkEvent::MessageEdited(edited)) = event {
            Some(edited.gone.as_slice())
        } else {
            None
        }
    });
    let gone = edited.unwrap_or_default();
    memory
        .inbox
        .iter()
        .filter(|message| gone.binary_search(&message.at).is_err())
        .count()
}
