//! The messages that a client has behind some events: a snapshot of them is the same.

use super::frame::{Frame, Function, Message, Role, ToolCall};

/// The messages of a room as AG-UI has them, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Transcript(Vec<Message>);

impl Transcript {
    /// The snapshot of them.
    pub(crate) fn snapshot(self) -> Frame {
        Frame::MessagesSnapshot { messages: self.0 }
    }

    /// Takes in an event as a client does.
    pub(crate) fn take(&mut self, frame: Frame) {
        match frame {
            Frame::TextMessageStart {
                message_id,
                role,
                name,
            } => self.0.push(Message {
                name,
                content: Some(String::new()),
                ..blank(message_id, role)
            }),
            Frame::TextMessageContent { message_id, delta } => {
                let message = self.0.iter_mut().find(|message| message.id == message_id);
                if let Some(content) = message.and_then(|message| message.content.as_mut()) {
                    content.push_str(&delta);
                }
            }
            Frame::ToolCallStart {
                tool_call_id,
                tool_call_name,
            } => self.call(tool_call_id, tool_call_name),
            Frame::ToolCallArgs {
                tool_call_id,
                delta,
            } => {
                let calls = self
                    .0
                    .iter_mut()
                    .flat_map(|message| &mut message.tool_calls);
                let mut calls = calls.filter(|call| call.id == tool_call_id);
                if let Some(call) = calls.next() {
                    call.function.arguments.push_str(&delta);
                }
            }
            Frame::ToolCallResult {
                message_id,
                tool_call_id,
                content,
                role,
            } => self.result(Message {
                content: Some(content),
                tool_call_id: Some(tool_call_id),
                ..blank(message_id, role)
            }),
            Frame::RunStarted { .. }
            | Frame::MessagesSnapshot { .. }
            | Frame::StateSnapshot { .. }
            | Frame::TextMessageEnd { .. }
            | Frame::ToolCallEnd { .. }
            | Frame::StepStarted { .. }
            | Frame::StepFinished { .. }
            | Frame::Custom { .. }
            | Frame::RunFinished { .. }
            | Frame::RunError { .. } => {}
        }
    }

    /// The words of each message.
    #[cfg(test)]
    pub(crate) fn contents(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().filter_map(|message| message.content.clone())
    }

    fn call(&mut self, id: String, name: String) {
        let call = ToolCall {
            id: id.clone(),
            kind: "function",
            function: Function {
                name,
                arguments: String::new(),
            },
        };
        self.0.push(Message {
            tool_calls: vec![call],
            ..blank(id, Role::Assistant)
        });
    }

    /// Puts a result behind its call, as models want it.
    fn result(&mut self, result: Message) {
        let is_call = |message: &Message| {
            let mut calls = message.tool_calls.iter();
            calls.any(|call| Some(&call.id) == result.tool_call_id.as_ref())
        };
        let call = self.0.iter().position(is_call);
        let place = call.map_or(self.0.len(), |call| call.saturating_add(1));
        self.0.insert(place, result);
    }
}

const fn blank(id: String, role: Role) -> Message {
    Message {
        id,
        role,
        name: None,
        content: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
    }
}
