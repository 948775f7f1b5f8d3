//! What the rules of a tool say beside its effect: what its calls may do, and who sees what of its output.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EffectClass;
use crate::tool::constraint::Constraint;

/// What a model sees of a tool's output. People always see the views.
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
    /// Nothing but that it ran.
    None,
}

impl ViewPolicy {
    /// Whether a model sees the text.
    #[must_use]
    pub fn is_full(&self) -> bool {
        *self == Self::Full
    }
}

/// What a call may do if its arguments fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRule {
    /// What the arguments must fit, all of it.
    pub when: Vec<Constraint>,
    /// What such a call may do.
    pub effect: EffectClass,
}

/// What becomes of a call that no rule of its tool fits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unlisted {
    /// It has the tool's effect, and asks if that does.
    #[default]
    ByEffect,
    /// It is refused.
    Refuse,
    /// It asks, whatever the room's mode is, unless that refuses it.
    Ask,
}

impl Unlisted {
    /// Whether the tool's effect decides.
    #[must_use]
    pub fn is_by_effect(&self) -> bool {
        *self == Self::ByEffect
    }
}

/// How people see a kind of domain artifact: drawn from its data, never from text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactSpec {
    /// Its heading.
    pub title: String,
    /// JSON Schema (2020-12) of its data.
    pub schema: Value,
    /// What is shown, in order.
    pub fields: Vec<ArtifactField>,
}

/// One line or block of a domain artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactField {
    /// Where it stands in the data, as a JSON pointer; what is not there is not shown.
    pub path: String,
    /// What it is called.
    pub label: String,
    /// How it is written.
    #[serde(rename = "as", default)]
    pub form: FieldForm,
}

/// How a value is written.
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
    /// Where the cell stands in its row's object, as a JSON pointer.
    pub path: String,
    /// Its heading.
    pub label: String,
    /// How the cell is written. A table or a list in a cell is written as it is.
    #[serde(rename = "as", default)]
    pub form: FieldForm,
}
