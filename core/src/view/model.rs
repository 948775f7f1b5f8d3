//! The track for models.

use super::aggregate::aggregate;
use crate::tool::{Table, ToolOutput, View, ViewPolicy};

/// The most tables of one output that are told of.
const TABLES_MAX: usize = 8;

const NO_SUMMARY: &str = "The tool ran. People see its result; there is no summary of it.";
const NO_TABLE: &str = "The tool ran. People see its result; it has no table that could be counted.";
const NOTHING: &str = "The tool ran. People see its result; you may not.";

/// What a model reads of `output` under `policy`. The same on every machine.
#[must_use]
pub fn for_model(output: &ToolOutput, policy: ViewPolicy) -> String {
    match policy {
        ViewPolicy::Full => output.text.clone(),
        ViewPolicy::Summary => output.summary.clone().unwrap_or_else(|| NO_SUMMARY.to_owned()),
        ViewPolicy::Aggregates { rows_min } => aggregates(output, rows_min),
        ViewPolicy::None => NOTHING.to_owned(),
    }
}

fn aggregates(output: &ToolOutput, rows_min: u32) -> String {
    // Fewer than one row is no row: then nothing would be kept back.
    let rows_min = usize::try_from(rows_min).unwrap_or(usize::MAX).max(1);
    let told: Vec<String> =
        output.views.iter().filter_map(table).take(TABLES_MAX).map(|table| aggregate(table, rows_min)).collect();
    if told.is_empty() { NO_TABLE.to_owned() } else { told.join("\n\n") }
}

const fn table(view: &View) -> Option<&Table> {
    if let View::Table(table) = view { Some(table) } else { None }
}
