//! Builds the copy, and tells which mutants do not compile.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::instrument::Instrumented;

/// Crates with mutants are optimised a little: their tests run far more often than they are built.
const FASTER: [&str; 4] = [
    "--config=profile.dev.package.folkmoot-core.opt-level=1",
    "--config=profile.dev.package.folkmoot-store.opt-level=1",
    "--config=profile.dev.package.folkmoot-core.debug=false",
    "--config=profile.dev.package.folkmoot-store.debug=false",
];

/// The folder with the copy and the folder that it is built in.
#[derive(Debug)]
pub struct Workshop {
    /// The copy of the workspace.
    pub copy: PathBuf,
    /// Where cargo builds.
    pub target: PathBuf,
}

/// A test binary.
#[derive(Debug, Clone)]
pub struct Binary {
    /// The package and the target, as in `folkmoot-store/store`.
    pub name: String,
    /// The program.
    pub path: PathBuf,
    /// The folder of its package, where cargo would run it.
    pub folder: PathBuf,
}

impl Workshop {
    /// Checks the crates and gives the numbers of the mutants that do not compile.
    pub fn unviable(&self, crates: &[&str], files: &BTreeMap<String, Instrumented>) -> io::Result<BTreeSet<u32>> {
        let packages = crates.iter().map(|name| format!("-pfolkmoot-{name}"));
        let args: Vec<String> = ["check".to_owned(), "--lib".to_owned()].into_iter().chain(packages).collect();
        let (done, messages) = self.cargo(&args)?;
        let mut found = BTreeSet::new();
        for message in messages.iter().filter(|message| message["message"]["level"] == "error") {
            found.extend(guilty(&message["message"], files));
        }
        if !done && found.is_empty() {
            let shown = messages.iter().find_map(|message| message["message"]["rendered"].as_str().map(str::to_owned));
            return Err(io::Error::other(format!("the copy does not compile: {}", shown.unwrap_or_default())));
        }
        Ok(found)
    }

    /// Builds the tests and gives their binaries.
    pub fn tests(&self, args: &[&str]) -> io::Result<Vec<Binary>> {
        let args: Vec<String> = ["test", "--no-run"].iter().chain(args).map(ToString::to_string).collect();
        let (done, messages) = self.cargo(&args)?;
        if !done {
            let shown: Vec<&str> =
                messages.iter().filter_map(|message| message["message"]["rendered"].as_str()).collect();
            return Err(io::Error::other(format!("the tests do not compile: {}", shown.join("\n"))));
        }
        Ok(messages.iter().filter(|message| message["profile"]["test"] == true).filter_map(binary).collect())
    }

    fn cargo(&self, args: &[String]) -> io::Result<(bool, Vec<Value>)> {
        let output = Command::new("cargo")
            .args(args)
            .args(["--locked", "--message-format=json"])
            .args(FASTER)
            .current_dir(&self.copy)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_INCREMENTAL", "0")
            .stderr(Stdio::inherit())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok((output.status.success(), messages))
    }
}

fn binary(message: &Value) -> Option<Binary> {
    let path = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let package = message["package_id"].as_str()?.rsplit_once('/')?.1.split('#').next()?.to_owned();
    let name = format!("{package}/{}", message["target"]["name"].as_str()?);
    Some(Binary { name, path, folder })
}

/// The mutants that an error speaks of: the innermost one around each place that it points at, the places that it names
/// first before those that it only shows. Where it points at none, all mutants inside of those places.
fn guilty(error: &Value, files: &BTreeMap<String, Instrumented>) -> BTreeSet<u32> {
    let all: Vec<&Value> = error["spans"].as_array().into_iter().flatten().collect();
    let (first, others): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|span| span["is_primary"] == true);
    let around = |spans: &[&Value]| spans.iter().filter_map(|span| innermost(span, files)).collect::<BTreeSet<u32>>();
    let inside = |spans: &[&Value]| spans.iter().flat_map(|span| within(span, files)).collect::<BTreeSet<u32>>();
    let tries = [around(&first), around(&others), inside(&first), inside(&others)];
    tries.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

fn innermost(span: &Value, files: &BTreeMap<String, Instrumented>) -> Option<u32> {
    let (file, begin, end) = place(span, files)?;
    let around = file.spans.iter().filter(|(_, mutant)| mutant.start <= begin && end <= mutant.end);
    around.min_by_key(|(_, mutant)| mutant.end - mutant.start).map(|(number, _)| *number)
}

fn within(span: &Value, files: &BTreeMap<String, Instrumented>) -> Vec<u32> {
    let Some((file, begin, end)) = place(span, files) else { return Vec::new() };
    let inside = file.spans.iter().filter(|(_, mutant)| begin <= mutant.start && mutant.end <= end);
    inside.map(|(number, _)| *number).collect()
}

fn place<'a>(span: &Value, files: &'a BTreeMap<String, Instrumented>) -> Option<(&'a Instrumented, usize, usize)> {
    let file = files.get(span["file_name"].as_str()?)?;
    let byte = |name: &str| usize::try_from(span[name].as_u64()?).ok();
    Some((file, byte("byte_start")?, byte("byte_end")?))
}
