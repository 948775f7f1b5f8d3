//! The order of modules: each uses only those that stand above it in its crate's `lib.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The crates whose top modules stand in order. The order itself is that of the `mod` lines in `lib.rs`, which a reader
/// follows from the first to the last.
const ORDERED: &[&str] = &[
    "core",
    "agents",
    "proof",
    "store",
    "providers",
    "tools",
    "folkmoot",
    "server",
    "client",
    "sim",
];

/// Modules that serve tests alone; they may use everything.
const OF_TESTS: &[&str] = &["testing", "tests", "interleavings"];

#[test]
fn a_top_module_uses_only_those_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let upward: Vec<String> = ORDERED
        .iter()
        .flat_map(|name| upward(&root.join(name).join("src")))
        .collect();
    assert_eq!(upward, Vec::<String>::new(), "`use` points down only");
}

#[test]
fn a_use_is_found_however_it_is_written() {
    let text = "use crate::{ids::{AgentName, Position}, world};\n\
                // crate::comment\n\
                pub(crate) use crate::event::Event;\n\
                fn f(a: crate::tool::Spec) { $crate::spec::check(a) }\n\
                #[cfg(test)]\nmod tests {\n    use crate::audit;\n}\n";
    let expected = ["event", "ids", "spec", "tool", "world"].map(str::to_owned);
    assert_eq!(used(text), BTreeSet::from(expected));
}

/// Each use of a module that does not stand above, as `core/src/event.rs uses world`.
fn upward(src: &Path) -> Vec<String> {
    let library = fs::read_to_string(src.join("lib.rs")).unwrap();
    let order: Vec<&str> = library
        .lines()
        .filter_map(|line| super::declared(line, ";"))
        .filter(|name| !OF_TESTS.contains(name))
        .collect();
    let mut found = Vec::new();
    for (place, name) in order.iter().enumerate() {
        let mut files = vec![src.join(format!("{name}.rs"))];
        if src.join(name).is_dir() {
            files.extend(super::sources(&src.join(name)));
        }
        for file in files.iter().filter(|file| !is_of_tests(file, src)) {
            for other in used(&fs::read_to_string(file).unwrap()) {
                let is_below = order.iter().skip(place + 1).any(|below| *below == other);
                if is_below {
                    found.push(format!("{} uses {other}", file.display()));
                }
            }
        }
    }
    found
}

fn is_of_tests(file: &Path, src: &Path) -> bool {
    let inside = file.strip_prefix(src).unwrap().with_extension("");
    inside
        .iter()
        .any(|part| OF_TESTS.iter().any(|name| part == *name))
}

/// The top modules that a file names, its tests in place and its comments aside.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let code: String = code
        .lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join("\n");
    let mut names = BTreeSet::new();
    for behind in code.split("crate::").skip(1) {
        match behind.strip_prefix('{') {
            Some(group) => names.extend(heads(group)),
            None => names.extend(head(behind)),
        }
    }
    names
}

/// The first names of a group's members, up to the brace that closes it.
fn heads(group: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut is_first = true;
    for (at, sign) in group.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            sign if is_first && !sign.is_whitespace() => {
                found.extend(head(&group[at..]));
                is_first = false;
            }
            _ => {}
        }
    }
    found
}

fn head(text: &str) -> Option<String> {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
    let name = text.split(|sign| !is_part(sign)).next().unwrap();
    (!name.is_empty()).then(|| name.to_owned())
}
