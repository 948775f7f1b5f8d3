//! The way from a chat to its room: the desk of this process, or the process that holds the store.

use std::path::PathBuf;

use folkmoot::Proof;
use folkmoot::core::ids::{PersonName, WorldName};
use folkmoot::run::Standing;

use super::elsewhere::{Elsewhere, not_here};
use crate::arguments::CommonArgs;
use crate::control::client::Client;
use crate::desk::deed::{Deed, Done, PersonDeed};
use crate::desk::entrance::{Entered, Entrance};
use crate::desk::fork::{ForkView, ForkWish};
use crate::desk::peer::Peer;
use crate::desk::room::{RoomQuery, RoomState, RoomWish};
use crate::desk::ruling::{Matter, PersonRuling, Taken};
use crate::desk::{Desk, DeskRequest};
use crate::exit::{CliError, STORE};
use crate::person;
use crate::view::answer::ValueStream;

/// A person's way to a room. Both kinds of desk answer the same requests.
#[derive(Debug)]
pub(super) struct RoomReach {
    desk: ReachedDesk,
    world: WorldName,
    by: PersonName,
}

/// The desk that is asked.
#[derive(Debug)]
pub(super) enum ReachedDesk {
    /// That of this process.
    Own(Desk),
    /// That of the process which holds the store in this directory.
    Held(PathBuf),
    /// That of a server elsewhere.
    Elsewhere(Elsewhere),
}

impl RoomReach {
    /// Returns who sits here.
    pub(super) const fn by(&self) -> &PersonName {
        &self.by
    }

    pub(super) const fn new(desk: ReachedDesk, world: WorldName, by: PersonName) -> Self {
        Self { desk, world, by }
    }

    /// The name of the room.
    pub(super) const fn world(&self) -> &WorldName {
        &self.world
    }

    /// Has the room of a script opened.
    pub(super) async fn enter(&self, entrance: Entrance) -> Result<Entered, CliError> {
        let request = DeskRequest::Enter(Box::new(entrance));
        self.ask(request).await?.first().await
    }

    /// Returns how the room stands, now or once nothing goes on in it.
    pub(super) async fn state(&self, wants: RoomWish) -> Result<RoomState, CliError> {
        if let ReachedDesk::Elsewhere(elsewhere) = &self.desk {
            return elsewhere.state(&self.world, &wants).await;
        }
        self.about(wants).await?.first().await
    }

    /// Returns the grants that stand in the room.
    pub(super) async fn grants(&self) -> Result<Vec<Standing>, CliError> {
        match &self.desk {
            ReachedDesk::Own(_) | ReachedDesk::Held(_) => {
                Ok(self.state(RoomWish::State).await?.grants)
            }
            ReachedDesk::Elsewhere(_) => Err(not_here()),
        }
    }

    /// True if it is known what each agent does.
    pub(super) const fn knows_doings(&self) -> bool {
        !matches!(self.desk, ReachedDesk::Elsewhere(_))
    }

    /// Returns the news of the room, as they come.
    pub(super) async fn news(&self, program: String) -> Result<ValueStream, CliError> {
        self.about(RoomWish::News { program }).await
    }

    /// Does something in the room.
    pub(super) async fn act(&self, deed: Deed) -> Result<(), CliError> {
        if let ReachedDesk::Elsewhere(elsewhere) = &self.desk {
            return elsewhere.act(&self.world, deed).await;
        }
        let wish = PersonDeed {
            world: self.world.clone(),
            by: Some(self.by.clone()),
            deed,
        };
        let done = self.ask(DeskRequest::Act(wish)).await?;
        done.first::<Done>().await.map(|_| ())
    }

    /// Rules on a request or a grant.
    pub(super) async fn rule(&self, common: &CommonArgs, matter: Matter) -> Result<(), CliError> {
        if let ReachedDesk::Elsewhere(elsewhere) = &self.desk {
            return elsewhere.rule(common, &self.world, matter).await;
        }
        let ruling = PersonRuling {
            world: self.world.clone(),
            by: Some(self.by.clone()),
            matter,
        };
        let taken = self.ask(DeskRequest::Decide(ruling)).await?;
        taken.first::<Taken>().await.map(|_| ())
    }

    /// Branches the room off.
    pub(super) async fn fork(&self, name: WorldName) -> Result<ForkView, CliError> {
        let wish = ForkWish {
            parent: self.world.clone(),
            at: None,
            name,
            is_copied: false,
            is_live: false,
        };
        match &self.desk {
            ReachedDesk::Own(desk) => {
                let by = Proof::local(person::uid(), self.by.clone());
                desk.fork(by, &wish).await
            }
            ReachedDesk::Held(_) => self.ask(DeskRequest::Fork(wish)).await?.first().await,
            ReachedDesk::Elsewhere(_) => Err(not_here()),
        }
    }

    async fn about(&self, wants: RoomWish) -> Result<ValueStream, CliError> {
        let query = RoomQuery {
            world: self.world.clone(),
            by: Some(self.by.clone()),
            wants,
        };
        self.ask(DeskRequest::Room(query)).await
    }

    async fn ask(&self, request: DeskRequest) -> Result<ValueStream, CliError> {
        match &self.desk {
            ReachedDesk::Own(desk) => Box::pin(desk.serve(Peer::Holder, request)).await,
            ReachedDesk::Held(store) => {
                let gone = |error| {
                    let what = format!("the process that holds the store went away: {error}");
                    CliError::other(STORE, what)
                };
                let client = Client::connect(store).await.map_err(gone)?;
                client.ask(&request).await
            }
            ReachedDesk::Elsewhere(_) => Err(not_here()),
        }
    }
}
