//! Messages of people and of the world.

use std::sync::Arc;

use crate::content::Content;
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::{
    AnswerText, Attachment, Author, CloseReason, DampReason, Event, MessageBody, MessagePosted,
    MessageRouted, Notice, NoticePosted, RoutingRule, TalkEvent, TurnEvent, TurnOpened, WorldEvent,
};
use crate::ids::principal::Principal;
use crate::ids::{AgentName, EpisodeId, MessageId, PersonName, Position, RequestId, TurnId};
use crate::spec::{Limits, WhileWaiting};
use crate::text::mentions::{Roster, name_fault};
use crate::text::reply::FinalReply;
use crate::world::decide::{Draft, No};
use crate::world::memory::Message;
use crate::world::people::decide::roster;
use crate::world::routing::{Route, Said, Speaker, Speech};
use crate::world::talk::decide::{revision, withholding};
use crate::world::turns::decide::{closing, turn};
use crate::world::waits::decide::{asking, join};
use crate::world::{Request, Told, routing, waits};

/// An agent's own words.
#[derive(Clone, Copy)]
enum Words<'a> {
    /// The reply, which these agents read as the result of their calls.
    Reply { told: &'a [AgentName] },
    /// Something beside its tool calls.
    BesideCalls,
}

pub(in crate::world) fn post(
    draft: &mut Draft<'_>,
    text: &str,
    attachments: &[Attachment],
    reply_to: Option<MessageId>,
) -> Result<(), No> {
    let author = match draft.principal {
        Principal::Person(person) => Author::Person(person.display.clone()),
        Principal::Service(service) => Author::Service(service.display.clone()),
        Principal::World => Author::World,
        Principal::Agent(_) | Principal::Tool(_) | Principal::Runtime => {
            return Err(No::right(RefusalReason::NotAPerson));
        }
    };
    check_author(draft, &author)?;
    check_message(draft, text, attachments, reply_to)?;
    roster::enrol(draft);
    let message = MessageId(draft.here());
    let body = MessageBody {
        text: text.to_owned(),
        attachments: attachments.to_vec(),
    };
    let at = draft.push(MessagePosted::said(message, author.clone(), reply_to, body));
    route_outside(draft, at, &author, text);
    Ok(())
}

/// A person or a service that is called like an agent would be heard as that agent.
pub(in crate::world) fn check_author(draft: &Draft<'_>, author: &Author) -> Result<(), No> {
    match author {
        Author::Person(name) | Author::Service(name) if is_called_like_an_agent(draft, name) => {
            Err(No::Quiet(Refusal::BadMessage {
                why: format!("an agent is called {name}"),
            }))
        }
        Author::Person(name) | Author::Service(name) => match name_fault(name.as_str()) {
            Some(why) => Err(No::Quiet(Refusal::BadMessage {
                why: format!("{name} cannot be mentioned: {why}"),
            })),
            None => Ok(()),
        },
        Author::Agent(_) | Author::World => Ok(()),
    }
}

pub(in crate::world) fn is_called_like_an_agent(draft: &Draft<'_>, person: &PersonName) -> bool {
    draft.world.rules.names().find(person.as_str()).is_some()
}

pub(in crate::world) fn check_message(
    draft: &Draft<'_>,
    text: &str,
    attachments: &[Attachment],
    reply_to: Option<MessageId>,
) -> Result<(), No> {
    let bad = |why: String| Err(No::Quiet(Refusal::BadMessage { why }));
    let max = draft.world.rules.spec().limits.message_bytes_max;
    if text.trim().is_empty() && attachments.is_empty() {
        return bad("the message is empty".to_owned());
    }
    if text.len() > usize::try_from(max).unwrap_or(usize::MAX) {
        return bad(format!(
            "the message has {} bytes, at most {max} are allowed",
            text.len()
        ));
    }
    check_attachments(draft, attachments)?;
    match reply_to {
        Some(id) if draft.world.transcript.message(id).is_none() => {
            Err(No::Quiet(Refusal::NoSuchMessage { message: id.0 }))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_attachments(draft: &Draft<'_>, attachments: &[Attachment]) -> Result<(), No> {
    let bad = |why: String| No::Quiet(Refusal::BadMessage { why });
    let Limits {
        attachments_max,
        attachment_bytes_max,
        ..
    } = draft.world.rules.spec().limits;
    if attachments.len() > usize::try_from(attachments_max).unwrap_or(usize::MAX) {
        let count = attachments.len();
        return Err(bad(format!(
            "the message has {count} attachments, at most {attachments_max} are allowed"
        )));
    }
    let fault = attachments
        .iter()
        .find_map(|attachment| attachment.check(attachment_bytes_max).err());
    fault.map_or(Ok(()), |error| Err(bad(error.to_string())))
}

/// Routes a message of a person, of a service or of the world.
pub(in crate::world) fn route_outside(
    draft: &mut Draft<'_>,
    at: Position,
    author: &Author,
    text: &str,
) {
    let speaker = if let Author::Person(person) = author {
        Speaker::Person(person)
    } else {
        Speaker::World
    };
    route(draft, at, EpisodeId(at), author, &Speech { text, speaker });
}

/// Posts an agent's reply, finalised. Its text stands in the answer at `answer`.
pub(in crate::world) fn post_reply(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    answer: Position,
    stream: Option<Position>,
    reply: &FinalReply,
) {
    let told = asking::askers_of(draft, agent);
    post_words(
        draft,
        agent,
        turn,
        (answer, stream),
        reply,
        Words::Reply { told: &told },
    );
}

/// Posts what an agent says beside its tool calls, finalised, if anything of it is left: people
/// read it, others remember it, and it wakes nobody.
pub(in crate::world) fn post_beside_calls(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    answer: Position,
    stream: Option<Position>,
    reply: &FinalReply,
) {
    withholding::note_withheld(draft, agent, turn, answer, stream, reply);
    if !reply.text.is_empty() {
        post_words(
            draft,
            agent,
            turn,
            (answer, stream),
            reply,
            Words::BesideCalls,
        );
    }
}

fn post_words(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    (answer, stream): (Position, Option<Position>),
    reply: &FinalReply,
    words: Words<'_>,
) {
    // Clients have shown a streamed reply under this id before it was whole.
    let message = MessageId(stream.unwrap_or_else(|| draft.here()));
    let author = Author::Agent(agent.clone());
    let newest = newest_news(draft, agent);
    let at = draft.push(MessagePosted {
        message,
        author: author.clone(),
        reply_to: newest.as_ref().map(|news| news.id),
        turn: Some(turn),
        call: None,
        answer: Some(AnswerText {
            at: answer,
            cut: reply.cut.clone(),
        }),
        // The text stands in the answer alone: it is erased in one place (decision 0002).
        body: MessageBody::default().into(),
    });
    let episode = episode_of(draft, agent).unwrap_or(EpisodeId(at));
    let replies_to = newest.as_deref().and_then(Message::answered_agent);
    let said = Said {
        agent,
        episode,
        tag: reply.tag,
        to: &reply.to,
        told: &[],
        replies_to,
    };
    let speaker = match words {
        Words::Reply { told } => Speaker::Agent(Said { told, ..said }),
        Words::BesideCalls => Speaker::BesideCalls(said),
    };
    route(
        draft,
        at,
        episode,
        &author,
        &Speech {
            text: &reply.text,
            speaker,
        },
    );
}

/// The newest message of the news that the open turn takes up, or the one that this very commit
/// opens.
fn newest_news(draft: &Draft<'_>, agent: &AgentName) -> Option<Arc<Message>> {
    let memory = turn::memory(draft, agent)?;
    let opened = opened_turn(draft, agent).map(|opened| opened.news.len());
    match (&memory.turn, opened) {
        (Some(turn), _) => turn.news.last().cloned(),
        (None, Some(count)) => memory.inbox.get(count.checked_sub(1)?).cloned(),
        (None, None) => None,
    }
}

/// The episode of the open turn, or of the one that this very commit opens.
pub(in crate::world) fn episode_of(draft: &Draft<'_>, agent: &AgentName) -> Option<EpisodeId> {
    let open = turn::memory(draft, agent)
        .and_then(|memory| memory.turn.as_ref())
        .map(|turn| turn.episode);
    open.or_else(|| opened_turn(draft, agent).map(|opened| opened.episode))
}

/// The turn of `agent` that this very commit opens.
pub(in crate::world) fn opened_turn<'d>(
    draft: &'d Draft<'_>,
    agent: &AgentName,
) -> Option<&'d TurnOpened> {
    draft.events.iter().rev().find_map(|event| {
        if let Event::Turn(TurnEvent::TurnOpened(opened)) = event {
            (opened.agent == *agent).then_some(opened)
        } else {
            None
        }
    })
}

/// Decides who hears and who answers the message at `at`, and records the verdicts.
pub(in crate::world) fn route(
    draft: &mut Draft<'_>,
    at: Position,
    episode: EpisodeId,
    author: &Author,
    speech: &Speech<'_>,
) {
    let mut route = routing::route(draft.world, &roster(draft), speech);
    let are_spent = matches!(author, Author::Service(_)) && services_are_spent(draft);
    let has_spent = are_spent && !route.respond.is_empty();
    if has_spent {
        let kept = |(agent, _)| (agent, DampReason::ServiceEpisodes);
        route.damped.extend(route.respond.drain(..).map(kept));
    }
    let tells_join = matches!(author, Author::Agent(agent) if join::joins(draft, agent, &route));
    let (respond, full): (Vec<_>, Vec<_>) = route
        .respond
        .drain(..)
        .partition(|(name, _)| !is_full(draft, name));
    let agents: Vec<AgentName> = respond.iter().map(|(name, _)| name.clone()).collect();
    // Recorded, and never asked again: contexts are built for years, by other rules.
    draft.push(MessageRouted {
        message: at,
        episode,
        rule: route.rule,
        respond,
        people: route.people.clone(),
        others: route.others,
        tag: route.tag,
        damped: route.damped.clone(),
        tells_join,
        undeliverable: u32::try_from(route.unknown.len() + full.len()).unwrap_or(u32::MAX),
        unknown: Content::Present(route.unknown.clone()),
    });
    let to = match author {
        Author::Person(person) => Some(person.clone()),
        // A service's display is nobody's in the roster: the room is told.
        Author::Service(_) | Author::Agent(_) | Author::World => None,
    };
    if let (Author::Agent(agent), Some((other, reason))) = (author, route.damped.first()) {
        tell_damped(draft, agent, other, *reason, episode);
    }
    tell_route(draft, at, episode, to.as_ref(), route);
    if has_spent && !draft.world.services.is_told() {
        let max = draft.world.rules.spec().limits.service_episodes_per_hour;
        tell(draft, Notice::ServiceEpisodesSpent { max }, None, episode);
    }
    for (agent, _) in full {
        tell(draft, Notice::InboxFull { agent }, to.clone(), episode);
    }
    for agent in agents {
        match author {
            Author::Person(_) | Author::Service(_) | Author::World => {
                reach_waiting(draft, agent, to.clone(), episode);
            }
            Author::Agent(_) => tell_waiting(draft, agent, None, episode),
        }
    }
}

/// Tells whether services have begun as many episodes within the hour as they may.
pub(in crate::world) fn services_are_spent(draft: &Draft<'_>) -> bool {
    let max = draft.world.rules.spec().limits.service_episodes_per_hour;
    draft.world.services.are_spent(draft.now(), max)
}

/// The roster with those who join in this very commit: their first message can name them.
fn roster(draft: &Draft<'_>) -> Roster {
    let first = draft.world.head.next();
    let joined = |(index, event): (u64, &Event)| {
        if let Event::World(WorldEvent::PersonJoined(joined)) = event {
            Some((joined.person.display.clone(), first.plus(index)))
        } else {
            None
        }
    };
    let new = (0..).zip(&draft.events).filter_map(joined);
    new.fold(draft.world.roster(), |roster, (person, at)| {
        roster.with(&person, at)
    })
}

/// Tells the author, or everyone, in one notice what of a message did not reach anybody.
fn tell_route(
    draft: &mut Draft<'_>,
    message: Position,
    episode: EpisodeId,
    to: Option<&PersonName>,
    route: Route,
) {
    let Route {
        rule,
        unknown,
        nearest,
        only_named: named,
        ..
    } = route;
    let notice = if rule == RoutingRule::TooMany {
        Notice::NobodyAnswers {
            message,
            nearest,
            named,
        }
    } else if !unknown.is_empty() {
        Notice::Undeliverable {
            message,
            nearest,
            named,
        }
    } else if !named.is_empty() {
        Notice::OnlyNamed {
            message,
            agents: named.agents,
            people: named.people,
        }
    } else {
        return;
    };
    tell(draft, notice, to.cloned(), episode);
}

fn tell_damped(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    other: &AgentName,
    reason: DampReason,
    episode: EpisodeId,
) {
    let agent = agent.clone();
    let other = other.clone();
    let notice = match reason {
        DampReason::HopBudget => Notice::HopBudgetSpent { agent },
        DampReason::Pair => Notice::PairDamped { agent, other },
        DampReason::ServiceEpisodes | DampReason::BesideCalls => return,
    };
    tell_once(draft, notice, episode);
}

/// Tells everyone, unless they were told in this episode.
pub(in crate::world) fn tell_once(draft: &mut Draft<'_>, notice: Notice, episode: EpisodeId) {
    let what = Told::of(&notice);
    let is_same = |event: &Event| {
        let Event::Talk(TalkEvent::NoticePosted(posted)) = event else {
            return false;
        };
        posted.episode == Some(episode) && Told::of(&posted.notice) == what
    };
    let told = draft.world.episodes.get(&episode).map(|spent| &spent.told);
    let is_told = what
        .zip(told)
        .is_some_and(|(what, told)| told.contains(&what));
    let is_told_now = what.is_some() && draft.events.iter().any(is_same);
    if !is_told && !is_told_now {
        tell(draft, notice, None, episode);
    }
}

pub(in crate::world) fn tell(
    draft: &mut Draft<'_>,
    notice: Notice,
    to: Option<PersonName>,
    episode: EpisodeId,
) {
    draft.push(NoticePosted {
        notice,
        to,
        episode: Some(episode),
    });
}

/// Tells whether `agent`'s inbox is full, with what this very commit put into it.
pub(in crate::world) fn is_full(draft: &Draft<'_>, agent: &AgentName) -> bool {
    let max = usize::try_from(draft.world.rules.spec().limits.inbox_max).unwrap_or(usize::MAX);
    let is_for = |event: &&Event| {
        let Event::Talk(TalkEvent::MessageRouted(routed)) = event else {
            return false;
        };
        routed.respond.iter().any(|(name, _)| name == agent)
    };
    let new = draft.events.iter().filter(is_for).count();
    let memory = draft.world.agents.memory(agent);
    memory.is_some_and(|memory| revision::waiting(draft, memory).saturating_add(new) >= max)
}

/// A person's message, or the world's, to an agent that waits for a person: it is kept, and its
/// author is told; or it closes what waits.
pub(in crate::world) fn reach_waiting(
    draft: &mut Draft<'_>,
    agent: AgentName,
    author: Option<PersonName>,
    episode: EpisodeId,
) {
    match (
        open_request_of(draft, &agent),
        draft.world.rules.spec().policy.while_waiting,
    ) {
        (Some(_), WhileWaiting::Supersede) => {
            closing::close_turn_of(draft, &agent, CloseReason::Superseded)
        }
        (Some(_), WhileWaiting::Queue) | (None, _) => tell_waiting(draft, agent, author, episode),
    }
}

/// Tells for whom an agent waits, itself or by way of those whom it asked. One agent does not
/// interrupt what another asks of people, whatever the room does about people's messages: they
/// would never be answered.
pub(in crate::world) fn tell_waiting(
    draft: &mut Draft<'_>,
    agent: AgentName,
    to: Option<PersonName>,
    episode: EpisodeId,
) {
    let request = open_request_of(draft, &agent).or_else(|| request_behind(draft, &agent));
    if let Some(request) = request {
        tell(draft, Notice::AgentWaits { agent, request }, to, episode);
    }
}

/// The request that an agent waits for which `agent` waits for.
fn request_behind(draft: &Draft<'_>, agent: &AgentName) -> Option<RequestId> {
    if draft.world.consent.pending().is_empty() {
        return None;
    }
    waits::behind(draft.world, agent)
        .iter()
        .find_map(|other| open_request_of(draft, other))
}

/// The request that `agent`'s turn waits for, unless this very commit closes that turn.
fn open_request_of(draft: &Draft<'_>, agent: &AgentName) -> Option<RequestId> {
    waits_for(draft, agent).filter(|_| !revision::is_closing(draft, agent))
}

/// The request that `agent`'s open turn waits for.
pub(in crate::world) fn waits_for(draft: &Draft<'_>, agent: &AgentName) -> Option<RequestId> {
    let open = &draft.world.agents.memory(agent)?.open_calls;
    let waits = |request: &Request| open.contains_key(&request.call);
    draft.world.consent.find(waits)
}
