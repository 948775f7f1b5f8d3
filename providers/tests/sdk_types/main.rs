//! Encoded requests against the request types of the official Python SDKs: `check.py` reads them from its standard input.
//!
//! Runs where `.ci/run` has installed the SDKs into `target/sdk` (or `FOLKMOOT_SDKS` names that folder) and python3 is
//! there; elsewhere it says that it is skipped.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test reports by panicking, and says why it was skipped"
)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use folkmoot_core::port::Files;
use folkmoot_providers::codec::{AnswerMode, Codec, Wire};
use serde_json::{Value, json};

mod cases;

/// A wire as one of its SDKs speaks it.
struct Dialect {
    wire: Wire,
    /// Settings of the codec.
    settings: Value,
    /// The folder of the SDK, and the version of the wire that the check is told.
    sdk: &'static str,
    version: Option<&'static str>,
}

fn dialects() -> Vec<Dialect> {
    let current = |wire| Dialect {
        wire,
        settings: json!({}),
        sdk: "current",
        version: None,
    };
    let anthropic = |version, sdk| {
        let settings = json!({ "api_version": version });
        Dialect {
            wire: Wire::AnthropicMessages,
            settings,
            sdk,
            version: Some(version),
        }
    };
    vec![
        current(Wire::OpenaiChat),
        current(Wire::OpenaiResponses),
        anthropic("2023-06-01", "anthropic-2023-06-01"),
        anthropic("2026-10-21", "current"),
        current(Wire::GoogleGenerateContent),
    ]
}

#[test]
fn encoded_requests_fit_the_types_of_the_official_sdks() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/sdk");
    let sdks =
        std::env::var_os("FOLKMOOT_SDKS").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    if !sdks.join("complete").exists() {
        println!("skipped: no SDKs at {}", sdks.display());
        return;
    }
    for dialect in dialects() {
        let codec = dialect
            .wire
            .codec(dialect.settings.as_object().unwrap())
            .unwrap();
        let lines: String = [AnswerMode::Whole, AnswerMode::Stream]
            .map(|mode| lines(&dialect, &*codec, mode))
            .concat();
        check(&sdks.join(dialect.sdk), &lines);
    }
}

/// All cases as JSON lines.
fn lines(dialect: &Dialect, codec: &dyn Codec, mode: AnswerMode) -> String {
    let line = |(case, request, files): (String, _, Files)| {
        let body = codec.encode(&request, &files, mode).body;
        json!({ "wire": dialect.wire.name(), "version": dialect.version, "case": case, "body": body }).to_string()
            + "\n"
    };
    cases::cases(dialect.wire, codec)
        .into_iter()
        .map(line)
        .collect()
}

fn check(sdk: &Path, lines: &str) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdk_types/check.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .env("PYTHONPATH", sdk)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    println!("{}: {report}", sdk.display());
    assert!(output.status.success(), "{report}");
}
