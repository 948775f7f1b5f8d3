//! The resources, asked without a socket: each request goes through the whole router.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod house;

mod ag_ui;
mod ai_sdk;
mod audit;
mod feed;
mod files;
mod life;
#[cfg(feature = "mcp")]
mod mcp;
mod owners;
mod posts;
mod requests;
mod rights;
mod services;
mod socket;
mod withheld;
