//! A store in a database that nodes share.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::core::port::Members;
use folkmoot::core::port::causes::with_causes;
pub(crate) use folkmoot::store::PostgresUrl as DatabaseUrl;
use folkmoot::store::{OpenMode, PostgresLedger, PostgresUrlError, SharedRecords, SharedStore};
use folkmoot::{FoldError, Membership, NodeProfile, Store, WorldName, fold_world};

mod copy;
mod folder;
mod look;

pub(crate) use copy::copy_in;
pub(crate) use look::look_at;

use super::StoreUse;
use super::members::offer_of;
use crate::exit::{CliError, STORE, USAGE};

/// Reads the URL of a database.
pub(crate) fn read_url(text: &str) -> Result<DatabaseUrl, String> {
    text.parse()
        .map_err(|error: PostgresUrlError| error.to_string())
}

/// Opens the store in the database at `url`, which must have its tables, to read it.
pub(crate) async fn open(url: &DatabaseUrl, access: &StoreUse) -> Result<Store, CliError> {
    if *access != StoreUse::Read {
        let what = format!("{url} is a database, and this command works on a folder");
        return Err(CliError::other(USAGE, what));
    }
    let ledger = ledger(url, OpenMode::Existing).await?;
    let store = Store::from(SharedStore::reading(ledger));
    Ok(store.passing_over_loss())
}

async fn ledger(url: &DatabaseUrl, mode: OpenMode) -> Result<Arc<PostgresLedger>, CliError> {
    let ledger = PostgresLedger::open(url, mode).await;
    let ledger = ledger.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    Ok(Arc::new(ledger))
}

/// A database that nodes share. Its clones are one.
#[derive(Debug, Clone)]
pub(crate) struct Database(Arc<PostgresLedger>);

impl Database {
    /// Reaches the database at `url`.
    pub(crate) async fn reach(url: &DatabaseUrl, mode: OpenMode) -> Result<Self, CliError> {
        ledger(url, mode).await.map(Self)
    }

    /// The small records that all of its processes share.
    pub(crate) fn records(&self) -> Arc<dyn SharedRecords> {
        Arc::clone(&self.0) as _
    }

    /// Its nodes.
    pub(crate) fn members(&self) -> Arc<dyn Members> {
        Arc::clone(&self.0) as _
    }

    /// The folder of this machine's processes for the database. It is made when something is kept there.
    pub(crate) fn folder(&self) -> Result<PathBuf, CliError> {
        let variables = ["XDG_STATE_HOME", "HOME"].map(std::env::var_os);
        let states = folder::states(variables)?;
        let identity = self.0.identity().ok_or_else(|| {
            CliError::other(
                STORE,
                "the server did not say which database it is; try again",
            )
        })?;
        Ok(states.join(folder::name(&identity, self.0.schema())))
    }

    /// Joins its nodes for a command that acts in `worlds`, whose script stands in `base`. It takes the worlds that it is
    /// asked for, and no others. It offers the folders that they need: who types the command says that these are there.
    pub(crate) async fn visit(
        &self,
        worlds: &[WorldName],
        base: Option<&Path>,
    ) -> Result<Membership, CliError> {
        let reading = SharedStore::reading(Arc::clone(&self.0) as _);
        let mut offers: BTreeSet<String> = base.map(offer_of).into_iter().collect();
        for world in worlds {
            offers.extend(base_of(&reading, world).await?);
        }
        let wish = NodeWish {
            offers,
            ..NodeWish::default()
        };
        let mut visit = self.join(wish).await?;
        visit.visit();
        Ok(visit)
    }

    /// Joins its nodes, for a process that [serves](Membership::serve) or [visits](Membership::visit).
    pub(crate) async fn join(&self, wish: NodeWish) -> Result<Membership, CliError> {
        // Several processes of a machine are told apart by their numbers.
        let machine = rustix::system::uname();
        let machine = machine.nodename().to_string_lossy();
        let name = format!("{machine} {}", std::process::id());
        let profile = NodeProfile {
            room: wish.room,
            offers: wish.offers,
            advertise: wish.advertise,
            ..NodeProfile::named(name)
        };
        let joined = Membership::join(Arc::clone(&self.0), profile).await;
        joined.map_err(|error| CliError::other(STORE, with_causes(&error)))
    }
}

/// A node, as whoever starts it describes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeWish {
    /// The things that it has and worlds may need.
    pub(crate) offers: BTreeSet<String>,
    /// The number of worlds that it takes by itself.
    pub(crate) room: u32,
    /// The address at which other nodes reach it.
    pub(crate) advertise: Option<String>,
}

/// The offer that a world needs, if it is there and needs one.
async fn base_of(store: &SharedStore, world: &WorldName) -> Result<Option<String>, CliError> {
    match fold_world(store, world, None).await {
        Ok(world) => Ok(world.base().map(|base| offer_of(Path::new(base)))),
        Err(FoldError::NoSuchWorld(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
