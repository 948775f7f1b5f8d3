//! Whole answers, and what servers do beyond the schema.

use super::*;

#[test]
fn an_answer_that_ends_by_itself_is_text() {
    let expected = Reply {
        parts: vec![text("Hi.")],
        finish: Some("completed".into()),
        ..Reply::default()
    };
    assert_eq!(
        decode(&answer(&json!([message("Hi.")]))),
        LLMResponse::Text(expected)
    );
}

#[test]
fn an_empty_answer_is_text_without_parts() {
    for output in [
        json!([]),
        json!([message("")]),
        json!([{ "type": "message", "role": "assistant", "content": [] }]),
    ] {
        let LLMResponse::Text(reply) = decode(&answer(&output)) else {
            panic!()
        };
        assert_eq!(reply.parts, [], "{output}");
    }
}

#[test]
fn prose_that_looks_like_a_call_stays_text() {
    let prose = "Calling tool: weather {\"place\": \"Bern\"}";
    let LLMResponse::Text(reply) = decode(&answer(&json!([message(prose)]))) else {
        panic!()
    };
    assert_eq!(reply.parts, [text(prose)]);
}

#[test]
fn parts_are_in_the_order_of_the_items() {
    let reasoning = json!({
        "type": "reasoning", "id": "rs_1", "encrypted_content": "AAAA",
        "summary": [{ "type": "summary_text", "text": "One." }, { "type": "summary_text", "text": "Two." }],
        "content": [{ "type": "reasoning_text", "text": "Deep." }],
    });
    let search = json!({ "type": "web_search_call", "id": "ws_1", "status": "completed", "action": { "query": "q" } });
    let mut first = message("Let me see.");
    first["id"] = json!("msg_1");
    let output = json!([
        reasoning,
        first,
        search,
        function_call("a", "t", "{}"),
        message("Done.")
    ]);
    let LLMResponse::Calls(reply) = decode(&answer(&output)) else {
        panic!()
    };
    let expected = [
        Part::Reasoning("Deep.".into()),
        Part::Reasoning("One.".into()),
        Part::Reasoning("Two.".into()),
        opaque(&json!({ "item": reasoning })),
        text("Let me see."),
        opaque(&json!({ "message": { "fields": { "id": "msg_1" } } })),
        opaque(&json!({ "item": search })),
        call("a", "t", "{}"),
        text("Done."),
    ];
    assert_eq!(reply.parts, expected);
}

#[test]
fn statuses_tell_the_kind() {
    let with = |status: &str, reason: &str| json!({ "status": status, "incomplete_details": { "reason": reason }, "output": [message("x")] });
    let cut = decode(&with("incomplete", "max_output_tokens"));
    assert!(
        matches!(&cut, LLMResponse::Truncated(reply) if reply.finish.as_deref() == Some("max_output_tokens"))
    );
    assert!(matches!(
        decode(&with("incomplete", "content_filter")),
        LLMResponse::Filtered(_)
    ));
    let LLMResponse::Truncated(reply) = decode(&with("incomplete", "tired")) else {
        panic!()
    };
    assert_eq!(
        (reply.finish.as_deref(), reply.warnings),
        (Some("tired"), vec!["finish_unknown".to_owned()])
    );
    let strange = decode(&json!({ "status": "resting", "output": [message("x")] }));
    assert_eq!(strange.reply().warnings, ["finish_unknown"]);
    let unsaid = decode(&json!({ "output": [message("x")] }));
    assert_eq!(unsaid.reply().warnings, ["finish_missing"]);
}

#[test]
fn a_refusal_is_its_own_kind_and_a_content_filter_beats_it() {
    let refusal = json!([{ "type": "message", "role": "assistant", "content": [{ "type": "refusal", "refusal": "No." }] }]);
    let LLMResponse::Refused(reply) = decode(&answer(&refusal)) else {
        panic!()
    };
    assert_eq!(reply.parts, [Part::Refusal("No.".into())]);
    let filtered = json!({ "status": "incomplete", "incomplete_details": { "reason": "content_filter" }, "output": refusal });
    assert!(matches!(decode(&filtered), LLMResponse::Filtered(_)));
}

#[test]
fn a_cut_answer_keeps_whole_calls_and_tells_of_the_others() {
    let mut half = function_call("c", "t", "{}");
    half["status"] = json!("incomplete");
    let output = json!([
        function_call("a", "t", "{}"),
        function_call("b", "t", "{\"x"),
        half
    ]);
    let body = json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" }, "output": output });
    let LLMResponse::Truncated(reply) = decode(&body) else {
        panic!()
    };
    let (status, kept) = (
        json!({ "status": "incomplete" }),
        json!({ "cut_arguments": "{}" }),
    );
    let calls = [
        call("a", "t", "{}"),
        call("b", "t", "{\"x"),
        call("c", "t", ""),
    ];
    let notes = [
        opaque(&json!({ "call": status })),
        opaque(&json!({ "kept": kept })),
    ];
    assert_eq!(reply.parts, [calls.as_slice(), &notes].concat());
    assert_eq!(reply.warnings, ["call_cut"]);
}

#[test]
fn arguments_are_never_repaired() {
    let LLMResponse::Calls(reply) =
        decode(&answer(&json!([function_call("a", "t", "{\"x\": 1,}")])))
    else {
        panic!()
    };
    assert_eq!(reply.parts, [call("a", "t", "{\"x\": 1,}")]);
    let loose =
        json!({ "type": "function_call", "call_id": "a", "name": "t", "arguments": { "x": 1 } });
    let LLMResponse::Calls(reply) = decode(&answer(&json!([loose]))) else {
        panic!()
    };
    assert_eq!(
        (reply.parts, reply.warnings),
        (
            vec![call("a", "t", "{\"x\":1}")],
            vec!["arguments_not_text".into()]
        )
    );
}

#[test]
fn calls_of_tools_that_nobody_declared_are_kept_in_their_place() {
    let custom =
        json!({ "type": "custom_tool_call", "call_id": "a", "name": "grep", "input": "x" });
    let LLMResponse::Text(reply) = decode(&answer(&json!([custom, message("x")]))) else {
        panic!()
    };
    assert_eq!(
        reply.parts,
        [
            opaque(&json!({ "kept": { "custom_tool_call": custom } })),
            text("x")
        ]
    );
    assert_eq!(reply.warnings, ["call_type_unknown"]);
}

#[test]
fn annotations_and_strange_pieces_are_kept_with_their_message() {
    let citation = json!({ "type": "url_citation", "url": "https://example.org" });
    let image = json!({ "type": "output_image", "image_url": "data:," });
    let item = json!({ "type": "message", "role": "assistant", "id": "m", "content": [
        { "type": "output_text", "text": "A", "annotations": [], "logprobs": [] },
        image,
        { "type": "output_text", "text": "B", "annotations": [citation], "logprobs": [{ "token": "B" }], "mood": "calm" },
    ] });
    let LLMResponse::Text(reply) = decode(&answer(&json!([item]))) else {
        panic!()
    };
    let note = json!({ "fields": { "id": "m" }, "content": [{}, image, { "annotations": [citation], "mood": "calm" }] });
    assert_eq!(
        reply.parts,
        [text("A"), text("B"), opaque(&json!({ "message": note }))]
    );
    assert_eq!(reply.warnings, ["content_not_shown", "logprobs_not_kept"]);
}

#[test]
fn what_is_not_known_is_kept() {
    let mut body = answer(&json!([message("x"), 7]));
    body["mood"] = json!("calm");
    body["input_transformations"] = json!([{ "id": "rs_1", "action": "removed" }]);
    let LLMResponse::Text(reply) = decode(&body) else {
        panic!()
    };
    let kept = json!({ "mood": "calm", "input_transformations": [{ "id": "rs_1", "action": "removed" }], "output": 7 });
    assert_eq!(reply.parts, [text("x"), opaque(&json!({ "kept": kept }))]);
}

#[test]
fn reasoning_beside_the_items_is_reasoning_and_a_second_text_is_not_said() {
    let mut body = answer(&json!([message("x")]));
    body["reasoning"] = json!("Hm.");
    body["output_text"] = json!("x");
    let LLMResponse::Text(reply) = decode(&body) else {
        panic!()
    };
    assert_eq!(reply.parts, [Part::Reasoning("Hm.".into()), text("x")]);
    body["output_text"] = json!("y");
    let LLMResponse::Text(reply) = decode(&body) else {
        panic!()
    };
    assert_eq!(
        reply.parts[2],
        opaque(&json!({ "kept": { "output_text": "y" } }))
    );
}

#[test]
fn usage_is_read() {
    let mut body = answer(&json!([message("x")]));
    body["usage"] = json!({
        "input_tokens": 20, "input_tokens_details": { "cached_tokens": 16, "cache_write_tokens": 3 },
        "output_tokens": 12, "output_tokens_details": { "reasoning_tokens": 5 }, "total_tokens": 32,
    });
    let expected = Usage {
        input: Some(20),
        output: Some(12),
        cached: Some(16),
        cache_written: Some(3),
        reasoning: Some(5),
    };
    assert_eq!(decode(&body).reply().usage, expected);
    body["usage"] = json!({ "input_tokens": -1, "output_tokens": "many" });
    assert!(decode(&body).reply().usage.is_unknown());
}

#[test]
fn two_items_with_one_id_are_two() {
    let mut twice = function_call("", "t", "{}");
    twice["id"] = json!("fc_1");
    let LLMResponse::Calls(reply) = decode(&answer(&json!([twice, twice]))) else {
        panic!()
    };
    assert_eq!(reply.calls().count(), 2);
}

#[test]
fn a_body_without_an_answer_is_empty() {
    let decode = |body: &str| OpenAiResponses::default().decode(body.as_bytes());
    assert_eq!(decode("{}"), Err(DecodeError::Empty));
    assert_eq!(
        decode(r#"{"status":"queued","output":[]}"#),
        Err(DecodeError::Empty)
    );
    assert!(matches!(decode("<html>"), Err(DecodeError::Json(_))));
    assert!(matches!(decode("[]"), Err(DecodeError::Json(_))));
}

#[test]
fn a_call_without_a_name_is_kept_and_is_no_call() {
    let nameless = json!({ "type": "function_call", "call_id": "a", "arguments": "{}" });
    let alone = answer(&json!([nameless])).to_string();
    let unread = OpenAiResponses::default().decode(alone.as_bytes());
    assert_eq!(
        unread,
        Err(DecodeError::Unread),
        "it does not pass for an empty answer"
    );
    let LLMResponse::Text(reply) = decode(&answer(&json!([message("x"), nameless]))) else {
        panic!()
    };
    let kept = json!({ "incomplete_calls": [{ "call_id": "a", "name": "", "arguments": "{}" }] });
    assert_eq!(reply.parts, [text("x"), opaque(&json!({ "kept": kept }))]);
    assert_eq!(reply.warnings, ["calls_incomplete"]);
}
