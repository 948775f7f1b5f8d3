//! The runs of tools in a log.

use std::collections::BTreeMap;

use folkmoot_core::event::{CallEvent, Event, SettledHow};
use folkmoot_core::ids::{CallId, Position, Time};

use super::{Calls, ROWS_MAX};
use crate::words::status_word;

/// A call that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) struct Run {
    pub(in crate::export) at: Position,
    pub(in crate::export) time: Time,
    pub(in crate::export) agent: String,
    pub(in crate::export) tool: String,
    pub(in crate::export) effect: String,
    pub(in crate::export) arguments: Option<String>,
    pub(in crate::export) attempts: u32,
    /// When it ended, and how; `None` if it did not.
    pub(in crate::export) end: Option<(Position, Time, &'static str)>,
}

/// All of them, as far as there is room.
#[derive(Debug, Default)]
pub(in crate::export) struct Runs {
    pub(in crate::export) rows: Vec<Run>,
    /// How many more there are.
    pub(in crate::export) more: usize,
    open: BTreeMap<CallId, usize>,
}

impl Runs {
    pub(super) fn take(&mut self, calls: &Calls, at: Position, time: Time, event: &Event) {
        if let Event::Call(CallEvent::ToolStarted(started)) = event {
            if let Some(run) = self
                .open
                .get(&started.call)
                .and_then(|index| self.rows.get_mut(*index))
            {
                run.attempts = started.attempt.0;
                return;
            }
            if self.rows.len() >= ROWS_MAX {
                self.more += 1;
                return;
            }
            self.open.insert(started.call, self.rows.len());
            self.rows.push(Run {
                at,
                time,
                agent: started.agent.to_string(),
                tool: calls.tool(started.call),
                effect: started.effect.to_string(),
                arguments: calls.inline(started.call),
                attempts: started.attempt.0,
                end: None,
            });
        } else if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            self.end(finished.call, (at, time, status_word(&finished.status)));
        } else if let Event::Call(CallEvent::OutcomeSettled(settled)) = event {
            let how = match settled.how {
                SettledHow::Ran => "it took effect, as a person found",
                SettledHow::NotRun => "it did not take effect, as a person found",
                SettledHow::RunAgain => "is to run again",
                SettledHow::Late => return,
            };
            self.end(settled.call, (at, time, how));
        }
    }

    fn end(&mut self, call: CallId, end: (Position, Time, &'static str)) {
        if let Some(run) = self
            .open
            .remove(&call)
            .and_then(|index| self.rows.get_mut(index))
        {
            run.end = Some(end);
        }
    }
}
