//! The ports of a whole store.

use crate::cases;
use crate::subject::Kind;

mod check;
mod commits;
mod content;
mod feed;
mod machine;
mod model;
mod operation;

use machine::Machine;

/// How many operations a case has at most.
const OPERATIONS: usize = 40;

#[test]
fn memory_does_what_the_model_does() {
    let name = "store::memory_does_what_the_model_does";
    cases::each(name, 30, operation::several(OPERATIONS), |all| Machine::run(Kind::Memory, &all));
}

#[test]
fn sled_does_what_the_model_does() {
    let name = "store::sled_does_what_the_model_does";
    cases::each(name, 12, operation::several(OPERATIONS), |all| Machine::run(Kind::Sled, &all));
}

#[test]
fn files_do_what_the_model_does() {
    let name = "store::files_do_what_the_model_does";
    cases::each(name, 12, operation::several(OPERATIONS), |all| Machine::run(Kind::Files, &all));
}
