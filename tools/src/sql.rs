//! Questions to a database in SQL, behind two gates that do not trust one another.
//!
//! ```text
//! statement ──▶ Gate: parsed, understood, written anew ──▶ Passed ──▶ engine: read-only, bounded, asks for every column ──▶ Rows
//!                 │ Refusal                                              │ QueryError
//! ```
//!
//! [`Gate`](gate::Gate) knows a [`Policy`](policy::Policy): the tables, their columns and the functions. It takes one query apart, refuses whatever it does
//! not know, and writes down what it understood. The engine reads that text and never the model's own: comments, quotes and
//! whatever else two parsers may read in two ways do not come along.
//!
//! The engine holds without the first gate. [`sqlite::query`] shows it each table as a view of the listed columns, and an
//! authorizer lets nothing else be read. Decision 0038 has the reasons.

mod gate;
mod policy;
#[cfg(feature = "postgres")]
mod postgres;
mod refusal;
mod rows;
pub(crate) mod sqlite;
mod summary;
mod tool;

#[cfg(feature = "testing")]
pub(crate) mod door;
#[cfg(test)]
mod tests;

pub(crate) use tool::SQL;
#[cfg(feature = "data")]
pub(crate) use {
    gate::{Gate, STATEMENT_MAX, quoted},
    policy::{Columns, Dialect, Policy},
    refusal::{Part, Refusal},
    rows::{Limits, Rows},
    sqlite::{Database, cell},
    summary::rounded_range,
    tool::{ROWS_MAX, ROWS_MIN, ask_sqlite, blocking, count, output},
};
