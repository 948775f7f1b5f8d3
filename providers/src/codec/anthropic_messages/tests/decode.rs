//! What an answer may hold, and what a stream may do.

use super::*;

#[test]
fn stop_reasons_decide_the_kind() {
    let kind =
        |reason: &str| match decode(&answer(&json!([{ "type": "text", "text": "a" }]), reason)) {
            LLMResponse::Text(reply) => ("text", reply.warnings.join(" ")),
            LLMResponse::Truncated(reply) => ("truncated", reply.warnings.join(" ")),
            LLMResponse::Refused(reply) => ("refused", reply.warnings.join(" ")),
            other @ (LLMResponse::Calls(_) | LLMResponse::Filtered(_)) => panic!("{other:?}"),
        };
    assert_eq!(kind("end_turn"), ("text", String::new()));
    assert_eq!(kind("stop_sequence"), ("text", String::new()));
    assert_eq!(kind("tool_use"), ("text", "calls_missing".into()));
    assert_eq!(kind("max_tokens"), ("truncated", String::new()));
    assert_eq!(
        kind("model_context_window_exceeded"),
        ("truncated", String::new())
    );
    assert_eq!(kind("pause_turn"), ("truncated", "turn_paused".into()));
    assert_eq!(kind("refusal"), ("refused", String::new()));
    assert_eq!(kind("tired"), ("text", "finish_unknown".into()));
    assert_eq!(kind(""), ("text", "finish_missing".into()));
}

#[test]
fn an_empty_answer_is_text_without_parts() {
    for blocks in [json!([]), json!([{ "type": "text", "text": "" }])] {
        let LLMResponse::Text(reply) = decode(&answer(&blocks, "end_turn")) else {
            panic!()
        };
        assert_eq!((reply.parts, reply.warnings), (vec![], vec![]));
    }
}

#[test]
fn prose_that_looks_like_a_call_stays_text() {
    let prose = "<invoke name=\"weather\">{\"place\": \"Bern\"}</invoke>";
    let LLMResponse::Text(reply) = decode(&answer(
        &json!([{ "type": "text", "text": prose }]),
        "tool_use",
    )) else {
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
fn calls_are_calls_whatever_the_stop_reason_says() {
    let blocks = json!([{ "type": "tool_use", "id": "a", "name": "t", "input": {} }]);
    for reason in ["end_turn", "stop_sequence", "tired"] {
        assert!(
            matches!(decode(&answer(&blocks, reason)), LLMResponse::Calls(_)),
            "{reason}"
        );
    }
    assert!(matches!(
        decode(&answer(&blocks, "refusal")),
        LLMResponse::Refused(_)
    ));
}

#[test]
fn arguments_of_a_whole_answer_are_those_of_its_bytes() {
    let input = "{ \"z\": 1.50,\n \"a\": 123456789012345678901234567890, \"z\": 2 }";
    let body = format!(
        r#"{{"content":[{{"type":"text","text":"x"}},{{"type":"tool_use","id":"i","name":"t","input":{input}}}],"stop_reason":"tool_use"}}"#
    );
    let LLMResponse::Calls(reply) = codec().decode(body.as_bytes()).unwrap() else {
        panic!()
    };
    assert_eq!(reply.parts, [Part::Text("x".into()), call("i", "t", input)]);
}

#[test]
fn arguments_of_a_stream_are_its_fragments_or_none() {
    let tool = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "t", "input": input });
    let json = |index: u64, text: &str| delta(index, "input_json_delta", "partial_json", text);
    let text = events(&[
        begin(),
        start(0, &tool("a", json!({}))),
        json(0, ""),
        start(1, &tool("b", json!({}))),
        json(1, "{ \"x\""),
        json(1, ": tru"),
        start(2, &tool("c", json!({ "given": 1 }))),
        finish("tool_use"),
        stop(),
    ]);
    let LLMResponse::Calls(reply) = stream(&[text.as_bytes()]).unwrap() else {
        panic!()
    };
    let expected = [
        call("a", "t", "{}"),
        call("b", "t", "{ \"x\": tru"),
        call("c", "t", "{\"given\":1}"),
    ];
    assert_eq!(reply.parts, expected, "broken JSON is not repaired");
}

#[test]
fn a_cut_answer_keeps_whole_calls_and_tells_of_the_others() {
    let tool = |kind: &str, id: &str| json!({ "type": kind, "id": id, "name": "t", "input": {} });
    let json = |index: u64| delta(index, "input_json_delta", "partial_json", "{\"x");
    let text = events(&[
        begin(),
        start(0, &tool("tool_use", "a")),
        start(1, &tool("tool_use", "b")),
        json(1),
        start(2, &tool("server_tool_use", "c")),
        json(2),
        finish("max_tokens"),
        stop(),
    ]);
    let LLMResponse::Truncated(reply) = stream(&[text.as_bytes()]).unwrap() else {
        panic!()
    };
    let kept = json!({
        "incomplete_blocks": [{ "type": "server_tool_use", "id": "c", "name": "t", "input": "{\"x" }],
    });
    assert_eq!(
        reply.parts,
        [
            call("a", "t", "{}"),
            call("b", "t", "{\"x"),
            opaque(&json!({ "kept": kept }))
        ]
    );
    assert_eq!(reply.warnings, ["blocks_incomplete", "call_cut"]);
}

#[test]
fn thinking_without_a_text_keeps_its_signature_in_its_place() {
    let blocks = json!([
        { "type": "thinking", "thinking": "", "signature": "s1" },
        { "type": "thinking", "thinking": "b" },
        { "type": "text", "text": "c" },
    ]);
    let LLMResponse::Text(reply) = decode(&answer(&blocks, "end_turn")) else {
        panic!()
    };
    let signed = opaque(&json!({ "thinking": { "signature": "s1" } }));
    let unsigned = opaque(&json!({ "thinking": {} }));
    assert_eq!(
        reply.parts,
        [
            signed,
            Part::Reasoning("b".into()),
            unsigned,
            Part::Text("c".into())
        ]
    );
}

#[test]
fn usage_counts_the_whole_request() {
    let usage = |usage: Value| {
        let mut counts = usage::TokenCounts::default();
        let unknown = counts.take(usage);
        (counts.usage(), Value::Object(unknown))
    };
    let known = |input, output, cached, cache_written, reasoning| Usage {
        input,
        output,
        cached,
        cache_written,
        reasoning,
    };
    assert_eq!(
        usage(json!({ "input_tokens": 3 })),
        (known(Some(3), None, None, None, None), json!({}))
    );
    let all = json!({
        "input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 500, "output_tokens": 7,
        "output_tokens_details": { "thinking_tokens": 6 }, "service_tier": "standard",
        "cache_creation": { "ephemeral_5m_input_tokens": 0 }, "server_tool_use": null, "mood": 1,
    });
    let expected = known(Some(543), Some(7), Some(40), Some(500), Some(6));
    assert_eq!(usage(all), (expected, json!({ "mood": 1 })));
    assert!(
        usage(json!({ "cache_read_input_tokens": -1, "output_tokens": "many" }))
            .0
            .is_unknown()
    );
}

#[test]
fn the_last_word_on_usage_counts() {
    let mut first = begin();
    first["message"]["usage"] = json!({ "input_tokens": 9, "output_tokens": 1 });
    let mut last = finish("end_turn");
    last["usage"] = json!({ "output_tokens": 5, "cache_read_input_tokens": 2 });
    let response = stream(&[events(&[first, last, stop()]).as_bytes()]).unwrap();
    let expected = Usage {
        input: Some(11),
        output: Some(5),
        cached: Some(2),
        ..Usage::default()
    };
    assert_eq!(response.reply().usage, expected);
}

#[test]
fn deltas_are_shown_as_they_come() {
    let text = events(&[
        begin(),
        start(
            0,
            &json!({ "type": "thinking", "thinking": "q", "signature": "" }),
        ),
        delta(0, "thinking_delta", "thinking", "r"),
        delta(0, "signature_delta", "signature", "s"),
        start(1, &json!({ "type": "text", "text": "a" })),
        text_delta(1, "b\n"),
        text_delta(1, ""),
    ]);
    let shown = codec().stream_decoder().push(text.as_bytes()).unwrap();
    let reasoning = |text: &str| Delta::Reasoning(text.into());
    assert_eq!(
        shown,
        [
            reasoning("q"),
            reasoning("r"),
            Delta::Text("a".into()),
            Delta::Text("b\n".into())
        ]
    );
}

#[test]
fn what_was_shown_is_what_was_said_also_where_blocks_take_turns() {
    let turns = [
        text_start(0),
        text_delta(0, "a"),
        text_start(1),
        text_delta(1, "b"),
        text_delta(0, "c"),
        text_delta(1, "d"),
    ];
    let mut decoder = codec().stream_decoder();
    let shown = decoder
        .push((events(&[begin()]) + &events(&turns) + &events(&[finish("end_turn")])).as_bytes())
        .unwrap();
    assert_eq!(
        shown,
        ["a", "b", "c", "d"].map(|text| Delta::Text(text.into()))
    );
    assert_eq!(decoder.finish().unwrap().spoken(), "abcd");
}

#[test]
fn what_is_not_known_is_kept() {
    let strange_delta = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "colour_delta", "colour": "red" } });
    let more = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "b", "logprob": 3 } });
    let lost = text_delta(7, "nowhere");
    let weather = json!({ "type": "weather", "sky": "blue" });
    let end = json!({ "type": "message_stop", "metrics": { "ms": 4 } });
    let text = events(&[
        begin(),
        text_start(0),
        text_delta(0, "a"),
        more,
        strange_delta.clone(),
        lost,
        weather.clone(),
        finish("end_turn"),
        end,
    ]);
    let LLMResponse::Text(reply) = stream(&[text.as_bytes()]).unwrap() else {
        panic!()
    };
    let kept = json!({ "delta": { "logprob": 3 }, "events": [strange_delta, weather], "message_stop": { "metrics": { "ms": 4 } } });
    let texts = ["ab", "nowhere"].map(|text| Part::Text(text.into()));
    assert_eq!(
        reply.parts,
        [texts.as_slice(), &[opaque(&json!({ "kept": kept }))]].concat()
    );
    assert_eq!(reply.warnings, ["delta_not_taken"]);
}

#[test]
fn an_event_is_known_by_its_data_where_the_stream_names_none() {
    let unnamed: String = [
        begin(),
        text_start(0),
        text_delta(0, "a"),
        finish("end_turn"),
        stop(),
    ]
    .iter()
    .map(|event| format!("data: {event}\n\n"))
    .collect();
    assert_eq!(stream(&[unnamed.as_bytes()]).unwrap().spoken(), "a");
}

#[test]
fn a_stream_that_breaks_off_is_an_outage() {
    let text = events(&[begin(), text_start(0), text_delta(0, "a")]);
    for cut in [
        text.as_str(),
        "",
        &format!("{text}data: {{\"type\": \"content_bl"),
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
fn either_a_stop_reason_or_a_last_event_ends_a_stream() {
    let hello = events(&[begin(), text_start(0), text_delta(0, "a")]);
    let warnings = |text: String| stream(&[text.as_bytes()]).unwrap().reply().warnings.clone();
    assert_eq!(
        warnings(hello.clone() + &events(&[stop()])),
        ["finish_missing"]
    );
    assert_eq!(
        warnings(hello.clone() + "data: [DONE]\n\n"),
        ["finish_missing"]
    );
    assert_eq!(
        warnings(hello + &events(&[finish("end_turn")])),
        Vec::<String>::new()
    );
}

#[test]
fn nothing_after_the_last_event_is_read() {
    let text = events(&[
        begin(),
        text_start(0),
        text_delta(0, "a"),
        finish("end_turn"),
        stop(),
    ]) + "data: nonsense\n\n";
    assert_eq!(stream(&[text.as_bytes()]).unwrap().spoken(), "a");
}

#[test]
fn a_body_without_a_message_is_no_answer() {
    assert_eq!(codec().decode(b"{}"), Err(DecodeError::Empty));
    assert_eq!(
        stream(&[events(&[stop()]).as_bytes()]),
        Err(DecodeError::Empty)
    );
    assert!(matches!(
        codec().decode(b"<html>"),
        Err(DecodeError::Json(_))
    ));
    assert!(matches!(
        stream(&[b"data: <html>\n\n"]),
        Err(DecodeError::Json(_))
    ));
}

#[test]
fn a_fragment_finds_its_block_among_many_at_once() {
    const BLOCKS: u64 = 30_000;
    let begin_all = std::iter::once(begin())
        .chain((0..BLOCKS).map(|at| start(at, &json!({ "type": "thinking" }))));
    let signed = (0..BLOCKS).map(|_| delta(0, "signature_delta", "signature", "s"));
    let all: Vec<Value> = begin_all
        .chain(signed)
        .chain([finish("end_turn")])
        .collect();
    let response = stream(&[events(&all).as_bytes()]).unwrap();
    let signature = "s".repeat(usize::try_from(BLOCKS).unwrap());
    assert_eq!(
        response.reply().parts[0],
        opaque(&json!({ "thinking": { "signature": signature } }))
    );
}

#[test]
fn a_call_without_a_name_is_kept_and_is_no_call() {
    let nameless = json!({ "type": "tool_use", "id": "a", "input": {} });
    let alone = answer(&json!([nameless]), "tool_use").to_string();
    assert_eq!(
        codec().decode(alone.as_bytes()),
        Err(DecodeError::Unread),
        "it does not pass for an empty answer"
    );
    let reply = decode(&answer(
        &json!([{ "type": "text", "text": "x" }, nameless]),
        "tool_use",
    ));
    let LLMResponse::Text(reply) = reply else {
        panic!("{reply:?}")
    };
    let kept = json!({ "incomplete_calls": [{ "label": "a", "tool": "", "arguments": "{}" }] });
    assert_eq!(
        reply.parts,
        [Part::Text("x".into()), opaque(&json!({ "kept": kept }))]
    );
    assert_eq!(reply.warnings, ["calls_incomplete", "calls_missing"]);
}
