//! How a process presents itself as a node.

use std::collections::BTreeSet;
use std::sync::Arc;

use folkmoot_core::event::EventKind;
use folkmoot_core::port::{Clock, MemberError};

use super::boot::{BootClock, SystemBootClock};
use super::timings::{BadTimings, Timings};
use crate::clock::SystemClock;

/// The number of worlds that a node has room for, unless it says otherwise.
pub const ROOM: u32 = 5_000;

/// A process as it joins the others.
#[derive(Debug, Clone)]
pub struct NodeProfile {
    /// Its name for people. Several may have the same.
    pub name: String,
    /// The things that it has and worlds may need, such as `base:NAME` for a folder.
    pub offers: BTreeSet<String>,
    /// The number of its build's schema: it opens no world of a newer one.
    pub schema: u32,
    /// The number of worlds that it has open at most, those aside that are opened here by name.
    pub room: u32,
    /// The address at which other nodes read its drafts; `None`: they do not.
    pub advertise: Option<String>,
    /// How often it renews, and how long it waits.
    pub timings: Timings,
    /// The machine's clock, which worlds go by.
    pub clock: Arc<dyn Clock>,
    /// The clock that its lease is counted on.
    pub boot_clock: Arc<dyn BootClock>,
    /// A number that its ids and its waits follow from; `None`: the machine's randomness.
    pub seed: Option<u64>,
}

impl NodeProfile {
    /// A node that people know as `name`, offers nothing, has this build's schema and goes by the machine's clocks.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            offers: BTreeSet::new(),
            schema: EventKind::schema(),
            room: ROOM,
            advertise: None,
            timings: Timings::default(),
            clock: Arc::new(SystemClock),
            boot_clock: Arc::new(SystemBootClock),
            seed: None,
        }
    }
}

/// The reason that a process could not join the others.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// Its times do not go together.
    #[error(transparent)]
    Timings(#[from] BadTimings),
    /// The ledger did not take it.
    #[error("the node could not join")]
    Members(#[from] MemberError),
}
