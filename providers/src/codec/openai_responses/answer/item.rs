//! An item of an answer.

use folkmoot_core::model::response::Part;
use serde_json::Value;

use super::super::note::ResponsesNote;
use super::call::ResponsesCall;
use super::message::MessageItem;
use super::reasoning::ReasoningItem;
use crate::codec::json::{Fields, text_of};
use crate::codec::warning;

/// Calls that want a result of the client, of tools that it has not declared. They cannot be
/// answered, so that they do not go back.
const STRANGE_CALLS: &[&str] = &[
    "custom_tool_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "mcp_approval_request",
];

/// The items of the provider's own tools, and other items that are known: they go back as they
/// came. So are those whose names say that they are a call or its output.
const OWN: &[&str] = &[
    "additional_tools",
    "compaction",
    "context_compaction",
    "item_reference",
    "mcp_list_tools",
    "mcp_approval_response",
    "program",
];

/// An item as far as it has come.
#[derive(Debug)]
pub(super) struct Item {
    /// The body, by the kind of the item.
    pub(super) body: ItemBody,
    /// The server's id of the item; empty if it gave none.
    pub(super) id: String,
    /// True if the item has come whole.
    pub(super) is_done: bool,
}

/// The body of an item.
#[derive(Debug)]
pub(super) enum ItemBody {
    Message(MessageItem),
    Call(ResponsesCall),
    Reasoning(ReasoningItem),
    /// Of a tool of the server's own, or of a type that is not known.
    Other(Fields),
}

/// The kinds of items, to tell whether two are of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ItemKind {
    Message,
    Call,
    Reasoning,
    Other(String),
}

impl ItemKind {
    /// The kind of the item that `fields` are.
    pub(super) fn of(fields: &Fields) -> Self {
        match text_of(fields.get("type")) {
            "message" => Self::Message,
            "function_call" => Self::Call,
            "reasoning" => Self::Reasoning,
            "" if fields.contains_key("role") => Self::Message,
            other => Self::Other(other.to_owned()),
        }
    }

    /// An empty item of this kind.
    pub(super) fn begin(self, id: &str) -> Item {
        let body = match self {
            Self::Message => ItemBody::Message(MessageItem::default()),
            Self::Call => ItemBody::Call(ResponsesCall::default()),
            Self::Reasoning => ItemBody::Reasoning(ReasoningItem::default()),
            Self::Other(_) => ItemBody::Other(Fields::new()),
        };
        Item {
            body,
            id: id.to_owned(),
            is_done: false,
        }
    }
}

impl Item {
    /// Tells whether the item is of this kind.
    pub(super) fn is(&self, kind: &ItemKind) -> bool {
        match (&self.body, kind) {
            (ItemBody::Message(_), ItemKind::Message)
            | (ItemBody::Call(_), ItemKind::Call)
            | (ItemBody::Reasoning(_), ItemKind::Reasoning) => true,
            (ItemBody::Other(fields), ItemKind::Other(name)) => text_of(fields.get("type")) == name,
            (
                ItemBody::Message(_)
                | ItemBody::Call(_)
                | ItemBody::Reasoning(_)
                | ItemBody::Other(_),
                _,
            ) => false,
        }
    }

    /// Tells whether `fields` are the same item once more.
    pub(super) fn is_same(&self, fields: &Fields) -> bool {
        let has_id = !self.id.is_empty() && text_of(fields.get("id")) == self.id;
        let has_label = matches!(&self.body, ItemBody::Call(call) if call.has_label(text_of(fields.get("call_id"))));
        self.is(&ItemKind::of(fields)) && (has_id || has_label)
    }

    /// Adds the item's parts. Returns a warning if it is a call of a tool that nobody has declared,
    /// or of an unknown type.
    pub(super) fn into_parts(self, parts: &mut Vec<Part>) -> Option<&'static str> {
        match self.body {
            ItemBody::Message(message) => message.into_parts(parts),
            ItemBody::Call(call) => call.into_parts(parts),
            ItemBody::Reasoning(reasoning) => reasoning.into_parts(parts),
            ItemBody::Other(fields) => {
                let kind = text_of(fields.get("type")).to_owned();
                if STRANGE_CALLS.contains(&kind.as_str()) {
                    parts.extend(
                        ResponsesNote::Kept(Fields::from_iter([(kind, Value::Object(fields))]))
                            .into_part(),
                    );
                    return Some(warning::CALL_TYPE_UNKNOWN);
                }
                let is_known = OWN.contains(&kind.as_str())
                    || kind.ends_with("_call")
                    || kind.ends_with("_output");
                let is_blank = fields.is_empty();
                parts.extend(ResponsesNote::Item(fields).into_part());
                return (!is_known && !is_blank).then_some(warning::CONTENT_UNKNOWN);
            }
        }
        None
    }
}
