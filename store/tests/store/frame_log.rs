//! The conformance suite of engines.

use std::sync::Arc;

use folkmoot_store::{
    Engine, EngineError, FilesEngine, FrameNumber, MemoryEngine, OpenMode, Pair, SledEngine, Table,
    Term,
};

/// Runs a conformance test on every engine.
macro_rules! on_every_engine {
    ($($name:ident)*) => {
        mod memory {
            $(#[test]
            fn $name() {
                super::$name(&folkmoot_store::MemoryEngine::new());
            })*
        }

        mod sled {
            $(#[test]
            fn $name() {
                let dir = tempfile::tempdir().unwrap();
                let mode = folkmoot_store::OpenMode::Create;
                super::$name(&folkmoot_store::SledEngine::open(dir.path().join("engine"), mode).unwrap());
            })*
        }

        mod files {
            $(#[test]
            fn $name() {
                let dir = tempfile::tempdir().unwrap();
                let mode = folkmoot_store::OpenMode::Create;
                super::$name(&folkmoot_store::FilesEngine::open(dir.path().join("engine"), mode).unwrap());
            })*
        }
    };
}

on_every_engine! {
    frames_are_read_as_they_were_appended
    a_wrong_head_appends_nothing_and_says_where_the_head_is
    taking_over_fences_the_one_before
    trimmed_frames_stay_counted
    reading_stops_at_about_the_wanted_size
    values_are_found_by_key_by_range_and_from_below
    more_than_a_barrier_allows_goes_through_in_one_append
    a_compaction_keeps_the_frames_the_rows_and_the_right_to_append
}

fn frames(from: u64, to: u64) -> Vec<Vec<u8>> {
    (from..=to)
        .map(|number| format!("frame {number}").into_bytes())
        .collect()
}

fn numbered(from: u64, to: u64) -> Vec<(FrameNumber, Vec<u8>)> {
    (from..=to).map(FrameNumber).zip(frames(from, to)).collect()
}

fn frames_are_read_as_they_were_appended(engine: &dyn Engine) {
    let term = engine.take_over().unwrap();
    assert_eq!(engine.head().unwrap(), FrameNumber(0));
    assert_eq!(engine.read(FrameNumber(1), 1_000).unwrap(), []);
    engine.append(term, FrameNumber(0), &frames(1, 3)).unwrap();
    engine.append(term, FrameNumber(3), &frames(4, 4)).unwrap();
    assert_eq!(engine.head().unwrap(), FrameNumber(4));
    assert_eq!(engine.read(FrameNumber(0), 1_000).unwrap(), numbered(1, 4));
    assert_eq!(engine.read(FrameNumber(3), 1_000).unwrap(), numbered(3, 4));
}

fn a_wrong_head_appends_nothing_and_says_where_the_head_is(engine: &dyn Engine) {
    let term = engine.take_over().unwrap();
    engine.append(term, FrameNumber(0), &frames(1, 2)).unwrap();
    for wrong in [0, 1, 3] {
        let error = engine
            .append(term, FrameNumber(wrong), &frames(9, 9))
            .unwrap_err();
        assert!(
            matches!(
                error,
                EngineError::WrongHead {
                    actual: FrameNumber(2)
                }
            ),
            "{error:?}"
        );
    }
    assert_eq!(engine.read(FrameNumber(1), 1_000).unwrap(), numbered(1, 2));
}

fn taking_over_fences_the_one_before(engine: &dyn Engine) {
    let old = engine.take_over().unwrap();
    let new = engine.take_over().unwrap();
    assert!(new > old);
    let error = engine
        .append(old, FrameNumber(0), &frames(1, 1))
        .unwrap_err();
    assert!(
        matches!(error, EngineError::Fenced { current } if current == new),
        "{error:?}"
    );
    let error = engine
        .append(Term(new.0 + 1), FrameNumber(0), &frames(1, 1))
        .unwrap_err();
    assert!(matches!(error, EngineError::Fenced { .. }), "{error:?}");
    engine.append(new, FrameNumber(0), &frames(1, 1)).unwrap();
}

fn trimmed_frames_stay_counted(engine: &dyn Engine) {
    let term = engine.take_over().unwrap();
    engine.append(term, FrameNumber(0), &frames(1, 50)).unwrap();
    engine.trim(FrameNumber(48)).unwrap();
    assert_eq!(
        engine.read(FrameNumber(0), 1_000).unwrap(),
        numbered(49, 50)
    );
    engine.trim(FrameNumber(50)).unwrap();
    assert_eq!(engine.read(FrameNumber(0), 1_000).unwrap(), []);
    assert_eq!(engine.head().unwrap(), FrameNumber(50));
    engine
        .append(term, FrameNumber(50), &frames(51, 51))
        .unwrap();
    assert_eq!(
        engine.read(FrameNumber(0), 1_000).unwrap(),
        numbered(51, 51)
    );
}

fn reading_stops_at_about_the_wanted_size(engine: &dyn Engine) {
    let term = engine.take_over().unwrap();
    let large: Vec<Vec<u8>> = (0..9).map(|byte| vec![byte; 1_000]).collect();
    engine.append(term, FrameNumber(0), &large).unwrap();
    for (bytes_max, count) in [(1, 1), (999, 1), (1_500, 2), (100_000, 9)] {
        assert_eq!(
            engine.read(FrameNumber(1), bytes_max).unwrap().len(),
            count,
            "{bytes_max}"
        );
    }
}

fn values_are_found_by_key_by_range_and_from_below(engine: &dyn Engine) {
    let pair = |key: &str| -> Pair { (key.into(), format!("value of {key}").into()) };
    engine
        .put(Table::Runs, &[pair("b"), pair("d"), pair("f")])
        .unwrap();
    engine.put(Table::Keys, &[pair("c")]).unwrap();
    assert_eq!(engine.get(Table::Runs, b"d").unwrap(), Some(pair("d").1));
    assert_eq!(engine.get(Table::Runs, b"c").unwrap(), None);
    assert_eq!(
        engine.range(Table::Runs, b"b", b"f", 1_000).unwrap(),
        [pair("b"), pair("d")]
    );
    assert_eq!(
        engine.range(Table::Runs, b"c", b"z", 1).unwrap(),
        [pair("d")]
    );
    assert_eq!(engine.range(Table::Runs, b"z", b"a", 1_000).unwrap(), []);
    assert_eq!(engine.floor(Table::Runs, b"e").unwrap(), Some(pair("d")));
    assert_eq!(engine.floor(Table::Runs, b"f").unwrap(), Some(pair("f")));
    assert_eq!(engine.floor(Table::Runs, b"a").unwrap(), None);
    assert_eq!(engine.floor(Table::Keys, b"z").unwrap(), Some(pair("c")));
    engine
        .put(Table::Runs, &[("d".into(), "new".into())])
        .unwrap();
    engine
        .remove(Table::Runs, &["b".into(), "x".into()])
        .unwrap();
    assert_eq!(
        engine.range(Table::Runs, b"a", b"z", 1_000).unwrap(),
        [("d".into(), "new".into()), pair("f")]
    );
}

fn more_than_a_barrier_allows_goes_through_in_one_append(engine: &dyn Engine) {
    let term = engine.take_over().unwrap();
    let large: Vec<Vec<u8>> = (0..100).map(|byte| vec![byte; 6_500]).collect();
    engine.append(term, FrameNumber(0), &large).unwrap();
    let read: Vec<Vec<u8>> = engine
        .read(FrameNumber(1), 1_000_000)
        .unwrap()
        .into_iter()
        .map(|(_, f)| f)
        .collect();
    assert_eq!(read, large);
}

fn a_compaction_keeps_the_frames_the_rows_and_the_right_to_append(engine: &dyn Engine) {
    let term = engine.take_over().unwrap();
    let large: Vec<Vec<u8>> = (0..100).map(|byte| vec![byte; 6_500]).collect();
    engine.append(term, FrameNumber(0), &large).unwrap();
    engine.trim(FrameNumber(40)).unwrap();
    let rows: Vec<Pair> = (0..200_u8).map(|row| (vec![row], vec![row; 900])).collect();
    for table in [
        Table::Meta,
        Table::Worlds,
        Table::Runs,
        Table::Keys,
        Table::Gone,
    ] {
        engine.put(table, &rows).unwrap();
    }
    let meta = engine.range(Table::Meta, &[], &[0xff], 1_000_000).unwrap();
    engine.compact().unwrap();
    assert_eq!(
        engine.range(Table::Meta, &[], &[0xff], 1_000_000).unwrap(),
        meta
    );
    for table in [Table::Worlds, Table::Runs, Table::Keys, Table::Gone] {
        assert_eq!(
            engine.range(table, &[], &[0xff], 1_000_000).unwrap(),
            rows,
            "{table:?}"
        );
    }
    assert_eq!(engine.head().unwrap(), FrameNumber(100));
    engine
        .append(term, FrameNumber(100), &frames(101, 101))
        .unwrap();
    let read: Vec<Vec<u8>> = engine
        .read(FrameNumber(1), 1_000_000)
        .unwrap()
        .into_iter()
        .map(|(_, f)| f)
        .collect();
    assert_eq!(read, [large[40..].to_vec(), frames(101, 101)].concat());
}

#[test]
fn a_sled_engine_remembers_its_term_its_head_and_its_frames() {
    let dir = tempfile::tempdir().unwrap();
    remembers(&|| Arc::new(SledEngine::open(dir.path().join("engine"), OpenMode::Create).unwrap()));
}

#[test]
fn a_files_engine_remembers_its_term_its_head_and_its_frames() {
    let dir = tempfile::tempdir().unwrap();
    remembers(&|| {
        Arc::new(FilesEngine::open(dir.path().join("engine"), OpenMode::Create).unwrap())
    });
}

fn remembers(open: &dyn Fn() -> Arc<dyn Engine>) {
    let first = {
        let engine = open();
        let term = engine.take_over().unwrap();
        engine.append(term, FrameNumber(0), &frames(1, 30)).unwrap();
        engine.trim(FrameNumber(10)).unwrap();
        term
    };
    let engine = open();
    assert!(engine.take_over().unwrap() > first);
    assert_eq!(
        engine.read(FrameNumber(0), 1_000).unwrap(),
        numbered(11, 30)
    );
    engine.trim(FrameNumber(30)).unwrap();
    assert_eq!(engine.head().unwrap(), FrameNumber(30));
}

#[test]
fn a_failing_engine_passes_its_appends_and_then_none() {
    let inner: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
    let engine: Arc<dyn Engine> =
        Arc::new(folkmoot_store::FailingEngine::after(2, Arc::clone(&inner)));
    let term = engine.take_over().unwrap();
    engine.append(term, FrameNumber(0), &frames(1, 1)).unwrap();
    engine.append(term, FrameNumber(1), &frames(2, 3)).unwrap();
    assert!(engine.append(term, FrameNumber(3), &frames(4, 4)).is_err());
    assert_eq!(inner.read(FrameNumber(0), 1_000).unwrap(), numbered(1, 3));
}
