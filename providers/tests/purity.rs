//! The codecs are pure: their sources name no executor, no client and nothing that does I/O.
#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::path::{Path, PathBuf};

/// What a pure source may use: the language, core's vocabulary, the codecs themselves, and JSON.
const ALLOWED: [&str; 18] = [
    "base64",
    "dialect",
    "std::borrow",
    "std::marker",
    "crate::codec",
    "memchr",
    "std::sync::Arc",
    "std::mem",
    "folkmoot_core",
    "serde",
    "serde_json",
    "std::fmt",
    "std::time::Duration",
    "std::collections",
    "std::ops",
    "super",
    "self",
    "thiserror",
];

/// What it may not name anywhere, in whatever way.
const FORBIDDEN: [&str; 12] = [
    "tokio",
    "reqwest",
    "futures",
    "async ",
    "std::net",
    "std::fs",
    "std::io",
    "std::env",
    "std::thread",
    "Instant",
    "SystemTime",
    "crate::transport",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn pure_sources() -> Vec<(PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let all = sources(&src.join("codec"))
        .into_iter()
        .chain([src.join("codec.rs")]);
    let is_test = |path: &PathBuf| {
        path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs")
    };
    let pure: Vec<_> = all.filter(|path| !is_test(path)).collect();
    pure.into_iter()
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn codecs_use_only_what_is_pure() {
    let sources = pure_sources();
    assert!(sources.len() >= 10, "the codecs have moved: {sources:?}");
    for (path, text) in sources {
        let uses = text.lines().filter_map(|line| {
            line.trim()
                .strip_prefix("use ")
                .or(line.strip_prefix("pub use "))
        });
        for used in uses {
            // A module of its own, named without a path.
            let own = [
                "anthropic_messages",
                "body",
                "google_generate_content",
                "openai_chat",
                "openai_responses",
                "sse",
                "wire",
            ]
            .iter()
            .any(|own| used.starts_with(own));
            let is_allowed = own || ALLOWED.iter().any(|allowed| used.starts_with(allowed));
            assert!(is_allowed, "{} uses {used}", path.display());
        }
    }
}

#[test]
fn codecs_name_nothing_that_acts() {
    for (path, text) in pure_sources() {
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let named = FORBIDDEN.iter().find(|word| line.contains(*word));
            assert_eq!(named, None, "{}: {line}", path.display());
        }
    }
}

#[test]
fn models_that_are_played_have_nothing_that_reaches_a_network() {
    let play = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/play");
    let sources = sources(&play);
    assert!(
        sources.iter().any(|path| path.ends_with("recorded.rs")),
        "the recorded model has moved: {sources:?}"
    );
    for path in sources {
        let text = std::fs::read_to_string(&path).unwrap();
        let named = ["reqwest", "Http", "std::net", "tokio::net"]
            .into_iter()
            .find(|word| text.contains(word));
        assert_eq!(named, None, "{}", path.display());
    }
}
