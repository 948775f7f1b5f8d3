//! Nodes that have a ledger one after another.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{NodeId, Seed, Stamp, Time};
use folkmoot_core::port::{Labels, Members as _, NodeCard, Taken};
use folkmoot_store::{Ledger, MemoryLedger, Register as _, SharedStore, UncertainLedger};
use futures::executor::block_on;

use super::Kind;

const TTL: Duration = Duration::from_secs(5);

/// A ledger, and the nodes that had it.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    ledger: Arc<MemoryLedger>,
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
        self.ledger.advance(TTL * 2);
        block_on(self.take_all(node));
        let ledger: Arc<dyn Ledger> = match kind {
            Kind::Uncertain => {
                let ledger = Arc::clone(&self.ledger);
                Arc::new(UncertainLedger::from_seed(ledger, self.count.into()))
            }
            Kind::Shared | Kind::Memory | Kind::Sled | Kind::Files => {
                Arc::clone(&self.ledger) as Arc<dyn Ledger>
            }
        };
        SharedStore::with_keys(ledger, node, home)
    }

    async fn take_all(&self, node: NodeId) {
        let card = NodeCard {
            node,
            name: "conformance".to_owned(),
            offers: std::iter::empty().collect(),
            schema: u32::MAX,
            room: 100,
            draining: false,
            advertise: None,
        };
        self.ledger.join(&card, TTL).await.unwrap();
        self.ledger.reap().await.unwrap();
        let worlds = self
            .ledger
            .worlds(&Labels::new(), None, usize::MAX)
            .await
            .unwrap();
        for world in worlds {
            let taken = self.ledger.take(node, world.world).await.unwrap();
            assert_eq!(taken, Taken::Taken);
        }
    }
}
