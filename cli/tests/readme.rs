//! The README and the guide: each block of commands runs, in the order of the page, in a fresh clone, and prints what is kept
//! of it in `cli/tests/readme`. `FOLKMOOT_WRITE=1 cargo test -p folkmoot-cli --test readme` writes that anew.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::{Captures, Regex};
use tempfile::TempDir;

/// Lines that no test can run, each with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    (
        "cargo test --workspace",
        "this test is part of it; the stage `test` of `.ci/run` is this line",
    ),
    (
        "cargo install --path cli --locked --features full",
        "it builds all crates in release; the stage `full` of `.ci/run` is this line",
    ),
    (
        "cargo run -p folkmoot-examples --example embed",
        "it builds; `examples/tests/run.rs` runs the program and reads what it prints",
    ),
    (
        "folkmoot init",
        "it asks in a terminal; cli/tests/cli/init.rs answers it",
    ),
    (
        "folkmoot chat room.yaml",
        "it waits for somebody who types; the page of the first room pipes a line into it",
    ),
    (
        "folkmoot chat room --as bob",
        "it goes into a room that another process holds; cli/tests/cli/real_time/chat.rs does that",
    ),
    (
        "folkmoot serve --templates examples/worlds",
        "it serves until it is ended; cli/tests/cli/real_time/serve.rs and tests/browser do that",
    ),
    (
        "folkmoot token new --as editor --service --may read,post,operate --create --tokens tokens",
        "it prints a secret; tests/clients/mcp/run makes such a token",
    ),
    (
        "folkmoot serve --templates templates --tokens tokens",
        "it serves until it is ended; tests/clients/mcp/run does that",
    ),
    (
        "createdb rooms",
        "it wants a server of PostgreSQL; cli/tests/database.rs starts one",
    ),
    (
        "export FOLKMOOT_STORE=postgres://ada@db.example.org/rooms",
        "it wants a server of PostgreSQL; cli/tests/database.rs starts one",
    ),
    (
        "folkmoot token new --as ada --create",
        "it wants a server of PostgreSQL; cli/tests/database.rs starts one",
    ),
    (
        "folkmoot serve --listen 10.0.0.5:7077 --advertise http://10.0.0.5:7077 --public-url https://rooms.example.org --templates /srv/templates",
        "it wants a server of PostgreSQL; cli/tests/database.rs starts one",
    ),
    (
        "folkmoot chat examples/worlds/chat.yaml",
        "it asks a real model, with a key",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// The README, the pages of the guide, and that of the patterns.
fn pages() -> Vec<PathBuf> {
    let mut pages = markdown(&root().join("docs/guide"));
    pages.insert(0, root().join("README.md"));
    pages.push(root().join("examples/worlds/patterns/README.md"));
    pages
}

/// The name of the file that keeps what a page prints: that of the page, or of its folder.
fn kept(page: &Path) -> String {
    let stem = page.file_stem().unwrap();
    let folder = page.parent().unwrap();
    let name = if stem == "README" && folder != root() {
        folder.file_name().unwrap()
    } else {
        stem
    };
    format!("{}.txt", name.to_str().unwrap())
}

/// The pages in a folder, by name.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
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

/// The blocks of one language on all pages, each with its page.
fn all(language: &str) -> Vec<(PathBuf, String)> {
    let of_page = |page: PathBuf| {
        let blocks = blocks(&page).into_iter();
        let blocks = blocks.filter(|block| block.language == language);
        blocks
            .map(|block| (page.clone(), block.text))
            .collect::<Vec<_>>()
    };
    pages().into_iter().flat_map(of_page).collect()
}

/// The lines of a block, without those that cannot be run.
fn lines_to_run(block: &str) -> impl Iterator<Item = &str> {
    let is_run = |line: &&str| NOT_RUN.iter().all(|(other, _)| other != line);
    block.lines().filter(is_run)
}

/// A folder with the examples that a fresh clone has.
fn clone() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let listed = Command::new("git")
        .args(["ls-files", "-z", "examples"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(listed.status.success(), "git lists no files");
    for file in String::from_utf8(listed.stdout).unwrap().split('\0') {
        let from = root().join(file);
        if file.is_empty() || !from.is_file() {
            continue;
        }
        let to = folder.path().join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
    }
    folder
}

/// A run of a line: its standard output and its exit code.
struct Run {
    printed: String,
    code: Option<i32>,
    complaint: String,
}

/// Runs a line of a page in `folder`.
fn run(folder: &Path, line: &str) -> Run {
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
    Run {
        printed: String::from_utf8(output.stdout).unwrap(),
        code: output.status.code(),
        complaint: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The same, of a line that must end as it says behind `# ends with`, or else well.
fn run_as_said(page: &Path, folder: &Path, line: &str) -> String {
    let code = line.split_once("# ends with ");
    let code = code.map_or(0, |(_, code)| code.trim().parse().unwrap());
    let run = run(folder, line);
    let page = page.display();
    assert_eq!(run.code, Some(code), "{page}: {line}\n{}", run.complaint);
    run.printed
}

/// A page as it runs: each command, and beneath it what it prints.
fn transcript(page: &Path) -> String {
    let folder = clone();
    let mut transcript = String::new();
    let mut printed = String::new();
    for block in blocks(page) {
        match block.language.as_str() {
            "console" => {
                printed.clear();
                for line in lines_to_run(&block.text) {
                    let output = run_as_said(page, folder.path(), line);
                    printed.push_str(&output);
                    let (line, _) = line.split_once("  #").unwrap_or((line, ""));
                    let mut output = steady(&output, folder.path());
                    if line.contains("folkmoot chat") {
                        output = in_any_order(&output);
                    }
                    writeln!(transcript, "$ {}\n{output}", line.trim_end()).unwrap();
                }
            }
            "text" => assert_eq!(
                printed.trim(),
                block.text.trim(),
                "{}: the text is not what the commands above it print",
                page.display()
            ),
            _ => {}
        }
    }
    transcript
}

/// The lines of a chat, each once: it shows a request again whenever something else was shown after it.
fn in_any_order(output: &str) -> String {
    let lines: BTreeSet<&str> = output.lines().collect();
    lines
        .into_iter()
        .map(|line| line.to_owned() + "\n")
        .collect()
}

/// The output without what differs from run to run, and from build to build: times of the machine, random ids and keys, digests.
fn steady(output: &str, folder: &Path) -> String {
    let mut steady = output.replace(&folder.display().to_string(), "FOLDER");
    for (pattern, with) in [
        (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID"),
        (r"\b[a-z]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}", "KEY"),
        (r"[A-Za-z0-9+/]{43}=", "BASE64"),
        (r"\b[0-9a-f]{8,64}\b", "DIGEST"),
        (r"\b\d+\.\d s\b", "TIME"),
        (r"(?m)^(store .*?)\d+ bytes$", "${1}SIZE"),
        (r"(?m)^(sandbox of programs): .*$", "$1: GAPS"),
    ] {
        let pattern = Regex::new(pattern).unwrap();
        steady = pattern.replace_all(&steady, with).into_owned();
    }
    // Simulated clocks begin with 2030.
    let time = Regex::new(r"\d{4}-\d\d-\d\dT[0-9:.]+Z").unwrap();
    let steady = time.replace_all(&steady, |time: &Captures<'_>| match &time[0] {
        simulated if simulated.starts_with("2030-01-0") => simulated.to_owned(),
        _ => "TIME".to_owned(),
    });
    let blanks = |line: &str| line.trim_end().to_owned() + "\n";
    steady.lines().map(blanks).collect()
}

#[test]
fn every_command_works_in_the_order_of_the_page_and_prints_what_is_shown_and_kept() {
    let folder = root().join("cli/tests/readme");
    let is_written = std::env::var_os("FOLKMOOT_WRITE").is_some();
    let mut names = BTreeSet::new();
    for page in pages() {
        let transcript = transcript(&page);
        if transcript.is_empty() {
            continue;
        }
        let name = kept(&page);
        if is_written {
            std::fs::write(folder.join(&name), &transcript).unwrap();
        }
        let expected = std::fs::read_to_string(folder.join(&name)).unwrap_or_default();
        for (number, (is, was)) in transcript.lines().zip(expected.lines()).enumerate() {
            assert_eq!(is, was, "line {} of {name}", number + 1);
        }
        assert_eq!(transcript.lines().count(), expected.lines().count());
        names.insert(name);
    }
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), names);
}

#[test]
fn lines_that_are_not_run_are_listed_and_no_others() {
    let shown = all("sh").into_iter().chain(all("console"));
    let shown: Vec<String> = shown
        .flat_map(|(_, block)| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    for (page, block) in all("sh") {
        let unlisted: Vec<_> = lines_to_run(&block).collect();
        assert!(unlisted.is_empty(), "{}: {unlisted:?}", page.display());
    }
    for (line, reason) in NOT_RUN {
        assert!(
            shown.iter().any(|other| other == line),
            "no page shows `{line}`"
        );
        assert!(!reason.is_empty());
    }
}

/// A block with a world is played, and one with a part of it is checked in a world. One with data sets needs a build that has
/// them.
#[test]
fn every_script_is_right_and_runs_to_its_end() {
    let scripts = all("yaml");
    assert!(scripts.len() > 1);
    for (page, script) in scripts {
        if script.contains("use: data.") && !cfg!(feature = "full") {
            continue;
        }
        let folder = clone();
        let worlds = folder.path().join("examples/worlds");
        let (script, line) = if script.starts_with("world: ") {
            (script, "folkmoot test room.yaml")
        } else {
            let around = "world: part\nagents: [{ name: clerk, prompt: You help. }]\n";
            let models = "models: { m: { provider: scripted } }\ndefaults: { model: m }\n";
            let models = if script.contains("models:") {
                ""
            } else {
                models
            };
            (
                format!("{around}{models}{script}"),
                "folkmoot check room.yaml",
            )
        };
        std::fs::create_dir(worlds.join("project")).unwrap();
        std::fs::write(worlds.join("room.yaml"), script).unwrap();
        run_as_said(&page, &worlds, line);
    }
}

/// The lines of Rust stand in a program that the tests compile and run.
#[test]
fn every_line_of_rust_is_one_of_the_examples() {
    let programs: String = std::fs::read_dir(root().join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let programs: BTreeSet<&str> = programs.lines().map(str::trim).collect();
    let rust = all("rust");
    assert!(!rust.is_empty());
    for (page, block) in rust {
        for line in block.lines().map(str::trim) {
            assert!(programs.contains(line), "{}: {line}", page.display());
        }
    }
}

#[test]
fn an_error_has_the_form_that_the_page_of_json_shows() {
    let shown = blocks(&root().join("docs/guide/json.md"));
    let shown = shown.iter().find(|block| block.language == "json").unwrap();
    let shown: serde_json::Value = serde_json::from_str(&shown.text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("room.yaml"), "world: a\nagent: []\n").unwrap();
    let run = run(folder.path(), "folkmoot --json check room.yaml");
    let error: serde_json::Value = serde_json::from_str(&run.complaint).unwrap();
    assert_eq!(run.code, Some(2));
    for part in ["", "/error", "/error/faults/0"] {
        let keys = |value: &serde_json::Value| {
            let object = value.pointer(part).unwrap().as_object().unwrap();
            object.keys().cloned().collect::<BTreeSet<_>>()
        };
        assert_eq!(keys(&error), keys(&shown), "{part}");
    }
}

/// Commands and flags that stand in the text exist, and so do those of lines that are not run.
#[test]
fn commands_and_flags_that_are_only_named_exist() {
    let commands: BTreeMap<String, String> = subcommands("")
        .into_iter()
        .map(|name| {
            let inner = subcommands(&name).into_iter();
            let inner: String = inner
                .map(|inner| help(&format!("{name} {inner}")))
                .collect();
            let help = help(&name) + &inner;
            (name, help)
        })
        .collect();
    let any = commands.values().cloned().collect::<String>();
    let mut pages = pages();
    pages.extend(markdown(&root().join("docs")));
    pages.push(root().join("SECURITY.md"));
    let texts: Vec<String> = pages.iter().map(|page| text_of(page)).collect();
    let named = texts
        .iter()
        .flat_map(|text| text.split('`').skip(1).step_by(2));
    let mut count = 0;
    for named in named.chain(NOT_RUN.iter().map(|(line, _)| *line)) {
        let (help, words) = match named.strip_prefix("folkmoot ") {
            Some(flags) if flags.starts_with("--") => (&any, flags),
            Some(line) => {
                let (command, words) = line.split_once(' ').unwrap_or((line, ""));
                let help = commands.get(command);
                (
                    help.unwrap_or_else(|| panic!("no command `{named}`")),
                    words,
                )
            }
            None if named.starts_with("--") => (&any, named),
            None => continue,
        };
        let mut flags = words.split(' ').filter(|word| word.starts_with("--"));
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let has = |flag: &str| {
            help.split(|letter| !is_part(letter))
                .any(|word| word == flag)
        };
        let missing = flags.find(|flag| !has(flag));
        assert_eq!(missing, None, "`{named}`");
        count += 1;
    }
    assert!(count > 30, "{count} commands and flags were found");
}

fn help(command: &str) -> String {
    run(&root(), &format!("folkmoot {command} --help")).printed
}

/// The commands that the help of `command` lists.
fn subcommands(command: &str) -> Vec<String> {
    let help = help(command);
    let listed = help.lines().take_while(|line| *line != "Global options:");
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let is_name = |name: &&str| name.starts_with(|letter: char| letter.is_ascii_lowercase());
    let names = names.filter(is_name).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// A page without its blocks.
fn text_of(page: &Path) -> String {
    let text = std::fs::read_to_string(page).unwrap();
    text.split("```").step_by(2).collect()
}

#[test]
fn an_output_is_steady_and_still_says_what_happened() {
    let said = "\
store .folkmoot: fine, 41 events, 537211 bytes
release-room is idle since 2026-11-25T02:33:58.83Z, not 2030-01-01T00:15:00Z   
folkmoot+1355b247+AUoy837JESbJbr/1Sf6KlW5TpSo3tqRuttJDg7S73uef in /tmp/a, 0.9 s
";
    let steady = steady(said, Path::new("/tmp/a"));
    assert_eq!(
        steady,
        "\
store .folkmoot: fine, 41 events, SIZE
release-room is idle since TIME, not 2030-01-01T00:15:00Z
KEY in FOLDER, TIME
"
    );
}
