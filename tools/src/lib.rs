//! Tools that ship with Folkmoot, and the host that runs programs for them.
//!
//! [`build_tool`] makes a tool from its settings in a world script. Each tool declares what it may do to the world
//! outside; nothing here asks for permission, or records anything: the runtime does both before a tool runs. Only `web`
//! reaches beyond this machine, and only what a rule of the script allows; with the feature `mcp`, so do tools of other servers.
//!
//! Read first: [`Built`], [`BuildError`] and [`ProcessHost`].
//!
//! ```
//! use folkmoot_core::ids::ToolName;
//! use folkmoot_core::tool::EffectClass;
//! use folkmoot_tools::build_tool;
//! use serde_json::json;
//!
//! let built = build_tool(&ToolName::new("sum")?, &json!({ "use": "calc" }), ".".as_ref())?;
//! assert_eq!(built.tool.spec().effect, EffectClass::Read);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod output;
mod roots;
mod variables;

pub mod host;
mod worker;

mod build;

mod asking;
mod calc;
mod clock;
mod files;
mod scripted;
mod shell;
#[cfg(feature = "sql")]
mod sql;
mod web;

#[cfg(feature = "data")]
pub mod data;
#[cfg(feature = "mcp")]
mod mcp;

mod kinds;

#[cfg(feature = "typed")]
mod typed;

#[cfg(test)]
mod stage;
#[cfg(feature = "testing")]
pub mod testing;

pub use build::{BuildError, Built, FEATURES, Kind, Shared, ToolRoot};
pub use host::{HELPER_ARGUMENT, ProcessHost, TOOL_VARIABLE, helper_main};
pub use kinds::{build_tool, build_tool_among, kinds};
#[cfg(feature = "mcp")]
pub use mcp::{Offer, OfferError, offers};
pub use roots::{root_holds, roots_touch};
#[cfg(feature = "typed")]
pub use typed::{Handler, Tool};
pub use variables::tool_secrets;
pub use worker::{BlockingTool, WORKER_ARGUMENT, Worker, WorkerCall, Workers};
