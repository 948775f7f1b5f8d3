//! What the provider does, and what it might do.

use super::*;

#[test]
fn an_answer_that_ends_by_itself_is_text() {
    let expected = Reply {
        parts: vec![Part::Text("Hi.".into())],
        finish: Some("STOP".into()),
        ..Reply::default()
    };
    assert_eq!(
        decode(&document(&json!([{ "text": "Hi." }]), "STOP")),
        LLMResponse::Text(expected)
    );
}

#[test]
fn an_empty_answer_is_text_without_parts() {
    for nothing in [
        json!([]),
        json!(null),
        json!([{ "text": "" }]),
        json!([{ "thought": true, "text": "" }, {}]),
    ] {
        assert_eq!(parts(&nothing), [], "{nothing}");
    }
    let without_content = json!({ "candidates": [{ "finishReason": "STOP" }] });
    assert_eq!(decode(&without_content).reply().parts, []);
}

#[test]
fn prose_that_looks_like_a_call_stays_text() {
    let prose = "Calling tool: weather {\"place\": \"Bern\"}";
    assert_eq!(
        parts(&json!([{ "text": prose }])),
        [Part::Text(prose.into())]
    );
}

#[test]
fn the_arguments_of_a_call_are_the_source_text() {
    let arguments =
        "{ \"b\":1,\n \"a\" : 123456789012345678901234567890, \"b\":2.50e1, \"c\":\"\\u00fc\" }";
    let body = format!(
        r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"args": {arguments} ,"name":"t"}}}}]}},"finishReason":"STOP"}}]}}"#
    );
    assert_eq!(
        codec().decode(body.as_bytes()).unwrap().reply().parts,
        [call("", "t", arguments)]
    );
}

#[test]
fn arguments_that_are_left_out_are_none_and_odd_ones_are_not_repaired() {
    let of = |fields: Value| parts(&json!([{ "functionCall": fields }]));
    assert_eq!(of(json!({ "name": "t" })), [call("", "t", "{}")]);
    assert_eq!(
        of(json!({ "name": "t", "args": null })),
        [call("", "t", "{}")]
    );
    assert_eq!(
        of(json!({ "name": "t", "args": [1] })),
        [call("", "t", "[1]")]
    );
    assert_eq!(
        of(json!({ "name": "t", "args": "{}" })),
        [call("", "t", "\"{}\"")]
    );
}

#[test]
fn a_call_without_a_name_is_kept_and_is_no_call() {
    for broken in [
        json!({}),
        json!({ "name": "" }),
        json!({ "name": 5, "args": { "x": 1 } }),
        json!("t"),
        json!([]),
    ] {
        let part = json!({ "functionCall": broken, "thoughtSignature": "s" });
        let alone = document(&json!([part]), "STOP").to_string();
        assert_eq!(
            codec().decode(alone.as_bytes()),
            Err(DecodeError::Unread),
            "it does not pass for an empty answer"
        );
        let response = decode(&document(&json!([{ "text": "x" }, part]), "STOP"));
        let LLMResponse::Text(reply) = response else {
            panic!("{response:?}")
        };
        let mut kept = json!({ "parts": { "thoughtSignature": "s" } });
        if broken.as_object().is_none_or(|fields| !fields.is_empty()) && broken != json!([]) {
            kept["incomplete_calls"] = broken;
        }
        assert_eq!(
            reply.parts,
            [Part::Text("x".into()), opaque(&json!({ "kept": kept }))]
        );
        assert_eq!(reply.warnings, ["calls_incomplete"]);
    }
    let told = decode(&document(
        &json!([{ "text": "x", "functionCall": { "name": "" } }]),
        "STOP",
    ));
    let kept = opaque(&json!({ "kept": { "incomplete_calls": { "name": "" } } }));
    assert_eq!(told.reply().parts, [Part::Text("x".into()), kept]);
}

#[test]
fn what_comes_with_a_call_stands_behind_it() {
    let odd = json!([{ "functionCall": { "id": 7, "name": "t", "willContinue": false }, "thought": true }]);
    let fields = json!({ "functionCall": { "id": 7 }, "thought": true });
    assert_eq!(parts(&odd), [call("", "t", "{}"), with("call", &fields)]);
    let both = json!([{ "text": "x", "functionCall": { "name": "t" }, "thoughtSignature": "s" }]);
    let expected = [
        Part::Text("x".into()),
        call("", "t", "{}"),
        with("call", &json!({ "thoughtSignature": "s" })),
    ];
    assert_eq!(parts(&both), expected);
}

#[test]
fn finish_reasons_say_which_kind_an_answer_is() {
    let kind = |finish: &str| decode(&document(&json!([{ "text": "x" }]), finish));
    for finish in [
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "ESCALATION",
    ] {
        assert!(matches!(kind(finish), LLMResponse::Filtered(_)), "{finish}");
    }
    for finish in ["MAX_TOKENS", "CONTINUATION"] {
        assert!(
            matches!(kind(finish), LLMResponse::Truncated(_)),
            "{finish}"
        );
    }
    let LLMResponse::Text(reply) = kind("OTHER") else {
        panic!()
    };
    assert_eq!(
        (reply.finish.as_deref(), reply.warnings),
        (Some("OTHER"), vec!["finish_unknown".to_owned()])
    );
    let LLMResponse::Text(reply) = decode(&json!({ "candidates": [{ "content": {} }] })) else {
        panic!()
    };
    assert_eq!(
        (reply.finish, reply.warnings),
        (None, vec!["finish_missing".to_owned()])
    );
}

#[test]
fn an_answer_that_the_provider_holds_back_is_an_error() {
    let error = |finish: &str| {
        let mut body = document(&json!([]), finish);
        body["candidates"][0]["finishMessage"] = json!("Malformed function call: print(1)");
        match codec().decode(body.to_string().as_bytes()) {
            Err(DecodeError::Reported(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    for finish in [
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MALFORMED_RESPONSE",
    ] {
        assert_eq!(error(finish).kind, ModelErrorKind::BadReply, "{finish}");
        assert!(
            error(finish)
                .detail
                .ends_with(&format!("{finish}: Malformed function call: print(1)"))
        );
    }
    assert_eq!(
        error("MISSING_THOUGHT_SIGNATURE").kind,
        ModelErrorKind::RefusesRequest
    );
    assert_eq!(
        error("PUP_LIMITED_DISABLED").kind,
        ModelErrorKind::RefusesAccount
    );
}

#[test]
fn a_blocked_prompt_is_an_error_and_a_blocked_answer_is_filtered() {
    let feedback = json!({ "blockReason": "PROHIBITED_CONTENT" });
    let blocked = json!({ "promptFeedback": feedback, "usageMetadata": { "promptTokenCount": 7 } });
    let expected = Err(DecodeError::Reported(super::super::errors::blocked(
        "PROHIBITED_CONTENT",
    )));
    assert_eq!(codec().decode(blocked.to_string().as_bytes()), expected);
    assert_eq!(stream(&[events(&[blocked]).as_bytes()]), expected);
    let mut answered = document(&json!([{ "text": "x" }]), "STOP");
    answered["promptFeedback"] = feedback.clone();
    let LLMResponse::Filtered(reply) = decode(&answered) else {
        panic!()
    };
    let kept = opaque(&json!({ "kept": { "promptFeedback": feedback } }));
    assert_eq!(reply.parts, [Part::Text("x".into()), kept]);
}

#[test]
fn a_body_without_an_answer_is_none() {
    assert_eq!(codec().decode(b"{}"), Err(DecodeError::Empty));
    assert_eq!(codec().decode(b"[]"), Err(DecodeError::Empty));
    assert_eq!(
        codec().decode(br#"{"candidates":[]}"#),
        Err(DecodeError::Empty)
    );
    for broken in ["", "5", "null", "\"x\"", "{\"candidates\":[", "[5]", "<p>"] {
        assert!(
            matches!(codec().decode(broken.as_bytes()), Err(DecodeError::Json(_))),
            "{broken}"
        );
    }
}

#[test]
fn a_stream_without_a_finish_reason_was_cut_off() {
    let begun = json!({ "candidates": [{ "content": { "parts": [{ "text": "x" }] } }] });
    assert_eq!(
        stream(&[events(&[begun]).as_bytes()]),
        Err(DecodeError::CutOff)
    );
    assert_eq!(
        stream(&[b"data: {\"candidates\":[{\"finishReason\":\"ST"]),
        Err(DecodeError::CutOff)
    );
    assert_eq!(stream(&[]), Err(DecodeError::CutOff));
}

#[test]
fn a_finish_reason_in_the_midst_ends_nothing() {
    let body = events(&[
        document(&json!([{ "text": "a" }]), "STOP"),
        document(&json!([{ "text": "b" }]), "MAX_TOKENS"),
    ]);
    let Ok(LLMResponse::Truncated(reply)) = stream(&[body.as_bytes()]) else {
        panic!()
    };
    assert_eq!(reply.parts, [Part::Text("ab".into())]);
}

#[test]
fn what_is_shown_comes_in_order() {
    let pieces = json!([{ "text": "r", "thought": true }, { "text": "t" }, { "text": "s", "thoughtSignature": "x" }]);
    let mut decoder = codec().stream_decoder();
    let deltas = decoder
        .push(events(&[document(&pieces, "STOP")]).as_bytes())
        .unwrap();
    assert_eq!(
        deltas,
        [
            Delta::Reasoning("r".into()),
            Delta::Text("t".into()),
            Delta::Text("s".into())
        ]
    );
    assert!(!decoder.is_done());
}

#[test]
fn counts_that_are_none_say_nothing() {
    let mut body = document(&json!([]), "STOP");
    body["usageMetadata"] =
        json!({ "promptTokenCount": "7", "candidatesTokenCount": -1, "thoughtsTokenCount": null });
    assert!(decode(&body).reply().usage.is_unknown());
    body["usageMetadata"] = json!("many");
    assert_eq!(
        decode(&body).reply().parts,
        [opaque(&json!({ "kept": { "usageMetadata": "many" } }))]
    );
}
