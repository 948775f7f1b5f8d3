//! Tool calls, put together from fragments.

use std::collections::BTreeMap;

use folkmoot_core::model::response::CallPart;
use serde_json::Value;

use super::chunk::{CallFragment, text};
use super::note::ChatNote;
use crate::codec::json::{Fields, fields_of, is_blank, text_of};
use crate::codec::kept_fields::KeptFields;

/// Fields of a call that a server wants back with it.
const ECHOED: &[&str] = &["extra_content", "thought_signature"];

/// A call as far as it has come.
#[derive(Debug, Clone, Default)]
pub(super) struct ChatCall {
    /// The server's id of the call; empty if it gave none.
    label: String,
    /// The tool that is called; empty until the name has come.
    tool: String,
    /// The arguments so far, as the model wrote them.
    arguments: String,
    /// The fields of the call that the server wants back.
    echoed: KeptFields,
    /// The fields that the codec does not understand.
    kept: KeptFields,
}

/// The calls of one answer, in the order in which they began.
#[derive(Debug, Clone, Default)]
pub(super) struct ChatCalls {
    /// The calls so far.
    calls: Vec<ChatCall>,
    /// The place in `calls` of the call that a number means now.
    by_index: BTreeMap<u64, usize>,
    /// True if arguments came as JSON instead of text, and were written out.
    pub(super) has_loose_arguments: bool,
    /// Items that are not function calls.
    pub(super) strangers: Vec<Value>,
}

/// The origin of fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FragmentSource {
    /// A whole message: each item is a call of its own.
    Whole,
    /// A stream: items are fragments, told apart by their index, and by their id where a server
    /// repeats the index.
    Delta,
}

/// The hints of a fragment at the call that it belongs to.
#[derive(Debug, Default)]
struct Hint<'e> {
    id: &'e str,
    tool: &'e str,
    has_arguments: bool,
}

impl ChatCalls {
    /// Takes one item of `tool_calls`.
    pub(super) fn take(&mut self, item: Value, source: FragmentSource) {
        if !item.is_object() || !matches!(text_of(item.get("type")), "" | "function") {
            return self.strangers.push(item);
        }
        let slot = match source {
            // In a document each item is a call, whatever its index: some servers number all of
            // them 0.
            FragmentSource::Whole => self.begin(),
            FragmentSource::Delta => {
                let of_function = |field: &str| {
                    item.get("function")
                        .and_then(|function| function.get(field))
                };
                let has_arguments =
                    of_function("arguments").is_some_and(|arguments| !is_blank(arguments));
                let hint = Hint {
                    id: text_of(item.get("id")),
                    tool: text_of(of_function("name")),
                    has_arguments,
                };
                self.slot(item.get("index").and_then(Value::as_u64), &hint)
            }
        };
        let is_loose = self.calls.get_mut(slot).is_some_and(|call| call.take(item));
        self.has_loose_arguments |= is_loose;
    }

    /// Takes a fragment of a function call in the shape that nearly all have.
    pub(super) fn take_plain(&mut self, fragment: &CallFragment<'_>) {
        let function = fragment.function.as_ref();
        let tool = text(function.and_then(|function| function.name.as_ref()));
        let has_arguments =
            !text(function.and_then(|function| function.arguments.as_ref())).is_empty();
        let slot = self.slot(
            fragment.index,
            &Hint {
                id: text(fragment.id.as_ref()),
                tool,
                has_arguments,
            },
        );
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        call.label_with(text(fragment.id.as_ref()));
        if let Some(function) = &fragment.function {
            function
                .name
                .iter()
                .for_each(|name| call.name_with(&name.0));
            call.arguments.push_str(text(function.arguments.as_ref()));
        }
    }

    /// Takes a fragment of the older `function_call`, of which a message has at most one, without
    /// an id.
    pub(super) fn take_legacy(&mut self, function: Value) {
        let slot = self.slot(Some(0), &Hint::default());
        let is_loose = self
            .calls
            .get_mut(slot)
            .is_some_and(|call| call.take_function(function));
        self.has_loose_arguments |= is_loose;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Tells whether the only call of `other` is among these: some servers tell it in the new and
    /// in the old field.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        let same = |a: &ChatCall, b: &ChatCall| a.tool == b.tool && a.arguments == b.arguments;
        other
            .calls
            .iter()
            .all(|call| self.calls.iter().any(|own| same(own, call)))
    }

    /// Takes over the calls of `other`.
    pub(super) fn adopt(&mut self, other: Self) {
        self.calls.extend(other.calls);
        self.has_loose_arguments |= other.has_loose_arguments;
    }

    /// All calls, each with what belongs to it.
    pub(super) fn into_calls(self) -> impl Iterator<Item = ChatCall> {
        self.calls.into_iter()
    }

    fn begin(&mut self) -> usize {
        let slot = self.calls.len();
        self.calls.push(ChatCall::default());
        slot
    }

    fn slot(&mut self, index: Option<u64>, hint: &Hint<'_>) -> usize {
        let last = self.calls.len().checked_sub(1);
        let known = index.map_or(last, |index| self.by_index.get(&index).copied());
        let goes_on = |slot: &usize| self.calls.get(*slot).is_none_or(|call| call.goes_on(hint));
        let slot = known.filter(goes_on).unwrap_or_else(|| self.begin());
        if let Some(index) = index {
            // The last call of a number goes on under it: later fragments often carry the number
            // alone.
            self.by_index.insert(index, slot);
        }
        slot
    }
}

impl ChatCall {
    /// Tells whether a fragment may be of this call: servers that number all calls alike, or not at
    /// all, tell them apart by their ids, or name a tool anew behind whole arguments.
    fn goes_on(
        &self,
        Hint {
            id,
            tool,
            has_arguments,
        }: &Hint<'_>,
    ) -> bool {
        // An id says more than a number or a name, which servers repeat.
        if !id.is_empty() {
            return self.label.is_empty() || self.label == *id;
        }
        let is_named_anew =
            self.has_name() && !tool.is_empty() && (*has_arguments || self.tool != *tool);
        !is_named_anew || !self.is_complete()
    }

    /// Adds a fragment. True if its arguments were no text.
    fn take(&mut self, item: Value) -> bool {
        let mut is_loose = false;
        for (name, value) in fields_of(item) {
            match name.as_str() {
                "index" | "type" => {}
                "id" if value.is_string() => self.label_with(text_of(Some(&value))),
                "function" => is_loose |= self.take_function(value),
                field if ECHOED.contains(&field) => self.echoed.add(field, value),
                field => self.kept.add(field, value),
            }
        }
        is_loose
    }

    fn take_function(&mut self, function: Value) -> bool {
        if !function.is_object() {
            self.kept.add("function", function);
            return false;
        }
        let mut is_loose = false;
        for (name, value) in fields_of(function) {
            match (name.as_str(), value) {
                ("name", Value::String(name)) => self.name_with(&name),
                ("arguments", Value::String(fragment)) => self.arguments.push_str(&fragment),
                ("arguments", value) if !is_blank(&value) || value.is_object() => {
                    self.arguments.push_str(&value.to_string());
                    is_loose = true;
                }
                (field, value) => self.kept.add(field, value),
            }
        }
        is_loose
    }

    fn label_with(&mut self, id: &str) {
        if self.label.is_empty() {
            id.clone_into(&mut self.label);
        }
    }

    /// Servers send the name once, or again in each fragment; none was seen to cut it, but it may
    /// be.
    fn name_with(&mut self, name: &str) {
        if self.tool != name {
            self.tool.push_str(name);
        }
    }

    /// Tells whether the call names a tool: without, nobody can run it, and no server takes it
    /// back.
    pub(super) const fn has_name(&self) -> bool {
        !self.tool.is_empty()
    }

    /// Tells whether the arguments are a JSON object: a call of a cut answer that has none is not
    /// complete.
    pub(super) fn is_complete(&self) -> bool {
        serde_json::from_str::<Fields>(&self.arguments).is_ok()
    }

    /// The call as plain JSON, for keeping.
    pub(super) fn to_json(&self) -> Value {
        serde_json::json!({ "id": self.label, "name": self.tool, "arguments": self.arguments })
    }

    /// The call, and the notes about the `ordinal`-th call of the reply.
    pub(super) fn into_part(self, ordinal: usize) -> (CallPart, [ChatNote; 2]) {
        let kept = KeptFields::of_call(ordinal, self.kept);
        let echoed = ChatNote::Call {
            call: ordinal,
            fields: self.echoed.into_fields(),
        };
        (
            CallPart {
                label: self.label,
                tool: self.tool,
                arguments: self.arguments,
            },
            [echoed, kept],
        )
    }
}

impl KeptFields {
    fn of_call(ordinal: usize, kept: Self) -> ChatNote {
        let fields = kept.into_fields();
        let named = |fields: Fields| {
            Fields::from_iter([(format!("call {ordinal}"), Value::Object(fields))])
        };
        ChatNote::Kept(if fields.is_empty() {
            fields
        } else {
            named(fields)
        })
    }
}
