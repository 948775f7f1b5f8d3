//! Rooms that are open here: how they stand, and their news, for whoever chats in them.

use folkmoot::core::event::Right;
use folkmoot::core::ids::{AgentName, PersonName, Position, WorldName};
use folkmoot::core::port::CommitStream;
use folkmoot::core::world::{Activity, Doing, World};
use folkmoot::run::{Standing, Waiting, standing, waiting};
use folkmoot::{ActivitySubscription, Proof, Runtime, Seat, WorldHandle, fold_world};
use futures::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;

use super::opening::{Holding, at_hand, open_to_stay};
use super::peer::Peer;
use crate::exit::{CliError, PENDING, STORE, USAGE};
use crate::show::chat::Chat;
use crate::show::news::{ShownCommit, Stir};
use crate::view::answer::ValueStream;

/// The most people who are named: they are offered while somebody types.
const PEOPLE_MAX: usize = 1_000;

/// A question of a person about a room that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RoomQuery {
    /// The world.
    pub(crate) world: WorldName,
    /// The name of the person; their login name if `None`. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
    /// The thing that they want to know.
    pub(crate) wants: RoomWish,
}

/// A thing that a person wants to know of a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RoomWish {
    /// How it stands.
    State,
    /// How it stands once nothing goes on in it.
    Rest,
    /// How it stands, and then its news, until it is closed.
    News {
        /// The beginning of a command that the person types.
        program: String,
    },
}

impl RoomWish {
    /// True if the answer goes on for as long as the room is open.
    pub(crate) const fn is_news(&self) -> bool {
        matches!(self, Self::News { .. })
    }
}

/// The state of a room, as somebody who chats in it needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RoomState {
    /// The last event.
    pub(crate) head: Position,
    /// Whether anything goes on.
    pub(crate) activity: Activity,
    /// The agents, and what they do.
    pub(crate) agents: Vec<(AgentName, Doing)>,
    /// The people who joined; of many, the first.
    pub(crate) people: Vec<PersonName>,
    /// The requests that wait, oldest first.
    pub(crate) waiting: Vec<Waiting>,
    /// The grants that stand, oldest first.
    pub(crate) grants: Vec<Standing>,
    /// The reason why the person cannot have their name here; `None` if they can.
    pub(crate) name_fault: Option<String>,
}

impl RoomState {
    fn of(world: &World, by: &PersonName) -> Self {
        let agents = world.rules().spec().agents.iter();
        let people = world.people().roster().keys().take(PEOPLE_MAX);
        Self {
            head: world.head(),
            activity: world.activity(),
            agents: agents
                .map(|agent| (agent.name.clone(), world.doing(&agent.name)))
                .collect(),
            people: people.cloned().collect(),
            waiting: waiting(world),
            grants: standing(world),
            name_fault: world.name_fault(by),
        }
    }
}

/// News of a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RoomNews {
    /// The state from which on the news come. It is the first of them.
    Begun(Box<RoomState>),
    /// Something was recorded.
    Commit(ShownCommit),
    /// Something goes on.
    Stir(Stir),
    /// These requests wait, and nothing else goes on.
    Waits(Vec<Waiting>),
}

/// Answers `query` in the name of `proof`, whom `peer` is told of a refusal for. A world that is
/// not open is opened for it if the process holds all worlds.
pub(super) async fn room(
    runtime: &Runtime,
    proof: Proof,
    query: &RoomQuery,
    peer: Peer,
    holding: &Holding,
) -> Result<ValueStream, CliError> {
    let person = proof.principal().person();
    let by = person.map(|person| person.display.clone());
    let by = by.ok_or_else(|| CliError::other(USAGE, "say who this is: --as NAME"))?;
    let visit = RoomVisit {
        runtime: runtime.clone(),
        name: query.world.clone(),
        holding: holding.clone(),
        proof,
        by,
        peer,
    };
    let world = visit.world().await?;
    match &query.wants {
        RoomWish::State => {}
        RoomWish::Rest => {
            world.quiet().await?;
        }
        RoomWish::News { program } => {
            let (begun, watch) = RoomWatch::begin(visit, &world, program.clone()).await?;
            let news = stream::try_unfold(watch, |mut watch| async {
                let news = watch.next().await?;
                Ok(news.map(|news| (news, watch)))
            });
            let all = stream::once(std::future::ready(Ok(begun))).chain(news);
            let value = |news: Result<RoomNews, CliError>| {
                serde_json::to_value(news?).map_err(CliError::json)
            };
            return Ok(ValueStream::of(all.map(value)));
        }
    }
    ValueStream::one(&visit.state(&world).await?)
}

/// Somebody's visit to a room.
struct RoomVisit {
    runtime: Runtime,
    name: WorldName,
    /// The worlds that this process opens.
    holding: Holding,
    proof: Proof,
    /// The name of the person.
    by: PersonName,
    /// Whoever is told of a refusal.
    peer: Peer,
}

impl RoomVisit {
    async fn world(&self) -> Result<WorldHandle, CliError> {
        if let Some(world) = at_hand(&self.runtime, &self.name, &self.holding).await {
            return Ok(world);
        }
        if self.holding == Holding::All {
            return self.open().await;
        }
        let what = format!(
            "the process that holds the store has not opened {}",
            self.name
        );
        Err(CliError::other(STORE, what))
    }

    /// Opens the world. An opening is recorded: whoever may not read the world causes none.
    async fn open(&self) -> Result<WorldHandle, CliError> {
        let before = fold_world(&**self.runtime.log(), &self.name, None).await?;
        if !before.rights_of(self.proof.principal()).has(Right::Read) {
            return Err(CliError::other(
                PENDING,
                "refused: you may not read this room",
            ));
        }
        Ok(open_to_stay(&self.runtime, &self.name).await?)
    }

    fn seat(&self, world: &WorldHandle) -> Seat {
        world.as_principal(self.proof.clone())
    }

    async fn state(&self, world: &WorldHandle) -> Result<RoomState, CliError> {
        let by = self.by.clone();
        let state = self
            .seat(world)
            .read(move |world| RoomState::of(world, &by))
            .await;
        state.map_err(|error| self.peer.told(error))
    }
}

/// Somebody's watch over a room.
struct RoomWatch {
    visit: RoomVisit,
    seat: Seat,
    chat: Chat,
    commits: CommitStream,
    activity: ActivitySubscription,
}

impl RoomWatch {
    /// Begins it, and returns how the room stands.
    async fn begin(
        visit: RoomVisit,
        world: &WorldHandle,
        program: String,
    ) -> Result<(RoomNews, Self), CliError> {
        let seat = visit.seat(world);
        let told = |error| visit.peer.told(error);
        let activity = seat.subscribe_activity().map_err(told)?;
        let by = visit.by.clone();
        let name = visit.name.to_string();
        let look = move |world: &World| {
            let mut chat = Chat::new(&name, world, None);
            chat.program = program;
            (RoomState::of(world, &by), world.id(), chat)
        };
        let (state, id, chat) = seat.read(look).await.map_err(told)?;
        let id = id.ok_or_else(|| CliError::other(STORE, "the room has not begun"))?;
        let commits = visit.runtime.log().subscribe(id, state.head.next()).await?;
        let watch = Self {
            visit,
            seat,
            chat,
            commits,
            activity,
        };
        Ok((RoomNews::Begun(Box::new(state)), watch))
    }

    /// Returns what is new; `None` once the room is closed for good.
    async fn next(&mut self) -> Result<Option<RoomNews>, CliError> {
        loop {
            tokio::select! {
                biased;
                stored = self.commits.next() => {
                    let Some(stored) = stored else { return Ok(None) };
                    let commit = stored?.commit;
                    if !self.seat.may(Right::Read) {
                        return Err(CliError::other(PENDING, "refused: you may not read this room any more"));
                    }
                    let lines = self.chat.take(&commit);
                    return Ok(Some(RoomNews::Commit(ShownCommit::of(&commit, lines))));
                }
                event = self.activity.recv() => match event.map(Stir::of) {
                    Ok(Some(Stir::Room(Activity::Parked))) => {
                        let waiting = self.seat.read(waiting).await;
                        return Ok(Some(RoomNews::Waits(waiting.unwrap_or_default())));
                    }
                    Ok(Some(stir)) => return Ok(Some(RoomNews::Stir(stir))),
                    Ok(None) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => {
                        if !self.reopened().await {
                            return Ok(None);
                        }
                    }
                },
            }
        }
    }

    /// Goes on with the room that was closed, if it is soon open again.
    async fn reopened(&mut self) -> bool {
        let Ok(world) = self.visit.world().await else {
            return false;
        };
        self.seat = self.visit.seat(&world);
        let activity = self.seat.subscribe_activity();
        activity.is_ok_and(|activity| {
            self.activity = activity;
            true
        })
    }
}
