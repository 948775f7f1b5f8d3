//! The pure heart of Folkmoot.
//!
//! A world is a log; its state is the fold of the log; the work still owed is a function of the
//! state. This crate holds that function and the types around it. It deliberately lacks I/O,
//! clocks, randomness and an executor: whoever needs one implements a [port].
//!
//! Read first: [`Event`](event::Event) (what can happen), [`Command`](command::Command) (what can
//! be asked), and [`World`](world::World) (how the one becomes the other).
//!
//! ```
//! use folkmoot_core::command::{Action, Command, WorldAction};
//! use folkmoot_core::event::ClockKind;
//! use folkmoot_core::ids::{NodeId, Seed, Time, WorldId, WorldName};
//! use folkmoot_core::spec::{Definition, SpecText, WorldSpec};
//! use folkmoot_core::world::World;
//!
//! let mut world = World::default();
//! let stamp = world.stamp(Time::SIMULATED_START, Seed::new([7; 16]));
//! let command = Command::of_runtime(Action::World(WorldAction::Create {
//!     world: WorldId::from_stamp(&stamp),
//!     name: WorldName::new("home")?,
//!     clock: ClockKind::Simulated,
//!     base: None,
//!     definition: Definition { spec: WorldSpec::default(), text: SpecText::default().into(), source: None },
//!     node: NodeId::from_stamp(&stamp),
//!     signer: None,
//!     copy: None,
//!     labelled: Default::default(),
//! }));
//! let decision = world.decide(&command, &stamp);
//! if let Some(commit) = world.commit(&command, &stamp, &decision) {
//!     // Here the commit is appended to the log: nobody sees a fact that is not durable.
//!     world.apply(&commit);
//!     assert_eq!(Command::rebuild(&commit), Ok(command));
//! }
//! assert_eq!(world.owed().count(), 0);
//! # Ok::<(), folkmoot_core::ids::NameError>(())
//! ```

pub mod ids;

pub mod content;

pub mod tool;

pub mod model;

pub mod text;

pub mod spec;

pub mod event;

pub mod command;

pub mod prompt;

pub mod port;

pub mod world;

pub mod audit;

#[cfg(test)]
mod testing;
