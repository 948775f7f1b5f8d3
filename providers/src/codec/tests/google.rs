use super::*;

fn document(parts: &Value, finish: Option<&str>) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": finish }] })
}

fn said(content: &Value) -> String {
    json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] }).to_string()
}

#[test]
fn content_of_any_shape_is_said_or_kept_and_never_passes_for_an_empty_answer() {
    let parts = |parts: Value| document(&parts, Some("STOP")).to_string();
    check(
        Wire::GoogleGenerateContent,
        &[
            ("a text", parts(json!([{ "text": "Hi" }])), "text: Hi"),
            ("no content", json!({ "candidates": [{ "finishReason": "STOP" }] }).to_string(), "text: "),
            ("a number", said(&json!(5)), "error bad_reply"),
            ("a bare text", said(&json!("Hi")), "text: Hi ! content_unknown"),
            ("a text in the content", said(&json!({ "parts": { "text": "Hi" } })), "text: Hi ! content_unknown"),
            ("texts", parts(json!(["H", "i"])), "text: Hi ! content_unknown"),
            ("a text that is none", parts(json!([{ "text": 5 }])), "error bad_reply"),
            ("an unknown part", parts(json!([{ "hologram": {} }])), "error bad_reply"),
            (
                "an unknown part beside",
                parts(json!([{ "hologram": {} }, { "text": "Hi" }])),
                "text: Hi ! content_unknown",
            ),
            ("the names of another version", parts(json!([{ "function_call": { "name": "a" } }])), "error bad_reply"),
            (
                "older models",
                json!({ "candidates": [{ "output": "Hi", "finishReason": "STOP" }] }).to_string(),
                "text: Hi ! content_unknown",
            ),
            ("candidates that are none", json!({ "candidates": { "0": {} } }).to_string(), "error bad_reply"),
            (
                "a picture",
                parts(json!([{ "text": "Here" }, { "inlineData": { "mimeType": "image/png", "data": "AA" } }])),
                "text: Here ! content_not_shown",
            ),
            (
                "code",
                parts(
                    json!([{ "executableCode": { "language": "PYTHON", "code": "1" } }, { "codeExecutionResult": { "outcome": "OUTCOME_OK" } }, { "text": "Hi" }]),
                ),
                "text: Hi",
            ),
            (
                "thoughts",
                parts(json!([{ "text": "Hm", "thought": true }, { "text": "Hi", "thoughtSignature": "s" }])),
                "text: Hi (Hm)",
            ),
            (
                "a list of documents",
                json!([document(&json!([{ "text": "H" }]), None), document(&json!([{ "text": "i" }]), Some("STOP"))])
                    .to_string(),
                "text: Hi",
            ),
            ("a filter", document(&json!([{ "text": "H" }]), Some("SAFETY")).to_string(), "filtered: H"),
            (
                "a prompt that was blocked",
                json!({ "promptFeedback": { "blockReason": "SAFETY" } }).to_string(),
                "error content_filter",
            ),
            ("a malformed call", document(&json!([]), Some("MALFORMED_FUNCTION_CALL")).to_string(), "error bad_reply"),
            (
                "an error",
                json!({ "error": { "code": 503, "status": "UNAVAILABLE", "message": "m" } }).to_string(),
                "error overload",
            ),
            (
                "errors in a list",
                json!([{ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m" } }]).to_string(),
                "error rate",
            ),
        ],
    );
}

/// A stream of these pieces of calls, which ended by itself.
fn calls(pieces: &[Value]) -> String {
    let parts = pieces
        .iter()
        .map(|call| document(&json!([{ "functionCall": call }]), None));
    events(
        &parts
            .chain([document(&json!([]), Some("STOP"))])
            .collect::<Vec<_>>(),
    )
}

fn piece(name: &str, partial: &Value, goes_on: bool) -> Value {
    let mut call = json!({ "partialArgs": partial });
    if goes_on {
        call["willContinue"] = json!(true);
    }
    if !name.is_empty() {
        call["name"] = json!(name);
    }
    call
}

#[test]
fn arguments_that_come_in_pieces_are_put_together() {
    let text = |path: &str, text: &str, goes_on: bool| json!({ "jsonPath": path, "stringValue": text, "willContinue": goes_on });
    let begun = |name: &str| json!({ "name": name, "id": "1", "willContinue": true });
    check(
        Wire::GoogleGenerateContent,
        &[
            (
                "texts and numbers, and an empty end",
                calls(&[
                    begun("light"),
                    piece("", &json!([text("$.place", "Bos", true)]), true),
                    piece(
                        "",
                        &json!([text("$.place", "ton", false), { "jsonPath": "$.level", "numberValue": 50 }]),
                        true,
                    ),
                    piece(
                        "",
                        &json!([{ "jsonPath": "$.on", "boolValue": true }, { "jsonPath": "$.by", "nullValue": "NULL_VALUE" }]),
                        true,
                    ),
                    json!({}),
                ]),
                "calls:  → light {\"by\":null,\"level\":50,\"on\":true,\"place\":\"Boston\"}",
            ),
            (
                "lists and objects, and an end with a piece",
                calls(&[
                    begun("order"),
                    piece(
                        "",
                        &json!([text("$.items[0].id", "a", false), { "jsonPath": "$.items[0].price", "numberValue": 0.5 }]),
                        true,
                    ),
                    piece(
                        "",
                        &json!([text("$['items'][1][\"id\"]", "b", false)]),
                        false,
                    ),
                ]),
                "calls:  → order {\"items\":[{\"id\":\"a\",\"price\":0.5},{\"id\":\"b\"}]}",
            ),
            (
                "all at once",
                calls(&[piece("a", &json!([text("$.x", "y", false)]), false)]),
                "calls:  → a {\"x\":\"y\"}",
            ),
            (
                "none at all",
                calls(&[begun("a"), json!({})]),
                "calls:  → a {}",
            ),
            (
                "one behind the other",
                calls(&[
                    begun("a"),
                    json!({}),
                    begun("b"),
                    piece("", &json!([text("$.x", "y", false)]), false),
                    json!({}),
                    json!({ "name": "c", "args": { "z": 1 } }),
                ]),
                "calls:  → a {} → b {\"x\":\"y\"} → c {\"z\":1}",
            ),
        ],
    );
}

#[test]
fn a_call_whose_arguments_never_end_or_have_no_place_is_malformed() {
    let text = |path: &str| json!([{ "jsonPath": path, "stringValue": "x" }]);
    let begun = json!({ "name": "a", "willContinue": true });
    let ended = |path: &str| calls(&[begun.clone(), piece("", &text(path), true), json!({})]);
    check(
        Wire::GoogleGenerateContent,
        &[
            (
                "it never begins",
                calls(std::slice::from_ref(&begun)),
                "calls:  → a { ! call_cut",
            ),
            (
                "it never ends",
                calls(&[begun.clone(), piece("", &text("$.to"), true)]),
                "calls:  → a {\"to\":\"x\" ! call_cut",
            ),
            (
                "another one comes",
                calls(&[
                    begun.clone(),
                    piece("", &text("$.to"), true),
                    json!({ "name": "b", "args": {} }),
                ]),
                "calls:  → a {\"to\":\"x\" → b {} ! call_cut",
            ),
            ("no path", ended("to"), "calls:  → a { ! call_cut"),
            ("half a path", ended("$.to["), "calls:  → a { ! call_cut"),
            (
                "a place far behind",
                ended("$.to[7]"),
                "calls:  → a {\"to\":[] ! call_cut",
            ),
            (
                "two steps without a name",
                ended("$..to"),
                "calls:  → a { ! call_cut",
            ),
            (
                "a piece that is none",
                calls(&[begun.clone(), piece("", &json!([5]), true), json!({})]),
                "calls:  → a { ! call_cut",
            ),
            (
                "no value",
                calls(&[
                    begun.clone(),
                    piece("", &json!([{ "jsonPath": "$.to" }]), true),
                    json!({}),
                ]),
                "calls:  → a {\"to\":null ! call_cut",
            ),
            (
                "two values",
                calls(&[
                    begun.clone(),
                    piece(
                        "",
                        &json!([{ "jsonPath": "$.n", "numberValue": 1 }, { "jsonPath": "$.n", "numberValue": 2 }]),
                        true,
                    ),
                    json!({}),
                ]),
                "calls:  → a {\"n\":1 ! call_cut",
            ),
        ],
    );
    let deep = format!("${}", ".a".repeat(65));
    check(
        Wire::GoogleGenerateContent,
        &[("too deep", ended(&deep), "calls:  → a { ! call_cut")],
    );
}
