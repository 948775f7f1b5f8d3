//! Nodes that have a ledger one after another.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{NodeId, Seed, Stamp, Time};
use folkmoot_core::port::{Labels, Members, NodeCard, Taken};
use folkmoot_store::{Ledger, MemoryLedger, SharedStore, UncertainLedger};
use futures::executor::block_on;

use super::Kind;

const TTL: Duration = Duration::from_secs(5);

/// A ledger, and the nodes that had it.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    ledger: Arc<MemoryLedger>,
    #[cfg(feature = "postgres")]
    database: super::postgres::Database,
    /// How many there were.
    count: u8,
}

impl Nodes {
    /// Waits until the node before counts as dead, and has a new one take all worlds.
    pub(super) fn open(&mut self, kind: Kind, home: &Path) -> SharedStore {
        self.count = self.count.wrapping_add(1);
        let node = NodeId::from_stamp(&Stamp {
            time: Time(u64::from(self.count)),
            seed: Seed::new([self.count; 16]),
        });
        let ledger: Arc<dyn Ledger> = match kind {
            #[cfg(feature = "postgres")]
            Kind::Postgres => {
                let ledger = self.database.ledger(TTL * 2);
                block_on(take_all(&*ledger, &*ledger, node));
                ledger
            }
            Kind::Uncertain => {
                let ledger = self.memory(node);
                Arc::new(UncertainLedger::from_seed(ledger, self.count.into()))
            }
            Kind::Shared | Kind::Memory | Kind::Sled | Kind::Files => {
                self.memory(node) as Arc<dyn Ledger>
            }
        };
        SharedStore::with_keys(ledger, node, home)
    }

    fn memory(&self, node: NodeId) -> Arc<MemoryLedger> {
        self.ledger.advance(TTL * 2);
        block_on(take_all(&*self.ledger, &*self.ledger, node));
        Arc::clone(&self.ledger)
    }
}

async fn take_all(ledger: &dyn Ledger, members: &dyn Members, node: NodeId) {
    let card = NodeCard {
        node,
        name: "conformance".to_owned(),
        offers: std::iter::empty().collect(),
        schema: u32::MAX,
        room: 100,
        draining: false,
        advertise: None,
    };
    members.join(&card, TTL).await.unwrap();
    members.reap().await.unwrap();
    let worlds = ledger
        .worlds(&Labels::new(), None, usize::MAX)
        .await
        .unwrap();
    for world in worlds {
        let taken = members.take(node, world.world).await.unwrap();
        assert_eq!(taken, Taken::Taken);
    }
}
