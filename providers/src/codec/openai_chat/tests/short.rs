//! The short way through a chunk and the long one come to the same.

use super::*;
use crate::codec::openai_chat::chunk::Chunk;

/// The same event with a field that says nothing, but that the short way does not know.
fn the_long_way(chunk: &Value) -> String {
    let mut chunk = chunk.clone();
    chunk["unheard_of"] = Value::Null;
    chunk.to_string()
}

/// What a decoder makes of the events: all that it shows, and the answer.
fn decoded(events: &[String]) -> (Vec<Delta>, Result<LLMResponse, ModelErrorKind>) {
    // The detail of a report quotes the event, with the field or without it.
    let told = |error: DecodeError| ModelError::from(error).kind;
    let mut decoder = OpenAiChat::default().stream_decoder();
    let mut shown = Vec::new();
    for event in events {
        match decoder.push(format!("data: {event}\n\n").as_bytes()) {
            Ok(deltas) => shown.extend(deltas),
            Err(error) => return (shown, Err(told(error))),
        }
    }
    (shown, decoder.finish().map_err(told))
}

/// Values that a field of this kind may have, and some that it should not.
fn one_of(values: &[Value]) -> impl Strategy<Value = Value> + use<> {
    prop::sample::select(values.to_vec())
}

fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => ".{0,6}".prop_map(Value::from),
        1 => one_of(&[json!(null), json!(""), json!(7), json!(["a"]), json!({ "type": "text" })]),
    ]
}

/// An object with some of these fields.
fn object_of(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let field = |(name, value): (&'static str, BoxedStrategy<Value>)| {
        prop::option::of(value).prop_map(move |value| value.map(|value| (name.to_owned(), value)))
    };
    let fields: Vec<_> = fields.into_iter().map(field).collect();
    fields
        .prop_map(|fields| Value::Object(fields.into_iter().flatten().collect()))
        .boxed()
}

fn fragment() -> BoxedStrategy<Value> {
    let function = object_of(vec![
        ("name", text().boxed()),
        ("arguments", text().boxed()),
    ]);
    object_of(vec![
        (
            "index",
            one_of(&[json!(0), json!(1), json!(null), json!(-1)]).boxed(),
        ),
        (
            "id",
            one_of(&[json!("a"), json!("b"), json!(""), json!(null)]).boxed(),
        ),
        (
            "type",
            one_of(&[json!("function"), json!(""), json!(null), json!("custom")]).boxed(),
        ),
        (
            "function",
            prop_oneof![4 => function, 1 => Just(Value::Null)].boxed(),
        ),
    ])
}

fn choice() -> BoxedStrategy<Value> {
    let delta = object_of(vec![
        ("role", one_of(&[json!("assistant"), json!(null)]).boxed()),
        ("content", text().boxed()),
        ("reasoning", text().boxed()),
        ("reasoning_content", text().boxed()),
        ("refusal", text().boxed()),
        (
            "tool_calls",
            prop::collection::vec(fragment(), 0..3)
                .prop_map(Value::from)
                .boxed(),
        ),
        (
            "function_call",
            one_of(&[json!({ "name": "t", "arguments": "{}" }), json!(null)]).boxed(),
        ),
    ]);
    object_of(vec![
        (
            "index",
            one_of(&[json!(0), json!(0), json!(1), json!(null)]).boxed(),
        ),
        (
            "delta",
            prop_oneof![6 => delta, 1 => Just(Value::Null)].boxed(),
        ),
        (
            "finish_reason",
            one_of(&[
                json!("stop"),
                json!("tool_calls"),
                json!(""),
                json!(null),
                json!(1),
            ])
            .boxed(),
        ),
        (
            "logprobs",
            one_of(&[json!(null), json!({}), json!({ "content": [1] })]).boxed(),
        ),
        (
            "stop_reason",
            one_of(&[json!(null), json!([1, { "a": 1e3 }])]).boxed(),
        ),
    ])
}

fn chunk() -> BoxedStrategy<Value> {
    let usage = json!({ "prompt_tokens": 3, "completion_tokens": 4 });
    object_of(vec![
        (
            "id",
            one_of(&[json!("c"), json!({ "deep": ["x"] })]).boxed(),
        ),
        (
            "object",
            one_of(&[json!("chat.completion.chunk"), json!("error"), json!(1)]).boxed(),
        ),
        (
            "model",
            one_of(&[json!("m"), json!("n"), json!(""), json!(null), json!(2)]).boxed(),
        ),
        (
            "usage",
            one_of(&[json!(null), json!(null), usage, json!([])]).boxed(),
        ),
        (
            "choices",
            prop::collection::vec(choice(), 0..3)
                .prop_map(Value::from)
                .boxed(),
        ),
        (
            "error",
            one_of(&[json!(null), json!({}), json!({ "message": "m" })]).boxed(),
        ),
    ])
}

proptest! {
    #[test]
    fn any_chunks_come_to_the_same_both_ways(chunks in prop::collection::vec(chunk(), 0..6)) {
        let short: Vec<String> = chunks.iter().map(ToString::to_string).collect();
        let long: Vec<String> = chunks.iter().map(the_long_way).collect();
        prop_assert!(long.iter().all(|event| Chunk::read(event.as_bytes()).is_none()));
        prop_assert_eq!(decoded(&short), decoded(&long));
    }

    #[test]
    fn the_short_way_refuses_what_the_long_one_does(
        at in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), prop::sample::select(b"\"\\{}[],:0e.u".to_vec())],
    ) {
        let mut event = events(&[plain_chunk()]).into_bytes();
        let at = at.index(event.len());
        event[at] = byte;
        let long = event.iter().position(|byte| *byte == b'{').map(|brace| {
            [&event[..=brace], b"\"unheard_of\":null,".as_slice(), &event[brace + 1..]].concat()
        });
        let kind = |answer: Result<LLMResponse, DecodeError>| answer.map_err(|error| std::mem::discriminant(&error));
        if let Some(long) = long {
            prop_assert_eq!(kind(stream(&[&event])), kind(stream(&[&long])));
        }
    }
}

/// A chunk with something of everything.
fn plain_chunk() -> Value {
    let function = json!({ "name": "t", "arguments": "{\"é\":1}" });
    let delta = json!({ "content": "a\"b", "tool_calls": [{ "index": 0, "id": "a", "function": function }] });
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": "stop", "token_ids": [1, 2.5, { "a": "\u{1}" }] });
    json!({ "id": "c-1", "created": 1_700_000_000, "model": "m", "choices": [choice], "p": "abc" })
}

#[test]
fn the_common_chunks_go_the_short_way() {
    let chunks = [
        plain_chunk(),
        delta(&json!({ "role": "assistant", "content": "", "refusal": null })),
        delta(&json!({ "reasoning_content": "Hm.", "content": null })),
        json!({ "choices": [], "usage": { "prompt_tokens": 1 } }),
        json!({ "choices": [{ "delta": null }] }),
        finish("stop"),
    ];
    for chunk in chunks {
        assert!(
            Chunk::read(chunk.to_string().as_bytes()).is_some(),
            "{chunk}"
        );
    }
}

#[test]
fn what_the_short_way_skips_is_read_as_strictly() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for value in ["1e999", "\"\\ud800\"", "\"\u{1}\"", "01", deep.as_str()] {
        let event = format!("data: {{\"id\":{value},\"choices\":[]}}\n\n");
        assert!(
            matches!(stream(&[event.as_bytes()]), Err(DecodeError::Json(_))),
            "{value}"
        );
    }
}
