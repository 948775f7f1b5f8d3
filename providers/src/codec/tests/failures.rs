use super::*;

fn kind(wire: Wire, status: u16, body: &Value) -> String {
    let body = body.to_string();
    let failure = WireFailure {
        status,
        retry_after: None,
        body: body.as_bytes(),
    };
    wire.default_codec().decode_error(failure).kind.to_string()
}

fn check_kinds(rows: &[(&str, u16, Value, &str)]) {
    for (server, status, body, expected) in rows {
        assert_eq!(
            kind(Wire::OpenaiChat, *status, body),
            *expected,
            "{server}: {status} {body}"
        );
    }
}

fn of(kind: &str, code: &Value, message: &str) -> Value {
    json!({ "error": { "type": kind, "code": code, "message": message } })
}

/// As the servers themselves, and the threads of their users, have them.
#[test]
fn what_a_server_reports_is_of_the_kind_that_says_what_to_do() {
    let failed = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.";
    let llama = "the request exceeds the available context size. try increasing the context size or enable context shift";
    let rows = [
        (
            "Groq",
            400,
            of("invalid_request_error", &json!("tool_use_failed"), failed),
            "bad_reply",
        ),
        (
            "Groq",
            400,
            of(
                "invalid_request_error",
                &json!("tool_use_failed"),
                "tool call validation failed: parameters for tool a did not match schema",
            ),
            "bad_reply",
        ),
        (
            "Groq",
            400,
            of(
                "invalid_request_error",
                &json!("json_validate_failed"),
                "Failed to generate JSON.",
            ),
            "bad_reply",
        ),
        (
            "Groq",
            400,
            of(
                "invalid_request_error",
                &json!("context_length_exceeded"),
                "Please reduce the length of the messages or completion.",
            ),
            "context_too_long",
        ),
        (
            "llama.cpp",
            400,
            of("exceed_context_size_error", &json!(400), llama),
            "context_too_long",
        ),
        (
            "llama.cpp",
            500,
            of("exceed_context_size_error", &json!(500), llama),
            "context_too_long",
        ),
        (
            "llama.cpp",
            500,
            of(
                "server_error",
                &json!(500),
                "Context size has been exceeded.",
            ),
            "context_too_long",
        ),
        (
            "llama.cpp",
            500,
            of(
                "server_error",
                &json!(500),
                "the request exceeds the available context size",
            ),
            "context_too_long",
        ),
        (
            "llama.cpp",
            500,
            of("server_error", &json!(500), "context shift is disabled"),
            "context_too_long",
        ),
        (
            "llama.cpp",
            503,
            of("unavailable_error", &json!(503), "Loading model"),
            "overload",
        ),
    ];
    check_kinds(&rows);
}

#[test]
fn what_other_servers_report_is_of_the_kind_that_says_what_to_do() {
    let rows = [
        (
            "LM Studio",
            400,
            json!({ "error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens" }),
            "context_too_long",
        ),
        (
            "vLLM",
            400,
            json!({ "object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens", "type": "BadRequestError", "code": 400 }),
            "context_too_long",
        ),
        (
            "xAI",
            400,
            json!({ "error": "This model's maximum prompt length is 131072 but the request contains 200000 tokens." }),
            "context_too_long",
        ),
        (
            "OpenAI",
            429,
            of(
                "insufficient_quota",
                &json!("insufficient_quota"),
                "You exceeded your current quota",
            ),
            "refuses_account",
        ),
        (
            "OpenAI",
            500,
            of(
                "server_error",
                &json!(null),
                "The server had an error while processing your request",
            ),
            "outage",
        ),
        ("anybody", 502, json!("<html>Bad gateway</html>"), "outage"),
    ];
    check_kinds(&rows);
    let anthropic =
        |kind: &str| json!({ "type": "error", "error": { "type": kind, "message": "m" } });
    for (status, name, expected) in [
        (529, "overloaded_error", "overload"),
        (413, "request_too_large", "context_too_long"),
    ] {
        assert_eq!(
            kind(Wire::AnthropicMessages, status, &anthropic(name)),
            expected,
            "{name}"
        );
    }
}

#[test]
fn the_same_in_a_stream_with_status_200_is_of_the_same_kind() {
    let llama = json!({ "error": { "code": 400, "type": "exceed_context_size_error", "message": "m", "n_ctx": 8192 } });
    let groq = json!({ "error": { "message": "m", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": "x" } });
    check(
        Wire::OpenaiChat,
        &[
            (
                "llama.cpp",
                events(std::slice::from_ref(&llama)),
                "error context_too_long",
            ),
            (
                "llama.cpp, a document",
                llama.to_string(),
                "error context_too_long",
            ),
            (
                "llama.cpp, an older one",
                format!("error: {llama}\n\n"),
                "error context_too_long",
            ),
            (
                "Groq",
                events(std::slice::from_ref(&groq)),
                "error bad_reply",
            ),
            (
                "Groq, an event",
                format!("event: error\ndata: {groq}\n\n"),
                "error bad_reply",
            ),
        ],
    );
}
