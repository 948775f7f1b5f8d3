//! AG-UI 1.0: a run of a client is an episode of a room.
//!
//! `frames` is the protocol itself, and `transcript` is what a client makes of its frames. `input`
//! and `interrupt` read what a client says, of which little counts; `route` joins them.

mod answer;
mod begin;
mod done;
mod frame;
mod frames;
mod input;
mod interrupt;
mod past;
mod resume;
pub(crate) mod route;
mod transcript;

#[cfg(test)]
mod tests;
