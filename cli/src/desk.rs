//! The desk: what people ask of the worlds of a store, and who may ask it.
//!
//! There is one in the process that holds the store. It serves that process's own user and, over
//! the control socket, the other processes of the same user, so that both are answered in the same
//! way.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use folkmoot::core::ids::{ToolName, WorldName};
use folkmoot::life::LifeError;
use folkmoot::store::Tombstone;
use folkmoot::view::world::names;
use folkmoot::{Proof, Runtime, Store};
use futures::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, MutexGuard};

use crate::exit::{CliError, INTEGRITY, STORE};
use crate::nearest::{meaning, missing};
use crate::play::PlayWish;
use crate::view::answer::ValueStream;
use crate::view::query::{self, Query};

pub(crate) mod deed;
pub(crate) mod entrance;
pub(crate) mod erasure;
pub(crate) mod fork;
pub(crate) mod life;
pub(crate) mod login;
pub(crate) mod opening;
pub(crate) mod peer;
pub(crate) mod room;
pub(crate) mod ruling;
pub(crate) mod run;

use deed::{Done, PersonDeed, act};
use entrance::{Entrance, enter};
use erasure::{Erasing, Gone, erase};
use fork::{ForkView, ForkWish, fork};
use life::{Deletion, backup, delete};
use login::LoginDesk;
use opening::Holding;
use peer::Peer;
use room::{RoomQuery, room};
use ruling::{PersonRuling, Taken, rule};
use run::{Stages, play};

/// A request of a person to a store or to one of its worlds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeskRequest {
    /// To read.
    Query(Query),
    /// To decide.
    Decide(PersonRuling),
    /// To do something else in a world: to talk, to stop.
    Act(PersonDeed),
    /// To delete worlds.
    Delete(Deletion),
    /// To copy the store into this directory.
    Backup(PathBuf),
    /// To branch a world off another one.
    Fork(ForkWish),
    /// To erase.
    Erase(Erasing),
    /// To learn how a room stands that is open, and what goes on in it.
    Room(RoomQuery),
    /// To have the room of a script open.
    Enter(Box<Entrance>),
    /// To have a script played.
    Play(Box<PlayWish>),
    /// To sign in to the server that this process is.
    Login,
}

impl From<Query> for DeskRequest {
    fn from(query: Query) -> Self {
        Self::Query(query)
    }
}

/// The desk of a store that this process holds.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    runtime: Runtime,
    store: Store,
    /// The worlds that this process opens and closes itself.
    holding: Holding,
    /// Held while a world is opened for a request: no second request may open or close it
    /// meanwhile.
    opens: Arc<Mutex<()>>,
    /// The worlds in which terminals have scripts played.
    stages: Stages,
    /// The maker of login links; empty if this process serves no browsers.
    login: Arc<OnceLock<LoginDesk>>,
}

impl Desk {
    /// Makes the desk of `store`, whose worlds `runtime` opens.
    pub(crate) fn new(runtime: Runtime, store: Store, holding: Holding) -> Self {
        Self {
            runtime,
            store,
            holding,
            opens: Arc::default(),
            stages: Stages::default(),
            login: Arc::default(),
        }
    }

    /// The runtime that opens the store's worlds.
    pub(crate) const fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The store.
    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }

    /// Lets peers sign in to the server that this process is.
    pub(crate) fn sign_in_with(&self, login: LoginDesk) {
        // There is one server in a process.
        let _is_first = self.login.set(login);
    }

    /// Closes all worlds and the store.
    pub(crate) async fn close(self) -> Result<(), CliError> {
        let Self { runtime, store, .. } = self;
        runtime.shutdown().await;
        drop(runtime);
        let closed = tokio::task::spawn_blocking(move || store.close()).await;
        Ok(closed.map_err(|error| CliError::other(STORE, error.to_string()))??)
    }

    /// Does what `peer` asks, if they may ask it.
    pub(crate) async fn serve(
        &self,
        peer: Peer,
        request: DeskRequest,
    ) -> Result<ValueStream, CliError> {
        if let Err(refusal) = peer.may_ask(&request) {
            if let (Peer::OfTool, DeskRequest::Decide(ruling)) = (peer, &request) {
                self.record_attempt(ruling).await;
            }
            return Err(refusal);
        }
        let error = match self.answer(peer, request).await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let Some(missing) = missing(&error) else {
            return Err(error);
        };
        // A store that does not read has an error of its own, which others tell.
        let known = names(&self.store).await.unwrap_or_default();
        Err(meaning(missing, &known).unwrap_or(error))
    }

    async fn answer(&self, peer: Peer, request: DeskRequest) -> Result<ValueStream, CliError> {
        match request {
            DeskRequest::Query(query) => self.read(peer, &query).await,
            DeskRequest::Decide(ruling) => {
                let proof = peer.proof(ruling.by.clone())?;
                ValueStream::one(&self.rule(peer, proof, &ruling).await?)
            }
            DeskRequest::Act(wish) => {
                let proof = peer.proof(wish.by.clone())?;
                ValueStream::one(&self.act(peer, proof, &wish).await?)
            }
            DeskRequest::Delete(deletion) => {
                ValueStream::values(&self.delete(peer, &deletion).await?)
            }
            DeskRequest::Backup(dir) => ValueStream::one(&backup(&self.store, dir).await?),
            DeskRequest::Fork(wish) => {
                ValueStream::one(&self.fork(peer.proof(None)?, &wish).await?)
            }
            DeskRequest::Erase(erasing) => ValueStream::one(&self.erase(peer, &erasing).await?),
            DeskRequest::Room(query) => {
                let proof = peer.proof(query.by.clone())?;
                room(&self.runtime, proof, &query, peer, &self.holding).await
            }
            DeskRequest::Enter(entrance) => {
                let proof = peer.proof(entrance.by.clone())?;
                let _alone = self.alone_with(&entrance.world).await;
                let entered = enter(&self.runtime, &proof, &entrance, &self.holding);
                ValueStream::one(&Box::pin(entered).await?)
            }
            DeskRequest::Play(wish) => {
                let proof = peer.proof(wish.by.clone())?;
                play(&self.runtime, proof, &wish, &self.holding, &self.stages).await
            }
            DeskRequest::Login => match self.login.get() {
                Some(login) => ValueStream::one(&login.link().await?),
                None => {
                    let why = "the process that holds the store is no server: end it, and start `folkmoot serve`";
                    Err(CliError::other(STORE, why))
                }
            },
        }
    }

    /// Branches a world off, in the name of `by`.
    pub(crate) async fn fork(&self, by: Proof, wish: &ForkWish) -> Result<ForkView, CliError> {
        fork(&self.runtime, by, wish).await
    }

    /// Reads. A peer is told at the end which content of what it read is lost; the holder tells its
    /// own user once for all that it read.
    async fn read(&self, peer: Peer, query: &Query) -> Result<ValueStream, CliError> {
        if peer == Peer::Holder {
            return query::answer(&self.store, query).await;
        }
        let store = self.store.passing_over_loss();
        let values = query::answer(&store, query).await?;
        let lost = stream::once(async move { lost_in(&store) }).filter_map(std::future::ready);
        Ok(ValueStream::of(values.chain(lost.map(Err))))
    }

    async fn rule(
        &self,
        peer: Peer,
        proof: Proof,
        ruling: &PersonRuling,
    ) -> Result<Taken, CliError> {
        let _alone = self.alone_with(&ruling.world).await;
        rule(&self.runtime, proof, ruling, peer, &self.holding).await
    }

    async fn act(&self, peer: Peer, proof: Proof, wish: &PersonDeed) -> Result<Done, CliError> {
        let _alone = self.alone_with(&wish.world).await;
        act(&self.runtime, proof, wish, peer, &self.holding).await
    }

    async fn erase(&self, peer: Peer, erasing: &Erasing) -> Result<Gone, CliError> {
        let proof = peer.proof(erasing.by.clone())?;
        let _alone = self.alone_with(&erasing.world).await;
        erase(&self.runtime, proof, erasing, &self.holding).await
    }

    async fn delete(&self, peer: Peer, deletion: &Deletion) -> Result<Vec<Tombstone>, CliError> {
        let _alone = self.opens.lock().await;
        let mut worlds = deletion.worlds.iter();
        // The store does not know who has a world open (decision 0018).
        if let Some(driven) = worlds.find(|world| self.holding.drives(world)) {
            return Err(LifeError::Open(driven.clone()).into());
        }
        let proof = peer.proof(deletion.by.clone())?;
        let store = self.store.passing_over_loss();
        delete(&self.runtime, &store, &proof, deletion).await
    }

    /// Waits until no other request opens or closes a world. A driven world is opened and closed by
    /// its command alone.
    async fn alone_with(&self, world: &WorldName) -> Option<MutexGuard<'_, ()>> {
        if self.holding.drives(world) {
            None
        } else {
            Some(self.opens.lock().await)
        }
    }

    /// Lets the world refuse the attempt of a tool, so that it is in the log. A world that nobody
    /// has open is left alone: else a tool could have its log grow.
    async fn record_attempt(&self, ruling: &PersonRuling) {
        let is_driven = self.holding.drives(&ruling.world);
        if !is_driven && self.runtime.world(&ruling.world).is_none() {
            return;
        }
        let Ok(tool) = ToolName::new("process-of-a-tool") else {
            return;
        };
        match self.rule(Peer::OfTool, Proof::tool(tool), ruling).await {
            Ok(_) => tracing::error!("a tool's decision was accepted"),
            Err(error) => tracing::debug!(%error, "a program that a tool runs tried to decide"),
        }
    }
}

/// The content that `store` found to be lost while it was read; `None` if none is.
fn lost_in(store: &Store) -> Option<CliError> {
    let lost = store.lost_content().to_lines();
    (!lost.is_empty()).then(|| CliError::other(INTEGRITY, lost.join("\n")))
}
