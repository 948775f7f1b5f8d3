//! What README and guide say: each of their commands works, in the order of the page, and prints what stands below it.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Commands that build the workspace: too long for a test, and `.ci/run` runs the first.
const BUILDS: [&str; 2] = [
    "cargo test --workspace",
    "cargo run -p folkmoot-examples --example embed",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// The README, and the pages of the guide.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(root().join("docs/guide"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

/// A fenced block of a page.
struct Block {
    language: String,
    text: String,
}

fn blocks(page: &Path) -> Vec<Block> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut fences = text.split("```").skip(1).step_by(2);
    let block = |fence: &str| {
        let (language, text) = fence.split_once('\n').unwrap();
        Block {
            language: language.to_owned(),
            text: text.to_owned(),
        }
    };
    fences.by_ref().map(block).collect()
}

/// An empty folder with the examples in it, as in a fresh clone.
fn clone() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new("cp")
        .arg("-r")
        .arg(root().join("examples"))
        .arg(folder.path())
        .status();
    assert!(done.unwrap().success());
    folder
}

/// Runs a line of a page in `folder`, and returns what it prints. It must end well.
fn run(page: &Path, folder: &Path, line: &str) -> String {
    let line = line.replace("cargo run -p folkmoot-cli --", "folkmoot");
    let program = Path::new(env!("CARGO_BIN_EXE_folkmoot"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let mut command = Command::new("sh");
    command
        .args(["-c", &line])
        .current_dir(folder)
        .env_clear()
        .envs([
            ("PATH", path.as_str()),
            ("USER", "tester"),
            ("COLUMNS", "120"),
        ])
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code();
    assert_eq!(code, Some(0), "{}: {line}\n{said}", page.display());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_works_in_the_order_of_the_page_and_prints_what_is_shown() {
    let mut commands = 0;
    let mut compared = 0;
    for page in pages() {
        let folder = clone();
        let mut printed = String::new();
        for block in blocks(&page) {
            match block.language.as_str() {
                "console" => {
                    printed.clear();
                    for line in block.text.lines().filter(|line| !BUILDS.contains(line)) {
                        printed.push_str(&run(&page, folder.path(), line));
                        commands += 1;
                    }
                }
                "text" => {
                    assert_eq!(printed.trim(), block.text.trim(), "{}", page.display());
                    compared += 1;
                }
                _ => {}
            }
        }
    }
    assert!(commands > 40, "{commands} commands were found");
    assert!(compared > 0);
}

#[test]
fn every_script_runs_to_its_end() {
    let page = root().join("docs/guide/scripts.md");
    let scripts = blocks(&page);
    let script = scripts.iter().find(|block| block.language == "yaml");
    let folder = clone();
    let worlds = folder.path().join("examples/worlds");
    std::fs::write(worlds.join("room.yaml"), &script.unwrap().text).unwrap();
    run(&page, &worlds, "folkmoot test room.yaml");
}

/// Lines that need a key, a terminal or something that waits are not run: their commands and flags exist.
#[test]
fn commands_and_flags_that_are_only_shown_exist() {
    let mut count = 0;
    for page in pages() {
        let shown = blocks(&page)
            .into_iter()
            .filter(|block| block.language == "sh");
        for line in shown.flat_map(|block| {
            block
                .text
                .lines()
                .map(ToOwned::to_owned)
                .collect::<Vec<_>>()
        }) {
            let line = line.split(" #").next().unwrap_or_default().to_owned();
            let Some(words) = line.strip_prefix("folkmoot ") else {
                continue;
            };
            let mut words = words.split_whitespace();
            let command = words.next().unwrap();
            let help = run(&page, &root(), &format!("folkmoot {command} --help"));
            for flag in words.filter(|word| word.starts_with("--")) {
                assert!(help.contains(flag), "`{line}`: no {flag} in\n{help}");
            }
            count += 1;
        }
    }
    assert!(count > 8, "{count} commands were found");
}
