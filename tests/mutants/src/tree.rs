//! A copy of the repository in which mutants are tried out, so that nothing of the real one is touched.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::code::Code;
use crate::mutant::Mutant;

/// Tests draw the same numbers in each run.
const SEED: &str = "20261122";

/// The exit code of `timeout` for what took too long.
const TOO_LONG: i32 = 124;

/// The copy.
#[derive(Debug)]
pub(crate) struct Tree {
    work: PathBuf,
    root: PathBuf,
    /// Seconds that a test may take.
    limit: String,
}

/// What became of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Its test fails.
    Killed,
    /// Its test passes.
    Survived,
    /// The mutant is a wrong one.
    DoesNotBuild,
    /// The mutant is a wrong one.
    DoesNotEnd,
    /// Another thing failed than the test.
    EndedOtherwise,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Killed => "killed",
            Self::Survived => "SURVIVED",
            Self::DoesNotBuild => "does not build",
            Self::DoesNotEnd => "does not end",
            Self::EndedOtherwise => "ended otherwise",
        })
    }
}

impl Tree {
    /// Copies what git tracks here, committed or not.
    pub(crate) fn copy() -> Result<Self, String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        let work = here.join("target/mutants");
        let limit = std::env::var("FOLKMOOT_MUTANT_SECONDS").unwrap_or_else(|_| "300".to_owned());
        let tree = Self {
            root: work.join("tree"),
            work,
            limit,
        };
        let stashed = git(&here, &["stash", "create"])?;
        let commit = if stashed.is_empty() {
            git(&here, &["rev-parse", "HEAD"])?
        } else {
            stashed
        };
        if !tree.root.join(".git").exists() {
            let root = tree.root.display().to_string();
            git(
                &here,
                &["clone", "-q", "--shared", "--no-checkout", ".", &root],
            )?;
        }
        git(
            &tree.root,
            &["checkout", "-q", "--force", "--detach", &commit],
        )?;
        git(&tree.root, &["clean", "-fdq"])?;
        Ok(tree)
    }

    /// Whether the tests pass as the tree is: one run for each test binary.
    pub(crate) fn passes(&self, mutants: &[Mutant]) -> Result<bool, String> {
        let mut binaries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (binary, test) in mutants.iter().map(|mutant| parts(&mutant.test)) {
            binaries.entry(binary).or_default().insert(test);
        }
        let mut is_green = true;
        for (binary, tests) in &binaries {
            let tests: Vec<&str> = tests.iter().copied().collect();
            let ran = self.test(binary, &tests)?;
            let expected = format!("test result: ok. {} passed", tests.len());
            if !(ran.status.success() && text_of(&ran).contains(&expected)) {
                println!(
                    "mutants: without a mutant not all of these pass: {binary} {}",
                    tests.join(" ")
                );
                self.keep("green", &ran)?;
                is_green = false;
            }
        }
        Ok(is_green)
    }

    /// Breaks what the mutant breaks, runs its test, and takes the change back.
    pub(crate) fn try_out(&self, mutant: &Mutant) -> Result<Verdict, String> {
        for edit in &mutant.edits {
            let code = Code::read_in(&self.root)?;
            let (path, text, range) = code.find(&edit.find)?;
            let broken = [
                text.get(..range.start),
                Some(edit.replace.as_str()),
                text.get(range.end..),
            ];
            let broken: String = broken.into_iter().flatten().collect();
            fs::write(path, broken).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let (binary, test) = parts(&mutant.test);
        let built = self.cargo(&words(binary, &["--no-run"]))?;
        let (verdict, ran) = if built.status.success() {
            let ran = self.test(binary, &[test])?;
            (verdict(&ran, test), ran)
        } else {
            (Verdict::DoesNotBuild, built)
        };
        if verdict != Verdict::Killed {
            self.keep(&mutant.name, &ran)?;
        }
        git(&self.root, &["checkout", "-q", "--force", "HEAD"])?;
        git(&self.root, &["clean", "-fdq"])?;
        Ok(verdict)
    }

    fn test(&self, binary: &str, tests: &[&str]) -> Result<Output, String> {
        let mut more = vec!["--", "--include-ignored", "--exact"];
        more.extend(tests);
        self.cargo(&words(binary, &more))
    }

    fn cargo(&self, words: &[&str]) -> Result<Output, String> {
        let mut command = Command::new("timeout");
        let is_build = words.contains(&"--no-run");
        command
            .args([
                if is_build { "0" } else { &self.limit },
                "cargo",
                "test",
                "--locked",
            ])
            .args(words);
        command.current_dir(&self.root).stdin(Stdio::null());
        command
            .env("CARGO_TARGET_DIR", self.work.join("build"))
            .env("CARGO_TERM_COLOR", "never");
        if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
            command.env("PROPTEST_RNG_SEED", SEED);
        }
        command
            .output()
            .map_err(|error| format!("timeout cargo test: {error}"))
    }

    /// Keeps what was printed, for whoever wants to know why.
    fn keep(&self, name: &str, ran: &Output) -> Result<(), String> {
        let file = self.work.join(format!("{name}.log"));
        fs::write(&file, text_of(ran)).map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// The words that name a test binary, and the path of a test in it.
fn parts(test: &str) -> (&str, &str) {
    test.rsplit_once(' ').unwrap_or((test, ""))
}

fn words<'a>(binary: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    binary.split(' ').chain(more.iter().copied()).collect()
}

fn verdict(ran: &Output, test: &str) -> Verdict {
    let said = text_of(ran);
    let has_failed =
        |line: &str| line.starts_with(&format!("test {test}")) && line.ends_with(" FAILED");
    match ran.status.code() {
        Some(0) if said.contains("test result: ok. 1 passed") => Verdict::Survived,
        Some(TOO_LONG) => Verdict::DoesNotEnd,
        Some(_) if said.lines().any(has_failed) => Verdict::Killed,
        Some(_) | None => Verdict::EndedOtherwise,
    }
}

fn text_of(ran: &Output) -> String {
    [&ran.stdout, &ran.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes))
        .concat()
}

/// What git prints, without the line's end.
fn git(folder: &Path, words: &[&str]) -> Result<String, String> {
    let ran = Command::new("git")
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    let ran = ran.map_err(|error| format!("git: {error}"))?;
    if ran.status.success() {
        Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    } else {
        Err(format!("git {}: {}", words.join(" "), text_of(&ran).trim()))
    }
}
