//! Whole answers and streams of the same thing.

use super::*;

/// A hand-made answer, whole and as a stream.
macro_rules! twins {
    ($name:literal) => {
        (
            include_bytes!(concat!(
                "../../../../tests/fixtures/openai-responses/",
                $name,
                ".json"
            ))
            .as_slice(),
            include_bytes!(concat!(
                "../../../../tests/fixtures/openai-responses/",
                $name,
                ".sse"
            ))
            .as_slice(),
        )
    };
}

/// The stream of the first ends with a document without items.
pub(super) const TWINS: [(&[u8], &[u8]); 4] = [
    twins!("calls"),
    twins!("refused"),
    twins!("searched"),
    twins!("cut"),
];

fn twin(at: usize) -> LLMResponse {
    OpenAiResponses::default().decode(TWINS[at].0).unwrap()
}

#[test]
fn a_whole_answer_and_its_stream_are_equal_at_any_split() {
    for (whole, streamed) in TWINS {
        let expected = OpenAiResponses::default().decode(whole);
        assert_eq!(stream(&[streamed]), expected);
        assert_eq!(stream(&streamed.chunks(1).collect::<Vec<_>>()), expected);
        for at in (1..streamed.len()).step_by(7) {
            let (front, back) = streamed.split_at(at);
            assert_eq!(stream(&[front, back]), expected, "cut at {at}");
        }
    }
}

#[test]
fn what_a_stream_shows_is_what_the_whole_answer_says() {
    for (whole, streamed) in TWINS {
        let said = OpenAiResponses::default().decode(whole).unwrap().spoken();
        assert_eq!(text_of(&shown(&[streamed]).1), said);
    }
}

#[test]
fn calls_come_with_the_text_and_reasoning_around_them() {
    let summary =
        ["Two places.", "Two calls."].map(|text| json!({ "type": "summary_text", "text": text }));
    let reasoning = json!({ "id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": "c2VjcmV0" });
    let of_call = |id: &str| opaque(&json!({ "call": { "id": id, "status": "completed" } }));
    let parts = vec![
        Part::Reasoning("Two places.".into()),
        Part::Reasoning("Two calls.".into()),
        opaque(&json!({ "item": reasoning })),
        text("I look it up: Zürich 🌦."),
        opaque(
            &json!({ "message": { "fields": { "id": "msg_1", "phase": "commentary", "status": "completed" } } }),
        ),
        call("a", "weather", "{\"place\": \"Zürich\"}"),
        of_call("fc_1"),
        call("b", "weather", "{\"place\": \"Bern"),
        of_call("fc_2"),
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
        finish: Some("completed".into()),
        ..Reply::default()
    };
    assert_eq!(twin(0), LLMResponse::Calls(expected));
}

#[test]
fn the_others_are_of_their_kinds() {
    assert!(matches!(twin(1), LLMResponse::Refused(_)));
    assert!(matches!(twin(2), LLMResponse::Text(reply) if reply.warnings.is_empty()));
    assert!(matches!(twin(3), LLMResponse::Truncated(reply) if reply.warnings == ["call_cut"]));
}
