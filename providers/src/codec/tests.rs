//! Exchanges as the documentation of the four wires and the threads of their users have them, honest and hostile ones: what
//! each says, and that it says so however its bytes are split.

use folkmoot_core::model::response::{LLMResponse, ModelError, Part};
use serde_json::{Value, json};

use super::*;

mod anthropic;
mod chat;
mod failures;
mod google;
mod provider_tools;
mod responses;

/// A body, and what is made of it, as [`told`] writes it.
type Row = (&'static str, String, &'static str);

/// Reads each body whole and in pieces.
#[track_caller]
fn check(wire: Wire, rows: &[Row]) {
    for (name, body, expected) in rows {
        let whole = read(wire, body, usize::MAX);
        assert_eq!(told(&whole.0), *expected, "{name}: {:?}", whole.0);
        for bytes in [1, 3, 17] {
            assert_eq!(
                read(wire, body, bytes),
                whole,
                "{name}: in pieces of {bytes} bytes"
            );
        }
        if let (Ok(response), false) = (&whole.0, whole.1.is_empty()) {
            assert_eq!(
                whole.1,
                response.spoken(),
                "{name}: what was shown is what was said"
            );
        }
    }
}

/// The answer, and what was shown of it.
fn read(wire: Wire, body: &str, bytes: usize) -> (Result<LLMResponse, ModelError>, String) {
    let codec = wire.default_codec();
    let mut reader = BodyReader::new(&*codec, body.len());
    let mut shown = String::new();
    for piece in body.as_bytes().chunks(bytes) {
        match reader.push(piece) {
            Ok(deltas) => deltas.iter().for_each(|delta| match delta {
                Delta::Text(text) | Delta::Refusal(text) => shown.push_str(text),
                Delta::Reasoning(_) => {}
            }),
            Err(error) => return (Err(error.into()), shown),
        }
    }
    (reader.finish().map_err(ModelError::from), shown)
}

/// The kind, what is said, the calls behind arrows, and the warnings behind a mark; or the kind of the error.
fn told(answer: &Result<LLMResponse, ModelError>) -> String {
    let response = match answer {
        Ok(response) => response,
        Err(error) => return format!("error {}", error.kind),
    };
    let kind = match response {
        LLMResponse::Text(_) => "text",
        LLMResponse::Calls(_) => "calls",
        LLMResponse::Refused(_) => "refused",
        LLMResponse::Truncated(_) => "truncated",
        LLMResponse::Filtered(_) => "filtered",
    };
    let reply = response.reply();
    let reasoning = |part: &Part| {
        if let Part::Reasoning(text) = part {
            Some(text.clone())
        } else {
            None
        }
    };
    let reasoning: String = reply.parts.iter().filter_map(reasoning).collect();
    let reasoning = if reasoning.is_empty() {
        reasoning
    } else {
        format!(" ({reasoning})")
    };
    let calls: String = reply
        .calls()
        .map(|call| format!(" → {} {}", call.tool, call.arguments))
        .collect();
    let warnings: String = reply
        .warnings
        .iter()
        .map(|code| format!(" ! {code}"))
        .collect();
    format!("{kind}: {}{reasoning}{calls}{warnings}", response.spoken())
}

/// A stream of events without names.
fn events(documents: &[Value]) -> String {
    documents
        .iter()
        .map(|document| format!("data: {document}\n\n"))
        .collect()
}
