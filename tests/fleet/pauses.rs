//! Nodes that are stopped, and go on when their worlds are another's.

use std::collections::BTreeSet;

use folkmoot::core::ids::{NodeId, WorldId};

use crate::books::{Line, Moment, Run};
use crate::crowd::Crowd;
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::house::Consent;
use crate::node::{Process, Trap};
use crate::scale;
use crate::wait::until;

/// Where a node is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Anywhere.
    Anywhere,
    /// Between the append that says that a tool starts and the start.
    BehindStart,
    /// In the first moment of the tool: it was asked whether it may, and nobody asks it again.
    InTool,
}

/// The places, in turns.
const PLACES: [Place; 3] = [Place::Anywhere, Place::BehindStart, Place::InTool];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_stopped_past_its_lease_appends_nothing_and_joins_anew() {
    let worlds = scale("FOLKMOOT_FLEET_WORLDS", 24);
    let pauses = scale("FOLKMOOT_FLEET_PAUSES", PLACES.len());
    let Some(mut fleet) = Fleet::with("nodes that are stopped", worlds, Consent::Free).await else {
        return;
    };
    fleet.start(4).await;
    let crowd = Crowd::begin(&fleet);
    fleet.wait_for_holders().await;
    let mut handed = Figures::default();
    let mut late = 0;
    for place in PLACES.into_iter().cycle().take(pauses) {
        let stopped = Stopped::at(&mut fleet, place).await;
        let taken = fleet
            .wait_for_takers(&stopped.held, &stopped.node.name, stopped.when)
            .await;
        handed.extend(taken.values().map(|taken| stopped.when.millis_to(*taken)));
        let again = match place {
            Place::InTool => Some(wait_for_second(&fleet, &stopped).await),
            Place::Anywhere | Place::BehindStart => None,
        };
        stopped.node.go_on();
        if let Some(again) = again {
            wait_for_late(&fleet, &stopped.node.name, &again).await;
            late += 1;
        }
        stopped.wait_for_new_id(&fleet).await;
        fleet.nodes.push(stopped.node);
    }
    crowd.end().await;
    println!(
        "{pauses} pauses of 1 of 4 nodes with {worlds} worlds: a world was taken over in {handed}"
    );
    println!(
        "  {late} runs were begun on purpose in the gap that no lease closes; the resource refused them"
    );
    fleet.judge().await;
}

/// A node that stands still.
struct Stopped {
    node: Process,
    ids: BTreeSet<NodeId>,
    held: BTreeSet<WorldId>,
    when: Moment,
}

impl Stopped {
    /// Has a node stop there.
    async fn at(fleet: &mut Fleet, place: Place) -> Self {
        let node = match place {
            Place::Anywhere => {
                let node = fleet.nodes.remove(0);
                node.stop();
                node
            }
            Place::BehindStart => trapped(fleet, Trap::BehindStart).await,
            Place::InTool => trapped(fleet, Trap::InTool).await,
        };
        let when = Moment::now();
        Self {
            ids: fleet.ids_of(&node.name).await.unwrap(),
            held: fleet.held_by(&node.name).await,
            when,
            node,
        }
    }

    async fn wait_for_new_id(&self, fleet: &Fleet) {
        until("it is a member under another id", async || {
            let ids = fleet.ids_of(&self.node.name).await?;
            ids.difference(&self.ids).next().map(drop)
        })
        .await;
    }
}

/// Sets a trap, and waits until a node is in it.
async fn trapped(fleet: &mut Fleet, trap: Trap) -> Process {
    trap.set(fleet.folder());
    let place = until("a node is in the trap", async || {
        fleet.nodes.iter().position(Process::is_stopped)
    })
    .await;
    fleet.nodes.remove(place)
}

/// Waits until somebody has said that the run of the stopped node is to be done again, and another node does it.
async fn wait_for_second(fleet: &Fleet, stopped: &Stopped) -> Run {
    let begun = |line: &Line| match line {
        Line::Began(run) if run.attempt.0 > 1 && stopped.held.contains(&run.world) => {
            (run.when > stopped.when).then(|| run.clone())
        }
        _ => None,
    };
    until("another node runs it again", async || {
        let mut books = fleet.books.lock().unwrap();
        books.refresh();
        books.entries.iter().find_map(|entry| begun(&entry.line))
    })
    .await
}

/// Waits until the stopped node, which goes on, begins the run too; its resource refuses it.
async fn wait_for_late(fleet: &Fleet, name: &str, again: &Run) {
    fleet
        .wait_for_lines("the late run is refused", |entry| match &entry.line {
            Line::Refused(run) if *entry.process == *name && run.key == again.key => Some(()),
            _ => None,
        })
        .await;
}
