//! Turns: what agents do about their news and their results.

use std::time::Duration;

use crate::content::Content;
use crate::event::reaction::Reaction;
use crate::event::{
    AgentFailed, AgentReacted, CloseReason, Notice, Purpose, SpentLimit, TurnClosed, TurnDeclined,
    TurnOpened, Unasked,
};
use crate::ids::{AgentName, Attempt, CallId, EpisodeId, Position, Time, TurnId};
use crate::model::Parameters;
use crate::model::response::LLMResponse;
use crate::spec::rules::Rules;
use crate::text::reply::RoutingTag;
use crate::world::calls::decide::admission;
use crate::world::calls::done;
use crate::world::decide::{Draft, No};
use crate::world::memory::{Memory, Reading, Remembered};
use crate::world::meters::episode;
use crate::world::talk::decide::{message, withholding};
use crate::world::talk::observed;
use crate::world::turns::decide::calling::Calling;
use crate::world::turns::decide::model::backoff;
use crate::world::turns::decide::{answer, calling};
use crate::world::waits::decide::asking;
use crate::world::{World, meters};

/// News that an agent takes up.
#[derive(Clone)]
struct News {
    positions: Vec<Position>,
    /// The position that put the newest of them into the inbox: the message itself, or what a
    /// person changed so that it is there again.
    cause: Position,
    episode: EpisodeId,
    fresh: Vec<Remembered>,
    /// The calls that ran in the turns whose place this one takes.
    redoes: Vec<CallId>,
}

impl News {
    /// The same, with the item that tells what was done before.
    fn told(&self, world: &World, agent: &AgentName, memory: &Memory) -> Self {
        let done = done::done_before(world, agent, self.positions.len(), &self.redoes, memory);
        Self {
            fresh: self.fresh.iter().cloned().chain(done).collect(),
            ..self.clone()
        }
    }

    fn reading<'m>(&'m self, memory: &'m Memory) -> Reading<'m> {
        Reading::new(memory, &self.fresh, &self.positions)
    }
}

pub(in crate::world) fn open_turn(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    horizon: Position,
    reaction: &Reaction,
) -> Result<(), No> {
    let memory = memory(draft, agent)
        // News that a person changed behind the horizon are not what the agent was woken with.
        .filter(|memory| memory.turn.is_none() && memory.revised <= horizon)
        .ok_or(No::STALE)?;
    let news = news(
        draft,
        agent,
        memory,
        horizon,
        is_spent(draft, agent, memory),
    )
    .ok_or(No::STALE)?;
    draft.cause = Some(news.cause);
    match reaction {
        Reaction::AskModel(parameters) => {
            open_asking(draft, agent, memory, horizon, &news, parameters)
        }
        Reaction::Answer { .. } | Reaction::Pass { .. } => {
            let turn = TurnId(draft.here());
            let episode = news.episode;
            push_opened(draft, agent, horizon, &news);
            calling::trim(
                draft,
                agent,
                &news.told(draft.world, agent, memory).reading(memory),
            );
            react(draft, agent, turn, episode, reaction)
        }
    }
}

/// Tells whether the episode of the oldest message affords no model call any more.
fn is_spent(draft: &Draft<'_>, agent: &AgentName, memory: &Memory) -> bool {
    let oldest = memory.inbox.front();
    oldest.is_some_and(|oldest| {
        episode::affords(draft.world, &draft.world.rules, agent, oldest.episode).is_none()
    })
}

/// Returns what `agent` takes up of its inbox. Where the episode of the oldest message `is_spent`,
/// only that episode's messages at the front: what belongs to another one is not set aside with
/// them.
fn news(
    draft: &Draft<'_>,
    agent: &AgentName,
    memory: &Memory,
    horizon: Position,
    is_spent: bool,
) -> Option<News> {
    let max = usize::try_from(draft.world.rules.spec().limits.news_max).unwrap_or(usize::MAX);
    let episode = memory.inbox.front()?.episode;
    let due = memory
        .inbox
        .iter()
        .take_while(|message| message.at <= horizon)
        .take(max);
    let due = due.take_while(|message| !is_spent || message.episode == episode);
    let due: Vec<_> = due.collect();
    let positions: Vec<Position> = due.iter().map(|message| message.at).collect();
    let cause = due
        .last()
        .map(|message| message.at.max(message.episode.0))?;
    // The answers that it waits for come together, in one turn.
    if horizon > draft.world.head || memory.joining.is_some() {
        return None;
    }
    let until = memory.reaches(horizon, positions.len());
    let fresh = observed::fresh_items(draft.world, agent, memory, until);
    let redoes = done::redoes(draft.world, agent, positions.len());
    Some(News {
        positions,
        cause,
        episode,
        fresh,
        redoes,
    })
}

fn push_opened(draft: &mut Draft<'_>, agent: &AgentName, horizon: Position, news: &News) {
    let News {
        episode,
        positions,
        redoes,
        ..
    } = news;
    draft.push(TurnOpened {
        agent: agent.clone(),
        episode: *episode,
        horizon,
        news: positions.clone(),
        resumes: None,
        redoes: redoes.clone(),
    });
}

fn open_asking(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    memory: &Memory,
    horizon: Position,
    news: &News,
    parameters: &Parameters,
) -> Result<(), No> {
    let taken = news.told(draft.world, agent, memory);
    let turn = TurnId(draft.here());
    let reading = taken.reading(memory);
    let calling = Calling {
        agent,
        turn,
        memory,
        reading,
        compactions: 0,
        parameters,
    };
    match meters::decide::affordable(draft, &calling, news.episode) {
        Ok(purpose) => {
            push_opened(draft, agent, horizon, news);
            calling::ask_model(draft, &calling, purpose)
        }
        Err(limit) => {
            // The messages of another episode have budgets of their own.
            let news = self::news(draft, agent, memory, horizon, true).ok_or(No::STALE)?;
            draft.cause = Some(news.cause);
            decline(draft, agent, horizon, &news, limit, parameters);
            calling::trim(draft, agent, &news.reading(memory));
            Ok(())
        }
    }
}

fn decline(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    horizon: Position,
    news: &News,
    limit: SpentLimit,
    parameters: &Parameters,
) {
    let episode = news.episode;
    let count = news.positions.len();
    draft.push(TurnDeclined {
        agent: agent.clone(),
        episode,
        horizon,
        news: news.positions.clone(),
        reason: CloseReason::Limit,
        parameters: parameters.clone(),
    });
    tell_limit(draft, agent, limit, episode);
    asking::decline_asks(draft, agent, count);
}

/// Tells people once per episode that an agent can ask no model any more.
pub(in crate::world) fn tell_limit(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    limit: SpentLimit,
    episode: EpisodeId,
) {
    message::tell_once(
        draft,
        Notice::LimitReached {
            agent: agent.clone(),
            limit,
        },
        episode,
    );
}

/// Asks a further time in an open turn, or closes it: with a closing call if there is something
/// left for one.
pub(in crate::world) fn ask_or_close(
    draft: &mut Draft<'_>,
    calling: &Calling<'_>,
    episode: EpisodeId,
) -> Result<(), No> {
    let Calling {
        agent,
        turn,
        parameters,
        ..
    } = *calling;
    match meters::decide::affordable(draft, calling, episode) {
        Ok(purpose) => calling::ask_model(draft, calling, purpose),
        Err(SpentLimit::ModelCalls) => {
            tell_limit(draft, agent, SpentLimit::ModelCalls, episode);
            close(draft, agent, turn, CloseReason::Limit);
            Ok(())
        }
        Err(limit @ (SpentLimit::Cost | SpentLimit::CostPerEpisode)) => {
            tell_limit(draft, agent, limit, episode);
            close_unasked(draft, agent, turn, Unasked::Call(parameters.clone()));
            Ok(())
        }
    }
}

pub(in crate::world) fn continue_turn(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    reaction: &Reaction,
) -> Result<(), No> {
    let memory = memory(draft, agent).ok_or(No::STALE)?;
    let open = memory
        .turn
        .as_ref()
        .filter(|open| open.id == turn && open.is_ready_to_continue())
        .ok_or(No::STALE)?;
    draft.cause = Some(open.moved_by);
    let episode = open.episode;
    match reaction {
        Reaction::AskModel(parameters) => ask_or_close(
            draft,
            &Calling::again(agent, memory, open, parameters),
            episode,
        ),
        Reaction::Answer { .. } | Reaction::Pass { .. } => {
            calling::trim(draft, agent, &Reading::of_open_turn(memory));
            react(draft, agent, turn, episode, reaction)
        }
    }
}

/// Records what an agent in code did; its answer is then treated like a model's.
fn react(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    episode: EpisodeId,
    reaction: &Reaction,
) -> Result<(), No> {
    let response = match reaction {
        Reaction::Answer { response, .. } => Some(response),
        Reaction::Pass { .. } => None,
        Reaction::AskModel(_) => return Err(No::STALE),
    };
    let rules = rules_of(draft, agent);
    let taken = response.zip(episode::affords(draft.world, rules, agent, episode));
    let calls = taken.map_or(0, |(response, _)| response.reply().calls().count());
    let at = draft.push(AgentReacted {
        agent: agent.clone(),
        turn,
        has_answered: taken.is_some(),
        calls: u32::try_from(calls).unwrap_or(u32::MAX),
        reaction: reaction.clone().into(),
    });
    match taken {
        Some((response, purpose)) => take_answer(draft, agent, turn, at, None, response, purpose),
        None if response.is_none() => close(draft, agent, turn, CloseReason::Passed),
        None => {
            tell_limit(draft, agent, SpentLimit::ModelCalls, episode);
            close(draft, agent, turn, CloseReason::Limit);
        }
    }
    Ok(())
}

/// The rules that an agent works by: those that its open turn began under, else those in force.
pub(in crate::world) fn rules_of<'w>(draft: &Draft<'w>, agent: &AgentName) -> &'w Rules {
    draft.world.rules_of_turn(agent)
}

/// Records that an agent could not react; after the last attempt its turn is over.
pub(in crate::world) fn fail_agent(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: Option<TurnId>,
    code: &str,
    detail: &str,
) -> Result<(), No> {
    let memory = memory(draft, agent)
        .filter(|memory| memory.is_owed_delivery())
        .ok_or(No::STALE)?;
    if memory.turn.as_ref().map(|open| open.id) != turn {
        return Err(No::STALE);
    }
    let attempt = Attempt(memory.failures).next();
    let is_last = attempt.0 >= rules_of(draft, agent).spec().limits.attempts;
    let wait = backoff(attempt.0, &draft.stamp.seed);
    let retry_at = (!is_last).then(|| draft.now().after(wait));
    record_agent_failure(draft, agent, memory, code, detail, retry_at);
    if is_last {
        give_up(draft, agent, memory, code);
    }
    Ok(())
}

pub(in crate::world) fn record_agent_failure(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    memory: &Memory,
    code: &str,
    detail: &str,
    retry_at: Option<Time>,
) {
    draft.push(AgentFailed {
        agent: agent.clone(),
        turn: memory.turn.as_ref().map(|open| open.id),
        attempt: Attempt(memory.failures).next(),
        code: code.to_owned(),
        retry_at,
        detail: Content::Present(detail.to_owned()),
    });
}

/// Closes the turn of an agent that failed for good, with its news if it has not taken them up.
pub(in crate::world) fn give_up(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    memory: &Memory,
    code: &str,
) {
    let head = draft.world.head;
    let opened = match &memory.turn {
        Some(open) => Some((open.id, open.episode)),
        None => news(draft, agent, memory, head, is_spent(draft, agent, memory)).map(|news| {
            let turn = TurnId(draft.here());
            push_opened(draft, agent, head, &news);
            calling::trim(
                draft,
                agent,
                &news.told(draft.world, agent, memory).reading(memory),
            );
            (turn, news.episode)
        }),
    };
    let Some((turn, episode)) = opened else {
        return;
    };
    message::tell(
        draft,
        Notice::TurnFailed {
            agent: agent.clone(),
            code: code.to_owned(),
        },
        None,
        episode,
    );
    close(draft, agent, turn, CloseReason::Failed);
}

/// Closes a turn; whoever asked its agent something has an answer, or is told that there is none.
pub(in crate::world) fn close(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    reason: CloseReason,
) {
    asking::answer_asks(draft, agent, reason);
    draft.push(TurnClosed {
        agent: agent.clone(),
        turn,
        reason,
        unasked: None,
    });
}

/// Closes a turn that has too little money left for what it wanted.
pub(in crate::world) fn close_unasked(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    unasked: Unasked,
) {
    let reason = CloseReason::Limit;
    asking::answer_asks(draft, agent, reason);
    draft.push(TurnClosed {
        agent: agent.clone(),
        turn,
        reason,
        unasked: Some(unasked),
    });
}

pub(in crate::world) fn memory<'w>(draft: &Draft<'w>, agent: &AgentName) -> Option<&'w Memory> {
    let world: &'w World = draft.world;
    world.agents.memory(agent)
}

/// Takes up a whole answer: its calls if it has any, else its words.
pub(in crate::world) fn take_answer(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    at: Position,
    stream: Option<Position>,
    response: &LLMResponse,
    purpose: Purpose,
) {
    let has_calls = response.reply().calls().next().is_some();
    let reply = draft.world.reply_cutter(agent).whole(&response.spoken());
    if has_calls && purpose == Purpose::Turn {
        reply
            .warnings
            .iter()
            .for_each(|code| answer::warn(draft, agent, code));
        // Whoever reads the room later must see that it was said (decision 0029).
        message::post_beside_calls(draft, agent, turn, at, stream, &reply);
        return admission::admit(draft, agent, turn, at, response, purpose);
    }
    if has_calls {
        admission::admit(draft, agent, turn, at, response, purpose);
    }
    reply
        .warnings
        .iter()
        .for_each(|code| answer::warn(draft, agent, code));
    if reply.text.is_empty() && reply.tag == Some(RoutingTag::To) {
        answer::warn(draft, agent, "routing_tag_without_words");
    }
    let reason = match (reply.text.is_empty(), has_calls) {
        (true, false) => CloseReason::Passed,
        (true, true) => CloseReason::Limit,
        (false, _) => CloseReason::Answered,
    };
    withholding::note_withheld(draft, agent, turn, at, stream, &reply);
    if reason == CloseReason::Answered {
        message::post_reply(draft, agent, turn, at, stream, &reply);
    }
    if has_calls {
        let episode = message::episode_of(draft, agent).unwrap_or(EpisodeId(turn.0));
        let asked = memory(draft, agent)
            .and_then(|memory| memory.turn.as_ref())
            .filter(|open| open.model.is_some());
        let limit = asked.map_or(SpentLimit::ModelCalls, |open| {
            meters::decide::limit_of_closing(draft, agent, open)
        });
        tell_limit(draft, agent, limit, episode);
    }
    close(draft, agent, turn, reason);
}

/// The shortest wait before anything is tried again.
pub(in crate::world) const RETRY_MIN: Duration = Duration::from_millis(500);
