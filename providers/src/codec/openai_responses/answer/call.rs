//! A function call.

use folkmoot_core::model::response::{CallPart, Part};
use serde_json::{Value, json};

use super::super::note::ResponsesNote;
use super::{Remarks, without_blanks};
use crate::codec::json::{Fields, text_of};
use crate::codec::warning;

/// A call as far as it has come.
#[derive(Debug, Default)]
pub(super) struct ResponsesCall {
    /// The server's id of the call.
    label: String,
    /// The tool that is called; empty if the server gave none.
    tool: String,
    /// The arguments so far, as the model wrote them.
    arguments: String,
    /// The other fields of the item.
    fields: Fields,
}

impl ResponsesCall {
    /// Adds a fragment of the arguments.
    pub(super) fn add(&mut self, fragment: &str) {
        self.arguments.push_str(fragment);
    }

    /// Takes the whole arguments. Nothing of them was shown, so that the whole counts.
    pub(super) fn settle(&mut self, arguments: Value, remarks: &mut Remarks) {
        let whole = match arguments {
            Value::String(text) => text,
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                remarks.warn(warning::ARGUMENTS_NOT_TEXT);
                other.to_string()
            }
            Value::Null => return,
        };
        if whole.is_empty() || whole == self.arguments {
            return;
        }
        if !whole.starts_with(&self.arguments) {
            remarks.warn(warning::ARGUMENTS_CONTRADICTED);
            remarks.keep(
                "contradicted_arguments",
                Value::String(std::mem::take(&mut self.arguments)),
            );
        }
        self.arguments = whole;
    }

    /// Takes the item that it is.
    pub(super) fn take_fields(
        &mut self,
        mut fields: Fields,
        replaces: bool,
        remarks: &mut Remarks,
    ) {
        fields.remove("type");
        let arguments = fields.remove("arguments").unwrap_or_default();
        for (field, own) in [("call_id", &mut self.label), ("name", &mut self.tool)] {
            let told = text_of(fields.get(field));
            if own.is_empty() {
                told.clone_into(own);
            }
            if told != own.as_str() && !told.is_empty() {
                remarks.warn(warning::CALL_CONTRADICTED);
                remarks.keep(&format!("contradicted_{field}"), Value::from(told));
            }
            if fields.get(field).is_some_and(Value::is_string) {
                fields.remove(field);
            }
        }
        if replaces || self.fields.is_empty() {
            self.fields = without_blanks(fields);
        }
        if replaces || self.arguments.is_empty() {
            self.settle(arguments, remarks);
        }
    }

    /// Tells whether the call has this label, which is not empty.
    pub(super) fn has_label(&self, label: &str) -> bool {
        !label.is_empty() && self.label == label
    }

    /// Tells whether the call names a tool: without, nobody can run it, and no server takes it
    /// back.
    pub(super) const fn has_name(&self) -> bool {
        !self.tool.is_empty()
    }

    /// Tells whether the server gave the call whole and its arguments are a JSON object: a call of
    /// a cut answer that is not, is not complete.
    pub(super) fn is_complete(&self) -> bool {
        text_of(self.fields.get("status")) != "incomplete"
            && serde_json::from_str::<Fields>(&self.arguments).is_ok()
    }

    /// Says that it broke off. The server may have closed what it wrote: no arguments are known to
    /// be whole then.
    pub(super) fn cut(&mut self, remarks: &mut Remarks) {
        remarks.warn(warning::CALL_CUT);
        if serde_json::from_str::<Fields>(&self.arguments).is_ok() {
            remarks.keep(
                "cut_arguments",
                Value::String(std::mem::take(&mut self.arguments)),
            );
        }
    }

    /// The call as plain JSON, for keeping.
    pub(super) fn to_json(&self) -> Value {
        let Self {
            label,
            tool,
            arguments,
            fields,
        } = self;
        let mut json = json!({ "call_id": label, "name": tool, "arguments": arguments });
        if let Value::Object(call) = &mut json {
            call.extend(fields.clone());
        }
        json
    }

    /// The call, and a note of the rest.
    pub(super) fn into_parts(self, parts: &mut Vec<Part>) {
        let Self {
            label,
            tool,
            arguments,
            fields,
        } = self;
        parts.push(Part::Call(CallPart {
            label,
            tool,
            arguments,
        }));
        parts.extend(ResponsesNote::Call(fields).into_part());
    }
}
