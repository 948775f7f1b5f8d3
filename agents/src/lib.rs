//! The imperative shell of Folkmoot: it performs what worlds owe.
//!
//! One task owns one world. It decides, appends, evolves, publishes and performs, always in that order. This crate
//! knows no provider, no tool and no store: it is given them through the ports of `folkmoot-core`.
//!
//! Read first: [`Runtime`] (opens worlds), [`Seat`] (what a principal does in one), [`Opening`] (how one is opened).

mod bus;
mod clock;
mod relay;
mod secrets;

mod files;
mod output;

mod model_agent;
mod parts;

mod error;
mod gate;
mod proof;

mod wire;

mod fold;
mod transcript;
mod withheld;

mod opening;

mod means;

mod task;

mod seat;

mod runtime;

mod node;

mod answerer;
mod visitor;

pub use answerer::Answerer;
pub use bus::{ACTIVITY_CAPACITY, ActivityEvent, DRAFT_BYTES_MAX, DraftEnding, HANDLER_TIMEOUT};
pub use clock::{SimulatedClock, SystemClock};
pub use error::{FoldError, OpenError, SeatError};
pub use files::FILES_BYTES_MAX;
pub use fold::{fold_world, fold_world_from};
pub use folkmoot_core::world::projection::{Asks, Offers, Waiting, waiting};
pub use gate::Gatekeeper;
pub use means::courier::{ANSWER_AWAITED, Vouched};
pub use model_agent::ModelAgent;
pub use node::{
    BadTimings, BootClock, BootTime, JoinError, Node, NodeProfile, ROOM, SystemBootClock, Timings,
    Worlds,
};
pub use opening::{Opening, Perform};
pub use output::OUTPUT_BYTES_MAX;
pub use parts::{Assemble, AssembleError, Parts};
pub use proof::{Proof, ProvenBy, ProvenService, ProvenUser};
pub use relay::{DraftPiece, DraftPieces, DraftSource};
pub use runtime::{
    Beforehand, Branched, Forking, HeldWorld, IDLE_CLOSE, LeftBehind, Runtime, RuntimeBuilder,
    Storage,
};
pub use seat::{
    ActivitySubscription, Feed, FeedDraft, FeedEvent, FeedStart, File, FileKeeper, Key, Post,
    RevisionSubscription, Seat, TextSubscription, ToolResultData, ToolResultSubscription,
    WorldHandle,
};
pub use secrets::Secrets;
pub use transcript::{TRANSCRIPT_PAGE_MAX, read_transcript};
pub use visitor::{Order, VisitError, Visitor};
pub use withheld::{PartView, WithheldView, read_withheld};
