//! Numbers of things are written by `counted`, so that nobody reads `1 worlds`.

use std::fs;
use std::path::{Path, PathBuf};

/// Things that are counted somewhere, in the plural.
const THINGS: [&str; 23] = [
    "agents",
    "attachments",
    "attempts",
    "calls",
    "checks",
    "commits",
    "events",
    "exchanges",
    "files",
    "items",
    "lines",
    "messages",
    "model calls",
    "news",
    "people",
    "requests",
    "rooms",
    "rules",
    "scripts",
    "steps",
    "turns",
    "values",
    "worlds",
];

/// A command to type, the most of a range, a number that is not one, and calls that nobody counts.
const NO_COUNTS: [&str; 4] = [
    "folkmoot --store {path} worlds",
    "{RANGE_MAX} events",
    "{all} worlds are",
    "grants {agent} calls of",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// True if a line prints a number and then one of these things in the plural, whatever the number is.
fn counts_by_hand(line: &str) -> bool {
    line.split('}').skip(1).any(|behind| {
        THINGS.iter().any(|thing| {
            behind
                .strip_prefix(' ')
                .and_then(|rest| rest.strip_prefix(thing))
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    })
}

#[test]
fn numbers_of_things_are_counted_by_one_function() {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 100, "{}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let is_text = line.contains('"') && !line.trim_start().starts_with("//");
            let is_no_count = NO_COUNTS.iter().any(|form| line.contains(form));
            if is_text && !is_no_count && counts_by_hand(line) {
                wrong.push(format!("{}:{}: {line}", file.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(counts_by_hand("format!(\"{} worlds\")") && !counts_by_hand("format!(\"{worlds}\")"));
}
