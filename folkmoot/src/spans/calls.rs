//! Tool calls: `execute_tool` spans, from the first run to the result. A call that never ran has a span without a length.

use std::collections::BTreeMap;

use folkmoot_core::event::{
    AdmittedCall, CallEvent, CallStatus, CallsAdmitted, ToolFinished, ToolStarted,
};
use folkmoot_core::ids::{Attempt, CallId};

use super::moment::{Beginning, Moment, Place};
use super::span::{Attribute, Span};
use super::turns::Turns;
use super::{SpanId, TraceId, words};
use crate::words::word;

/// The class of the error of a call whose outcome nobody knows.
const UNKNOWN: &str = "outcome_unknown";

/// The calls without a result.
#[derive(Debug, Default)]
pub(super) struct Calls(BTreeMap<CallId, OpenCall>);

/// A call without a result.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) place: Place,
    pub(super) names: CallNames,
    /// The beginning of its first run; `None` before.
    began: Option<Beginning>,
    attempt: Attempt,
    /// The arguments of its last run; `None` if no words are captured.
    arguments: Option<String>,
}

/// The names of a call.
#[derive(Debug, Clone)]
pub(super) struct CallNames {
    /// The tool; `None` if its agent has none of the name that the model wrote.
    tool: Option<String>,
    /// The label under which the model is answered.
    label: String,
}

impl CallNames {
    /// The attributes that say which call it is.
    pub(super) fn attributes(&self) -> impl Iterator<Item = Attribute> {
        let tool = self.tool.as_deref();
        let tool = tool.map(|tool| Attribute::text("gen_ai.tool.name", tool));
        let label = Attribute::text("gen_ai.tool.call.id", self.label.as_str());
        tool.into_iter().chain([label])
    }
}

impl Calls {
    /// The call called `call`, if it has no result.
    pub(super) fn open(&self, call: CallId) -> Option<&OpenCall> {
        self.0.get(&call)
    }

    /// The span of a call without a result, with its trace.
    pub(super) fn span_of(&self, call: CallId) -> Option<(TraceId, SpanId)> {
        let open = self.open(call)?;
        Some((open.place.trace, SpanId::of_call(call)))
    }

    /// Passes an event, and gives the call that it ends.
    pub(super) fn take(
        &mut self,
        moment: &Moment<'_>,
        event: &CallEvent,
        turns: &Turns,
    ) -> Option<Span> {
        if let CallEvent::CallsAdmitted(admitted) = event {
            self.admit(admitted, turns);
        } else if let CallEvent::ToolStarted(started) = event {
            self.start(moment, started);
        } else if let CallEvent::AgentAsked(asked) = event {
            self.begin(moment, asked.call);
        } else if let CallEvent::CallReplaced(replaced) = event {
            self.0.remove(&replaced.call);
        } else if let CallEvent::OutcomeUnknown(unknown) = event {
            let span = self.end(moment, unknown.call);
            return span.map(|span| failed(span, UNKNOWN.to_owned()));
        } else if let CallEvent::ToolFinished(finished) = event {
            return self.finish(moment, finished);
        }
        None
    }

    fn admit(&mut self, admitted: &CallsAdmitted, turns: &Turns) {
        let Some(place) = turns.within(&admitted.agent, admitted.turn) else {
            return;
        };
        for AdmittedCall {
            call, tool, label, ..
        } in &admitted.calls
        {
            let open = OpenCall {
                place: place.clone(),
                names: CallNames {
                    tool: tool.as_ref().map(ToString::to_string),
                    label: label.clone(),
                },
                began: None,
                attempt: Attempt(0),
                arguments: None,
            };
            self.0.insert(*call, open);
        }
    }

    fn start(&mut self, moment: &Moment<'_>, started: &ToolStarted) {
        self.begin(moment, started.call);
        if let Some(open) = self.0.get_mut(&started.call) {
            open.attempt = started.attempt;
            open.arguments = words::arguments(moment.words, started.call);
        }
    }

    fn begin(&mut self, moment: &Moment<'_>, call: CallId) {
        if let Some(open) = self.0.get_mut(&call) {
            open.began.get_or_insert_with(|| beginning(moment, call));
        }
    }

    fn finish(&mut self, moment: &Moment<'_>, finished: &ToolFinished) -> Option<Span> {
        let mut span = self.end(moment, finished.call)?;
        if let Some(result) = words::result(moment.words, finished.call) {
            span.attributes
                .push(Attribute::text("gen_ai.tool.call.result", result));
        }
        Some(match error(&finished.status) {
            Some(error) => failed(span, error),
            None => span,
        })
    }

    fn end(&mut self, moment: &Moment<'_>, call: CallId) -> Option<Span> {
        let open = self.0.remove(&call)?;
        let began = open.began.unwrap_or_else(|| beginning(moment, call));
        let tool = open.names.tool.as_deref();
        let name = tool.map_or_else(
            || "execute_tool".to_owned(),
            |tool| format!("execute_tool {tool}"),
        );
        let mut span = moment.end(&open.place, &began, name);
        span.attributes.extend([
            Attribute::text("gen_ai.operation.name", "execute_tool"),
            Attribute::text("gen_ai.tool.type", "function"),
        ]);
        span.attributes.extend(open.names.attributes());
        if open.attempt.0 > 1 {
            span.attributes
                .push(Attribute::number("folkmoot.attempts", open.attempt.0));
        }
        if let Some(arguments) = open.arguments {
            span.attributes
                .push(Attribute::text("gen_ai.tool.call.arguments", arguments));
        }
        Some(span)
    }
}

fn beginning(moment: &Moment<'_>, call: CallId) -> Beginning {
    Beginning {
        id: SpanId::of_call(call),
        ..moment.beginning()
    }
}

fn failed(span: Span, error: String) -> Span {
    Span {
        error: Some(error),
        ..span
    }
}

/// The class of the error that a call ended with.
fn error(status: &CallStatus) -> Option<String> {
    match status {
        CallStatus::Done
        | CallStatus::SettledRan
        | CallStatus::Answered(_)
        | CallStatus::HandedOff => None,
        CallStatus::Failed(code) => Some(word(code)),
        CallStatus::Invalid(_) => Some("invalid_arguments".to_owned()),
        CallStatus::Unknown(_) => Some(UNKNOWN.to_owned()),
        CallStatus::Unanswered(_) => Some("unanswered".to_owned()),
        CallStatus::Denied
        | CallStatus::NotAllowed
        | CallStatus::DeniedBefore
        | CallStatus::Forbidden
        | CallStatus::QuotaSpent
        | CallStatus::Expired
        | CallStatus::Missing
        | CallStatus::TooMany
        | CallStatus::ToolsDisabled
        | CallStatus::Cancelled
        | CallStatus::Superseded
        | CallStatus::SettledNotRun
        | CallStatus::NoSuchAgent
        | CallStatus::WouldDeadlock
        | CallStatus::TooDeep
        | CallStatus::HopBudget
        | CallStatus::NotAlone => Some(word(status)),
    }
}
