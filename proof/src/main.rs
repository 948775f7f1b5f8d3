//! `folkmoot-check`: checks an evidence bundle offline, with nothing but the bundle and a public
//! key.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use folkmoot_proof::bundle::{Against, BUNDLE_MAX, BundleVerdict, Report, check};
use folkmoot_proof::note::{NOTE_MAX, VerifierKey};
use lexopt::prelude::{Long, Short, Value, ValueExt as _};

const USAGE: u8 = 2;
const UNREADABLE: u8 = 3;
const DAMAGED: u8 = 5;
const NOT_CHECKED: u8 = 6;

const HELP: &str = "\
Checks an evidence bundle of Folkmoot, offline.

folkmoot-check BUNDLE [--trust KEY]... [--at N] [--against NOTE] [--json]

  --trust KEY     a public key whose signatures count: `name+id+key`, or the file that it stands in
  --at N          tell only of event N, and of the tool calls that it is about
  --against NOTE  a file with a signed head that was kept elsewhere: whether the log is still that one
  --json          print the report as JSON

Exit codes: 0 intact; 2 wrong usage; 3 a file does not read; 5 damaged, or in conflict with the note;
6 not checked: not signed, no key that signed it, or no proof from the note on.
";

/// The command line, read.
struct ProofArguments {
    /// The path of the bundle.
    bundle: OsString,
    /// The public keys whose signatures count, in the order given.
    keys: Vec<VerifierKey>,
    /// The position of the only event to tell of; `None` tells of all.
    at: Option<u64>,
    /// The bytes of a note that was kept elsewhere, if one is given.
    against: Option<Vec<u8>>,
    /// True if the report is printed as JSON.
    is_json: bool,
}

/// A reason why nothing was checked: the exit code, and the words for it.
struct CheckFailure(u8, String);

impl From<lexopt::Error> for CheckFailure {
    fn from(error: lexopt::Error) -> Self {
        Self(USAGE, error.to_string())
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(code) => ExitCode::from(code),
        Err(CheckFailure(code, what)) => {
            // Nobody is left to be told if standard error is closed.
            let _is_told = writeln!(std::io::stderr(), "folkmoot-check: {what}");
            ExitCode::from(code)
        }
    }
}

fn run() -> Result<u8, CheckFailure> {
    let Some(ProofArguments {
        bundle,
        keys,
        at,
        against,
        is_json,
    }) = arguments()?
    else {
        print(HELP)?;
        return Ok(0);
    };
    let bytes = read(Path::new(&bundle), BUNDLE_MAX)?;
    let report = check(&bytes, &keys, against.as_deref().map(Against));
    let report = report.map_err(|error| {
        CheckFailure(UNREADABLE, format!("{}: {error}", bundle.to_string_lossy()))
    })?;
    if is_json {
        let json = serde_json::to_string_pretty(&ReportWithVerdict {
            verdict: report.verdict(),
            report: &report,
        });
        print(&(json.map_err(|error| CheckFailure(UNREADABLE, error.to_string()))? + "\n"))?;
    } else {
        // The words escape what the bundle holds: its texts were written by strangers.
        print(&(report.lines(at).join("\n") + "\n"))?;
    }
    Ok(match report.verdict() {
        BundleVerdict::Intact => 0,
        BundleVerdict::NotChecked => NOT_CHECKED,
        BundleVerdict::Damaged => DAMAGED,
    })
}

/// A report with its verdict.
#[derive(serde::Serialize)]
struct ReportWithVerdict<'a> {
    verdict: BundleVerdict,
    #[serde(flatten)]
    report: &'a Report,
}

/// Reads what was typed; `None` if help is wanted.
fn arguments() -> Result<Option<ProofArguments>, CheckFailure> {
    let mut bundle = None;
    let mut keys = Vec::new();
    let mut at = None;
    let mut against = None;
    let mut is_json = false;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("trust") => keys.push(key(&parser.value()?)?),
            Long("at") => at = Some(parser.value()?.parse()?),
            Long("against") => against = Some(read(Path::new(&parser.value()?), NOTE_MAX)?),
            Long("json") => is_json = true,
            Value(file) if bundle.is_none() => bundle = Some(file),
            Short(_) | Long(_) | Value(_) => return Err(argument.unexpected().into()),
        }
    }
    let bundle =
        bundle.ok_or_else(|| CheckFailure(USAGE, "which bundle? See --help".to_owned()))?;
    Ok(Some(ProofArguments {
        bundle,
        keys,
        at,
        against,
        is_json,
    }))
}

/// A key, or the key in a file: no path that is meant as one looks like a key.
fn key(typed: &OsString) -> Result<VerifierKey, CheckFailure> {
    let wrong = |error: &dyn std::fmt::Display| {
        CheckFailure(
            USAGE,
            format!("--trust {}: {error}", typed.to_string_lossy()),
        )
    };
    if let Some(key) = typed
        .to_str()
        .and_then(|text| VerifierKey::parse(text).ok())
    {
        return Ok(key);
    }
    let text = match read(Path::new(typed), NOTE_MAX) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        // It is no file, so what is wrong about it as a key is told.
        Err(_) => typed.to_string_lossy().into_owned(),
    };
    VerifierKey::parse(text.trim()).map_err(|error| wrong(&error))
}

/// Reads a file of at most `max` bytes.
fn read(path: &Path, max: usize) -> Result<Vec<u8>, CheckFailure> {
    let failed = |error: &dyn std::fmt::Display| {
        CheckFailure(UNREADABLE, format!("{}: {error}", path.display()))
    };
    let mut bytes = Vec::new();
    let limit = max as u64 + 1;
    let file = std::fs::File::open(path).map_err(|error| failed(&error))?;
    // One byte more than is allowed tells a file that is too long, without trusting its size.
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(&error))?;
    if bytes.len() > max {
        Err(failed(&format!("it has more than {max} bytes")))
    } else {
        Ok(bytes)
    }
}

fn print(text: &str) -> Result<(), CheckFailure> {
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|error| CheckFailure(UNREADABLE, format!("standard output: {error}")))
}
