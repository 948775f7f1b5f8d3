//! Facts that many rows have in common: counts, sums and means, and no single value.
//!
//! A number of few is a number of one: what is said of fewer rows than the policy asks for is only
//! that they are fewer. The same holds for a column. A sum and a mean are told where so many
//! *different* numbers other than 0 are in it: the mean of equal numbers is each of them, and the
//! sum of zeros and one other number is that one. There are no least and greatest values, no
//! medians and no most frequent values, because each of those is a value of some row.
//!
//! Known limit: each result is looked at alone. Who may ask for the rows with and without one of
//! them can subtract. A tool whose arguments pick rows that finely must not have this policy.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

use super::decimal::Decimal;
use crate::tool::Table;

/// The most columns of a table that are told of.
const COLUMNS_MAX: usize = 32;
/// The most characters of a heading that are told.
const HEADING_MAX: usize = 64;

/// Returns what a model reads of a table that it may read aggregates of, over at least `rows_min`
/// rows.
pub(super) fn aggregate(table: &Table, rows_min: usize) -> String {
    let rows = table.rows.len();
    if rows < rows_min {
        return format!("A table of fewer than {rows_min} rows.");
    }
    let mut lines = vec![format!("A table of {rows} rows.")];
    let columns = table.columns.iter().enumerate().take(COLUMNS_MAX);
    lines.extend(columns.map(|(place, heading)| {
        let heading: String = heading.chars().take(HEADING_MAX).collect();
        // Quoted, so that no heading begins a line of its own.
        format!("{heading:?}: {}", column(table, place, rows_min))
    }));
    if let more @ 1.. = table.columns.len().saturating_sub(COLUMNS_MAX) {
        lines.push(format!("{more} more columns."));
    }
    lines.join("\n")
}

fn column(table: &Table, place: usize, rows_min: usize) -> String {
    let cells: Vec<&Value> = table
        .rows
        .iter()
        .filter_map(|row| row.get(place))
        .filter(|cell| !cell.is_null())
        .collect();
    if cells.len() < rows_min {
        return format!("fewer than {rows_min} values");
    }
    let numbers: Option<Vec<&Number>> = cells.iter().map(|cell| number(cell)).collect();
    match numbers {
        Some(numbers) => of_numbers(&numbers, rows_min),
        None => {
            let different: BTreeSet<String> = cells.iter().map(ToString::to_string).collect();
            format!("{} values, {} different ones", cells.len(), different.len())
        }
    }
}

const fn number(cell: &Value) -> Option<&Number> {
    if let Value::Number(number) = cell {
        Some(number)
    } else {
        None
    }
}

fn of_numbers(numbers: &[&Number], rows_min: usize) -> String {
    let count = numbers.len();
    let decimals: Option<Vec<Decimal>> =
        numbers.iter().map(|number| Decimal::read(number)).collect();
    let Some(decimals) = decimals else {
        return format!("{count} numbers, too large or too small to add up");
    };
    let different: BTreeSet<&Decimal> = decimals
        .iter()
        .filter(|one| **one != Decimal::ZERO)
        .collect();
    if different.len() < rows_min {
        return format!("{count} numbers, too few different ones to add up");
    }
    let sum = decimals
        .iter()
        .try_fold(Decimal::ZERO, |sum, one| sum.add(*one));
    match sum.and_then(|sum| Some((sum, sum.mean_of(u64::try_from(count).ok()?)?))) {
        Some((sum, mean)) => format!("{count} numbers, sum {sum}, mean {mean}"),
        None => format!("{count} numbers, too large to add up"),
    }
}
