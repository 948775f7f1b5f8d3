//! The event log of Folkmoot, on frame engines.
//!
//! An append returns only when its events survive power loss; appends of many worlds share one
//! barrier. The crate deliberately knows nothing of what events mean: it frames, links, finds,
//! follows and verifies them, and gives them out with what proves them.
//!
//! Many nodes share a [`SharedStore`] over a [`Ledger`], which keeps records world by world.
//!
//! Read first: [`Store`] (the log of all worlds), [`FrameLog`] (what an engine implements),
//! [`OpenError`] (why a store does not open) and [`Integrity`] (what verifying a log gives).

mod sync;

mod format;

mod engine;

mod ledger;

mod home;

#[cfg(feature = "postgres")]
mod postgres;

mod engines;

mod state;

mod read;

mod write;

mod verify;

mod local;

mod audit;

mod copies;

mod shared_store;

mod store;

#[cfg(all(test, feature = "shuttle"))]
mod interleavings;
#[cfg(feature = "testing")]
pub mod testing;

pub use audit::{Choice, Evidence, Inclusion, StoredContent, StoredEvent, StoredRecord, Wanted};
pub use copies::backup::{Backup, BackupError};
pub use copies::rebuild::{Rebuild, Rebuilt, rebuild};
pub use engine::{Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, Table, Term};
pub use engines::{EngineKind, FailingEngine, FilesEngine, MemoryEngine, SledEngine};
pub use format::Malformed;
#[cfg(feature = "testing")]
pub use format::upcast::NextSchema;
pub use format::upcast::{LiftError, lift};
pub use home::opening::{OpenError, OpenMode};
pub use ledger::{
    BESIDE_BYTES_MAX, BLOB_ROW_BYTES_MAX, BesideRow, Birth, BlobTable, Burial,
    CHECKPOINT_BYTES_MAX, CheckpointRow, CheckpointTable, Compaction, Demands, Fate, ForkBase,
    GoneRange, Landing, Ledger, LedgerEntry, LedgerError, LedgerUpkeep, MemoryLedger, NewRow,
    PieceMax, PutRange, REACH_BYTES_MAX, RECORD_BYTES_MAX, Register, Rewrite, Row, RowChain,
    RowRange, Rows, SHARED_KEY_BYTES_MAX, SHARED_KIND_BYTES_MAX, SHARED_VALUE_BYTES_MAX, Saving,
    SharedRecord, SharedRecords, TOMBSTONE_BYTES_MAX, UncertainLedger, check_blob, check_chains,
    check_checkpoint, check_rewrite, check_shared,
};
pub use local::simulation::Driver;
#[cfg(feature = "postgres")]
pub use postgres::{
    DatabaseHealth, Identity, PostgresError, PostgresLedger, PostgresUrl, PostgresUrlError,
};
pub use shared_store::{SharedStore, TakeInError, TakenIn};
pub use state::shared::LostContent;
pub use state::stats::Stats;
pub use store::Store;

pub use verify::salvage::{RebuiltWorld, Survey};
pub use verify::{
    Against, AnchorError, AnchorOutcome, Anchored, Damage, DamageKind, Examined, Heads, Integrity,
    LogVerdict, Newer, SeenHead, SignatureVerdict, StoreDamage, Tail, examine,
};
pub use write::deletion::{DeleteError, DeleteOrder, Tombstone};
