//! What is in a recording of this wire, read plainly, without the codec.

use serde_json::{Map, Value, json};

use crate::recording::{Exchange, leaves};

/// An exchange of this wire.
pub(crate) struct Plain<'e>(pub(crate) &'e Exchange);

impl Plain<'_> {
    /// The blocks of the answer; those of a stream are joined from their deltas.
    pub(crate) fn blocks(&self) -> Vec<Value> {
        if !self.0.stream {
            return self.0.document()["content"].as_array().unwrap().clone();
        }
        let mut blocks = Vec::<Value>::new();
        let mut inputs = Vec::<String>::new();
        for event in self.0.chunks() {
            let at = || usize::try_from(event["index"].as_u64().unwrap()).unwrap();
            match event["type"].as_str().unwrap() {
                "content_block_start" => {
                    assert_eq!(at(), blocks.len(), "{}", self.0.id);
                    blocks.push(event["content_block"].clone());
                    inputs.push(String::new());
                }
                "content_block_delta" => add(&mut blocks[at()], &mut inputs[at()], &event["delta"]),
                _ => {}
            }
        }
        for (block, input) in blocks
            .iter_mut()
            .zip(inputs)
            .filter(|(_, input)| !input.is_empty())
        {
            block["input"] = serde_json::from_str(&input).unwrap();
        }
        blocks
    }

    /// The calls: name and arguments, which of a stream are its fragments joined.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        let blocks = self
            .blocks()
            .into_iter()
            .enumerate()
            .filter(|(_, block)| block["type"] == "tool_use");
        let arguments = |at: usize, block: &Value| {
            let of_block = |event: &Value| event["index"] == json!(at);
            let events = self.0.chunks().into_iter().filter(of_block);
            let fragments: String = events
                .filter_map(|event| event["delta"]["partial_json"].as_str().map(str::to_owned))
                .collect();
            if fragments.is_empty() {
                block["input"].to_string()
            } else {
                fragments
            }
        };
        let call = |(at, block): (usize, Value)| {
            let written = if self.0.stream {
                arguments(at, &block)
            } else {
                block["input"].to_string()
            };
            (block["name"].as_str().unwrap().to_owned(), written)
        };
        blocks.map(call).collect()
    }

    /// All texts that tell something of the answer.
    pub(crate) fn meaningful_texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for mut block in self.blocks() {
            drop_what_says_nothing(&mut block);
            if ["text", "thinking", "tool_use"]
                .iter()
                .any(|plain| block["type"] == *plain)
            {
                block["type"].take();
            }
            if block["type"].is_null() {
                block["input"].take(); // compared as what it is, since its texts are escaped
            }
            texts.extend(leaves(&block));
        }
        texts.extend(self.messages().iter().flat_map(leaves));
        texts
    }

    /// What is told of the message besides its blocks and counts.
    fn messages(&self) -> Vec<Value> {
        let documents = if self.0.stream {
            self.0.chunks()
        } else {
            vec![self.0.document()]
        };
        let of_message =
            documents
                .into_iter()
                .map(|mut document| match document["type"].as_str() {
                    Some("message_start") => document["message"].take(),
                    Some("message_delta") => document["delta"].take(),
                    Some("message") => document,
                    _ => Value::Null,
                });
        let facts = of_message.map(|mut message| {
            message.as_object_mut().into_iter().for_each(keep_facts);
            message
        });
        facts.collect()
    }

    /// The tokens of the whole request, and of the answer, by the last word on each.
    pub(crate) fn tokens(&self) -> (Option<u64>, Option<u64>) {
        let documents = if self.0.stream {
            self.0.chunks()
        } else {
            vec![self.0.document()]
        };
        let usages = documents
            .iter()
            .flat_map(|document| [&document["message"]["usage"], &document["usage"]]);
        let last = |field: &str| {
            usages
                .clone()
                .filter_map(|usage| usage[field].as_u64())
                .next_back()
        };
        let cache = ["cache_read_input_tokens", "cache_creation_input_tokens"];
        let input = last("input_tokens")
            .map(|input| input + cache.iter().filter_map(|field| last(field)).sum::<u64>());
        (input, last("output_tokens"))
    }
}

fn keep_facts(fields: &mut Map<String, Value>) {
    fields.retain(|field, _| {
        !["id", "type", "role", "content", "usage", "provider"].contains(&field.as_str())
    });
}

fn add(block: &mut Value, input: &mut String, delta: &Value) {
    let mut append = |field: &str| {
        let joined =
            block[field].as_str().unwrap_or_default().to_owned() + delta[field].as_str().unwrap();
        block[field] = json!(joined);
    };
    match delta["type"].as_str().unwrap() {
        "text_delta" => append("text"),
        "thinking_delta" => append("thinking"),
        "signature_delta" => append("signature"),
        "input_json_delta" => input.push_str(delta["partial_json"].as_str().unwrap()),
        "citations_delta" => {
            if !block["citations"].is_array() {
                block["citations"] = json!([]);
            }
            block["citations"]
                .as_array_mut()
                .unwrap()
                .push(delta["citation"].clone());
        }
        "compaction_delta" => {
            for field in ["content", "encrypted_content"] {
                block[field] = delta[field].clone();
            }
        }
        other => println!("a delta {other} is new here"),
    }
}

/// Removes the caller of a call that the model itself makes, and citations that are none.
pub(crate) fn drop_what_says_nothing(block: &mut Value) {
    let is_ours = block["type"] == "tool_use" || block["type"] == "text";
    let nothing = [
        ("caller", json!({ "type": "direct" })),
        ("citations", json!(null)),
        ("citations", json!([])),
    ];
    if let (true, Value::Object(fields)) = (is_ours, block) {
        fields.retain(|field, value| {
            !nothing
                .iter()
                .any(|(name, none)| field == name && value == none)
        });
    }
}
