//! The beginning of a run: all that a client asks for, done before its first event.

use std::collections::BTreeSet;

use folkmoot::core::command::TalkAction;
use folkmoot::core::ids::{EpisodeId, StateName};
use folkmoot::core::world::World;
use folkmoot::{ItemId, Right, Seat};
use serde_json::Value;

use super::done::Done;
use super::frame::Frame;
use super::input::RunAgentInput;
use super::resume::{ROUTE, Resumed, check_all, refuses, resume};
use crate::identity::Caller;
use crate::problem::Problem;
use crate::protocols::run::{just_before, unfinished};
use crate::request::RequestKey;
use crate::rooms::Lobby;
use crate::routes::messages::{NewMessage, deliver};

/// The run of a client, as the log has its beginning.
#[derive(Debug)]
pub(super) struct Begun {
    /// The last item that the snapshot at the beginning shows: the run goes on behind it.
    pub(super) after: ItemId,
    /// The episodes of the run.
    pub(super) episodes: BTreeSet<EpisodeId>,
    /// The client state that the room took; `None` if none was told.
    pub(super) state: Option<Value>,
    /// The events about answers that were not taken.
    pub(super) refused: Vec<Frame>,
    /// All that was done for it.
    pub(super) done: Done,
}

/// A client state, as it is told.
struct ToldState {
    name: StateName,
    text: String,
}

impl ToldState {
    fn action(&self) -> TalkAction {
        TalkAction::Observe {
            name: self.name.clone(),
            state: self.text.clone(),
        }
    }
}

/// A client's order to a room.
struct Order<'a> {
    lobby: &'a Lobby,
    caller: &'a Caller,
    seat: &'a Seat,
    input: &'a RunAgentInput,
}

/// Tells the state, gives the answers and posts the message of `input`. Without any of these, the
/// client is taken to what goes on. All is looked at before any of it is done.
///
/// # Errors
/// The reason that the room refuses one of these, and what was done before.
pub(super) async fn begin(
    lobby: &Lobby,
    caller: &Caller,
    seat: &Seat,
    input: &RunAgentInput,
) -> Result<Begun, Problem> {
    let order = Order {
        lobby,
        caller,
        seat,
        input,
    };
    let text = order.checked_text().await?;
    let state = order.checked_state().await?;
    let answers = Box::pin(check_all(lobby, caller, seat, input)).await?;
    let mut done = Done::default();
    let resumed = Box::pin(resume(lobby, caller, seat, answers, &mut done)).await;
    let begun = match resumed {
        Ok(resumed) => order.go_on(resumed, state, text, &mut done).await,
        Err(problem) => Err(problem),
    };
    match begun {
        Ok(begun) => Ok(Begun { done, ..begun }),
        Err(problem) => Err(done.told_with(problem)),
    }
}

impl Order<'_> {
    /// The words to post. Those that the room refuses are given to it at once: it records that, and
    /// nothing else is done.
    async fn checked_text(&self) -> Result<Option<String>, Problem> {
        let Some(text) = self.input.news()? else {
            return Ok(None);
        };
        self.lobby.check_length(&text)?;
        let post = TalkAction::PostMessage {
            text: text.clone(),
            attachments: Vec::new(),
            reply_to: None,
        };
        if self.is_barred() || refuses(self.seat, post.into()).await? {
            self.post(text.clone()).await?;
        }
        self.lobby.check_cost(self.seat).await?;
        Ok(Some(text))
    }

    /// The client state to tell, if the room has exactly one; a room with none takes none. One that
    /// the room refuses is given to it at once, as words are.
    async fn checked_state(&self) -> Result<Option<ToldState>, Problem> {
        let told = self.input.told_state();
        let Some(told) = told.filter(|_| self.seat.may(Right::Post)) else {
            return Ok(None);
        };
        let Some(name) = self.seat.read(only_state).await? else {
            return Ok(None);
        };
        let text = self.lobby.checked_state(told.to_owned())?;
        let state = ToldState { name, text };
        if self.is_barred() || refuses(self.seat, state.action().into()).await? {
            self.observe(&state).await?;
        }
        Ok(Some(state))
    }

    /// Tells whether the token of the caller does not give the right to post.
    fn is_barred(&self) -> bool {
        let Self { caller, seat, .. } = self;
        !caller.may.has(Right::Post, seat.world().name())
    }

    /// Tells the state and posts the words, behind the answers.
    async fn go_on(
        &self,
        resumed: Resumed,
        state: Option<ToldState>,
        text: Option<String>,
        done: &mut Done,
    ) -> Result<Begun, Problem> {
        let state = match state {
            None => None,
            Some(state) => {
                let taken = self.observe(&state).await?;
                done.note("the state is told".to_owned());
                taken
            }
        };
        let posted = match text {
            None => None,
            Some(text) => {
                let posted = self.post(text).await?;
                done.note(format!("the message is posted as {posted}"));
                Some(posted)
            }
        };
        let mut episodes = resumed.episodes;
        episodes.extend(posted.map(|message| EpisodeId(message.at)));
        let after = match resumed.first.map(just_before).or(posted) {
            Some(after) => after,
            None if self.input.resume.is_empty() => attach(self.seat, &mut episodes).await?,
            None => now(self.seat).await?,
        };
        Ok(Begun {
            after,
            episodes,
            state,
            refused: resumed.refused,
            done: Done::default(),
        })
    }

    /// Posts the message of the run, and gives its item's place.
    async fn post(&self, text: String) -> Result<ItemId, Problem> {
        let key = self.key("post")?;
        let message = NewMessage::of_text(text);
        let room = &self.input.thread_id;
        let posted = deliver(self.lobby, self.caller, room, &key, message).await?;
        Ok(ItemId {
            at: posted.position,
            number: 0,
        })
    }

    /// Tells the client state, and gives what the room took.
    async fn observe(&self, state: &ToldState) -> Result<Option<Value>, Problem> {
        let key = self.key("state")?.of(self.caller);
        let room = &self.input.thread_id;
        let given = self.lobby.give(self.caller, room, state.action(), key);
        given.await.map_err(|problem| problem.about("state"))?;
        Ok(serde_json::from_str(&state.text).ok())
    }

    fn key(&self, name: &str) -> Result<RequestKey, Problem> {
        RequestKey::of_route(ROUTE, &format!("{}/{name}", self.input.run_id))
    }
}

/// Takes the run to the newest episode in which something goes on, else that waits for people, from
/// its message on; to now if all is done.
async fn attach(seat: &Seat, episodes: &mut BTreeSet<EpisodeId>) -> Result<ItemId, Problem> {
    let Some(episode) = unfinished(seat).await? else {
        return now(seat).await;
    };
    episodes.insert(episode);
    Ok(ItemId {
        at: episode.0,
        number: 0,
    })
}

async fn now(seat: &Seat) -> Result<ItemId, Problem> {
    Ok(ItemId::behind(seat.read(World::head).await?))
}

/// The one state that clients may tell; `None` if the room has none, or several.
fn only_state(world: &World) -> Option<StateName> {
    let mut names = world.rules().spec().states.keys();
    let only = names.next().cloned();
    only.filter(|_| names.next().is_none())
}
