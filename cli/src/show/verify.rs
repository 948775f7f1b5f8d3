//! Verdicts, for people.

use folkmoot::audit::{AuditVerdict, Epoch, Shown, WorldReport};
use folkmoot::core::world::decider::decider_id;
use serde_json::Value;

use super::style::{ASKS, BAD, BOLD, DIM, GOOD, paint};
use super::{clip, one_line};
use crate::text::counted;

/// The longest event that is shown, in characters.
const EVENT_MAX: usize = 2_000;
/// The width of the column of names.
const NAME_WIDTH: usize = 12;
const VERDICT_WIDTH: usize = 24;

/// A world's checks and epochs, a line each, and what differs first.
pub(crate) fn block(report: &WorldReport) -> Vec<String> {
    let mut lines = vec![paint(BOLD, &one_line(report.world.as_str()))];
    lines.extend(
        report
            .checks
            .iter()
            .map(|check| line(&check.name, check.verdict, &check.detail)),
    );
    let again = &report.redecision;
    if again.left_out > 0 {
        lines.push(paint(
            DIM,
            &format!(
                "  {} older epochs without a divergence are not shown",
                again.left_out
            ),
        ));
    }
    lines.extend(
        (1 + again.left_out..)
            .zip(&again.epochs)
            .map(|(number, of)| epoch(number, of)),
    );
    lines.extend(again.first.iter().flat_map(difference));
    lines
}

fn line(name: &str, verdict: AuditVerdict, detail: &str) -> String {
    let said = format!("{:<VERDICT_WIDTH$}", words(verdict));
    let said = match verdict {
        AuditVerdict::Intact => paint(GOOD, &said),
        AuditVerdict::DamagedAt(_) | AuditVerdict::DivergedAt(_) => paint(BAD.bold(), &said),
        AuditVerdict::RulesNotInThisBuild | AuditVerdict::Erased | AuditVerdict::NotChecked => {
            paint(ASKS, &said)
        }
    };
    format!(
        "  {:<NAME_WIDTH$} {said} {}",
        one_line(name),
        paint(DIM, &one_line(detail))
    )
}

/// A verdict in words.
fn words(verdict: AuditVerdict) -> String {
    match verdict {
        AuditVerdict::Intact => "intact".to_owned(),
        AuditVerdict::DamagedAt(at) => format!("damaged at {at}"),
        AuditVerdict::DivergedAt(at) => format!("diverged at {at}"),
        AuditVerdict::RulesNotInThisBuild => "rules not in this build".to_owned(),
        AuditVerdict::Erased => "erased".to_owned(),
        AuditVerdict::NotChecked => "not checked".to_owned(),
    }
}

fn epoch(number: u64, epoch: &Epoch) -> String {
    let whose = if epoch.decider == decider_id() {
        ", those of this build"
    } else {
        ""
    };
    let binary = epoch
        .binary
        .as_ref()
        .map(|binary| format!(", opened by {}", one_line(binary)))
        .unwrap_or_default();
    let detail = format!(
        "events {} to {}, rules {}{whose}{binary}",
        epoch.from,
        epoch.to,
        epoch.decider.short()
    );
    line(&format!("epoch {number}"), epoch.verdict, &detail)
}

fn difference(shown: &Shown) -> Vec<String> {
    let Shown {
        at,
        command,
        recorded,
        recomputed,
    } = shown;
    let command = serde_json::to_value(command)
        .ok()
        .and_then(|name| name.as_str().map(str::to_owned));
    let side = |name: &str, value: &Value| {
        let text = if value.is_null() {
            "nothing".to_owned()
        } else {
            value.to_string()
        };
        format!(
            "    {name:<NAME_WIDTH$} {}",
            clip(&one_line(&text), EVENT_MAX)
        )
    };
    let head = format!(
        "  event {at}, of the command {}",
        command.unwrap_or_default()
    );
    vec![
        head,
        side("recorded", recorded),
        side("recomputed", recomputed),
    ]
}

/// The number of worlds, by how their checks came out.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    /// All worlds.
    worlds: u64,
    /// Worlds with damage, or decided otherwise than recorded.
    bad: u64,
    /// Worlds with a check that could not be made.
    missed: u64,
    /// Worlds with events that other rules decided, or whose content was erased.
    partly: u64,
    /// Worlds whose records no anchor vouches for.
    unanchored: u64,
}

impl Sum {
    /// Counts a world by the worst of its verdicts.
    pub(crate) fn add(&mut self, report: &WorldReport) {
        self.worlds += 1;
        let is_partly = |verdict: AuditVerdict| {
            matches!(
                verdict,
                AuditVerdict::RulesNotInThisBuild | AuditVerdict::Erased
            )
        };
        let epochs = report.redecision.epochs.iter().map(|epoch| epoch.verdict);
        let mut verdicts = report
            .checks
            .iter()
            .map(|check| check.verdict)
            .chain(epochs);
        let count = if report.checks.iter().any(folkmoot::audit::Check::is_bad) {
            &mut self.bad
        } else if report.checks.iter().any(|check| check.is_missed) {
            &mut self.missed
        } else if report
            .checks
            .iter()
            .any(|check| check.verdict == AuditVerdict::NotChecked)
        {
            &mut self.unanchored
        } else if verdicts.any(is_partly) {
            &mut self.partly
        } else {
            return;
        };
        *count += 1;
    }

    /// The line under all worlds.
    pub(crate) fn line(&self) -> String {
        let others = [self.bad, self.missed, self.partly, self.unanchored]
            .into_iter()
            .sum();
        let intact = self.worlds.saturating_sub(others);
        let told = [
            (intact, "intact"),
            (self.unanchored, "right in themselves, no anchor given"),
            (self.partly, "intact as far as they can be decided again"),
            (self.missed, "not checked to the end"),
            (self.bad, "damaged or diverged"),
        ];
        let told: Vec<String> = told
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let worlds = counted(self.worlds, "world");
        if told.is_empty() {
            worlds
        } else {
            format!("{worlds}: {}", told.join(", "))
        }
    }
}
