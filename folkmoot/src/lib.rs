//! An event-sourced multi-agent runtime: rooms of agents and people over one replayable log.
//!
//! This crate is what embedders add: it puts the runtime, the shipped tools, the providers and the store together, and
//! runs world scripts. It deliberately holds no decision of its own: those are made in `folkmoot-core`.
//!
//! Read first: [`Room`] (what is opened), [`Runtime`] (opens it), [`Seat`] (what a person does in it), [`Store`] (where
//! it is kept).

pub mod text;

pub mod words;

mod media_type;

pub mod script;

mod room;

pub mod run;

mod error;

mod signing;

pub mod evidence;

pub mod export;

pub mod audit;

mod helper;

pub mod life;

pub use error::Error;
pub use folkmoot_agents::{
    ActivityEvent, ActivitySubscription, Asks, Assemble, AssembleError, Beforehand, Branched,
    DraftEnding, File, FoldError, Forking, Gatekeeper, IDLE_CLOSE, Key, LeftBehind, ModelAgent,
    OpenError, Opening, Parts, Perform, Post, Proof, ProvenBy, ProvenUser, RevisionSubscription,
    Runtime, RuntimeBuilder, Seat, SeatError, SimulatedClock, SystemClock, TextSubscription,
    ToolResultData, ToolResultSubscription, Waiting, WorldHandle, fold_world, fold_world_from,
    read_transcript,
};
pub use folkmoot_core as core;
pub use folkmoot_core::event::Verdict;
pub use folkmoot_core::ids::{AgentName, ModelName, PersonName, ToolName, WorldName};
pub use folkmoot_core::model::response::{LLMResponse, ModelError};
pub use folkmoot_core::port;
pub use folkmoot_core::port::{
    Agent, AgentError, Drafts, Model, ModelCall, Reaction, TextEvent, ToolCall, ToolResultEvent,
    TurnView,
};
pub use folkmoot_core::tool::{
    EffectClass as Effect, Reconciliation, Repeat, ToolErrorCode, ToolOutcome, ToolSpec,
};
pub use folkmoot_core::world::projection::{
    Revised, Revision, TranscriptEntry, TranscriptMessage, TranscriptNotice, TranscriptPage,
    TranscriptShown,
};
pub use folkmoot_proof as proof;
pub use folkmoot_providers as providers;
pub use folkmoot_store as store;
pub use folkmoot_store::{OpenMode, Store};
pub use folkmoot_tools as tools;
pub use folkmoot_tools::{BlockingTool, ProcessHost, Worker, WorkerCall, Workers};
#[cfg(feature = "typed")]
pub use folkmoot_tools::{Handler, Tool};
pub use helper::{tool_helper_main, tool_helper_main_with};
pub use media_type::media_type_of;
pub use room::{DefinitionError, Room, RoomError, Shipped, definition_but_own, definition_of};
#[cfg(feature = "typed")]
pub use schemars;
pub use signing::{HeadSigner, KeyFile, KeyFileError, checkpoint_of, note_of};
