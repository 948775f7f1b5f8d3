//! Texts of people, models and tools, held apart from the facts so that they can be erased.

use serde::{Deserialize, Serialize};

use crate::ids::Position;

pub mod canonical;

/// The words that stand where a text was erased.
pub const ERASED: &str = "[erased]";

/// A text or value that may have been erased. Every fold handles both cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content<T> {
    /// As it was written.
    Present(T),
    /// Gone. `by` is the event that asked for it, if that is known.
    Erased {
        /// The position of the request.
        by: Option<Position>,
    },
}

impl<T> Content<T> {
    /// The content, unless erased.
    pub const fn present(&self) -> Option<&T> {
        match self {
            Self::Present(value) => Some(value),
            Self::Erased { .. } => None,
        }
    }
}

/// Facts are decoded without their content; what is not given afterwards stays erased.
impl<T> Default for Content<T> {
    fn default() -> Self {
        Self::Erased { by: None }
    }
}

impl<T> From<T> for Content<T> {
    fn from(value: T) -> Self {
        Self::Present(value)
    }
}
