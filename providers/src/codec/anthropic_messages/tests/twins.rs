//! A stream gives what the whole answer gives, however its bytes come.

use super::*;

macro_rules! twins {
    ($name:literal) => {
        (
            include_bytes!(concat!(
                "../../../../tests/fixtures/anthropic-messages/",
                $name,
                ".json"
            ))
            .as_slice(),
            include_bytes!(concat!(
                "../../../../tests/fixtures/anthropic-messages/",
                $name,
                ".sse"
            ))
            .as_slice(),
        )
    };
}

const TWINS: [(&[u8], &[u8]); 4] = [
    twins!("calls"),
    twins!("searched"),
    twins!("refused"),
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
fn calls_come_with_the_text_and_reasoning_around_them() {
    let parts = vec![
        Part::Reasoning("Two places, two calls.".into()),
        opaque(&json!({ "thinking": { "signature": "c2lnbmVk/+==" } })),
        Part::Text("I look it up: Zürich 🌦.".into()),
        call(
            "toolu_1",
            "weather",
            "{\"place\":\"Zürich\",\"days\":[1,2]}",
        ),
        call("toolu_2", "now", "{}"),
    ];
    let expected = Reply {
        parts,
        usage: Usage {
            input: Some(23),
            output: Some(12),
            cached: Some(16),
            cache_written: Some(3),
            reasoning: Some(5),
        },
        model: Some("small-1".into()),
        finish: Some("tool_use".into()),
        ..Reply::default()
    };
    assert_eq!(twin(0), LLMResponse::Calls(expected));
}

#[test]
fn what_the_provider_did_itself_is_kept_in_its_place() {
    let LLMResponse::Calls(reply) = twin(1) else {
        panic!("{:?}", twin(1))
    };
    let body: Value = serde_json::from_slice(TWINS[1].0).unwrap();
    let block = |at: usize| opaque(&json!({ "block": body["content"][at] }));
    let expected = [
        block(0),
        Part::Text("I search.".into()),
        block(2),
        block(3),
        Part::Text("It is blue, ".into()),
        opaque(&json!({ "text": { "citations": body["content"][4]["citations"] } })),
        Part::Text("they say.".into()),
        call("toolu_1", "note", "{\"text\":\"blue\"}"),
        opaque(&json!({ "call": { "caller": body["content"][6]["caller"] } })),
        opaque(
            &json!({ "kept": { "server_tool_use": { "web_search_requests": 1, "web_fetch_requests": 0 } } }),
        ),
    ];
    assert_eq!(reply.parts, expected);
}

#[test]
fn a_refusal_says_why() {
    let LLMResponse::Refused(reply) = twin(2) else {
        panic!("{:?}", twin(2))
    };
    let kept =
        opaque(&json!({ "kept": { "stop_details": { "type": "refusal", "category": "cyber" } } }));
    assert_eq!(
        reply.parts,
        [
            Part::Text("Well, ".into()),
            Part::Refusal("This looks harmful.".into()),
            kept
        ]
    );
}

#[test]
fn a_cut_answer_is_truncated() {
    let LLMResponse::Truncated(reply) = twin(3) else {
        panic!("{:?}", twin(3))
    };
    let container = json!({ "id": "container_1", "expires_at": "2026-11-22T10:00:00Z" });
    assert_eq!(
        reply.parts,
        [
            Part::Text("So f".into()),
            opaque(&json!({ "kept": { "container": container } }))
        ]
    );
    assert_eq!(
        (reply.finish.as_deref(), reply.warnings),
        (Some("max_tokens"), vec![])
    );
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

/// The bytes of a text, cut at most three times.
fn byte_pieces<'t>(text: &'t str, cuts: &[prop::sample::Index; 3]) -> Vec<&'t [u8]> {
    let mut at: Vec<usize> = cuts
        .iter()
        .map(|cut| cut.index(text.len() + 1))
        .chain([0, text.len()])
        .collect();
    at.sort_unstable();
    at.windows(2)
        .map(|pair| &text.as_bytes()[pair[0]..pair[1]])
        .collect()
}

proptest! {
    #[test]
    fn any_message_is_equal_to_any_stream_of_it(
        blocks in prop::collection::vec((0..4_usize, ".{0,12}", "[a-z]{1,6}"), 0..5),
        cuts in any::<[prop::sample::Index; 3]>(),
        byte_cuts in any::<[prop::sample::Index; 3]>(),
        reason in prop::sample::select(vec!["end_turn", "tool_use", "max_tokens", "refusal", "pause_turn", "who_knows"]),
    ) {
        let mut whole = Vec::new();
        let mut streamed = vec![begin()];
        for (index, (kind, text, name)) in (0_u64..).zip(&blocks) {
            let input = json!({ "text": text });
            let (full, empty, delta_kind, field, all) = match kind {
                0 => (json!({ "type": "text", "text": text }), json!({ "type": "text", "text": "" }), "text_delta", "text", text.clone()),
                1 => (
                    json!({ "type": "thinking", "thinking": text, "signature": name }),
                    json!({ "type": "thinking", "thinking": "", "signature": name }),
                    "thinking_delta", "thinking", text.clone(),
                ),
                2 => (
                    json!({ "type": "tool_use", "id": name, "name": name, "input": input }),
                    json!({ "type": "tool_use", "id": name, "name": name, "input": {} }),
                    "input_json_delta", "partial_json", input.to_string(),
                ),
                _ => (json!({ "type": "odd", "data": text }), json!({ "type": "odd", "data": text }), "text_delta", "text", String::new()),
            };
            whole.push(full);
            streamed.push(start(index, &empty));
            if *kind < 3 {
                streamed.extend(pieces(&all, &cuts).iter().map(|piece| delta(index, delta_kind, field, piece)));
            }
        }
        streamed.extend([json!({ "type": "message_delta", "delta": { "stop_reason": reason } }), stop()]);
        let whole = codec().decode(answer(&json!(whole), reason).to_string().as_bytes());
        prop_assert_eq!(stream(&byte_pieces(&events(&streamed), &byte_cuts)), whole);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(stream(&[&bytes]));
        drop(codec().decode(&bytes));
        let failure = WireFailure { status: 500, retry_after: None, body: &bytes };
        prop_assert_eq!(codec().decode_error(failure).kind.is_transient(), true);
    }

    #[test]
    fn a_damaged_stream_gives_one_answer_however_it_comes(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        which in 0..4_usize,
        byte_cuts in any::<[prop::sample::Index; 3]>(),
    ) {
        let mut bytes = TWINS[which].1.to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
        let whole = stream(&[&bytes]);
        prop_assert_eq!(&stream(&one_by_one), &whole);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            prop_assert_eq!(stream(&byte_pieces(text, &byte_cuts)), whole);
        }
    }

    #[test]
    fn a_damaged_document_is_an_answer_or_an_error_and_goes_back(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        which in 0..4_usize,
    ) {
        let mut bytes = TWINS[which].0.to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(response) = codec().decode(&bytes) {
            let items = vec![folkmoot_core::prompt::Item::Said { parts: response.reply().parts.clone() }];
            let request = folkmoot_core::prompt::border::ForgedRequest { items, ..Default::default() };
            let body = codec().encode(&request.into_request(), &Files::new(), AnswerMode::Whole).body;
            prop_assert!(body["messages"].as_array().is_some_and(|messages| !messages.is_empty()));
        }
    }

    #[test]
    fn events_in_any_order_never_panic_and_show_what_is_said(order in prop::collection::vec(any::<prop::sample::Index>(), 0..40), which in 0..2_usize) {
        let text = String::from_utf8(TWINS[which].1.to_vec()).unwrap().replace('\r', "");
        let all: Vec<&str> = text.split_inclusive("\n\n").filter(|event| !event.contains("message_stop")).collect();
        let mixed: String = order.iter().map(|at| all[at.index(all.len())]).collect();
        let mut decoder = codec().stream_decoder();
        let shown = decoder.push(mixed.as_bytes()).unwrap();
        let shown: String = shown.iter().filter_map(|delta| match delta {
            Delta::Text(text) | Delta::Refusal(text) => Some(text.as_str()),
            Delta::Reasoning(_) => None,
        }).collect();
        if let Ok(response) = decoder.finish() {
            prop_assert_eq!(response.spoken(), shown);
        }
    }
}
