//! Mutation testing: are there tests that notice when the code is wrong?
//!
//! All sampled mutants stand in one build, each behind a switch that an environment variable turns on, so that nothing is
//! compiled again for a mutant. A first run notes which tests reach which mutants; only those are run for a mutant.

mod compile;
mod copy;
mod find;
mod instrument;
mod judge;
mod place;
mod results;
mod sample;
mod suite;
mod value;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use compile::{Binary, Workshop};
use judge::Court;
use place::Place;
use results::{Fate, Verdict};

/// The crates whose code is changed, by their folders.
const CRATES: [&str; 2] = ["core", "store"];

/// The tests, the nearest to the mutants first: what builds them, and the binaries. A stage asks about what the stages
/// before it left alive.
const STAGES: [(&[&str], &[&str]); 2] = [
    (
        &["--package=folkmoot-core", "--package=folkmoot-store", "--lib", "--test=store"],
        &["core/folkmoot_core", "store/folkmoot_store", "store/store"],
    ),
    (&["--package=folkmoot-tests", "--test=it"], &["tests/it"]),
];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let job = Job::new(&root)?;
    match env::args().nth(1).as_deref() {
        None => job.run(),
        Some("table") => job.show(),
        Some("list") => {
            for Place { id, line, shown, .. } in all(&root)? {
                println!("{id} line {line}: {shown}");
            }
            Ok(())
        }
        Some(other) => Err(format!("{other} is none of: table, list; without a word mutants are judged").into()),
    }
}

/// One run over a sample.
struct Job {
    root: PathBuf,
    folder: PathBuf,
    count: usize,
    seed: u64,
    test_ms_max: u64,
    again: bool,
}

impl Job {
    fn new(root: &Path) -> Outcome<Self> {
        let number = |name: &str, default: u64| env::var(name).map_or(Ok(default), |text| text.parse::<u64>());
        let folder = env::var("FOLKMOOT_MUTATION_FOLDER").map_or_else(|_| root.join("target/mutation"), PathBuf::from);
        fs::create_dir_all(&folder)?;
        Ok(Self {
            root: root.to_owned(),
            folder,
            count: match env::var("FOLKMOOT_MUTANTS").as_deref() {
                Ok("all") => usize::MAX,
                Ok(text) => text.parse()?,
                Err(_) => 400,
            },
            seed: number("FOLKMOOT_MUTATION_SEED", 7)?,
            test_ms_max: number("FOLKMOOT_MUTATION_TEST_MS", 5_000)?,
            again: env::var("FOLKMOOT_MUTATION_AGAIN").is_ok(),
        })
    }

    fn results(&self) -> PathBuf {
        self.folder.join("results.jsonl")
    }

    fn run(&self) -> Outcome<()> {
        let workshop = Workshop { copy: self.folder.join("copy"), target: self.folder.join("build") };
        let mutants = self.viable(&workshop)?;
        for (stage, (args, names)) in (1..).zip(STAGES) {
            let open = self.open(&mutants, stage)?;
            if open.is_empty() {
                continue;
            }
            let built = workshop.tests(args)?;
            let named = |name: &&str| built.iter().find(|binary| binary.name == **name).cloned();
            let binaries: Vec<Binary> = names.iter().filter_map(named).collect();
            if binaries.len() < names.len() {
                return Err(format!("of {names:?} only {binaries:?} were built").into());
            }
            let reach = suite::reach(&binaries, &self.folder, &self.folder.join("reach.jsonl"))?;
            let results = self.results();
            let (binaries, reach) = (&binaries, &reach);
            Court { stage, binaries, reach, test_ms_max: self.test_ms_max, results: &results }.judge(&open)?;
        }
        self.show()
    }

    /// What a stage has to ask about: what nobody judged yet, and what survived the stages before it.
    fn open<'a>(&self, mutants: &'a [Place], stage: usize) -> Outcome<Vec<(u32, &'a Place)>> {
        let known = results::verdicts(&self.results())?;
        let is_open = |place: &Place| match known.get(&place.id) {
            None => true,
            Some(verdict) => match verdict.fate {
                Fate::Survived | Fate::Unreached => verdict.stage < stage || (self.again && stage == 1),
                Fate::Killed | Fate::Timeout | Fate::Unviable => false,
            },
        };
        Ok((0..).zip(mutants).filter(|(_, place)| is_open(place)).collect())
    }

    /// The sample: as many as are wanted of those that compile, in the order in which they were drawn. The copy holds just
    /// these in the end.
    fn viable(&self, workshop: &Workshop) -> Outcome<Vec<Place>> {
        let drawn = sample::drawn(all(&self.root)?, self.seed);
        loop {
            let known = results::verdicts(&self.results())?;
            let is_viable = |place: &&Place| known.get(&place.id).is_none_or(|known| known.fate != Fate::Unviable);
            let mutants: Vec<Place> = drawn.iter().filter(is_viable).take(self.count).cloned().collect();
            let files = copy::write(&self.root, &workshop.copy, &CRATES, &mutants)?;
            let unviable = workshop.unviable(&CRATES, &files)?;
            eprintln!("mutation: {} of {} mutants do not compile", unviable.len(), mutants.len());
            if unviable.is_empty() {
                return Ok(mutants);
            }
            for number in unviable {
                let Some(Place { id, line, shown, .. }) = mutants.get(number as usize).cloned() else { continue };
                let verdict = Verdict { id, line, shown, fate: Fate::Unviable, stage: 0, by: Vec::new(), tests: 0 };
                results::append(&self.results(), &verdict)?;
            }
        }
    }

    fn show(&self) -> Outcome<()> {
        let known = results::verdicts(&self.results())?;
        println!("{}", results::table(known.values(), part));
        Ok(())
    }
}

/// The part of the product that a mutant stands in.
fn part(id: &str) -> &'static str {
    if id.starts_with("core/src/text/firewall") {
        "firewall"
    } else if id.starts_with("store/") {
        "store"
    } else {
        "core"
    }
}

/// All places of the crates.
fn all(root: &Path) -> Outcome<Vec<Place>> {
    let files = copy::files(root)?;
    let sources: Vec<&String> = files.iter().filter(|name| is_source(name)).collect();
    let mut limits = BTreeSet::new();
    let mut for_tests = BTreeSet::new();
    for name in &sources {
        let source = fs::read_to_string(root.join(name))?;
        limits.extend(find::limits(&source)?);
        let folder = name.trim_end_matches(".rs");
        for_tests.extend(find::test_modules(&source)?.into_iter().map(|module| format!("{folder}/{module}.rs")));
    }
    let mut places = Vec::new();
    for name in sources.into_iter().filter(|name| !for_tests.contains(*name)) {
        places.extend(find::places(name, &fs::read_to_string(root.join(name))?, &limits)?);
    }
    Ok(places)
}

/// Whether a file is code of the product: no test, and nothing that only tests use.
fn is_source(name: &str) -> bool {
    let is_ours = CRATES.iter().any(|folder| name.starts_with(&format!("{folder}/src/")));
    let is_test = name.split('/').any(|part| ["tests", "tests.rs", "testing", "testing.rs"].contains(&part));
    is_ours && name.ends_with(".rs") && !is_test
}
