//! The conversation as a list of messages.
//!
//! The wire wants the results of an answer's calls right behind it, each exactly once. What was heard in between comes
//! after them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use folkmoot_core::request::{Attached, Item, ModelRequest};
use serde_json::{Value, json};

use super::super::ReasoningEcho;
use super::said;

/// What a model reads in place of a result that is not there.
const NO_RESULT: &str = "[no result of this call is known]";

/// The messages, and what could not be carried.
pub(super) fn messages(echo: ReasoningEcho, request: &ModelRequest) -> (Vec<Value>, Vec<String>) {
    let mut writer = Writer { echo, ..Writer::default() };
    if !request.system().is_empty() {
        // One message: several chat templates accept a system message only as the first.
        let system: Vec<&str> = request.system().iter().map(|layer| &*layer.text).collect();
        writer.messages.push(json!({ "role": "system", "content": system.join("\n\n") }));
    }
    request.items().iter().for_each(|item| writer.item(item));
    writer.answer_all();
    (writer.messages, writer.warnings.into_iter().map(str::to_owned).collect())
}

/// A call that waits for its result.
#[derive(Debug)]
struct Open {
    /// The id on the wire.
    id: String,
    /// The result, once it is found.
    result: Option<String>,
}

#[derive(Debug, Default)]
struct Writer {
    echo: ReasoningEcho,
    messages: Vec<Value>,
    warnings: BTreeSet<&'static str>,
    ids: BTreeSet<String>,
    calls_count: usize,
    /// The calls of the last answer, in order.
    open: Vec<Open>,
    /// Which of them wait under a label, oldest first.
    waiting: BTreeMap<String, VecDeque<usize>>,
    /// What came between an answer and the last of its results.
    held_back: Vec<Value>,
}

impl Writer {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Heard { from, text, attachments } => {
                let content = self.heard(from, text, attachments);
                self.say(json!({ "role": "user", "content": content }));
            }
            // A name cannot begin with a bracket, so that nobody's message looks like this.
            Item::Notice { text } => self.say(json!({ "role": "user", "content": format!("[notice] {text}") })),
            Item::State { text } => self.say(json!({ "role": "user", "content": format!("[state] {text}") })),
            Item::Summary { text } => {
                self.say(json!({ "role": "user", "content": format!("[summary of the earlier conversation] {text}") }));
            }
            Item::Said { parts } => {
                self.answer_all();
                let said = said::message(self.echo, parts, |label| self.id(label));
                self.warnings.extend(said.warnings);
                for (label, id) in said.calls {
                    self.waiting.entry(label).or_default().push_back(self.open.len());
                    self.open.push(Open { id, result: None });
                }
                self.messages.extend(said.message);
            }
            Item::Result { label, text, failed } => self.result(label, text, *failed),
        }
    }

    /// What was said, and a line for each file: this codec sends none.
    fn heard(&mut self, from: &str, text: &str, attachments: &[Attached]) -> String {
        let lines: Vec<String> = attachments.iter().map(ToString::to_string).collect();
        if lines.is_empty() {
            return format!("{from}: {text}");
        }
        self.warnings.insert("attachment_not_sent");
        let said = (!text.is_empty()).then_some(text);
        format!("{from}: {}", said.into_iter().chain(lines.iter().map(String::as_str)).collect::<Vec<_>>().join("\n"))
    }

    fn result(&mut self, label: &str, text: &str, failed: bool) {
        // The wire has no mark for a failure.
        let text = if failed { format!("[failed] {text}") } else { text.to_owned() };
        let place = self.waiting.get_mut(label).and_then(VecDeque::pop_front);
        if let Some(open) = place.and_then(|place| self.open.get_mut(place)) {
            open.result = Some(text);
            if self.open.iter().all(|open| open.result.is_some()) {
                self.answer_all();
            }
        } else {
            self.warnings.insert("result_without_call");
            self.say(json!({ "role": "user", "content": format!("[result] {text}") }));
        }
    }

    fn say(&mut self, message: Value) {
        if self.open.is_empty() { self.messages.push(message) } else { self.held_back.push(message) }
    }

    /// Writes the results of the last answer, then what was held back for them.
    fn answer_all(&mut self) {
        for open in self.open.drain(..) {
            if open.result.is_none() {
                self.warnings.insert("result_missing");
            }
            let text = open.result.unwrap_or_else(|| NO_RESULT.to_owned());
            self.messages.push(json!({ "role": "tool", "tool_call_id": open.id, "content": text }));
        }
        self.waiting.clear();
        self.messages.append(&mut self.held_back);
    }

    /// The id of the next call: its label, or `call_<n>` where it has none or one that was used before.
    fn id(&mut self, label: &str) -> String {
        let ordinal = self.calls_count;
        self.calls_count = self.calls_count.saturating_add(1);
        let mut id = if label.is_empty() { format!("call_{ordinal}") } else { label.to_owned() };
        if self.ids.contains(&id) {
            id = format!("call_{ordinal}");
        }
        while !self.ids.insert(id.clone()) {
            id.push('_');
        }
        id
    }
}
