//! The reasons why a statement does not pass.

use std::fmt;

use folkmoot_core::tool::{ToolErrorCode, ToolFailure};

/// A kind of thing that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A table, or what stands in the place of one.
    Table,
    /// A column.
    Column,
    /// A function, or an operator that is one.
    Function,
    /// A type.
    Type,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Column => "column",
            Self::Function => "function",
            Self::Type => "type",
        })
    }
}

/// A reason why a statement does not pass. What it names are words of the statement itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// The statement is too long.
    #[error("the statement has more than {max} bytes")]
    TooLong {
        /// The limit.
        max: usize,
    },
    /// It nests too deep, or has too many parts in a row.
    #[error("the statement nests too deep, or has too many parts in a row")]
    TooDeep,
    /// It does not read as SQL.
    #[error("the statement does not read as SQL: {why}")]
    Malformed {
        /// The parser's words.
        why: String,
    },
    /// It is none or several.
    #[error("{found} statements; exactly one is allowed")]
    NotOne {
        /// Their number.
        found: usize,
    },
    /// It does something else than ask.
    #[error("only a query is allowed: SELECT, VALUES or WITH … SELECT")]
    NotAQuery,
    /// It has a part that no query may have.
    #[error("{what} is not allowed")]
    Unsupported {
        /// The part.
        what: &'static str,
    },
    /// It names what is not on the list.
    #[error("the {part} {name:?} is not on the list of what may be used")]
    NotListed {
        /// The kind of thing.
        part: Part,
        /// Its name, as the statement spells it.
        name: String,
    },
}

impl Refusal {
    pub(crate) const fn unsupported(what: &'static str) -> Self {
        Self::Unsupported { what }
    }

    pub(crate) fn not_listed(part: Part, name: impl Into<String>) -> Self {
        let name = name.into();
        Self::NotListed { part, name }
    }

    /// The code that a model is told.
    pub(crate) const fn code(&self) -> ToolErrorCode {
        match self {
            Self::TooLong { .. } | Self::TooDeep => ToolErrorCode::TooLarge,
            Self::Malformed { .. } => ToolErrorCode::BadArguments,
            Self::NotOne { .. }
            | Self::NotAQuery
            | Self::Unsupported { .. }
            | Self::NotListed { .. } => ToolErrorCode::NotAllowed,
        }
    }
}

impl From<Refusal> for ToolFailure {
    fn from(refusal: Refusal) -> Self {
        let failure = Self::new(refusal.code(), refusal.to_string());
        match refusal {
            Refusal::NotListed { name, .. } => failure.about(name),
            Refusal::TooLong { .. }
            | Refusal::TooDeep
            | Refusal::Malformed { .. }
            | Refusal::NotOne { .. }
            | Refusal::NotAQuery
            | Refusal::Unsupported { .. } => failure,
        }
    }
}
