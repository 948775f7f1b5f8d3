//! Turning to another agent: asking it something and waiting for the answer, or handing the episode
//! over to it.

use std::time::Duration;

use crate::content::Content;
use crate::event::{
    AgentAsked, Author, CallEvent, CallStatus, CloseReason, Event, HandedOff, MessageBody,
    MessagePosted, MessageRouted, Notice, Others, RoutingReason, RoutingRule, TalkEvent,
    UnansweredCause,
};
use crate::ids::{AgentName, CallId, EpisodeId, MessageId, Position, TurnId};
use crate::spec::MemoryPolicy;
use crate::text::firewall::scan;
use crate::tool::ArgumentFinding;
use crate::world::calls::decide::admission;
use crate::world::decide::Draft;
use crate::world::memory::Message;
use crate::world::talk::decide::message;
use crate::world::turns::decide::turn;
use crate::world::waits::NoWait;
use crate::world::{World, waits};

/// A call by which an agent turns to another.
#[derive(Debug, Clone, Copy)]
pub(in crate::world) struct Errand<'a> {
    /// The agent whose call it is.
    pub(in crate::world) agent: &'a AgentName,
    /// The agent's turn.
    pub(in crate::world) turn: TurnId,
    /// The call.
    pub(in crate::world) call: CallId,
    /// The arguments: whom it turns to, and what it says.
    pub(in crate::world) arguments: &'a str,
    /// The agents that it may turn to; everyone if empty.
    pub(in crate::world) agents: &'a [AgentName],
}

impl Errand<'_> {
    fn end(&self, draft: &mut Draft<'_>, status: CallStatus) {
        admission::end(draft, self.agent, self.call, None, status);
    }

    /// Reads whom it turns to and what it says, by its arguments.
    fn read(&self, world: &World) -> Result<(AgentName, String), CallStatus> {
        let (to, text) = self.words().map_err(|(path, code)| {
            CallStatus::Invalid(vec![ArgumentFinding::error(path, code)])
        })?;
        let max =
            usize::try_from(world.rules.spec().limits.message_bytes_max).unwrap_or(usize::MAX);
        if text.len() > max {
            return Err(CallStatus::Invalid(vec![ArgumentFinding::error(
                "/text",
                "message_bytes_max",
            )]));
        }
        // People read what agents say to each other.
        if !scan(&text, world.rules.known()).is_empty() {
            return Err(CallStatus::Invalid(vec![ArgumentFinding::error(
                "/text", "artifact",
            )]));
        }
        let to = AgentName::new(to).map_err(|_| CallStatus::NoSuchAgent)?;
        let is_there = world.rules.agent(&to).is_some() && world.agents.knows(&to);
        let is_meant = self.agents.is_empty() || self.agents.contains(&to);
        if is_there && is_meant && to != *self.agent {
            Ok((to, text))
        } else {
            Err(CallStatus::NoSuchAgent)
        }
    }

    /// The two arguments as they are written; else where and what is wrong.
    fn words(&self) -> Result<(String, String), (&'static str, &'static str)> {
        let arguments: serde_json::Value =
            serde_json::from_str(self.arguments).map_err(|_| ("", "not_json"))?;
        let word = |key: &str| {
            arguments
                .get(key)
                .and_then(|value| value.as_str())
                .map(str::to_owned)
        };
        let to = word("agent").ok_or(("/agent", "type"))?;
        let text = word("text").ok_or(("/text", "type"))?;
        if text.trim().is_empty() {
            Err(("/text", "minLength"))
        } else {
            Ok((to, text))
        }
    }
}

/// Puts a question to another agent. The call waits for the answer, or has its result at once.
pub(in crate::world) fn ask_agent(draft: &mut Draft<'_>, errand: Errand<'_>) {
    let limits = &turn::rules_of(draft, errand.agent).spec().limits;
    let checked = errand.read(draft.world).and_then(|(to, text)| {
        // Agents that wait for each other in a circle would wait for ever.
        let depth = waits::depth_of_wait(draft.world, errand.agent, &to, limits.ask_depth_max)
            .map_err(refusal)?;
        check_reach(draft, errand.agent, &to)?;
        Ok((to, text, depth))
    });
    let (asked, text, depth) = match checked {
        Ok(checked) => checked,
        Err(status) => return turn_down(draft, &errand, status),
    };
    let expires_at = draft.now().after(Duration::from_millis(limits.ask_ttl_ms));
    let message = say(draft, &errand, &asked, text, RoutingReason::Asked);
    let call = errand.call;
    let agent = errand.agent.clone();
    draft.push(AgentAsked {
        call,
        agent,
        asked,
        message,
        depth,
        expires_at,
    });
}

/// Hands the episode over to another agent, with whatever this one was asked.
pub(in crate::world) fn hand_over(draft: &mut Draft<'_>, errand: Errand<'_>) {
    let agent = errand.agent;
    let max = turn::rules_of(draft, errand.agent)
        .spec()
        .limits
        .ask_depth_max;
    let checked = errand.read(draft.world).and_then(|(to, text)| {
        for (asker, _) in asks_owed_by(draft, agent) {
            waits::depth_of_wait(draft.world, &asker, &to, max).map_err(refusal)?;
        }
        check_reach(draft, agent, &to)?;
        Ok((to, text))
    });
    let (to, text) = match checked {
        Ok(checked) => checked,
        Err(status) => return turn_down(draft, &errand, status),
    };
    errand.end(draft, CallStatus::HandedOff);
    say(draft, &errand, &to, text, RoutingReason::HandedOff);
    let turn = errand.turn;
    let call = errand.call;
    draft.push(HandedOff {
        agent: agent.clone(),
        turn,
        call,
        to,
    });
    turn::close(draft, agent, turn, CloseReason::HandedOff);
}

/// Checks whether a message of `agent` may wake `to`.
fn check_reach(draft: &Draft<'_>, agent: &AgentName, to: &AgentName) -> Result<(), CallStatus> {
    if hops(draft, agent) >= draft.world.rules.spec().limits.hop_budget {
        Err(CallStatus::HopBudget)
    } else if message::is_full(draft, to) {
        Err(INBOX_FULL)
    } else {
        Ok(())
    }
}

/// The messages from agent to agent that woke somebody in the episode of `agent`'s turn, with those
/// of this very commit.
fn hops(draft: &Draft<'_>, agent: &AgentName) -> u32 {
    let Some(episode) = message::episode_of(draft, agent) else {
        return 0;
    };
    let wakes = |event: &&Event| {
        let Event::Talk(TalkEvent::MessageRouted(routed)) = event else {
            return false;
        };
        routed.episode == episode && !routed.respond.is_empty()
    };
    let new = u32::try_from(draft.events.iter().filter(wakes).count()).unwrap_or(u32::MAX);
    draft
        .world
        .episodes
        .get(&episode)
        .map_or(0, |spent| spent.hops)
        .saturating_add(new)
}

/// Ends a call that cannot be made; people are told if the episode is to end.
fn turn_down(draft: &mut Draft<'_>, errand: &Errand<'_>, status: CallStatus) {
    let is_spent = status == CallStatus::HopBudget;
    errand.end(draft, status);
    if let Some(episode) = message::episode_of(draft, errand.agent).filter(|_| is_spent) {
        message::tell_once(
            draft,
            Notice::HopBudgetSpent {
                agent: errand.agent.clone(),
            },
            episode,
        );
    }
}

/// Posts what a call says to another agent, which is woken by it. If it waits for a person, people
/// are told so.
fn say(
    draft: &mut Draft<'_>,
    errand: &Errand<'_>,
    to: &AgentName,
    text: String,
    reason: RoutingReason,
) -> Position {
    let id = MessageId(draft.here());
    let episode = message::episode_of(draft, errand.agent).unwrap_or(EpisodeId(errand.turn.0));
    let at = draft.push(MessagePosted {
        message: id,
        author: Author::Agent(errand.agent.clone()),
        reply_to: None,
        turn: Some(errand.turn),
        call: Some(errand.call),
        answer: None,
        body: MessageBody::text(text).into(),
    });
    draft.push(MessageRouted {
        message: at,
        episode,
        rule: if reason == RoutingReason::HandedOff {
            RoutingRule::HandedOff
        } else {
            RoutingRule::Asked
        },
        respond: vec![(to.clone(), reason)],
        people: Vec::new(),
        others: match draft.world.rules.spec().policy.memory {
            MemoryPolicy::Shared => Others::Store,
            MemoryPolicy::Addressed => Others::Ignore,
        },
        tag: None,
        damped: Vec::new(),
        tells_join: false,
        undeliverable: 0,
        unknown: Content::Present(Vec::new()),
    });
    message::tell_waiting(draft, to.clone(), None, episode);
    at
}

/// Gives the calls that wait for the end of `agent`'s turn their result.
pub(in crate::world) fn answer_asks(draft: &mut Draft<'_>, agent: &AgentName, reason: CloseReason) {
    let status = match reason {
        // Whoever goes on owes the answers.
        CloseReason::HandedOff => return,
        CloseReason::Answered => said_last(draft, agent).map(CallStatus::Answered),
        CloseReason::Passed => None,
        CloseReason::Failed => Some(CallStatus::Unanswered(UnansweredCause::Failed)),
        CloseReason::Limit => Some(CallStatus::Unanswered(UnansweredCause::Limit)),
        CloseReason::Stopped | CloseReason::Superseded => {
            Some(CallStatus::Unanswered(UnansweredCause::Stopped))
        }
    };
    let status = status.unwrap_or(CallStatus::Unanswered(UnansweredCause::Passed));
    let asks = asks_owed_by(draft, agent);
    end_asks(draft, asks, &status);
}

/// Tells whoever asked with one of `agent`'s `count` oldest news that these are set aside.
pub(in crate::world) fn decline_asks(draft: &mut Draft<'_>, agent: &AgentName, count: usize) {
    let asks = asks_among_news(draft, agent, count);
    end_asks(draft, asks, &CallStatus::Unanswered(UnansweredCause::Limit));
}

/// Ends the questions of agents whose turns are about to be closed, as `status`, and then those
/// that stand in messages which nobody will take up any more.
pub(in crate::world) fn end_asks_of(
    draft: &mut Draft<'_>,
    agents: &[&AgentName],
    status: &CallStatus,
    is_gone: impl Fn(&Message) -> bool,
) {
    let world = draft.world;
    let own: Vec<_> = waits::asks(world)
        .filter(|ask| agents.contains(&ask.agent))
        .collect();
    own.into_iter()
        .for_each(|ask| admission::end(draft, ask.agent, ask.call, None, status.clone()));
    for agent in world.agents.busy() {
        let inbox = world
            .agents
            .memory(agent)
            .into_iter()
            .flat_map(|memory| &memory.inbox);
        let gone = inbox
            .filter(|message| is_gone(message))
            .flat_map(|message| &message.asks);
        let gone = still_owed(draft, agent, gone);
        end_asks(
            draft,
            gone,
            &CallStatus::Unanswered(UnansweredCause::Stopped),
        );
    }
}

/// Ends the questions that were not answered in time.
pub(in crate::world) fn expire_asks(draft: &mut Draft<'_>) {
    let world = draft.world;
    let now = draft.now();
    let due = waits::asks(world).filter(|ask| ask.expires_at <= now);
    let due: Vec<_> = due.map(|ask| (ask.agent.clone(), ask.call)).collect();
    end_asks(
        draft,
        due,
        &CallStatus::Unanswered(UnansweredCause::Expired),
    );
}

fn end_asks(draft: &mut Draft<'_>, asks: Vec<(AgentName, CallId)>, status: &CallStatus) {
    asks.into_iter()
        .for_each(|(asker, call)| admission::end(draft, &asker, call, None, status.clone()));
}

/// The agents that read `agent`'s reply as the result of their calls.
pub(in crate::world) fn askers_of(draft: &Draft<'_>, agent: &AgentName) -> Vec<AgentName> {
    asks_owed_by(draft, agent)
        .into_iter()
        .map(|(asker, _)| asker)
        .collect()
}

/// The calls that the end of `agent`'s turn gives a result: of the open turn, or of the one that
/// this very commit opens.
fn asks_owed_by(draft: &Draft<'_>, agent: &AgentName) -> Vec<(AgentName, CallId)> {
    match turn::memory(draft, agent).and_then(|memory| memory.turn.as_ref()) {
        Some(turn) => still_owed(draft, agent, turn.asks.iter()),
        None => asks_among_news(
            draft,
            agent,
            message::opened_turn(draft, agent).map_or(0, |opened| opened.news.len()),
        ),
    }
}

/// The calls that wait for an answer to one of `agent`'s `count` oldest news.
fn asks_among_news(draft: &Draft<'_>, agent: &AgentName, count: usize) -> Vec<(AgentName, CallId)> {
    let news = turn::memory(draft, agent)
        .into_iter()
        .flat_map(|memory| memory.inbox.iter().take(count));
    still_owed(
        draft,
        agent,
        news.flat_map(|message: &std::sync::Arc<Message>| &message.asks),
    )
}

/// Returns those of `asks` that wait for an answer of `agent`, and do not end in this very commit.
fn still_owed<'a>(
    draft: &Draft<'_>,
    agent: &AgentName,
    asks: impl Iterator<Item = &'a (AgentName, CallId)>,
) -> Vec<(AgentName, CallId)> {
    let is_owed = |(asker, call): &&(AgentName, CallId)| {
        draft.world.owes_answer(agent, asker, *call) && !has_ended(draft, *call)
    };
    asks.filter(is_owed).cloned().collect()
}

/// Tells whether a call waits for an agent, and does not end in this very commit.
pub(in crate::world) fn awaits(draft: &Draft<'_>, asker: &AgentName, call: CallId) -> bool {
    waits::awaits_agent(draft.world, asker, call) && !has_ended(draft, call)
}

/// Tells whether a call has its result in this very commit.
pub(in crate::world) fn has_ended(draft: &Draft<'_>, call: CallId) -> bool {
    draft.events.iter().any(|event| {
        if let Event::Call(CallEvent::ToolFinished(done)) = event {
            done.call == call
        } else {
            false
        }
    })
}

/// Returns the position of the reply that `agent` gives in this very commit.
fn said_last(draft: &Draft<'_>, agent: &AgentName) -> Option<Position> {
    let own = |event: &Event| {
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            posted.author == Author::Agent(agent.clone())
        } else {
            false
        }
    };
    let index = draft.events.iter().rposition(own)?;
    Some(draft.world.head.plus(u64::try_from(index).ok()?).next())
}

const INBOX_FULL: CallStatus = CallStatus::Unanswered(UnansweredCause::InboxFull);

const fn refusal(why: NoWait) -> CallStatus {
    match why {
        NoWait::Deadlock => CallStatus::WouldDeadlock,
        NoWait::TooDeep => CallStatus::TooDeep,
    }
}
