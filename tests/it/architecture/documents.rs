//! The documents: a path of our code that one of them names is there.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose paths documents name by the crate's folder.
const CRATES: &[&str] = &[
    "core",
    "agents",
    "store",
    "providers",
    "tools",
    "folkmoot",
    "cli",
    "sim",
    "proof",
];

const KINDS: &[&str] = &["fn", "struct", "enum", "trait", "const", "type", "static"];

#[test]
fn documents_name_code_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut documents = vec![
        root.join("README.md"),
        root.join("ARCHITECTURE.md"),
        root.join("CONTRIBUTING.md"),
    ];
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
