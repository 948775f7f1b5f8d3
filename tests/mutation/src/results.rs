//! What became of the mutants, a line of JSON each, and the table of it.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What became of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// A test failed.
    Killed,
    /// The tests did not end.
    Timeout,
    /// All tests passed.
    Survived,
    /// No test came to its place.
    Unreached,
    /// It does not compile.
    Unviable,
}

/// A line of the results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Verdict {
    /// The mutant.
    pub id: String,
    /// Where it stands.
    pub line: usize,
    /// What it changes.
    pub shown: String,
    /// What became of it.
    pub fate: Fate,
    /// The last stage of tests that was asked.
    pub stage: usize,
    /// The tests that failed, or in the end none.
    pub by: Vec<String>,
    /// How many tests of that stage reach it.
    pub tests: usize,
}

/// The lines of a file; none, if there is no such file.
pub fn read<T: DeserializeOwned>(file: &Path) -> io::Result<Vec<T>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    // The last line may be cut where a run was stopped.
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Adds a line to a file.
pub fn append(file: &Path, line: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(line)? + "\n";
    OpenOptions::new().append(true).create(true).open(file)?.write_all(text.as_bytes())
}

/// The last verdict on each mutant.
pub fn verdicts(file: &Path) -> io::Result<BTreeMap<String, Verdict>> {
    Ok(read::<Verdict>(file)?.into_iter().map(|verdict| (verdict.id.clone(), verdict)).collect())
}

/// The table by parts, and the survivors below it.
pub fn table<'a>(verdicts: impl Iterator<Item = &'a Verdict> + Clone, part: impl Fn(&str) -> &'static str) -> String {
    let mut counts: BTreeMap<&str, BTreeMap<Fate, usize>> = BTreeMap::new();
    for verdict in verdicts.clone() {
        for name in [part(&verdict.id), "together"] {
            *counts.entry(name).or_default().entry(verdict.fate).or_default() += 1;
        }
    }
    let mut out =
        "| part | mutants | killed | timeout | survived | unreached | killed in % | not viable |\n".to_owned();
    out.push_str("|---|---|---|---|---|---|---|---|\n");
    for (name, fates) in counts {
        let count = |fate| fates.get(&fate).copied().unwrap_or_default();
        let [killed, timeout, survived, unreached] =
            [Fate::Killed, Fate::Timeout, Fate::Survived, Fate::Unreached].map(count);
        let all = killed + timeout + survived + unreached;
        let share = 100.0 * (killed + timeout) as f64 / all.max(1) as f64;
        let unviable = count(Fate::Unviable);
        out.push_str(&format!(
            "| {name} | {all} | {killed} | {timeout} | {survived} | {unreached} | {share:.1} | {unviable} |\n"
        ));
    }
    for verdict in verdicts.filter(|verdict| matches!(verdict.fate, Fate::Survived | Fate::Unreached)) {
        let Verdict { id, line, shown, fate, .. } = verdict;
        out.push_str(&format!("\n{fate:?} {id} line {line}: {shown}"));
    }
    out
}
