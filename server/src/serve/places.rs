//! The places of a server's connections.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::limits::ServerLimits;

/// The places: so many connections at a time, and so many of one address.
#[derive(Debug)]
pub(super) struct Places {
    all: TaskTracker,
    max: usize,
    of_address_max: usize,
    /// The number of places that each address has; none is zero.
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// A place that is given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    address: IpAddr,
    _counted: TaskTrackerToken,
}

impl Places {
    pub(super) fn new(limits: &ServerLimits) -> Arc<Self> {
        let all = TaskTracker::new();
        // Closed only means here that waiting ends when the last one leaves.
        all.close();
        Arc::new(Self {
            all,
            max: limits.connections_max,
            of_address_max: limits.connections_per_address_max,
            by_address: Mutex::default(),
        })
    }

    /// A place for a client at `address`; `None` if there is none left. A reverse proxy on this
    /// machine speaks for many: it has no limit of its own.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let mut by_address = self.lock();
        let count = by_address.entry(address).or_default();
        let is_full = !address.is_loopback() && *count >= self.of_address_max;
        if is_full || self.all.len() >= self.max {
            if *count == 0 {
                by_address.remove(&address);
            }
            return None;
        }
        *count += 1;
        Some(Place {
            places: Arc::clone(self),
            address,
            _counted: self.all.token(),
        })
    }

    /// The number of places that are taken.
    pub(super) fn taken(&self) -> usize {
        self.all.len()
    }

    /// Waits until nobody has a place.
    pub(super) async fn all_left(&self) {
        self.all.wait().await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut by_address = self.places.lock();
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests;
