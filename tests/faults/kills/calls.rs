//! Kills at any I/O call, which reaches instants that no progress shows: while a store opens, recovers, is copied, closes.

use crate::io::act::Act;
use crate::io::case::{Case, Stage};
use crate::io::shim::{Fault, How, Shim};
use crate::program::program;
use crate::scale::{mixed, scale};
use crate::work::play_all;

/// How many times a process is killed at a call, unless `FOLKMOOT_KILLS_AT_CALLS` says otherwise.
const KILLS: u64 = 4;

/// A process, the call that it is killed at, and the calls that those are killed at who open the store again.
struct Kill {
    seed: u64,
    case: Case,
    recoveries: Vec<Fault>,
}

/// Every second process is killed while it recovers from the kill before.
#[test]
fn a_process_killed_at_any_call_loses_nothing_also_while_it_recovers() {
    let stage = Stage::set(&program(), Shim::build());
    let named = std::env::var("FOLKMOOT_KILL_SEED")
        .ok()
        .map(|seed| seed.parse::<u64>().unwrap());
    let cases = scale("FOLKMOOT_KILLS_AT_CALLS", KILLS).div_ceil(2);
    let seeds = named.map_or(0..cases, |seed| seed..seed + 1);
    let kills: Vec<Kill> = seeds.map(|seed| drawn(&stage, seed)).collect();
    let name = |kill: &Kill| format!("FOLKMOOT_KILL_SEED={} ({})", kill.seed, kill.case);
    let played = play_all(&kills, name, |kill| {
        let killed = stage.kill(&kill.case, &kill.recoveries)?;
        Ok(format!("{} with {killed} kills", kill.case.act.name()))
    });
    println!("{} chains of kills: {:?}", kills.len(), played.ends);
    played.check();
}

/// The kill of a seed: none, one or two processes that recover are killed as well, one on average.
fn drawn(stage: &Stage, seed: u64) -> Kill {
    let random = mixed(seed);
    let acts = [
        Act::Run,
        Act::Approve,
        Act::Resume,
        Act::Finish,
        Act::Backup,
        Act::Erase,
        Act::Delete,
    ];
    let act = acts[usize::try_from(random % acts.len() as u64).unwrap()];
    let is_sealed = (random >> 8).is_multiple_of(2);
    let fault = |act, random: u64| Fault {
        at: 1 + random % stage.calls(act, is_sealed).len() as u64,
        how: if (random >> 32).is_multiple_of(4) {
            How::Torn
        } else {
            How::Kill
        },
        lasts: false,
    };
    let recoveries = (0..(random >> 12) % 3)
        .map(|number| fault(Act::Log, mixed(random ^ number)))
        .collect();
    Kill {
        seed,
        case: Case {
            act,
            is_sealed,
            fault: fault(act, random >> 20),
        },
        recoveries,
    }
}
