//! The tamper matrix: every kind of damage, at random places of real logs.
//!
//! Five rounds of all kinds run always; `FOLKMOOT_TAMPER_CASES=1000 cargo test -p folkmoot-store --lib tamper -- --ignored`
//! runs so many cases.

use std::collections::BTreeMap;

use super::logs::{Logs, logs};
use super::random::Random;
use super::tamper::{Case, KINDS};

/// Tampers in every way with logs of their own; gives what was said wrongly.
fn round(seed: u64) -> Vec<String> {
    let mut random = Random(seed);
    let logs: Logs = logs(&mut random);
    let untouched = Case::new(&logs, random.clone()).untouched();
    let mut wrong: Vec<String> = untouched
        .err()
        .map(|what| format!("{seed} untouched: {what}"))
        .into_iter()
        .collect();
    for kind in KINDS {
        let ran = Case::new(&logs, Random(random.next())).run(kind);
        wrong.extend(
            ran.err()
                .map(|what| format!("{seed} {}: {what}", kind.name())),
        );
    }
    wrong
}

/// Each round is a test, so that they run beside one another.
macro_rules! rounds {
    ($($name:ident $seed:literal)*) => {
        $(#[test]
        fn $name() {
            assert_eq!(round($seed), Vec::<String>::new());
        })*
    };
}

rounds! {
    tampering_gets_its_verdict_and_its_place_1 1
    tampering_gets_its_verdict_and_its_place_2 2
    tampering_gets_its_verdict_and_its_place_3 3
    tampering_gets_its_verdict_and_its_place_4 4
    tampering_gets_its_verdict_and_its_place_5 5
}

#[test]
#[ignore = "takes minutes; `tests/long.sh` runs it"]
fn tampering_at_a_thousand_places_gets_its_verdict() {
    let cases = std::env::var("FOLKMOOT_TAMPER_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(1_000);
    let rounds = 1..=usize::div_ceil(cases, KINDS.len()) as u64;
    let (mut table, mut wrong) = (BTreeMap::new(), Vec::new());
    for seed in rounds.clone() {
        let found = round(seed);
        for kind in KINDS {
            let is_wrong = found
                .iter()
                .any(|what| what.starts_with(&format!("{seed} {}:", kind.name())));
            let (right, all) = table.entry(kind.name()).or_insert((0, 0));
            (*right, *all) = (*right + u32::from(!is_wrong), *all + 1);
        }
        wrong.extend(found);
    }
    for (kind, (right, all)) in &table {
        println!("{kind:32} {right:4} of {all:4}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
