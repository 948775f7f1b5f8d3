//! The badge of a world: what all checks found, in a few words.

use folkmoot_core::audit::AuditVerdict;
use folkmoot_core::ids::{Position, Time};
use serde::{Deserialize, Serialize};

use crate::audit::{Check, INTEGRITY, WorldReport};

#[cfg(test)]
mod tests;

/// A report with what it says in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedReport {
    /// The report.
    #[serde(flatten)]
    pub report: WorldReport,
    /// The same in short.
    pub badge: Badge,
}

/// A report in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Badge {
    /// The verdict.
    pub state: BadgeState,
    /// The last event that is as it was written, as far as anybody can tell.
    pub to: Position,
    /// The first event that is not; `None` if nothing is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damaged_at: Option<Position>,
    /// The anchor that says so; `None` if none was given, or none fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<BadgeAnchor>,
    /// The same for people.
    pub words: String,
}

/// A verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BadgeState {
    /// Nothing is wrong.
    Intact,
    /// Something was changed, or is decided otherwise.
    Damaged,
    /// A check that was to be done could not be.
    NotChecked,
}

/// The anchor that covers most of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadgeAnchor {
    /// The last event that it covers.
    pub position: Position,
    /// The time of that event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
}

impl Badge {
    /// A report in short; `anchor` is one that fits.
    #[must_use]
    pub fn of(report: &WorldReport, anchor: Option<BadgeAnchor>) -> Self {
        let places = report.checks.iter().filter_map(bad_at);
        if let Some(at) = places.min() {
            return Self {
                state: BadgeState::Damaged,
                to: Position::new(at.get().saturating_sub(1)),
                damaged_at: Some(at),
                words: format!("damaged at event {}", grouped(at)),
                anchor,
            };
        }
        let missed = report.checks.iter().find(|check| check.is_missed);
        let state = match missed {
            Some(_) => BadgeState::NotChecked,
            None => BadgeState::Intact,
        };
        Self {
            state,
            to: report.head,
            damaged_at: None,
            words: match (missed, &anchor) {
                (Some(check), _) => format!("not checked: {}: {}", check.name, check.detail),
                (None, Some(anchor)) => anchored(report.head, anchor),
                (None, None) => unanchored(report),
            },
            anchor,
        }
    }
}

/// The first event with which something is wrong.
const fn bad_at(check: &Check) -> Option<Position> {
    match check.verdict {
        AuditVerdict::DamagedAt(at) | AuditVerdict::DivergedAt(at) => Some(at),
        AuditVerdict::Intact
        | AuditVerdict::NotChecked
        | AuditVerdict::RulesNotInThisBuild
        | AuditVerdict::Erased => None,
    }
}

fn anchored(head: Position, anchor: &BadgeAnchor) -> String {
    let time = anchor.time.and_then(day);
    let of = time.map_or_else(
        || "an anchor".to_owned(),
        |day| format!("the anchor of {day}"),
    );
    let behind = match head.get().saturating_sub(anchor.position.get()) {
        0 => String::new(),
        1 => "; one event is behind it".to_owned(),
        more => format!("; {more} events are behind it"),
    };
    format!("intact up to {} by {of}{behind}", grouped(anchor.position))
}

/// Nothing is wrong with the log in itself; the check says what is missing to say more.
fn unanchored(report: &WorldReport) -> String {
    let mut checks = report.checks.iter();
    let check = checks.find(|check| check.name == INTEGRITY);
    let why = check.and_then(|check| check.detail.split(';').next());
    let head = grouped(report.head);
    match why {
        Some(why) => format!("intact up to {head}; {why}"),
        None => format!("intact up to {head}"),
    }
}

/// The day of a time, e.g. `3 May 2026`.
fn day(time: Time) -> Option<String> {
    let stamp = jiff::Timestamp::from_millisecond(i64::try_from(time.0).ok()?).ok()?;
    let day = stamp.to_zoned(jiff::tz::TimeZone::UTC);
    Some(day.strftime("%-d %B %Y").to_string())
}

/// A position as people read it, e.g. `1,204`.
fn grouped(at: Position) -> String {
    let digits = at.to_string();
    let mut grouped = String::new();
    for (number, digit) in digits.chars().enumerate() {
        if number > 0 && (digits.len() - number).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
