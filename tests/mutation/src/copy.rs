//! A copy of the workspace in which the sampled mutants stand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::instrument::{Instrumented, instrument};
use crate::place::Place;

/// The runtime that each crate gets at the end of its `lib.rs`.
const RUNTIME: &str = include_str!("runtime.txt");

/// What would be refused, or only be said, of a mutant, stands at the beginning of each `lib.rs`.
const LENIENT: &str = "#![allow(warnings, arithmetic_overflow, unconditional_panic)]\n";

/// The files of the workspace: those that are tracked and those that could be.
pub fn files(root: &Path) -> io::Result<Vec<String>> {
    let list = Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(root).output()?;
    let names = String::from_utf8_lossy(&list.stdout);
    let mut names: Vec<String> = names.lines().filter(|name| root.join(name).is_file()).map(str::to_owned).collect();
    names.sort();
    Ok(names)
}

/// Writes the copy, mutant `i` of the list under the number `i`, and gives the files that have mutants.
pub fn write(
    root: &Path,
    copy: &Path,
    crates: &[&str],
    mutants: &[Place],
) -> io::Result<BTreeMap<String, Instrumented>> {
    let mut by_file: BTreeMap<&str, Vec<(u32, &Place)>> = BTreeMap::new();
    for (number, place) in (0..).zip(mutants) {
        by_file.entry(&place.file).or_default().push((number, place));
    }
    let libs: BTreeSet<String> = crates.iter().map(|name| format!("{name}/src/lib.rs")).collect();
    let runtime = RUNTIME.replace("@COUNT@", &mutants.len().to_string());
    let names = files(root)?;
    let mut written = BTreeMap::new();
    for name in &names {
        let mut bytes = fs::read(root.join(name))?;
        if let Some(mutants) = by_file.get(name.as_str()) {
            let source = String::from_utf8(bytes).map_err(io::Error::other)?;
            let instrumented = instrument(&source, mutants);
            bytes = instrumented.text.clone().into_bytes();
            written.insert(name.clone(), instrumented);
        }
        if libs.contains(name) {
            bytes.splice(0..0, LENIENT.bytes());
            bytes.extend_from_slice(runtime.as_bytes());
        }
        put(&copy.join(name), &bytes)?;
    }
    remove_others(copy, copy, &names.into_iter().map(|name| copy.join(name)).collect())?;
    Ok(written)
}

/// Writes a file only if it changes, so that only what changed is compiled again.
fn put(path: &PathBuf, bytes: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

fn remove_others(copy: &Path, folder: &Path, known: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path == copy.join(".git") {
        } else if path.is_dir() {
            remove_others(copy, &path, known)?;
        } else if !known.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}
