//! A store in a database that nodes share, from a command that is none of them.

use std::sync::Arc;

use folkmoot::Store;
use folkmoot::core::port::causes::with_causes;
use folkmoot::store::{OpenMode, PostgresLedger, PostgresUrl, SharedStore};

use super::StoreUse;
use crate::exit::{CliError, STORE, USAGE};

/// Opens the store in the database at `url`, which must have its tables, to read it.
pub(crate) async fn open(url: &PostgresUrl, access: &StoreUse) -> Result<Store, CliError> {
    if *access != StoreUse::Read {
        let how = "its logs can be read, verified, exported and backed up from here";
        let what = format!("this command does not work in the database {url}: {how}");
        return Err(CliError::other(USAGE, what));
    }
    let ledger = PostgresLedger::open(url, OpenMode::Existing).await;
    let ledger = ledger.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    let store = Store::from(SharedStore::reading(Arc::new(ledger)));
    Ok(store.passing_over_loss())
}
