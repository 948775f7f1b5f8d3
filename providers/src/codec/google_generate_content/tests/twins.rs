//! Whole answers and streams of the same thing.

use super::*;

/// A hand-made answer, whole and as a stream.
macro_rules! twins {
    ($name:literal) => {
        (
            include_bytes!(concat!(
                "../../../../tests/fixtures/google-generate-content/",
                $name,
                ".json"
            ))
            .as_slice(),
            include_bytes!(concat!(
                "../../../../tests/fixtures/google-generate-content/",
                $name,
                ".sse"
            ))
            .as_slice(),
        )
    };
}

pub(super) const TWINS: [(&[u8], &[u8]); 4] = [
    twins!("calls"),
    twins!("tools"),
    twins!("filtered"),
    twins!("cut"),
];

fn twin(at: usize) -> LLMResponse {
    codec().decode(TWINS[at].0).unwrap()
}

#[test]
fn a_whole_answer_and_its_stream_are_equal_at_every_split() {
    for (whole, streamed) in TWINS {
        let expected = codec().decode(whole);
        assert_eq!(stream(&[streamed]), expected);
        assert_eq!(stream(&streamed.chunks(1).collect::<Vec<_>>()), expected);
        for at in 1..streamed.len() {
            let (front, back) = streamed.split_at(at);
            assert_eq!(stream(&[front, back]), expected, "cut at {at}");
        }
    }
}

#[test]
fn a_list_of_documents_is_a_stream_without_events() {
    for (whole, streamed) in TWINS {
        let documents: Vec<&str> = std::str::from_utf8(streamed)
            .unwrap()
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .collect();
        let list = format!(" [{}]", documents.join(",\n"));
        assert_eq!(codec().decode(list.as_bytes()), codec().decode(whole));
    }
}

#[test]
fn calls_come_with_the_text_and_reasoning_around_them() {
    let parts = vec![
        Part::Reasoning("Two places, two calls.".into()),
        Part::Text("I look it up: Zürich 🌦.".into()),
        call(
            "",
            "weather",
            r#"{"place": "Zürich", "at": 9007199254740993, "a": 1.50}"#,
        ),
        with("call", &json!({ "thoughtSignature": "c2ln" })),
        call("b", "now", "{}"),
        with("call", &json!({ "functionCall": { "id": "b" } })),
        opaque(&json!("thoughts")),
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
        finish: Some("STOP".into()),
        ..Reply::default()
    };
    assert_eq!(twin(0), LLMResponse::Calls(expected));
}

#[test]
fn what_the_providers_tools_did_is_kept_in_its_place() {
    let LLMResponse::Text(reply) = twin(1) else {
        panic!("{:?}", twin(1))
    };
    let code = json!({ "language": "PYTHON", "code": "print(6*7)" });
    let result = json!({ "outcome": "OUTCOME_OK", "output": "42\n" });
    let image = json!({ "mimeType": "image/png", "data": "iVBORw==" });
    let kept = json!({
        "avgLogprobs": -0.5,
        "citationMetadata": { "citationSources": [{ "uri": "https://example.org/a" }] },
        "groundingMetadata": { "webSearchQueries": ["six times seven"] },
    });
    let expected = [
        opaque(&json!({ "part": { "text": "", "thoughtSignature": "YQ==" } })),
        opaque(&json!({ "part": { "executableCode": code, "thoughtSignature": "Yg==" } })),
        opaque(&json!({ "part": { "codeExecutionResult": result } })),
        opaque(&json!({ "part": { "inlineData": image } })),
        Part::Text("It is 42.".into()),
        Part::Text(" Surely.".into()),
        with("text", &json!({ "thoughtSignature": "Yw==" })),
        Part::Text("Bye.".into()),
        with("text", &json!({ "mood": "calm" })),
        opaque(&json!({ "kept": kept })),
    ];
    assert_eq!(reply.parts, expected);
    assert_eq!(
        (reply.usage.input, reply.usage.output, reply.usage.reasoning),
        (Some(12), Some(8), None)
    );
}

#[test]
fn a_filtered_answer_keeps_what_nobody_understands() {
    let LLMResponse::Filtered(reply) = twin(2) else {
        panic!("{:?}", twin(2))
    };
    let rating = |probability: &str| json!({ "category": "HARM_CATEGORY_HARASSMENT", "probability": probability });
    let mut high = rating("HIGH");
    high["blocked"] = json!(true);
    let another = json!({ "content": { "parts": [{ "text": "Another." }] }, "finishReason": "STOP", "index": 1 });
    let kept = json!({
        "candidates": another,
        "incomplete_calls": { "args": {} },
        "parts": 7,
        "promptFeedback": { "safetyRatings": [rating("LOW")] },
        "safetyRatings": [high],
        "tone": "dry",
        "weather": "fair",
    });
    let expected = [
        Part::Text("So f".into()),
        opaque(&json!({ "part": { "text": 5 } })),
        opaque(&json!({ "kept": kept })),
    ];
    assert_eq!(reply.parts, expected);
    assert_eq!(
        reply.warnings,
        ["calls_incomplete", "content_unknown", "several_answers"]
    );
    assert_eq!((reply.usage.input, reply.usage.output), (Some(9), Some(3)));
}

#[test]
fn an_answer_cut_in_thought_keeps_its_thoughts() {
    let LLMResponse::Truncated(reply) = twin(3) else {
        panic!("{:?}", twin(3))
    };
    let expected = [
        Part::Reasoning("Hm, ".into()),
        with("thought", &json!({ "thoughtSignature": "ZA==" })),
        Part::Reasoning("well".into()),
        opaque(&json!("thoughts")),
    ];
    assert_eq!(reply.parts, expected);
    assert_eq!(
        (reply.usage.output, reply.usage.reasoning),
        (Some(16), Some(16))
    );
}
