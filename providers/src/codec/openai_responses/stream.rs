//! Streams: events in, deltas out, and the answer at the end.

use folkmoot_core::model::response::LLMResponse;
use serde_json::Value;

use super::answer::{Form, ReasoningSource, ResponsesAnswer, without_blanks};
use super::event::{Fragment, OtherEvent, TextPlace};
use crate::codec::events::WireEvents;
use crate::codec::json::{Fields, fields_of, is_blank, object, text_of};
use crate::codec::warning;
use crate::codec::{DecodeError, Delta, failure};

/// The events of one stream.
#[derive(Debug, Default)]
pub(super) struct ResponseEvents {
    answer: ResponsesAnswer,
    is_done: bool,
}

impl WireEvents for ResponseEvents {
    fn take(
        &mut self,
        name: &str,
        data: &[u8],
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        if data == b"[DONE]" {
            self.is_done = true;
            self.answer.take_end(deltas);
            return Ok(());
        }
        // Nearly all events are fragments. What is none is found out at its first field.
        if let Ok(fragment) = serde_json::from_slice::<Fragment<'_>>(data)
            && self.take_fragment(&fragment.kind, fragment.place(), &fragment.delta, deltas)
        {
            if fragment.has_logprobs() {
                self.answer.remarks.warn(warning::LOGPROBS_NOT_KEPT);
            }
            return Ok(());
        }
        self.take_event(OtherEvent::of(name, object(data)?), deltas)
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn into_response(self) -> Result<LLMResponse, DecodeError> {
        if self.is_done {
            self.answer.into_response()
        } else {
            Err(DecodeError::CutOff)
        }
    }
}

impl ResponseEvents {
    /// False if it is of a kind that is not known.
    fn take_fragment(
        &mut self,
        kind: &str,
        place: TextPlace<'_>,
        text: &str,
        deltas: &mut Vec<Delta>,
    ) -> bool {
        let ResponsesAnswer { items, remarks, .. } = &mut self.answer;
        match kind {
            "response.output_text.delta" => items.speak(place, Form::Text, text, remarks, deltas),
            "response.refusal.delta" => items.speak(place, Form::Refusal, text, remarks, deltas),
            "response.function_call_arguments.delta" => items.add_arguments(place, text),
            "response.reasoning_summary_text.delta" => {
                items.reason(place, ReasoningSource::Summary, text, deltas)
            }
            "response.reasoning_text.delta" => {
                items.reason(place, ReasoningSource::Content, text, deltas)
            }
            _ => return false,
        }
        true
    }

    fn take_event(
        &mut self,
        mut event: OtherEvent,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), DecodeError> {
        match event.kind.as_str() {
            "error" => return Err(DecodeError::Reported(failure::of_event(event.fields))),
            "response.created" | "response.in_progress" | "response.queued" => {
                self.answer.take_beginning(&event.take("response"));
            }
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled"
            | "response.done" => {
                self.end(&mut event, deltas)?;
            }
            "response.output_item.added" => {
                let item = fields_of(event.take("item"));
                self.answer
                    .items
                    .begin(event.output, item, &mut self.answer.remarks, deltas);
            }
            "response.output_item.done" => {
                let item = fields_of(event.take("item"));
                self.answer
                    .items
                    .end(event.output, item, &mut self.answer.remarks, deltas);
            }
            "keepalive" | "ping" | "response.keepalive" => event.fields = Fields::new(),
            _ if event.is_progress() => event.fields = Fields::new(),
            _ => self.take_piece(&mut event, deltas),
        }
        if let Some(error) = failure::reported(&event.fields) {
            return Err(DecodeError::Reported(error));
        }
        if event
            .fields
            .get("delta")
            .is_some_and(|delta| !is_blank(delta))
        {
            self.answer.remarks.warn(warning::DELTA_NOT_TAKEN);
        }
        self.answer
            .remarks
            .keep(&event.kind, Value::Object(without_blanks(event.fields)));
        Ok(())
    }

    /// Takes the event that ends the stream.
    fn end(&mut self, event: &mut OtherEvent, deltas: &mut Vec<Delta>) -> Result<(), DecodeError> {
        let status = event.kind.rsplit('.').next().unwrap_or_default().to_owned();
        let mut document = fields_of(event.take("response"));
        // Some servers name the end in the event alone.
        if document.get("status").is_none_or(Value::is_null) && status != "done" {
            document.insert("status".to_owned(), Value::String(status));
        }
        self.is_done = true;
        self.answer.take_document(document, deltas)
    }

    /// Takes the beginning or the end of a piece of an item. What it does not know stays in the
    /// event.
    fn take_piece(&mut self, event: &mut OtherEvent, deltas: &mut Vec<Delta>) {
        let kind = event.kind.clone();
        let ResponsesAnswer { items, remarks, .. } = &mut self.answer;
        match kind.as_str() {
            "response.output_text.done" | "response.refusal.done" => {
                let is_text = kind == "response.output_text.done";
                let (form, field) = if is_text {
                    (Form::Text, "text")
                } else {
                    (Form::Refusal, "refusal")
                };
                let whole = event.take_text(field);
                // The whole text comes once more at its end: what a lost fragment left out is shown
                // then.
                items.end_text(event.place(), form, &whole, remarks, deltas);
                if is_text && !is_blank(&event.take("logprobs")) {
                    remarks.warn(warning::LOGPROBS_NOT_KEPT);
                }
            }
            "response.content_part.added" | "response.content_part.done" => {
                let part = fields_of(event.take("part"));
                let is_whole = kind == "response.content_part.done";
                if text_of(part.get("type")) == "reasoning_text" {
                    let text = text_of(part.get("text")).to_owned();
                    items.end_reasoning(event.place(), ReasoningSource::Content, text);
                } else {
                    items.take_piece(event.place(), part, is_whole, remarks, deltas);
                }
            }
            "response.output_text.annotation.added" => {
                let annotation = event.take("annotation");
                items.annotate(event.place(), annotation);
            }
            "response.function_call_arguments.done" => {
                let whole = event.take("arguments");
                items.end_arguments(event.place(), whole, remarks);
                event.take("name"); // the item has it
            }
            "response.reasoning_summary_part.added" | "response.reasoning_summary_part.done" => {
                let text = text_of(event.take("part").get("text")).to_owned();
                items.end_reasoning(event.place(), ReasoningSource::Summary, text);
            }
            "response.reasoning_summary_text.done" => {
                let text = event.take_text("text");
                items.end_reasoning(event.place(), ReasoningSource::Summary, text);
            }
            "response.reasoning_text.done" => {
                let text = event.take_text("text");
                items.end_reasoning(event.place(), ReasoningSource::Content, text);
            }
            _ => self.take_loose_fragment(event, deltas),
        }
    }

    /// Takes a fragment beside which there is something that we do not know.
    fn take_loose_fragment(&mut self, event: &mut OtherEvent, deltas: &mut Vec<Delta>) {
        let Some(Value::String(text)) = event.fields.get("delta") else {
            return;
        };
        if self.take_fragment(&event.kind, event.place(), text, deltas) {
            event.take("delta");
            if !is_blank(&event.take("logprobs")) {
                self.answer.remarks.warn(warning::LOGPROBS_NOT_KEPT);
            }
        }
    }
}
