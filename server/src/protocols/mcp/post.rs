//! Posting a message, and waiting for what it brings about.

use std::time::Duration;

use folkmoot::core::command::TalkAction;
use folkmoot::{
    Activity, EpisodeId, FeedStart, ItemId, MessageId, Position, Right, Seat, WorldName,
};
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

use super::answers::{Posted, State};
use super::calls::{key, waits};
use super::cancel::{Cancelled, End};
use super::talk::{Cursor, Frame, Talk, draft_frames, frames};
use super::tools::{PostMessage, WAIT_S, WAIT_S_MAX};
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::protocols::run::{Rest, Run, Step};
use crate::rooms::Lobby;
use crate::routes::messages::{NewMessage, deliver};

/// The route that does the same, so that a key means the same here and there.
const ROUTE: &str = "POST /v1/worlds/{world}/messages";

/// Whoever waits for a room, and can be told of it meanwhile.
pub(super) struct Host<'a> {
    pub(super) caller: &'a Caller,
    pub(super) context: &'a RequestContext<RoleServer>,
    /// Ends once the host wants no answer any more.
    pub(super) cancelled: Cancelled,
}

/// Posts, waits, and says what was said.
pub(super) async fn post(
    lobby: &Lobby,
    host: Host<'_>,
    wish: PostMessage,
) -> Result<Posted, Problem> {
    let wait = checked_wait(wish.wait)?;
    let key = key(ROUTE, wish.key.as_deref())?;
    let message = NewMessage {
        reply_to: wish.reply_to.map(|at| MessageId(Position::new(at))),
        ..NewMessage::of_text(wish.text)
    };
    let posted = deliver(lobby, host.caller, &wish.world, &key, message).await?;
    let seat = lobby.seat(host.caller, &wish.world, Right::Read).await?;
    let mut follower = Follower::of(lobby, &host, seat, posted.message)?;
    let outcome = follower.settled(lobby, wait).await?;
    Ok(Posted {
        message: posted.message.0.get(),
        outcome,
        said: follower.talk.stands(),
        waits: waits(lobby, &follower.world).await?,
        world: wish.world,
    })
}

fn checked_wait(wait: Option<u64>) -> Result<Duration, Problem> {
    let wait = wait.unwrap_or(WAIT_S);
    if wait <= WAIT_S_MAX {
        return Ok(Duration::from_secs(wait));
    }
    let why = format!("a wait has at most {WAIT_S_MAX} seconds");
    Err(Problem::new(ProblemCode::Invalid, why).about("wait"))
}

/// A host that follows what its message brings about.
struct Follower<'a> {
    host: &'a Host<'a>,
    run: Run,
    cursor: Cursor,
    world: WorldName,
    posted: MessageId,
    /// The talk so far.
    talk: Talk,
}

impl<'a> Follower<'a> {
    fn of(
        lobby: &Lobby,
        host: &'a Host<'a>,
        seat: Seat,
        posted: MessageId,
    ) -> Result<Self, Problem> {
        let start = FeedStart::After(ItemId::behind(posted.0));
        let episodes = [EpisodeId(posted.0)].into();
        let lease = host.caller.lease.clone();
        let drain = lobby.rooms.drain.clone();
        Ok(Self {
            host,
            world: seat.world().name().clone(),
            run: Run::follow(seat, start, episodes, lease, drain)?,
            cursor: Cursor::behind(posted),
            posted,
            talk: Talk::default(),
        })
    }

    /// Waits until nothing goes on, or the wait is over.
    async fn settled(&mut self, lobby: &Lobby, wait: Duration) -> Result<State, Problem> {
        let Host {
            context, cancelled, ..
        } = self.host;
        let caller = self.host.caller;
        let posted = self.posted;
        let world = self.world.clone();
        tokio::select! {
            biased;
            end = cancelled.ended(context) => {
                if end == End::Stop
                    && let Err(problem) = stop(lobby, caller, world.as_str(), posted).await
                {
                    // Nobody is there to be told.
                    tracing::warn!(%world, why = problem.detail(), "cancelled work was not stopped");
                }
                let why = "nobody waits for the answer any more";
                Err(Problem::new(ProblemCode::Unavailable, why))
            }
            followed = tokio::time::timeout(wait, self.follow()) => {
                followed.unwrap_or(Ok(State::StillWorking))
            }
        }
    }

    /// Takes up what is said, and tells the host of each step.
    async fn follow(&mut self) -> Result<State, Problem> {
        // The right to read is gone without one.
        while let Some(step) = self.run.next().await {
            let news = match step {
                Step::Item(item) => frames(&mut self.cursor, &item),
                Step::Draft(draft) => draft_frames(&mut self.cursor, &draft),
                Step::Rest(Rest::Over) => return Ok(State::Quiet),
                Step::Rest(Rest::Waits) => return Ok(State::WaitsForPeople),
                Step::Bye => return Ok(State::StillWorking),
            };
            for frame in news {
                match frame {
                    Frame::Step(number, words) => tell(self.host.context, number, words).await,
                    Frame::Over => return Ok(State::Quiet),
                    said @ (Frame::Said(_) | Frame::Gone(_)) => self.talk.take(said),
                }
            }
        }
        Err(Problem::not_found())
    }
}

/// Stops the work that the message began, if the caller may: it is for them that it goes on.
async fn stop(
    lobby: &Lobby,
    caller: &Caller,
    world: &str,
    posted: MessageId,
) -> Result<(), Problem> {
    if lobby.allowed(caller, world, Right::Operate).await.is_err() {
        return Ok(());
    }
    let episode = Some(EpisodeId(posted.0));
    lobby
        .give(caller, world, TalkAction::Stop { episode }, None)
        .await?;
    Ok(())
}

/// Sends progress, if the host asked for it. One that is gone is noticed elsewhere.
async fn tell(context: &RequestContext<RoleServer>, number: u32, words: String) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    let progress = ProgressNotificationParam::new(token, f64::from(number)).with_message(words);
    if let Err(error) = context.peer.notify_progress(progress).await {
        tracing::debug!(%error, "progress was not sent");
    }
}

impl State {
    /// The state of a room with this activity.
    pub(super) const fn of(activity: Activity) -> Self {
        match activity {
            Activity::Idle => Self::Quiet,
            Activity::Parked => Self::WaitsForPeople,
            Activity::Running => Self::StillWorking,
        }
    }
}
