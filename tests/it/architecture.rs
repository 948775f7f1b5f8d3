//! The shape of the workspace: who knows whom, how large files are, and that none is forgotten.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Metadata, MetadataCommand, Package};

mod documents;
mod order;

/// The most lines of a source file.
const LINES_MAX: usize = 800;

/// What each of our crates may know of the others; those that compose may know everything that is not listed here.
const KNOWS: &[(&str, &[&str])] = &[
    ("folkmoot-core", &[]),
    ("folkmoot-proof", &[]),
    ("folkmoot-agents", &["folkmoot-core"]),
    ("folkmoot-providers", &["folkmoot-core"]),
    ("folkmoot-store", &["folkmoot-core", "folkmoot-proof"]),
    ("folkmoot-tools", &["folkmoot-core"]),
    (
        "folkmoot",
        &[
            "folkmoot-agents",
            "folkmoot-core",
            "folkmoot-proof",
            "folkmoot-providers",
            "folkmoot-store",
            "folkmoot-tools",
        ],
    ),
    ("folkmoot-server", &["folkmoot"]),
    ("folkmoot-client", &[]),
    ("folkmoot-sim", &["folkmoot"]),
];

/// Crates that nobody knows: they compose.
const TOPS: &[&str] = &[
    "folkmoot-cli",
    "folkmoot-examples",
    "folkmoot-mutants",
    "folkmoot-seal",
    "folkmoot-tests",
];

/// What a crate without I/O, clock and executor can have no use for.
const NOT_IN_CORE: &[&str] = &[
    "tokio",
    "tokio-util",
    "futures",
    "futures-util",
    "reqwest",
    "mio",
    "getrandom",
    "rand",
];

fn metadata() -> Metadata {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    // What only other platforms need does not have to be on this machine.
    let options = ["--offline", "--locked", "--filter-platform", host().trim()].map(str::to_owned);
    MetadataCommand::new()
        .manifest_path(root)
        .other_options(options)
        .exec()
        .unwrap()
}

fn host() -> String {
    let told = Command::new("rustc")
        .args(["--print", "host-tuple"])
        .output()
        .unwrap();
    String::from_utf8(told.stdout).unwrap()
}

fn ours(metadata: &Metadata) -> Vec<&Package> {
    metadata.workspace_packages()
}

#[test]
fn crates_know_only_those_that_they_may() {
    let metadata = metadata();
    let names: BTreeSet<String> = ours(&metadata)
        .iter()
        .map(|package| package.name.to_string())
        .collect();
    for package in ours(&metadata) {
        let known = package
            .dependencies
            .iter()
            .map(|dependency| dependency.name.clone());
        // The tests of a crate may want more of the crate itself.
        let is_other = |name: &String| names.contains(name) && *name != package.name.as_str();
        let known: BTreeSet<String> = known.filter(is_other).collect();
        if let Some((_, may)) = KNOWS
            .iter()
            .find(|(name, _)| *name == package.name.as_str())
        {
            assert_eq!(
                known,
                may.iter().map(ToString::to_string).collect(),
                "{} knows others",
                package.name
            );
        }
        let tops: Vec<&String> = known
            .iter()
            .filter(|name| TOPS.contains(&name.as_str()))
            .collect();
        assert_eq!(
            tops,
            Vec::<&String>::new(),
            "{} knows a crate that composes",
            package.name
        );
    }
    let listed: BTreeSet<String> = KNOWS
        .iter()
        .map(|(name, _)| *name)
        .chain(TOPS.iter().copied())
        .map(str::to_owned)
        .collect();
    assert_eq!(names, listed, "a crate without a rule");
}

#[test]
fn core_reaches_no_executor_no_network_and_no_randomness() {
    let metadata = metadata();
    let nodes = &metadata.resolve.as_ref().unwrap().nodes;
    let names: BTreeMap<_, _> = metadata
        .packages
        .iter()
        .map(|package| (&package.id, package.name.to_string()))
        .collect();
    let core = ours(&metadata)
        .into_iter()
        .find(|package| package.name.as_str() == "folkmoot-core")
        .unwrap();
    let direct: Vec<&str> = core
        .dependencies
        .iter()
        .map(|dependency| dependency.name.as_str())
        .collect();
    assert!(
        direct.iter().all(|name| !NOT_IN_CORE.contains(name)),
        "core names {direct:?}"
    );
    let mut reached = BTreeSet::from([&core.id]);
    let mut next = vec![&core.id];
    while let Some(id) = next.pop() {
        let node = nodes.iter().find(|node| node.id == *id).unwrap();
        for dependency in &node.deps {
            let is_built_in = dependency
                .dep_kinds
                .iter()
                .any(|kind| kind.kind == cargo_metadata::DependencyKind::Normal);
            if is_built_in && reached.insert(&dependency.pkg) {
                next.push(&dependency.pkg);
            }
        }
    }
    let forbidden: Vec<&String> = reached
        .iter()
        .map(|id| &names[id])
        .filter(|name| ["tokio", "reqwest", "mio"].contains(&name.as_str()))
        .collect();
    assert_eq!(
        forbidden,
        Vec::<&String>::new(),
        "core reaches an executor or the network"
    );
}

#[test]
fn whoever_audits_a_world_has_no_shell() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // Core has no shell at all: see the test above.
    let mut files = vec![root.join("folkmoot/src/audit.rs")];
    files.extend(sources(&root.join("folkmoot/src/audit")));
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for shell in [
            "Runtime",
            "Assemble",
            "Opening",
            "providers",
            "folkmoot_tools",
            "ToolHost",
            "std::net",
            "std::process",
        ] {
            assert!(!text.contains(shell), "{} names {shell}", file.display());
        }
    }
}

#[test]
fn no_source_file_is_longer_than_800_lines() {
    for package in ours(&metadata()) {
        for file in sources(&folder(package)) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= LINES_MAX, "{} has {lines} lines", file.display());
        }
    }
}

#[test]
fn every_source_file_is_part_of_a_target() {
    for package in ours(&metadata()) {
        let mut reached = BTreeSet::new();
        for target in &package.targets {
            reach(target.src_path.as_std_path(), true, &mut reached);
        }
        // Programs that must not compile are part of no target: a test hands them to the compiler.
        let is_to_fail = |file: &PathBuf| {
            file.parent()
                .is_some_and(|folder| folder.ends_with("seal/fail"))
        };
        let folder = folder(package);
        let is_of_another = |file: &PathBuf| {
            let between = file
                .ancestors()
                .skip(1)
                .take_while(|above| **above != folder);
            // The root of one may stand beside its folder, among the modules that it shares.
            let beside = file.with_extension("");
            between
                .into_iter()
                .chain([beside.as_path()])
                .any(|above| above.join("Cargo.toml").exists())
        };
        let is_ours = |file: &PathBuf| !is_to_fail(file) && !is_of_another(file);
        let forgotten: Vec<PathBuf> = sources(&folder)
            .into_iter()
            .filter(|file| is_ours(file) && !reached.contains(&real(file)))
            .collect();
        assert_eq!(
            forgotten,
            Vec::<PathBuf>::new(),
            "no `mod` line leads there"
        );
    }
}

#[test]
fn every_target_says_what_it_is_for() {
    for package in ours(&metadata()) {
        for target in &package.targets {
            let text = fs::read_to_string(&target.src_path).unwrap();
            assert!(
                text.starts_with("//!"),
                "{} begins without a crate doc",
                target.src_path
            );
        }
    }
}

#[test]
fn no_module_lies_in_a_mod_rs() {
    for package in ours(&metadata()) {
        let files = sources(&folder(package));
        assert!(
            files.iter().all(|file| !file.ends_with("mod.rs")),
            "{} has a mod.rs",
            package.name
        );
    }
}

fn folder(package: &Package) -> PathBuf {
    package
        .manifest_path
        .parent()
        .unwrap()
        .as_std_path()
        .to_owned()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap()
}

/// The Rust files beneath `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// Follows the `mod` lines of a file.
fn reach(file: &Path, is_root: bool, reached: &mut BTreeSet<PathBuf>) {
    if !reached.insert(real(file)) {
        return;
    }
    let beside = file.parent().unwrap();
    let children = if is_root {
        beside.to_owned()
    } else {
        beside.join(file.file_stem().unwrap())
    };
    let mut children = vec![children];
    let mut elsewhere = None;
    for line in fs::read_to_string(file).unwrap().lines() {
        if let Some(path) = line
            .trim()
            .strip_prefix("#[path = \"")
            .and_then(|rest| rest.strip_suffix("\"]"))
        {
            elsewhere = Some(beside.join(path));
        }
        // A module in place has its files in a folder of its name. Its braces stand where `rustfmt` puts them.
        let depth = ((line.len() - line.trim_start().len()) / 4).min(children.len() - 1);
        if let Some(name) = declared(line, " {") {
            children.truncate(depth + 1);
            children.push(children[depth].join(name));
        }
        if let Some(name) = declared(line, ";") {
            let child = elsewhere
                .take()
                .unwrap_or_else(|| children[depth].join(format!("{name}.rs")));
            assert!(
                child.is_file(),
                "{} names the module {name}, which is not at {}",
                file.display(),
                child.display()
            );
            reach(&child, false, reached);
        }
    }
}

/// The module that a line declares, if it ends with `end`.
fn declared<'l>(line: &'l str, end: &str) -> Option<&'l str> {
    let line = line.trim();
    let line = [
        "pub(crate) ",
        "pub(in crate::world) ",
        "pub(super) ",
        "pub ",
    ]
    .iter()
    .find_map(|word| line.strip_prefix(word))
    .unwrap_or(line);
    line.strip_prefix("mod ")?.strip_suffix(end)
}
