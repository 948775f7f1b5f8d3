//! A store in a database that nodes share.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot::core::ids::{NodeId, WorldId};
use folkmoot::core::port::Members;
use folkmoot::core::port::causes::with_causes;
pub(crate) use folkmoot::store::PostgresUrl as DatabaseUrl;
use folkmoot::store::{OpenMode, PostgresLedger, PostgresUrlError, SharedRecords, SharedStore};
use folkmoot::{
    Answerer, DraftSource, FoldError, Node, NodeProfile, OpenError, Runtime, RuntimeBuilder,
    SharedWorlds, Store, WorldName, Worlds, fold_world,
};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

mod copy;
mod look;

pub(crate) use copy::copy_in;
pub(crate) use look::look_at;

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
}

/// This process as one of the nodes of a database, with its store.
#[derive(Debug)]
pub(crate) struct Membership {
    node: Node,
    ledger: Arc<PostgresLedger>,
    store: SharedStore,
    drafts: Option<Arc<dyn DraftSource>>,
    /// The end of the membership, once it is kept up.
    stay: Option<Stay>,
    /// True if its worlds are closed by the node itself.
    serves: bool,
    answering: JoinSet<()>,
}

/// A membership that is kept up.
#[derive(Debug)]
struct Stay {
    /// Dropped, it ends the membership in good order.
    stays: oneshot::Sender<()>,
    running: JoinHandle<()>,
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
    /// The way to the drafts of worlds that other nodes hold.
    pub(crate) drafts: Option<Arc<dyn DraftSource>>,
}

impl Membership {
    /// Joins the nodes of the database at `url` for a command that acts in `worlds`, whose script stands in `base`. It takes the
    /// worlds that it is asked for, and no others. It offers the folders that they need: who types the command says that these
    /// are there.
    pub(crate) async fn visit(
        url: &DatabaseUrl,
        mode: OpenMode,
        worlds: &[WorldName],
        base: Option<&Path>,
    ) -> Result<Self, CliError> {
        let ledger = ledger(url, mode).await?;
        let reading = SharedStore::reading(Arc::clone(&ledger) as _);
        let mut offers: BTreeSet<String> = base.map(offer_of).into_iter().collect();
        for world in worlds {
            offers.extend(base_of(&reading, world).await?);
        }
        let wish = NodeWish {
            offers,
            ..NodeWish::default()
        };
        let mut visit = Self::joined(ledger, wish).await?;
        visit.keep_up(Arc::new(Nobody));
        Ok(visit)
    }

    /// Joins the nodes of a database, as one that takes its share of the worlds once it is [served](Self::serve).
    pub(crate) async fn join(database: Database, wish: NodeWish) -> Result<Self, CliError> {
        Self::joined(database.0, wish).await
    }

    async fn joined(ledger: Arc<PostgresLedger>, wish: NodeWish) -> Result<Self, CliError> {
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
        let node = Node::join(Arc::clone(&ledger) as _, profile).await;
        let node = node.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
        let store = SharedStore::new(Arc::clone(&ledger) as _, node.clone());
        Ok(Self {
            node,
            ledger,
            store,
            drafts: wish.drafts,
            stay: None,
            serves: false,
            answering: JoinSet::new(),
        })
    }

    /// The store, as this node has it.
    pub(crate) fn store(&self) -> Store {
        Store::from(self.store.clone())
    }

    /// Has a runtime take worlds from the other nodes, and ask those for what it cannot take.
    pub(crate) fn introduce(&self, runtime: RuntimeBuilder) -> RuntimeBuilder {
        let runtime = runtime
            .tenures(Arc::new(self.node.clone()))
            .node(self.node.clone())
            .inbox(Arc::clone(&self.ledger) as _);
        match &self.drafts {
            Some(drafts) => runtime.drafts_from(Arc::clone(drafts)),
            None => runtime,
        }
    }

    /// What has this node take no worlds any more. Those that it has stay until it leaves.
    pub(crate) fn drainer(&self) -> Box<dyn FnOnce() + Send> {
        let node = self.node.clone();
        Box::new(move || node.drain())
    }

    /// The id of this node.
    pub(crate) fn id(&self) -> NodeId {
        self.node.id()
    }

    /// Has `runtime` open what this node is given, and answer what other processes ask, until this is dropped.
    pub(crate) fn serve(&mut self, runtime: &Runtime) {
        let worlds = SharedWorlds::new(runtime.clone(), self.store.clone());
        self.keep_up(Arc::new(worlds));
        self.serves = true;
        self.answer(runtime);
    }

    fn keep_up(&mut self, worlds: Arc<dyn Worlds>) {
        let (stays, goes) = oneshot::channel::<()>();
        let member = self.node.clone();
        let running = tokio::spawn(async move {
            let until = async {
                // Sent or dropped, it is the end.
                let _ended = goes.await;
            };
            member.run(worlds, until).await;
        });
        self.stay = Some(Stay { stays, running });
    }

    /// Answers what other processes ask the worlds that this one has, until this is dropped.
    pub(crate) fn answer(&mut self, runtime: &Runtime) {
        let node = self.node.clone();
        let inbox = Arc::clone(&self.ledger) as _;
        let answerer = Answerer::new(runtime.clone(), inbox, move || node.id());
        self.answering.spawn(answerer.run());
    }

    /// Closes all worlds of `runtime`, gives each back, and leaves the other nodes.
    pub(crate) async fn leave(self, runtime: &Runtime) {
        if !self.serves {
            runtime.shutdown().await;
        }
        if let Some(Stay { stays, running }) = self.stay {
            drop(stays);
            if let Err(error) = running.await {
                tracing::warn!(%error, "the other nodes will notice later that this one has left");
            }
        }
        // Who is given worlds stops taking them first. The others are only followed here.
        runtime.shutdown().await;
    }
}

/// The offer of a folder that worlds may need.
pub(crate) fn offer_of(base: &Path) -> String {
    format!("base:{}", base.display())
}

/// The offer that a world needs, if it is there and needs one.
async fn base_of(store: &SharedStore, world: &WorldName) -> Result<Option<String>, CliError> {
    match fold_world(store, world, None).await {
        Ok(world) => Ok(world.base().map(|base| offer_of(Path::new(base)))),
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
