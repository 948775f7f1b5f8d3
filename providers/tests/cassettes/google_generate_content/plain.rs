//! What is in a recording of this wire, read plainly, without the codec.

use folkmoot_core::model::response::Usage;
use serde_json::{Value, json};

use crate::recording::{Exchange, leaves};

impl Exchange {
    fn documents(&self) -> Vec<Value> {
        if self.stream {
            self.chunks()
        } else {
            vec![self.document()]
        }
    }

    /// All candidates, in order.
    fn candidates(&self) -> Vec<Value> {
        let of = |document: Value| {
            document["candidates"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        };
        self.documents().into_iter().flat_map(of).collect()
    }

    /// The parts of the first answer.
    fn parts(&self) -> Vec<Value> {
        let first = self
            .candidates()
            .into_iter()
            .filter(|candidate| candidate["index"].as_u64().unwrap_or(0) == 0);
        first
            .flat_map(|candidate| {
                candidate["content"]["parts"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default()
            })
            .collect()
    }

    /// All texts of all candidates but the role, the arguments, which are compared apart, and the message that tells of
    /// calls.
    pub(crate) fn said(&self) -> Vec<String> {
        let mut candidates = self.candidates();
        for candidate in &mut candidates {
            candidate["content"]["role"].take();
            if candidate["finishMessage"] == "Model generated function call(s)." {
                candidate["finishMessage"].take();
            }
            for part in candidate["content"]["parts"]
                .as_array_mut()
                .into_iter()
                .flatten()
            {
                if let Some(call) = part.get_mut("functionCall") {
                    call["args"].take();
                }
            }
        }
        candidates.iter().flat_map(leaves).collect()
    }

    /// The texts of the first answer, or of its thoughts.
    pub(crate) fn texts(&self, are_thoughts: bool) -> String {
        let parts = self.parts();
        let wanted = parts
            .iter()
            .filter(|part| (part["thought"] == true) == are_thoughts);
        wanted.filter_map(|part| part["text"].as_str()).collect()
    }

    /// The calls: name and arguments.
    pub(crate) fn google_calls(&self) -> Vec<(String, String)> {
        let calls = self
            .parts()
            .into_iter()
            .map(|part| part["functionCall"].clone())
            .filter(Value::is_object);
        calls
            .map(|call| {
                (
                    call["name"].as_str().unwrap().to_owned(),
                    call["args"].to_string(),
                )
            })
            .collect()
    }

    /// The counts as the last document tells them.
    pub(crate) fn google_usage(&self) -> Usage {
        let documents = self.documents();
        let last = &documents.last().unwrap()["usageMetadata"];
        let count = |field: &str| last[field].as_u64();
        let sum = |a: &str, b: &str| count(a).map_or(count(b), |a| Some(a + count(b).unwrap_or(0)));
        Usage {
            input: sum("promptTokenCount", "toolUsePromptTokenCount"),
            output: sum("candidatesTokenCount", "thoughtsTokenCount"),
            cached: count("cachedContentTokenCount"),
            cache_written: None,
            reasoning: count("thoughtsTokenCount"),
        }
    }

    /// The whole answer as a stream with one part in each event.
    pub(crate) fn as_stream(&self) -> String {
        let mut document = self.document();
        let mut events = Vec::new();
        for part in document["candidates"][0]["content"]["parts"]
            .as_array_mut()
            .into_iter()
            .flat_map(std::mem::take)
        {
            events.push(json!({ "candidates": [{ "index": 0, "content": { "parts": [part] } }] }));
        }
        events.push(document);
        events
            .iter()
            .map(|event| format!("data: {event}\r\n\r\n"))
            .collect()
    }
}
