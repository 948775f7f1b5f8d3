use std::path::Path;

use proptest::prelude::*;

use super::super::SledEngine;
use super::*;
use crate::engines::MemoryEngine;
use crate::home::opening::OpenMode;

const TABLES: [Table; 3] = [Table::Meta, Table::Runs, Table::Keys];

/// What is done to a database between two reads.
#[derive(Debug, Clone)]
enum Change {
    Put(usize, u16, usize),
    Remove(usize, u16, u16),
    Append(usize),
    Reopen,
}

fn change() -> impl Strategy<Value = Change> {
    let table = 0..TABLES.len();
    prop_oneof![
        6 => (table.clone(), 0_u16..600, prop_oneof![0_usize..40, 3_000_usize..6_500]).prop_map(|(t, k, l)| Change::Put(t, k, l)),
        2 => (table, 0_u16..600, 1_u16..200).prop_map(|(t, k, n)| Change::Remove(t, k, n)),
        2 => (1_usize..30).prop_map(Change::Append),
        1 => Just(Change::Reopen),
    ]
}

fn row_key(number: u16) -> Vec<u8> {
    [&[7; 14], number.to_be_bytes().as_slice()].concat()
}

fn perform(change: &Change, engine: &dyn Engine) {
    match change {
        Change::Put(table, from, len) => {
            let pairs: Vec<Pair> = (*from..from.saturating_add(12))
                .map(|number| (row_key(number), vec![*from as u8; *len]))
                .collect();
            engine.put(TABLES[*table], &pairs).unwrap();
        }
        Change::Remove(table, from, count) => {
            let keys: Vec<_> = (*from..from.saturating_add(*count)).map(row_key).collect();
            engine.remove(TABLES[*table], &keys).unwrap();
        }
        Change::Append(count) => {
            let term = engine.take_over().unwrap();
            let head = engine.head().unwrap();
            engine
                .append(term, head, &vec![vec![3; 500]; *count])
                .unwrap();
            engine.trim(FrameNumber(head.0 / 2)).unwrap();
        }
        Change::Reopen => {}
    }
}

/// All rows of a table, a few at a time.
fn rows(engine: &dyn Engine, table: Table) -> Vec<Pair> {
    let (mut all, mut next) = (Vec::new(), vec![6]);
    loop {
        let rows = engine.range(table, &next, &[8], 10_000).unwrap();
        let Some((last, _)) = rows.last() else {
            return all;
        };
        next = [last.as_slice(), &[0]].concat();
        all.extend(rows);
    }
}

fn compare(path: &Path, model: &MemoryEngine) {
    let (bare, troubles) = BareSled::open(Home::look(path.to_owned()).unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(troubles, Vec::<String>::new());
    assert_eq!(bare.head().unwrap(), model.head().unwrap());
    assert_eq!(
        bare.read(FrameNumber(0), usize::MAX).unwrap(),
        model.read(FrameNumber(0), usize::MAX).unwrap()
    );
    for table in TABLES {
        assert_eq!(rows(&bare, table), rows(model, table));
        for number in (0..620).step_by(37) {
            let key = row_key(number);
            assert_eq!(
                bare.get(table, &key).unwrap(),
                model.get(table, &key).unwrap()
            );
            let below = |engine: &dyn Engine| {
                engine
                    .floor(table, &key)
                    .unwrap()
                    .filter(|(key, _)| key.len() == 16)
            };
            assert_eq!(below(&bare), below(model));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_database_reads_without_sled_as_with_it(changes in prop::collection::vec(change(), 1..40)) {
        let dir = tempfile::tempdir().unwrap();
        let (path, copy) = (dir.path().join("store"), dir.path().join("killed"));
        let model = MemoryEngine::new();
        let mut engine = SledEngine::open(&path, OpenMode::Create).unwrap();
        for change in &changes {
            perform(change, &engine);
            perform(change, &model);
            if matches!(change, Change::Reopen) {
                // As a kill would leave it, and closed.
                std::fs::create_dir_all(copy.join("log")).unwrap();
                for name in ["format", "log/db", "log/conf"] {
                    std::fs::copy(path.join(name), copy.join(name)).unwrap();
                }
                for entry in std::fs::read_dir(path.join("log")).unwrap().map(Result::unwrap) {
                    if entry.file_name().to_string_lossy().starts_with("snap.") {
                        std::fs::copy(entry.path(), copy.join("log").join(entry.file_name())).unwrap();
                    }
                }
                compare(&copy, &model);
                std::fs::remove_dir_all(&copy).unwrap();
                drop(engine);
                compare(&path, &model);
                engine = SledEngine::open(&path, OpenMode::Existing).unwrap();
            }
        }
        drop(engine);
        compare(&path, &model);
    }
}
