//! How fast streams are decoded, beside bare JSON decoding of the same data lines.
#![expect(clippy::unwrap_used, reason = "a bench may panic")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use folkmoot_providers::codec::Wire;
use serde_json::{Value, json};

/// The sizes in which a network hands bytes over.
const PIECE_BYTES: usize = 1_400;

/// An answer as long as people get them: so many fragments of a few letters, each with what servers put around them.
const FRAGMENTS: usize = 2_000;

fn word(at: usize) -> String {
    format!("word {at} ")
}

fn chat() -> Vec<Value> {
    let chunk = |at: usize, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": { "content": word(at) }, "logprobs": null, "finish_reason": finish });
        json!({
            "id": "chatcmpl-0123456789abcdef", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": "small-1", "service_tier": "default", "system_fingerprint": "fp_0123456789", "choices": [choice], "usage": null,
        })
    };
    (0..FRAGMENTS)
        .map(|at| chunk(at, None))
        .chain([chunk(FRAGMENTS, Some("stop"))])
        .collect()
}

/// Many fragments, and the whole at the end.
fn responses() -> Vec<Value> {
    let fragment = |at: usize| {
        json!({
            "type": "response.output_text.delta", "sequence_number": at + 4, "item_id": "msg_0123456789abcdef", "output_index": 0,
            "content_index": 0, "delta": word(at), "logprobs": [], "obfuscation": "x1Y2z3",
        })
    };
    let whole: String = (0..FRAGMENTS).map(word).collect();
    let item = json!({
        "id": "msg_0123456789abcdef", "type": "message", "status": "completed", "role": "assistant",
        "content": [{ "type": "output_text", "annotations": [], "logprobs": [], "text": whole }],
    });
    let done = json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let end = json!({ "type": "response.completed", "response": { "status": "completed", "model": "small-1", "output": [item] } });
    (0..FRAGMENTS).map(fragment).chain([done, end]).collect()
}

fn anthropic() -> Vec<Value> {
    let delta = |at| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": word(at) } });
    let message =
        json!({ "type": "message", "role": "assistant", "model": "small-1", "content": [] });
    let first = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ];
    let last = [
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ];
    first
        .into_iter()
        .chain((0..FRAGMENTS).map(delta))
        .chain(last)
        .collect()
}

fn google() -> Vec<Value> {
    let document = |at: usize| {
        let candidate =
            json!({ "content": { "parts": [{ "text": word(at) }], "role": "model" }, "index": 0 });
        let usage = json!({
            "candidatesTokenCount": at, "promptTokenCount": 120, "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": 120 }],
            "serviceTier": "standard", "thoughtsTokenCount": 48, "totalTokenCount": 168 + at,
        });
        json!({
            "candidates": [candidate], "modelVersion": "gemini-2.5-flash", "responseId": "0123456789abcdef", "usageMetadata": usage,
        })
    };
    let last = json!({ "candidates": [{ "finishReason": "STOP", "index": 0 }] });
    (0..FRAGMENTS).map(document).chain([last]).collect()
}

/// The data lines of an answer.
fn documents(wire: Wire) -> Vec<Value> {
    match wire {
        Wire::OpenaiChat => chat(),
        Wire::OpenaiResponses => responses(),
        Wire::AnthropicMessages => anthropic(),
        Wire::GoogleGenerateContent => google(),
    }
}

/// The events around them, as the wire's servers end their lines.
fn body(wire: Wire, documents: &[Value]) -> String {
    let event = |document: &Value| match wire {
        Wire::OpenaiChat => format!("data: {document}\n\n"),
        Wire::GoogleGenerateContent => format!("data: {document}\r\n\r\n"),
        Wire::OpenaiResponses | Wire::AnthropicMessages => {
            let name = document.get("type").and_then(Value::as_str).unwrap();
            format!("event: {name}\ndata: {document}\n\n")
        }
    };
    documents.iter().map(event).collect()
}

fn decode(c: &mut Criterion) {
    for wire in Wire::ALL {
        let documents = documents(wire);
        let body = body(wire, &documents);
        let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
        let codec = wire.default_codec();
        let mut group = c.benchmark_group(wire.name());
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_function("decoder", |bencher| {
            bencher.iter(|| {
                let mut decoder = codec.stream_decoder();
                let deltas: usize = body
                    .as_bytes()
                    .chunks(PIECE_BYTES)
                    .map(|piece| decoder.push(piece).unwrap().len())
                    .sum();
                black_box((deltas, decoder.finish().unwrap()))
            });
        });
        group.bench_function("bare serde_json", |bencher| {
            bencher.iter(|| {
                lines
                    .iter()
                    .map(|line| serde_json::from_str::<Value>(line).unwrap())
                    .for_each(|value| {
                        black_box(value);
                    })
            });
        });
        group.finish();
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
