//! Switches mutants on, one by one, and runs the tests that reach each.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use crate::compile::Binary;
use crate::place::Place;
use crate::results::{self, Fate, Verdict};
use crate::suite::{AT_ONCE, Ran, Reach, Run};

/// How many tests run in the first process, the second, and so on: most mutants die early.
const STEPS: [usize; 3] = [12, 60, usize::MAX];

/// What is judged, and by which tests.
#[derive(Debug)]
pub struct Court<'a> {
    /// Which stage this is, from 1.
    pub stage: usize,
    /// The binaries, the nearest first.
    pub binaries: &'a [Binary],
    /// What each test reaches.
    pub reach: &'a [Reach],
    /// Tests that take longer than this are left out.
    pub test_ms_max: u64,
    /// Where verdicts are written.
    pub results: &'a Path,
}

impl Court<'_> {
    /// Judges the mutants, some at a time.
    pub fn judge(&self, mutants: &[(u32, &Place)]) -> io::Result<()> {
        let open = Mutex::new(mutants.iter().rev().collect::<Vec<_>>());
        thread::scope(|scope| {
            let work = || -> io::Result<()> {
                while let Some((number, place)) = { open.lock().unwrap().pop() } {
                    let verdict = self.verdict(*number, place)?;
                    results::append(self.results, &verdict)?;
                    let left = open.lock().unwrap().len();
                    eprintln!("mutation: {left} left, {:?} {} by {:?}", verdict.fate, verdict.id, verdict.by.first());
                }
                Ok(())
            };
            let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().unwrap())
        })
    }

    fn verdict(&self, number: u32, place: &Place) -> io::Result<Verdict> {
        let mut by_binary: BTreeMap<&str, Vec<&Reach>> = BTreeMap::new();
        let near = self.reach.iter().filter(|reach| reach.reached.contains(&number) && reach.ms <= self.test_ms_max);
        for reach in near {
            by_binary.entry(&reach.binary).or_default().push(reach);
        }
        let tests = by_binary.values().map(Vec::len).sum();
        let mut fate = if tests == 0 { Fate::Unreached } else { Fate::Survived };
        let mut by = Vec::new();
        for binary in self.binaries {
            let Some(mut reaching) = by_binary.remove(binary.name.as_str()) else { continue };
            reaching.sort_by_key(|reach| (reach.ms, &reach.test));
            match in_steps(number, binary, &reaching)? {
                Ran::Passed => continue,
                Ran::TooLong => fate = Fate::Timeout,
                Ran::Failed(names) => {
                    fate = Fate::Killed;
                    by = names.into_iter().map(|name| format!("{} {name}", binary.name)).collect();
                }
            }
            break;
        }
        Ok(Verdict {
            id: place.id.clone(),
            line: place.line,
            shown: place.shown.clone(),
            fate,
            stage: self.stage,
            by,
            tests,
        })
    }
}

fn in_steps(number: u32, binary: &Binary, reaching: &[&Reach]) -> io::Result<Ran> {
    let mut left = reaching;
    for step in STEPS {
        let (now, later) = left.split_at(step.min(left.len()));
        if now.is_empty() {
            break;
        }
        left = later;
        let usual: u64 = now.iter().map(|reach| reach.ms).sum();
        let tests: Vec<&str> = now.iter().map(|reach| reach.test.as_str()).collect();
        let limit = Duration::from_millis(60_000 + 10 * usual);
        let with = [("FOLKMOOT_MUTANT", number.to_string())];
        match (Run { binary, tests: &tests, limit, with: &with }).go()? {
            Ran::Passed => {}
            other => return Ok(other),
        }
    }
    Ok(Ran::Passed)
}
