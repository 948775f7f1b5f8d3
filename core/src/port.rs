//! The ports: traits that core defines and others implement.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::command::commit::{CommandKey, Commit};
use crate::event::Purpose;
use crate::ids::{
    AgentName, Attempt, CallId, Digest, Incarnation, Position, Time, WorldId, WorldName,
};
use crate::model::response::{LLMResponse, ModelError};
use crate::prompt::ModelRequest;
use crate::tool::{Reconciliation, ToolOutcome, ToolSpec};

mod agent;
mod blobs;
pub mod causes;
mod custody;
mod files;
mod log_error;
mod members;
mod offer;
mod progress;
mod sandbox;
mod tenure;

pub use crate::event::reaction::Reaction;
pub use agent::{Agent, AgentError, TextEvent, ToolResultEvent, TurnView};
pub use blobs::{BlobError, Blobs};
pub use custody::{Custody, Erasure, ForkPoint, Signer};
pub use files::{CallFiles, RoomFile};
pub use log_error::{AppendError, ReadError};
pub use members::{
    ANSWER_BYTES_MAX, ANSWER_KEPT, ASK_BYTES_MAX, ASKS_BYTES_MAX, ASKS_WAITING_MAX, Ask, AskState,
    Asked, AsksWanted, CLAIM_MAX, Inbox, MemberError, Members, NodeCard, NodeState, Renewal, Taken,
    WaitingAsk, WhoAmI,
};
pub use offer::Offer;
pub use progress::{Progress, REPORT_BYTES_MAX, Unheard};
pub use sandbox::{Network, Sandbox, SandboxPlace};
pub use tenure::{NoTenure, PermanentTenure, Tenure, Tenures};

/// A stored commit and the link that chains it to its predecessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCommit {
    /// The commit as it was appended.
    pub commit: Commit,
    /// SHA-256 over the predecessor's link and this commit's header and facts.
    pub link: Digest,
}

/// The commits of one world, in order.
pub type CommitStream = BoxStream<'static, Result<StoredCommit, ReadError>>;

/// The result of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one lives at a time, and a repeat is the rare case"
)]
pub enum Appended {
    /// The commits are durable: they survive power loss.
    Committed {
        /// The link of the last of them.
        link: Digest,
    },
    /// A commit with this key is there already; nothing was appended.
    Repeated(StoredCommit),
}

/// A world as a store lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldEntry {
    /// The world's id.
    pub world: WorldId,
    /// The world's name, unique in the store.
    pub name: WorldName,
    /// The position of its last event.
    pub head: Position,
    /// The time of its last commit.
    pub time: Time,
    /// The incarnation of its last opening.
    pub incarnation: Incarnation,
    /// The owner, by the word of the ingress.
    pub owner: Option<String>,
    /// The labels.
    pub labels: Labels,
}

/// Labels, by their names.
pub type Labels = BTreeMap<String, String>;

/// The log of all worlds of one store.
#[async_trait]
pub trait EventLog: Send + Sync + Debug {
    /// Appends `commits`, which follow one another in one world, and returns once all of them survive power loss. They share
    /// one barrier. A crash leaves a prefix of them.
    ///
    /// Their first position must be the world's head + 1. A first commit whose key is known returns the first answer,
    /// whatever the head is now, and nothing is appended. `incarnation` must be that of the world's last `Opened`; a commit
    /// that holds an `Opened` must hold the next one. The first commit of a world begins with `WorldOpened`. A commit that
    /// opens or forks a world comes alone, and only the first of several may have a key.
    ///
    /// # Errors
    /// See [`AppendError`]: each variant says what the caller can do. None of the commits is there then, except after
    /// `Full`, `Io` and `Stopped`: a prefix of them may be.
    async fn append(
        &self,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError>;

    /// Reads the commits of `world` from the one that holds `from` up to the present head, in
    /// order.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`] at once; damage when the stream reaches it.
    async fn read(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError>;

    /// Reads at most `limit` commits that end before `before`, newest first.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`], or damage.
    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, ReadError>;

    /// The messages at `from` or behind it, and before `to`, that a later event has taken away:
    /// their positions, in order. Costs what it gives, however long the log is.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`], or damage of the world index.
    async fn gone(
        &self,
        world: WorldId,
        from: Position,
        to: Position,
    ) -> Result<Vec<Position>, ReadError>;

    /// Reads like [`EventLog::read`], then follows: no gap, no duplicate, no end while the store is
    /// open.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`] at once; damage when the stream reaches it.
    async fn subscribe(&self, world: WorldId, from: Position) -> Result<CommitStream, ReadError>;

    /// The commit that carries `key`, if there is one.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`], or damage.
    async fn find_key(
        &self,
        world: WorldId,
        key: &CommandKey,
    ) -> Result<Option<StoredCommit>, ReadError>;

    /// Lists at most `limit` of the worlds that have all of `labels`, by name, from the one after
    /// `after`. No labels: all worlds.
    ///
    /// # Errors
    /// Damage of the world index.
    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<WorldEntry>, ReadError>;

    /// The world called `name`, if there is one.
    ///
    /// # Errors
    /// Damage of the world index.
    async fn find(&self, name: &WorldName) -> Result<Option<WorldEntry>, ReadError>;
}

/// Saved folds. All of them may be deleted at any time: they only save work.
#[async_trait]
pub trait Checkpoints: Send + Sync + Debug {
    /// Keeps `state`, the fold of `world` up to `at`. `decider` tells under which rules and in
    /// which layout it was made. It becomes the newest; older ones may go.
    ///
    /// # Errors
    /// [`AppendError::NoSuchWorld`], [`AppendError::Full`] or [`AppendError::Io`]. Failing to save
    /// one loses nothing.
    async fn save(
        &self,
        world: WorldId,
        at: Position,
        decider: Digest,
        state: Vec<u8>,
    ) -> Result<(), AppendError>;

    /// The newest whole checkpoint made by the rules `decider`, at `up_to` or before it if that is
    /// given. A damaged one counts as none.
    async fn latest(
        &self,
        world: WorldId,
        decider: Digest,
        up_to: Option<Position>,
    ) -> Option<(Position, Vec<u8>)>;

    /// Returns where the checkpoints of a world stand, and whose rules made each, oldest first:
    /// `latest` up to that place gives the state, so that it can be compared with the fold. A
    /// damaged one may be listed.
    async fn places(&self, world: WorldId) -> Vec<(Position, Digest)>;
}

/// The receiver of drafts of a streaming reply.
#[async_trait]
pub trait Drafts: Send + Sync {
    /// Shows `delta` to whoever watches. The first call returns only after `StreamStarted` is
    /// durable.
    ///
    /// # Errors
    /// [`DraftsClosed`]: nobody wants more; the caller stops.
    async fn push(&self, delta: &str) -> Result<(), DraftsClosed>;
}

/// The call was stopped: its drafts go nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the call was stopped")]
pub struct DraftsClosed;

/// An attempt of a model call.
#[derive(Debug, Clone)]
pub struct ModelCall {
    /// The agent that asks.
    pub agent: AgentName,
    /// The purpose of the call.
    pub purpose: Purpose,
    /// The request.
    pub request: ModelRequest,
    /// The same for all attempts of one call.
    pub idempotency_key: String,
    /// The scripted or recorded replies that this agent has consumed in the current run, in
    /// ascending order.
    pub played: Vec<u32>,
    /// The world's clock, for scripted pauses.
    pub clock: Arc<dyn Clock>,
    /// The bytes of attached files that the model [takes](Model::takes_file), as far as they are
    /// there.
    pub files: Files,
}

/// The bytes of files, by their digest.
pub type Files = BTreeMap<Digest, Arc<[u8]>>;

/// A model: one attempt per call; attempts, back-off and limits are decided by the world.
#[async_trait]
pub trait Model: Send + Sync + Debug {
    /// Makes one attempt. Dropping the future cancels it.
    ///
    /// # Errors
    /// [`ModelError`], whose kind decides whether there will be another attempt.
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError>;

    /// Tells whether it can read files of this media type. Their bytes then come with each call.
    fn takes_file(&self, _media_type: &str) -> bool {
        false
    }
}

/// A person's answer to a tool's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The numbers of the chosen options, from 0, ascending; empty for free text.
    pub options: Vec<u32>,
    /// The text: the chosen options', one a line, or what was typed.
    pub text: String,
    /// The answer as data: the chosen option's text, a list of texts where several may be chosen,
    /// or a typed answer as the question's schema reads it.
    pub value: Value,
}

/// A run of a tool.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The agent that asked for it.
    pub agent: AgentName,
    /// The call.
    pub call: CallId,
    /// The same for every attempt; contains the world's id.
    pub idempotency_key: String,
    /// The number of the attempt.
    pub attempt: Attempt,
    /// The opening of the world that runs it: a fencing token. A resource that refuses a lower one than it has seen is safe
    /// from a process that lost the world and does not know it yet.
    pub incarnation: Incarnation,
    /// Checked against the tool's schema.
    pub arguments: Value,
    /// A person's answer, if the tool asked for one.
    pub input: Option<Input>,
    /// The world's clock, for scripted waits.
    pub clock: Arc<dyn Clock>,
    /// Runs processes; there if the tool's spec says that it needs one.
    pub host: Option<Arc<dyn ToolHost>>,
    /// The files that it may see; there if the tool's spec says that it reads them.
    pub files: Option<Arc<dyn CallFiles>>,
    /// The receiver of reports on how far the run has come.
    pub progress: Arc<dyn Progress>,
}

/// A tool. Dropping the future of a run stops it; that cannot stop code which holds its thread, and
/// so needs a process.
#[async_trait]
pub trait Tool: Send + Sync + Debug {
    /// Returns the declaration of the tool.
    fn spec(&self) -> &ToolSpec;

    /// Runs once.
    async fn run(&self, call: &ToolCall) -> ToolOutcome;

    /// Tells what became of a lost run. Asked only if the spec says `reconciles`.
    async fn reconcile(&self, _call: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCommand {
    /// The program and its arguments; no shell reads them.
    pub argv: Vec<String>,
    /// The folder that it runs in.
    pub cwd: PathBuf,
    /// The folder that has to be there, or nothing runs; `None`: any.
    pub folder: Option<FolderId>,
    /// SHA-256 of the program's file, which has to be each of these, or nothing runs; empty: any
    /// file.
    pub pins: Vec<Digest>,
    /// The longest time of the run, by the machine's monotonic clock.
    pub timeout: Duration,
    /// The names of the variables that it gets of the runtime's environment. Its helper gets none of them.
    pub variables: Vec<String>,
    /// The bytes that it reads on its standard input; `None`: nothing.
    pub input: Option<String>,
    /// The most bytes kept of each of its outputs; the rest is read and thrown away.
    pub output_max: usize,
    /// The limits of its reach; `None`: the rights of the user.
    pub sandbox: Option<Sandbox>,
    /// Names the lock that the program's helper holds while anything of it lives. A second run
    /// under the same name waits for the first one's lock.
    pub lock: String,
}

/// The identity of a folder or file to the system, whatever its path: valid while somebody has it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderId {
    /// The file system.
    pub device: u64,
    /// The number in it.
    pub inode: u64,
}

/// The output of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostOutput {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// The first bytes of its standard output.
    pub stdout: Vec<u8>,
    /// The first bytes of its standard error.
    pub stderr: Vec<u8>,
    /// True if either was longer than the limit.
    pub is_cut: bool,
    /// The parts of its sandbox that the system could not apply; empty if it applied all, or there was none.
    pub gaps: Vec<String>,
}

/// A program that stays, under its helper, while the runtime talks with it. Dropped, it is killed with
/// everything it has started.
#[derive(Debug)]
pub struct HostedProgram {
    /// The end at which its standard input begins. Closed, it is what kills the program.
    pub input: std::io::PipeWriter,
    /// The end at which its standard output arrives, as the program writes it.
    pub output: std::io::PipeReader,
    /// The end at which its standard error arrives, and last how the program ended. Somebody has to
    /// read it, or the program may stand still.
    pub errors: std::io::PipeReader,
    /// The parts of its sandbox that the system could not apply.
    pub gaps: Vec<String>,
}

/// The reason that a program gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The program ran longer than its limit and was killed, with everything it had started.
    #[error("the program ran longer than {0:?} and was killed")]
    TimedOut(Duration),
    /// The program could not be started.
    #[error("cannot start {program}")]
    NotStarted {
        /// The program.
        program: String,
        /// The reason.
        #[source]
        source: std::io::Error,
    },
    /// The folder or the file is not the one that is meant; nothing was run.
    #[error("{0}")]
    Changed(String),
    /// The system cannot apply the sandbox that is required; nothing was run.
    #[error("the sandbox cannot be applied, and is required: {0}")]
    Unconfined(String),
    /// The helper was lost after it was told what to run: that may have taken effect, and may still run.
    #[error("the tool helper was lost: {0}")]
    Lost(String),
    /// The helper that runs programs could not be used; nothing was run.
    #[error("the tool helper failed: {0}")]
    Helper(String),
}

/// Runs programs in their own process group, under a helper that dies, with all of them, when the
/// runtime dies.
#[async_trait]
pub trait ToolHost: Send + Sync + Debug {
    /// Runs a program to its end. Dropping the future kills it, with everything it had started.
    ///
    /// # Errors
    /// [`HostError`].
    async fn run(&self, command: HostCommand) -> Result<HostOutput, HostError>;

    /// Starts a program that stays. The time of the command is that for the lock; what it says of input
    /// and output does not count.
    ///
    /// # Errors
    /// [`HostError`]. A host that has no such programs says so.
    async fn start(&self, _command: HostCommand) -> Result<HostedProgram, HostError> {
        let why = "this host has no programs that stay";
        Err(HostError::Helper(why.to_owned()))
    }
}

/// A world's clock.
#[async_trait]
pub trait Clock: Send + Sync + Debug {
    /// The time now.
    fn now(&self) -> Time;

    /// Waits until `time`.
    async fn sleep_until(&self, time: Time);
}
