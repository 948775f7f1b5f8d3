use std::collections::BTreeSet;

use crate::data::reading::{Read, Readings, read};
use crate::data::rows::{Cell, Spelling};
use crate::data::types::Evidence;

/// Tells whether the first row holds names, as a person would: names are texts, each another, and do not look like what
/// stands below them.
pub(in crate::data) fn is_header(first: &[String], below: &[Vec<String>]) -> bool {
    let votes: i64 = (0..first.len())
        .map(|place| vote(first, below, place))
        .sum();
    match votes {
        1.. => true,
        0 => are_names(first) && !are_values(first, below),
        _ => false,
    }
}

fn loose(text: &str) -> Cell<'_> {
    Cell {
        text,
        spelling: Spelling::Loose,
    }
}

fn column(rows: &[Vec<String>], place: usize) -> impl Iterator<Item = &str> {
    rows.iter()
        .filter_map(move |row| row.get(place))
        .map(String::as_str)
}

/// The column's vote: 1 for a name above values, -1 for a value above others.
fn vote(first: &[String], below: &[Vec<String>], place: usize) -> i64 {
    let Some(name) = first.get(place) else {
        return 0;
    };
    let mut evidence = Evidence::default();
    for cell in column(below, place) {
        evidence.add(loose(cell), 0);
    }
    let is_value = match read(loose(name)) {
        Read::Null | Read::Marker => return 0,
        Read::Value { .. } if is_address(name) => return -1,
        Read::Value { readings, .. } => !readings.is_none(),
    };
    if is_year(name) {
        let has_years = column(below, place).any(is_year);
        return if has_years {
            -1
        } else {
            i64::from(evidence.is_typed())
        };
    }
    match (is_value, evidence.is_typed()) {
        (true, true) if evidence.takes(loose(name)) => -1,
        (true, true) => 0,
        // A value above texts is one of the values, and below nothing it is one as well.
        (true, false) => -1,
        (false, true) => 1,
        (false, false) => 0,
    }
}

/// Addresses of people and pages are never names of columns. Models are told those.
fn is_address(text: &str) -> bool {
    let is_mail = |(name, host): (&str, &str)| !name.is_empty() && host.contains('.');
    text.split_once('@').is_some_and(is_mail) || text.contains("://")
}

/// Years stand above tables of numbers.
fn is_year(text: &str) -> bool {
    text.len() == 4
        && text
            .parse()
            .is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// Tells whether all could be names: texts that differ.
fn are_names(first: &[String]) -> bool {
    let named: Vec<&String> = first
        .iter()
        .filter(|name| !name.trim().is_empty())
        .collect();
    let unique: BTreeSet<&&String> = named.iter().collect();
    let is_text = |name: &&&String| match read(loose(name)) {
        Read::Value { readings, .. } => !readings.has(Readings::WHOLE) && name.len() <= 200,
        Read::Null | Read::Marker => false,
    };
    !named.is_empty() && unique.len() * 2 > named.len() && named.iter().all(|name| is_text(&name))
}

/// Tells whether most of the first row's texts stand below as well.
fn are_values(first: &[String], below: &[Vec<String>]) -> bool {
    let stands_below = |(place, name): &(usize, &String)| {
        !name.trim().is_empty() && column(below, *place).any(|cell| cell == *name)
    };
    let found = first.iter().enumerate().filter(stands_below).count();
    found * 2 > first.len()
}
