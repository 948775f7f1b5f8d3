//! What is in a recording of this wire, read plainly, without the codec.

use folkmoot_core::model::response::{CallPart, Usage};
use serde_json::Value;

use crate::recording::{Exchange, leaves};

/// A recorded answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recorded<'e>(pub(crate) &'e Exchange);

impl Recorded<'_> {
    /// The document that a stream ends with, or that the answer is.
    fn last_document(self) -> Value {
        if !self.0.stream {
            return self.0.document();
        }
        let ends = ["response.completed", "response.incomplete"];
        let last = self
            .0
            .chunks()
            .into_iter()
            .find(|event| ends.contains(&event["type"].as_str().unwrap()));
        last.unwrap()["response"].clone()
    }

    /// The items: of a stream those that its events ended, of which its last document may have none.
    fn items(self) -> Vec<Value> {
        if !self.0.stream {
            return self.0.document()["output"].as_array().unwrap().clone();
        }
        let ended = self
            .0
            .chunks()
            .into_iter()
            .filter(|event| event["type"] == "response.output_item.done");
        ended.map(|event| event["item"].clone()).collect()
    }

    /// All texts of the items, but their types and roles where they say what the parts of the response say.
    pub(crate) fn texts(self) -> Vec<String> {
        let mut items = self.items();
        for item in &mut items {
            if matches!(item["type"].as_str().unwrap(), "message" | "function_call") {
                item["type"].take();
                item["role"].take();
                item["content"]
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                    .for_each(|piece| drop(piece["type"].take()));
            }
        }
        items.iter().flat_map(leaves).collect()
    }

    /// The texts and refusals of all messages, in their order.
    pub(crate) fn said(self) -> String {
        let messages = self
            .items()
            .into_iter()
            .filter(|item| item["type"] == "message");
        let pieces = messages.flat_map(|item| item["content"].as_array().unwrap().clone());
        pieces
            .filter_map(|piece| {
                [&piece["text"], &piece["refusal"]]
                    .into_iter()
                    .find_map(Value::as_str)
                    .map(str::to_owned)
            })
            .collect()
    }

    /// The texts of all reasoning, in their order.
    pub(crate) fn reasoning(self) -> Vec<String> {
        let beside = self.last_document()["reasoning"]
            .as_str()
            .map(str::to_owned);
        let items = self
            .items()
            .into_iter()
            .filter(|item| item["type"] == "reasoning");
        let texts = items.flat_map(|item| {
            let pieces = ["content", "summary"]
                .map(|field| item[field].as_array().cloned().unwrap_or_default());
            pieces
                .concat()
                .into_iter()
                .map(|piece| piece["text"].as_str().unwrap().to_owned())
        });
        beside.into_iter().chain(texts).collect()
    }

    /// The calls, and whether the server says that they are whole.
    pub(crate) fn calls(self) -> Vec<(CallPart, bool)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let calls = self
            .items()
            .into_iter()
            .filter(|item| item["type"] == "function_call");
        let call = |item: Value| {
            let [label, tool, arguments] =
                ["call_id", "name", "arguments"].map(|field| text(&item[field]));
            (
                CallPart {
                    label,
                    tool,
                    arguments,
                },
                item["status"] == "completed",
            )
        };
        calls.map(call).collect()
    }

    /// The token counts.
    pub(crate) fn usage(self) -> Usage {
        let usage = &self.last_document()["usage"];
        let count = |value: &Value| value.as_u64();
        Usage {
            input: count(&usage["input_tokens"]),
            output: count(&usage["output_tokens"]),
            cached: count(&usage["input_tokens_details"]["cached_tokens"]),
            cache_written: count(&usage["input_tokens_details"]["cache_write_tokens"]),
            reasoning: count(&usage["output_tokens_details"]["reasoning_tokens"]),
        }
    }
}
