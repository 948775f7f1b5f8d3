use super::*;

fn whole(message: &Value, finish: &str) -> String {
    json!({ "id": "c", "object": "chat.completion", "choices": [{ "index": 0, "message": message, "finish_reason": finish }] })
        .to_string()
}

/// A stream of these deltas, which ended so.
fn stream(deltas: &[Value], finish: &str) -> String {
    let chunk = |delta: &Value| json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta }] });
    let mut chunks: Vec<Value> = deltas.iter().map(chunk).collect();
    chunks.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }));
    events(&chunks) + "data: [DONE]\n\n"
}

fn said(content: &Value) -> String {
    whole(&json!({ "role": "assistant", "content": content }), "stop")
}

#[test]
fn content_of_any_shape_is_said_or_kept_and_never_passes_for_an_empty_answer() {
    check(
        Wire::OpenaiChat,
        &[
            ("a text", said(&json!("Hi")), "text: Hi"),
            ("nothing", said(&json!(null)), "text: "),
            (
                "parts",
                said(&json!([{ "type": "text", "text": "H" }, { "type": "text", "text": "i" }])),
                "text: Hi",
            ),
            ("a number", said(&json!(5)), "error bad_reply"),
            ("a truth", said(&json!(true)), "error bad_reply"),
            (
                "an object",
                said(&json!({ "text": "Hi" })),
                "text: Hi ! content_unknown",
            ),
            (
                "an object without a text",
                said(&json!({ "parts": ["Hi"] })),
                "error bad_reply",
            ),
            (
                "texts",
                said(&json!(["H", "i"])),
                "text: Hi ! content_unknown",
            ),
            ("numbers", said(&json!([1, 2])), "error bad_reply"),
            (
                "another name",
                said(&json!([{ "type": "output_text", "text": "Hi" }])),
                "text: Hi ! content_unknown",
            ),
            (
                "no type",
                said(&json!([{ "text": "Hi" }])),
                "text: Hi ! content_unknown",
            ),
            (
                "no text",
                said(&json!([{ "type": "text", "text": { "value": "Hi" } }])),
                "error bad_reply",
            ),
            (
                "unknown beside known",
                said(&json!([{ "type": "text", "text": "Hi" }, { "type": "hologram", "data": 1 }])),
                "text: Hi ! content_unknown",
            ),
            (
                "unknown alone",
                said(&json!([{ "type": "hologram", "data": 1 }])),
                "error bad_reply",
            ),
            (
                "a picture",
                said(
                    &json!([{ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } }]),
                ),
                "text:  ! content_not_shown",
            ),
            (
                "pictures beside",
                whole(
                    &json!({ "content": "Here", "images": [{ "type": "image_url" }] }),
                    "stop",
                ),
                "text: Here ! content_not_shown",
            ),
            (
                "a sound",
                whole(
                    &json!({ "content": null, "audio": { "id": "a", "data": "AA", "transcript": "Hi" } }),
                    "stop",
                ),
                "text: Hi ! content_not_shown",
            ),
        ],
    );
}

#[test]
fn frames_of_other_interfaces_are_read_or_refused() {
    check(
        Wire::OpenaiChat,
        &[
            (
                "the older completions",
                json!({ "choices": [{ "text": "Hi", "finish_reason": "stop" }] }).to_string(),
                "text: Hi ! content_unknown",
            ),
            (
                "a delta in a document",
                json!({ "choices": [{ "delta": { "content": "Hi" }, "finish_reason": "stop" }] })
                    .to_string(),
                "text: Hi",
            ),
            (
                "no message",
                json!({ "choices": [{ "finish_reason": "stop" }] }).to_string(),
                "error bad_reply",
            ),
            (
                "no choice",
                json!({ "choices": [], "usage": {} }).to_string(),
                "error bad_reply",
            ),
            (
                "choices that are none",
                json!({ "choices": { "0": {} } }).to_string(),
                "error bad_reply",
            ),
            (
                "calls that are none",
                whole(&json!({ "tool_calls": { "0": {} } }), "tool_calls"),
                "error bad_reply",
            ),
            (
                "a list in a delta",
                stream(
                    &[json!({ "content": ["H"] }), json!({ "content": "i" })],
                    "stop",
                ),
                "text: Hi ! content_unknown",
            ),
            (
                "a number in a delta",
                stream(&[json!({ "content": 5 })], "stop"),
                "error bad_reply",
            ),
            (
                "the older completions, streamed",
                events(&[
                    json!({ "choices": [{ "text": "H" }] }),
                    json!({ "choices": [{ "text": "i", "finish_reason": "stop" }] }),
                ]),
                "text: Hi ! content_unknown",
            ),
            (
                "words of a sound, streamed",
                stream(
                    &[
                        json!({ "audio": { "transcript": "H" } }),
                        json!({ "audio": { "transcript": "i" } }),
                    ],
                    "stop",
                ),
                "text: Hi",
            ),
            (
                "a message in the last chunk",
                stream(&[json!({ "content": "Hi" })], "stop")
                    .replace("\"delta\":{}", "\"message\":{\"content\":\"Hi\"}"),
                "text: Hi",
            ),
        ],
    );
}

#[test]
fn calls_are_told_apart_by_whatever_their_server_gives() {
    let calls = |items: &[Value]| {
        let deltas: Vec<Value> = items
            .iter()
            .map(|item| json!({ "tool_calls": [item] }))
            .collect();
        stream(&deltas, "tool_calls")
    };
    let of = |name: &str, arguments: &str| json!({ "name": name, "arguments": arguments });
    check(
        Wire::OpenaiChat,
        &[
            (
                "no index and no ids",
                calls(&[
                    json!({ "function": of("a", "{\"x\":1}") }),
                    json!({ "function": of("b", "{}") }),
                ]),
                "calls:  → a {\"x\":1} → b {}",
            ),
            (
                "one index and no ids",
                calls(&[
                    json!({ "index": 0, "function": of("a", "{}") }),
                    json!({ "index": 0, "function": of("a", "{\"x\":1}") }),
                ]),
                "calls:  → a {} → a {\"x\":1}",
            ),
            (
                "one index, ids",
                calls(&[
                    json!({ "index": 0, "id": "1", "function": of("a", "{}") }),
                    json!({ "index": 0, "id": "2", "function": of("a", "{}") }),
                ]),
                "calls:  → a {} → a {}",
            ),
            (
                "the name in each fragment",
                calls(&[
                    json!({ "function": of("a", "{\"x\"") }),
                    json!({ "function": of("a", ":1}") }),
                    json!({ "function": of("a", "") }),
                ]),
                "calls:  → a {\"x\":1}",
            ),
            (
                "no id, fragments",
                calls(&[
                    json!({ "index": 0, "function": of("a", "") }),
                    json!({ "index": 0, "function": { "arguments": "{}" } }),
                ]),
                "calls:  → a {}",
            ),
            (
                "two in one chunk",
                stream(
                    &[
                        json!({ "tool_calls": [{ "function": of("a", "{}") }, { "function": of("b", "{}") }] }),
                    ],
                    "tool_calls",
                ),
                "calls:  → a {} → b {}",
            ),
        ],
    );
}

#[test]
fn calls_of_older_interfaces_are_calls() {
    let of = |name: &str, arguments: &str| json!({ "name": name, "arguments": arguments });
    check(
        Wire::OpenaiChat,
        &[
            (
                "arguments as JSON",
                whole(
                    &json!({ "tool_calls": [{ "function": { "name": "a", "arguments": { "x": 1 } } }] }),
                    "tool_calls",
                ),
                "calls:  → a {\"x\":1} ! arguments_not_text",
            ),
            (
                "the old field",
                whole(
                    &json!({ "content": null, "function_call": of("a", "{}") }),
                    "function_call",
                ),
                "calls:  → a {}",
            ),
            (
                "the old field, streamed",
                stream(
                    &[
                        json!({ "function_call": of("a", "{") }),
                        json!({ "function_call": { "arguments": "}" } }),
                    ],
                    "function_call",
                ),
                "calls:  → a {}",
            ),
            (
                "none, although it says so",
                whole(&json!({ "content": "Hi" }), "tool_calls"),
                "text: Hi ! calls_missing",
            ),
        ],
    );
}

#[test]
fn a_call_that_the_limit_cut_is_told_as_it_came() {
    let cut = |arguments: &str| {
        let call = json!({ "id": "1", "type": "function", "function": { "name": "a", "arguments": arguments } });
        (
            whole(&json!({ "tool_calls": [call] }), "length"),
            stream(&[json!({ "tool_calls": [call] })], "length"),
        )
    };
    for (arguments, expected) in [
        ("", "truncated:  → a  ! call_cut"),
        ("{\"x\":", "truncated:  → a {\"x\": ! call_cut"),
        ("{\"x\":1}", "truncated:  → a {\"x\":1}"),
    ] {
        let (whole, stream) = cut(arguments);
        check(
            Wire::OpenaiChat,
            &[("whole", whole, expected), ("streamed", stream, expected)],
        );
    }
}

#[test]
fn ends_of_every_server_are_of_their_kind() {
    let ended = |finish: &str| whole(&json!({ "content": "Hi" }), finish);
    check(
        Wire::OpenaiChat,
        &[
            ("OpenAI", ended("length"), "truncated: Hi"),
            ("Mistral", ended("model_length"), "truncated: Hi"),
            (
                "Zhipu, context",
                ended("model_context_window_exceeded"),
                "truncated: Hi",
            ),
            ("Zhipu, filter", ended("sensitive"), "filtered: Hi"),
            ("Zhipu, network", ended("network_error"), "error outage"),
            (
                "Gemini, filter",
                ended("content_filter: SAFETY"),
                "filtered: Hi",
            ),
            (
                "Gemini, call",
                ended("function_call_filter: MALFORMED_FUNCTION_CALL"),
                "error outage",
            ),
            ("vLLM", ended("abort"), "error outage"),
            ("nobody", ended("eos"), "text: Hi ! finish_unknown"),
        ],
    );
}

#[test]
fn reasoning_is_found_in_all_its_fields() {
    let said = |field: &str, value: Value| whole(&json!({ "content": "Hi", field: value }), "stop");
    let thinking = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "Hm" }] }, { "type": "text", "text": "Hi" }]);
    check(
        Wire::OpenaiChat,
        &[
            (
                "DeepSeek",
                said("reasoning_content", json!("Hm")),
                "text: Hi (Hm)",
            ),
            (
                "OpenRouter",
                said("reasoning", json!("Hm")),
                "text: Hi (Hm)",
            ),
            (
                "Mistral",
                whole(&json!({ "content": thinking }), "stop"),
                "text: Hi (Hm)",
            ),
            (
                "both",
                whole(
                    &json!({ "content": "Hi", "reasoning": "Hm", "reasoning_content": "Hm" }),
                    "stop",
                ),
                "text: Hi (Hm)",
            ),
            (
                "streamed",
                stream(
                    &[
                        json!({ "reasoning_content": "H" }),
                        json!({ "reasoning_content": "m" }),
                        json!({ "content": "Hi" }),
                    ],
                    "stop",
                ),
                "text: Hi (Hm)",
            ),
        ],
    );
}

#[test]
fn frames_of_any_kind_are_read() {
    let text = stream(&[json!({ "content": "Hi" })], "stop");
    let usage = events(&[
        json!({ "choices": [], "usage": { "prompt_tokens": 3, "completion_tokens": 4 } }),
    ]);
    let document = said(&json!("Hi"));
    let in_stream = |error: Value| {
        stream(&[json!({ "content": "H" })], "stop")
            .replace("data: [DONE]", &format!("data: {error}"))
    };
    check(
        Wire::OpenaiChat,
        &[
            ("comments", text.replace("data:", ": OPENROUTER PROCESSING\n\ndata:"), "text: Hi"),
            ("CRLF", text.replace('\n', "\r\n"), "text: Hi"),
            ("CR", text.replace('\n', "\r"), "text: Hi"),
            ("a mark", format!("\u{feff}{text}"), "text: Hi"),
            ("no blanks", text.replace("data: ", "data:"), "text: Hi"),
            ("names and numbers", text.replace("data:", "event: message\nid: 1\nretry: 5\ndata:"), "text: Hi"),
            ("empty deltas", stream(&[json!({}), json!({ "content": "" }), json!({ "content": null }), json!({ "content": "Hi" })], "stop"), "text: Hi"),
            ("counts behind", text.replace("data: [DONE]\n\n", &usage) + "data: [DONE]\n\n", "text: Hi"),
            ("no end mark", text.replace("data: [DONE]\n\n", ""), "text: Hi"),
            ("cut", text.split("data: ").take(2).collect::<Vec<_>>().join("data: "), "error outage"),
            ("a document", document.clone(), "text: Hi"),
            ("a document behind blanks", format!("\n   \n{document}\n"), "text: Hi"),
            ("a page", "<!DOCTYPE html><title>502</title>".to_owned(), "error bad_reply"),
            ("a word", "Internal Server Error".to_owned(), "error bad_reply"),
            ("nothing", " \n".to_owned(), "error outage"),
            ("an error in a document", json!({ "error": { "message": "x", "type": "rate_limit_error" } }).to_string(), "error rate"),
            ("an error in the stream", in_stream(json!({ "error": { "message": "m", "code": 503, "type": "server_error" } })), "error overload"),
            ("an error alone", events(&[json!({ "error": "overloaded", "code": 529 })]), "error outage"),
            ("vLLM's error", json!({ "object": "error", "message": "m", "type": "BadRequestError", "code": 400 }).to_string(), "error refuses_request"),
            ("several", json!({ "choices": [{ "message": { "content": "Hi" }, "finish_reason": "stop" }, { "message": { "content": "Ho" }, "finish_reason": "stop" }] }).to_string(), "text: Hi ! several_answers"),
            ("a refusal", whole(&json!({ "content": null, "refusal": "No." }), "stop"), "refused: No."),
            ("citations", whole(&json!({ "content": "Hi", "annotations": [{ "type": "url_citation" }] }), "stop"), "text: Hi"),
            ("probabilities", json!({ "choices": [{ "message": { "content": "Hi" }, "logprobs": { "content": [{ "token": "Hi" }] }, "finish_reason": "stop" }] }).to_string(), "text: Hi ! logprobs_not_kept"),
        ],
    );
}

#[test]
fn counts_are_found_where_servers_put_them() {
    let counts = |body: &str| {
        let usage = read(Wire::OpenaiChat, body, 5).0.unwrap().reply().usage;
        (usage.input, usage.output)
    };
    let three = json!({ "prompt_tokens": 3, "completion_tokens": 4 });
    let choice = |usage: Option<&Value>| json!({ "index": 0, "message": { "content": "Hi" }, "finish_reason": "stop", "usage": usage });
    assert_eq!(
        counts(&json!({ "choices": [choice(None)], "usage": three }).to_string()),
        (Some(3), Some(4))
    );
    assert_eq!(
        counts(&json!({ "choices": [choice(Some(&three))] }).to_string()),
        (Some(3), Some(4))
    );
    let other = json!({ "input_tokens": 3, "output_tokens": 4 });
    assert_eq!(
        counts(&json!({ "choices": [choice(None)], "usage": other }).to_string()),
        (Some(3), Some(4))
    );
}
