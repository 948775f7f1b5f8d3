//! Nodes that are killed.

use std::collections::BTreeMap;

use folkmoot::core::ids::WorldId;

use crate::books::Moment;
use crate::crowd::{Answer, Crowd};
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::house::Consent;
use crate::scale;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worlds_of_a_node_that_is_killed_go_on_elsewhere_and_nothing_is_lost_or_doubled() {
    let worlds = scale("FOLKMOOT_FLEET_WORLDS", 24);
    let kills = scale("FOLKMOOT_FLEET_KILLS", 1);
    let Some(mut fleet) = Fleet::with("nodes that are killed", worlds, Consent::Free).await else {
        return;
    };
    fleet.start(4).await;
    let crowd = Crowd::begin(&fleet);
    fleet.wait_for_holders().await;
    let held = Moment::now();
    fleet.wait_for_answers().await;
    let mut moves = Vec::new();
    for _ in 0..kills {
        let victim = fleet.nodes.remove(0);
        let name = victim.name.clone();
        let of_victim = fleet.held_by(&name).await;
        let killed = Moment::now();
        victim.kill();
        fleet.start(1).await;
        let taken = fleet.wait_for_takers(&of_victim, &name, killed).await;
        moves.push(Move { killed, taken });
    }
    let answers = crowd.end().await;
    let first = moves.first().map_or(Moment::now(), |moved| moved.killed);
    let quiet = answers
        .iter()
        .filter(|answer| answer.asked > held && answer.told < first);
    let quiet: Figures = quiet
        .map(|answer| answer.asked.millis_to(answer.told))
        .collect();
    let handed: Figures = moves.iter().flat_map(Move::handed_over).collect();
    println!(
        "{kills} kills of 1 of 4 nodes with {worlds} worlds: a world was taken over in {handed}"
    );
    let others = waits_of_others(&moves, &answers);
    println!("  whoever asked another world meanwhile waited {others}; before, {quiet}");
    fleet.judge().await;
}

/// The worlds of a node that ended, and when each was another's.
pub(crate) struct Move {
    pub(crate) killed: Moment,
    pub(crate) taken: BTreeMap<WorldId, Moment>,
}

impl Move {
    pub(crate) fn handed_over(&self) -> impl Iterator<Item = u64> {
        self.taken
            .values()
            .map(|taken| self.killed.millis_to(*taken))
    }

    /// When the last of them was another's.
    pub(crate) fn end(&self) -> Moment {
        self.taken.values().max().copied().unwrap_or(self.killed)
    }

    /// Tells whether somebody waited while worlds were moved.
    fn overlaps(&self, answer: &Answer) -> bool {
        answer.asked < self.end() && answer.told > self.killed
    }
}

/// How long those waited who asked meanwhile a world that stayed where it was.
fn waits_of_others(moves: &[Move], answers: &[Answer]) -> Figures {
    let is_other = |answer: &&Answer| {
        let meanwhile = || moves.iter().filter(|moved| moved.overlaps(answer));
        let mut stayed = meanwhile().map(|moved| !moved.taken.contains_key(&answer.world));
        meanwhile().next().is_some() && stayed.all(|stayed| stayed)
    };
    let others = answers.iter().filter(is_other);
    others
        .map(|answer| answer.asked.millis_to(answer.told))
        .collect()
}
