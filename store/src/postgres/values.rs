//! Values as columns have them.

use std::collections::BTreeSet;

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{Digest, Incarnation, Position, Time};
use folkmoot_core::port::Labels;
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::ledger::LedgerError;

/// The sign before a NUL, which no text of PostgreSQL can have, and before itself.
const ESCAPE: char = '\u{1}';

/// Writes a text so that a column takes it. Texts that are equal stay so, and others do not become so.
pub(super) fn text(text: &str) -> String {
    if !text.contains(['\0', ESCAPE]) {
        return text.to_owned();
    }
    let mut written = String::with_capacity(text.len() + 2);
    for sign in text.chars() {
        match sign {
            '\0' => written.extend([ESCAPE, '0']),
            ESCAPE => written.extend([ESCAPE, '1']),
            sign => written.push(sign),
        }
    }
    written
}

/// Reads a text back.
pub(super) fn read_text(written: &str) -> String {
    if !written.contains(ESCAPE) {
        return written.to_owned();
    }
    let mut signs = written.chars();
    let mut text = String::with_capacity(written.len());
    while let Some(sign) = signs.next() {
        match (sign, sign == ESCAPE) {
            (_, true) if signs.next() == Some('0') => text.push('\0'),
            (_, true) => text.push(ESCAPE),
            (sign, false) => text.push(sign),
        }
    }
    text
}

/// Texts in an array.
pub(super) fn texts(texts: &BTreeSet<String>) -> Vec<String> {
    texts.iter().map(|one| text(one)).collect()
}

/// Reads an array of texts back.
pub(super) fn read_texts(written: &[String]) -> BTreeSet<String> {
    written.iter().map(|one| read_text(one)).collect()
}

/// Labels as an object.
pub(super) fn labels(labels: &Labels) -> Value {
    let pairs = labels
        .iter()
        .map(|(key, value)| (text(key), Value::String(text(value))));
    Value::Object(pairs.collect())
}

/// Reads an owner and labels back.
pub(super) fn read_labelled(owner: Option<&str>, written: &Value) -> Result<Labelled, LedgerError> {
    let pairs = written
        .as_object()
        .ok_or_else(|| damaged("the labels of a world are no object"))?;
    let pair = |(key, value): (&String, &Value)| {
        let value = value
            .as_str()
            .ok_or_else(|| damaged("a label of a world is no text"))?;
        Ok::<_, LedgerError>((read_text(key), read_text(value)))
    };
    Ok(Labelled {
        owner: owner.map(read_text),
        labels: pairs.iter().map(pair).collect::<Result<_, _>>()?,
    })
}

/// A position as a column has it.
///
/// # Errors
/// [`LedgerError::Invalid`] if no column takes it.
pub(super) fn position(position: Position) -> Result<i64, LedgerError> {
    whole(position.get())
}

/// A whole number as a column has it.
///
/// # Errors
/// [`LedgerError::Invalid`] if no column takes it.
pub(super) fn whole(number: u64) -> Result<i64, LedgerError> {
    let whole = i64::try_from(number);
    whole.map_err(|_| LedgerError::Invalid(format!("the number {number} is too large")))
}

/// A number as a column has it, the greatest one if it is too large: behind all that there are.
pub(super) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A count as a column has it.
pub(super) fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Reads a column.
///
/// # Errors
/// [`LedgerError::Damaged`] if it is of another kind.
pub(super) fn column<'r, T: FromSql<'r>>(row: &'r Row, name: &str) -> Result<T, LedgerError> {
    row.try_get(name)
        .map_err(|error| damaged(&format!("the column {name} does not read: {error}")))
}

/// Reads a column with a position.
pub(super) fn read_position(row: &Row, name: &str) -> Result<Position, LedgerError> {
    read_whole(column(row, name)?, name).map(Position::new)
}

/// Reads a column with a time.
pub(super) fn read_time(row: &Row, name: &str) -> Result<Time, LedgerError> {
    read_whole(column(row, name)?, name).map(Time)
}

/// Reads a column with an incarnation.
pub(super) fn read_incarnation(row: &Row, name: &str) -> Result<Incarnation, LedgerError> {
    incarnation(column(row, name)?)
}

/// Reads an incarnation.
pub(super) fn incarnation(written: i64) -> Result<Incarnation, LedgerError> {
    let number = u32::try_from(written);
    let number = number.map_err(|_| damaged(&format!("{written} is no incarnation")))?;
    Ok(Incarnation(number))
}

/// Reads a digest.
pub(super) fn digest(written: &[u8]) -> Result<Digest, LedgerError> {
    let bytes = <[u8; 32]>::try_from(written);
    let bytes = bytes.map_err(|_| damaged("a digest does not have 32 bytes"))?;
    Ok(Digest::new(bytes))
}

/// Reads a number that is not negative.
pub(super) fn read_whole(written: i64, name: &str) -> Result<u64, LedgerError> {
    let whole = u64::try_from(written);
    whole.map_err(|_| damaged(&format!("the column {name} has {written}")))
}

pub(super) fn damaged(why: &str) -> LedgerError {
    LedgerError::Damaged(why.to_owned())
}

#[cfg(test)]
mod tests;
