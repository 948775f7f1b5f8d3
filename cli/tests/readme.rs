//! What the README says: its first command prints what it shows, its script runs, its commands and flags exist.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// The texts of the README's blocks in `language`, in order.
fn blocks(language: &str) -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let opening = format!("```{language}\n");
    let rest = readme.split(&opening).skip(1);
    rest.map(|block| block.split("```").next().unwrap_or_default().to_owned())
        .collect()
}

fn folkmoot(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_folkmoot"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("FOLKMOOT_STORE")
        .env("COLUMNS", "120")
        .stdin(Stdio::null());
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

#[test]
fn the_first_command_prints_what_the_readme_shows() {
    let folder = tempfile::tempdir().unwrap();
    let script = root().join("examples/worlds/release-room.yaml");
    let output = folkmoot(folder.path(), &["run", script.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), blocks("text").first().unwrap().trim());
}

#[test]
fn the_script_of_the_readme_runs_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("room.yaml"),
        blocks("yaml").first().unwrap(),
    )
    .unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let changes = "examples/worlds/data/CHANGES.md";
    std::fs::copy(root().join(changes), folder.path().join("data/CHANGES.md")).unwrap();
    let output = folkmoot(folder.path(), &["run", "room.yaml"]);
    assert!(
        output.status.success(),
        "{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

#[test]
fn the_commands_and_flags_of_the_readme_exist() {
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks("console");
    let lines = blocks
        .iter()
        .flat_map(|block| block.lines())
        .filter_map(|line| line.strip_prefix("folkmoot "));
    let mut count = 0;
    for line in lines {
        let line = line.split(" #").next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let command = words.next().unwrap();
        let help = folkmoot(folder.path(), &[command, "--help"]);
        let help = text(&help.stdout);
        assert!(help.contains("Usage:"), "{line}");
        for flag in words.filter(|word| word.starts_with("--")) {
            assert!(help.contains(flag), "`{line}`: no {flag} in\n{help}");
        }
        count += 1;
    }
    assert!(count > 8, "{count} commands were found");
}
