//! A run: all that follows from a message or a decision, until nothing goes on or people are waited
//! for.

use std::collections::BTreeSet;

use folkmoot::core::ids::{EpisodeId, RequestId};
use folkmoot::core::world::{Doing, World};
use folkmoot::{
    AgentName, DraftEnding, Feed, FeedDraft, FeedEvent, FeedItem, FeedStart, ItemId, MessageId,
    Position, ReadError, Seat,
};

use crate::identity::Lease;
use crate::problem::Problem;
use crate::rooms::Drain;

/// The reason that a run goes on no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Its episodes are over.
    Over,
    /// Its agents wait for people.
    Waits,
}

/// A piece of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one lives at a time, and items are the most"
)]
pub(crate) enum Step {
    /// An item of the feed.
    Item(FeedItem),
    /// A piece of a reply that is being written, or its end.
    Draft(DraftNews),
    /// The run rests. This is the last step.
    Rest(Rest),
    /// The server ends, or the world is let go of: the client is to come again. This is the last
    /// step.
    Bye,
}

/// The news of a draft. Unlike those of the feed, a test can make them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DraftNews {
    /// A piece of the message.
    Piece {
        agent: AgentName,
        message: MessageId,
        /// The place of the piece in the message, in bytes.
        offset: u64,
        text: String,
    },
    /// The message is no longer being written.
    End {
        message: MessageId,
        ending: DraftEnding,
    },
}

impl From<FeedDraft> for DraftNews {
    fn from(draft: FeedDraft) -> Self {
        match draft {
            FeedDraft::Draft {
                agent,
                message,
                offset,
                text,
            } => Self::Piece {
                agent,
                message,
                offset,
                text: text.to_string(),
            },
            FeedDraft::DraftEnd { message, ending } => Self::End { message, ending },
        }
    }
}

/// A run of some episodes. It ends without a word if the right to read is lost.
#[derive(Debug)]
pub(crate) struct Run {
    seat: Seat,
    feed: Feed,
    episodes: BTreeSet<EpisodeId>,
    lease: Lease,
    drain: Drain,
    /// The rest, and the last event before it; `None` while something goes on.
    rest: Option<(Position, Rest)>,
    /// True until the state was looked at since the last item.
    is_news: bool,
    is_over: bool,
}

/// The place just before the item `id`.
pub(crate) const fn just_before(id: ItemId) -> ItemId {
    match id.number.checked_sub(1) {
        Some(number) => ItemId { at: id.at, number },
        None => ItemId::behind(Position::new(id.at.get().saturating_sub(1))),
    }
}

/// The start of a feed whose first item is `id`.
pub(crate) const fn before(id: ItemId) -> FeedStart {
    FeedStart::After(just_before(id))
}

impl Run {
    /// The run of `episodes`, from `start` on.
    ///
    /// # Errors
    /// As [`Seat::feed`].
    pub(crate) fn follow(
        seat: Seat,
        start: FeedStart,
        episodes: BTreeSet<EpisodeId>,
        lease: Lease,
        drain: Drain,
    ) -> Result<Self, Problem> {
        Ok(Self {
            feed: seat.feed(start)?,
            seat,
            episodes,
            lease,
            drain,
            rest: None,
            is_news: true,
            is_over: false,
        })
    }

    /// The episodes of the run.
    pub(crate) const fn episodes(&self) -> &BTreeSet<EpisodeId> {
        &self.episodes
    }

    /// The next step; `None` behind the last one, and when the right to read is lost. Dropping the
    /// future loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Step> {
        if self.is_over {
            return None;
        }
        let mut lease = self.lease.clone();
        let drain = self.drain.clone();
        let step = tokio::select! {
            biased;
            () = lease.ended() => None,
            () = drain.begun() => Some(Step::Bye),
            step = self.next_of_feed() => match step {
                Ok(step) => Some(step),
                Err(error) => {
                    tracing::error!(%error, "a run does not read");
                    None
                }
            },
        };
        self.is_over = matches!(step, None | Some(Step::Rest(_) | Step::Bye));
        step
    }

    async fn next_of_feed(&mut self) -> Result<Step, ReadError> {
        if self.is_news && self.rest.is_none() {
            let episodes = self.episodes.clone();
            let look = move |world: &World| (world.head(), rest(world, &episodes));
            // The world is closed, or may not be read any more: the feed knows which.
            let Ok((head, rest)) = self.seat.read(look).await else {
                return self.step_of_feed().await;
            };
            self.rest = rest.map(|rest| (head, rest));
            self.is_news = false;
        }
        let Some((head, rest)) = self.rest else {
            return self.step_of_feed().await;
        };
        let event = self.feed.next_up_to(head).await?;
        Ok(event.map_or(Step::Rest(rest), Step::from))
    }

    async fn step_of_feed(&mut self) -> Result<Step, ReadError> {
        let event = self.feed.next().await?;
        self.is_news = matches!(event, Some(FeedEvent::Item(_)));
        Ok(event.map_or(Step::Bye, Step::from))
    }
}

impl From<FeedEvent> for Step {
    fn from(event: FeedEvent) -> Self {
        match event {
            FeedEvent::Item(item) => Self::Item(item),
            FeedEvent::Draft(draft) => Self::Draft(draft.into()),
        }
    }
}

/// The newest episode of the world in which something goes on, else the newest that waits for
/// people; `None` if all is done.
pub(crate) async fn unfinished(seat: &Seat) -> Result<Option<EpisodeId>, Problem> {
    let look = |world: &World| {
        let mut newest = world.episodes().keys().rev().copied();
        let running = newest.find(|episode| rest(world, &BTreeSet::from([*episode])).is_none());
        running.or_else(|| {
            let asked = world.consent().pending().keys();
            asked.filter_map(|request| waits_for(world, *request)).max()
        })
    };
    Ok(seat.read(look).await?)
}

/// The episode whose work waits for `request`; `None` if none does.
pub(crate) fn waits_for(world: &World, request: RequestId) -> Option<EpisodeId> {
    let pending = world.consent().pending().get(&request)?;
    let memory = world.memory(&pending.agent)?;
    let turn = memory.turn.as_ref()?;
    let is_open = memory.open_calls.contains_key(&pending.call);
    is_open.then_some(turn.episode)
}

/// `episodes`, and those that they wait for: an agent takes up a message once its turn is over.
pub(crate) fn held_up_by(world: &World, episodes: &BTreeSet<EpisodeId>) -> BTreeSet<EpisodeId> {
    let agents = &world.rules().spec().agents;
    let mut all = episodes.clone();
    loop {
        let known = all.len();
        for agent in agents {
            if queued(world, &agent.name, &all) {
                let turn = world
                    .memory(&agent.name)
                    .and_then(|memory| memory.turn.as_ref());
                all.extend(turn.map(|turn| turn.episode));
            }
        }
        if all.len() == known {
            return all;
        }
    }
}

/// The reason that nothing goes on in `episodes`; `None` while something does.
fn rest(world: &World, episodes: &BTreeSet<EpisodeId>) -> Option<Rest> {
    let is_open = |episode| world.episodes().contains_key(episode);
    if !episodes.iter().any(is_open) {
        return Some(Rest::Over);
    }
    let spec = world.rules().spec();
    let agents: Vec<&AgentName> = spec.agents.iter().map(|agent| &agent.name).collect();
    // Who is to take up a message of theirs may have other work first.
    let is_queued = agents.iter().any(|agent| queued(world, agent, episodes));
    let works = |agent: &&AgentName| {
        is_at_work(world.doing(agent)) && (is_queued || is_of(world, agent, episodes))
    };
    let goes_on = agents.iter().any(works);
    (!goes_on).then_some(Rest::Waits)
}

/// Tells whether a message of `episodes` waits for `agent`.
fn queued(world: &World, agent: &AgentName, episodes: &BTreeSet<EpisodeId>) -> bool {
    let memory = world.memory(agent);
    let mut inbox = memory.iter().flat_map(|memory| &memory.inbox);
    inbox.any(|message| episodes.contains(&message.episode))
}

/// Tells whether the turn of `agent` is one of `episodes`.
fn is_of(world: &World, agent: &AgentName, episodes: &BTreeSet<EpisodeId>) -> bool {
    let turn = world.memory(agent).and_then(|memory| memory.turn.as_ref());
    turn.is_some_and(|turn| episodes.contains(&turn.episode))
}

const fn is_at_work(doing: Doing) -> bool {
    match doing {
        Doing::Waking | Doing::Thinking | Doing::UsingTools => true,
        Doing::Nothing | Doing::WaitingForPerson | Doing::WaitingForAgent => false,
    }
}
