//! The answer to a command that has no other.

use axum::Json;
use folkmoot::{Accepted, Position};
use serde::Serialize;
use utoipa::ToSchema;

/// A command that was done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Done {
    /// The last event that it led to; absent if it changed nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    position: Option<Position>,
}

impl Done {
    pub(crate) const fn of(accepted: &Accepted) -> Self {
        Self {
            position: accepted.last,
        }
    }

    pub(crate) const fn json(accepted: &Accepted) -> Json<Self> {
        Json(Self::of(accepted))
    }
}
