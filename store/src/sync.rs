//! The locks, the threads and the randomness of a store, so that a test or a simulation can put
//! others in their place.

pub(crate) mod random;
pub(crate) mod threads;
#[cfg(feature = "shuttle")]
mod tried;

#[cfg(not(feature = "shuttle"))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
    mpsc::{Receiver, SyncSender, sync_channel},
};
#[cfg(not(feature = "shuttle"))]
pub(crate) use std::thread::{Builder, JoinHandle};

#[cfg(feature = "shuttle")]
pub(crate) use shuttle::sync::{
    Condvar, Mutex, MutexGuard, RwLockReadGuard, RwLockWriteGuard,
    mpsc::{Receiver, SyncSender, sync_channel},
};
#[cfg(feature = "shuttle")]
pub(crate) use shuttle::thread::{Builder, JoinHandle};
#[cfg(feature = "shuttle")]
pub(crate) use tried::RwLock;
