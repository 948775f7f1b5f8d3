//! The simulated machine: a disk, a clock, what tools do outside, people, and one process after the
//! other.
//!
//! What lives here outlives every process. A process is one executor; dropping it is how it dies.

mod cast;
mod clock;
mod disk;
mod ending;
mod folder;
mod follow;
mod ledger;
mod lots;
mod outside;
pub(crate) mod panics;
mod people;
mod process;
mod room;
mod tenure;
mod tool;
mod witness;

pub(crate) use disk::Platter;
pub(crate) use ending::{rest, verify};
pub(crate) use lots::between_ms;
pub(crate) use outside::Outside;
pub(crate) use people::ask_in_vain;
pub(crate) use process::{Process, Setting, recover};
pub(crate) use room::RoomPlan;
