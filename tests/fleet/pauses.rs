//! Nodes that are stopped, and go on when their worlds are another's.

use std::collections::BTreeSet;

use folkmoot::core::ids::{NodeId, WorldId};

use crate::books::{Line, Moment, Run};
use crate::checker::late_runs;
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
    fleet.wait_for_answers().await;
    let mut handed = Figures::default();
    let mut traps = Vec::new();
    for place in PLACES.into_iter().cycle().take(pauses) {
        let stopped = Stopped::at(&mut fleet, place).await;
        let name = &stopped.node.name;
        let taken = fleet
            .wait_for_takers(&stopped.held, name, stopped.when)
            .await;
        handed.extend(taken.values().map(|taken| stopped.when.millis_to(*taken)));
        match (place, &stopped.run) {
            (Place::InTool, Some(run)) => {
                wait_for_second(&fleet, run).await;
                stopped.node.go_on(fleet.folder());
                wait_for_late(&fleet, name, run).await;
            }
            _ => stopped.node.go_on(fleet.folder()),
        }
        stopped.wait_for_new_id(&fleet).await;
        traps.extend(stopped.run.map(|run| (place, run)));
        fleet.nodes.push(stopped.node);
    }
    crowd.end().await;
    println!(
        "{pauses} pauses of 1 of 4 nodes with {worlds} worlds: a world was taken over in {handed}"
    );
    let history = fleet.judge().await;
    let late = late_runs(&history.entries);
    let is_late = |run: &Run| late.iter().any(|late| late.key == run.key);
    let count = |place| traps.iter().filter(|trap| trap.0 == place).count();
    println!(
        "  {} stops behind a start: none ran; {} in a tool, when nobody asks any more: all ran late, and a fence refused them",
        count(Place::BehindStart),
        count(Place::InTool)
    );
    for (place, run) in &traps {
        assert_eq!(is_late(run), *place == Place::InTool, "{place:?} {run:?}");
    }
}

/// A node that stands still.
struct Stopped {
    node: Process,
    ids: BTreeSet<NodeId>,
    held: BTreeSet<WorldId>,
    when: Moment,
    /// The run that it was about to begin, if it stopped itself there.
    run: Option<Run>,
}

impl Stopped {
    /// Has a node stop there.
    async fn at(fleet: &mut Fleet, place: Place) -> Self {
        let (node, run) = match place {
            Place::Anywhere => {
                let node = fleet.nodes.remove(0);
                node.stop();
                (node, None)
            }
            Place::BehindStart => trapped(fleet, Trap::BehindStart).await,
            Place::InTool => trapped(fleet, Trap::InTool).await,
        };
        let when = Moment::now();
        Self {
            ids: fleet.ids_of(&node.name).await.unwrap(),
            held: fleet.held_by(&node.name).await,
            when,
            run,
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
async fn trapped(fleet: &mut Fleet, trap: Trap) -> (Process, Option<Run>) {
    let since = Moment::now();
    trap.set(fleet.folder());
    let (name, run) = fleet
        .wait_for_lines("a node is in the trap", |entry| match &entry.line {
            Line::Stops(run) if run.when > since => Some((entry.process.to_string(), run.clone())),
            _ => None,
        })
        .await;
    let place = until("the node stands still", async || {
        let is_it = |node: &Process| node.name == name && node.is_stopped();
        fleet.nodes.iter().position(is_it)
    })
    .await;
    (fleet.nodes.remove(place), Some(run))
}

/// Waits until another node runs a tool in the world of a run whose node stands still: somebody has said that it is to be
/// done again.
async fn wait_for_second(fleet: &Fleet, run: &Run) {
    let is_later = |line: &Line| matches!(line, Line::Began(later) if later.world == run.world && later.incarnation > run.incarnation);
    until("another node runs it again", async || {
        let mut books = fleet.books.lock().unwrap();
        books.refresh();
        let later = books.entries.iter().any(|entry| is_later(&entry.line));
        later.then_some(())
    })
    .await;
}

/// Waits until a node that goes on begins its run; the resource refuses it.
async fn wait_for_late(fleet: &Fleet, name: &str, run: &Run) {
    fleet
        .wait_for_lines("the late run is refused", |entry| match &entry.line {
            Line::Refused(late) if *entry.process == *name && late.key == run.key => Some(()),
            _ => None,
        })
        .await;
}
