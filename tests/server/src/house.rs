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
            let member = shared::join(place, templates, address).await;
            let store = member.membership.store();
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
            let runtime = runtime.drafts_from(member.peers.drafts());
            return member.membership.introduce(runtime);
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
            member.membership.serve(runtime);
        }
        let _nodes_alone = runtime;
    }

    /// Closes all worlds and the store.
    pub(crate) async fn close(self, runtime: &Runtime) {
        #[cfg(feature = "nodes")]
        if let Some(member) = self.member {
            member.membership.leave(runtime).await;
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

    use folkmoot::store::PostgresLedger;
    use folkmoot::{Membership, NodeProfile, OpenMode};
    use folkmoot_server::Peers;

    /// A life as one of the nodes of a database.
    pub(super) struct Member {
        pub(super) membership: Membership,
        pub(super) peers: Peers,
    }

    pub(super) async fn join(url: &str, templates: &Path, address: &str) -> Member {
        let url = url.parse().expect("the URL of a database");
        let ledger = PostgresLedger::open(&url, OpenMode::Create).await;
        let ledger = Arc::new(ledger.expect("the database opens"));
        let profile = NodeProfile {
            advertise: Some(format!("http://{address}")),
            offers: BTreeSet::from([format!("base:{}", templates.display())]),
            ..NodeProfile::named("test")
        };
        let membership = Membership::join(Arc::clone(&ledger), profile).await;
        let peers = Peers::meet(&*ledger, Arc::clone(&ledger) as _).await;
        Member {
            membership: membership.expect("the node joins"),
            peers: peers.expect("the servers know each other"),
        }
    }
}
