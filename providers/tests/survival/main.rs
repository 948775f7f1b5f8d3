//! The decoders against bytes that no server sends: cases made from the fixtures by a seeded generator, the same in each
//! run, and what the fuzz targets found.
//!
//! `FOLKMOOT_CASES` says how many for each decoder (100,000).
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test reports by panicking, and says how much it has tried"
)]

use std::path::{Path, PathBuf};

use folkmoot_providers::codec::Wire;

mod generator;
mod law;

use generator::Generator;

fn cases() -> usize {
    std::env::var("FOLKMOOT_CASES").ok().map_or(100_000, |count| count.parse().unwrap())
}

/// The bytes of all files of a folder of this package, in the order of their names.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// What the fuzzer found to take new ways through a decoder: a JSON text a line, a character a byte.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let path = format!("{}/tests/survival/corpus/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let lines = std::fs::read_to_string(path).unwrap();
    let read = |line: &str| -> Vec<u8> {
        let text: String = serde_json::from_str(line).unwrap();
        text.chars().map(|c| u8::try_from(c).unwrap()).collect()
    };
    lines.lines().map(read).collect()
}

fn survive(wire: Wire) {
    let corpus = corpus(wire.name());
    corpus.iter().for_each(|input| law::decoders_survive(wire, input));
    let fixtures = files(&format!("tests/fixtures/{}", wire.name()));
    assert!(fixtures.len() >= 4, "the fixtures of {} have moved", wire.name());
    let mut generator = Generator::new(fixtures);
    (0..cases()).for_each(|_| law::decoders_survive(wire, &generator.case()));
    println!("{}: {} of the corpus and {} generated cases survived", wire.name(), corpus.len(), cases());
}

#[test]
fn openai_chat_survives() {
    survive(Wire::OpenaiChat);
}

#[test]
fn openai_responses_survives() {
    survive(Wire::OpenaiResponses);
}

#[test]
fn anthropic_messages_survives() {
    survive(Wire::AnthropicMessages);
}

#[test]
fn google_generate_content_survives() {
    survive(Wire::GoogleGenerateContent);
}

#[test]
fn the_event_parser_survives() {
    let corpus = corpus("sse");
    corpus.iter().for_each(|input| law::events_survive(input));
    let mut generator = Generator::new(files("tests/fixtures/openai-chat"));
    (0..cases()).for_each(|_| law::events_survive(&generator.case()));
    println!("{} of the corpus and {} generated cases survived", corpus.len(), cases());
}
