//! The example that `docs/evidence.md` goes through, number by number.

use super::*;

const PAGE: &str = include_str!("../../../../docs/evidence.md");
const EXAMPLE: &str = include_str!("../../../../docs/evidence-example.json");

/// Two commits of a log of seven: what was asked, and what was decided. The first six commits are signed.
fn example() -> Bundle {
    let mut bundle = chosen(&log(), &[2, 3], 6);
    withhold(&mut bundle.commits[1].events[0]);
    bundle
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_example_is_the_one_of_the_page() {
    let json = format!("{}\n", serde_json::to_string_pretty(&example()).unwrap());
    // To write it anew: print `json`.
    assert_eq!(json, EXAMPLE);
    let found = check(EXAMPLE.as_bytes(), &keys(), None).unwrap();
    assert_eq!(
        (found.verdict(), verdicts(&found)),
        (BundleVerdict::Intact, vec![BundleVerdict::Intact; 3])
    );
}

#[test]
fn the_numbers_of_the_page_are_those_of_the_example() {
    let commits = log();
    let mut prover = Prover::default();
    prover.want_inclusion(3, 7).unwrap();
    commits.iter().for_each(|commit| prover.push(leaf(commit)));
    let BundledContent::Withheld(withheld) =
        example().commits[1].events[0].content.clone().unwrap()
    else {
        panic!()
    };
    let mut numbers = vec![
        keys()[0].to_string(),
        hex(&withheld),
        hex(&leaf(&commits[3])),
        hex(&prover.tree().root()),
    ];
    let mut inner = leaf(&commits[3]);
    for (beside, is_left) in prover
        .inclusion(3, 7)
        .unwrap()
        .iter()
        .zip([true, true, false])
    {
        inner = if is_left {
            crate::node(beside, &inner)
        } else {
            crate::node(&inner, beside)
        };
        numbers.push(hex(&inner));
    }
    numbers.push(SHOWN_DIGEST.to_owned());
    numbers.push(ARGUMENTS_DIGEST.to_owned());
    for number in numbers {
        assert!(PAGE.contains(&number), "{number}");
    }
}
