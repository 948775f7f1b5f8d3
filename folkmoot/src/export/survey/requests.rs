//! The approvals of a log: what was asked, what was shown, who decided.

use std::collections::BTreeMap;

use folkmoot_core::event::{CallEvent, Event, Verdict};
use folkmoot_core::ids::{CallId, Position, Time};

use super::{Calls, ROWS_MAX};
use crate::export::talk::{Body, how};
use crate::words::status_word;

/// A request for permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) struct Approval {
    pub(in crate::export) time: Time,
    pub(in crate::export) agent: String,
    pub(in crate::export) tool: String,
    pub(in crate::export) effect: String,
    pub(in crate::export) arguments: Body,
    /// The digest of what people were shown.
    pub(in crate::export) shown: String,
    pub(in crate::export) fate: Fate,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) enum Fate {
    Waits,
    Decided {
        at: Position,
        time: Time,
        who: String,
        is_yes: bool,
        how: Vec<String>,
    },
    /// A grant allowed it.
    Granted {
        grant: Position,
        time: Time,
    },
    Expired {
        time: Time,
    },
    /// Its call ended before anybody decided.
    Closed {
        time: Time,
        why: &'static str,
    },
}

/// All of them, as far as there is room.
#[derive(Debug, Default)]
pub(in crate::export) struct Approvals {
    pub(in crate::export) rows: BTreeMap<Position, Approval>,
    /// How many more there are.
    pub(in crate::export) more: usize,
    waiting: BTreeMap<CallId, Position>,
}

impl Approvals {
    pub(super) fn take(&mut self, calls: &Calls, at: Position, time: Time, event: &Event) {
        if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
            if self.rows.len() >= ROWS_MAX {
                self.more += 1;
                return;
            }
            let approval = Approval {
                time,
                agent: asked.agent.to_string(),
                tool: asked.tool.to_string(),
                effect: asked.effect.to_string(),
                arguments: calls.arguments(asked.call),
                shown: asked.shown.to_string(),
                fate: Fate::Waits,
            };
            self.rows.insert(at, approval);
            self.waiting.insert(asked.call, at);
        } else if let Event::Call(CallEvent::ApprovalDecided(decided)) = event {
            let who = decided.by.to_string();
            let fate = Fate::Decided {
                at,
                time,
                who,
                is_yes: decided.verdict == Verdict::Allow,
                how: how(decided),
            };
            self.end(decided.call, fate);
        } else if let Event::Call(CallEvent::GrantUsed(used)) = event {
            self.end(
                used.call,
                Fate::Granted {
                    grant: used.grant.0,
                    time,
                },
            );
        } else if let Event::Call(CallEvent::ApprovalExpired(expired)) = event {
            self.end(expired.call, Fate::Expired { time });
        } else if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            self.end(
                finished.call,
                Fate::Closed {
                    time,
                    why: status_word(&finished.status),
                },
            );
        }
    }

    fn end(&mut self, call: CallId, fate: Fate) {
        if let Some(approval) = self
            .waiting
            .remove(&call)
            .and_then(|at| self.rows.get_mut(&at))
        {
            approval.fate = fate;
        }
    }
}
