//! An engine alone: frames under growing numbers, and tables.

use std::collections::BTreeMap;

use folkmoot_store::{Engine, EngineError, FrameNumber, Pair, Table, Term};
use proptest::prelude::*;

use crate::cases;
use crate::subject::{Bare, Kind};

const TABLES: [Table; 6] = [
    Table::Meta,
    Table::Worlds,
    Table::Runs,
    Table::Keys,
    Table::Gone,
    Table::Deleted,
];

/// How many operations a case has at most.
const OPERATIONS: usize = 60;

/// What is done to an engine. Heads and terms are given by their distance from the right ones.
#[derive(Debug, Clone)]
enum Operation {
    TakeOver,
    Append {
        frames: Vec<usize>,
        ahead: i8,
        newer: i8,
    },
    Read {
        from: u8,
        bytes_max: usize,
    },
    Trim(u8),
    Put(Table, Vec<(u8, usize)>),
    Remove(Table, Vec<u8>),
    Range {
        table: Table,
        from: u8,
        to: u8,
        bytes_max: usize,
    },
    Compact,
    Reopen,
    Kill,
}

/// What an engine is.
#[derive(Debug, Default)]
struct Model {
    term: u64,
    head: u64,
    frames: BTreeMap<u64, Vec<u8>>,
    tables: BTreeMap<(Table, Vec<u8>), Vec<u8>>,
    written: u8,
}

impl Model {
    /// A value of so many bytes that no other one is like.
    fn value(&mut self, len: usize) -> Vec<u8> {
        self.written = self.written.wrapping_add(1);
        (0..len).map(|at| self.written ^ (at % 251) as u8).collect()
    }

    fn append(&mut self, term: u64, expected: u64, frames: &[Vec<u8>]) -> Result<(), EngineError> {
        if term != self.term {
            return Err(EngineError::Fenced {
                current: Term(self.term),
            });
        }
        if expected != self.head {
            return Err(EngineError::WrongHead {
                actual: FrameNumber(self.head),
            });
        }
        for frame in frames {
            self.head += 1;
            self.frames.insert(self.head, frame.clone());
        }
        Ok(())
    }

    fn pairs(&self, table: Table) -> Vec<Pair> {
        let own = self.tables.iter().filter(|((of, _), _)| *of == table);
        own.map(|((_, key), value)| (key.clone(), value.clone()))
            .collect()
    }
}

fn perform(bare: &mut Bare, model: &mut Model, operation: &Operation) {
    let engine = bare.engine();
    match operation {
        Operation::TakeOver => take_over(engine, model),
        Operation::Append {
            frames,
            ahead,
            newer,
        } => {
            let frames: Vec<_> = frames.iter().map(|len| model.value(*len)).collect();
            let term = model.term.saturating_add_signed((*newer).into());
            let expected = model.head.saturating_add_signed((*ahead).into());
            let appended = engine.append(Term(term), FrameNumber(expected), &frames);
            assert_eq!(
                format!("{appended:?}"),
                format!("{:?}", model.append(term, expected, &frames))
            );
        }
        Operation::Read { from, bytes_max } => {
            let found = engine
                .read(FrameNumber((*from).into()), *bytes_max)
                .unwrap();
            let found: Vec<_> = found
                .into_iter()
                .map(|(number, frame)| (number.0, frame))
                .collect();
            let all: Vec<_> = model
                .frames
                .range(u64::from(*from)..)
                .map(|(at, frame)| (*at, frame.clone()))
                .collect();
            is_cut(&found, &all, *bytes_max);
        }
        Operation::Trim(up_to) => {
            engine.trim(FrameNumber((*up_to).into())).unwrap();
            model.frames.retain(|number, _| *number > u64::from(*up_to));
        }
        Operation::Put(table, pairs) => {
            let pairs: Vec<Pair> = pairs
                .iter()
                .map(|(key, len)| (key_of(*key), model.value(*len)))
                .collect();
            engine.put(*table, &pairs).unwrap();
            model
                .tables
                .extend(pairs.into_iter().map(|(key, value)| ((*table, key), value)));
        }
        Operation::Remove(table, keys) => {
            engine
                .remove(
                    *table,
                    &keys.iter().map(|key| key_of(*key)).collect::<Vec<_>>(),
                )
                .unwrap();
            keys.iter().for_each(|key| {
                model.tables.remove(&(*table, key_of(*key)));
            });
        }
        Operation::Range {
            table,
            from,
            to,
            bytes_max,
        } => {
            let (from, to) = (key_of(*from), key_of(*to));
            let found = engine.range(*table, &from, &to, *bytes_max).unwrap();
            let mut all = own(model.pairs(*table), *table);
            all.retain(|(key, _)| *key >= from && *key < to);
            is_cut(&found, &all, *bytes_max);
        }
        Operation::Compact => engine.compact().unwrap(),
        Operation::Reopen | Operation::Kill => {
            if matches!(operation, Operation::Kill) {
                bare.kill()
            } else {
                bare.reopen()
            }
            take_over(bare.engine(), model);
        }
    }
    look(bare.engine(), model);
}

fn take_over(engine: &dyn Engine, model: &mut Model) {
    let term = engine.take_over().unwrap().0;
    assert!(term > model.term, "term {term} after {}", model.term);
    model.term = term;
}

/// A key; some are the beginning of others.
fn key_of(number: u8) -> Vec<u8> {
    let longer = [0, number].into_iter().take(usize::from(number % 3));
    [b'k', number / 3].into_iter().chain(longer).collect()
}

/// Without what an engine keeps for itself in the table of single facts.
fn own(mut pairs: Vec<Pair>, table: Table) -> Vec<Pair> {
    pairs.retain(|(key, _)| table != Table::Meta || (key[0] == b'k' && key.len() < 5));
    pairs
}

/// What was read is all there is, or stops with the item that makes it enough.
fn is_cut<K: PartialEq + std::fmt::Debug>(
    found: &[(K, Vec<u8>)],
    all: &[(K, Vec<u8>)],
    bytes_max: usize,
) {
    assert!(all.starts_with(found), "something else was read");
    let bytes = |items: &[(K, Vec<u8>)]| items.iter().map(|(_, value)| value.len()).sum::<usize>();
    // An engine may count a little for each item beside its value.
    assert!(
        found.len() == all.len() || bytes(found) + 64 * found.len() >= bytes_max,
        "too little was read"
    );
    let but_last = found.len().saturating_sub(1);
    assert!(
        but_last == 0 || bytes(&found[..but_last]) < bytes_max.max(1),
        "too much was read"
    );
}

/// Everything that can be seen.
fn look(engine: &dyn Engine, model: &Model) {
    assert_eq!(engine.head().unwrap(), FrameNumber(model.head));
    let frames = engine.read(FrameNumber(0), usize::MAX).unwrap();
    assert!(
        frames
            .iter()
            .map(|(number, frame)| (&number.0, frame))
            .eq(&model.frames),
        "frames"
    );
    for table in TABLES {
        let found = own(
            engine.range(table, &[], &[0xff; 9], usize::MAX).unwrap(),
            table,
        );
        let pairs = model.pairs(table);
        assert_eq!(found, pairs, "{table:?}");
        for probe in (0..60).map(key_of) {
            let value = pairs
                .iter()
                .find(|(key, _)| *key == probe)
                .map(|(_, value)| value.clone());
            assert_eq!(engine.get(table, &probe).unwrap(), value);
            let below = pairs.iter().rfind(|(key, _)| *key <= probe).cloned();
            let found = engine.floor(table, &probe).unwrap();
            assert_eq!(
                own(found.into_iter().collect(), table),
                below.into_iter().collect::<Vec<_>>(),
                "{table:?}"
            );
        }
    }
}

fn operation() -> impl Strategy<Value = Operation> {
    let len = || prop_oneof![6 => 0..300_usize, 2 => 300..6_900_usize];
    let table = || prop::sample::select(TABLES.to_vec());
    let enough = || prop_oneof![Just(0), Just(1), 1..20_000_usize, Just(usize::MAX)];
    let off = || prop_oneof![8 => Just(0_i8), 1 => -3..4_i8];
    prop_oneof![
        1 => Just(Operation::TakeOver),
        8 => (prop::collection::vec(len(), 0..30), off(), off())
            .prop_map(|(frames, ahead, newer)| Operation::Append { frames, ahead, newer }),
        3 => (any::<u8>(), enough()).prop_map(|(from, bytes_max)| Operation::Read { from, bytes_max }),
        2 => any::<u8>().prop_map(Operation::Trim),
        6 => (table(), prop::collection::vec((0..60_u8, len()), 0..40)).prop_map(|(table, all)| Operation::Put(table, all)),
        3 => (table(), prop::collection::vec(0..60_u8, 0..9)).prop_map(|(table, keys)| Operation::Remove(table, keys)),
        3 => (table(), 0..60_u8, 0..60_u8, enough())
            .prop_map(|(table, from, to, bytes_max)| Operation::Range { table, from, to, bytes_max }),
        1 => Just(Operation::Compact),
        1 => Just(Operation::Reopen),
        1 => Just(Operation::Kill),
    ]
}

fn run(kind: Kind, operations: &[Operation]) {
    let (mut bare, mut model) = (Bare::new(kind), Model::default());
    take_over(bare.engine(), &mut model);
    operations
        .iter()
        .for_each(|operation| perform(&mut bare, &mut model, operation));
}

#[test]
fn memory_does_what_the_model_does() {
    let all = prop::collection::vec(operation(), 1..OPERATIONS);
    cases::each("engine::memory_does_what_the_model_does", 20, all, |all| {
        run(Kind::Memory, &all)
    });
}

#[test]
fn sled_does_what_the_model_does() {
    let all = prop::collection::vec(operation(), 1..OPERATIONS);
    cases::each("engine::sled_does_what_the_model_does", 6, all, |all| {
        run(Kind::Sled, &all)
    });
}

#[test]
fn files_do_what_the_model_does() {
    let all = prop::collection::vec(operation(), 1..OPERATIONS);
    cases::each("engine::files_do_what_the_model_does", 10, all, |all| {
        run(Kind::Files, &all)
    });
}
