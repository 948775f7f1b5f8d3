//! OpenAI Chat Completions.

use std::collections::BTreeMap;

use folkmoot_core::model::response::{LLMResponse, ModelErrorKind, Part};
use folkmoot_providers::codec::{Codec as _, OpenAiChat, Wire, WireFailure};
use serde_json::Value;

use crate::recording::{Exchange, exchanges, leaves};
use crate::stream;

mod both_ways;
mod plain;
mod requests;

fn decode(exchange: &Exchange) -> LLMResponse {
    let body = exchange.body.as_bytes();
    let response = if exchange.stream {
        let (response, shown) = stream(&OpenAiChat::default(), [body]);
        let response = response.unwrap_or_else(|error| panic!("{}: {error}", exchange.id));
        assert_eq!(
            shown,
            response.spoken(),
            "{}: what was shown is what was said",
            exchange.id
        );
        response
    } else {
        OpenAiChat::default()
            .decode(body)
            .unwrap_or_else(|error| panic!("{}: {error}", exchange.id))
    };
    assert!(
        response.reply().finish.is_some(),
        "{}: the finish reason is kept",
        exchange.id
    );
    assert!(
        response.reply().model.is_some(),
        "{}: the model is kept",
        exchange.id
    );
    response
}

#[test]
fn every_recorded_answer_decodes_and_nothing_of_its_message_is_lost() {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    let answers: Vec<Exchange> = exchanges(Wire::OpenaiChat)
        .into_iter()
        .filter(|exchange| exchange.status == 200)
        .collect();
    for exchange in &answers {
        let response = decode(exchange);
        let found = leaves(&serde_json::to_value(&response).unwrap());
        let expected = if exchange.stream {
            exchange.merged_chunks()
        } else {
            exchange.first_message()
        };
        let lost: Vec<_> = expected
            .iter()
            .filter(|text| !found.iter().any(|leaf| leaf.contains(*text)))
            .collect();
        assert!(
            lost.is_empty(),
            "{}: lost {lost:?} of {response:?}",
            exchange.id
        );
        assert_eq!(
            response.reply().usage.is_unknown(),
            exchange.has_no_usage(),
            "{}: usage",
            exchange.id
        );
        count(format!("kind: {}", kind(&response)));
        response
            .reply()
            .warnings
            .iter()
            .for_each(|warning| count(format!("warning: {warning}")));
        kept_fields(&response)
            .into_iter()
            .for_each(|field| count(format!("kept: {field}")));
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

/// The names of the fields that ended in opaque parts.
fn kept_fields(response: &LLMResponse) -> Vec<String> {
    let mut names = Vec::new();
    for part in &response.reply().parts {
        if let Part::Opaque(Value::Object(opaque)) = part {
            let notes = opaque["openai-chat"].as_object().expect("a tagged note");
            for (note, fields) in notes {
                let fields = fields.as_object().into_iter().flatten();
                names.extend(fields.map(|(field, _)| format!("{note} {field}")));
            }
        }
    }
    names
}

#[test]
fn every_call_of_a_recorded_answer_keeps_its_arguments_byte_for_byte() {
    let mut calls_count = 0;
    for exchange in exchanges(Wire::OpenaiChat)
        .iter()
        .filter(|exchange| exchange.status == 200)
    {
        let response = decode(exchange);
        let expected = exchange.calls();
        let found: Vec<_> = response
            .reply()
            .calls()
            .map(|call| (call.tool.clone(), call.arguments.clone()))
            .collect();
        if let LLMResponse::Truncated(_) | LLMResponse::Filtered(_) = response {
            let is_whole = |call: &&(String, String)| {
                serde_json::from_str::<BTreeMap<String, Value>>(&call.1).is_ok()
            };
            let whole: Vec<_> = expected.iter().filter(is_whole).cloned().collect();
            let is_cut = matches!(response, LLMResponse::Truncated(_));
            let (found_of, code) = if is_cut {
                (&expected, "call_cut")
            } else {
                (&whole, "calls_incomplete")
            };
            assert_eq!(found, *found_of, "{}", exchange.id);
            let has_warned = response
                .reply()
                .warnings
                .iter()
                .any(|warning| warning == code);
            assert_eq!(has_warned, expected.len() != whole.len(), "{}", exchange.id);
        } else {
            assert_eq!(found, expected, "{}", exchange.id);
            assert_eq!(
                matches!(response, LLMResponse::Calls(_)),
                !expected.is_empty(),
                "{}",
                exchange.id
            );
        }
        calls_count += found.len();
    }
    println!("{calls_count} recorded calls compared");
}

#[test]
fn every_recorded_error_maps_to_the_kind_that_says_what_to_do() {
    let mut counts = BTreeMap::<String, usize>::new();
    for Exchange {
        id, status, body, ..
    } in exchanges(Wire::OpenaiChat)
        .into_iter()
        .filter(|exchange| exchange.status != 200)
    {
        let failure = WireFailure {
            status,
            retry_after: None,
            body: body.as_bytes(),
        };
        let error = OpenAiChat::default().decode_error(failure);
        let expected = match status {
            401 | 403 => ModelErrorKind::RefusesAccount,
            400 if body.contains("context size") => ModelErrorKind::ContextTooLong,
            400 | 404 => ModelErrorKind::RefusesRequest,
            500 => ModelErrorKind::Outage,
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
