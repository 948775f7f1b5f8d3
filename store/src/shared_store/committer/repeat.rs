//! The answer to a key that is known.

use folkmoot_core::port::{AppendError, Appended};

use crate::format::{Malformed, header};
use crate::ledger::Row;
use crate::shared_store::Inner;
use crate::shared_store::reader;
use crate::shared_store::settle::unread;
use crate::state::summary::Summary;
use crate::write::admission;

impl Inner {
    /// The first answer to the key of `summary`, by the row that has it.
    pub(super) fn repeat(&self, summary: &Summary, row: Row) -> Result<Appended, AppendError> {
        let record = reader::record(&row).map_err(unread)?;
        let (before, _) =
            header::read(record.header).map_err(|Malformed(why)| AppendError::Invalid(why))?;
        if let (Some(keyed), Some(before)) = (&summary.key, &before.key) {
            admission::check_asked(keyed, before.digest)?;
        }
        reader::decode_row(self, row, None)
            .map(Appended::Repeated)
            .map_err(unread)
    }
}
