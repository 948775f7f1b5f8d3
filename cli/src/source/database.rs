//! A store in a database that nodes share.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot::core::ids::WorldId;
use folkmoot::core::port::causes::with_causes;
use folkmoot::core::port::{Inbox, Members};
pub(crate) use folkmoot::store::PostgresUrl as DatabaseUrl;
use folkmoot::store::{OpenMode, PostgresLedger, PostgresUrlError, SharedRecords, SharedStore};
use folkmoot::{
    Answerer, FoldError, Node, NodeProfile, OpenError, Runtime, RuntimeBuilder, Store, WorldName,
    Worlds, fold_world,
};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use super::StoreUse;
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

/// Reaches what all processes of the database at `url` share: small records, and the list of the nodes.
pub(crate) async fn reach(
    url: &DatabaseUrl,
    mode: OpenMode,
) -> Result<(Arc<dyn SharedRecords>, Arc<dyn Members>), CliError> {
    let ledger = ledger(url, mode).await?;
    Ok((Arc::clone(&ledger) as _, ledger))
}

/// This process as one of the nodes of a database. It takes the worlds that it is asked for, and no others.
#[derive(Debug)]
pub(crate) struct Membership {
    node: Node,
    inbox: Arc<dyn Inbox>,
    /// Dropped, it ends the membership in good order.
    stays: oneshot::Sender<()>,
    running: JoinHandle<()>,
    answering: JoinSet<()>,
}

impl Membership {
    /// Joins the nodes of the database at `url`, to act in `world`, whose script stands in `base`; gives the store as this
    /// one has it. It offers the folder that the world needs: who types the command says that it is there.
    pub(crate) async fn join(
        url: &DatabaseUrl,
        mode: OpenMode,
        world: Option<&WorldName>,
        base: Option<&Path>,
    ) -> Result<(Store, Self), CliError> {
        let ledger = ledger(url, mode).await?;
        let reading = SharedStore::reading(Arc::clone(&ledger) as _);
        let recorded = match world {
            Some(world) => base_of(&reading, world).await?,
            None => None,
        };
        let bases = recorded
            .into_iter()
            .chain(base.map(|base| base.display().to_string()));
        let profile = NodeProfile {
            room: 0,
            offers: bases.map(|base| format!("base:{base}")).collect(),
            ..NodeProfile::named(format!("folkmoot {}", std::process::id()))
        };
        let node = Node::join(Arc::clone(&ledger) as _, profile).await;
        let node = node.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
        let store = Store::from(SharedStore::new(Arc::clone(&ledger) as _, node.clone()));
        let (stays, goes) = oneshot::channel::<()>();
        let member = node.clone();
        let running = tokio::spawn(async move {
            let until = async {
                // Sent or dropped, it is the end.
                let _ended = goes.await;
            };
            member.run(Arc::new(Nobody), until).await;
        });
        let membership = Self {
            node,
            inbox: ledger,
            stays,
            running,
            answering: JoinSet::new(),
        };
        Ok((store, membership))
    }

    /// Has a runtime take worlds from the other nodes, and ask those for what it cannot take.
    pub(crate) fn introduce(&self, runtime: RuntimeBuilder) -> RuntimeBuilder {
        runtime
            .tenures(Arc::new(self.node.clone()))
            .node(self.node.clone())
            .inbox(Arc::clone(&self.inbox))
    }

    /// Answers what other processes ask the worlds that this one has, until this is dropped.
    pub(crate) fn answer(&mut self, runtime: &Runtime) {
        let node = self.node.clone();
        let answerer = Answerer::new(runtime.clone(), Arc::clone(&self.inbox), move || node.id());
        self.answering.spawn(answerer.run());
    }

    /// Leaves the other nodes, once all worlds are closed.
    pub(crate) async fn leave(self) {
        let Self { stays, running, .. } = self;
        drop(stays);
        if let Err(error) = running.await {
            tracing::warn!(%error, "the other nodes will notice later that this one has left");
        }
    }
}

/// The folder that a world needs, if it is there and needs one.
async fn base_of(store: &SharedStore, world: &WorldName) -> Result<Option<String>, CliError> {
    match fold_world(store, world, None).await {
        Ok(world) => Ok(world.base().map(str::to_owned)),
        Err(FoldError::NoSuchWorld(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The worlds of a node that takes none by itself.
#[derive(Debug)]
struct Nobody;

#[async_trait]
impl Worlds for Nobody {
    async fn open(&self, world: WorldId) -> Result<(), OpenError> {
        tracing::debug!(%world, "a world was given to a node that takes none");
        Ok(())
    }

    async fn close(&self, _: WorldId) {}
}
