//! The tools over the data sets of a room, `data.*`.
//!
//! A data set is an attached file with rows. A call sees those of the people who led to it. What is derived of one, a table
//! in a file of SQLite, is made when it is first asked for, and lies where the room's runtime removes it together with the
//! file (decision 0040).

mod named;
mod source;
mod under_way;

mod derive;
mod index;
mod tool;

mod bring;
mod chart;
mod delete;
mod describe;
mod list;
mod preview;
mod query;
mod search;
mod status;

#[cfg(test)]
mod tests;

pub(crate) use bring::IMPORT;
pub(crate) use chart::CHART;
pub(crate) use delete::DELETE;
pub(crate) use describe::DESCRIBE;
pub(crate) use list::LIST;
pub(crate) use preview::PREVIEW;
pub(crate) use query::QUERY;
pub(crate) use search::SEARCH;
pub(crate) use status::STATUS;
