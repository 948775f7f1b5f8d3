//! A lock for tests of interleavings, as strict as any that std may have.

use std::sync::LockResult;

use shuttle::sync::{Mutex, RwLockReadGuard, RwLockWriteGuard};

/// A lock at which nobody overtakes a writer that waits, as at std's. shuttle's own lets readers
/// pass, and would not see who waits for whom.
#[derive(Debug, Default)]
pub(crate) struct RwLock<T> {
    door: Mutex<()>,
    inner: shuttle::sync::RwLock<T>,
}

impl<T> RwLock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            door: Mutex::new(()),
            inner: shuttle::sync::RwLock::new(value),
        }
    }

    pub(crate) fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let _door = self.door.lock();
        self.inner.read()
    }

    pub(crate) fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let _door = self.door.lock();
        self.inner.write()
    }
}
