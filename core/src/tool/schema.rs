//! A tool's JSON Schema (2020-12), and what a model is told of it.
//!
//! [`for_model`] leaves out what says nothing to a model and writes out what references lead to. An
//! instance is valid for what comes out if it is valid for what went in, and only then.
//!
//! | keyword | what becomes of it |
//! |---|---|
//! | all that validation reads, `dependencies` too | kept |
//! | `description`, `default`, `deprecated` | kept: models choose values by them |
//! | `format`, `contentEncoding`, `contentMediaType` | kept: not validated, but they say how to write a value |
//! | `title` | left out where it only repeats the name of its property or definition |
//! | `examples`, `readOnly`, `writeOnly`, `contentSchema`, `$comment` | left out |
//! | `$schema`, `$id`, `$vocabulary` | left out; below the root `$schema` is refused, and so is `$id` beside references |
//! | `$anchor`, `$dynamicAnchor` | left out unless a reference that is kept needs it |
//! | `$defs`, `definitions` | left out but for the entries that references lead to that are kept |
//! | `$dynamicRef` | refused: what it leads to depends on who asks |
//! | `x-…` and all that 2020-12 does not know | left out: nothing is validated by it |
//!
//! What `const`, `enum` and `default` hold is data, and names of properties are names: neither is
//! ever touched.
//!
//! A `$ref` must lead to a schema in the same document, by pointer or anchor; what stands behind a
//! keyword that 2020-12 does not know is none. A schema must not apply itself to the same value
//! again. Else the tool is refused, with the place and the reference.
//!
//! A reference is replaced by the schema that it leads to, joined with what stands beside it: into
//! one object where the keywords cannot act upon each other, by `allOf` where they could. It is
//! kept where it closes a cycle, where the whole would grow beyond twice its bytes, or where what
//! takes its place nests deeper than [`INLINED_LEVELS_MAX`]. Kept references keep their text, and
//! what they lead to its place.

use serde_json::Value;

use index::SchemaIndex;
use plan::SchemaPlan;

pub(crate) use compiled::{ToolSchema, compile};

mod compiled;
mod emit;
mod index;
mod keywords;
mod order;
mod plan;
mod reference;

#[cfg(test)]
mod tests;

/// The most levels of arrays and objects in a schema.
pub const LEVELS_MAX: usize = 64;

/// The most levels of arrays and objects in a schema that takes the place of a reference. With
/// [`LEVELS_MAX`] it keeps all that models are told below the 127 levels that JSON parsers take.
pub const INLINED_LEVELS_MAX: usize = 32;

/// The most bytes of a schema, as compact JSON.
pub const BYTES_MAX: usize = 1024 * 1024;

/// The most schemas that one value is led through, by `$ref`, `allOf`, `anyOf`, `not` and their
/// like, without going into the value. Validating goes as deep for each level of the value, on a
/// stack that has an end.
pub const STEPS_MAX: usize = 24;

/// The reason that no tool can have such a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}, at `{at}`")]
pub struct SchemaError {
    /// The place in the schema, as a JSON pointer; empty for the schema itself.
    pub at: String,
    /// The fault there.
    pub fault: SchemaFault,
}

/// A fault of a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// The schema nests too deep.
    #[error("the schema nests deeper than {LEVELS_MAX} levels")]
    TooDeep,
    /// The schema is too long.
    #[error("the schema has {bytes} bytes, at most {BYTES_MAX} are possible")]
    TooLong {
        /// As compact JSON.
        bytes: usize,
    },
    /// A reference to another document.
    #[error("the reference {reference:?} leads out of the schema: only `#…` is followed")]
    Remote {
        /// The text of the reference.
        reference: String,
    },
    /// A reference to what is not there, or is no schema.
    #[error("the reference {reference:?} leads to no schema")]
    Unresolved {
        /// The text of the reference.
        reference: String,
    },
    /// A reference whose meaning depends on who asks.
    #[error("`$dynamicRef` is not followed: write `$ref`")]
    Dynamic,
    /// A subschema with a base of its own, in a schema with references.
    #[error("an `$id` below the root changes what references lead to: leave it out")]
    OwnId,
    /// A subschema of another dialect.
    #[error("a `$schema` below the root changes what keywords mean: leave it out")]
    OwnDialect,
    /// Two anchors with one name.
    #[error("two anchors have the name {name:?}: rename one of them")]
    AnchorTwice {
        /// The name.
        name: String,
    },
    /// A schema that applies itself to the same value over and over.
    #[error(
        "the schema refers to itself in a circle: let the circle pass through a property or an item"
    )]
    Endless,
    /// A schema that leads through too many others.
    #[error(
        "more than {STEPS_MAX} schemas apply to one value, each through the one before it: write out some of the references and combinations"
    )]
    TooManySteps,
    /// The schema breaks a rule of JSON Schema.
    #[error("{why}")]
    Invalid {
        /// The rule.
        why: String,
    },
}

/// Returns the schema that a model is told for `schema`: the same instances are valid for it. At
/// most twice as long, as compact JSON.
///
/// # Errors
/// [`SchemaError`] names the first reference that cannot be followed, or the bound that the schema
/// exceeds. Rules of JSON Schema itself are not checked here.
pub fn for_model(schema: &Value) -> Result<Value, SchemaError> {
    let error = |fault| SchemaError {
        at: String::new(),
        fault,
    };
    if levels(schema, LEVELS_MAX).is_none() {
        return Err(error(SchemaFault::TooDeep));
    }
    let bytes = bytes(schema);
    if bytes > BYTES_MAX {
        return Err(error(SchemaFault::TooLong { bytes }));
    }
    let index = SchemaIndex::of(schema)?;
    Ok(SchemaPlan::of(&index, bytes).whole())
}

/// Checks that a tool can have `schema`: it is a JSON Schema (2020-12), and a model can be told of
/// it.
///
/// # Errors
/// [`SchemaError`] names the first fault.
pub fn check(schema: &Value) -> Result<(), SchemaError> {
    ToolSchema::check(schema).map(drop)
}

/// Returns the levels of arrays and objects of `value`; `None` if they are more than `max`.
fn levels(value: &Value, max: usize) -> Option<usize> {
    let inner: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Some(0),
    };
    let left = max.checked_sub(1)?;
    inner
        .into_iter()
        .try_fold(0, |most: usize, value| Some(most.max(levels(value, left)?)))?
        .checked_add(1)
}

/// Returns the length of `value` as compact JSON, in bytes.
fn bytes(value: &Value) -> usize {
    value.to_string().len()
}
