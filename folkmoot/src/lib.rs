//! An event-sourced multi-agent runtime: rooms of agents and people over one replayable log.
//!
//! ```
//! use folkmoot::{Error, PersonName, Post, Proof, Room, Runtime, Store};
//!
//! const ROOM: &str = "
//! world: desk
//! models: { scripted: { provider: scripted } }
//! agents: [{ name: clerk, model: scripted, tools: [note] }]
//! tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
//! replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Error> {
//!     let runtime = Runtime::builder(&Store::memory()).build();
//!     let world = runtime.open_room(&Room::from_yaml(ROOM)?).await?;
//!     let ada = Proof::by("sign-in").user("17").called(PersonName::new("ada")?);
//!     let ada = world.as_principal(ada);
//!     let mut messages = ada.subscribe_text().await?;
//!     ada.publish_message(Post::text("Please note it.")).await?;
//!     world.quiet().await?;
//!     for request in ada.waiting().await? {
//!         ada.allow(&request).await?; // clerk asks to run note (write) with {}
//!     }
//!     assert_eq!(messages.next().await?.unwrap().to_string(), "ada: Please note it.");
//!     assert_eq!(messages.next().await?.unwrap().to_string(), "clerk: It is noted.");
//!     Ok(())
//! }
//! ```
//!
//! An app needs few types; `examples/support_desk.rs` uses most of them:
//!
//! | group | types |
//! |---|---|
//! | rooms | [`Room`], [`Policy`], [`Limits`], [`Price`], [`RightsPolicy`] |
//! | opening them | [`Store`], [`Runtime`], [`Opening`], [`Error`] |
//! | people in them | [`WorldHandle`], [`Proof`], [`Seat`], [`Post`], [`Waiting`] |
//! | tools, models and agents in code | [`Tool`], [`BlockingTool`], [`port::Tool`], [`Model`], [`Agent`] |
//! | looking back | [`TranscriptEntry`], [`fold_world`], [`Forking`] |
//!
//! This crate is what embedders add: it puts the runtime, the shipped tools, the providers and the store together, and
//! runs world scripts. It deliberately holds no decision of its own: those are made in `folkmoot-core`.
//!
//! Read first: [`Room`] (what is opened), [`Runtime`] (opens it), [`Seat`] (what a person does in it), [`Store`] (where
//! it is kept).

pub mod text;

pub mod words;

pub mod file;

mod media_type;

pub mod script;

mod room;

pub mod run;

mod error;

mod signing;

pub mod evidence;

pub mod spans;

#[cfg(feature = "otel")]
pub mod otlp;

pub mod export;

pub mod audit;

mod helper;

pub mod life;

mod membership;

pub mod view;

// Rooms.
pub use folkmoot_core::event::{ClockKind, Scope};
pub use folkmoot_core::ids::principal::{Right, Rights};
pub use folkmoot_core::model::money::{Money, Price};
pub use folkmoot_core::spec::{Definition, Limits, Mode, Policy, RightsPolicy, SpecText};
pub use room::{DefinitionError, Room, RoomError, Shipped, definition_but_own, definition_of};

// Opening them.
pub use error::Error;
/// A runtime opens rooms over one store:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), folkmoot::Error> {
/// # const ROOM: &str = "
/// # world: desk
/// # models: { scripted: { provider: scripted } }
/// # agents: [{ name: clerk, model: scripted, tools: [note] }]
/// # tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
/// # replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";
/// use folkmoot::{Opening, Room, Runtime, Store};
///
/// let store = Store::memory();
/// let runtime = Runtime::builder(&store).build();
/// let world = runtime.open_room(&Room::from_yaml(ROOM)?).await?;
/// assert!(runtime.world(world.name()).is_some());
/// runtime.shutdown().await;
/// assert!(!world.is_open());
/// # Ok(())
/// # }
/// ```
pub use folkmoot_agents::Runtime;
pub use folkmoot_agents::{
    ANSWER_AWAITED, Answerer, Assemble, AssembleError, Beforehand, FoldError, Gatekeeper,
    IDLE_CLOSE, OpenError, Opening, Order, Parts, Perform, RuntimeBuilder, SimulatedClock,
    SystemClock, VisitError, Visitor, Vouched,
};
pub use folkmoot_agents::{
    BadTimings, BootClock, BootTime, DraftPiece, DraftPieces, DraftSource, JoinError, Node,
    NodeProfile, ROOM, SystemBootClock, Timings, Worlds,
};
pub use folkmoot_store::OpenMode;
/// A store is a folder that one process writes at a time:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), folkmoot::Error> {
/// use folkmoot::{OpenMode, Store};
///
/// let folder = tempfile::tempdir()?;
/// let store = Store::open(folder.path().join("rooms"), OpenMode::Create)?;
/// store.close()?;
/// let again = Store::open(folder.path().join("rooms"), OpenMode::Existing)?;
/// # again.close()?;
/// # Ok(())
/// # }
/// ```
pub use folkmoot_store::Store;
pub use media_type::media_type_of;
pub use membership::Membership;
pub use signing::{HeadSigner, KeyFile, KeyFileError, checkpoint_of, note_of};

// People in them.
/// A message has a text, and can have more:
///
/// ```
/// use folkmoot::{Key, Post};
///
/// let post = Post { key: Some(Key::Client("form-17".to_owned())), ..Post::text("My kettle broke.") };
/// assert_eq!(post.text, "My kettle broke.");
/// ```
pub use folkmoot_agents::Post;
/// A seat is what one person does in a room:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), folkmoot::Error> {
/// # const ROOM: &str = "
/// # world: desk
/// # models: { scripted: { provider: scripted } }
/// # agents: [{ name: clerk, model: scripted, tools: [note] }]
/// # tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
/// # replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";
/// # let runtime = folkmoot::Runtime::builder(&folkmoot::Store::memory()).build();
/// # let world = runtime.open_room(&folkmoot::Room::from_yaml(ROOM)?).await?;
/// use folkmoot::{PersonName, Post, Proof};
///
/// let ada = Proof::by("sign-in").user("17").called(PersonName::new("ada")?);
/// let ada = world.as_principal(ada);
/// ada.publish_message(Post::text("Please note it.")).await?;
/// world.quiet().await?;
/// for request in ada.waiting().await? {
///     ada.deny(&request, "not today").await?;
/// }
/// world.quiet().await?;
/// let newest = ada.transcript(None, 1).await?.entries;
/// assert_eq!(newest[0].to_string(), "clerk: It is noted.");
/// # Ok(())
/// # }
/// ```
pub use folkmoot_agents::Seat;
/// A request knows what it is about:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), folkmoot::Error> {
/// # const ROOM: &str = "
/// # world: desk
/// # models: { scripted: { provider: scripted } }
/// # agents: [{ name: clerk, model: scripted, tools: [note] }]
/// # tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
/// # replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";
/// # let runtime = folkmoot::Runtime::builder(&folkmoot::Store::memory()).build();
/// # let world = runtime.open_room(&folkmoot::Room::from_yaml(ROOM)?).await?;
/// # let ada = world.as_principal(folkmoot::Proof::script(folkmoot::PersonName::new("ada")?));
/// # ada.publish_message(folkmoot::Post::text("Please note it.")).await?;
/// # world.quiet().await?;
/// let request = ada.waiting().await?.remove(0);
/// assert_eq!(request.to_string(), "clerk asks to run note (write) with {}");
/// assert_eq!((request.agent.as_str(), request.arguments.as_deref()), ("clerk", Some("{}")));
/// assert!(request.digest().is_some());
/// # Ok(())
/// # }
/// ```
pub use folkmoot_agents::Waiting;
/// A handle tells how a world is doing:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), folkmoot::Error> {
/// # const ROOM: &str = "
/// # world: desk
/// # models: { scripted: { provider: scripted } }
/// # agents: [{ name: clerk, model: scripted, tools: [note] }]
/// # tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
/// # replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";
/// # let runtime = folkmoot::Runtime::builder(&folkmoot::Store::memory()).build();
/// # let world = runtime.open_room(&folkmoot::Room::from_yaml(ROOM)?).await?;
/// # let ada = world.as_principal(folkmoot::Proof::script(folkmoot::PersonName::new("ada")?));
/// use folkmoot::{Activity, Post};
///
/// assert_eq!(world.quiet().await?, Activity::Idle);
/// ada.publish_message(Post::text("Please note it.")).await?;
/// assert_eq!(world.quiet().await?, Activity::Parked); // The clerk asks a person.
/// # Ok(())
/// # }
/// ```
pub use folkmoot_agents::WorldHandle;
pub use folkmoot_agents::{
    ActivityEvent, ActivitySubscription, Asks, DraftEnding, Feed, FeedDraft, FeedEvent, FeedStart,
    File, FileKeeper, Key, Proof, ProvenBy, ProvenService, ProvenUser, RevisionSubscription,
    SeatError, TextSubscription, ToolResultData, ToolResultSubscription,
};
pub use folkmoot_core::command::{Reply, Settlement};
pub use folkmoot_core::event::{Attachment, Author, CallStatus, CloseReason, Notice, Verdict};
pub use folkmoot_core::ids::principal::Person;
pub use folkmoot_core::ids::{
    AgentName, CallId, EpisodeId, MessageId, ModelName, NameError, PersonName, Position, RequestId,
    ToolName, TurnId, WorldName,
};
pub use folkmoot_core::port::{Input, ReadError};
pub use folkmoot_core::tool::constraint::Constraint;
pub use folkmoot_core::world::Accepted;
pub use folkmoot_core::world::Activity;
pub use folkmoot_core::world::projection::{FeedActivity, FeedBody, FeedItem, ItemId};

// Tools, models and agents in code.
pub use folkmoot_agents::ModelAgent;
pub use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind};
pub use folkmoot_core::port;
pub use folkmoot_core::port::{
    Agent, AgentError, Drafts, Model, ModelCall, Reaction, TextEvent, ToolCall, ToolResultEvent,
    TurnView,
};
pub use folkmoot_core::tool::{
    EffectClass as Effect, Question, Reconciliation, Repeat, ToolErrorCode, ToolOutcome, ToolSpec,
};
pub use folkmoot_tools::host::{AppliedSandbox, own_program, try_sandbox};
pub use folkmoot_tools::{BlockingTool, ProcessHost, Worker, WorkerCall, Workers};
#[cfg(feature = "typed")]
pub use folkmoot_tools::{Handler, Tool};
/// Servers of the Model Context Protocol whose tools a script may name: what they offer.
#[cfg(feature = "mcp")]
pub mod servers {
    pub use folkmoot_tools::{Offer, OfferError, offers};
}
pub use helper::{tool_helper_main, tool_helper_main_with};
#[cfg(feature = "typed")]
pub use schemars;

// Looking back.
/// A fork is the same room up to an event, and then another one:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), folkmoot::Error> {
/// # const ROOM: &str = "
/// # world: desk
/// # models: { scripted: { provider: scripted } }
/// # agents: [{ name: clerk, model: scripted, tools: [note] }]
/// # tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
/// # replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";
/// # let runtime = folkmoot::Runtime::builder(&folkmoot::Store::memory()).build();
/// # let world = runtime.open_room(&folkmoot::Room::from_yaml(ROOM)?).await?;
/// # let ada = world.as_principal(folkmoot::Proof::script(folkmoot::PersonName::new("ada")?));
/// use folkmoot::{Forking, Post, WorldName};
///
/// ada.publish_message(Post::text("Please note it.")).await?;
/// world.quiet().await?;
/// let forking = Forking::of(world.name().clone(), WorldName::new("what-if")?);
/// let branch = runtime.fork(forking).await?;
/// assert_eq!(branch.left.requests, 1); // The request waits in the room, not in the branch.
/// # Ok(())
/// # }
/// ```
pub use folkmoot_agents::Forking;
/// A room is the fold of its log:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), folkmoot::Error> {
/// # const ROOM: &str = "
/// # world: desk
/// # models: { scripted: { provider: scripted } }
/// # agents: [{ name: clerk, model: scripted, tools: [note] }]
/// # tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
/// # replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";
/// use folkmoot::{Room, Runtime, Store, fold_world};
///
/// let store = Store::memory();
/// let runtime = Runtime::builder(&store).build();
/// let world = runtime.open_room(&Room::from_yaml(ROOM)?).await?;
/// world.quiet().await?;
/// let replayed = fold_world(&store, world.name(), None).await?;
/// assert!(world.operator().read(move |live| *live == replayed).await?);
/// # Ok(())
/// # }
/// ```
pub use folkmoot_agents::fold_world;
pub use folkmoot_agents::{Branched, LeftBehind, fold_world_from, read_transcript};
pub use folkmoot_core::world::projection::{
    Revised, Revision, TranscriptEntry, TranscriptMessage, TranscriptNotice, TranscriptPage,
    TranscriptShown,
};

// The crates themselves.
pub use folkmoot_core as core;
pub use folkmoot_proof as proof;
pub use folkmoot_providers as providers;
pub use folkmoot_store as store;
pub use folkmoot_tools as tools;
