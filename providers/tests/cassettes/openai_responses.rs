//! OpenAI Responses.

use std::collections::BTreeMap;

use folkmoot_core::model::response::{LLMResponse, ModelErrorKind, Part};
use folkmoot_providers::codec::{Codec as _, OpenAiResponses, Wire, WireFailure};

use crate::recording::{Exchange, exchanges, leaves};
use crate::stream;

mod chosen;
mod plain;
mod requests;

use plain::Recorded;

fn decode(exchange: &Exchange) -> LLMResponse {
    let body = exchange.body.as_bytes();
    let response = if exchange.stream {
        let (response, shown) = stream(&OpenAiResponses::default(), [body]);
        let response = response.unwrap_or_else(|error| panic!("{}: {error}", exchange.id));
        assert_eq!(
            shown,
            response.spoken(),
            "{}: what was shown is what was said",
            exchange.id
        );
        response
    } else {
        OpenAiResponses::default()
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

fn answers() -> Vec<Exchange> {
    exchanges(Wire::OpenaiResponses)
        .into_iter()
        .filter(|exchange| exchange.status == 200)
        .collect()
}

#[test]
fn every_recorded_answer_decodes_and_nothing_of_its_items_is_lost() {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    let answers = answers();
    for exchange in &answers {
        let (response, recorded) = (decode(exchange), Recorded(exchange));
        let found = leaves(&serde_json::to_value(&response).unwrap());
        let is_lost = |text: &&String| !found.contains(*text);
        let expected = recorded.texts();
        let lost: Vec<_> = expected.iter().filter(is_lost).collect();
        assert!(
            lost.is_empty(),
            "{}: lost {lost:?} of {response:?}",
            exchange.id
        );
        assert_eq!(
            response.spoken(),
            recorded.said(),
            "{}: no text is there twice",
            exchange.id
        );
        assert_eq!(
            response.reply().usage,
            recorded.usage(),
            "{}: usage",
            exchange.id
        );
        assert_eq!(
            reasoning(&response),
            recorded.reasoning(),
            "{}: reasoning",
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

fn reasoning(response: &LLMResponse) -> Vec<String> {
    let reasoning = |part: &Part| {
        if let Part::Reasoning(text) = part {
            Some(text.clone())
        } else {
            None
        }
    };
    response
        .reply()
        .parts
        .iter()
        .filter_map(reasoning)
        .collect()
}

/// What opaque parts are: their kinds, and the types or names of what is in them.
fn notes(response: &LLMResponse) -> Vec<String> {
    let mut names = Vec::new();
    for part in &response.reply().parts {
        let Part::Opaque(opaque) = part else { continue };
        for (note, fields) in opaque["openai-responses"]
            .as_object()
            .expect("a tagged note")
        {
            match note.as_str() {
                "item" => names.push(format!("item {}", fields["type"].as_str().unwrap())),
                "message" => names.extend(
                    fields["fields"]
                        .as_object()
                        .unwrap()
                        .keys()
                        .map(|f| format!("message {f}")),
                ),
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
    names
}

#[test]
fn every_call_of_a_recorded_answer_keeps_its_arguments_byte_for_byte() {
    let mut calls_count = 0;
    for exchange in answers() {
        let response = decode(&exchange);
        let found: Vec<_> = response.reply().calls().cloned().collect();
        let recorded = Recorded(&exchange).calls();
        let has_cut = recorded.iter().any(|(_, is_whole)| !is_whole);
        assert_eq!(
            found,
            recorded
                .into_iter()
                .map(|(call, _)| call)
                .collect::<Vec<_>>(),
            "{}",
            exchange.id
        );
        let has_warned = response
            .reply()
            .warnings
            .iter()
            .any(|warning| warning == "call_cut");
        assert_eq!(has_warned, has_cut, "{}", exchange.id);
        if !matches!(response, LLMResponse::Truncated(_)) {
            assert_eq!(
                matches!(response, LLMResponse::Calls(_)),
                !found.is_empty(),
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
    } in exchanges(Wire::OpenaiResponses)
        .into_iter()
        .filter(|exchange| exchange.status != 200)
    {
        let failure = WireFailure {
            status,
            retry_after: None,
            body: body.as_bytes(),
        };
        let error = OpenAiResponses::default().decode_error(failure);
        let expected = match status {
            401 => ModelErrorKind::RefusesAccount,
            400 if body.contains("Incorrect API key") => ModelErrorKind::RefusesAccount,
            400 => ModelErrorKind::RefusesRequest,
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
