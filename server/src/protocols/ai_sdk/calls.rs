//! The calls of an answer: their arguments, the requests about them, and their ends.

use std::collections::BTreeMap;

use folkmoot::run::{Asks, Waiting};
use folkmoot::{CallId, CallStatus, RequestId};
use serde_json::{Value, json};

use super::part::Part;
use crate::protocols::claim::Claim;
use crate::wire::write_times;

/// The reader of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Somebody who is asked for decisions.
    Decides,
    /// Somebody who is not: they see that others are.
    Watches,
}

/// The calls that were told.
#[derive(Debug)]
pub(super) struct Calls {
    /// The name of the world, which stands in the ids of its requests.
    world: String,
    reader: Reader,
    /// The calls that were told. One that took the place of another is told under its id.
    told: BTreeMap<CallId, ToldCall>,
    /// The ids of the requests that the reader was asked.
    asked: BTreeMap<RequestId, String>,
}

/// A call as an item tells of it.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) id: CallId,
    pub(super) tool: &'a str,
    /// The arguments; `None` if they were erased, or if the item has none.
    pub(super) arguments: Option<&'a str>,
}

impl Calls {
    /// No calls of the world called `world`.
    pub(super) const fn none(world: String, reader: Reader) -> Self {
        Self {
            world,
            reader,
            told: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    /// Tells whether the call was told.
    pub(super) fn has(&self, call: CallId) -> bool {
        self.told.contains_key(&call)
    }

    /// A call from its beginning.
    pub(super) fn tell(&mut self, call: &Call<'_>) -> Vec<Part> {
        let told = ToldCall::of(call);
        let parts = told.begun(call.arguments);
        self.told.insert(call.id, told);
        parts
    }

    /// A call that was told runs: with which arguments, and that it waits for nobody any more.
    pub(super) fn start(&mut self, call: &Call<'_>) -> Option<Part> {
        let told = self.told.get_mut(&call.id)?;
        told.input = input(call.arguments);
        Some(told.available())
    }

    /// The call `by` takes the place of `call`. People see one call, which has other arguments now.
    pub(super) fn replace(&mut self, call: CallId, by: CallId) {
        if let Some(told) = self.told.get(&call).cloned() {
            self.told.insert(by, told);
        }
    }

    /// A request waits.
    pub(super) fn ask(&mut self, call: CallId, waiting: &Waiting) -> Part {
        match (self.reader, &waiting.asks, self.told.get(&call)) {
            (Reader::Decides, Asks::Approval { text, .. }, Some(told)) => {
                let id = Claim::of(&self.world, call, waiting).to_string();
                self.asked.insert(waiting.request, id.clone());
                Part::ToolApprovalRequest {
                    approval_id: id,
                    tool_call_id: told.id.clone(),
                    reason: text.clone(),
                }
            }
            (_, _, _) => {
                let mut data = json!({ "words": waiting.to_string(), "request": waiting });
                write_times(&mut data, &["/request/asks/expires_at"]);
                let id = waiting.name.clone();
                Part::DataRequest { id, data }
            }
        }
    }

    /// A person decided about a request that the reader was asked.
    pub(super) fn decide(
        &mut self,
        request: RequestId,
        how: &str,
        reason: Option<&str>,
    ) -> Option<Part> {
        let approval_id = self.asked.remove(&request)?;
        let approved = match how {
            "allow" => true,
            "deny" => false,
            // Time or the room closed it: the end of the call says so.
            _ => return None,
        };
        Some(Part::ToolApprovalResponse {
            approval_id,
            approved,
            reason: reason.map(str::to_owned),
        })
    }

    /// The end of a call that was told. `output` is its result, and `words` say how it ended.
    pub(super) fn finish(
        &self,
        call: CallId,
        status: &CallStatus,
        output: Value,
        words: String,
    ) -> Option<Part> {
        let tool_call_id = self.told.get(&call)?.id.clone();
        Some(match Outcome::of(status) {
            Outcome::Result => Part::ToolOutputAvailable {
                tool_call_id,
                output,
            },
            Outcome::Denied => Part::ToolOutputDenied { tool_call_id },
            Outcome::Failure => Part::ToolOutputError {
                tool_call_id,
                error_text: words,
            },
        })
    }
}

/// A call as it was told.
#[derive(Debug, Clone)]
struct ToldCall {
    id: String,
    tool: String,
    input: Value,
}

impl ToldCall {
    fn of(call: &Call<'_>) -> Self {
        Self {
            id: call.id.to_string(),
            tool: call.tool.to_owned(),
            input: input(call.arguments),
        }
    }

    /// The call from its beginning. No client declares or runs a tool of a room.
    fn begun(&self, arguments: Option<&str>) -> Vec<Part> {
        let mut parts = vec![Part::ToolInputStart {
            tool_call_id: self.id.clone(),
            tool_name: self.tool.clone(),
            dynamic: true,
            provider_executed: true,
        }];
        parts.extend(arguments.map(|arguments| Part::ToolInputDelta {
            tool_call_id: self.id.clone(),
            input_text_delta: arguments.to_owned(),
        }));
        parts.push(self.available());
        parts
    }

    fn available(&self) -> Part {
        Part::ToolInputAvailable {
            tool_call_id: self.id.clone(),
            tool_name: self.tool.clone(),
            input: self.input.clone(),
            dynamic: true,
            provider_executed: true,
        }
    }
}

/// The arguments as JSON; as text where a model wrote none.
fn input(arguments: Option<&str>) -> Value {
    let Some(arguments) = arguments else {
        return Value::Null;
    };
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()))
}

/// The kinds of ends that the protocol knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Result,
    Denied,
    Failure,
}

impl Outcome {
    const fn of(status: &CallStatus) -> Self {
        match status {
            CallStatus::Done
            | CallStatus::SettledRan
            | CallStatus::Answered(_)
            | CallStatus::HandedOff => Self::Result,
            CallStatus::Denied | CallStatus::DeniedBefore => Self::Denied,
            CallStatus::Failed(_)
            | CallStatus::NotAllowed
            | CallStatus::Forbidden
            | CallStatus::QuotaSpent
            | CallStatus::Expired
            | CallStatus::Invalid(_)
            | CallStatus::Missing
            | CallStatus::TooMany
            | CallStatus::ToolsDisabled
            | CallStatus::Cancelled
            | CallStatus::Superseded
            | CallStatus::Unknown(_)
            | CallStatus::SettledNotRun
            | CallStatus::Unanswered(_)
            | CallStatus::NoSuchAgent
            | CallStatus::WouldDeadlock
            | CallStatus::TooDeep
            | CallStatus::HopBudget
            | CallStatus::NotAlone => Self::Failure,
        }
    }
}
