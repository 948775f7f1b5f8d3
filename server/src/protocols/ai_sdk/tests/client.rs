//! A client: it keeps a message as the AI SDK does, and fails where that would, or where parts stand
//! in no order.

use std::collections::BTreeMap;

use super::Part;

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kept {
    Step,
    Text {
        id: String,
        text: String,
        is_void: bool,
    },
    Call {
        id: String,
        state: State,
        input: serde_json::Value,
    },
    Data(String),
}

/// The state of a call, as the client shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Streaming,
    Available,
    Asked,
    Decided,
    Output,
    Failed,
    Denied,
}

/// A client with one message.
#[derive(Debug, Default)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) kept: Vec<Kept>,
    /// The texts that are open, by their ids, and where they stand.
    open: BTreeMap<String, usize>,
    approvals: BTreeMap<String, String>,
    is_in_step: bool,
    is_over: bool,
}

impl Client {
    /// A stream begins. One that resumes tells all of the message anew.
    pub(super) fn connect(&mut self, parts: &[Part], resumes: Resumes) {
        let Some(Part::Start { message_id }) = parts.first() else {
            panic!("a stream begins with its start: {parts:?}");
        };
        if resumes == Resumes::Anew {
            *self = Self::default();
        }
        assert!(
            self.id.is_empty() || self.id == *message_id,
            "an answer keeps its id"
        );
        self.id = message_id.clone();
        self.is_over = false;
        self.is_in_step = false;
        self.open.clear();
        for part in &parts[1..] {
            self.take(part);
        }
    }

    /// The stream ended well.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// All that stands in the log, so that a stream that begins later tells it as well.
    pub(super) fn lasting(&self) -> Vec<Kept> {
        let is_lasting = |kept: &&Kept| !matches!(kept, Kept::Text { is_void: true, .. });
        self.kept.iter().filter(is_lasting).cloned().collect()
    }

    /// The last `count` steps, with what lasts of them.
    pub(super) fn last_steps(&self, count: usize) -> Vec<Kept> {
        let kept = self.lasting();
        let steps = kept
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, kept)| **kept == Kept::Step);
        let (first, _) = steps.take(count).last().unwrap();
        kept[first..].to_vec()
    }

    /// The texts that were said.
    pub(super) fn texts(&self) -> Vec<(String, String)> {
        let said = self.lasting().into_iter().filter_map(|kept| match kept {
            Kept::Text { id, text, .. } => Some((id, text)),
            Kept::Step | Kept::Call { .. } | Kept::Data(_) => None,
        });
        said.collect()
    }

    fn take(&mut self, part: &Part) {
        assert!(!self.is_over, "nothing comes behind the end: {part:?}");
        match part {
            Part::Start { .. } => panic!("a stream starts once"),
            Part::StartStep => {
                assert!(!self.is_in_step, "steps do not nest");
                self.is_in_step = true;
                self.kept.push(Kept::Step);
            }
            Part::ResetStep => {
                let step = self
                    .kept
                    .iter()
                    .rposition(|kept| *kept == Kept::Step)
                    .unwrap();
                self.kept.truncate(step + 1);
                self.open.clear();
                self.is_in_step = true;
            }
            Part::FinishStep => {
                assert!(self.is_in_step, "a step begins before it ends");
                assert!(self.open.is_empty(), "texts end before their step");
                self.is_in_step = false;
            }
            Part::TextStart { .. } | Part::TextDelta { .. } | Part::TextEnd { .. } => {
                self.take_text(part);
            }
            Part::ToolInputStart { .. }
            | Part::ToolInputDelta { .. }
            | Part::ToolInputAvailable { .. }
            | Part::ToolApprovalRequest { .. }
            | Part::ToolApprovalResponse { .. }
            | Part::ToolOutputAvailable { .. }
            | Part::ToolOutputError { .. }
            | Part::ToolOutputDenied { .. } => self.take_call(part),
            Part::DataAgent { data } => self.kept.push(Kept::Data(data.to_string())),
            Part::DataNotice { id, .. }
            | Part::DataRequest { id, .. }
            | Part::DataDecision { id, .. }
            | Part::DataArtifact { id, .. }
            | Part::DataMessage { id, .. }
            | Part::DataRevised { id, .. }
            | Part::DataErased { id, .. }
            | Part::DataRefused { id, .. } => self.kept.push(Kept::Data(id.clone())),
            Part::Finish { .. } | Part::Abort { .. } | Part::Error { .. } => {
                assert!(
                    self.open.is_empty() && !self.is_in_step,
                    "all ends before the end"
                );
                self.is_over = true;
            }
        }
    }

    fn take_text(&mut self, part: &Part) {
        assert!(self.is_in_step, "texts stand in a step: {part:?}");
        match part {
            Part::TextStart { id } => {
                let text = String::new();
                self.open.insert(id.clone(), self.kept.len());
                self.kept.push(Kept::Text {
                    id: id.clone(),
                    text,
                    is_void: false,
                });
            }
            Part::TextDelta { id, delta } => {
                let Kept::Text { text, .. } = &mut self.kept[self.open[id]] else {
                    panic!()
                };
                text.push_str(delta);
            }
            Part::TextEnd {
                id,
                provider_metadata,
            } => {
                let at = self.open.remove(id).unwrap();
                let Kept::Text { is_void, .. } = &mut self.kept[at] else {
                    panic!()
                };
                *is_void = provider_metadata.is_some();
            }
            other => panic!("{other:?}"),
        }
    }

    fn take_call(&mut self, part: &Part) {
        match part {
            Part::ToolInputStart { tool_call_id, .. } => {
                assert!(self.is_in_step, "calls begin in a step");
                assert!(self.find(tool_call_id).is_none(), "a call begins once");
                let id = tool_call_id.clone();
                let input = serde_json::Value::Null;
                self.kept.push(Kept::Call {
                    id,
                    state: State::Streaming,
                    input,
                });
            }
            Part::ToolInputDelta { tool_call_id, .. } => {
                self.move_on(tool_call_id, &[State::Streaming], State::Streaming);
            }
            Part::ToolInputAvailable {
                tool_call_id,
                input,
                ..
            } => {
                let from = [
                    State::Streaming,
                    State::Available,
                    State::Asked,
                    State::Decided,
                ];
                self.move_on(tool_call_id, &from, State::Available);
                let at = self.find(tool_call_id).unwrap();
                // The AI SDK finds it in the last step alone, and would make a second one.
                let step = self
                    .kept
                    .iter()
                    .rposition(|kept| *kept == Kept::Step)
                    .unwrap();
                assert!(at > step, "arguments change in the step of their call");
                let Kept::Call { input: kept, .. } = &mut self.kept[at] else {
                    panic!()
                };
                *kept = input.clone();
            }
            Part::ToolApprovalRequest {
                tool_call_id,
                approval_id,
                ..
            } => {
                self.move_on(tool_call_id, &[State::Available], State::Asked);
                self.approvals
                    .insert(approval_id.clone(), tool_call_id.clone());
            }
            Part::ToolApprovalResponse { approval_id, .. } => {
                let call = self.approvals[approval_id].clone();
                self.move_on(&call, &[State::Asked], State::Decided);
            }
            Part::ToolOutputAvailable { tool_call_id, .. } => self.end(tool_call_id, State::Output),
            Part::ToolOutputError { tool_call_id, .. } => self.end(tool_call_id, State::Failed),
            Part::ToolOutputDenied { tool_call_id } => self.end(tool_call_id, State::Denied),
            other => panic!("{other:?}"),
        }
    }

    fn end(&mut self, id: &str, to: State) {
        let from = [State::Available, State::Asked, State::Decided];
        self.move_on(id, &from, to);
    }

    fn find(&self, id: &str) -> Option<usize> {
        let is_it = |kept: &Kept| matches!(kept, Kept::Call { id: call, .. } if call == id);
        self.kept.iter().position(is_it)
    }

    fn move_on(&mut self, id: &str, from: &[State], to: State) {
        let at = self.find(id).unwrap();
        let Kept::Call { state, .. } = &mut self.kept[at] else {
            panic!()
        };
        assert!(from.contains(state), "a call goes from {state:?} to {to:?}");
        *state = to;
    }
}

/// The way in which a stream goes on with what the client has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resumes {
    /// The message is told from its beginning.
    Anew,
    /// The message goes on.
    Behind,
}
