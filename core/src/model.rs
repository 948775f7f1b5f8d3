//! The vocabulary of model calls: with which parameters a model is asked, its answer, and the price
//! of both.
//!
//! The request itself is [prompt](crate::prompt)'s: it is made from a world and nothing else.

pub mod money;
mod parameters;
pub mod response;

pub use parameters::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
