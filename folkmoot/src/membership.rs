//! A process among the nodes that share a store: it joins, acts for worlds, answers what is asked of them, and leaves.

use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_agents::{
    Answerer, JoinError, Node, NodeProfile, OpenError, Runtime, RuntimeBuilder, Worlds,
};
use folkmoot_core::ids::WorldId;
use folkmoot_core::port::{Inbox, Members};
use folkmoot_store::{Ledger, SharedStore, Store};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

/// This process as one of the nodes that share a store. Dropped, it ends in the background:
/// close its worlds before.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
///
/// use folkmoot::store::MemoryLedger;
/// use folkmoot::{Membership, NodeProfile, Runtime};
///
/// # let ledger = MemoryLedger::default();
/// // Nodes on several machines have a `PostgresLedger` here.
/// let mut membership = Membership::join(Arc::new(ledger), NodeProfile::named("mill")).await?;
/// let runtime = Runtime::builder(&membership.store());
/// let runtime = membership.introduce(runtime).build();
/// membership.serve(&runtime);
/// // … until the process is told to end:
/// membership.leave(&runtime).await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Membership {
    node: Node,
    inbox: Arc<dyn Inbox>,
    store: SharedStore,
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

impl Membership {
    /// Joins the nodes of `ledger`. The membership lasts for [`Timings::ttl`](folkmoot_agents::Timings::ttl), unless this
    /// process [serves](Self::serve) or [visits](Self::visit).
    ///
    /// # Errors
    /// [`JoinError`].
    pub async fn join<L>(ledger: Arc<L>, profile: NodeProfile) -> Result<Self, JoinError>
    where
        L: Ledger + Members + Inbox + 'static,
    {
        let node = Node::join(Arc::clone(&ledger) as _, profile).await?;
        Ok(Self {
            store: SharedStore::new(Arc::clone(&ledger) as _, node.clone()),
            node,
            inbox: ledger,
            stay: None,
            serves: false,
            answering: JoinSet::new(),
        })
    }

    /// The store, as this node has it.
    #[must_use]
    pub fn store(&self) -> Store {
        Store::from(self.store.clone())
    }

    /// This node.
    #[must_use]
    pub const fn node(&self) -> &Node {
        &self.node
    }

    /// Has a runtime take worlds from the other nodes, and ask those for what it cannot take.
    #[must_use]
    pub fn introduce(&self, runtime: RuntimeBuilder) -> RuntimeBuilder {
        runtime
            .tenures(Arc::new(self.node.clone()))
            .node(self.node.clone())
            .inbox(Arc::clone(&self.inbox))
    }

    /// Has `runtime` open this node's share of the worlds, and answer what other processes ask, until this node leaves. A
    /// node serves or visits, as it is asked first.
    pub fn serve(&mut self, runtime: &Runtime) {
        let worlds = SharedWorlds {
            runtime: runtime.clone(),
            store: self.store.clone(),
        };
        if self.keep_up(Arc::new(worlds)) {
            self.serves = true;
            self.answer(runtime);
        }
    }

    /// Keeps the membership up without a share of the worlds, until this node leaves: it has those that are opened here by
    /// name. A node that visits should have no [room](NodeProfile::room). A node serves or visits, as it is asked first.
    pub fn visit(&mut self) {
        self.keep_up(Arc::new(Nobody));
    }

    /// Has `runtime` answer what other processes ask of the worlds that this node has, until it leaves.
    pub fn answer(&mut self, runtime: &Runtime) {
        let node = self.node.clone();
        let answerer = Answerer::new(runtime.clone(), Arc::clone(&self.inbox), move || node.id());
        self.answering.spawn(answerer.run());
    }

    /// Keeps the membership up for `worlds`; tells whether it does. One that is kept up already stays as it is.
    fn keep_up(&mut self, worlds: Arc<dyn Worlds>) -> bool {
        if self.stay.is_some() {
            return false;
        }
        let (stays, goes) = oneshot::channel::<()>();
        let node = self.node.clone();
        let running = tokio::spawn(async move {
            let until = async {
                // Sent or dropped, it is the end.
                let _ended = goes.await;
            };
            node.run(worlds, until).await;
        });
        self.stay = Some(Stay { stays, running });
        true
    }

    /// Closes all worlds of `runtime`, gives each back, and leaves the other nodes. It waits for tools that run.
    pub async fn leave(mut self, runtime: &Runtime) {
        // Else somebody who asks something could have a world opened again.
        self.node.drain();
        // The others shall not wait until a membership that nobody kept up is over.
        self.visit();
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

/// The worlds of a runtime over a store that nodes share: what this process is given is opened as it is recorded, and goes on.
#[derive(Debug)]
struct SharedWorlds {
    runtime: Runtime,
    store: SharedStore,
}

#[async_trait]
impl Worlds for SharedWorlds {
    async fn open(&self, world: WorldId) -> Result<(), OpenError> {
        let Some(name) = self.store.name_of(world).await? else {
            // It was deleted since.
            return Ok(());
        };
        self.runtime.take_up(&name).await.map(drop)
    }

    async fn close(&self, world: WorldId) {
        self.runtime.close_id(world).await;
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

#[cfg(test)]
mod tests;
