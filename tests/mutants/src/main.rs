//! Breaks each guarantee on purpose and expects the one test that guards it to fail.
//!
//! `tests/mutants/run` says how to use it. Read first: `mutant` (the form of a mutant), `code` (how its place is found).

#![expect(
    clippy::print_stdout,
    reason = "a table on the standard output is what it is for"
)]

use std::process::ExitCode;

use code::Code;
use mutant::Mutant;
use tree::{Tree, Verdict};

mod code;
mod mutant;
mod tree;

/// The folder of the mutants, from the root of the repository.
const LIST: &str = "tests/mutants/list";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("mutants: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether all is as it should be.
fn run(words: Vec<String>) -> Result<bool, String> {
    let (options, wanted): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| word.starts_with("--"));
    let only_checks = match options.as_slice() {
        [] => false,
        [check] if check == "--check" => true,
        [first, ..] => return Err(format!("there is no option {first}: --check")),
    };
    let mutants = wanted_of(mutant::read_all(LIST)?, &wanted);
    if mutants.is_empty() {
        return Err("no mutant is called so".to_owned());
    }
    let code = Code::read()?;
    let faults: Vec<String> = mutants
        .iter()
        .flat_map(|mutant| faults(mutant, &code))
        .collect();
    faults.iter().for_each(|fault| println!("mutants: {fault}"));
    if !faults.is_empty() {
        return Ok(false);
    }
    println!(
        "mutants: {} find their places, and their tests are there",
        mutants.len()
    );
    if only_checks {
        Ok(true)
    } else {
        break_each(&mutants)
    }
}

/// Those whose names begin with one of the words or hold it; all, if there is no word.
fn wanted_of(mutants: Vec<Mutant>, words: &[String]) -> Vec<Mutant> {
    let is_wanted = |mutant: &Mutant| {
        words.is_empty() || words.iter().any(|word| mutant.name.contains(word.as_str()))
    };
    mutants.into_iter().filter(is_wanted).collect()
}

fn faults(mutant: &Mutant, code: &Code) -> Vec<String> {
    let places = mutant
        .edits
        .iter()
        .filter_map(|edit| code.find(&edit.find).err());
    let test = (!code.has_test(&mutant.test)).then(|| format!("there is no test {}", mutant.test));
    places
        .chain(test)
        .map(|fault| format!("{}: {fault}", mutant.name))
        .collect()
}

/// Prints a line for each; whether all were killed.
fn break_each(mutants: &[Mutant]) -> Result<bool, String> {
    let tree = Tree::copy()?;
    if !tree.passes(mutants)? {
        return Ok(false);
    }
    println!(
        "{:<46} | {:<14} | {:>4} | test that must fail",
        "mutant", "verdict", "s"
    );
    let mut killed = 0_usize;
    for mutant in mutants {
        let begun = std::time::Instant::now();
        let verdict = tree.try_out(mutant)?;
        killed = killed.saturating_add(usize::from(verdict == Verdict::Killed));
        let seconds = begun.elapsed().as_secs();
        println!(
            "{:<46} | {:<14} | {seconds:>4} | {}",
            mutant.name,
            verdict.to_string(),
            mutant.test
        );
    }
    println!("mutants: {killed} of {} killed", mutants.len());
    Ok(killed == mutants.len())
}
