//! The report of a re-decision: one verdict for each epoch, and the whole.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Difference, Divergence, Finding, begins_epoch};
use crate::command::CommandKind;
use crate::command::commit::Commit;
use crate::event::{Event, StoredContent};
use crate::ids::{Digest, Position};

/// The most epochs of a report; of more, the oldest without a divergence are left out and counted.
pub const EPOCHS_MAX: usize = 1_000;

/// The verdict of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditVerdict {
    /// All of it is as it should be.
    Intact,
    /// The log is not what was written, from this event on.
    DamagedAt(Position),
    /// The rules make something else of it, from this event on.
    DivergedAt(Position),
    /// The rules that decided are not in this build.
    RulesNotInThisBuild,
    /// A part of it cannot be checked, because what it is about was erased. The rest is as it
    /// should be.
    Erased,
    /// The log was not checked.
    NotChecked,
}

/// The commits, counted by how they came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// The commits that came out equal.
    pub decided: u64,
    /// Recorded refusals that agree with what is known.
    pub refusals: u64,
    /// The commits of other rules.
    pub other_rules: u64,
    /// The commits that cannot be decided again because of what was erased.
    pub erased: u64,
    /// The commits that came out otherwise. Whatever follows one may only follow from it.
    pub diverged: u64,
}

/// A stretch of a log that one set of rules decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Epoch {
    /// The rules.
    pub decider: Digest,
    /// The build that carried them first; `None` if it did not say: in the epoch that a world began
    /// with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
    /// The first event of the epoch.
    pub from: Position,
    /// The last event of the epoch.
    pub to: Position,
    /// The commits of the epoch, counted.
    pub counts: Counts,
    /// The verdict of the epoch.
    pub verdict: AuditVerdict,
}

/// The result of deciding a world again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redecision {
    /// All commits, counted.
    pub counts: Counts,
    /// The epochs, oldest first.
    pub epochs: VecDeque<Epoch>,
    /// The number of epochs that are left out.
    #[serde(default)]
    pub left_out: u64,
    /// The first divergence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Shown>,
}

/// A divergence as people and programs read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The first event that differs.
    pub at: Position,
    /// The kind of the command.
    pub command: CommandKind,
    /// The recorded value.
    pub recorded: Value,
    /// The value that these rules give.
    pub recomputed: Value,
}

impl Redecision {
    /// Notes what came of a commit.
    pub fn note(&mut self, commit: &Commit, finding: &Finding) {
        let begun = begins_epoch(commit).map(|(_, binary)| binary.map(str::to_owned));
        if begun.is_some() || self.epochs.is_empty() {
            self.begin(commit, begun.flatten());
        }
        self.counts.note(finding);
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.note(commit, finding);
        }
        if let (None, Finding::Diverged(divergence)) = (&self.first, finding) {
            self.first = Some(Shown::of(commit, divergence));
        }
    }

    /// Returns the verdict of the worst epoch.
    #[must_use]
    pub fn verdict(&self) -> AuditVerdict {
        match &self.first {
            Some(first) => AuditVerdict::DivergedAt(first.at),
            None => self.counts.verdict(),
        }
    }

    fn begin(&mut self, commit: &Commit, binary: Option<String>) {
        let decider = commit.header.decider;
        let from = commit.header.first;
        let counts = Counts::default();
        let verdict = AuditVerdict::Intact;
        self.epochs.push_back(Epoch {
            decider,
            binary,
            from,
            to: from,
            counts,
            verdict,
        });
        if self.epochs.len() > EPOCHS_MAX {
            let oldest = self
                .epochs
                .iter()
                .position(|epoch| epoch.counts.diverged == 0)
                .unwrap_or(0);
            self.epochs.remove(oldest);
            self.left_out += 1;
        }
    }
}

impl Epoch {
    fn note(&mut self, commit: &Commit, finding: &Finding) {
        self.to = commit.last();
        self.counts.note(finding);
        self.verdict = match (self.verdict, finding) {
            (AuditVerdict::DivergedAt(at), _) => AuditVerdict::DivergedAt(at),
            (_, Finding::Diverged(divergence)) => AuditVerdict::DivergedAt(divergence.at),
            (_, _) => self.counts.verdict(),
        };
    }
}

impl Counts {
    const fn note(&mut self, finding: &Finding) {
        let count = match finding {
            Finding::Decided => &mut self.decided,
            Finding::RecordedRefusal => &mut self.refusals,
            Finding::OtherRules(_) => &mut self.other_rules,
            Finding::Erased => &mut self.erased,
            Finding::Diverged(_) => &mut self.diverged,
        };
        *count += 1;
    }

    /// All commits.
    #[must_use]
    pub const fn commits(&self) -> u64 {
        let Self {
            decided,
            refusals,
            other_rules,
            erased,
            diverged,
        } = *self;
        decided
            .saturating_add(refusals)
            .saturating_add(other_rules)
            .saturating_add(erased)
            .saturating_add(diverged)
    }

    /// Returns the verdict of counts without a divergence.
    const fn verdict(&self) -> AuditVerdict {
        if self.erased > 0 {
            AuditVerdict::Erased
        } else if self.other_rules > 0 && self.decided == 0 && self.refusals == 0 {
            AuditVerdict::RulesNotInThisBuild
        } else {
            AuditVerdict::Intact
        }
    }
}

impl Shown {
    fn of(commit: &Commit, divergence: &Divergence) -> Self {
        let header = &commit.header;
        let (recorded, recomputed) = match &divergence.difference {
            Difference::Event {
                recorded,
                recomputed,
            } => (event(recorded.as_deref()), event(recomputed.as_deref())),
            Difference::Refused { recorded, refusal } => {
                (event(recorded.as_deref()), named("refused", refusal))
            }
            Difference::Cause {
                recorded,
                recomputed,
            } => (named("cause", recorded), named("cause", recomputed)),
            Difference::Kind { recomputed } => (
                named("command", &header.command),
                named("command", recomputed),
            ),
            Difference::Order { expected } => (
                named("position", &header.first),
                named("position", expected),
            ),
            Difference::World { expected } => {
                (named("world", &header.world), named("world", expected))
            }
            Difference::Time { before } => (
                named("time", &header.stamp.time),
                named("time_from", before),
            ),
            Difference::Rules { expected } => {
                (named("rules", &header.decider), named("rules", expected))
            }
            Difference::Misfit { why } => (event(commit.events.first()), named("misfit", why)),
        };
        Self {
            at: divergence.at,
            command: divergence.command,
            recorded,
            recomputed,
        }
    }
}

fn named(name: &str, value: &impl Serialize) -> Value {
    let value = serde_json::to_value(value).unwrap_or_default();
    Value::Object([(name.to_owned(), value)].into_iter().collect())
}

/// The kind, the facts and the content; null for none.
fn event(event: Option<&Event>) -> Value {
    let Some(event) = event else {
        return Value::Null;
    };
    let mut fields = serde_json::Map::new();
    fields.insert("kind".to_owned(), event.kind().name().into());
    let Ok(record) = event.to_record() else {
        return fields.into();
    };
    let json = |bytes: &[u8]| serde_json::from_slice(bytes).unwrap_or_default();
    fields.insert("facts".to_owned(), json(&record.facts));
    if let StoredContent::Present(bytes) = &record.content {
        fields.insert("content".to_owned(), json(bytes));
    }
    fields.into()
}
