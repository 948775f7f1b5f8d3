//! The store of a life: a folder of its own, or a database that it shares with other lives.

use std::path::Path;

use axum::Router;
use folkmoot::{OpenMode, Runtime, RuntimeBuilder, Store};
use folkmoot_server::Server;

#[cfg(feature = "nodes")]
use shared::Member;

/// A store, and the place among those who share it.
pub(crate) struct House {
    pub(crate) store: Store,
    #[cfg(feature = "nodes")]
    member: Option<Member>,
}

impl House {
    /// Opens the store at `place`: a folder, or the URL of a database. Rooms of templates in `templates` need that folder, and
    /// other lives find this one at `address`.
    pub(crate) async fn open(place: &str, templates: &Path, address: &str) -> Self {
        #[cfg(feature = "nodes")]
        if place.starts_with("postgres://") {
            let (store, member) = shared::join(place, templates, address).await;
            let member = Some(member);
            return Self { store, member };
        }
        let _nodes_alone = (templates, address);
        Self {
            store: Store::open(place, OpenMode::Create).expect("the store opens"),
            #[cfg(feature = "nodes")]
            member: None,
        }
    }

    /// Has a runtime take its worlds from the others, if there are any.
    pub(crate) fn introduce(&self, runtime: RuntimeBuilder) -> RuntimeBuilder {
        #[cfg(feature = "nodes")]
        if let Some(member) = &self.member {
            return member.introduce(runtime);
        }
        runtime
    }

    /// The router of a server, with what it shows the others, if there are any.
    pub(crate) fn router(&self, server: &Server) -> Router {
        #[cfg(feature = "nodes")]
        if let Some(member) = &self.member {
            return server.router_among(&member.peers);
        }
        server.router()
    }

    /// Has `runtime` open what is due here.
    pub(crate) fn serve(&mut self, runtime: &Runtime) {
        #[cfg(feature = "nodes")]
        if let Some(member) = &mut self.member {
            member.serve(runtime);
        }
        let _nodes_alone = runtime;
    }

    /// Closes all worlds and the store.
    pub(crate) async fn close(self, runtime: &Runtime) {
        #[cfg(feature = "nodes")]
        if let Some(member) = self.member {
            member.leave().await;
        }
        runtime.shutdown().await;
        self.store.close().expect("the store closes");
    }
}

#[cfg(feature = "nodes")]
mod shared {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::Arc;

    use folkmoot::store::{PostgresLedger, SharedStore};
    use folkmoot::{
        Answerer, Node, NodeProfile, OpenMode, Runtime, RuntimeBuilder, SharedWorlds, Store,
    };
    use folkmoot_server::Peers;
    use tokio::sync::oneshot;
    use tokio::task::{JoinHandle, JoinSet};

    /// A life as one of the nodes of a database.
    pub(super) struct Member {
        node: Node,
        ledger: Arc<PostgresLedger>,
        store: SharedStore,
        pub(super) peers: Peers,
        running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
        answering: JoinSet<()>,
    }

    pub(super) async fn join(url: &str, templates: &Path, address: &str) -> (Store, Member) {
        let url = url.parse().expect("the URL of a database");
        let ledger = PostgresLedger::open(&url, OpenMode::Create).await;
        let ledger = Arc::new(ledger.expect("the database opens"));
        let profile = NodeProfile {
            advertise: Some(format!("http://{address}")),
            offers: BTreeSet::from([format!("base:{}", templates.display())]),
            ..NodeProfile::named("test")
        };
        let node = Node::join(Arc::clone(&ledger) as _, profile).await;
        let node = node.expect("the node joins");
        let store = SharedStore::new(Arc::clone(&ledger) as _, node.clone());
        let peers = Peers::meet(&*ledger, Arc::clone(&ledger) as _).await;
        let member = Member {
            node,
            ledger,
            store: store.clone(),
            peers: peers.expect("the servers know each other"),
            running: None,
            answering: JoinSet::new(),
        };
        (Store::from(store), member)
    }

    impl Member {
        pub(super) fn introduce(&self, runtime: RuntimeBuilder) -> RuntimeBuilder {
            runtime
                .tenures(Arc::new(self.node.clone()))
                .node(self.node.clone())
                .inbox(Arc::clone(&self.ledger) as _)
                .drafts_from(self.peers.drafts())
        }

        pub(super) fn serve(&mut self, runtime: &Runtime) {
            let worlds = SharedWorlds::new(runtime.clone(), self.store.clone());
            let node = self.node.clone();
            let (stays, goes) = oneshot::channel::<()>();
            let running = tokio::spawn(async move {
                let until = async { drop(goes.await) };
                node.run(Arc::new(worlds), until).await;
            });
            self.running = Some((stays, running));
            let node = self.node.clone();
            let inbox = Arc::clone(&self.ledger) as _;
            let answerer = Answerer::new(runtime.clone(), inbox, move || node.id());
            self.answering.spawn(answerer.run());
        }

        pub(super) async fn leave(self) {
            let (stays, running) = self.running.expect("it served");
            drop(stays);
            running.await.expect("it leaves in good order");
        }
    }
}
