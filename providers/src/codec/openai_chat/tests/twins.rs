//! Whole answers and streams of the same thing.

use super::*;
use crate::codec::json::Fields;

/// A hand-made answer, whole and as a stream.
macro_rules! twins {
    ($name:literal) => {
        (
            include_bytes!(concat!(
                "../../../../tests/fixtures/openai-chat/",
                $name,
                ".json"
            ))
            .as_slice(),
            include_bytes!(concat!(
                "../../../../tests/fixtures/openai-chat/",
                $name,
                ".sse"
            ))
            .as_slice(),
        )
    };
}

const TWINS: [(&[u8], &[u8]); 4] = [
    twins!("calls"),
    twins!("refused"),
    twins!("signed"),
    twins!("legacy"),
];

fn twin(at: usize) -> LLMResponse {
    OpenAiChat::default().decode(TWINS[at].0).unwrap()
}

#[test]
fn a_whole_answer_and_its_stream_are_equal_at_every_split() {
    for (whole, streamed) in TWINS {
        let expected = OpenAiChat::default().decode(whole);
        assert_eq!(stream(&[streamed]), expected);
        assert_eq!(stream(&streamed.chunks(1).collect::<Vec<_>>()), expected);
        for at in 1..streamed.len() {
            let (front, back) = streamed.split_at(at);
            assert_eq!(stream(&[front, back]), expected, "cut at {at}");
        }
    }
}

#[test]
fn calls_come_with_the_text_and_reasoning_around_them() {
    let signature = json!({ "google": { "thought_signature": "c2ln" } });
    let parts = vec![
        Part::Reasoning("Two places, two calls.".into()),
        Part::Text("I look it up: Zürich 🌦.".into()),
        call("a", "weather", "{\"place\": \"Zürich\"}"),
        call("b", "weather", "{\"place\": \"Bern"),
        opaque(&json!({ "call": { "call": 1, "fields": { "extra_content": signature } } })),
        opaque(&json!({ "reasoning_field": "reasoning_content" })),
    ];
    let expected = Reply {
        parts,
        usage: Usage {
            input: Some(20),
            output: Some(12),
            cached: Some(16),
            reasoning: Some(5),
            cache_written: None,
        },
        model: Some("small-1".into()),
        finish: Some("tool_calls".into()),
        ..Reply::default()
    };
    assert_eq!(twin(0), LLMResponse::Calls(expected));
}

#[test]
fn a_refusal_is_its_own_kind() {
    let LLMResponse::Refused(reply) = twin(1) else {
        panic!("{:?}", twin(1))
    };
    assert_eq!(reply.parts, [Part::Refusal("I will not do that.".into())]);
}

#[test]
fn a_cut_answer_keeps_whole_calls_and_tells_of_the_others() {
    let LLMResponse::Truncated(reply) = twin(2) else {
        panic!("{:?}", twin(2))
    };
    let details = json!([
        { "type": "reasoning.text", "index": 0, "format": "v1", "text": "Let me think.", "signature": "c2lnbmVk" },
        { "type": "reasoning.encrypted", "index": 1, "format": "v1", "data": "AAAA" },
    ]);
    let stranger =
        json!({ "id": "c", "type": "custom", "custom": { "name": "grep", "input": "x" } });
    let kept = json!({
        "citations": ["https://example.org/a"],
        "mood": "calm",
        "tool_calls": stranger,
    });
    let expected = [
        Part::Reasoning("Let me think.".into()),
        Part::Text("So f".into()),
        call("a", "done", "{}"),
        call("b", "cut", "{\"to"),
        opaque(&json!({ "message": { "reasoning_details": details } })),
        opaque(&json!({ "kept": kept })),
    ];
    assert_eq!(reply.parts, expected);
    assert_eq!(
        reply.warnings,
        ["call_cut", "call_type_unknown", "several_answers"]
    );
    assert_eq!(reply.finish.as_deref(), Some("length"));
}

#[test]
fn the_old_function_call_is_a_call_without_a_label() {
    let LLMResponse::Calls(reply) = twin(3) else {
        panic!("{:?}", twin(3))
    };
    assert_eq!(reply.parts, [call("", "joke", "{\"about\":\"cars\"}")]);
}

/// Cuts a text at most three times, between characters.
fn pieces(text: &str, cuts: &[prop::sample::Index; 3]) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut at: Vec<usize> = cuts
        .iter()
        .map(|cut| cut.index(chars.len() + 1))
        .chain([0, chars.len()])
        .collect();
    at.sort_unstable();
    at.windows(2)
        .map(|pair| chars[pair[0]..pair[1]].iter().collect())
        .collect()
}

proptest! {
    #[test]
    fn any_message_is_equal_to_any_stream_of_it(
        texts in prop::array::uniform4(".{0,12}"),
        calls in prop::collection::vec(("[a-z]{1,4}", "[a-z_]{1,6}", ".{0,12}"), 0..4),
        cuts in any::<[prop::sample::Index; 3]>(),
        byte_cuts in any::<[prop::sample::Index; 3]>(),
        reason in prop::sample::select(vec!["stop", "tool_calls", "length", "content_filter", "who_knows"]),
    ) {
        let fields = ["content", "reasoning", "reasoning_content", "refusal"];
        let mut message = Fields::from_iter(fields.map(str::to_owned).into_iter().zip(texts.clone().map(Value::from)));
        let function = |(id, name, arguments): &(String, String, String)| {
            json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
        };
        message.insert("tool_calls".into(), calls.iter().map(function).collect());
        let whole = OpenAiChat::default().decode(answer(&Value::Object(message), reason).to_string().as_bytes());

        let mut chunks = Vec::new();
        for (field, text) in fields.iter().zip(&texts) {
            chunks.extend(pieces(text, &cuts).into_iter().map(|piece| delta(&json!({ *field: piece }))));
        }
        for (index, (id, name, arguments)) in calls.iter().enumerate() {
            let begin = json!({ "index": index, "id": id, "type": "function", "function": { "name": name } });
            chunks.push(delta(&json!({ "tool_calls": [begin] })));
            chunks.extend(pieces(arguments, &cuts).into_iter().map(|piece| {
                delta(&json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }))
            }));
        }
        chunks.push(finish(reason));
        let text = events(&chunks) + "data: [DONE]\n\n";
        let mut at: Vec<usize> = byte_cuts.iter().map(|cut| cut.index(text.len() + 1)).chain([0, text.len()]).collect();
        at.sort_unstable();
        let bytes: Vec<&[u8]> = at.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect();
        prop_assert_eq!(stream(&bytes), whole);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(stream(&[&bytes]));
        drop(OpenAiChat::default().decode(&bytes));
        let failure = WireFailure { status: 500, retry_after: None, body: &bytes };
        prop_assert_eq!(OpenAiChat::default().decode_error(failure).kind.is_transient(), true);
    }

    #[test]
    fn a_damaged_stream_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>(), which in 0..4_usize) {
        let mut bytes = TWINS[which].1.to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(stream(&[&bytes]), stream(&one_by_one));
    }
}
