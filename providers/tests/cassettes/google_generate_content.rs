//! Google generateContent.

use std::collections::BTreeMap;

use folkmoot_core::model::response::{LLMResponse, ModelErrorKind, Part};
use folkmoot_providers::codec::{Codec as _, GoogleGenerateContent, Wire, WireFailure};
use serde_json::Value;

use crate::recording::{Exchange, exchanges, leaves};
use crate::stream;

mod plain;
mod requests;

fn answers() -> Vec<Exchange> {
    exchanges(Wire::GoogleGenerateContent)
        .into_iter()
        .filter(|exchange| exchange.status == 200)
        .collect()
}

fn decode(exchange: &Exchange) -> LLMResponse {
    let (codec, body) = (GoogleGenerateContent::default(), exchange.body.as_bytes());
    let response = if exchange.stream {
        let (response, shown) = stream(&codec, [body]);
        let response = response.unwrap_or_else(|error| panic!("{}: {error}", exchange.id));
        assert_eq!(
            shown,
            response.spoken(),
            "{}: what was shown is what was said",
            exchange.id
        );
        response
    } else {
        codec
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
fn every_recorded_answer_decodes_and_nothing_of_it_is_lost() {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    let answers = answers();
    for exchange in &answers {
        let response = decode(exchange);
        let reply = response.reply();
        let found = leaves(&serde_json::to_value(&response).unwrap());
        let lost: Vec<_> = exchange
            .said()
            .into_iter()
            .filter(|text| !found.iter().any(|leaf| leaf.contains(text)))
            .collect();
        assert!(
            lost.is_empty(),
            "{}: lost {lost:?} of {response:?}",
            exchange.id
        );
        assert_eq!(reply.text(), exchange.texts(false), "{}", exchange.id);
        assert_eq!(
            reasoning(&response),
            exchange.texts(true),
            "{}",
            exchange.id
        );
        assert_eq!(reply.usage, exchange.google_usage(), "{}", exchange.id);
        count(format!("kind: {}", kind(&response)));
        reply
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

fn reasoning(response: &LLMResponse) -> String {
    let text = |part: &Part| match part {
        Part::Reasoning(text) => Some(text.clone()),
        Part::Text(_) | Part::Call(_) | Part::Refusal(_) | Part::Opaque(_) => None,
    };
    response.reply().parts.iter().filter_map(text).collect()
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
        let Part::Opaque(opaque) = part else { continue };
        match &opaque["google-generate-content"] {
            Value::String(mark) => names.push(mark.clone()),
            Value::Object(note) => {
                for (note, fields) in note {
                    let of = fields["part"]
                        .as_str()
                        .filter(|_| note == "with")
                        .unwrap_or_default();
                    let fields = if note == "with" {
                        &fields["fields"]
                    } else {
                        fields
                    };
                    names.extend(
                        fields
                            .as_object()
                            .unwrap()
                            .keys()
                            .map(|field| format!("{note} {of} {field}")),
                    );
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                panic!("not a tagged note: {opaque}")
            }
        }
    }
    names
}

#[test]
fn every_call_of_a_recorded_answer_keeps_its_arguments_byte_for_byte() {
    let mut calls_count = 0;
    for exchange in &answers() {
        let response = decode(exchange);
        let expected = exchange.google_calls();
        let found: Vec<_> = response
            .reply()
            .calls()
            .map(|call| (call.tool.clone(), call.arguments.clone()))
            .collect();
        let values = |calls: &[(String, String)]| -> Vec<(String, Value)> {
            calls
                .iter()
                .map(|(tool, text)| (tool.clone(), serde_json::from_str(text).unwrap()))
                .collect()
        };
        assert_eq!(values(&found), values(&expected), "{}", exchange.id);
        assert!(
            found.iter().all(|(_, text)| exchange.body.contains(text)),
            "{}: {found:?}",
            exchange.id
        );
        assert_eq!(
            matches!(response, LLMResponse::Calls(_)),
            !expected.is_empty(),
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
    } in exchanges(Wire::GoogleGenerateContent)
        .into_iter()
        .filter(|exchange| exchange.status != 200)
    {
        let failure = WireFailure {
            status,
            retry_after: None,
            body: body.as_bytes(),
        };
        let error = GoogleGenerateContent::default().decode_error(failure);
        let expected = match status {
            400 if body.contains("API_KEY_INVALID") => ModelErrorKind::RefusesAccount,
            404 => ModelErrorKind::RefusesRequest,
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

/// A whole answer says the same as a stream of its documents' parts, one by one.
#[test]
fn every_recorded_whole_answer_is_equal_to_its_stream() {
    let mut count = 0;
    for exchange in answers().iter().filter(|exchange| !exchange.stream) {
        let (streamed, _) = stream(
            &GoogleGenerateContent::default(),
            [exchange.as_stream().as_bytes()],
        );
        assert_eq!(streamed.unwrap(), decode(exchange), "{}", exchange.id);
        count += 1;
    }
    println!("{count} recorded whole answers decoded as streams");
}
