use super::*;

fn whole(output: &Value) -> String {
    json!({ "id": "r", "object": "response", "status": "completed", "model": "m", "output": output }).to_string()
}

fn message(content: &Value) -> Value {
    json!({ "type": "message", "id": "1", "role": "assistant", "status": "completed", "content": content })
}

fn said(content: &Value) -> String {
    whole(&json!([message(content)]))
}

#[test]
fn content_of_any_shape_is_said_or_kept_and_never_passes_for_an_empty_answer() {
    let part = json!({ "type": "output_text", "text": "Hi", "annotations": [] });
    let with = |item: Value| whole(&json!([item, message(&json!([part]))]));
    check(
        Wire::OpenaiResponses,
        &[
            ("a text", said(&json!([part])), "text: Hi"),
            ("a bare text", said(&json!("Hi")), "text: Hi"),
            ("nothing", whole(&json!([])), "text: "),
            ("a number", said(&json!(5)), "error bad_reply"),
            ("an object", said(&json!({ "text": "Hi" })), "text: Hi ! content_unknown"),
            ("texts", said(&json!(["H", "i"])), "text: Hi ! content_unknown"),
            ("a text that is none", said(&json!([{ "type": "output_text", "text": 5 }])), "error bad_reply"),
            ("an unknown piece", said(&json!([{ "type": "hologram" }])), "error bad_reply"),
            ("an unknown piece beside", said(&json!([part, { "type": "hologram" }])), "text: Hi ! content_unknown"),
            ("a sound", said(&json!([part, { "type": "output_audio", "data": "AA" }])), "text: Hi ! content_not_shown"),
            ("an unknown item", whole(&json!([{ "type": "hologram", "id": "h" }])), "error bad_reply"),
            ("an unknown item beside", with(json!({ "type": "hologram", "id": "h" })), "text: Hi ! content_unknown"),
            ("an item that is none", whole(&json!(["Hi"])), "error bad_reply"),
            ("no output", json!({ "id": "r", "status": "completed" }).to_string(), "error bad_reply"),
            ("an output that is none", json!({ "status": "completed", "output": "Hi" }).to_string(), "error bad_reply"),
            (
                "one field for all",
                json!({ "status": "completed", "output": [], "output_text": "Hi" }).to_string(),
                "text: Hi ! content_unknown",
            ),
            ("a refusal", said(&json!([{ "type": "refusal", "refusal": "No." }])), "refused: No."),
            (
                "an error",
                json!({ "status": "failed", "output": [], "error": { "code": "rate_limit_exceeded", "message": "m" } })
                    .to_string(),
                "error rate",
            ),
        ],
    );
}

#[test]
fn what_the_tools_of_the_provider_do_is_kept_without_a_warning() {
    let kinds = [
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "tool_search_call",
        "tool_search_output",
        "shell_call_output",
        "compaction",
        "program",
        "program_output",
    ];
    for kind in kinds {
        let output = json!([{ "type": kind, "id": "i" }, message(&json!("Hi"))]);
        check(Wire::OpenaiResponses, &[(kind, whole(&output), "text: Hi")]);
    }
    for kind in ["custom_tool_call", "computer_call", "mcp_approval_request"] {
        let output = json!([{ "type": kind, "id": "i" }, message(&json!("Hi"))]);
        check(
            Wire::OpenaiResponses,
            &[(kind, whole(&output), "text: Hi ! call_type_unknown")],
        );
    }
}

#[test]
fn events_that_nobody_knows_do_not_pass_for_an_empty_answer() {
    let completed = json!({ "type": "response.completed", "response": { "status": "completed", "output": [] } });
    let sound = json!({ "type": "response.audio.transcript.delta", "delta": "Hi" });
    let progress =
        json!({ "type": "response.web_search_call.searching", "output_index": 0, "item_id": "w" });
    let text = json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "Hi" });
    check(
        Wire::OpenaiResponses,
        &[
            (
                "a sound",
                events(&[sound.clone(), completed.clone()]),
                "error bad_reply",
            ),
            (
                "a sound and a text",
                events(&[sound, text.clone(), completed.clone()]),
                "text: Hi ! delta_not_taken",
            ),
            (
                "progress",
                events(&[progress, text.clone(), completed.clone()]),
                "text: Hi",
            ),
            (
                "keep-alive",
                events(&[json!({ "type": "keepalive" }), text.clone(), completed]),
                "text: Hi",
            ),
            ("cut", events(std::slice::from_ref(&text)), "error outage"),
            (
                "an error",
                events(&[
                    text,
                    json!({ "type": "error", "code": "server_error", "message": "m" }),
                ]),
                "error outage",
            ),
        ],
    );
}

#[test]
fn a_call_that_the_limit_cut_is_told_as_it_came() {
    let cut = |arguments: &str, status: &str| {
        let call = json!({ "type": "function_call", "call_id": "1", "name": "a", "arguments": arguments, "status": status });
        json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" }, "output": [call] })
            .to_string()
    };
    check(
        Wire::OpenaiResponses,
        &[
            (
                "begun",
                cut("{\"x\":", "incomplete"),
                "truncated:  → a {\"x\": ! call_cut",
            ),
            (
                "closed by the server",
                cut("{}", "incomplete"),
                "truncated:  → a  ! call_cut",
            ),
            (
                "whole",
                cut("{\"x\":1}", "completed"),
                "truncated:  → a {\"x\":1}",
            ),
        ],
    );
}
