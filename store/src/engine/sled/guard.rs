//! Calls into sled that survive its panics.
//!
//! sled panics where stored bytes make no sense. Here that becomes [`EngineError::Damaged`].

use std::cell::Cell;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::engine::EngineError;

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
        Err(panic) => Err(EngineError::Damaged(reason(panic.as_ref()))),
    }
}

/// Keeps the panics that `guarded` turns into errors from being printed; all others are printed as before.
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
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    let line = text.and_then(|text| text.lines().next()).unwrap_or("no reason given");
    format!("the database gave up ({line})")
}

fn translate(error: sled::Error) -> EngineError {
    match error {
        sled::Error::Io(error) if is_full(&error) => EngineError::Full(error),
        sled::Error::Io(error) => EngineError::Io(error),
        sled::Error::Corruption { .. } => EngineError::Damaged("the database found a broken checksum".to_owned()),
        sled::Error::CollectionNotFound(_) => EngineError::Damaged("a table is missing".to_owned()),
        sled::Error::Unsupported(what) | sled::Error::ReportableBug(what) => EngineError::Damaged(what),
    }
}

/// Whether the system says that there is no room: on the disk, in a quota, or under a file size limit.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::WriteZero
    )
}
