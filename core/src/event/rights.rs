//! Rights that were changed.

use serde::{Deserialize, Serialize};

pub use crate::ids::principal::{Holder, Right, Rights};

/// A person or a service has other rights from here on. They replace the ones before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RightsChanged {
    /// The kind of whoever has them.
    #[serde(default, skip_serializing_if = "Holder::is_person")]
    pub holder: Holder,
    /// The method by which they are proven.
    pub method: String,
    /// Their id to that method.
    pub subject: String,
    /// The rights; `None`: those that the definition says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<Rights>,
}
