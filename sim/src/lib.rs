//! Rooms that live through faults on one thread, from one seed, under the laws of the log.
//!
//! A [`Story`] is a few rooms, what people do in them, and what goes wrong: the disk refuses, an
//! answer is lost, the process dies at any await. [`simulate`] lives it on a simulated machine,
//! with the real runtime and the real store, and holds what happens against every [`Law`]. The same
//! story gives the same log, byte by byte. It deliberately simulates nothing of ours: what is
//! played is the outside.
//!
//! Read first: [`Story`] (what happens), [`Law`] (what must hold), [`StoryChecker`] (who sees to
//! it).

mod story;

mod generate;

mod law;

mod check;

mod outcome;

mod machine;

mod simulate;

mod batch;

mod shrink;

pub use batch::live_all;
pub use check::StoryChecker;
pub use generate::{generate, generate_around};
pub use law::{Law, Violation};
pub use outcome::{Lived, StoryCounts};
pub use shrink::{breaks, shrink};
pub use simulate::simulate;
pub use story::{
    DiskFault, Does, Goes, Story, StoryDeed, StoryError, StoryFault, StoryRoom, UnreadableStory,
};
