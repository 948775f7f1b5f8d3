//! The limits that no definition can raise: what one answer, one call and one event may hold.
//!
//! They stand here alone. Whoever enforces one names it, the pipeline announces them, and the store
//! keeps all that is within them.

/// The most bytes that the content of one event has as it is recorded, in JSON: 8 MiB. The store
/// refuses more.
pub const CONTENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The most bytes of one blob: 8 MiB.
pub const BLOB_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The most bytes of the facts of all events that one command leads to, with [`EVENT_BYTES`] for
/// each event. Facts are read to find anything at all, so they stand in frames, and those are
/// small.
pub const FACTS_BYTES_MAX: usize = 640 * 1024;

/// The bytes that an event counts beside its facts.
pub const EVENT_BYTES: usize = 128;

/// The most bytes of one text of an output that stand in the log; of a longer one models read no
/// more than these.
pub const OUTPUT_TEXT_BYTES_MAX: u64 = 48 * 1024;

/// The most bytes of the detail of a failure. It is for operators; what is longer is cut.
pub const DETAIL_BYTES_MAX: usize = 64 * 1024;

/// The most calls of one answer. How many of them may run, the room says: `tool_calls_per_answer`.
pub const ANSWER_CALLS_MAX: usize = 128;

/// The most calls of a room that are open at a time, whatever they wait for: one command can stop
/// them all, and its commit has to hold their ends.
pub const OPEN_CALLS_MAX: usize = 512;

/// The most bytes of a call's label, and of the tool name that a model calls: both are kept among
/// an event's facts.
pub const CALL_NAME_BYTES_MAX: usize = 512;

/// The most bytes of one call's arguments.
pub const ARGUMENTS_BYTES_MAX: usize = 1024 * 1024;

/// The most bytes of a tool's call on its way to a program: its arguments, with what belongs to
/// them.
pub const CALL_BYTES_MAX: usize = ARGUMENTS_BYTES_MAX + 64 * 1024;

/// The most bytes of a definition's structure, as JSON: it is facts. Texts, like prompts, stand
/// apart from it.
pub const DEFINITION_BYTES_MAX: usize = FACTS_BYTES_MAX - 64 * 1024;

/// The depth that lists and objects may have in one another in a call's arguments.
pub const ARGUMENTS_DEPTH_MAX: usize = 64;
