//! The event log of Folkmoot, on frame engines.
//!
//! An append returns only when its events survive power loss; appends of many worlds share one barrier. The crate
//! deliberately knows nothing of what events mean: it frames, links, finds, follows and verifies them, and gives them out
//! with what proves them.
//!
//! Read first: [`Store`] (the log of all worlds), [`FrameLog`] (what an engine implements), [`OpenError`] (why a store
//! does not open) and [`Integrity`] (what verifying a log gives).

mod backup;
mod batch;
mod blobs;
mod chain;
mod checkpoints;
mod committer;
mod content;
mod deletion;
mod encode;
mod engine;
mod erase;
mod evidence;
mod format;
mod home;
mod index;
#[cfg(all(test, feature = "shuttle"))]
mod interleavings;
mod keys;
mod labels;
mod lineage;
mod open_error;
mod queue;
mod reader;
mod rebuild;
mod recover;
mod runs;
mod shared;
mod simulation;
mod stats;
mod store;
mod stream;
mod summary;
mod sync;
#[cfg(feature = "testing")]
pub mod testing;
mod upcast;
mod verify;

pub use backup::{Backup, BackupError};
pub use deletion::{DeleteError, Order as DeleteOrder, Tombstone};
pub use engine::{
    Ack, Engine, EngineError, EngineKind, FailingEngine, FilesEngine, FrameLog, FrameNumber,
    MemoryEngine, Pair, Shelf, SledEngine, Table, Term,
};
pub use evidence::{Choice, Evidence, StoredContent, StoredEvent, StoredRecord, Wanted};
pub use format::Malformed;
pub use open_error::{OpenError, OpenMode};
pub use rebuild::{Rebuild, Rebuilt, RebuiltWorld, Survey, rebuild};
pub use shared::LostContent;
pub use simulation::Driver;
pub use stats::Stats;
pub use store::Store;
#[cfg(feature = "testing")]
pub use upcast::NextSchema;
pub use upcast::{LiftError, lift};
pub use verify::{
    Against, AnchorError, AnchorOutcome, Anchored, Damage, DamageKind, Examined, Heads, Inclusion,
    Integrity, Newer, SeenHead, SignatureVerdict, StoreDamage, Tail, Verdict, examine,
};
