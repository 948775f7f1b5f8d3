//! Calls, and what people are asked and say about them.

use folkmoot_core::event::{
    ApprovalRequested, CallEvent, CallStatus, GrantGiven, QuestionAnswered, QuestionAsked,
    ToolFinished, Verdict,
};
use folkmoot_core::text::view::{Block, blocks};
use folkmoot_core::tool::{ArgumentFinding, ToolOutcome};

use super::sentence::{decided, settled};
use super::{Blank, Body, Entry, EntryKind, OUTPUT_MAX, Talk};
use crate::text::{clean, clip, time};
use crate::words::{status_word, unknown_because};

impl Talk {
    /// Returns what people read of an event about a call.
    pub(super) fn of_call(&self, blank: &Blank, event: &CallEvent) -> Option<Entry> {
        match event {
            CallEvent::ApprovalRequested(asked) => Some(self.wants(blank, asked)),
            CallEvent::ApprovalDecided(answer) => {
                let kind = if answer.verdict == Verdict::Allow {
                    EntryKind::Yes
                } else {
                    EntryKind::No
                };
                let (deed, notes) = decided(answer);
                Some(Entry {
                    notes,
                    ..blank.entry(kind, &answer.by, deed)
                })
            }
            CallEvent::GrantGiven(given) => Some(grants(blank, given)),
            CallEvent::GrantUsed(used) => used.request.map(|request| {
                blank.entry(
                    EntryKind::Change,
                    &used.agent,
                    format!("is allowed #{request} by grant #{}", used.grant),
                )
            }),
            CallEvent::GrantRevoked(revoked) => {
                let who = revoked
                    .by
                    .as_ref()
                    .map_or_else(|| blank.by.clone(), ToString::to_string);
                Some(blank.entry(
                    EntryKind::Change,
                    &who,
                    format!("ends grant #{}", revoked.grant),
                ))
            }
            CallEvent::QuestionAsked(asked) => Some(self.asks(blank, asked)),
            CallEvent::QuestionAnswered(answered) => Some(answers(blank, answered)),
            CallEvent::OutcomeUnknown(unknown) => {
                let tool = self.calls.tool(unknown.call);
                let why = unknown_because(unknown.cause);
                let deed = format!("ran {tool}, and nobody knows whether it took effect: {why}");
                Some(blank.entry(EntryKind::Request, &unknown.agent, deed))
            }
            CallEvent::OutcomeSettled(outcome) => Some(blank.entry(
                EntryKind::Yes,
                &outcome.by,
                settled(outcome.how, outcome.request),
            )),
            CallEvent::ToolFinished(finished) => Some(self.ran(blank, finished)),
            CallEvent::CallsAdmitted(_)
            | CallEvent::ApprovalExpired(_)
            | CallEvent::ToolStarted(_)
            | CallEvent::Reconciled(_)
            | CallEvent::CallReplaced(_)
            | CallEvent::AgentAsked(_) => None,
        }
    }

    fn wants(&self, blank: &Blank, asked: &ApprovalRequested) -> Entry {
        let deed = format!("asks to run {} ({})", asked.tool, asked.effect);
        let shown = format!(
            "shown {}, until {}",
            asked.shown.short(),
            time(asked.expires_at)
        );
        let warned = asked.warnings.iter().map(ArgumentFinding::to_line);
        let body = self.calls.arguments(asked.call);
        let notes = warned.chain([shown]).collect();
        Entry {
            body,
            notes,
            ..blank.entry(EntryKind::Request, &asked.agent, deed)
        }
    }

    fn asks(&self, blank: &Blank, asked: &QuestionAsked) -> Entry {
        let question = asked.question.present();
        let body = question.map_or(Body::Erased, |question| Body::Prose(question.text.clone()));
        let options = question
            .map(|question| question.options.clone())
            .unwrap_or_default();
        let notes = (1..)
            .zip(options)
            .map(|(number, option)| format!("option {number}: {option}"))
            .collect();
        let deed = format!("asks, for {}", self.calls.tool(asked.call));
        Entry {
            body,
            notes,
            ..blank.entry(EntryKind::Request, &asked.agent, deed)
        }
    }

    fn ran(&self, blank: &Blank, finished: &ToolFinished) -> Entry {
        let arguments = self
            .calls
            .inline(finished.call)
            .map(|arguments| format!(" with {arguments}"));
        let tool = format!(
            "{}{}",
            self.calls.tool(finished.call),
            arguments.unwrap_or_default()
        );
        let outcome = finished.outcome.present().map(Option::as_ref);
        let output = |text: &str| Body::Code(clip(&clean(text), OUTPUT_MAX));
        let (deed, body) = match (&finished.status, outcome) {
            (CallStatus::Done, Some(Some(ToolOutcome::Done(done)))) => {
                (format!("ran {tool}"), output(&done.text))
            }
            (CallStatus::Failed(_), Some(Some(ToolOutcome::Failed(failure)))) => {
                (format!("ran {tool}, which failed"), output(&failure.detail))
            }
            (CallStatus::Done, None) => (format!("ran {tool}"), Body::Erased),
            (status, _) => (
                format!("called {tool}: {}", status_word(status)),
                Body::None,
            ),
        };
        let entry = blank.entry(EntryKind::Run, &finished.agent, deed);
        let views: Vec<Vec<Block>> = finished
            .views()
            .map(|view| blocks(view, &self.kinds))
            .collect();
        if views.is_empty() {
            return Entry { body, ..entry };
        }
        let in_words = if let Body::Code(words) = body {
            Some(words).filter(|words| !words.is_empty())
        } else {
            None
        };
        Entry {
            views,
            in_words,
            ..entry
        }
    }
}

fn grants(blank: &Blank, given: &GrantGiven) -> Entry {
    let deed = format!("lets {} run {} ({})", given.agent, given.tool, given.scope);
    let notes = vec![format!("until {}", time(given.expires_at))];
    Entry {
        notes,
        ..blank.entry(EntryKind::Yes, &given.by, deed)
    }
}

fn answers(blank: &Blank, answered: &QuestionAnswered) -> Entry {
    let options: Vec<String> = answered
        .options
        .iter()
        .map(|option| option.saturating_add(1).to_string())
        .collect();
    let body = match answered.text.present() {
        None => Body::Erased,
        Some(None) => Body::Prose(format!("option {}", options.join(", "))),
        Some(Some(text)) => Body::Prose(text.clone()),
    };
    let deed = format!("answers #{}", answered.request);
    Entry {
        body,
        ..blank.entry(EntryKind::Yes, &answered.by, deed)
    }
}
