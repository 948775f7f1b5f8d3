//! The display for people: chat lines, requests, faults, progress.

pub(crate) mod blocks;
pub(crate) mod chat;
mod fault;
pub(crate) mod feed;
pub(crate) mod foot;
pub(crate) mod grant;
pub(crate) mod item;
pub(crate) mod keyed;
pub(crate) mod news;
mod page;
pub(crate) mod paint;
mod parameters;
pub(crate) mod progress;
pub(crate) mod prompt;
pub(crate) mod request;
mod screen;
pub(crate) mod stage;
pub(crate) mod state_diff;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod transcript;
pub(crate) mod usage;
pub(crate) mod verify;
pub(crate) mod why;
pub(crate) mod withholding;
pub(crate) mod words;

pub(crate) use crate::text::{clean, clip, masked, one_line, time};
pub(crate) use fault::{ErrorReport, complain, misuse, remark, speak_json};
