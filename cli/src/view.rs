//! Answers of commands, as data: the same for people, for `--json` and for the control socket.

pub(crate) mod anchor;
pub(crate) mod answer;
pub(crate) mod definition;
pub(crate) mod diff;
pub(crate) mod event;
pub(crate) mod export;
pub(crate) mod forbidden;
pub(crate) mod gist;
pub(crate) mod life;
pub(crate) mod prompt;
pub(crate) mod query;
pub(crate) mod replay;
pub(crate) mod rights;
pub(crate) mod state_diff;
pub(crate) mod transcript;
pub(crate) mod usage;
pub(crate) mod verify;
pub(crate) mod waiting;
pub(crate) mod why;
pub(crate) mod withholding;
pub(crate) mod world;
