use std::io;
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{Stat, fstat};

const LOCKS: usize = 64;

/// Held while the look at a name and its change are one. Other processes are not kept out.
static NAMES: Locks = [const { Mutex::new(()) }; LOCKS];
/// Held while something is added to a file, or another takes its place. Whoever has both has the folder's first.
static FILES: Locks = [const { Mutex::new(()) }; LOCKS];

type Locks = [Mutex<()>; LOCKS];
type Turn = MutexGuard<'static, ()>;

/// Waits until nobody else changes names in the folder.
pub(super) fn turn_in(folder: impl AsFd) -> io::Result<Turn> {
    Ok(lock(&NAMES, &fstat(folder)?))
}

/// Waits until nobody else changes the file.
pub(super) fn turn_at(file: &Stat) -> Turn {
    lock(&FILES, file)
}

/// Several things may share a lock: they wait for each other in vain, and not for long.
fn lock(locks: &'static Locks, thing: &Stat) -> Turn {
    let key = thing.st_ino % (LOCKS as u64);
    let lock = usize::try_from(key).ok().and_then(|key| locks.get(key));
    let lock = lock.unwrap_or(&locks[0]);
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
