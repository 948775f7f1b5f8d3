//! A tool's output on its two tracks: what a model reads of it, and what people see.
//!
//! A model reads what the tool's [`ViewPolicy`](crate::tool::ViewPolicy) lets through. People see
//! [`Block`]s, which are drawn from typed data alone: no text that a model or a tool wrote becomes
//! one of another kind.

mod aggregate;
mod artifact;
mod block;
mod decimal;
mod form;
mod model;
#[cfg(test)]
mod tests;

pub use artifact::artifact_blocks;
pub use block::{Block, Column, blocks, plain};
pub use model::{Seen, for_model};
