//! The rules of a tool beside its effect: the effects of its calls, and who sees which part of its
//! output.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EffectClass;
use crate::tool::constraint::Constraint;

/// The part of a tool's output that a model sees. People always see the views.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewPolicy {
    /// The text.
    #[default]
    Full,
    /// The summary; without one, that there is none.
    Summary,
    /// Counts, sums and means of a table's columns, and no single value.
    Aggregates {
        /// Of fewer rows than this, no more is told than that they are fewer. At least 2 are meant.
        rows_min: u32,
    },
    /// The model sees only that the tool ran.
    None,
}

impl ViewPolicy {
    /// Tells whether a model sees the text.
    #[must_use]
    pub fn is_full(&self) -> bool {
        *self == Self::Full
    }
}

/// The effect of calls whose arguments fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRule {
    /// The constraints that the arguments must fit, all of them.
    pub when: Vec<Constraint>,
    /// The effect that such a call may have.
    pub effect: EffectClass,
}

/// The treatment of a call that no rule of its tool fits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unlisted {
    /// The call has the tool's effect, and asks if that does.
    #[default]
    ByEffect,
    /// The call is refused.
    Refuse,
    /// The call asks, whatever the room's mode is, unless that refuses it.
    Ask,
}

impl Unlisted {
    /// Tells whether the tool's effect decides.
    #[must_use]
    pub fn is_by_effect(&self) -> bool {
        *self == Self::ByEffect
    }
}

/// The way in which people see a kind of domain artifact: drawn from its data, never from text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactSpec {
    /// The heading.
    pub title: String,
    /// JSON Schema (2020-12) of its data.
    pub schema: Value,
    /// The fields that are shown, in order.
    pub fields: Vec<ArtifactField>,
}

/// A line or block of a domain artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactField {
    /// The place in the data, as a JSON pointer; a field that is not there is not shown.
    pub path: String,
    /// The name of the field.
    pub label: String,
    /// The form in which it is written.
    #[serde(rename = "as", default)]
    pub form: FieldForm,
}

/// The form in which a value is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldForm {
    /// As it is.
    #[default]
    Plain,
    /// An amount of money, in this currency.
    Money(String),
    /// An object with `min` and `max`: a range of money, in this currency.
    MoneyRange(String),
    /// A number of these units, e.g. `years`.
    Unit(String),
    /// An object with `min` and `max`: a range of these units.
    UnitRange(String),
    /// A number from 0 to 1, as a percentage.
    Percent,
    /// A list, one item a line.
    Bullets,
    /// A list of objects, one row each: the keys and the headings of the columns, in order.
    Table(Vec<ArtifactColumn>),
}

/// A column of a table in a domain artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactColumn {
    /// The place of the cell in its row's object, as a JSON pointer.
    pub path: String,
    /// The column's heading.
    pub label: String,
    /// The form in which the cell is written. A table or a list in a cell is written as it is.
    #[serde(rename = "as", default)]
    pub form: FieldForm,
}
