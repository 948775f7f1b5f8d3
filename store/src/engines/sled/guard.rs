//! Calls into sled that survive its panics.
//!
//! sled panics where stored bytes make no sense. Here that becomes [`EngineError::Damaged`].

use std::cell::Cell;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use sled::Db;

use crate::engine::{EngineError, is_full};

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Calls sled; a panic or an error of it becomes an [`EngineError`].
pub(super) fn guarded<T>(call: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, EngineError> {
    quieten();
    IS_QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    IS_QUIET.set(false);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(translate(error)),
        Err(panic) => Err(of_panic(reason(panic.as_ref()))),
    }
}

/// The database. When the last handle goes, sled syncs its file, and panics if it cannot: that is
/// survived here. What was acknowledged is safe without that sync.
#[derive(Debug)]
pub(super) struct Handle(Option<Db>);

impl Handle {
    pub(super) const fn new(db: Db) -> Self {
        Self(Some(db))
    }

    pub(super) fn db(&self) -> Result<&Db, EngineError> {
        self.0.as_ref().ok_or_else(super::closed)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let closed = guarded(|| {
            drop(self.0.take());
            Ok(())
        });
        if let Err(error) = closed {
            tracing::debug!(%error, "the database does not sync as it is closed");
        }
    }
}

/// Keeps the panics that `guarded` turns into errors from being printed; all others are printed as
/// before.
fn quieten() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                before(info);
            }
        }));
    });
}

fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    let line = text
        .and_then(|text| text.lines().next())
        .unwrap_or("no reason given");
    format!("the database gave up ({line})")
}

/// sled also panics where the system refuses something: that is no damage.
fn of_panic(reason: String) -> EngineError {
    let code = reason
        .split_once("Os { code: ")
        .and_then(|(_, rest)| rest.split_once(','))
        .map(|(code, _)| code);
    match code
        .and_then(|code| code.parse().ok())
        .map(io::Error::from_raw_os_error)
    {
        Some(error) if is_full(&error) => EngineError::Full(error),
        Some(error) => EngineError::Io(error),
        None => EngineError::Damaged(reason),
    }
}

fn translate(error: sled::Error) -> EngineError {
    match error {
        sled::Error::Io(error) if is_full(&error) => EngineError::Full(error),
        sled::Error::Io(error) => EngineError::Io(error),
        sled::Error::Corruption { .. } => {
            EngineError::Damaged("the database found a broken checksum".to_owned())
        }
        sled::Error::CollectionNotFound(_) => EngineError::Damaged("a table is missing".to_owned()),
        sled::Error::Unsupported(what) | sled::Error::ReportableBug(what) => {
            EngineError::Damaged(what)
        }
    }
}
