//! The answers of models, on every wire, and the events that they stream in.

use folkmoot::core::model::response::LLMResponse;
use folkmoot::core::port::Files;
use folkmoot::core::prompt::Item;
use folkmoot::core::prompt::border::ForgedRequest;
use folkmoot::providers::codec::{
    AnswerMode, BodyReader, Codec, DecodeError, Delta, SseParser, Wire, WireFailure,
};

use crate::corpus;

/// A target for each wire: its law, and its seeds.
macro_rules! wire {
    ($($law:ident, $seeds:ident: $wire:ident;)*) => {$(
        /// See [`decoders_survive`].
        pub(crate) fn $law(input: &[u8]) {
            decoders_survive(Wire::$wire, input);
        }

        pub(crate) fn $seeds() -> Vec<Vec<u8>> {
            corpus::split(corpus::files(&format!("providers/tests/fixtures/{}", Wire::$wire.name()), ""))
        }
    )*};
}

wire! {
    anthropic_messages, anthropic_messages_seeds: AnthropicMessages;
    google_generate_content, google_generate_content_seeds: GoogleGenerateContent;
    openai_chat, openai_chat_seeds: OpenaiChat;
    openai_responses, openai_responses_seeds: OpenaiResponses;
}

/// Gives `input` to all decoders of `wire`. Its first byte says how the rest is split.
///
/// # Panics
/// If the answer depends on the split, or shows what it does not say.
fn decoders_survive(wire: Wire, input: &[u8]) {
    let Some((seed, body)) = input.split_first() else {
        return;
    };
    let codec = wire.default_codec();
    let whole_body = codec.decode(body);
    let failure = WireFailure {
        status: 400 + u16::from(*seed),
        retry_after: None,
        body,
    };
    assert!(
        !codec.decode_error(failure).detail.is_empty(),
        "an error that says nothing"
    );
    let (whole, shown) = stream(&*codec, [body]);
    let (split, _) = stream(&*codec, body.chunks(1 + usize::from(*seed) % 9));
    assert_eq!(whole, split, "the split makes a difference");
    let read = |bytes: usize| {
        let mut reader = BodyReader::new(&*codec, body.len());
        let pushed = body
            .chunks(bytes)
            .try_for_each(|piece| reader.push(piece).map(drop));
        pushed.and_then(|()| reader.finish())
    };
    assert_eq!(
        read(body.len().max(1)),
        read(1 + usize::from(*seed) % 9),
        "the split makes a difference to a body"
    );
    for response in whole.iter().chain(&whole_body) {
        echo(&*codec, response);
    }
    if let Ok(response) = whole {
        // The last event may lack its end: it is said, but was not shown.
        assert!(
            response.spoken().starts_with(&shown),
            "{shown:?} was shown of {response:?}"
        );
    }
}

/// Gives `input` to the event parser, whole and in pieces. Its first byte says how it is split.
///
/// # Panics
/// If the events depend on the split.
pub(crate) fn events_survive(input: &[u8]) {
    let Some((seed, text)) = input.split_first() else {
        return;
    };
    assert_eq!(
        events([text]),
        events(text.chunks(1 + usize::from(*seed) % 9)),
        "the split makes a difference"
    );
}

pub(crate) fn events_seeds() -> Vec<Vec<u8>> {
    corpus::split(corpus::files("providers/tests/fixtures/openai-chat", ""))
}

fn events<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<(String, Vec<u8>)>, DecodeError> {
    let (mut parser, mut events) = (SseParser::with_limit(256), Vec::new());
    let mut keep = |name: &str, data: &[u8]| {
        events.push((name.to_owned(), data.to_vec()));
        Ok(())
    };
    for piece in pieces {
        parser.push(piece, &mut keep)?;
    }
    parser.finish(&mut keep)?;
    Ok(events)
}

/// The answer, and all that was shown of it.
fn stream<'a>(
    codec: &dyn Codec,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Result<LLMResponse, DecodeError>, String) {
    let (mut decoder, mut shown) = (codec.stream_decoder(), String::new());
    for piece in pieces {
        match decoder.push(piece) {
            Ok(deltas) => deltas.iter().for_each(|delta| {
                if let Delta::Text(text) | Delta::Refusal(text) = delta {
                    shown.push_str(text);
                }
            }),
            Err(error) => return (Err(error), shown),
        }
    }
    (decoder.finish(), shown)
}

/// Whatever was answered can be sent back, and the request is the same every time.
fn echo(codec: &dyn Codec, response: &LLMResponse) {
    let said = Item::Said {
        parts: response.reply().parts.clone(),
    };
    let request = ForgedRequest {
        model: "m".to_owned(),
        items: vec![said],
        ..ForgedRequest::default()
    }
    .into_request();
    let encode = || codec.encode(&request, &Files::new(), AnswerMode::Stream);
    assert_eq!(encode(), encode());
}
