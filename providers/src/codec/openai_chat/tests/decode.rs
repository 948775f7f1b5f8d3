//! What servers do beyond the schema.

use super::*;

#[test]
fn an_answer_that_ends_by_itself_is_text() {
    let reply = decode(&answer(
        &json!({ "role": "assistant", "content": "Hi." }),
        "stop",
    ));
    let expected = Reply {
        parts: vec![Part::Text("Hi.".into())],
        finish: Some("stop".into()),
        ..Reply::default()
    };
    assert_eq!(reply, LLMResponse::Text(expected));
}

#[test]
fn an_empty_answer_is_text_without_parts() {
    let LLMResponse::Text(reply) = decode(&answer(&json!({ "content": "" }), "stop")) else {
        panic!()
    };
    assert_eq!(reply.parts, []);
}

#[test]
fn prose_that_looks_like_a_call_stays_text() {
    let prose = "Calling tool: weather {\"place\": \"Bern\"}";
    let LLMResponse::Text(reply) = decode(&answer(&json!({ "content": prose }), "tool_calls"))
    else {
        panic!()
    };
    assert_eq!(
        (reply.parts, reply.warnings),
        (
            vec![Part::Text(prose.into())],
            vec!["calls_missing".to_owned()]
        )
    );
}

#[test]
fn an_unknown_finish_reason_is_kept_and_told() {
    let LLMResponse::Text(reply) = decode(&answer(&json!({ "content": "x" }), "eos")) else {
        panic!()
    };
    assert_eq!(
        (reply.finish.as_deref(), reply.warnings),
        (Some("eos"), vec!["finish_unknown".to_owned()])
    );
}

#[test]
fn calls_are_calls_whatever_the_finish_reason_says() {
    let message =
        json!({ "tool_calls": [{ "id": "a", "function": { "name": "t", "arguments": "" } }] });
    for reason in ["stop", "eos", "function_call"] {
        assert!(
            matches!(decode(&answer(&message, reason)), LLMResponse::Calls(_)),
            "{reason}"
        );
    }
}

#[test]
fn a_content_filter_beats_a_refusal() {
    let message = json!({ "content": null, "refusal": "No." });
    assert!(matches!(
        decode(&answer(&message, "content_filter")),
        LLMResponse::Filtered(_)
    ));
}

#[test]
fn the_old_field_beside_the_new_one_is_no_second_call() {
    let function = json!({ "name": "t", "arguments": "{}" });
    let mut message =
        json!({ "tool_calls": [{ "id": "a", "function": function }], "function_call": function });
    let LLMResponse::Calls(reply) = decode(&answer(&message, "tool_calls")) else {
        panic!()
    };
    assert_eq!(
        (reply.parts, reply.warnings),
        (vec![call("a", "t", "{}")], vec![])
    );

    message["function_call"]["arguments"] = json!("{\"x\":1}");
    let LLMResponse::Calls(reply) = decode(&answer(&message, "tool_calls")) else {
        panic!()
    };
    let kept =
        json!({ "kept": { "function_call": { "id": "", "name": "t", "arguments": "{\"x\":1}" } } });
    assert_eq!(reply.parts, [call("a", "t", "{}"), opaque(&kept)]);
    assert_eq!(reply.warnings, ["second_function_call"]);
}

#[test]
fn arguments_that_are_no_text_are_written_out_and_told() {
    let message = json!({ "tool_calls": [{ "id": "a", "function": { "name": "t", "arguments": { "x": 1 } } }] });
    let LLMResponse::Calls(reply) = decode(&answer(&message, "tool_calls")) else {
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
fn content_in_pieces_is_read_and_strange_pieces_are_kept() {
    let image = json!({ "type": "image_url", "image_url": { "url": "data:," } });
    let message = json!({ "content": [
        { "type": "thinking", "thinking": [{ "type": "text", "text": "Hm." }] },
        { "type": "text", "text": "A" }, { "type": "text", "text": "B" }, image,
    ] });
    let LLMResponse::Text(reply) = decode(&answer(&message, "stop")) else {
        panic!()
    };
    let kept = opaque(&json!({ "kept": { "content": image } }));
    assert_eq!(
        reply.parts,
        [Part::Reasoning("Hm.".into()), Part::Text("AB".into()), kept]
    );
}

#[test]
fn reasoning_that_comes_in_two_fields_is_kept_once() {
    let message = json!({ "content": "x", "reasoning": "r", "reasoning_content": "r" });
    let LLMResponse::Text(reply) = decode(&answer(&message, "stop")) else {
        panic!()
    };
    let field = opaque(&json!({ "reasoning_field": "reasoning" }));
    assert_eq!(
        reply.parts,
        [Part::Reasoning("r".into()), Part::Text("x".into()), field]
    );
}

#[test]
fn usage_is_read_in_its_dialects() {
    let read = |usage: Value| usage::usage(&usage);
    let known = |input, output, cached, reasoning| Usage {
        input,
        output,
        cached,
        reasoning,
        cache_written: None,
    };
    assert_eq!(
        read(json!({ "prompt_tokens": 1 })),
        known(Some(1), None, None, None)
    );
    let cached =
        json!({ "prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 8 });
    assert_eq!(read(cached), known(Some(9), Some(2), Some(8), None));
    let apart = json!({ "prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 14, "reasoning_tokens": 3 });
    assert_eq!(read(apart), known(Some(9), Some(5), None, Some(3)));
    let within = json!({ "prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14, "reasoning_tokens": 3 });
    assert_eq!(read(within), known(Some(9), Some(5), None, Some(3)));
    assert!(read(json!({ "prompt_tokens": -1, "completion_tokens": "many" })).is_unknown());
}

#[test]
fn a_server_that_gives_all_calls_one_index_is_understood_by_the_ids() {
    let item = |id: &str, part: &str| {
        let function = json!({ "name": id.to_uppercase(), "arguments": part });
        delta(&json!({ "tool_calls": [{ "index": 0, "id": id, "function": function }] }))
    };
    let text = events(&[
        item("a", "{}"),
        item("b", "{\"x\""),
        item("b", ":1}"),
        finish("tool_calls"),
    ]);
    let LLMResponse::Calls(reply) = stream(&[text.as_bytes()]).unwrap() else {
        panic!()
    };
    assert_eq!(
        reply.parts,
        [call("a", "A", "{}"), call("b", "B", "{\"x\":1}")]
    );
}

#[test]
fn deltas_are_shown_as_they_come() {
    let text = events(&[
        delta(&json!({ "reasoning": "r" })),
        delta(&json!({ "content": "a" })),
        delta(&json!({ "content": "b" })),
    ]);
    let shown = OpenAiChat::default()
        .stream_decoder()
        .push(text.as_bytes())
        .unwrap();
    assert_eq!(
        shown,
        [
            Delta::Reasoning("r".into()),
            Delta::Text("a".into()),
            Delta::Text("b".into())
        ]
    );
}

#[test]
fn what_was_shown_is_what_was_said_also_where_text_and_refusal_take_turns() {
    let turns = [
        ("content", "a"),
        ("refusal", "b"),
        ("refusal", "c"),
        ("content", "d"),
    ];
    let turns = turns.map(|(field, text)| delta(&json!({ field: text })));
    let mut decoder = OpenAiChat::default().stream_decoder();
    let shown = decoder
        .push((events(&turns) + &events(&[finish("stop")])).as_bytes())
        .unwrap();
    let refusal = |text: &str| Delta::Refusal(text.into());
    assert_eq!(
        shown,
        [
            Delta::Text("a".into()),
            refusal("b"),
            refusal("c"),
            Delta::Text("d".into())
        ]
    );
    let response = decoder.finish().unwrap();
    assert!(matches!(response, LLMResponse::Refused(_)));
    assert_eq!(response.spoken(), "abcd");
}

#[test]
fn a_stream_that_breaks_off_is_an_outage() {
    let text = events(&[delta(&json!({ "content": "a" }))]);
    for cut in [
        text.as_str(),
        "",
        &format!("{text}data: {{\"choices\": [{{\"ind"),
    ] {
        assert_eq!(
            stream(&[cut.as_bytes()]),
            Err(DecodeError::CutOff),
            "{cut:?}"
        );
    }
    assert_eq!(
        ModelError::from(DecodeError::CutOff).kind,
        ModelErrorKind::Outage
    );
}

#[test]
fn either_a_finish_reason_or_done_ends_a_stream() {
    let hello = delta(&json!({ "content": "a" }));
    let unfinished = events(std::slice::from_ref(&hello)) + "data: [DONE]\n\n";
    assert_eq!(
        stream(&[unfinished.as_bytes()]).unwrap().reply().warnings,
        ["finish_missing"]
    );
    let undone = events(&[hello, finish("stop")]);
    assert_eq!(
        stream(&[undone.as_bytes()]).unwrap().reply().warnings,
        Vec::<String>::new()
    );
}

#[test]
fn nothing_after_done_is_read() {
    let text = events(&[delta(&json!({ "content": "a" })), finish("stop")])
        + "data: [DONE]\n\ndata: nonsense\n\n";
    assert_eq!(stream(&[text.as_bytes()]).unwrap().spoken(), "a");
}

#[test]
fn a_body_without_a_choice_is_no_answer() {
    assert_eq!(OpenAiChat::default().decode(b"{}"), Err(DecodeError::Empty));
    assert_eq!(
        OpenAiChat::default().decode(b"{\"choices\":[]}"),
        Err(DecodeError::Empty)
    );
    assert_eq!(stream(&[b"data: [DONE]\n\n"]), Err(DecodeError::Empty));
    assert!(matches!(
        OpenAiChat::default().decode(b"<html>"),
        Err(DecodeError::Json(_))
    ));
    assert!(matches!(
        stream(&[b"data: <html>\n\n"]),
        Err(DecodeError::Json(_))
    ));
}

/// llama.cpp repeats the id and the name in every fragment, and tells the call in the old field too.
#[test]
fn a_server_that_repeats_id_and_name_and_uses_the_old_field_too_makes_one_call() {
    let item = |arguments: &str| {
        let function = json!({ "name": "t", "arguments": arguments });
        let item = json!({ "index": 0, "id": "a", "type": "function", "function": function });
        delta(&json!({ "tool_calls": [item], "function_call": function }))
    };
    let text = events(&[item("{\"x\""), item(":1}"), finish("tool_calls")]);
    let LLMResponse::Calls(reply) = stream(&[text.as_bytes()]).unwrap() else {
        panic!()
    };
    assert_eq!(
        (reply.parts, reply.warnings),
        (vec![call("a", "t", "{\"x\":1}")], vec![])
    );
}

#[test]
fn null_deltas_and_empty_last_chunks_say_nothing() {
    let hello = delta(&json!({ "content": "a", "tool_calls": null, "refusal": null }));
    let nothing = json!({ "choices": [{ "index": 0, "delta": null, "finish_reason": null }] });
    let emptied = json!({ "choices": [{ "index": 0, "delta": { "content": "", "tool_calls": [] }, "finish_reason": null }] });
    let none = json!({ "choices": [], "usage": null });
    for odd in [nothing, emptied, none] {
        let chunks = [
            odd.clone(),
            hello.clone(),
            odd.clone(),
            finish("stop"),
            odd.clone(),
        ];
        let LLMResponse::Text(reply) = stream(&[events(&chunks).as_bytes()]).unwrap() else {
            panic!("{odd}")
        };
        assert_eq!(
            (reply.parts, reply.warnings),
            (vec![Part::Text("a".into())], vec![]),
            "{odd}"
        );
        assert_eq!(reply.finish.as_deref(), Some("stop"), "{odd}");
    }
}

#[test]
fn usage_is_read_from_whichever_chunk_it_comes_in() {
    let usage = json!({ "prompt_tokens": 3, "completion_tokens": 4 });
    let alone = json!({ "choices": [], "usage": usage });
    let mut with_the_end = finish("stop");
    with_the_end["usage"] = usage;
    let hello = delta(&json!({ "content": "a" }));
    for end in [
        vec![finish("stop"), alone.clone()],
        vec![with_the_end],
        vec![alone, finish("stop")],
    ] {
        let chunks = [vec![hello.clone()], end].concat();
        let response = stream(&[events(&chunks).as_bytes()]).unwrap();
        assert_eq!(
            (response.reply().usage.input, response.reply().usage.output),
            (Some(3), Some(4))
        );
    }
}

#[test]
fn calls_of_unknown_types_and_calls_that_are_not_there_do_not_pass_for_an_empty_answer() {
    let custom = json!([{ "id": "a", "type": "custom", "custom": { "name": "t", "input": "x" } }]);
    for calls in [custom, json!(["t"]), json!([])] {
        let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
        let answer = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
        assert_eq!(
            OpenAiChat::default().decode(answer.to_string().as_bytes()),
            Err(DecodeError::Unread),
            "{answer}"
        );
    }
}

#[test]
fn a_call_without_a_name_is_kept_and_is_no_call() {
    let calls = json!([{ "id": "a", "function": { "arguments": "{}" } }]);
    let message = json!({ "role": "assistant", "tool_calls": calls });
    let answer =
        |message| json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
    let alone = answer(message.clone()).to_string();
    let unread = OpenAiChat::default().decode(alone.as_bytes());
    assert_eq!(
        unread,
        Err(DecodeError::Unread),
        "it does not pass for an empty answer"
    );
    let mut message = message;
    message["content"] = json!("x");
    let LLMResponse::Text(reply) = decode(&answer(message)) else {
        panic!()
    };
    let kept = json!({ "incomplete_calls": [{ "id": "a", "name": "", "arguments": "{}" }] });
    assert_eq!(
        reply.parts,
        [Part::Text("x".into()), opaque(&json!({ "kept": kept }))]
    );
    assert_eq!(reply.warnings, ["calls_incomplete", "calls_missing"]);
}

#[test]
fn tokens_that_were_written_into_a_cache_are_counted() {
    let written = |mut counts: Value| {
        counts["prompt_tokens"] = json!(9);
        let choice = json!({ "message": { "content": "x" }, "finish_reason": "stop" });
        decode(&json!({ "choices": [choice], "usage": counts }))
            .reply()
            .usage
            .cache_written
    };
    assert_eq!(
        written(json!({ "prompt_tokens_details": { "cache_write_tokens": 7 } })),
        Some(7)
    );
    assert_eq!(
        written(json!({ "cache_creation_input_tokens": 5 })),
        Some(5)
    );
    assert_eq!(written(json!({})), None);
}
