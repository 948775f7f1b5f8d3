//! The codecs against recorded traffic of real servers.
//!
//! The recordings are not part of the project. They are looked for in `FOLKMOOT_CASSETTES`, else in
//! `../shared/cassettes` beside the workspace; without them these tests say so and pass.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test reports by panicking, and says how much it has tried"
)]

use folkmoot_core::model::response::LLMResponse;
use folkmoot_providers::codec::{Codec, DecodeError, Delta};

mod anthropic_messages;
mod google_generate_content;
mod openai_chat;
mod openai_responses;
#[path = "../../examples/read_recordings.rs"]
#[expect(dead_code, reason = "a test has no use for its `main`")]
mod read_recordings;
mod reading;
mod recording;
mod splits;

/// Decodes a stream that comes in the given pieces: the answer, and all that was shown.
fn stream<'a>(
    codec: &dyn Codec,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Result<LLMResponse, DecodeError>, String) {
    let mut decoder = codec.stream_decoder();
    let mut shown = String::new();
    for piece in pieces {
        match decoder.push(piece) {
            Ok(deltas) => shown.extend(deltas.iter().filter_map(|delta| match delta {
                Delta::Text(text) | Delta::Refusal(text) => Some(text.as_str()),
                Delta::Reasoning(_) => None,
            })),
            Err(error) => return (Err(error), shown),
        }
    }
    (decoder.finish(), shown)
}
