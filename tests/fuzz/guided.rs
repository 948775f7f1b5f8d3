//! The targets of `tests/fuzz` under a fuzzer that sees which branches an input takes.
//!
//! `FOLKMOOT_FUZZ_TARGET` names the target. Its seeds are written into the folder `FOLKMOOT_FUZZ_SEEDS` before the fuzzer
//! reads that.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

mod bounds;
#[allow(dead_code, reason = "inputs are printed by the test alone")]
mod corpus;
mod hostile;
mod targets;

/// What is fuzzed.
static TARGET: LazyLock<&'static targets::Target> = LazyLock::new(|| targets::named(&variable("FOLKMOOT_FUZZ_TARGET")));

/// The longest hostile input that the fuzzer begins with. Longer ones take its time, and the test has them.
const HOSTILE_MAX: usize = 4 * 1_024;

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

fn write_seeds() {
    let folder = variable("FOLKMOOT_FUZZ_SEEDS");
    let hostile = hostile::all(HOSTILE_MAX).into_iter().map(|(_, input)| input).filter(|input| input.len() <= HOSTILE_MAX);
    let seeds = (TARGET.seeds)().into_iter().chain(corpus::of(TARGET.name)).chain(hostile);
    for (number, seed) in seeds.enumerate() {
        std::fs::write(Path::new(&folder).join(format!("seed-{number}")), seed).unwrap();
    }
}

fuzz_target!(init: write_seeds(), |input: &[u8]| bounds::bounded(input, TARGET.law));
