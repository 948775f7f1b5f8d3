//! What the programs in Rust share: their arguments, the texts, the meter, and the line that a measurement prints.

use std::error::Error;

pub use args::Args;
pub use figure::{Figure, disk_bytes, resident_bytes};
pub use meter::Meter;
pub use texts::Texts;

mod args;
mod figure;
mod meter;
mod texts;

/// What any measurement gives.
pub type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The effects of one run.
pub const EFFECTS: usize = 100;

/// The rounds of one conversation.
pub const ROUNDS: usize = 20;
