use std::sync::Arc;

use folkmoot_agents::{NodeProfile, Runtime};
use folkmoot_core::port::Members as _;
use folkmoot_store::MemoryLedger;

use super::Membership;

async fn joined(ledger: &Arc<MemoryLedger>) -> (Membership, Runtime) {
    let membership = Membership::join(Arc::clone(ledger), NodeProfile::named("mill")).await;
    let membership = membership.unwrap();
    let runtime = membership.introduce(Runtime::builder(&membership.store()));
    (membership, runtime.build())
}

/// Does something to a membership, and leaves.
async fn leaves_behind(does: impl FnOnce(&mut Membership, &Runtime)) {
    let ledger = Arc::new(MemoryLedger::default());
    let (mut membership, runtime) = joined(&ledger).await;
    does(&mut membership, &runtime);
    // Whatever was begun has its turn.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let nodes = ledger.nodes().await.unwrap();
    let is_here = |node: &folkmoot_core::port::NodeState| node.card.node == membership.node().id();
    assert!(nodes.iter().all(is_here) && nodes.len() == 1);
    assert!(!nodes[0].card.draining);
    membership.leave(&runtime).await;
    assert_eq!(ledger.nodes().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn member_leaves_whatever_it_did_before() {
    leaves_behind(|_, _| {}).await;
    leaves_behind(|membership, _| membership.visit()).await;
    leaves_behind(|membership, runtime| membership.serve(runtime)).await;
}

#[tokio::test(start_paused = true)]
async fn member_that_is_asked_to_serve_or_visit_again_goes_on() {
    leaves_behind(|membership, runtime| {
        membership.serve(runtime);
        membership.serve(runtime);
        membership.visit();
    })
    .await;
    leaves_behind(|membership, runtime| {
        membership.visit();
        membership.serve(runtime);
    })
    .await;
}
