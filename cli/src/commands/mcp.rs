//! `folkmoot mcp`. The help is the same in a build that has none.

#[cfg(not(feature = "mcp"))]
mod absent;
#[cfg(feature = "mcp")]
mod offers;
#[cfg(feature = "mcp")]
mod present;

#[cfg(not(feature = "mcp"))]
pub(super) use absent::mcp;
#[cfg(feature = "mcp")]
pub(super) use present::mcp;
