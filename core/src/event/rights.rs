//! Rights that were changed.

use serde::{Deserialize, Serialize};

pub use crate::ids::principal::{Right, Rights};

/// A person has other rights from here on. They replace the ones before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RightsChanged {
    /// The method by which the person is proven.
    pub method: String,
    /// The person's id to that method.
    pub subject: String,
    /// The rights; `None`: those that the definition says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<Rights>,
}
