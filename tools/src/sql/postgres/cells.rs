//! Values, as the server writes them.

use tokio_postgres::types::Type;

use crate::sql::rows::Cell;

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellKind {
    Bool,
    Integer,
    Real,
    Decimal,
    Time,
    Bytes,
    Text,
}

impl CellKind {
    pub(super) fn of(kind: &Type) -> Self {
        match *kind {
            Type::BOOL => Self::Bool,
            Type::INT2 | Type::INT4 | Type::INT8 | Type::OID => Self::Integer,
            Type::FLOAT4 | Type::FLOAT8 => Self::Real,
            Type::NUMERIC => Self::Decimal,
            Type::DATE | Type::TIMESTAMP | Type::TIMESTAMPTZ => Self::Time,
            Type::BYTEA => Self::Bytes,
            _ => Self::Text,
        }
    }

    /// The value of a text of this kind. What does not read as it should stays a text.
    pub(super) fn cell(self, text: Option<&str>) -> Cell {
        let Some(text) = text else {
            return Cell::Null;
        };
        let read = match self {
            Self::Bool => match text {
                "true" => Some(Cell::Bool(true)),
                "false" => Some(Cell::Bool(false)),
                _ => None,
            },
            Self::Integer => text.parse().ok().map(Cell::Integer),
            Self::Real => text.parse().ok().map(Cell::Real),
            Self::Decimal => Some(Cell::Decimal(text.to_owned())),
            Self::Time => Some(Cell::Time(text.to_owned())),
            Self::Bytes => text.parse().ok().map(Cell::Bytes),
            Self::Text => None,
        };
        read.unwrap_or_else(|| Cell::Text(text.to_owned()))
    }
}
