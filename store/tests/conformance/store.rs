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
use operation::{Append, At, Opening, Operation, Restart, What};

/// How many operations a case has at most.
const OPERATIONS: usize = 40;

#[test]
fn memory_does_what_the_model_does() {
    let name = "store::memory_does_what_the_model_does";
    cases::each(name, 10, operation::several(OPERATIONS), |all| {
        Machine::run(Kind::Memory, &all)
    });
}

#[test]
fn sled_does_what_the_model_does() {
    let name = "store::sled_does_what_the_model_does";
    cases::each(name, 12, operation::several(OPERATIONS), |all| {
        Machine::run(Kind::Sled, &all)
    });
}

#[test]
fn files_do_what_the_model_does() {
    let name = "store::files_do_what_the_model_does";
    cases::each(name, 12, operation::several(OPERATIONS), |all| {
        Machine::run(Kind::Files, &all)
    });
}

#[test]
fn shared_ledger_does_what_the_model_does() {
    let name = "store::shared_ledger_does_what_the_model_does";
    cases::each(name, 24, operation::several(OPERATIONS), |all| {
        Machine::run(Kind::Shared, &all)
    });
}

#[test]
fn ledger_behind_a_bad_network_does_what_the_model_does() {
    let name = "store::ledger_behind_a_bad_network_does_what_the_model_does";
    cases::each(name, 24, operation::several(OPERATIONS), |all| {
        Machine::run(Kind::Uncertain, &all)
    });
}

#[cfg(feature = "postgres")]
#[test]
fn postgres_does_what_the_model_does() {
    use crate::subject::postgres;
    let name = "store::postgres_does_what_the_model_does";
    if !postgres::is_there(name) {
        return;
    }
    let _inside = postgres::runtime().enter();
    cases::each(name, 12, operation::several(OPERATIONS), |all| {
        Machine::run(Kind::Postgres, &all)
    });
}

/// What a random case found: a world may be counted as swept while the log's last commit is of another one.
#[test]
fn store_that_died_while_a_sweep_counted_its_worlds_opens() {
    let create = |world: u8| {
        (
            Operation::Create {
                world,
                name: world,
                is_sealed: false,
            },
            0,
        )
    };
    let append = |world: u8| {
        let what = What::Said {
            len: 10,
            packs: false,
        };
        Append {
            world,
            at: At::Next,
            opening: Opening::Current,
            key: None,
            person: None,
            what,
        }
    };
    for kind in [Kind::Memory, Kind::Sled, Kind::Files] {
        for writes in 0..16 {
            let both = Operation::Append(vec![append(2), append(1)]);
            Machine::run(
                kind,
                &[
                    create(1),
                    create(2),
                    (both, 0),
                    (Operation::Restart(Restart::Die(writes)), 0),
                ],
            );
        }
    }
}
