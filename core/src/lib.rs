//! The pure heart of Folkmoot.
//!
//! A world is a log; its state is the fold of the log; the work still owed is a function of the state. This crate holds
//! that function and the types around it. It deliberately lacks I/O, clocks, randomness and an executor: whoever needs
//! one implements a [port].
//!
//! Read first: [`Event`](event::Event) (what can happen), [`Command`](command::Command) (what can be asked), and
//! [`World`](world::World) (how the one becomes the other).
//!
//! ```
//! use folkmoot_core::command::{Action, Command};
//! use folkmoot_core::event::ClockKind;
//! use folkmoot_core::ids::{NodeId, Seed, Time, WorldId, WorldName};
//! use folkmoot_core::spec::{Definition, SpecText, WorldSpec};
//! use folkmoot_core::world::World;
//!
//! let mut world = World::default();
//! let stamp = world.stamp(Time::SIMULATED_START, Seed::new([7; 16]));
//! let command = Command::of_runtime(Action::Create {
//!     world: WorldId::from_stamp(&stamp),
//!     name: WorldName::new("home")?,
//!     clock: ClockKind::Simulated,
//!     base: None,
//!     definition: Definition { spec: WorldSpec::default(), text: SpecText::default().into(), source: None },
//!     node: NodeId::from_stamp(&stamp),
//!     signer: None,
//!     copy: None,
//! });
//! let decision = world.decide(&command, &stamp);
//! if let Some(commit) = world.commit(&command, &stamp, &decision) {
//!     // Here the commit is appended to the log: nobody sees a fact that is not durable.
//!     world.apply(&commit);
//!     assert_eq!(Command::rebuild(&commit), Ok(command));
//! }
//! assert_eq!(world.owed().count(), 0);
//! # Ok::<(), folkmoot_core::ids::NameError>(())
//! ```

pub mod alike;
pub mod audit;
pub mod border;
pub mod canonical;
pub mod causes;
pub mod command;
pub mod commit;
pub mod constraint;
pub mod content;
pub mod decider;
pub mod effect;
pub mod event;
pub mod firewall;
pub mod ids;
mod letters;
pub mod limits;
pub mod memory;
pub mod money;
pub mod port;
pub mod principal;
pub mod projection;
pub mod reaction;
pub mod redaction;
pub mod refusal;
pub mod reply;
pub mod request;
pub mod response;
pub mod routing;
pub mod rules;
pub mod schema;
pub mod spec;
pub mod tokens;
pub mod tool;
pub mod view;
pub mod why;
pub mod world;

#[cfg(test)]
mod testing;
