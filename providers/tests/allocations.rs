//! What decoding a stream asks of the allocator: so much for each event, whatever it weighs.
//!
//! The counts are those of the whole process: this is the only test in it.
#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::alloc::System;

use folkmoot_providers::codec::{Codec as _, OpenAiChat};
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const EVENTS: usize = 500;

/// The list of what can be shown, and the text in it.
const PER_EVENT: usize = 2;

/// For what grows with the answer: it doubles, so that this is a logarithm.
const SLACK: usize = 64;

fn events(text_bytes: usize) -> Vec<String> {
    let choice = json!({ "index": 0, "delta": { "content": "a".repeat(text_bytes) }, "finish_reason": null });
    let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice] });
    vec![format!("data: {chunk}\n\n"); EVENTS]
}

/// How often the allocator is asked while a decoder takes these pieces.
fn asked<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> usize {
    let mut decoder = OpenAiChat::default().stream_decoder();
    let region = Region::new(ALLOCATOR);
    let deltas: usize = pieces.map(|piece| decoder.push(piece).unwrap().len()).sum();
    let change = region.change();
    assert_eq!(deltas, EVENTS);
    change.allocations + change.reallocations
}

#[test]
fn a_decoder_allocates_for_each_event_and_not_for_each_byte() {
    for text_bytes in [10, 100, 1_000, 10_000] {
        let events = events(text_bytes);
        let whole = asked(events.iter().map(String::as_bytes));
        let in_pieces = asked(events.iter().flat_map(|event| event.as_bytes().chunks(7)));
        println!(
            "{EVENTS} events of {text_bytes} bytes of text: {whole} allocations, {in_pieces} if they come in pieces"
        );
        for count in [whole, in_pieces] {
            assert!(count <= PER_EVENT * EVENTS + SLACK, "{count} for {EVENTS} events of {text_bytes} bytes");
        }
    }
}
