//! The track for models.

use super::aggregate::aggregate;
use crate::tool::{Table, ToolOutput, View, ViewPolicy};

/// The most tables of one output that are told of.
const TABLES_MAX: usize = 8;

const NO_SUMMARY: &str = "The tool ran. People see its result; there is no summary of it.";
const NO_TABLE: &str =
    "The tool ran. People see its result; it has no table that could be counted.";
const NOTHING: &str = "The tool ran. People see its result; you may not.";

/// An output as a model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Data that the tool gave, or that was counted in it, with words of the tool in it.
    Data(String),
    /// A sentence of our own: nothing of the output is in it.
    Sentence(&'static str),
}

impl Seen {
    /// The words.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Self::Data(text) => text,
            Self::Sentence(text) => text.to_owned(),
        }
    }
}

/// Returns what a model reads of `output` under `policy`. The same on every machine.
#[must_use]
pub fn for_model(output: &ToolOutput, policy: ViewPolicy) -> Seen {
    match policy {
        ViewPolicy::Full => Seen::Data(output.text.clone()),
        ViewPolicy::Summary => output
            .summary
            .clone()
            .map_or(Seen::Sentence(NO_SUMMARY), Seen::Data),
        ViewPolicy::Aggregates { rows_min } => aggregates(output, rows_min),
        ViewPolicy::None => Seen::Sentence(NOTHING),
    }
}

fn aggregates(output: &ToolOutput, rows_min: u32) -> Seen {
    // The sum of one value is that value.
    let rows_min = usize::try_from(rows_min).unwrap_or(usize::MAX).max(2);
    let told: Vec<String> = output
        .views
        .iter()
        .filter_map(table)
        .take(TABLES_MAX)
        .map(|table| aggregate(table, rows_min))
        .collect();
    if told.is_empty() {
        Seen::Sentence(NO_TABLE)
    } else {
        Seen::Data(told.join("\n\n"))
    }
}

const fn table(view: &View) -> Option<&Table> {
    if let View::Table(table) = view {
        Some(table)
    } else {
        None
    }
}
