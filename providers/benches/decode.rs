//! How fast a stream is decoded, beside bare JSON decoding of the same chunks.
#![expect(clippy::unwrap_used, reason = "a bench may panic")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use folkmoot_providers::codec::{AnthropicMessages, Codec as _, OpenAiChat};
use serde_json::{Value, json};

/// The sizes in which a network hands bytes over.
const PIECE_BYTES: usize = 1_400;

/// An answer as long as people get them: `count` chunks of a few letters, each with what servers put around them.
fn chunks(count: usize) -> Vec<String> {
    let chunk = |at: usize| {
        let choice = json!({ "index": 0, "delta": { "content": format!("word {at} ") }, "logprobs": null, "finish_reason": null });
        json!({
            "id": "chatcmpl-0123456789abcdef", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": "small-1", "service_tier": "default", "system_fingerprint": "fp_0123456789", "choices": [choice], "usage": null,
        })
        .to_string()
    };
    (0..count).map(chunk).collect()
}

fn decode(c: &mut Criterion) {
    let chunks = chunks(2_000);
    let body = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect::<String>() + "data: [DONE]\n\n";
    let mut group = c.benchmark_group("stream");
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("decoder", |bencher| {
        bencher.iter(|| {
            let mut decoder = OpenAiChat::default().stream_decoder();
            let deltas: usize =
                body.as_bytes().chunks(PIECE_BYTES).map(|piece| decoder.push(piece).unwrap().len()).sum();
            black_box((deltas, decoder.finish().unwrap()))
        });
    });
    group.bench_function("bare serde_json", |bencher| {
        bencher.iter(|| {
            chunks.iter().map(|chunk| serde_json::from_str::<Value>(chunk).unwrap()).for_each(|value| {
                black_box(value);
            })
        });
    });
    group.finish();
}

/// The same answer as Anthropic sends it.
fn decode_anthropic(c: &mut Criterion) {
    let delta = |at: usize| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": format!("word {at} ") } });
    let message = json!({ "type": "message", "role": "assistant", "model": "small-1", "content": [] });
    let first = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ];
    let last = [
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ];
    let events = first.into_iter().chain((0..2_000).map(delta)).chain(last);
    let name = |event: &Value| event.get("type").and_then(Value::as_str).map(str::to_owned).unwrap();
    let event = |event: Value| format!("event: {}\ndata: {event}\n\n", name(&event));
    let body: String = events.map(event).collect();
    let mut group = c.benchmark_group("anthropic-messages stream");
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("decoder", |bencher| {
        bencher.iter(|| {
            let mut decoder = AnthropicMessages::default().stream_decoder();
            let deltas: usize =
                body.as_bytes().chunks(PIECE_BYTES).map(|piece| decoder.push(piece).unwrap().len()).sum();
            black_box((deltas, decoder.finish().unwrap()))
        });
    });
    group.finish();
}

criterion_group!(benches, decode, decode_anthropic);
criterion_main!(benches);
