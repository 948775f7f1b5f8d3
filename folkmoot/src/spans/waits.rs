//! Requests that wait for people: `folkmoot.wait` spans. They tell for how long, and what came of it, and not who decided.

use std::collections::BTreeMap;

use folkmoot_core::event::CallEvent;
use folkmoot_core::ids::CallId;

use super::SpanId;
use super::calls::{CallNames, Calls};
use super::moment::{Beginning, Moment, Place};
use super::span::{Attribute, Span};
use crate::words::word;

/// The requests that wait, by their calls: a call waits for one thing at a time.
#[derive(Debug, Default)]
pub(super) struct Waits(BTreeMap<CallId, OpenWait>);

#[derive(Debug)]
struct OpenWait {
    kind: WaitKind,
    place: Place,
    names: CallNames,
    began: Beginning,
}

/// The kinds of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitKind {
    /// A call needs somebody's yes.
    Approval,
    /// A tool asks something.
    Question,
    /// Nobody knows whether a call took effect.
    Outcome,
}

impl WaitKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Question => "question",
            Self::Outcome => "outcome",
        }
    }
}

impl Waits {
    /// Passes an event, and gives the request that it ends.
    pub(super) fn take(
        &mut self,
        moment: &Moment<'_>,
        event: &CallEvent,
        calls: &Calls,
    ) -> Option<Span> {
        if let CallEvent::ApprovalRequested(asked) = event {
            self.open(moment, asked.call, WaitKind::Approval, calls)
        } else if let CallEvent::QuestionAsked(asked) = event {
            self.open(moment, asked.call, WaitKind::Question, calls)
        } else if let CallEvent::OutcomeUnknown(unknown) = event {
            self.open(moment, unknown.call, WaitKind::Outcome, calls)
        } else if let CallEvent::ApprovalDecided(decided) = event {
            self.end(moment, decided.call, &word(&decided.verdict))
        } else if let CallEvent::ApprovalExpired(expired) = event {
            self.end(moment, expired.call, "expired")
        } else if let CallEvent::GrantUsed(used) = event {
            self.end(moment, used.call, "granted")
        } else if let CallEvent::QuestionAnswered(answered) = event {
            self.end(moment, answered.call, "answered")
        } else if let CallEvent::OutcomeSettled(settled) = event {
            self.end(moment, settled.call, &word(&settled.how))
        } else if let CallEvent::ToolFinished(finished) = event {
            self.close(moment, finished.call)
        } else if let CallEvent::CallReplaced(replaced) = event {
            self.close(moment, replaced.call)
        } else {
            None
        }
    }

    /// Begins to wait. A request that is made anew, as in a copy of a store, ends the one before.
    fn open(
        &mut self,
        moment: &Moment<'_>,
        call: CallId,
        kind: WaitKind,
        calls: &Calls,
    ) -> Option<Span> {
        let of_call = calls
            .open(call)
            .map(|open| (open.place.clone(), open.names.clone()));
        // A call in doubt has ended already.
        let of_wait = || {
            let wait = self.0.get(&call)?;
            Some((wait.place.clone(), wait.names.clone()))
        };
        let (mut place, names) = of_call.or_else(of_wait)?;
        if kind == WaitKind::Question {
            // The tool is in the middle of its run.
            place.parent = Some(SpanId::of_call(call));
        }
        let before = self.end(moment, call, "asked_again");
        let began = moment.beginning();
        let wait = OpenWait {
            kind,
            place,
            names,
            began,
        };
        self.0.insert(call, wait);
        before
    }

    /// Ends what waits when the call ends without an answer. The question for its outcome stays open beyond that.
    fn close(&mut self, moment: &Moment<'_>, call: CallId) -> Option<Span> {
        let kind = self.0.get(&call)?.kind;
        if kind == WaitKind::Outcome {
            return None;
        }
        self.end(moment, call, "closed")
    }

    fn end(&mut self, moment: &Moment<'_>, call: CallId, how: &str) -> Option<Span> {
        let wait = self.0.remove(&call)?;
        let kind = wait.kind.word();
        let name = format!("folkmoot.wait {kind}");
        let mut span = moment.end(&wait.place, &wait.began, name);
        span.attributes.extend(wait.names.attributes());
        span.attributes.extend([
            Attribute::text("folkmoot.wait.kind", kind),
            Attribute::text("folkmoot.wait.end", how),
        ]);
        Some(span)
    }
}
