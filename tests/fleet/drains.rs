//! Nodes that end in good order, one after the other, while others take their places.

use crate::books::Moment;
use crate::crowd::{Answer, Crowd};
use crate::deaths::Move;
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::house::Consent;
use crate::scale;
use crate::wait::until;

/// The nodes of which each is drained.
const NODES: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_are_drained_one_after_the_other_leave_no_outcome_unknown() {
    let worlds = scale("FOLKMOOT_FLEET_WORLDS", 24);
    let Some(mut fleet) = Fleet::with("nodes that are drained", worlds, Consent::Free).await else {
        return;
    };
    fleet.start(NODES).await;
    let crowd = Crowd::begin(&fleet);
    fleet.wait_for_holders().await;
    fleet.wait_for_answers().await;
    let mut ended = Figures::default();
    let mut moves = Vec::new();
    for _ in 0..NODES {
        fleet.start(1).await;
        let mut node = fleet.nodes.remove(0);
        let held = fleet.held_by(&node.name).await;
        let told = Moment::now();
        node.drain();
        until("the node has ended", async || {
            node.has_ended().then_some(())
        })
        .await;
        ended.add(told.millis_to(Moment::now()));
        // Those that owe nothing sleep until somebody asks them something, as everybody does.
        let taken = fleet.wait_for_takers(&held, &node.name, told).await;
        moves.push(Move {
            killed: told,
            taken,
        });
    }
    let answers = crowd.end().await;
    println!(
        "{NODES} nodes drained one after the other with {worlds} worlds: a node ended in {ended}"
    );
    let first = moves[0].killed;
    let end = moves.iter().map(Move::end).max().unwrap_or(first);
    let is_meanwhile = |answer: &&Answer| answer.asked < end && answer.told > first;
    let waits = answers.iter().filter(is_meanwhile);
    let waits: Figures = waits
        .map(|answer| answer.asked.millis_to(answer.told))
        .collect();
    println!("  whoever asked any world meanwhile waited {waits}");
    let history = fleet.judge().await;
    assert_eq!(history.unknown(), 0);
}
