//! The calls that are open: which tool, and with which arguments.

use std::collections::BTreeMap;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{AdmittedCall, CallEvent, Event, SettledHow};
use folkmoot_core::ids::CallId;

use crate::export::talk::{Body, is_lost};
use crate::text::{clean, clip, one_line};

/// The longest arguments that are shown whole, and in a line, in characters.
const ARGUMENTS_MAX: usize = 4_000;
const INLINE_MAX: usize = 200;

/// The open calls of a log.
#[derive(Debug, Default)]
pub(in crate::export) struct Calls(BTreeMap<CallId, CallSeen>);

#[derive(Debug, Clone)]
struct CallSeen {
    tool: String,
    /// `None` if they are not there.
    arguments: Option<String>,
    /// True if that is because they are lost.
    is_lost: bool,
}

impl Calls {
    /// Takes up the calls of an event.
    pub(in crate::export) fn take(&mut self, commit: &Commit, event: &Event) {
        let Event::Call(CallEvent::CallsAdmitted(admitted)) = event else {
            return;
        };
        for call in &admitted.calls {
            let known = self.written(commit, call);
            self.0.insert(call.call, known);
        }
    }

    /// Lets go of a call that the event ends.
    pub(in crate::export) fn let_go(&mut self, event: &Event) {
        if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            self.0.remove(&finished.call);
        } else if let Event::Call(CallEvent::CallReplaced(replaced)) = event {
            self.0.remove(&replaced.call);
        } else if let Event::Call(CallEvent::OutcomeSettled(settled)) = event
            && matches!(settled.how, SettledHow::Ran | SettledHow::NotRun)
        {
            self.0.remove(&settled.call);
        }
    }

    /// The tool of a call.
    pub(in crate::export) fn tool(&self, call: CallId) -> String {
        self.0
            .get(&call)
            .map_or_else(|| "a tool".to_owned(), |call| call.tool.clone())
    }

    /// The arguments of a call.
    pub(in crate::export) fn arguments(&self, call: CallId) -> Body {
        let arguments = self.0.get(&call).and_then(|call| call.arguments.as_ref());
        let is_lost = self.0.get(&call).is_some_and(|call| call.is_lost);
        let gone = if is_lost { Body::Lost } else { Body::Erased };
        arguments.map_or(gone, |arguments| {
            Body::Code(clip(&clean(arguments), ARGUMENTS_MAX))
        })
    }

    /// The same in one line.
    pub(in crate::export) fn inline(&self, call: CallId) -> Option<String> {
        self.0
            .get(&call)?
            .arguments
            .as_ref()
            .map(|arguments| clip(&one_line(arguments), INLINE_MAX))
    }

    /// In the answer beside it; of a call that stands for another, there, or in the decision that changed them.
    fn written(&self, commit: &Commit, admitted: &AdmittedCall) -> CallSeen {
        let named = admitted.tool.as_ref().map(ToString::to_string);
        if let Some(origin) = admitted.origin {
            let origin = self.0.get(&origin);
            let edited = commit.events.iter().find_map(edited);
            return CallSeen {
                tool: named
                    .or_else(|| origin.map(|call| call.tool.clone()))
                    .unwrap_or_default(),
                arguments: edited.or_else(|| origin.and_then(|call| call.arguments.clone())),
                is_lost: origin.is_some_and(|call| call.is_lost),
            };
        }
        let response = commit.events.iter().find_map(Event::response);
        let ordinal = usize::try_from(admitted.ordinal).unwrap_or(usize::MAX);
        let part = response.and_then(|response| response.reply().calls().nth(ordinal));
        CallSeen {
            tool: named
                .or_else(|| part.map(|part| clip(&one_line(&part.tool), INLINE_MAX)))
                .unwrap_or_default(),
            arguments: part.map(|part| part.arguments.clone()),
            is_lost: part.is_none() && commit.events.iter().any(is_lost),
        }
    }
}

fn edited(event: &Event) -> Option<String> {
    let Event::Call(CallEvent::ApprovalDecided(decided)) = event else {
        return None;
    };
    decided.text.present()?.arguments.clone()
}
