//! Commits as they are stored, one behind another.

use folkmoot::store::testing::{rewrite_commits, write_commit};
use folkmoot_tests::golden_commit;

use crate::corpus;

/// What reads as commits is written as it was, to the byte; what does not is refused with a reason.
pub(crate) fn law(input: &[u8]) {
    match rewrite_commits(input) {
        Ok(again) => assert_eq!(again, input),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let logs = corpus::files("tests/golden/v4", ".jsonl");
    let stored = |line: &str| write_commit(&golden_commit(line)).unwrap();
    logs.iter()
        .flat_map(|log| {
            std::str::from_utf8(log)
                .unwrap()
                .lines()
                .map(stored)
                .collect::<Vec<_>>()
        })
        .collect()
}
