//! A process as one node among many that share a ledger.
//!
//! A node renews its membership all the time. As long as it does, it acts for the worlds that it holds; whoever does not
//! renew is declared dead by another, and its worlds are free. The lease is one for all worlds of a node, and only says
//! *when* somebody tries: what is safe is decided where rows are appended (decision 0044).

mod boot;
#[cfg_attr(not(test), expect(dead_code, reason = "nodes that have one come next"))]
mod lease;
mod timings;

pub use boot::{BootClock, BootTime, SystemBootClock};
pub use timings::{BadTimings, Timings};
