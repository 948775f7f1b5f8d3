//! Errors of the command line, and the exit codes that tell them apart.

use std::io;

use folkmoot::core::event::refusal::Refusal;
use folkmoot::core::port::causes::with_causes;
use folkmoot::core::port::{AppendError, ReadError};
use folkmoot::export::ExportError;
use folkmoot::run::{RunError, Unmet};
use folkmoot::script::{Fault, ScriptError};
use folkmoot::view::ViewError;
use folkmoot::{DefinitionError, FoldError, OpenError, SeatError, store};

pub(crate) mod refusal;

/// The command did what was asked for.
pub(crate) const FINE: u8 = 0;
/// A script's expectation failed, or the run failed.
pub(crate) const FAILED: u8 = 1;
/// Wrong usage, or an invalid script.
pub(crate) const USAGE: u8 = 2;
/// The store, the configuration or credentials.
pub(crate) const STORE: u8 = 3;
/// An approval was denied, or is still pending where the command needed it.
pub(crate) const PENDING: u8 = 4;
/// The store does not hold what was written.
pub(crate) const INTEGRITY: u8 = 5;
/// Something was not checked where a check was asked for.
pub(crate) const NOT_CHECKED: u8 = 6;
/// Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;
/// The reader of the output went away while something was being done: what a shell reports for
/// SIGPIPE.
pub(crate) const CUT_OFF: u8 = 141;

/// An error that keeps a command from doing what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// A script has faults.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The expectation of a step did not hold.
    #[error("{}", .0.fault)]
    Unmet(Box<Unmet>),
    /// A step failed.
    #[error("{0}")]
    Step(Fault),
    /// The store does not open.
    #[error("{}", with_causes(.0))]
    Store(#[from] store::OpenError),
    /// A world does not open.
    #[error("{}{}", with_causes(.0), hint(matches!(.0, OpenError::NoSuchWorld(_))))]
    World(OpenError),
    /// A log does not read.
    #[error("{}{}", with_causes(.0), hint(matches!(.0, FoldError::NoSuchWorld(_))))]
    Fold(#[from] FoldError),
    /// Something else, with its exit code.
    #[error("{message}")]
    Other {
        /// The exit code.
        code: u8,
        /// The fault, and what to do about it.
        message: String,
    },
    /// The process that holds the store ended while it was asked.
    #[error("the process that holds the store went away: {0}")]
    HolderLost(String),
    /// The reader of the output went away.
    #[error("the output was closed")]
    Closed,
    /// The fault was told already, where it happened; here is its exit code.
    #[error("exit code {0}")]
    Said(u8),
}

impl CliError {
    /// An error with its exit code.
    pub(crate) fn other(code: u8, message: impl Into<String>) -> Self {
        Self::Other {
            code,
            message: message.into(),
        }
    }

    /// Makes an error of a failure to write the output.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is what `map_err` hands over"
    )]
    pub(crate) fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::other(FAILED, format!("cannot write the output: {error}"))
    }

    /// A value that has no JSON form.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is what `map_err` hands over"
    )]
    pub(crate) fn json(error: serde_json::Error) -> Self {
        Self::other(FAILED, format!("this has no JSON form: {error}"))
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Script(_) => USAGE,
            Self::Step(_) | Self::Unmet(_) => FAILED,
            Self::Store(
                store::OpenError::Damaged { .. }
                | store::OpenError::CutTail { .. }
                | store::OpenError::LostContent { .. },
            ) => INTEGRITY,
            Self::Store(_) | Self::HolderLost(_) => STORE,
            Self::World(error) => world_code(error),
            Self::Fold(FoldError::Read(error)) => read_code(error),
            Self::Fold(FoldError::BehindHead { .. }) => USAGE,
            Self::Fold(_) => STORE,
            Self::Other { code, .. } | Self::Said(code) => *code,
            Self::Closed => FINE,
        }
    }
}

/// Returns the advice about a world that is not there; empty if that is not the fault.
const fn hint(is_missing: bool) -> &'static str {
    if is_missing {
        "; `folkmoot worlds` lists those that there are"
    } else {
        ""
    }
}

fn world_code(error: &OpenError) -> u8 {
    match error {
        OpenError::Read(error) => read_code(error),
        OpenError::Refused(_) | OpenError::NoSuchEvent { .. } => USAGE,
        OpenError::NoSuchWorld(_)
        | OpenError::AlreadyOpen(_)
        | OpenError::TakenOver(_)
        | OpenError::NoTenure { .. }
        | OpenError::TenureLost(_)
        | OpenError::Elsewhere { .. }
        | OpenError::Assemble(_)
        | OpenError::NoHost(_)
        | OpenError::MissingPart { .. }
        | OpenError::Append(_)
        | _ => STORE,
    }
}

fn read_code(error: &ReadError) -> u8 {
    if matches!(error, ReadError::Damaged { .. }) {
        INTEGRITY
    } else {
        STORE
    }
}

impl From<ReadError> for CliError {
    fn from(error: ReadError) -> Self {
        Self::Fold(FoldError::Read(error))
    }
}

impl From<ViewError> for CliError {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Fold(error) => error.into(),
            ViewError::Definition(error) => error.into(),
            ViewError::Json(error) => Self::json(error),
            ViewError::Event { source, .. } => Self::other(FAILED, with_causes(&source)),
            ViewError::Damaged { world, source } => {
                Self::other(INTEGRITY, format!("{world}: {}", with_causes(&source)))
            }
            ViewError::NotModelCalled { ref world, .. } => {
                let list = format!("`log {world} --kind ModelCalled` lists the calls");
                Self::other(USAGE, format!("{error}; {list}"))
            }
            ViewError::NoSuchEvent { .. }
            | ViewError::NoSuchAgent { .. }
            | ViewError::NoSuchKind { .. } => Self::other(USAGE, error.to_string()),
            ViewError::Lost(_) | ViewError::NoWorlds | ViewError::NoCommit(_) => {
                Self::other(INTEGRITY, error.to_string())
            }
            ViewError::NoModelRequest | _ => Self::other(FAILED, with_causes(&error)),
        }
    }
}

impl From<ExportError> for CliError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Fold(error) => error.into(),
            ExportError::Read(error) => error.into(),
            error @ ExportError::NotBuilt => Self::other(USAGE, error.to_string()),
            error @ ExportError::Erasing => Self::other(STORE, error.to_string()),
            error @ (ExportError::Event { .. }
            | ExportError::Commit { .. }
            | ExportError::Page(_)
            | _) => Self::other(FAILED, with_causes(&error)),
        }
    }
}

impl From<AppendError> for CliError {
    fn from(error: AppendError) -> Self {
        Self::other(STORE, with_causes(&error))
    }
}

impl From<DefinitionError> for CliError {
    fn from(error: DefinitionError) -> Self {
        match error {
            DefinitionError::Script(error) => Self::Script(error),
            error @ (DefinitionError::MissingRoot(_) | _) => {
                Self::other(STORE, with_causes(&error))
            }
        }
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        if let OpenError::Refused(Refusal::BadDefinition { why }) = &error {
            return Self::other(
                USAGE,
                format!("the world's definition cannot be used: {why}"),
            );
        }
        if let OpenError::Refused(refusal) = &error {
            return Self::other(USAGE, refusal::sentence(refusal));
        }
        if let OpenError::Append(AppendError::NameTaken(name)) = &error {
            return Self::other(
                USAGE,
                format!("a world called {name} exists; choose another name"),
            );
        }
        Self::World(error)
    }
}

impl From<SeatError> for CliError {
    fn from(error: SeatError) -> Self {
        if let SeatError::Refused(refusal) = &error {
            return Self::other(PENDING, refusal::sentence(refusal));
        }
        Self::other(FAILED, error.to_string())
    }
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Definition(error) => error.into(),
            RunError::Open(error) => error.into(),
            RunError::Edited(fault) => Self::Script((*fault).into()),
            RunError::Failed(fault) => Self::Step(*fault),
            RunError::Unmet(unmet) => Self::Unmet(unmet),
            RunError::Fold(error) => error.into(),
            RunError::Parked(_) => Self::other(PENDING, error.to_string()),
            RunError::Exists(_) | RunError::Revises(_) => Self::other(USAGE, error.to_string()),
            error @ (RunError::Stopped(_) | _) => Self::other(FAILED, error.to_string()),
        }
    }
}
