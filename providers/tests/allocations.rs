//! What decoding a stream asks of the allocator: so much for each event, whatever it weighs.
//!
//! The counts are those of the whole process: this is the only test in it.
#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::alloc::System;

use folkmoot_providers::codec::Wire;
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const EVENTS: usize = 500;

/// The list of what can be shown, and the text in it; on Google's wire the lists of candidates and of parts besides.
const fn per_event(wire: Wire) -> usize {
    match wire {
        Wire::OpenaiChat | Wire::OpenaiResponses | Wire::AnthropicMessages => 2,
        Wire::GoogleGenerateContent => 4,
    }
}

/// For what grows with the answer: it doubles, so that this is a logarithm.
const SLACK: usize = 64;

/// What opens an answer on a wire, and one fragment of its text.
fn events(wire: Wire, text: &str) -> (String, String) {
    match wire {
        Wire::OpenaiChat => {
            let choice = json!({ "index": 0, "delta": { "content": text }, "finish_reason": null });
            (
                String::new(),
                event(&json!({ "id": "c", "model": "m", "choices": [choice] })),
            )
        }
        Wire::OpenaiResponses => {
            let item = json!({ "id": "i", "type": "message", "role": "assistant", "status": "in_progress", "content": [] });
            let part = json!({ "type": "output_text", "text": "", "annotations": [] });
            let opened =
                json!({ "type": "response.output_item.added", "output_index": 0, "item": item });
            let begun = json!({ "type": "response.content_part.added", "item_id": "i", "output_index": 0, "content_index": 0, "part": part });
            let delta = json!({ "type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, "delta": text });
            (event(&opened) + &event(&begun), event(&delta))
        }
        Wire::AnthropicMessages => {
            let message =
                json!({ "type": "message", "role": "assistant", "model": "m", "content": [] });
            let block = json!({ "type": "text", "text": "" });
            let opened = json!({ "type": "message_start", "message": message });
            let begun =
                json!({ "type": "content_block_start", "index": 0, "content_block": block });
            let delta = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } });
            (event(&opened) + &event(&begun), event(&delta))
        }
        Wire::GoogleGenerateContent => {
            let content = json!({ "role": "model", "parts": [{ "text": text }] });
            (
                String::new(),
                event(
                    &json!({ "candidates": [{ "content": content, "index": 0 }], "modelVersion": "m" }),
                ),
            )
        }
    }
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// How often the allocator is asked while a decoder takes a fragment many times, in pieces of so many bytes.
fn asked(wire: Wire, (opening, fragment): &(String, String), piece_bytes: usize) -> usize {
    let mut decoder = wire.default_codec().stream_decoder();
    decoder.push(opening.as_bytes()).unwrap();
    let region = Region::new(ALLOCATOR);
    let pieces = (0..EVENTS).flat_map(|_| fragment.as_bytes().chunks(piece_bytes));
    let deltas: usize = pieces.map(|piece| decoder.push(piece).unwrap().len()).sum();
    let change = region.change();
    assert_eq!(deltas, EVENTS, "{}", wire.name());
    change.allocations + change.reallocations
}

#[test]
fn a_decoder_allocates_for_each_event_and_not_for_each_byte() {
    for wire in Wire::ALL {
        for text_bytes in [10, 100, 1_000, 10_000] {
            let events = events(wire, &"a".repeat(text_bytes));
            for piece_bytes in [usize::MAX, 7] {
                let count = asked(wire, &events, piece_bytes);
                println!(
                    "{}: {EVENTS} events of {text_bytes} bytes of text: {count} allocations",
                    wire.name()
                );
                let name = wire.name();
                assert!(
                    count <= per_event(wire) * EVENTS + SLACK,
                    "{name}: {count} for {EVENTS} events of {text_bytes} bytes"
                );
            }
        }
    }
}
