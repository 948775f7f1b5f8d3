//! Power cuts on the real store.
//!
//! A process works with a store while every change of a file, every sync and everything that it was told is recorded. For
//! instants of that record the disks are built that a power cut could have left then: each is opened, and must have all
//! that was acknowledged, and nothing that was not submitted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use folkmoot_tests::Dice;
use futures::executor::block_on;
use tempfile::TempDir;

use crate::scale::{mixed, scale};
use check::Check;
use disk::Disk;
use engine::Engine;
use image::Shape;
use ledger::Ledger;
use record::{End, Recorder};
use script::Script;
use trace::{Step, Trace};

mod check;
mod disk;
mod engine;
mod image;
mod ledger;
mod record;
mod script;
mod text;
mod trace;
mod workload;

/// How many images the suite builds, unless `FOLKMOOT_CUTS` says otherwise.
const CUTS: u64 = 150;

/// How many images are built of one recording, and of one instant of it.
const OF_RECORDING: u64 = 75;
const OF_INSTANT: u64 = 3;

/// How often a recorded process is killed at most, before it is left to its end.
const KILLS_MAX: u64 = 3;

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let images = scale("FOLKMOOT_CUTS", CUTS);
    let from = scale("FOLKMOOT_CUTS_SEED", 0);
    let seeds = from..from + images.div_ceil(OF_RECORDING);
    let tools = folder();
    let library = record::library(tools.path());
    let (next, built) = (AtomicU64::new(seeds.start), AtomicU64::new(0));
    let work = || {
        let mut wrong = Vec::new();
        while let Some(seed) =
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < seeds.end)
        {
            let (count, mut found) = cut(&library, Engine::of(seed), seed);
            built.fetch_add(count, Ordering::Relaxed);
            wrong.append(&mut found);
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    println!(
        "{} images of {} recordings",
        built.into_inner(),
        seeds.count()
    );
    assert!(
        wrong.is_empty(),
        "{} images are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[tokio::test]
#[ignore = "the recorded process of the test above"]
async fn plays() {
    workload::play().await;
}

/// A folder in memory, if there is one.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        TempDir::new_in(memory).unwrap()
    } else {
        TempDir::new().unwrap()
    }
}

/// Records what is done of a seed, and checks images of it. Gives how many, and what is wrong with them.
fn cut(library: &Path, engine: Engine, seed: u64) -> (u64, Vec<String>) {
    let place = folder();
    let trace = recording(library, engine, seed, place.path());
    let mut wrong = Vec::new();
    let instants = instants(&trace, seed);
    let mut run = Run::new(engine, seed, &trace);
    for (number, instant) in (0..).zip(&instants) {
        run.go_to(*instant);
        if let Err(what) = run.image(number, place.path()) {
            wrong.push(format!(
                "{}: {what}",
                kept(place.path(), seed, *instant, number)
            ));
        }
    }
    (instants.len() as u64, wrong)
}

/// Where a process is killed: behind the first record of a kind, as a letter, with this in its path; and a seed whose first
/// process comes there.
const LEFT_UNSYNCED: [(u64, &str); 4] = [
    (8, "Rkeys/"),
    (8, "Rstore/format"),
    (8, "Rstore/log"),
    (LEFT_SEED, "Rlog.new/complete"),
];

/// A seed whose first process copies its database.
const LEFT_SEED: u64 = 5;

#[test]
fn what_a_killed_process_left_unsynced_is_synced_before_anything_is_built_on_it() {
    let tools = folder();
    let library = record::library(tools.path());
    for (seed, last) in LEFT_UNSYNCED {
        let place = folder();
        let recorder = Recorder::new(&library, place.path());
        let end = play(&recorder, Engine::Sled, (seed, 0), (0, last));
        assert_eq!(end, End::Killed, "seed {seed} never comes to {last}");
        assert_eq!(play(&recorder, Engine::Sled, (seed, 1), (0, "")), End::Well);
        let trace = recorder.trace();
        let told =
            (0..trace.steps.len()).filter(|at| matches!(trace.steps[*at], Step::Note { .. }));
        let mut run = Run::new(Engine::Sled, seed, &trace);
        for instant in told.take(20) {
            run.go_to(instant + 1);
            // The first image of each seed is what was synced.
            run.image(0, place.path())
                .unwrap_or_else(|wrong| panic!("{last}, step {instant}: {wrong}"));
        }
    }
}

/// Runs a stage of a seed, until so many records are made, or one such.
fn play(
    recorder: &Recorder,
    engine: Engine,
    (seed, stage): (u64, u64),
    (stop, last): (u64, &str),
) -> End {
    let variables = [
        (workload::ROOT, recorder.root.display().to_string()),
        (workload::ENGINE, engine.name().to_owned()),
        (workload::SEED, seed.to_string()),
        (workload::STAGE, stage.to_string()),
        (record::LAST, last.to_owned()),
    ];
    recorder.run("cuts::plays", stop, &variables)
}

/// Records a process that is killed some times, and started again.
fn recording(library: &Path, engine: Engine, seed: u64, place: &Path) -> Trace {
    let recorder = Recorder::new(library, place);
    let mut dice = Dice::new(mixed(seed));
    let kills = dice.below(KILLS_MAX as usize + 1) as u64;
    for stage in 0..=kills {
        let records_max = if dice.happens(40) { 120 } else { 1_200 };
        let stop = if stage == kills {
            0
        } else {
            1 + dice.below(records_max)
        };
        let end = play(&recorder, engine, (seed, stage), (stop as u64, ""));
        assert!(
            end == End::Well || stop > 0,
            "seed {seed}: it was killed for no reason"
        );
    }
    let trace = recorder.trace();
    let mut run = Run::new(engine, seed, &trace);
    run.go_to(trace.steps.len());
    let whole = place.join("whole");
    Shape::EVERYTHING.build(&run.disk, &trace, &whole);
    recorder.check(&whole);
    fs::remove_dir_all(whole).unwrap();
    trace
}

/// The instants at which a recording is cut, in order: half of them anywhere, half of them near what happens seldom.
fn instants(trace: &Trace, seed: u64) -> Vec<usize> {
    let is_seldom = |step: &Step| {
        matches!(
            step,
            Step::Name(_) | Step::SetLen { .. } | Step::Note { .. }
        )
    };
    let seldom: Vec<usize> = (0..trace.steps.len())
        .filter(|at| is_seldom(&trace.steps[*at]))
        .collect();
    let mut dice = Dice::new(mixed(!seed));
    let mut instants: Vec<usize> = (0..OF_RECORDING / OF_INSTANT)
        .map(|_| {
            if dice.happens(50) {
                dice.below(trace.steps.len() + 1)
            } else {
                *dice.one(&seldom) + dice.below(4)
            }
        })
        .map(|at| at.min(trace.steps.len()))
        .collect();
    instants.sort_unstable();
    instants
        .into_iter()
        .flat_map(|at| std::iter::repeat_n(at, OF_INSTANT as usize))
        .collect()
}

/// A recording, played to some instant.
struct Run<'a> {
    engine: Engine,
    script: Script,
    trace: &'a Trace,
    disk: Disk,
    ledger: Ledger,
}

impl<'a> Run<'a> {
    fn new(engine: Engine, seed: u64, trace: &'a Trace) -> Self {
        Self {
            engine,
            script: Script { seed },
            trace,
            disk: Disk::default(),
            ledger: Ledger::default(),
        }
    }

    fn go_to(&mut self, instant: usize) {
        while self.disk.done < instant {
            if let Step::Note { line } = &self.trace.steps[self.disk.done] {
                self.ledger.take(self.script, self.trace.text(line));
            }
            self.disk.advance(self.trace);
        }
    }

    /// Builds the image with this number at this instant, and checks it.
    fn image(&self, number: u64, place: &Path) -> Result<(), String> {
        let shape = Shape::of(self.script.seed, number);
        let image = place.join("image");
        shape.build(&self.disk, self.trace, &image);
        let check = Check {
            engine: self.engine,
            script: self.script,
            ledger: &self.ledger,
            image: &image,
        };
        let checked = block_on(check.run(&mut Dice::new(shape.seed)));
        fs::remove_dir_all(&image).unwrap();
        checked.map_err(|wrong| format!("{shape:?}: {wrong}"))
    }
}

/// The variable that names one image: the file of its recording, its seed, its instant, its number.
const ONE: &str = "FOLKMOOT_CUT";

/// Keeps a recording, and says how to build an image of it again: threads never meet twice in the same way.
fn kept(place: &Path, seed: u64, instant: usize, number: u64) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuts");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("seed-{seed}.trace"));
    fs::copy(place.join("trace"), &file).unwrap();
    format!(
        "seed {seed}, step {instant}, image {number} ({ONE}={}:{seed}:{instant}:{number} cargo test -p folkmoot-tests \
         --test faults -- --ignored --exact cuts::one_image)",
        file.display()
    )
}

#[test]
#[ignore = "builds the one image that its variable names"]
fn one_image() {
    let Ok(one) = std::env::var(ONE) else { return };
    let parts: Vec<&str> = one.rsplitn(4, ':').collect();
    let number = |at: usize| parts[at].parse::<u64>().unwrap();
    let trace = Trace::parse(fs::read(parts[3]).unwrap());
    let mut run = Run::new(Engine::of(number(2)), number(2), &trace);
    run.go_to(usize::try_from(number(1)).unwrap());
    let place = folder();
    if let Err(wrong) = run.image(number(0), place.path()) {
        panic!("{wrong}");
    }
}
