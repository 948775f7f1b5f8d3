//! Worlds that go from one node to another.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{NodeId, Position};
use folkmoot_core::port::{Custody as _, EventLog as _, Members as _, NodeCard, Taken};
use folkmoot_store::{Ledger, MemoryLedger, SharedStore};
use futures::StreamExt as _;

use crate::fixture::*;

const TTL: Duration = Duration::from_secs(5);

fn node(number: u8) -> NodeId {
    NodeId::from_stamp(&header(world(number), 1).stamp)
}

async fn join(ledger: &MemoryLedger, number: u8) {
    let card = NodeCard {
        node: node(number),
        name: "a node".to_owned(),
        offers: std::iter::empty().collect(),
        schema: u32::MAX,
        room: 9,
        draining: false,
        advertise: None,
    };
    ledger.join(&card, TTL).await.unwrap();
}

/// The store of one node among those of a ledger.
fn store(ledger: &Arc<MemoryLedger>, number: u8) -> SharedStore {
    SharedStore::new(Arc::clone(ledger) as Arc<dyn Ledger>, node(number))
}

#[tokio::test(start_paused = true)]
async fn whoever_had_a_world_hears_what_its_next_holder_appends() {
    let ledger = Arc::<MemoryLedger>::default();
    join(&ledger, 1).await;
    join(&ledger, 2).await;
    let (one, two) = (store(&ledger, 1), store(&ledger, 2));
    fill(&one, 1, 5).await;
    let mut heard = one.subscribe(world(1), Position::new(5)).await.unwrap();
    assert_eq!(heard.next().await.unwrap().unwrap().commit, post(1, 5));
    ledger.release(node(1), world(1), None).await.unwrap();
    assert_eq!(ledger.take(node(2), world(1)).await.unwrap(), Taken::Taken);
    append(&two, post(1, 6)).await;
    assert_eq!(heard.next().await.unwrap().unwrap().commit, post(1, 6));
    let heads = (
        one.tree_head(world(1)).await.unwrap(),
        two.tree_head(world(1)).await.unwrap(),
    );
    assert_eq!(heads.0, heads.1);
}
