//! Anthropic Messages.
//!
//! The recordings hold eighteen exchanges of another API, whose paths end in the same word. They are left out.

use std::collections::BTreeMap;

use folkmoot_core::model::response::{LLMResponse, ModelErrorKind, Part};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::Item;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_providers::codec::{AnswerMode, AnthropicMessages, Codec as _, Wire, WireFailure};
use serde_json::{Value, json};

use self::plain::Plain;
use crate::recording::{Exchange, exchanges, leaves};
use crate::stream;

mod plain;
mod requests;

/// The exchanges of this wire.
fn messages() -> Vec<Exchange> {
    let all = exchanges(Wire::AnthropicMessages);
    let (own, other): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|exchange| !exchange.path.contains("/threads/"));
    println!(
        "{} exchanges, and {} of another API",
        own.len(),
        other.len()
    );
    own
}

fn answers() -> Vec<Exchange> {
    messages()
        .into_iter()
        .filter(|exchange| exchange.status == 200)
        .collect()
}

fn decode(exchange: &Exchange) -> LLMResponse {
    let body = exchange.body.as_bytes();
    let response = if exchange.stream {
        let (response, shown) = stream(&AnthropicMessages::default(), [body]);
        let response = response.unwrap_or_else(|error| panic!("{}: {error}", exchange.id));
        assert_eq!(
            shown,
            response.spoken(),
            "{}: what was shown is what was said",
            exchange.id
        );
        response
    } else {
        AnthropicMessages::default()
            .decode(body)
            .unwrap_or_else(|error| panic!("{}: {error}", exchange.id))
    };
    let reply = response.reply();
    assert!(
        reply.finish.is_some() && reply.model.is_some(),
        "{}: finish reason and model are kept",
        exchange.id
    );
    response
}

#[test]
fn every_recorded_answer_decodes_and_nothing_of_its_message_is_lost() {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    let answers = answers();
    for exchange in &answers {
        let response = decode(exchange);
        let found = leaves(&serde_json::to_value(&response).unwrap());
        let expected = Plain(exchange).meaningful_texts();
        let lost: Vec<_> = expected
            .iter()
            .filter(|text| !found.iter().any(|leaf| leaf.contains(*text)))
            .collect();
        assert!(
            lost.is_empty(),
            "{}: lost {lost:?} of {response:?}",
            exchange.id
        );
        let usage = response.reply().usage;
        assert_eq!(
            (usage.input, usage.output),
            Plain(exchange).tokens(),
            "{}: usage",
            exchange.id
        );
        count(format!("kind: {}", kind(&response)));
        response
            .reply()
            .warnings
            .iter()
            .for_each(|warning| count(format!("warning: {warning}")));
        notes(&response)
            .into_iter()
            .for_each(|note| count(format!("note: {note}")));
    }
    println!("{} recorded answers decoded", answers.len());
    counts
        .iter()
        .for_each(|(what, count)| println!("{count:6} {what}"));
}

fn kind(response: &LLMResponse) -> &'static str {
    match response {
        LLMResponse::Text(_) => "text",
        LLMResponse::Calls(_) => "calls",
        LLMResponse::Refused(_) => "refused",
        LLMResponse::Truncated(_) => "truncated",
        LLMResponse::Filtered(_) => "filtered",
    }
}

/// The names of the fields that ended in opaque parts, and the types of the blocks.
fn notes(response: &LLMResponse) -> Vec<String> {
    let mut names = Vec::new();
    for part in &response.reply().parts {
        if let Part::Opaque(Value::Object(opaque)) = part {
            for (note, fields) in opaque["anthropic-messages"]
                .as_object()
                .expect("a tagged note")
            {
                match note.as_str() {
                    "block" => names.push(format!("block {}", fields["type"])),
                    _ => names.extend(
                        fields
                            .as_object()
                            .unwrap()
                            .keys()
                            .map(|field| format!("{note} {field}")),
                    ),
                }
            }
        }
    }
    names
}

#[test]
fn every_recorded_answer_goes_back_block_by_block_as_it_came() {
    let mut count = 0;
    for exchange in answers() {
        let (LLMResponse::Text(reply) | LLMResponse::Calls(reply)) = decode(&exchange) else {
            continue;
        };
        let request = ForgedRequest {
            items: vec![Item::Said { parts: reply.parts }],
            ..ForgedRequest::default()
        };
        let written = AnthropicMessages::default().encode(
            &request.into_request(),
            &Files::new(),
            AnswerMode::Whole,
        );
        // Before it stands the user's message with which a conversation begins.
        let blocks = written.body["messages"][1]["content"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let mut expected = Plain(&exchange).blocks();
        expected.retain(|block| !(block["type"] == "text" && block["text"] == ""));
        expected.iter_mut().for_each(plain::drop_what_says_nothing);
        assert_eq!(ids_taken(blocks), ids_taken(expected), "{}", exchange.id);
        count += 1;
    }
    println!("{count} recorded answers written again");
}

/// The blocks without the ids of calls: some recordings give one to several, and the codec tells them apart.
fn ids_taken(mut blocks: Vec<Value>) -> Vec<Value> {
    blocks
        .iter_mut()
        .filter(|block| block["type"] == "tool_use")
        .for_each(|block| block["id"] = json!(""));
    blocks
}

#[test]
fn every_call_of_a_recorded_answer_keeps_its_arguments_byte_for_byte() {
    let mut calls_count = 0;
    for exchange in answers() {
        let response = decode(&exchange);
        let found: Vec<_> = response
            .reply()
            .calls()
            .map(|call| (call.tool.clone(), call.arguments.clone()))
            .collect();
        let expected = Plain(&exchange).calls();
        if exchange.stream {
            assert_eq!(found, expected, "{}", exchange.id);
        } else {
            let parsed = |(tool, arguments): &(String, String)| {
                (
                    tool.clone(),
                    serde_json::from_str::<Value>(arguments).unwrap(),
                )
            };
            let values = |calls: &[(String, String)]| calls.iter().map(parsed).collect::<Vec<_>>();
            assert_eq!(values(&found), values(&expected), "{}", exchange.id);
            let is_written = found
                .iter()
                .all(|(_, arguments)| exchange.body.contains(arguments));
            assert!(is_written, "{}: {found:?}", exchange.id);
        }
        let is_cut = matches!(response, LLMResponse::Truncated(_));
        assert_eq!(
            matches!(response, LLMResponse::Calls(_)),
            !expected.is_empty() && !is_cut,
            "{}",
            exchange.id
        );
        calls_count += found.len();
    }
    println!("{calls_count} recorded calls compared");
}

#[test]
fn every_recorded_error_maps_to_the_kind_that_says_what_to_do() {
    let mut counts = BTreeMap::<String, usize>::new();
    for Exchange {
        id, status, body, ..
    } in messages()
        .into_iter()
        .filter(|exchange| exchange.status != 200)
    {
        let failure = WireFailure {
            status,
            retry_after: None,
            body: body.as_bytes(),
        };
        let error = AnthropicMessages::default().decode_error(failure);
        let expected = match status {
            401 => ModelErrorKind::RefusesAccount,
            400 | 404 => ModelErrorKind::RefusesRequest,
            other => {
                *counts
                    .entry(format!("{other} unknown: {}", error.kind))
                    .or_default() += 1;
                continue;
            }
        };
        assert_eq!(error.kind, expected, "{id}: {body}");
        assert!(
            error.detail.len() > "HTTP 400: ".len(),
            "{id}: {}",
            error.detail
        );
        *counts
            .entry(format!("{status} {}", error.kind))
            .or_default() += 1;
    }
    println!("recorded errors: {counts:?}");
}
