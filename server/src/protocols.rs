//! Other people's clients: each protocol is a function from the items of the feed to its frames.
//!
//! A connection keeps no state that the log does not have, and nothing that a client says of the
//! past, of approvals or of who it is counts.

pub(crate) mod ag_ui;
pub(crate) mod ai_sdk;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;

mod claim;
#[cfg(test)]
mod recorded;
mod run;
mod terms;
