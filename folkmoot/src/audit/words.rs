//! What the checks say, in words.

use folkmoot_core::audit::{AuditVerdict, Counts};
use folkmoot_core::ids::Position;
use folkmoot_core::port::ReadError;
use folkmoot_core::port::causes::with_causes;

use super::{Check, RE_DECISION, READING, Redecided};

/// Tells whether the log reads to its end.
pub(super) fn reading(found: &Redecided, head: Position) -> Check {
    let commits = found.report.counts.commits();
    let last = last(found);
    match &found.stopped {
        None if last < head => Check::done(
            READING,
            AuditVerdict::DamagedAt(last.next()),
            format!("it ends here, and should reach event {head}"),
        ),
        None => Check::done(
            READING,
            AuditVerdict::Intact,
            format!("{last} events in {commits} commits"),
        ),
        Some(ReadError::Damaged { at, what }) => {
            Check::done(READING, AuditVerdict::DamagedAt(*at), what.clone())
        }
        Some(error) => Check::missed(READING, with_causes(error)),
    }
}

/// Tells whether every recorded command is decided again as it was.
pub(super) fn redecision(found: &Redecided) -> Check {
    let verdict = found.report.verdict();
    let told = told(&found.report.counts);
    if found.stopped.is_none() || matches!(verdict, AuditVerdict::DivergedAt(_)) {
        return Check::done(RE_DECISION, verdict, told);
    }
    let last = last(found);
    Check::missed(
        RE_DECISION,
        format!("the log cannot be read beyond event {last}; up to there: {told}"),
    )
}

/// The last event that was read.
fn last(found: &Redecided) -> Position {
    found
        .report
        .epochs
        .back()
        .map_or(Position::ZERO, |epoch| epoch.to)
}

/// The counts that are not zero.
fn told(counts: &Counts) -> String {
    let Counts {
        decided,
        refusals,
        other_rules,
        erased,
        diverged,
    } = *counts;
    let all = [
        (decided, "decided again"),
        (refusals, "refusal recorded"),
        (other_rules, "of other rules"),
        (erased, "not re-decidable, erased"),
        (diverged, "diverged"),
    ];
    let told: Vec<String> = all
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if told.is_empty() {
        "no commits".to_owned()
    } else {
        told.join(", ")
    }
}
