//! Fakes for tests across the crates: logs that stop or wait, tools and models that tell what they were given.
//!
//! Nothing here is used outside of tests. It deliberately mocks nothing of ours: the store, the runtime and the rules
//! under test are the real ones.
//!
//! Read first: [`Cut`] (stands between worlds and their log), [`Probe`] (what tools did), [`Stage`] (a script in a copy of its
//! folder).
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]

mod cast;
mod commons;
mod gate;
mod golden;
mod probe;
mod pure;
mod room;
mod stage;
mod stubborn;
mod tenure;
mod trace;

pub use cast::{FakeModel, FakeTool, Moves, says, wants};
pub use commons::{Commons, Member, TTL};
pub use gate::{Cut, Hold, Meter, Side};
pub use golden::golden_commit;
pub use probe::{Probe, Probed};
pub use pure::{Cast, Dice, PureRoom};
pub use room::{Room, agent_name, person, room_name};
pub use stage::{Kept, Stage};
pub use stubborn::Stubborn;
pub use tenure::{Deed, Fickle, Loss};
pub use trace::{Trace, commits_of, repeats_of, story_of};
