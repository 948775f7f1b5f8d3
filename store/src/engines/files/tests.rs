//! What opening does with files that are not as they were left.

use std::fs;
use std::path::Path;

use super::*;
use crate::engine::Table;

/// The groups that [`fill`] writes, in order.
const GROUPS: usize = 6;

fn open(home: &Path) -> Result<FilesEngine, OpenError> {
    FilesEngine::open(home, OpenMode::Existing)
}

fn rows(home: &Path) -> PathBuf {
    home.join(FOLDER).join(ROWS)
}

/// All that an engine serves.
type Served = (
    FrameNumber,
    Vec<(FrameNumber, Vec<u8>)>,
    Vec<Pair>,
    Vec<Pair>,
);

fn served(engine: &FilesEngine) -> Served {
    let table = |table| engine.range(table, &[], &[0xff; 9], 100_000).unwrap();
    (
        engine.head().unwrap(),
        engine.read(FrameNumber(0), 100_000).unwrap(),
        table(Table::Meta),
        table(Table::Runs),
    )
}

/// Writes group by group; gives the length of the file and what is served, before the first and after each.
fn fill(home: &Path) -> Vec<(u64, Served)> {
    let engine = FilesEngine::open(home, OpenMode::Create).unwrap();
    let seen = || (fs::metadata(rows(home)).unwrap().len(), served(&engine));
    let mut all = vec![seen()];
    let term = engine.take_over().unwrap();
    all.push(seen());
    engine
        .append(
            term,
            FrameNumber(0),
            &[b"one".to_vec(), b"two".to_vec(), vec![7; 90]],
        )
        .unwrap();
    all.push(seen());
    engine
        .put(
            Table::Runs,
            &[
                (b"a".to_vec(), b"first".to_vec()),
                (b"b".to_vec(), Vec::new()),
            ],
        )
        .unwrap();
    all.push(seen());
    engine.trim(FrameNumber(2)).unwrap();
    all.push(seen());
    engine.remove(Table::Runs, &[b"b".to_vec()]).unwrap();
    all.push(seen());
    engine
        .put(Table::Runs, &[(b"a".to_vec(), b"second".to_vec())])
        .unwrap();
    all.push(seen());
    assert_eq!(all.len(), GROUPS + 1);
    all
}

/// Forgets how much was acknowledged after the first `groups`, as a power cut may.
fn forget(home: &Path, (len, _): &(u64, Served)) {
    AcknowledgedLength::create(&home.join(FOLDER)).unwrap();
    let (mut mark, _) = AcknowledgedLength::open(&home.join(FOLDER)).unwrap();
    mark.write(1, *len).unwrap();
}

#[test]
fn a_torn_last_group_is_dropped_whole_and_nothing_else_is() {
    let dir = tempfile::tempdir().unwrap();
    let all = fill(dir.path());
    let [.., before, last] = all.as_slice() else {
        panic!("{} states", all.len())
    };
    let bytes = fs::read(rows(dir.path())).unwrap();
    for len in before.0..last.0 {
        for garbage in [0, 3] {
            fs::write(
                rows(dir.path()),
                [&bytes[..len as usize], &vec![0; garbage]].concat(),
            )
            .unwrap();
            forget(dir.path(), before);
            let engine = open(dir.path()).unwrap();
            assert_eq!(served(&engine), before.1, "cut at {len}");
            engine
                .put(Table::Keys, &[(b"later".to_vec(), b"on".to_vec())])
                .unwrap();
            drop(engine);
            assert_eq!(
                open(dir.path())
                    .unwrap()
                    .get(Table::Keys, b"later")
                    .unwrap(),
                Some(b"on".to_vec())
            );
        }
    }
}

#[test]
fn sectors_of_a_last_group_that_reached_the_disk_out_of_order_are_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let all = fill(dir.path());
    let before = all.last().unwrap();
    let engine = open(dir.path()).unwrap();
    let term = engine.take_over().unwrap();
    drop(engine);
    let acknowledged = fs::metadata(rows(dir.path())).unwrap().len();
    let engine = open(dir.path()).unwrap();
    let frames: Vec<Vec<u8>> = (0..9).map(|byte| vec![byte; 900]).collect();
    engine.append(term, FrameNumber(3), &frames).unwrap();
    drop(engine);
    let bytes = fs::read(rows(dir.path())).unwrap();
    for missing in 0..bytes.len().div_ceil(512) {
        let (from, to) = (missing * 512, (missing * 512 + 512).min(bytes.len()));
        let from = from.max(acknowledged as usize);
        if from >= to {
            continue;
        }
        let mut torn = bytes.clone();
        torn[from..to].fill(0);
        fs::write(rows(dir.path()), torn).unwrap();
        forget(dir.path(), &(acknowledged, before.1.clone()));
        let engine = open(dir.path()).unwrap();
        assert_eq!(served(&engine).1, before.1.1, "without sector {missing}");
    }
}

#[test]
fn what_was_acknowledged_is_never_missing_in_silence() {
    let dir = tempfile::tempdir().unwrap();
    let all = fill(dir.path());
    let bytes = fs::read(rows(dir.path())).unwrap();
    for len in 0..bytes.len() {
        fs::write(rows(dir.path()), &bytes[..len]).unwrap();
        let error = open(dir.path()).unwrap_err();
        assert!(
            matches!(&error, OpenError::Damaged { what, .. } if what.contains("at byte")),
            "cut at {len}: {error}"
        );
    }
    // Where a power cut took the note with it, every group still proves the one before it.
    forget(dir.path(), &all[0]);
    for len in [all[1].0, all[GROUPS - 1].0 - 1] {
        let mut torn = bytes.clone();
        torn[len as usize] ^= 1;
        fs::write(rows(dir.path()), torn).unwrap();
        assert!(
            matches!(open(dir.path()), Err(OpenError::Damaged { .. })),
            "{len}"
        );
    }
}

#[test]
fn a_changed_byte_is_found_or_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let all = fill(dir.path());
    let last = &all.last().unwrap().1;
    for name in [ROWS, mark::FILE] {
        let path = dir.path().join(FOLDER).join(name);
        let bytes = fs::read(&path).unwrap();
        let mut found = 0;
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&path, changed).unwrap();
            match open(dir.path()) {
                Err(OpenError::Damaged { .. }) => found += 1,
                Err(error) => panic!("byte {at} of {name}: {error}"),
                Ok(engine) => assert_eq!(&served(&engine), last, "byte {at} of {name}"),
            }
            fs::write(&path, &bytes).unwrap();
        }
        assert_eq!(found > 0, name == ROWS, "{name}: {found}");
    }
}

#[test]
fn a_value_that_changes_while_the_store_is_open_is_not_served() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let engine = open(dir.path()).unwrap();
    let place = engine
        .state()
        .index
        .get(&row::key(Table::Runs, b"a"))
        .unwrap();
    File::options()
        .write(true)
        .open(rows(dir.path()))
        .unwrap()
        .write_all_at(b"S", place.at)
        .unwrap();
    assert!(matches!(
        engine.get(Table::Runs, b"a"),
        Err(EngineError::Damaged(_))
    ));
    assert!(matches!(engine.compact(), Err(EngineError::Damaged(_))));
}

#[test]
fn what_is_whole_of_damaged_files_can_be_examined() {
    let dir = tempfile::tempdir().unwrap();
    let all = fill(dir.path());
    let mut bytes = fs::read(rows(dir.path())).unwrap();
    bytes[all[4].0 as usize + 30] ^= 1;
    fs::write(rows(dir.path()), &bytes).unwrap();
    let home = Home::open(dir.path().to_owned(), OpenMode::Existing).unwrap();
    let (engine, troubles) = FilesEngine::look(home).unwrap().unwrap();
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    // The row whose removal was lost is there again: it is for links to say what counts.
    let rows_there = [
        (b"a".to_vec(), b"second".to_vec()),
        (b"b".to_vec(), Vec::new()),
    ];
    assert_eq!(served(&engine).3, rows_there);
    assert!(
        engine
            .put(Table::Runs, &[(b"a".to_vec(), b"third".to_vec())])
            .is_err()
    );
    drop(engine);
    assert_eq!(fs::read(rows(dir.path())).unwrap(), bytes);
}

#[test]
fn files_that_are_gone_are_not_made_anew() {
    for gone in [rows, |home: &Path| home.join(FOLDER).join(mark::FILE)] {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path());
        fs::remove_file(gone(dir.path())).unwrap();
        assert!(matches!(open(dir.path()), Err(OpenError::Damaged { .. })));
    }
}

#[test]
fn files_that_were_not_made_to_the_end_are_made_again() {
    let dir = tempfile::tempdir().unwrap();
    drop(FilesEngine::open(dir.path(), OpenMode::Create).unwrap());
    let folder = dir.path().join(FOLDER);
    fs::remove_file(rows(dir.path())).unwrap();
    AcknowledgedLength::create(&folder).unwrap();
    drop(open(dir.path()).unwrap());
    fs::remove_file(rows(dir.path())).unwrap();
    fs::remove_file(folder.join(mark::FILE)).unwrap();
    drop(open(dir.path()).unwrap());
}

#[test]
fn an_older_file_in_the_place_of_a_newer_one_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let old = fs::read(rows(dir.path())).unwrap();
    open(dir.path()).unwrap().compact().unwrap();
    drop(open(dir.path()).unwrap());
    fs::write(rows(dir.path()), old).unwrap();
    assert!(matches!(open(dir.path()), Err(OpenError::Damaged { .. })));
}

#[test]
fn a_failed_write_ends_all_writing_until_the_files_are_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let all = fill(dir.path());
    let engine = open(dir.path()).unwrap();
    engine.writer().file = Arc::new(File::open(rows(dir.path())).unwrap());
    let pair = [(b"c".to_vec(), b"d".to_vec())];
    assert!(engine.put(Table::Runs, &pair).is_err());
    engine.writer().file = Arc::clone(&engine.state().file);
    assert!(engine.put(Table::Runs, &pair).is_err());
    assert!(engine.take_over().is_err());
    assert!(engine.compact().is_err());
    assert_eq!(served(&engine), all.last().unwrap().1);
    drop(engine);
    open(dir.path()).unwrap().put(Table::Runs, &pair).unwrap();
}

#[test]
fn more_rows_than_a_group_has_go_into_several() {
    let dir = tempfile::tempdir().unwrap();
    let engine = FilesEngine::open(dir.path(), OpenMode::Create).unwrap();
    let large: Vec<Pair> = (0..40).map(|row| (vec![row], vec![row; 100_000])).collect();
    engine.put(Table::Runs, &large).unwrap();
    drop(engine);
    let engine = open(dir.path()).unwrap();
    assert_eq!(
        engine.range(Table::Runs, &[], &[0xff], 10_000_000).unwrap(),
        large
    );
    let bytes = fs::read(rows(dir.path())).unwrap();
    let groups = bytes
        .windows(8)
        .filter(|window| window == group::MARK)
        .count();
    assert_eq!(groups, 4);
}
