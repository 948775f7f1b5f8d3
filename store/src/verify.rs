//! Verifying logs: whether the stored records are those that were written, and whether anybody
//! vouches for it.
//!
//! Nothing that is stored is believed: records are read as they are, each must give its link, the
//! tree over them must have the roots that were signed, and what stands beside the log must say the
//! same. `docs/audit.md` says which changes that proves, and which it cannot.

pub(crate) mod against;
mod attest;
pub(crate) mod check;
mod classify;
mod erasures;
pub(crate) mod examine;
mod origin;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod salvage;
pub(crate) mod scan;
pub(crate) mod tables;
#[cfg(test)]
mod tests;
pub(crate) mod walk;

pub use against::{Against, AnchorError};
pub use examine::examine;
pub(crate) use examine::{examine_engine, read_entries, swept, with_runs};
pub(crate) use origin::{anywhere, base, origin};
pub use report::{
    AnchorOutcome, Anchored, Damage, DamageKind, Examined, Heads, Integrity, LogVerdict, Newer,
    SeenHead, SignatureVerdict, StoreDamage, Tail,
};
pub(crate) use scan::Scan;
pub(crate) use walk::{Item, Stretch};
