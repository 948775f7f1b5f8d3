//! Every I/O call of the `folkmoot` command fails once, in every way that it can.
//!
//! A library that is loaded before the system's counts the calls on files of the store, of a backup and of exports, and
//! lets one fail, or that one and all behind it. What tools do to their own files, and files that get their name by
//! `renameat2`, go through raw system calls, which it does not see.
//!
//! `FOLKMOOT_IO_FAULTS` says how many cases are drawn, which of them (`2000..4000`), `all`, or all of one way to fail
//! (`io/once`); `FOLKMOOT_IO_CASE` names the one to run.

use std::collections::BTreeMap;

use crate::program::program;
use crate::scale::mixed;
use crate::work::play_all;

pub(crate) mod act;
pub(crate) mod case;
pub(crate) mod desk;
pub(crate) mod shim;

use act::Act;
use case::{Case, Stage};
use shim::{How, Shim};

/// How many cases are drawn, unless `FOLKMOOT_IO_FAULTS` says otherwise.
const CASES: usize = 4;

/// Cases that once found something, and that every run plays first.
const KEPT: [&str; 11] = [
    // The database panicked when it was closed on a disk that syncs nothing any more: here by a command that only reads,
    "log/open/93/io/lasting",
    // by a copy that is made of a database,
    "delete/open/223/full/lasting",
    // and by a backup.
    "backup/open/413/full/lasting",
    // One read that failed while the store was opened lost what was behind it for good: while a person's command opened it,
    "log/open/54/io/once",
    // and while a copy that had taken the database's place was opened.
    "delete/open/381/io/once",
    // A key that did not read was taken for one that was destroyed.
    "erase/sealed/141/full/lasting",
    // The log was taken for missing where the disk did not say whether it is there.
    "resume/open/16/full/once",
    // A run that ends where people are asked did not say that the store could not be closed.
    "run/open/137/short/once",
    // A disk that failed was called a damaged store.
    "approve/sealed/77/io/lasting",
    // A file that the disk refused to read was called damage.
    "verify/open/108/io/once",
    // An anchor that did not fit on the disk left its empty file in the way of the next one.
    "anchor/open/115/full/lasting",
];

#[test]
fn an_io_call_that_fails_loses_nothing_doubles_nothing_and_says_so() {
    let stage = Stage::set(&program(), Shim::build());
    Act::ALL
        .iter()
        .for_each(|act| println!("{}", kinds(&stage, *act)));
    let cases = chosen(&stage);
    let played = play_all(
        &cases,
        |case| format!("FOLKMOOT_IO_CASE={case}"),
        |case| stage.play(case),
    );
    println!(
        "{} cases, of {}: {:?}",
        cases.len(),
        all(&stage).len(),
        played.ends
    );
    played.check();
}

/// How many calls an act makes, and of which kinds.
fn kinds(stage: &Stage, act: Act) -> String {
    let mut kinds = BTreeMap::<&str, usize>::new();
    let calls = stage.calls(act, false);
    calls
        .iter()
        .for_each(|(call, _)| *kinds.entry(call).or_default() += 1);
    format!("{:8} {:4} calls: {kinds:?}", act.name(), calls.len())
}

/// The cases to run: one that is named, all, or some that are drawn.
fn chosen(stage: &Stage) -> Vec<Case> {
    if let Ok(name) = std::env::var("FOLKMOOT_IO_CASE") {
        return vec![name.parse().unwrap()];
    }
    let mut all = all(stage);
    let (from, to) = match std::env::var("FOLKMOOT_IO_FAULTS").as_deref() {
        Ok("all") => (0, all.len()),
        Ok(way) if way.contains('/') => {
            all.retain(|case| case.to_string().ends_with(way));
            (0, all.len())
        }
        Ok(range) => {
            let (from, to) = range.split_once("..").unwrap_or(("0", range));
            (from.parse().unwrap(), to.parse().unwrap())
        }
        Err(_) => (0, CASES),
    };
    let mut drawn: Vec<(u64, Case)> = (0..).map(mixed).zip(all).collect();
    drawn.sort_unstable_by_key(|(order, _)| *order);
    let kept = KEPT.into_iter().map(|name| name.parse().unwrap());
    kept.chain(drawn.into_iter().take(to).skip(from).map(|(_, case)| case))
        .collect()
}

/// Each act, each call, each way to fail: once, and from then on.
fn all(stage: &Stage) -> Vec<Case> {
    let mut cases = Vec::new();
    for act in Act::ALL {
        for is_sealed in [false, true] {
            // Threads take turns: now and then a run has a few calls more.
            for at in 1..=stage.calls(act, is_sealed).len() as u64 + 2 {
                let ways = How::FAILING
                    .into_iter()
                    .flat_map(|how| [(how, false), (how, true)]);
                let ways = ways.filter(|(how, lasts)| !lasts || matches!(how, How::Io | How::Full));
                cases.extend(ways.map(|(how, lasts)| Case {
                    act,
                    is_sealed,
                    fault: shim::Fault { at, how, lasts },
                }));
            }
        }
    }
    cases
}
