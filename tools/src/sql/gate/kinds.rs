//! Types and parts of a time, in the words of the engine.

use sqlparser::ast::{CharacterLength, DataType, DateTimeField, ExactNumberInfo, TimezoneInfo};

use crate::sql::policy::Dialect;
use crate::sql::refusal::{Part, Refusal};

/// The type, if both engines know it under a name that means nothing else. A type of a name such as `regclass` looks names
/// up in the engine's catalogue.
pub(super) fn written(kind: &DataType, dialect: Dialect) -> Result<String, Refusal> {
    let word = match (kind, dialect) {
        (DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None), _) => "INTEGER",
        (DataType::BigInt(None) | DataType::Int8(None), _) => "BIGINT",
        (DataType::SmallInt(None) | DataType::Int2(None), _) => "SMALLINT",
        (DataType::Text, _) => "TEXT",
        (DataType::Real | DataType::Float4, _) => "REAL",
        (
            DataType::Double(ExactNumberInfo::None)
            | DataType::DoublePrecision
            | DataType::Float(ExactNumberInfo::None)
            | DataType::Float8,
            _,
        ) => "DOUBLE PRECISION",
        (DataType::Boolean | DataType::Bool, Dialect::Postgres) => "BOOLEAN",
        (DataType::Date, Dialect::Postgres) => "DATE",
        (DataType::Timestamp(None, zone) | DataType::Time(None, zone), Dialect::Postgres) => {
            return time(kind, zone);
        }
        (DataType::JSON, Dialect::Postgres) => "JSON",
        (DataType::JSONB, Dialect::Postgres) => "JSONB",
        (DataType::Uuid, Dialect::Postgres) => "UUID",
        (DataType::Blob(None), Dialect::Sqlite) => "BLOB",
        (DataType::Numeric(size) | DataType::Decimal(size) | DataType::Dec(size), _) => {
            return Ok(numeric(*size));
        }
        (DataType::Varchar(length) | DataType::CharacterVarying(length), _) => {
            return text("VARCHAR", *length);
        }
        (DataType::Char(length) | DataType::Character(length), _) => return text("CHAR", *length),
        (other, _) => return Err(Refusal::not_listed(Part::Type, other.to_string())),
    };
    Ok(word.to_owned())
}

fn numeric(size: ExactNumberInfo) -> String {
    match size {
        ExactNumberInfo::None => "NUMERIC".to_owned(),
        ExactNumberInfo::Precision(digits) => format!("NUMERIC({digits})"),
        ExactNumberInfo::PrecisionAndScale(digits, scale) => format!("NUMERIC({digits}, {scale})"),
    }
}

fn text(word: &str, length: Option<CharacterLength>) -> Result<String, Refusal> {
    match length {
        None => Ok(word.to_owned()),
        Some(CharacterLength::IntegerLength { length, unit: None }) => {
            Ok(format!("{word}({length})"))
        }
        Some(CharacterLength::IntegerLength { .. } | CharacterLength::Max) => {
            Err(Refusal::not_listed(Part::Type, word))
        }
    }
}

fn time(kind: &DataType, zone: &TimezoneInfo) -> Result<String, Refusal> {
    let word = if matches!(kind, DataType::Time(..)) {
        "TIME"
    } else {
        "TIMESTAMP"
    };
    Ok(match zone {
        TimezoneInfo::None => word.to_owned(),
        TimezoneInfo::WithTimeZone | TimezoneInfo::Tz => format!("{word} WITH TIME ZONE"),
        TimezoneInfo::WithoutTimeZone => format!("{word} WITHOUT TIME ZONE"),
    })
}

/// The part of a time.
pub(super) fn field(field: &DateTimeField) -> Result<&'static str, Refusal> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all that is not named is refused"
    )]
    Ok(match field {
        DateTimeField::Year => "YEAR",
        DateTimeField::Quarter => "QUARTER",
        DateTimeField::Month => "MONTH",
        DateTimeField::Week(None) => "WEEK",
        DateTimeField::Day => "DAY",
        DateTimeField::Hour => "HOUR",
        DateTimeField::Minute => "MINUTE",
        DateTimeField::Second => "SECOND",
        DateTimeField::Dow => "DOW",
        DateTimeField::Doy => "DOY",
        DateTimeField::Isodow => "ISODOW",
        DateTimeField::Isoyear => "ISOYEAR",
        DateTimeField::Epoch => "EPOCH",
        _ => return Err(Refusal::unsupported("this part of a time")),
    })
}
