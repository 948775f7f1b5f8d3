//! Data sets: from the bytes of a file with rows to a table of SQLite, its description and a search index.
//!
//! Nothing here knows of worlds or people. The same bytes always give the same table and the same description, so
//! that all of it can be thrown away and made again.
//!
//! Read first: [`Import`], [`Description`] and [`Source`].

mod error;
mod limits;
mod source;

mod rows;
mod text;

mod csv;
mod lines;
mod parquet;

mod reading;
mod types;

mod names;
mod sniff;

mod describe;
mod figures;
mod import;

mod search;

mod room;

pub use describe::{BadRows, Column, Description};
pub use error::ImportError;
pub use import::{Import, IsStopped};
pub use limits::Limits;
pub(crate) use room::{CHART, DELETE, DESCRIBE, IMPORT, LIST, PREVIEW, QUERY, SEARCH, STATUS};
pub use rows::BadRow;
pub use search::{Hit, IndexPlace, TextIndex};
pub use sniff::{Assume, DELIMITERS, Format};
pub use source::Source;
pub use text::Encoding;
pub use types::ColumnType;
