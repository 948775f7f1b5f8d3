//! The events of a bundle, as a reader is told them.

use serde::Serialize;
use serde_json::Value;

use super::header::BundledHeader;
use super::kinds::kind_name;
use super::{BundledCommit, BundledContent};
use crate::world;

/// Days of 400 years, after which the calendar repeats.
const ERA_DAYS: u64 = 146_097;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedEvent {
    /// The position in the log, from 1.
    pub position: u64,
    /// The number of its commit, from 0.
    pub commit: u64,
    /// The world whose log it stands in first: a fork has the events of the world that it was
    /// forked from.
    pub world: String,
    /// The recorded time, as RFC 3339 in UTC.
    pub time: String,
    /// The kind, by number.
    pub kind: u16,
    /// The kind, by name; `kind N` if a newer build recorded it.
    pub name: String,
    /// The schema version.
    pub version: u16,
    /// The principal who gave the command that it answers.
    pub by: String,
    /// The command's name.
    pub command: String,
    /// The event that made the command necessary.
    pub cause: Option<u64>,
    /// The facts.
    pub facts: Value,
    /// The content.
    pub content: ReportedContent,
    /// True if a given key has signed a head that covers it.
    pub is_signed: bool,
}

/// The content of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedContent {
    /// No content: this kind has none.
    None,
    /// As it was recorded.
    Shown(Value),
    /// Not in the bundle.
    Withheld,
    /// No longer in the log.
    Erased,
}

impl ReportedEvent {
    /// The content, if it is there.
    pub(super) const fn shown(&self) -> Option<&Value> {
        match &self.content {
            ReportedContent::Shown(value) => Some(value),
            ReportedContent::None | ReportedContent::Withheld | ReportedContent::Erased => None,
        }
    }
}

/// The events of a commit, of a log whose first `covered` commits are signed.
pub(super) fn of(
    commit: &BundledCommit,
    header: &BundledHeader,
    covered: u64,
) -> Vec<ReportedEvent> {
    let told = |(position, event): (u64, &super::BundledEvent)| ReportedEvent {
        position,
        commit: commit.index,
        world: world::write(&header.world),
        time: time(header.time_ms),
        kind: event.kind,
        name: kind_name(event.kind).map_or_else(|| format!("kind {}", event.kind), str::to_owned),
        version: event.version,
        by: header.by.told(),
        command: header.command.clone(),
        cause: header.cause,
        facts: json(&event.facts),
        content: match &event.content {
            None => ReportedContent::None,
            Some(BundledContent::Shown(shown)) => ReportedContent::Shown(json(&shown.text)),
            Some(BundledContent::Withheld(_)) => ReportedContent::Withheld,
            Some(BundledContent::Erased(_)) => ReportedContent::Erased,
        },
        // A head covers the commits before its size, and `index` begins at 0.
        is_signed: commit.index < covered,
    };
    (header.first..).zip(&commit.events).map(told).collect()
}

/// Reads JSON; text that does not read as JSON is told as it stands.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Milliseconds since 1970 as RFC 3339.
pub(super) fn time(time_ms: u64) -> String {
    let seconds = time_ms / 1_000;
    let millis = time_ms % 1_000;
    let days = seconds / 86_400;
    let second = seconds % 86_400;
    let (year, month, day) = date(days);
    let hour = second / 3_600;
    let minute = second / 60 % 60;
    let second = second % 60;
    let fraction = if millis == 0 {
        String::new()
    } else {
        format!(".{millis:03}")
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// The date that is so many days after 1970-01-01. Counts in years that begin in March, so that a
/// leap day is the last.
const fn date(days: u64) -> (u64, u64, u64) {
    // From 0000-03-01 on; all numbers here are far from any limit, as days come of milliseconds in
    // 64 bits.
    let days = days + 719_468;
    let era = days / ERA_DAYS;
    let day = days % ERA_DAYS;
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year + era * 400 + next, month, day)
}
