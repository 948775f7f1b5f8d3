//! A database that dies under load, and comes back.

use std::collections::BTreeMap;
use std::sync::Arc;

use folkmoot::core::ids::WorldId;

use crate::books::{Entry, Line, Moment};
use crate::crowd::Crowd;
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::house::Consent;
use crate::scale;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_killed_under_load_loses_nothing_and_moves_hardly_any_world() {
    let worlds = scale("FOLKMOOT_FLEET_WORLDS", 24);
    let kills = scale("FOLKMOOT_FLEET_OUTAGES", 1);
    let test = "a database that is killed";
    let Some(mut fleet) = Fleet::with(test, worlds, Consent::Free).await else {
        return;
    };
    fleet.start(4).await;
    let crowd = Crowd::begin(&fleet);
    fleet.wait_for_holders().await;
    let settled = Moment::now();
    let mut away = Figures::default();
    for _ in 0..kills {
        fleet.wait_for_answers().await;
        let killed = Moment::now();
        fleet.server.kill();
        tokio::task::block_in_place(|| fleet.server.run());
        away.add(killed.millis_to(Moment::now()));
        fleet.wait_for_answers().await;
    }
    crowd.end().await;
    println!("{kills} deaths of the database under {worlds} worlds: it was away for {away}");
    let history = fleet.judge().await;
    let moved = moved(&history.entries, settled);
    println!("  {moved} of {} worlds moved", worlds * kills);
}

/// How often a world was opened since by another process than the one before.
fn moved(entries: &[Entry], since: Moment) -> usize {
    let mut openings: BTreeMap<WorldId, BTreeMap<u32, (Moment, &Arc<str>)>> = BTreeMap::new();
    for entry in entries {
        if let Line::Acknowledged(line) = &entry.line {
            let of_world = openings.entry(line.world).or_default();
            let opening = of_world.entry(line.incarnation.0);
            opening.or_insert((line.when, &entry.process));
        }
    }
    let moves = openings.values().map(|openings| {
        let next = openings.values().skip(1);
        let pairs = openings.values().zip(next);
        pairs
            .filter(|((_, before), (when, now))| before != now && *when > since)
            .count()
    });
    moves.sum()
}
