//! Events: recorded facts, in the past tense. The catalogue is closed; every fold matches it
//! exhaustively.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::content::Content;
use crate::ids::Position;

mod attachment;
mod border;
mod call;
mod doubt;
mod grant;
mod label;
mod notice;
mod proof;
pub mod reaction;
pub mod refusal;
mod rights;
mod scope;
mod talk;
mod turn;
mod world;

pub use attachment::{ATTACHMENT_NAME_MAX, AttachmentError};
pub use border::*;
pub use call::*;
pub use doubt::*;
pub use grant::*;
pub use label::LabelFault;
pub use notice::*;
pub use proof::*;
pub use rights::*;
pub use scope::ScopeError;
pub use talk::*;
pub use turn::*;
pub use world::*;

/// The stored parts of an event, ready to be framed. Both parts are JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRecord {
    /// The kind of the event, by number: see [`EventKind`].
    pub kind: u16,
    /// The schema version of `facts` and `content`.
    pub version: u16,
    /// The facts that folds need. Hashed, never erased.
    pub facts: Vec<u8>,
    /// The words of people, models and tools.
    pub content: StoredContent,
}

/// The content part of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredContent {
    /// No content: this kind of event has none.
    None,
    /// As it was written.
    Present(Vec<u8>),
    /// Gone, at the wish of the event at `by`.
    Erased {
        /// The request's position, if known.
        by: Option<Position>,
    },
}

/// A record, still in the bytes that it is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordView<'a> {
    /// The kind of the event, by number: see [`EventKind`].
    pub kind: u16,
    /// The schema version of `facts` and `content`.
    pub version: u16,
    /// The facts that folds need.
    pub facts: &'a [u8],
    /// The words of people, models and tools.
    pub content: ContentView<'a>,
}

/// The content part of a record, still in the bytes that it is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentView<'a> {
    /// No content: this kind of event has none.
    None,
    /// As it was written.
    Present(&'a [u8]),
    /// Gone, at the wish of the event at `by`.
    Erased {
        /// The request's position, if known.
        by: Option<Position>,
    },
}

impl EventRecord {
    /// The record as it is read.
    #[must_use]
    pub fn view(&self) -> RecordView<'_> {
        let content = match &self.content {
            StoredContent::None => ContentView::None,
            StoredContent::Present(bytes) => ContentView::Present(bytes),
            StoredContent::Erased { by } => ContentView::Erased { by: *by },
        };
        RecordView {
            kind: self.kind,
            version: self.version,
            facts: &self.facts,
            content,
        }
    }
}

/// A record that is not what its kind and version promise.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A newer build wrote it.
    #[error("this build does not know event kind {kind} of version {version}")]
    Unknown {
        /// The record's kind.
        kind: u16,
        /// The record's schema version.
        version: u16,
    },
    /// The JSON does not fit.
    #[error("a {kind} of version {version} cannot be read")]
    Malformed {
        /// The name of the record's kind.
        kind: &'static str,
        /// The record's schema version.
        version: u16,
        /// The fault that JSON found.
        #[source]
        source: serde_json::Error,
    },
    /// A content part is there, or missing, against the rule of its kind.
    #[error("the content part of a {kind} is wrong")]
    Content {
        /// The name of the record's kind.
        kind: &'static str,
    },
}

/// An event's facts and its one content part.
trait Payload: Serialize + DeserializeOwned {
    /// The content, if this kind has one.
    fn content(&self) -> StoredContentRef<'_>;
    /// Puts content back after the facts were read.
    fn restore(&mut self, content: ContentView<'_>) -> Result<(), serde_json::Error>;
    /// True if this kind has content.
    const HAS_CONTENT: bool;
}

/// Content on its way into a record: already encoded, as encoding may fail.
struct StoredContentRef<'a>(Option<&'a dyn Encode>);

/// Object-safe encoding of content.
trait Encode {
    fn encode(&self) -> Result<StoredContent, serde_json::Error>;
    fn is_erased(&self) -> bool;
}

impl<T: Serialize> Encode for Content<T> {
    fn encode(&self) -> Result<StoredContent, serde_json::Error> {
        Ok(match self {
            Self::Present(value) => StoredContent::Present(serde_json::to_vec(value)?),
            Self::Erased { by } => StoredContent::Erased { by: *by },
        })
    }

    fn is_erased(&self) -> bool {
        self.present().is_none()
    }
}

/// Reads JSON whose UTF-8 is verified once for all its strings.
fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    match str::from_utf8(bytes) {
        Ok(text) => serde_json::from_str(text),
        // It says where the bytes are not what they should be.
        Err(_) => serde_json::from_slice(bytes),
    }
}

fn decode_content<T: DeserializeOwned>(
    content: ContentView<'_>,
) -> Result<Content<T>, serde_json::Error> {
    Ok(match content {
        ContentView::Present(bytes) => Content::Present(from_json(bytes)?),
        ContentView::Erased { by } => Content::Erased { by },
        ContentView::None => Content::default(),
    })
}

/// Declares that a payload has no content, or which field holds it.
macro_rules! payload {
    ($name:ident) => {
        impl Payload for $name {
            const HAS_CONTENT: bool = false;

            fn content(&self) -> StoredContentRef<'_> {
                StoredContentRef(None)
            }

            fn restore(&mut self, _: ContentView<'_>) -> Result<(), serde_json::Error> {
                Ok(())
            }
        }
    };
    ($name:ident, $field:ident) => {
        impl Payload for $name {
            const HAS_CONTENT: bool = true;

            fn content(&self) -> StoredContentRef<'_> {
                StoredContentRef(Some(&self.$field))
            }

            fn restore(&mut self, content: ContentView<'_>) -> Result<(), serde_json::Error> {
                self.$field = decode_content(content)?;
                Ok(())
            }
        }
    };
}

/// Declares the catalogue, family by family: number, schema version, payload and, in brackets, the
/// field that holds content. Kinds that belong to no family stand behind them.
macro_rules! events {
    ($($(#[$family_doc:meta])* family $family:ident($type:ident) {
        $($(#[$doc:meta])* $number:literal version $version:literal $name:ident $([$field:ident])?;)*
    })*
    alone { $($(#[$lone_doc:meta])* $lone_number:literal version $lone_version:literal $lone:ident;)* }) => {
        $($(payload!($name $(, $field)?);)*)*
        $(payload!($lone);)*

        /// A recorded fact.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Event {
            $($(#[$family_doc])* $family($type),)*
            $($(#[$lone_doc])* $lone($lone),)*
        }

        $(
            $(#[$family_doc])*
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub enum $type {
                $($(#[$doc])* $name($name),)*
            }

            impl $type {
                /// The event's kind.
                #[must_use]
                pub const fn kind(&self) -> EventKind {
                    match self {
                        $(Self::$name(_) => EventKind::$name,)*
                    }
                }

                fn is_erased(&self) -> bool {
                    match self {
                        $(Self::$name(payload) => {
                            payload.content().0.is_some_and(Encode::is_erased)
                        })*
                    }
                }

                fn to_record(&self) -> Result<EventRecord, RecordError> {
                    match self {
                        $(Self::$name(payload) => record($number, $version, stringify!($name), payload),)*
                    }
                }
            }

            impl From<$type> for Event {
                fn from(event: $type) -> Self {
                    Self::$family(event)
                }
            }

            $(impl From<$name> for Event {
                fn from(payload: $name) -> Self {
                    Self::$family($type::$name(payload))
                }
            })*

            $(impl $name {
                /// Returns the payload of `event`, if it is of this kind.
                #[must_use]
                pub const fn of_event(event: &Event) -> Option<&Self> {
                    if let Event::$family($type::$name(payload)) = event {
                        Some(payload)
                    } else {
                        None
                    }
                }
            })*
        )*

        $(impl From<$lone> for Event {
            fn from(payload: $lone) -> Self {
                Self::$lone(payload)
            }
        })*

        /// The kinds of events. The numbers are for ever.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum EventKind {
            $($($(#[$doc])* $name = $number,)*)*
            $($(#[$lone_doc])* $lone = $lone_number,)*
        }

        impl EventKind {
            /// All kinds of this build, with their schema versions, in the order of their numbers.
            pub const ALL: &'static [(Self, u16)] = &[
                $($((Self::$name, $version),)*)*
                $((Self::$lone, $lone_version),)*
            ];

            /// The number of this build's schema: every new event, and every new version of one, raises it.
            #[must_use]
            pub fn schema() -> u32 {
                Self::ALL.iter().map(|(_, version)| u32::from(*version)).sum()
            }

            /// The name, as in the documents.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$name => stringify!($name),)*)*
                    $(Self::$lone => stringify!($lone),)*
                }
            }
        }

        impl Event {
            /// The event's kind.
            #[must_use]
            pub const fn kind(&self) -> EventKind {
                match self {
                    $(Self::$family(event) => event.kind(),)*
                    $(Self::$lone(_) => EventKind::$lone,)*
                }
            }

            /// Tells whether its content was erased.
            #[must_use]
            pub fn is_erased(&self) -> bool {
                match self {
                    $(Self::$family(event) => event.is_erased(),)*
                    $(Self::$lone(payload) => payload.content().0.is_some_and(Encode::is_erased),)*
                }
            }

            /// Takes it apart for storage.
            ///
            /// # Errors
            /// [`RecordError::Malformed`] if a value in it has no JSON form.
            pub fn to_record(&self) -> Result<EventRecord, RecordError> {
                match self {
                    $(Self::$family(event) => event.to_record(),)*
                    $(Self::$lone(payload) => {
                        record($lone_number, $lone_version, stringify!($lone), payload)
                    })*
                }
            }

            /// Puts a record of the current schema version together again.
            ///
            /// # Errors
            /// [`RecordError`]: unknown kind or version, or parts that do not fit.
            pub fn from_record(record: EventRecord) -> Result<Self, RecordError> {
                Self::from_view(record.view())
            }

            /// Does the same without taking the record's bytes.
            ///
            /// # Errors
            /// [`RecordError`]: unknown kind or version, or parts that do not fit.
            pub fn from_view(record: RecordView<'_>) -> Result<Self, RecordError> {
                match (record.kind, record.version) {
                    $($(($number, $version) => {
                        Ok(Self::$family($type::$name(read(stringify!($name), record)?)))
                    })*)*
                    $(($lone_number, $lone_version) => {
                        Ok(Self::$lone(read(stringify!($lone), record)?))
                    })*
                    (kind, version) => Err(RecordError::Unknown { kind, version }),
                }
            }
        }
    };
}

fn record<P: Payload>(
    kind: u16,
    version: u16,
    name: &'static str,
    payload: &P,
) -> Result<EventRecord, RecordError> {
    let malformed = |source| RecordError::Malformed {
        kind: name,
        version,
        source,
    };
    let facts = serde_json::to_vec(payload).map_err(malformed)?;
    let content = match payload.content() {
        StoredContentRef(None) => StoredContent::None,
        StoredContentRef(Some(content)) => content.encode().map_err(malformed)?,
    };
    Ok(EventRecord {
        kind,
        version,
        facts,
        content,
    })
}

fn read<P: Payload>(name: &'static str, record: RecordView<'_>) -> Result<P, RecordError> {
    let malformed = |source| RecordError::Malformed {
        kind: name,
        version: record.version,
        source,
    };
    let mut payload: P = from_json(record.facts).map_err(malformed)?;
    if P::HAS_CONTENT == matches!(record.content, ContentView::None) {
        return Err(RecordError::Content { kind: name });
    }
    payload.restore(record.content).map_err(malformed)?;
    Ok(payload)
}

events! {
    /// Facts about the world as a whole: its definition, its rules, its people and its log.
    family World(WorldEvent) {
        /// A world began.
        1 version 2 WorldOpened [text];
        /// A process opened the world for writing.
        2 version 1 Opened;
        /// The room's definition changed.
        3 version 3 SpecRevised [text];
        /// Other rules decide from here on.
        4 version 1 EpochOpened;
        /// A person joined the roster.
        5 version 1 PersonJoined;
        /// Something is odd, and nothing was refused for it.
        6 version 1 WarningRecorded;
        /// A step of a world script is done.
        7 version 1 StepDone;
        /// A person left the roster.
        8 version 1 PersonLeft;
        /// The world has another owner or other labels.
        9 version 1 Labelled;
        /// A person has other rights.
        10 version 1 RightsChanged;
        /// A head of the log was signed.
        11 version 1 HeadSigned;
        /// The world was branched off another one.
        12 version 1 Forked;
        /// An erasure of content was asked for.
        13 version 1 ErasureRequested [basis];
        /// Content was erased.
        14 version 1 Erased;
        /// The world was opened for the first time in a copy of its store.
        15 version 1 Restored;
        /// Somebody looked at text that is kept from people.
        16 version 1 WithheldViewed;
    }
    /// Facts about messages, notices and what clients show.
    family Talk(TalkEvent) {
        /// A message was posted.
        20 version 1 MessagePosted [body];
        /// The hearers and the answerers of a message were decided.
        21 version 2 MessageRouted [unknown];
        /// The world told people something.
        22 version 2 NoticePosted;
        /// A person put other words in the place of a message.
        23 version 1 MessageEdited [body];
        /// A message was taken back.
        24 version 1 MessageRetracted;
        /// An agent's reply was taken back, and is made anew.
        25 version 1 ReplyRegenerated;
        /// Parts of what an agent said were kept from people.
        26 version 1 ArtifactWithheld;
        /// A client told what its user sees.
        27 version 1 StateObserved [state];
    }
    /// Facts about the turns of agents: their news, their models and their memories.
    family Turn(TurnEvent) {
        /// An agent took up its news.
        40 version 1 TurnOpened;
        /// An agent's news were set aside unanswered.
        41 version 1 TurnDeclined;
        /// A model is about to be asked.
        42 version 1 ModelCalled;
        /// The first words of a streaming reply are about to be shown.
        43 version 1 StreamStarted;
        /// A model answered.
        44 version 1 ModelAnswered [response];
        /// An attempt of a model call failed.
        45 version 2 ModelFailed [detail];
        /// An agent in code reacted.
        46 version 1 AgentReacted [reaction];
        /// An agent in code failed.
        47 version 1 AgentFailed [detail];
        /// The agent's next request does not extend its last one.
        48 version 1 PrefixBroken;
        /// A turn is over.
        49 version 1 TurnClosed;
        /// A person or the world stopped what was going on.
        50 version 1 Stopped;
        /// An agent waited long enough for those whom it had asked.
        51 version 1 JoinElapsed;
        /// An agent handed the episode to another.
        52 version 1 HandedOff;
        /// A summary took the place of an agent's oldest items.
        53 version 1 MemoryCompacted;
        /// A streaming reply broke off with the process that showed it.
        54 version 1 StreamCut;
    }
    /// Facts about tool calls, and what people decided about them.
    family Call(CallEvent) {
        /// An answer's tool calls were taken up.
        60 version 1 CallsAdmitted;
        /// A call waits for a person's permission.
        61 version 2 ApprovalRequested;
        /// A person decided.
        62 version 3 ApprovalDecided [text];
        /// An approval ran out of time undecided.
        63 version 1 ApprovalExpired;
        /// A tool asks a person something.
        64 version 1 QuestionAsked [question];
        /// A person answered.
        65 version 3 QuestionAnswered [text];
        /// A tool is about to run.
        66 version 1 ToolStarted;
        /// A call has its result.
        67 version 2 ToolFinished [outcome];
        /// The outcome of a call is unknown: it may have taken effect.
        68 version 1 OutcomeUnknown;
        /// An unknown outcome became known, or a person said what it was.
        69 version 2 OutcomeSettled [text];
        /// The tool told what became of a lost run.
        70 version 2 Reconciled [outcome];
        /// A call was closed in favour of another.
        71 version 1 CallReplaced;
        /// An agent asked another.
        72 version 1 AgentAsked;
        /// A person allowed calls to come.
        73 version 2 GrantGiven;
        /// A grant allowed a call.
        74 version 1 GrantUsed;
        /// A grant is over before its time.
        75 version 2 GrantRevoked;
    }
    alone {
        /// A command that asserts a right was refused.
        80 version 2 Refused;
    }
}
