//! Answers about worlds, as data: the same for a terminal, for a socket and over HTTP.
//!
//! Each view reads a log, or a state that was folded from one, and gives a value that can be
//! serialised. It opens, calls and runs nothing. No view looks at rights: whoever asks, the caller
//! has looked at their rights.

mod error;

pub mod world;

pub mod summary;

mod gist;

mod roster;

pub mod event;

pub mod outline;

pub mod transcript;

pub mod waiting;

pub mod request;

pub mod permit;

pub mod preview;

pub mod rights;

pub mod usage;

pub mod replay;

pub mod state_diff;

pub mod diff;

pub mod prompt;

pub mod forbidden;

pub mod why;

pub mod routing;

pub mod withholding;

pub mod anchor;

pub mod verify;

pub mod definition;

pub mod life;

pub use error::ViewError;
