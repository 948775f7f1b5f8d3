//! Fuzzing of everything that reads bytes from outside, on the ordinary compiler: what was found before, what is hostile
//! on purpose, and cases made from real inputs by a seeded generator, the same in each run.
//!
//! `FOLKMOOT_FUZZ_CASES` says how many cases are made for each target. A failure prints the case in the form of a corpus
//! line, and its number; `FOLKMOOT_FUZZ_CASE` runs that one alone. The same targets are fuzzed under the guidance of
//! coverage by `tests/long.sh fuzz`.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking, and how much it has tried"
)]

mod bounds;
mod corpus;
mod costs;
mod generator;
mod hostile;
mod targets;

use generator::Generator;
use targets::Target;

/// How many cases are made for each target, unless `FOLKMOOT_FUZZ_CASES` says otherwise.
const CASES: u64 = 300;

/// How deep hostile inputs nest where the number of cases is given, and where it is not.
const DEEP: usize = 100_000;
const SHALLOW: usize = 5_000;

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is {text:?}: not a number")),
    )
}

/// Holds a target against all that is known to be difficult, and against generated cases.
fn survive(target: &Target) {
    let generator = Generator::new(target.name, (target.seeds)());
    if let Some(case) = number("FOLKMOOT_FUZZ_CASE") {
        return attempt(target, &format!("case {case}"), &generator.case(case));
    }
    let corpus = corpus::of(target.name);
    corpus
        .iter()
        .zip(1..)
        .for_each(|(input, line): (_, u64)| attempt(target, &format!("corpus line {line}"), input));
    let cases = number("FOLKMOOT_FUZZ_CASES");
    for (name, input) in hostile::all(if cases.is_some() { DEEP } else { SHALLOW }) {
        attempt(target, name, &input);
        if input.len() < SHALLOW {
            attempt(target, name, &[b"\0", input.as_slice()].concat());
        }
    }
    let cases = cases.unwrap_or(CASES);
    (0..cases).for_each(|case| attempt(target, &format!("case {case}"), &generator.case(case)));
    println!(
        "{}: {} of the corpus and {cases} generated cases survived",
        target.name,
        corpus.len()
    );
}

/// One input. If the law does not hold, it is printed.
fn attempt(target: &Target, what: &str, input: &[u8]) {
    let _told = Told {
        target,
        what,
        input,
    };
    bounds::bounded(input, target.law);
}

struct Told<'a> {
    target: &'a Target,
    what: &'a str,
    input: &'a [u8],
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self {
                target,
                what,
                input,
            } = self;
            eprintln!(
                "{}: {what} breaks the law: {}",
                target.name,
                corpus::line(input)
            );
        }
    }
}
