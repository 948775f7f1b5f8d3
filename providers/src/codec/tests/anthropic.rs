use folkmoot_core::model::{Effort, Parameters, Reasoning, ToolChoice};
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Item, ToolDeclaration};

use super::*;

fn whole(content: &Value, reason: &str) -> String {
    json!({ "id": "m", "type": "message", "role": "assistant", "content": content, "stop_reason": reason }).to_string()
}

fn begin(id: &str, input: u64) -> Value {
    let usage = json!({ "input_tokens": input, "output_tokens": 1 });
    json!({ "type": "message_start", "message": { "id": id, "type": "message", "role": "assistant", "content": [], "usage": usage } })
}

fn start(index: u64, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn stop(index: u64) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn text(index: u64, text: &str) -> [Value; 3] {
    let block = json!({ "type": "text", "text": "" });
    [
        start(index, &block),
        delta(index, &json!({ "type": "text_delta", "text": text })),
        stop(index),
    ]
}

fn call(index: u64, name: &str, arguments: &str) -> [Value; 2] {
    let block = json!({ "type": "tool_use", "id": name, "name": name, "input": {} });
    [
        start(index, &block),
        delta(
            index,
            &json!({ "type": "input_json_delta", "partial_json": arguments }),
        ),
    ]
}

fn end(reason: &str, usage: &Value) -> [Value; 2] {
    [
        json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ]
}

fn stream(list: &[&[Value]]) -> String {
    events(&list.concat())
}

#[test]
fn content_of_any_shape_is_said_or_kept_and_never_passes_for_an_empty_answer() {
    let hi = json!([{ "type": "text", "text": "Hi" }]);
    check(
        Wire::AnthropicMessages,
        &[
            ("blocks", whole(&hi, "end_turn"), "text: Hi"),
            ("nothing", whole(&json!([]), "end_turn"), "text: "),
            (
                "a text",
                whole(&json!("Hi"), "end_turn"),
                "text: Hi ! content_unknown",
            ),
            (
                "texts",
                whole(&json!(["H", "i"]), "end_turn"),
                "text: Hi ! content_unknown",
            ),
            ("a number", whole(&json!(5), "end_turn"), "error bad_reply"),
            ("null", whole(&json!(null), "end_turn"), "error bad_reply"),
            (
                "a block without a type",
                whole(&json!([{ "text": "Hi" }]), "end_turn"),
                "text: Hi ! content_unknown",
            ),
            (
                "a text that is none",
                whole(&json!([{ "type": "text", "text": 5 }]), "end_turn"),
                "error bad_reply",
            ),
            (
                "an unknown block",
                whole(&json!([{ "type": "hologram" }]), "end_turn"),
                "error bad_reply",
            ),
            (
                "an unknown block beside",
                whole(&json!([{ "type": "hologram" }, hi[0]]), "end_turn"),
                "text: Hi ! content_unknown",
            ),
            (
                "the older completions",
                json!({ "type": "completion", "completion": "Hi", "stop_reason": "stop_sequence" })
                    .to_string(),
                "error bad_reply",
            ),
            (
                "an unknown delta alone",
                stream(&[
                    &[
                        begin("m", 1),
                        start(0, &json!({ "type": "text", "text": "" })),
                        delta(0, &json!({ "type": "hum_delta", "hum": "Hi" })),
                    ],
                    &end("end_turn", &json!({})),
                ]),
                "error bad_reply",
            ),
            (
                "a block whose beginning is lost",
                stream(&[
                    &[begin("m", 1), text(0, "Hi")[1].clone()],
                    &end("end_turn", &json!({})),
                ]),
                "text: Hi ! delta_not_taken",
            ),
            (
                "an error in the stream",
                stream(&[&[
                    begin("m", 1),
                    json!({ "type": "error", "error": { "type": "overloaded_error", "message": "m" } }),
                ]]),
                "error overload",
            ),
        ],
    );
}

#[test]
fn what_the_tools_of_the_provider_do_is_kept_without_a_warning() {
    let blocks = json!([
        { "type": "server_tool_use", "id": "s", "name": "web_search", "input": { "query": "q" } },
        { "type": "web_search_tool_result", "tool_use_id": "s", "content": [{ "type": "web_search_result", "url": "u" }] },
        { "type": "mcp_tool_use", "id": "t", "name": "echo", "server_name": "e", "input": {} },
        { "type": "mcp_tool_result", "tool_use_id": "t", "is_error": false, "content": [{ "type": "text", "text": "x" }] },
        { "type": "bash_code_execution_tool_result", "tool_use_id": "s", "content": {} },
        { "type": "container_upload", "file_id": "f" },
        { "type": "redacted_thinking", "data": "AA" },
        { "type": "thinking", "thinking": "Hm", "signature": "s" },
        { "type": "text", "text": "Hi", "citations": [{ "type": "web_search_result_location", "url": "u" }] },
    ]);
    check(
        Wire::AnthropicMessages,
        &[
            ("all", whole(&blocks, "end_turn"), "text: Hi (Hm)"),
            ("a pause", whole(&json!([blocks[0]]), "pause_turn"), "truncated:  ! turn_paused"),
            (
                "a refusal",
                whole(&json!([]), "refusal").replace(
                    "\"stop_reason\"",
                    "\"stop_details\":{\"type\":\"refusal\",\"explanation\":\"No.\"},\"stop_reason\"",
                ),
                "refused: No.",
            ),
        ],
    );
}

fn request(parameters: Parameters, items: Vec<Item<String>>) -> ForgedRequest {
    let schema = json!({ "type": "object", "properties": {} });
    let tools = vec![ToolDeclaration {
        name: "add".into(),
        description: "Adds.".into(),
        schema,
    }];
    ForgedRequest {
        model: "m".into(),
        parameters,
        tools,
        items,
        ..ForgedRequest::default()
    }
}

fn encode(parameters: Parameters, items: Vec<Item<String>>) -> WireRequest {
    AnthropicMessages::default().encode(
        &request(parameters, items).into_request(),
        &Files::new(),
        AnswerMode::Stream,
    )
}

#[test]
fn a_streamed_compaction_is_kept_and_goes_back_as_it_came() {
    let compaction = [
        start(0, &json!({ "type": "compaction", "content": null })),
        delta(
            0,
            &json!({ "type": "compaction_delta", "content": "So far: …", "encrypted_content": "AAAA" }),
        ),
        stop(0),
    ];
    let body = stream(&[
        &[begin("m", 5)],
        &compaction,
        &text(1, "Hi"),
        &end("end_turn", &json!({ "output_tokens": 2 })),
    ]);
    check(
        Wire::AnthropicMessages,
        &[("compaction", body.clone(), "text: Hi")],
    );
    let reply = read(Wire::AnthropicMessages, &body, 9)
        .0
        .unwrap()
        .reply()
        .clone();
    let wire = encode(
        Parameters::default(),
        vec![Item::Said { parts: reply.parts }],
    );
    let block =
        json!({ "type": "compaction", "content": "So far: …", "encrypted_content": "AAAA" });
    assert_eq!(
        wire.body["messages"][1]["content"],
        json!([block, { "type": "text", "text": "Hi" }])
    );
    let paused = stream(&[
        &[begin("m", 5)],
        &compaction,
        &end("compaction", &json!({})),
    ]);
    check(
        Wire::AnthropicMessages,
        &[("a pause behind it", paused, "truncated:  ! turn_paused")],
    );
}

#[test]
fn what_was_summed_up_on_the_way_is_counted_and_so_is_what_other_models_did() {
    let step = |kind: &str, input: u64, output: u64, model: &str| json!({ "type": kind, "input_tokens": input, "output_tokens": output, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0, "model": model });
    let counts = |steps: Value| {
        let usage = json!({ "input_tokens": 600, "output_tokens": 200, "iterations": steps });
        let body = stream(&[&[begin("m", 600)], &text(0, "Hi"), &end("end_turn", &usage)]);
        let reply = read(Wire::AnthropicMessages, &body, 50)
            .0
            .unwrap()
            .reply()
            .clone();
        (
            reply.usage.input,
            reply.usage.output,
            reply.usage.cached,
            reply.warnings,
        )
    };
    let alone = counts(json!([step("message", 600, 200, "a")]));
    assert_eq!(
        alone,
        (Some(610), Some(200), Some(10), vec![]),
        "one step says the same once more"
    );
    let summed = counts(json!([
        step("compaction", 180_000, 3_500, "a"),
        step("message", 600, 200, "a")
    ]));
    assert_eq!(summed, (Some(180_620), Some(3_700), Some(20), vec![]));
    let advised = counts(json!([
        step("message", 600, 200, "a"),
        step("advisor_message", 900, 50, "b")
    ]));
    assert_eq!(
        advised,
        (
            Some(1_520),
            Some(250),
            Some(20),
            vec!["models_mixed".to_owned()]
        )
    );
    assert_eq!(counts(json!([])), (Some(600), Some(200), None, vec![]));
    assert_eq!(counts(json!(7)), (Some(600), Some(200), None, vec![]));
}

#[test]
fn a_second_message_in_a_stream_counts_and_leaves_no_half_call_of_the_first() {
    let again = |first: &[Value]| {
        let second = [
            &[begin("n", 7)],
            text(0, " there").as_slice(),
            &end("end_turn", &json!({ "output_tokens": 5 })),
        ]
        .concat();
        stream(&[&[begin("m", 3)], &text(0, "Hi"), first, &second])
    };
    let [half, fragment] = call(1, "pay", "{\"to\":\"b");
    let rows = [
        (
            "half a call",
            again(&[half, fragment]),
            "text: Hi there ! message_begun_again",
        ),
        (
            "a whole call",
            again(&call(1, "pay", "{}")),
            "text: Hi there ! message_begun_again",
        ),
        (
            "an ended message",
            again(&end("tool_use", &json!({}))[..1]),
            "text: Hi there ! message_begun_again",
        ),
    ];
    check(Wire::AnthropicMessages, &rows);
    let reply = read(Wire::AnthropicMessages, &rows[0].1, 50)
        .0
        .unwrap()
        .reply()
        .clone();
    assert_eq!(
        (reply.usage.input, reply.usage.output),
        (Some(10), Some(6)),
        "both were paid for"
    );
    let replayed = read(
        Wire::AnthropicMessages,
        &rows[0].1.replace("\"id\":\"n\"", "\"id\":\"m\""),
        50,
    )
    .0
    .unwrap();
    assert_eq!(
        replayed.reply().usage.input,
        Some(7),
        "one message is paid for once"
    );
    let cut = stream(&[
        &[begin("m", 3)],
        &text(0, "Hi"),
        &end("end_turn", &json!({}))[..1],
        &[begin("n", 7)],
    ]);
    let twice = stream(&[
        &[begin("m", 3), begin("m", 3)],
        &text(0, "Hi"),
        &end("end_turn", &json!({})),
    ]);
    check(
        Wire::AnthropicMessages,
        &[
            ("the second is cut", cut, "error outage"),
            ("told twice", twice, "text: Hi"),
        ],
    );
}

#[test]
fn a_call_that_the_limit_cut_is_malformed_and_never_without_arguments() {
    let streamed = |arguments: &str| {
        stream(&[
            &[begin("m", 1)],
            &call(0, "pay", arguments),
            &end("max_tokens", &json!({})),
        ])
    };
    let block = |input: Value| {
        whole(
            &json!([{ "type": "tool_use", "id": "1", "name": "pay", "input": input }]),
            "max_tokens",
        )
    };
    check(
        Wire::AnthropicMessages,
        &[
            (
                "begun",
                streamed("{\"to\":\"b"),
                "truncated:  → pay {\"to\":\"b ! call_cut",
            ),
            ("not begun", streamed(""), "truncated:  → pay  ! call_cut"),
            (
                "closed by the server",
                block(json!({})),
                "truncated:  → pay  ! call_cut",
            ),
            (
                "closed by the server, half",
                block(json!({ "to": "b" })),
                "truncated:  → pay  ! call_cut",
            ),
            (
                "a pause is no cut",
                whole(
                    &json!([{ "type": "tool_use", "id": "1", "name": "pay", "input": {} }]),
                    "pause_turn",
                ),
                "truncated:  → pay {} ! turn_paused",
            ),
        ],
    );
}

#[test]
fn combinations_that_the_wire_is_known_to_refuse_are_told_and_not_sent() {
    let think = |tokens_max| {
        Some(Reasoning {
            effort: None,
            tokens_max,
            show: None,
        })
    };
    let with = |change: fn(&mut Parameters), reasoning| {
        let mut parameters = Parameters {
            reasoning,
            output_tokens_max: Some(9_000),
            ..Parameters::default()
        };
        change(&mut parameters);
        let wire = encode(
            parameters,
            vec![Item::Heard {
                from: "Ada".into(),
                text: "Hi".into(),
                attachments: vec![],
            }],
        );
        let sent = ["thinking", "temperature", "top_p", "tool_choice"];
        let sent: Vec<&str> = sent
            .into_iter()
            .filter(|field| wire.body.get(*field).is_some())
            .collect();
        (sent, wire.warnings)
    };
    let told = |sent: &[&'static str], codes: &[&str]| {
        (
            sent.to_vec(),
            codes
                .iter()
                .map(|code| (*code).to_owned())
                .collect::<Vec<_>>(),
        )
    };
    let forced: fn(&mut Parameters) = |all| all.tool_choice = Some(ToolChoice::Required);
    let named: fn(&mut Parameters) = |all| all.tool_choice = Some(ToolChoice::Tool("add".into()));
    for force in [forced, named] {
        for reasoning in [
            think(Some(2_000)),
            think(None),
            Some(Reasoning {
                effort: Some(Effort::High),
                ..Reasoning::default()
            }),
        ] {
            assert_eq!(
                with(force, reasoning),
                told(&["tool_choice"], &["reasoning_not_carried"])
            );
        }
        assert_eq!(
            with(
                force,
                Some(Reasoning {
                    effort: Some(Effort::None),
                    ..Reasoning::default()
                })
            ),
            told(&["thinking", "tool_choice"], &[])
        );
    }
    assert_eq!(
        with(|all| all.tool_choice = Some(ToolChoice::Auto), think(None)),
        told(&["thinking", "tool_choice"], &[])
    );
    assert_eq!(
        with(|all| all.temperature_milli = Some(700), think(None)),
        told(&["thinking"], &["temperature_not_carried"])
    );
    assert_eq!(
        with(|all| all.temperature_milli = Some(1_000), think(None)),
        told(&["thinking", "temperature"], &[])
    );
    assert_eq!(
        with(|all| all.temperature_milli = Some(700), None),
        told(&["temperature"], &[])
    );
    assert_eq!(
        with(|all| all.temperature_milli = Some(1_700), None),
        told(&[], &["temperature_not_carried"])
    );
    assert_eq!(
        with(|all| all.top_p_milli = Some(900), think(None)),
        told(&["thinking"], &["top_p_not_carried"])
    );
    assert_eq!(
        with(|all| all.top_p_milli = Some(950), think(None)),
        told(&["thinking", "top_p"], &[])
    );
    assert_eq!(
        with(|_| {}, think(Some(1_023))),
        told(&[], &["reasoning_tokens_not_carried"])
    );
    assert_eq!(with(|_| {}, think(Some(1_024))), told(&["thinking"], &[]));
    assert_eq!(
        with(|_| {}, think(Some(0))),
        told(&["thinking"], &[]),
        "none at all can be asked for"
    );
}
