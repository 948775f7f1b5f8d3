//! Arguments that name a key twice, on every wire.

use folkmoot_core::content::canonical::read;
use folkmoot_core::model::response::{LLMResponse, Part};
use serde_json::{Value, json};

use super::*;
use crate::codec::{AnthropicMessages, Codec, GoogleGenerateContent, OpenAiChat, OpenAiResponses};

const TWICE: [&str; 4] = [
    r#"{"path":"a","path":"b"}"#,
    r#"{"path":"a","\u0070ath":"b"}"#,
    r#"{"path":"a","more":[{"to":{"k":1,"k":2}}]}"#,
    r#"{"input":{"arguments":{"k":1,"\u006b":1}}}"#,
];

/// The arguments as JSON, and as the text of them.
fn both(arguments: &str) -> [String; 2] {
    [arguments.to_owned(), Value::from(arguments).to_string()]
}

/// A codec, whole bodies, and streams as the data of their events; `@` is where the arguments stand.
type Bodies = (Box<dyn Codec>, Vec<&'static str>, Vec<Vec<&'static str>>);

fn bodies() -> Vec<Bodies> {
    let chat = [
        r#"{"choices":[{"index":0,"message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"t","arguments":@}}]},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[{"index":0,"message":{"function_call":{"name":"t","arguments":@}},"finish_reason":"function_call"}]}"#,
    ];
    let chunks = vec![
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"t","arguments":@}}]},"finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ];
    let response = r#"{"object":"response","status":"completed","output":[{"type":"function_call","id":"f","call_id":"c","name":"t","arguments":@,"status":"completed"}]}"#;
    let items = vec![
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"t","arguments":""}}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"t","arguments":@,"status":"completed"}}"#,
        r#"{"type":"response.completed","response":{"object":"response","status":"completed","output":[]}}"#,
    ];
    let message = [
        r#"{"type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c","name":"t","input":@}],"stop_reason":"tool_use"}"#,
        r#"{"type":"message","role":"assistant","model":"m","content":["stray",{"type":"tool_use","id":"c","name":"t","input":@}],"stop_reason":"tool_use"}"#,
    ];
    let blocks = vec![
        r#"{"type":"message_start","message":{"type":"message","role":"assistant","model":"m","content":[]}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"t","input":@}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let began = vec![
        r#"{"type":"message_start","message":{"type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c","name":"t","input":@}]}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let candidate = r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"t","args":@}}]},"finishReason":"STOP","index":0}]}"#;
    vec![
        (Box::new(OpenAiChat::default()), chat.to_vec(), vec![chunks]),
        (
            Box::new(OpenAiResponses::default()),
            vec![response],
            vec![items],
        ),
        (
            Box::new(AnthropicMessages::default()),
            message.to_vec(),
            vec![blocks, began],
        ),
        (
            Box::new(GoogleGenerateContent::default()),
            vec![candidate],
            vec![vec![candidate]],
        ),
    ]
}

fn streamed(codec: &dyn Codec, events: &[&str], arguments: &str) -> LLMResponse {
    let mut decoder = codec.stream_decoder();
    for event in events {
        decoder
            .push(format!("data: {}\n\n", event.replace('@', arguments)).as_bytes())
            .unwrap();
    }
    decoder.finish().unwrap()
}

/// The arguments of the one call.
fn called(response: &LLMResponse) -> String {
    let calls = |part: &Part| {
        if let Part::Call(call) = part {
            Some(call.arguments.clone())
        } else {
            None
        }
    };
    let calls: Vec<String> = response.reply().parts.iter().filter_map(calls).collect();
    assert_eq!(calls.len(), 1, "{response:?}");
    calls.concat()
}

fn all(arguments: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (codec, whole, streams) in bodies() {
        found.extend(whole.iter().map(|body| {
            called(
                &codec
                    .decode(body.replace('@', arguments).as_bytes())
                    .unwrap(),
            )
        }));
        found.extend(
            streams
                .iter()
                .map(|events| called(&streamed(codec.as_ref(), events, arguments))),
        );
    }
    found
}

#[test]
fn arguments_with_a_key_twice_fit_on_no_wire_whole_or_streamed_as_json_or_as_text() {
    for arguments in TWICE.iter().flat_map(|twice| both(twice)) {
        for found in all(&arguments) {
            assert!(
                !read(&found).is_ok_and(|value| value.is_object()),
                "{arguments} became {found}"
            );
        }
    }
}

#[test]
fn arguments_with_each_key_once_come_as_they_are_on_every_wire() {
    let once = r#"{"path":"a","input":{"path":"b"}}"#;
    for found in all(once) {
        assert_eq!(read(&found).unwrap(), read(once).unwrap(), "{found}");
    }
}

#[test]
fn object_of_a_body_is_what_it_was_before() {
    for json in [
        r#"{"a":[1,-2,3.5,null,true,"x"],"input":[{"arguments":"y"}]}"#,
        "{}",
        r#"{"a":1,"a":2}"#,
    ] {
        assert_eq!(
            object(json.as_bytes()).unwrap(),
            serde_json::from_str::<Fields>(json).unwrap(),
            "{json}"
        );
    }
    for json in [
        "",
        "[]",
        "{",
        r#"{"input":}"#,
        r#"{"input":1e999}"#,
        "{} {}",
        r#"{"input":"\ud800"}"#,
    ] {
        assert!(
            matches!(object(json.as_bytes()), Err(DecodeError::Json(_))),
            "{json}"
        );
    }
    assert_eq!(
        object(br#"{"input":{"a":1,"a":2}}"#).unwrap()["input"],
        json!(r#"{"a":1,"a":2}"#)
    );
}
