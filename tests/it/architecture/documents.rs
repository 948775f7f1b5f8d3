//! The documents: a path of our code that one of them names is there, links lead to files, and all are short enough to be read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates whose paths documents name by the crate's folder.
const CRATES: &[&str] = &[
    "core",
    "agents",
    "store",
    "providers",
    "tools",
    "folkmoot",
    "server",
    "client",
    "cli",
    "sim",
    "proof",
];

/// The most words of the README.
const README_WORDS_MAX: usize = 900;

/// The most words of the guide, the reference of scripts included.
const GUIDE_WORDS_MAX: usize = 15_350;

/// The most words of all pages together, those of the decisions and the changelog aside. Pages of later features may add to it.
const WORDS_MAX: usize = 29_550;

const KINDS: &[&str] = &["fn", "struct", "enum", "trait", "const", "type", "static"];

#[test]
fn documents_name_code_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut documents: Vec<PathBuf> = ["README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY"]
        .map(|name| root.join(name).with_extension("md"))
        .into();
    for folder in ["docs", "docs/guide", "docs/decisions"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        documents.extend(files.filter(|file| file.extension().is_some_and(|end| end == "md")));
    }
    let mut gone = Vec::new();
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        let paths = text.split('`').skip(1).step_by(2).flat_map(paths);
        gone.extend(
            paths
                .filter(|path| !is_there(&root, path))
                .map(|path| (document.file_name().unwrap().to_owned(), path)),
        );
    }
    assert_eq!(gone, []);
}

#[test]
fn a_path_is_found_however_it_is_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    assert_eq!(
        paths("core::world::{calls,talk::fold}"),
        ["core::world::calls", "core::world::talk::fold"]
    );
    assert_eq!(
        paths("core::world::{calls,turns}::fold"),
        ["core::world::calls::fold", "core::world::turns::fold"]
    );
    assert_eq!(paths("cargo run -p core::x"), Vec::<String>::new());
    for there in [
        "core::world",
        "core::world::talk::fold",
        "agents::runtime::Runtime",
    ] {
        assert!(is_there(&root, there), "{there}");
    }
    for gone in [
        "core::memory",
        "core::world::Nobody",
        "agents::runtime::dry",
    ] {
        assert!(!is_there(&root, gone), "{gone}");
    }
}

#[test]
fn documents_are_short_enough_to_be_read() {
    let words = |is_counted: &dyn Fn(&str) -> bool| -> usize {
        let counted = pages().into_iter().filter(|(path, _)| is_counted(path));
        counted.map(|(_, text)| words(&text)).sum()
    };
    let readme = words(&|path| path == "README.md");
    assert!(readme > 0, "no README");
    assert!(readme <= README_WORDS_MAX, "README: {readme} words");
    let guide = words(&|path| path.starts_with("docs/guide/"));
    assert!(guide <= GUIDE_WORDS_MAX, "the guide: {guide} words");
    // The page of `--json` moves into the guide.
    let is_kept = |path: &str| !path.starts_with("docs/decisions/") && path != "CHANGELOG.md";
    let all = words(&|path| is_kept(path) && path != "cli/JSON.md");
    assert!(all <= WORDS_MAX, "all pages: {all} words");
}

#[test]
fn links_of_documents_lead_to_files_and_headings_that_are_there() {
    let mut gone = Vec::new();
    for (path, text) in pages() {
        for link in text.split("](").skip(1) {
            let (link, _) = link.split_once(')').unwrap();
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let to = match file {
                "" => root().join(&path),
                file => root().join(&path).with_file_name("").join(file),
            };
            let target = fs::read(&to).unwrap_or_default();
            let headings = String::from_utf8_lossy(&target).into_owned();
            let mut headings = headings.lines().filter(|line| line.starts_with('#'));
            let is_heading = heading.is_empty() || headings.any(|line| anchor(line) == heading);
            if !to.exists() || !is_heading {
                gone.push((path.clone(), link.to_owned()));
            }
        }
    }
    assert_eq!(gone, []);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The pages of the project, by their paths from its root.
fn pages() -> Vec<(String, String)> {
    let listed = Command::new("git")
        .args(["ls-files", "*.md"])
        .current_dir(root())
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let page = |path: &str| Some((path.to_owned(), fs::read_to_string(root().join(path)).ok()?));
    listed.lines().filter_map(page).collect()
}

/// How many words there are: pieces between blanks that have a letter or a digit.
fn words(text: &str) -> usize {
    let is_word = |piece: &&str| piece.contains(char::is_alphanumeric);
    text.split_whitespace().filter(is_word).count()
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let is_kept = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
    let heading: String = heading.chars().filter(is_kept).collect();
    heading.replace(' ', "-")
}

/// The paths that a piece between backticks names; none if it is something else.
fn paths(piece: &str) -> Vec<String> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_:{},".contains(c);
    let begins = CRATES.iter().any(|name| {
        piece
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with("::"))
    });
    if !begins || !piece.chars().all(is_path) {
        return Vec::new();
    }
    let Some((before, group)) = piece.split_once('{') else {
        return vec![piece.to_owned()];
    };
    let (group, behind) = group.split_once('}').unwrap_or((group, ""));
    group
        .split(',')
        .map(|one| format!("{before}{one}{behind}"))
        .collect()
}

/// Tells whether each part of `path` is a module, or the last an item of the module before it.
fn is_there(root: &Path, path: &str) -> bool {
    let mut parts = path.split("::");
    let mut module = root.join(parts.next().unwrap()).join("src");
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let inner = module.join(part);
        if inner.is_dir() || inner.with_extension("rs").is_file() {
            module = inner;
            continue;
        }
        let files = files(&module, part);
        return parts.peek().is_none() && files.iter().any(|file| defines(file, part));
    }
    true
}

/// The files that may define `item`: that of the module itself, and for a type, which may be re-exported, those beneath it.
fn files(module: &Path, item: &str) -> Vec<PathBuf> {
    let mut files = vec![module.with_extension("rs"), module.join("lib.rs")];
    if module.is_dir() && item.starts_with(char::is_uppercase) {
        files.extend(super::sources(module));
    }
    files.retain(|file| file.is_file());
    files
}

fn defines(file: &Path, name: &str) -> bool {
    let text = fs::read_to_string(file).unwrap();
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_');
    KINDS.iter().any(|kind| {
        let begin = format!("{kind} {name}");
        text.match_indices(&begin)
            .any(|(at, _)| text[at + begin.len()..].starts_with(is_end))
    })
}
