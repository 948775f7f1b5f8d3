//! Model calls: `chat` spans. One covers all attempts of its call, as the semantic conventions want it.

use std::collections::BTreeMap;

use folkmoot_core::event::{
    AnswerKind, ModelAnswered, ModelCalled, ModelFailed, Purpose, TurnEvent,
};
use folkmoot_core::ids::{Attempt, ModelCallId, TurnId};
use folkmoot_core::model::response::Usage;
use serde_json::json;

use super::moment::{Beginning, Moment, Place};
use super::room::{AskedModel, Definitions};
use super::span::{Attribute, AttributeValue, Span, SpanEvent, SpanKind};
use super::turns::Turns;
use super::words;
use crate::text::{clip, one_line};
use crate::words::word;

/// The longest name of a model that a provider is believed, in characters.
const MODEL_MAX: usize = 200;

/// The model calls that are not over.
#[derive(Debug, Default)]
pub(super) struct Chats(BTreeMap<ModelCallId, OpenChat>);

#[derive(Debug)]
struct OpenChat {
    turn: TurnId,
    place: Place,
    began: Beginning,
    purpose: Purpose,
    /// The model of the last attempt.
    model: AskedModel,
    attempt: Attempt,
    /// The attempts that failed.
    failures: Vec<SpanEvent>,
    /// The class of the last failure.
    failure: Option<&'static str>,
}

impl Chats {
    /// Passes an event, and gives the calls that it ends.
    pub(super) fn take(
        &mut self,
        moment: &Moment<'_>,
        event: &TurnEvent,
        turns: &Turns,
        definitions: &Definitions,
    ) -> Vec<Span> {
        if let TurnEvent::ModelCalled(called) = event {
            self.call(moment, called, turns, definitions);
            Vec::new()
        } else if let TurnEvent::ModelAnswered(answered) = event {
            let chat = self.0.remove(&answered.call);
            let span = chat.map(|chat| chat.answered(moment, answered));
            span.into_iter().collect()
        } else if let TurnEvent::ModelFailed(failed) = event {
            self.fail(moment, failed).into_iter().collect()
        } else if let TurnEvent::TurnClosed(closed) = event {
            let cut = self.0.extract_if(.., |_, chat| chat.turn == closed.turn);
            cut.map(|(_, chat)| chat.given_up(moment)).collect()
        } else {
            Vec::new()
        }
    }

    fn call(
        &mut self,
        moment: &Moment<'_>,
        called: &ModelCalled,
        turns: &Turns,
        definitions: &Definitions,
    ) {
        let model = definitions.asked(&called.agent, &called.model, &called.parameters);
        if let Some(open) = self.0.get_mut(&called.call) {
            open.model = model;
            open.attempt = called.attempt;
        } else if let Some(place) = turns.within(&called.agent, called.turn) {
            let chat = OpenChat {
                turn: called.turn,
                place,
                began: moment.beginning(),
                purpose: called.purpose,
                model,
                attempt: called.attempt,
                failures: Vec::new(),
                failure: None,
            };
            self.0.insert(called.call, chat);
        }
    }

    fn fail(&mut self, moment: &Moment<'_>, failed: &ModelFailed) -> Option<Span> {
        let open = self.0.get_mut(&failed.call)?;
        open.failures.push(SpanEvent {
            name: "folkmoot.attempt_failed",
            time: moment.time,
            attributes: vec![
                Attribute::text("error.type", failed.kind.code()),
                Attribute::text("gen_ai.request.model", open.model.model.as_str()),
                Attribute::number("folkmoot.attempt", failed.attempt.0),
            ],
        });
        open.failure = Some(failed.kind.code());
        if failed.retry_at.is_some() {
            return None;
        }
        let chat = self.0.remove(&failed.call)?;
        Some(chat.given_up(moment))
    }
}

impl OpenChat {
    fn answered(self, moment: &Moment<'_>, answered: &ModelAnswered) -> Span {
        let turn = self.turn;
        let mut span = self.ended(moment);
        let finish = finish(answered.kind);
        span.attributes.push(Attribute {
            key: "gen_ai.response.finish_reasons",
            value: AttributeValue::Texts(vec![finish.to_owned()]),
        });
        let reply = answered.response.present().map(|answer| answer.reply());
        if let Some(model) = reply.and_then(|reply| reply.model.as_deref()) {
            let model = clip(&one_line(model), MODEL_MAX);
            span.attributes
                .push(Attribute::text("gen_ai.response.model", model));
        }
        span.attributes.extend(usage(&answered.usage));
        let parts = words::said(moment.words, turn);
        if !parts.is_empty() {
            let output = json!([{ "role": "assistant", "parts": parts, "finish_reason": finish }]);
            span.attributes.push(Attribute::text(
                "gen_ai.output.messages",
                output.to_string(),
            ));
        }
        span
    }

    /// The span of a call that gets no answer.
    fn given_up(self, moment: &Moment<'_>) -> Span {
        let error = self.failure.unwrap_or("cancelled").to_owned();
        let mut span = self.ended(moment);
        span.error = Some(error);
        span
    }

    fn ended(self, moment: &Moment<'_>) -> Span {
        let name = format!("chat {}", self.model.model);
        let mut span = moment.end(&self.place, &self.began, name);
        span.kind = SpanKind::Client;
        span.attributes
            .push(Attribute::text("gen_ai.operation.name", "chat"));
        span.attributes.extend(self.model.names());
        span.attributes.extend(self.model.parameters());
        if self.purpose != Purpose::Turn {
            span.attributes
                .push(Attribute::text("folkmoot.purpose", word(&self.purpose)));
        }
        if self.attempt.0 > 1 {
            span.attributes
                .push(Attribute::number("folkmoot.attempts", self.attempt.0));
        }
        span.events = self.failures;
        span
    }
}

/// The conventions' word for the end of an answer.
const fn finish(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Text => "stop",
        AnswerKind::Calls => "tool_call",
        AnswerKind::Refused | AnswerKind::Filtered => "content_filter",
        AnswerKind::Truncated => "length",
    }
}

/// The tokens that the provider counted. Those of the cache and of the reasoning are among the others, as the conventions have it.
fn usage(usage: &Usage) -> impl Iterator<Item = Attribute> {
    [
        ("gen_ai.usage.input_tokens", usage.input),
        ("gen_ai.usage.output_tokens", usage.output),
        ("gen_ai.usage.cache_read.input_tokens", usage.cached),
        (
            "gen_ai.usage.cache_creation.input_tokens",
            usage.cache_written,
        ),
        ("gen_ai.usage.reasoning.output_tokens", usage.reasoning),
    ]
    .into_iter()
    .filter_map(|(key, tokens)| tokens.map(|tokens| Attribute::number(key, tokens)))
}
