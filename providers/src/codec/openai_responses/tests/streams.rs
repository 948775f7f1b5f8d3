//! What servers do in streams: nothing is said twice, and what was shown is what was said.

use super::*;

#[test]
fn deltas_are_shown_as_they_come() {
    let reasoning = |kind: &str, text: &str| json!({ "type": kind, "output_index": 0, "summary_index": 0, "delta": text });
    let all = [
        reasoning("response.reasoning_summary_text.delta", "r"),
        reasoning("response.reasoning_text.delta", "s"),
        text_delta(1, "a"),
        text_delta(1, "\"b\""),
    ];
    let shown = OpenAiResponses::default()
        .stream_decoder()
        .push(events(&all).as_bytes())
        .unwrap();
    let reasoning = |text: &str| Delta::Reasoning(text.into());
    assert_eq!(
        shown,
        [
            reasoning("r"),
            reasoning("s"),
            Delta::Text("a".into()),
            Delta::Text("\"b\"".into())
        ]
    );
}

#[test]
fn a_text_that_is_told_four_times_is_said_once() {
    let item = message("ab");
    let part = json!({ "type": "output_text", "text": "ab" });
    let all = [
        added(
            0,
            &json!({ "type": "message", "role": "assistant", "content": [] }),
        ),
        text_delta(0, "a"),
        text_delta(0, "b"),
        json!({ "type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "ab" }),
        json!({ "type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": part }),
        done(0, &item),
        completed(&json!([item])),
    ];
    let response = stream_of(&all);
    assert_eq!(response, decode(&answer(&json!([item]))));
    assert_eq!(response.spoken(), "ab");
}

#[test]
fn a_text_comes_from_whatever_the_server_sends_of_it() {
    let piece = json!({ "type": "output_text", "text": "ab" });
    let ways = [
        vec![text_delta(0, "ab")],
        vec![
            json!({ "type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "ab" }),
        ],
        vec![
            json!({ "type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": piece }),
        ],
        vec![done(0, &message("ab"))],
        vec![text_delta(0, "a"), done(0, &message("ab"))],
        vec![
            json!({ "type": "response.output_text.delta", "delta": "a" }),
            json!({ "type": "response.output_text.delta", "delta": "b" }),
        ],
        vec![
            added(0, &message("a")),
            text_delta(0, "b"),
            done(0, &message("ab")),
        ],
    ];
    for way in ways {
        for output in [json!([]), json!([message("ab")])] {
            let all: Vec<Value> = way.iter().cloned().chain([completed(&output)]).collect();
            assert_eq!(stream_of(&all).reply().parts, [text("ab")], "{all:?}");
        }
    }
    assert_eq!(
        stream_of(&[completed(&json!([message("ab")]))]).spoken(),
        "ab"
    );
}

#[test]
fn a_stream_whose_items_came_whole_needs_no_output_at_its_end() {
    let mut end = completed(&json!([]));
    end["response"]["model"] = json!("small-1");
    let response = stream_of(&[
        done(0, &message("x")),
        done(1, &function_call("a", "t", "{}")),
        end,
    ]);
    let LLMResponse::Calls(reply) = response else {
        panic!()
    };
    assert_eq!(
        (reply.parts, reply.model.as_deref()),
        (vec![text("x"), call("a", "t", "{}")], Some("small-1"))
    );
}

#[test]
fn texts_of_a_later_item_wait_for_the_earlier_one() {
    let all = [
        added(0, &json!({ "type": "message", "content": [] })),
        added(1, &json!({ "type": "message", "content": [] })),
        text_delta(0, "a"),
        text_delta(1, "c"),
        text_delta(0, "b"),
        done(0, &message("ab")),
        text_delta(1, "d"),
        completed(&json!([message("ab"), message("cd")])),
    ];
    assert_eq!(stream_of(&all).reply().parts, [text("ab"), text("cd")]);
}

#[test]
fn what_contradicts_what_was_shown_or_comes_too_late_is_kept_and_not_said() {
    let contradicted = stream_of(&[
        text_delta(0, "ab"),
        done(0, &message("xy")),
        completed(&json!([])),
    ]);
    let kept = opaque(&json!({ "kept": { "contradicted_text": "xy" } }));
    assert_eq!(contradicted.reply().parts, [text("ab"), kept]);
    assert_eq!(contradicted.reply().warnings, ["text_contradicted"]);

    let late = stream_of(&[
        done(0, &message("a")),
        done(1, &message("b")),
        text_delta(0, "!"),
        completed(&json!([])),
    ]);
    assert_eq!(
        late.reply().parts,
        [
            text("a"),
            text("b"),
            opaque(&json!({ "kept": { "late_text": "!" } }))
        ]
    );
    assert_eq!(late.reply().warnings, ["text_late"]);
}

#[test]
fn arguments_are_those_of_the_end() {
    let delta = |text: &str| json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": text });
    let begin = added(
        0,
        &json!({ "type": "function_call", "id": "fc", "call_id": "a", "name": "t", "arguments": "" }),
    );
    let end = json!({ "type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{\"x\":1}" });
    let whole = vec![
        call("a", "t", "{\"x\":1}"),
        opaque(&json!({ "call": { "id": "fc" } })),
    ];
    let over = completed(&json!([]));
    for way in [
        vec![delta("{\"x\""), delta(":1}")],
        vec![end.clone()],
        vec![delta("{\"x\""), end.clone()],
    ] {
        let all: Vec<Value> = [begin.clone()]
            .into_iter()
            .chain(way)
            .chain([over.clone()])
            .collect();
        assert_eq!(stream_of(&all).reply().parts, whole);
    }
    let all = [begin, delta("{}"), end, over];
    let reply = stream_of(&all).reply().clone();
    assert_eq!(reply.parts[..2], whole);
    assert_eq!(
        reply.parts[2],
        opaque(&json!({ "kept": { "contradicted_arguments": "{}" } }))
    );
    assert_eq!(reply.warnings, ["arguments_contradicted"]);
}

#[test]
fn a_server_that_changes_ids_from_event_to_event_is_understood_by_the_numbers() {
    let with_id = |id: &str| {
        let mut item = message("ab");
        item["id"] = json!(id);
        item
    };
    let mut delta = text_delta(0, "ab");
    delta["item_id"] = json!("2");
    let all = [
        added(0, &json!({ "type": "message", "id": "1" })),
        delta,
        done(0, &with_id("3")),
        completed(&json!([with_id("4")])),
    ];
    assert_eq!(
        stream_of(&all).reply().parts,
        [
            text("ab"),
            opaque(&json!({ "message": { "fields": { "id": "3" } } }))
        ]
    );
}

#[test]
fn the_reasoning_that_goes_back_is_that_of_the_end_of_the_item() {
    let item = |content: &str| json!({ "type": "reasoning", "id": "rs", "summary": [], "encrypted_content": content });
    let all = [
        added(0, &item("half")),
        done(0, &item("whole")),
        completed(&json!([item("later")])),
    ];
    assert_eq!(
        stream_of(&all).reply().parts,
        [opaque(&json!({ "item": item("whole") }))]
    );
}

#[test]
fn reasoning_that_came_only_in_pieces_is_kept_in_its_item() {
    let delta = |number: u64, text: &str| json!({ "type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": number, "delta": text });
    let all = [
        added(0, &json!({ "type": "reasoning", "id": "rs" })),
        delta(0, "O"),
        delta(0, "ne."),
        delta(1, "Two."),
        completed(&json!([])),
    ];
    let summary = ["One.", "Two."].map(|text| json!({ "type": "summary_text", "text": text }));
    let item = json!({ "type": "reasoning", "id": "rs", "summary": summary });
    let expected = [
        Part::Reasoning("One.".into()),
        Part::Reasoning("Two.".into()),
        opaque(&json!({ "item": item })),
    ];
    assert_eq!(stream_of(&all).reply().parts, expected);
}

#[test]
fn unknown_events_are_kept_and_progress_is_not() {
    let all = [
        json!({ "type": "response.created", "response": { "model": "small-1" } }),
        json!({ "type": "keepalive", "sequence_number": 3 }),
        json!({ "type": "response.web_search_call.searching", "item_id": "ws", "output_index": 0 }),
        json!({ "type": "response.mood.changed", "sequence_number": 4, "mood": "calm" }),
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "x", "voice": "low", "logprobs": null }),
        completed(&json!([])),
    ];
    let reply = stream_of(&all).reply().clone();
    let kept = json!({ "response.mood.changed": { "mood": "calm" }, "response.output_text.delta": { "voice": "low" } });
    assert_eq!(reply.parts, [text("x"), opaque(&json!({ "kept": kept }))]);
    assert_eq!(reply.model.as_deref(), Some("small-1"));
}

#[test]
fn annotations_that_come_by_themselves_are_kept_once() {
    let citation = json!({ "type": "url_citation", "url": "https://example.org" });
    let event = json!({ "type": "response.output_text.annotation.added", "output_index": 0, "content_index": 0, "annotation_index": 0, "annotation": citation });
    let mut whole = message("x");
    whole["content"][0]["annotations"] = json!([citation]);
    let note =
        opaque(&json!({ "message": { "fields": {}, "content": [{ "annotations": [citation] }] } }));
    for output in [json!([]), json!([whole])] {
        let reply = stream_of(&[text_delta(0, "x"), event.clone(), completed(&output)])
            .reply()
            .clone();
        assert_eq!(reply.parts, [text("x"), note.clone()]);
    }
}

#[test]
fn a_stream_that_breaks_off_is_an_outage() {
    let begun = events(&[text_delta(0, "a"), done(0, &message("a"))]);
    for cut in [
        begun.as_str(),
        "",
        &format!("{begun}data: {{\"type\":\"response.comp"),
    ] {
        assert_eq!(
            stream(&[cut.as_bytes()]),
            Err(DecodeError::CutOff),
            "{cut:?}"
        );
    }
    let unfinished = begun + "data: [DONE]\n\n";
    assert_eq!(
        stream(&[unfinished.as_bytes()]).unwrap().reply().warnings,
        ["finish_missing"]
    );
}

#[test]
fn nothing_after_the_end_is_read() {
    let text = events(&[text_delta(0, "a"), completed(&json!([]))]) + "data: nonsense\n\n";
    assert_eq!(stream(&[text.as_bytes()]).unwrap().spoken(), "a");
}

#[test]
fn a_call_whose_end_names_another_stays_what_it_was_begun_as() {
    let all = [
        added(0, &function_call("a", "t", "")),
        done(0, &function_call("b", "u", "{}")),
        completed(&json!([function_call("a", "t", "{}")])),
    ];
    let response = stream_of(&all);
    let kept = json!({ "contradicted_call_id": "b", "contradicted_name": "u" });
    assert_eq!(
        response.reply().parts,
        [call("a", "t", "{}"), opaque(&json!({ "kept": kept }))]
    );
    assert_eq!(response.reply().warnings, ["call_contradicted"]);
}
