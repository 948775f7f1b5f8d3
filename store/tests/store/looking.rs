//! Looking at a store changes nothing of it, and opening a damaged one to write refuses before anything is written.
//!
//! `FOLKMOOT_LOOKS` says how many places are damaged for each kind of store; `all` is each byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Position, Time, WorldId};
use folkmoot_core::port::{
    AppendError, Blobs as _, Checkpoints as _, Custody as _, EventLog as _, Labels, ReadError,
};
use folkmoot_store::{
    Against, DeleteOrder, EngineKind, OpenError, OpenMode, Rebuild, Rebuilt, Store, examine,
    rebuild,
};

use crate::fixture::*;

const KINDS: [EngineKind; 2] = [EngineKind::Sled, EngineKind::Files];

/// How many places are damaged of each store, unless `FOLKMOOT_LOOKS` says otherwise.
const LOOKS: usize = 10;

const WORLDS: u8 = 3;

/// All files below a folder with what is in them.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    all
}

fn store_of(disk: &OnDisk) -> PathBuf {
    disk.dir.path().join("store")
}

/// A closed store with runs, a fork's worth of worlds, a file and a saved fold; and its commits.
async fn closed(kind: EngineKind) -> (OnDisk, BTreeMap<WorldId, Vec<Commit>>) {
    let disk = OnDisk::of(kind);
    let log = disk.open();
    let mut all = BTreeMap::new();
    for number in 0..WORLDS {
        all.insert(world(number), fill(&log, number, 60).await);
    }
    log.put(world(1), b"a file".to_vec()).await.unwrap();
    log.save(
        world(1),
        Position::new(60),
        Digest::of(&[b"rules"]),
        b"a fold".to_vec(),
    )
    .await
    .unwrap();
    log.close().unwrap();
    (disk, all)
}

/// What a kill leaves of such a store that went on.
async fn killed(kind: EngineKind) -> (OnDisk, BTreeMap<WorldId, Vec<Commit>>) {
    let (disk, mut all) = closed(kind).await;
    let log = disk.open();
    for number in 0..WORLDS {
        for first in 61..80 {
            append(&log, post(number, first)).await;
            all.get_mut(&world(number))
                .unwrap()
                .push(post(number, first));
        }
    }
    (disk.killed(), all)
}

/// What may happen to a file.
#[derive(Debug, Clone, Copy)]
enum Harm {
    Flip(usize),
    Cut(usize),
    Zero(usize),
}

impl Harm {
    /// The harms at a place of a file: a bit anywhere, and now and then an end or a page.
    fn at(at: usize) -> Self {
        match at % 5 {
            0 => Self::Cut(at),
            1 => Self::Zero(at - at % 4_096),
            _ => Self::Flip(at),
        }
    }

    fn apply(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Flip(at) => bytes[at] ^= 1 << (at % 8),
            Self::Cut(at) => bytes.truncate(at),
            Self::Zero(at) => {
                let end = bytes.len().min(at + 4_096);
                bytes[at..end].fill(0);
            }
        }
    }
}

/// The places that are damaged, spread over all files.
fn harms(store: &Path) -> Vec<(PathBuf, Harm)> {
    let wanted = std::env::var("FOLKMOOT_LOOKS").unwrap_or_default();
    let files: Vec<(PathBuf, usize)> = files(store)
        .into_iter()
        .map(|(path, bytes)| {
            // The end of a database is empty.
            let used = bytes
                .iter()
                .rposition(|byte| *byte != 0)
                .map_or(0, |at| at + 1);
            (path, used)
        })
        .collect();
    if wanted == "all" {
        let each = |(path, used): &(PathBuf, usize)| {
            (0..*used)
                .map(|at| (path.clone(), Harm::Flip(at)))
                .collect::<Vec<_>>()
        };
        return files.iter().flat_map(each).collect();
    }
    let count = wanted.parse().unwrap_or(LOOKS);
    let large: Vec<_> = files.iter().filter(|(_, used)| *used > 0).collect();
    (0..count)
        .map(|number| {
            // Every other one is in the largest file, which is the log.
            let (path, used) = match number % 2 {
                0 => large.iter().max_by_key(|(_, used)| *used).unwrap(),
                _ => large[number / 2 % large.len()],
            };
            (path.clone(), Harm::at(number * 2_654_435_761 % used))
        })
        .collect()
}

/// Reads all there is; gives how far each world reads, and panics if anything else is served than was written.
async fn look(
    store: &Path,
    all: &BTreeMap<WorldId, Vec<Commit>>,
    what: &str,
) -> Option<BTreeMap<WorldId, u64>> {
    let log = match Store::look(store) {
        Ok(log) => log,
        Err(OpenError::Foreign { .. } | OpenError::NewerFormat { .. }) => return None,
        Err(error) => panic!("{what}: {error}"),
    };
    let mut found = BTreeMap::new();
    for entry in log.worlds(&Labels::new(), None, 10).await.unwrap() {
        let commits = &all[&entry.world];
        let number = (0..WORLDS)
            .find(|number| world(*number) == entry.world)
            .unwrap();
        match try_read(&log, number, 0).await {
            Ok(served) => {
                assert!(
                    &bare(served) == commits,
                    "{what}: {} was cut short in silence",
                    entry.name
                );
                found.insert(entry.world, commits.last().unwrap().last().get());
            }
            Err(ReadError::Damaged { at, .. }) => drop(found.insert(entry.world, at.get() - 1)),
            Err(error) => panic!("{what}: {error}"),
        }
        log.latest(entry.world, Digest::of(&[b"rules"]), None).await;
        log.tree_head(entry.world).await.unwrap();
        let _key = log.find_key(entry.world, &key("k")).await;
    }
    let _deleted = log.deleted().await;
    let is_read = |id: &WorldId| found.get(id) == Some(&all[id].last().unwrap().last().get());
    match log.survey() {
        None => assert!(
            all.keys().all(is_read),
            "{what}: {found:?}, and nothing is damaged"
        ),
        Some(survey) => {
            for world in survey.worlds.iter().filter(|world| world.is_whole()) {
                assert!(is_read(&world.world), "{what}: {world:?}");
            }
        }
    }
    log.close().unwrap();
    Some(found)
}

#[tokio::test]
async fn no_reading_changes_a_byte_of_a_store_sound_or_damaged() {
    for kind in KINDS {
        for (disk, all) in [closed(kind).await, killed(kind).await] {
            let store = store_of(&disk);
            let sound = files(&store);
            let heads: BTreeMap<_, _> = all
                .iter()
                .map(|(id, commits)| (*id, commits.last().unwrap().last().get()))
                .collect();
            assert_eq!(look(&store, &all, "sound").await, Some(heads));
            assert!(files(&store) == sound);
            for (path, harm) in harms(&store) {
                let mut bytes = sound[&path].clone();
                harm.apply(&mut bytes);
                fs::write(&path, bytes).unwrap();
                let before = files(&store);
                let what = format!("{kind}: {} {harm:?}", path.display());
                look(&store, &all, &what).await;
                let _found = examine(&store, None, &Against::default());
                assert!(files(&store) == before, "{what}");
                fs::write(&path, &sound[&path]).unwrap();
            }
        }
    }
}

fn rebuilt(from: &Path, to: &str) -> Option<Rebuilt> {
    let to = from.with_file_name(to);
    let order = Rebuild {
        from: from.to_owned(),
        to: to.clone(),
        kind: EngineKind::Files,
        exports: Vec::new(),
    };
    let rebuilt = rebuild(&order).ok();
    let _gone = fs::remove_dir_all(to);
    rebuilt
}

fn kept(rebuilt: &Rebuilt) -> BTreeMap<WorldId, Position> {
    rebuilt
        .worlds
        .iter()
        .map(|world| (world.world, world.kept))
        .collect()
}

#[tokio::test]
async fn an_opening_for_writing_refuses_damage_and_changes_nothing_or_loses_nothing() {
    let (mut refused, mut opened) = (0, 0);
    for kind in KINDS {
        let (disk, _all) = closed(kind).await;
        for (path, harm) in harms(&store_of(&disk)) {
            let copy = disk.killed();
            let store = store_of(&copy);
            let path = store.join(path.strip_prefix(store_of(&disk)).unwrap());
            let mut bytes = fs::read(&path).unwrap();
            harm.apply(&mut bytes);
            fs::write(&path, bytes).unwrap();
            let what = format!("{kind}: {} {harm:?}", path.display());
            let (before, alone) = (files(&store), rebuilt(&store, "alone"));
            match Store::open(&store, OpenMode::Existing) {
                Err(_) => {
                    assert!(
                        files(&store) == before,
                        "{what}: it refuses, and has written"
                    );
                    refused += 1;
                }
                Ok(log) => {
                    let wrote = log.append(FIRST, vec![post(1, 61)]).await;
                    assert!(wrote.is_ok(), "{what}: {wrote:?}");
                    log.close().unwrap();
                    let (alone, after) =
                        (alone.expect(&what), rebuilt(&store, "after").expect(&what));
                    for (world, head) in kept(&alone) {
                        assert!(
                            kept(&after)[&world] >= head,
                            "{what}: {alone:?}, and then {after:?}"
                        );
                    }
                    opened += 1;
                }
            }
        }
    }
    assert!(
        refused > 0 && opened > 0,
        "{refused} refused, {opened} opened"
    );
}

#[tokio::test]
async fn a_closed_database_with_any_change_is_not_opened_for_writing() {
    let (disk, _all) = closed(EngineKind::Sled).await;
    let sound = files(&store_of(&disk));
    let of_database = |(path, _): &(&PathBuf, &Vec<u8>)| {
        path.parent().is_some_and(|folder| folder.ends_with("log")) && !path.ends_with("sealed")
    };
    for (path, bytes) in sound.iter().filter(of_database) {
        // Empty space counts as well: a page that appears there would be read.
        let step = bytes.len().div_ceil(LOOKS);
        for at in (0..bytes.len()).step_by(step.max(1)) {
            for harm in [Harm::Flip(at), Harm::Cut(at)] {
                let mut changed = bytes.clone();
                harm.apply(&mut changed);
                fs::write(path, &changed).unwrap();
                let what = format!("{} {harm:?}", path.display());
                let refused = Store::open(store_of(&disk), OpenMode::Existing).expect_err(&what);
                assert!(
                    matches!(refused, OpenError::Damaged { .. }),
                    "{what}: {refused:?}"
                );
                assert!(fs::read(path).unwrap() == changed, "{what}: it was changed");
            }
        }
        fs::write(path, bytes).unwrap();
    }
    assert!(files(&store_of(&disk)) == sound);
}

#[tokio::test]
async fn one_flipped_bit_of_a_page_does_not_close_the_other_worlds() {
    for kind in KINDS {
        let (disk, all) = killed(kind).await;
        let store = store_of(&disk);
        let path = store.join(if kind == EngineKind::Sled {
            "log/db"
        } else {
            "files/rows"
        });
        let sound = fs::read(&path).unwrap();
        let used = sound.iter().rposition(|byte| *byte != 0).unwrap();
        let (mut whole, mut tried) = (0, 0);
        for flip in 0..LOOKS {
            let at = flip * 2_654_435_761 % used;
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << (flip % 8);
            fs::write(&path, bytes).unwrap();
            let found = look(&store, &all, &format!("{kind}: byte {at}"))
                .await
                .unwrap();
            whole += all
                .iter()
                .filter(|(id, commits)| {
                    found.get(id) == Some(&commits.last().unwrap().last().get())
                })
                .count();
            tried += all.len();
        }
        assert!(
            whole * 3 >= tried * 2,
            "{kind}: only {whole} of {tried} worlds are read whole"
        );
    }
}

#[tokio::test]
async fn what_is_read_takes_nothing_in() {
    let (disk, _all) = closed(EngineKind::Sled).await;
    let log = Store::look(store_of(&disk)).unwrap();
    let before = files(&store_of(&disk));
    assert!(
        matches!(log.append(FIRST, vec![post(1, 61)]).await, Err(AppendError::Stopped(why)) if why.contains("reading"))
    );
    assert!(log.put(world(1), b"another".to_vec()).await.is_err());
    assert!(
        log.save(
            world(1),
            Position::new(60),
            Digest::of(&[b"rules"]),
            vec![1]
        )
        .await
        .is_err()
    );
    assert!(log.copy_base(world(1)).await.is_err());
    assert!(files(&store_of(&disk)) == before);
}

#[tokio::test]
async fn many_read_at_once_and_nobody_writes_meanwhile() {
    let (disk, _all) = closed(EngineKind::Sled).await;
    let open = || Store::open(store_of(&disk), OpenMode::Existing);
    let (one, other) = (
        Store::look(store_of(&disk)).unwrap(),
        Store::look(store_of(&disk)).unwrap(),
    );
    assert!(
        matches!(open(), Err(OpenError::Locked { pid: None, .. })),
        "a reader has no pid there"
    );
    drop((one, other));
    let writer = open().unwrap();
    let pid = Some(std::process::id());
    assert!(
        matches!(Store::look(store_of(&disk)), Err(OpenError::Locked { pid: found, .. }) if found == pid)
    );
    writer.close().unwrap();
}

#[tokio::test]
async fn what_only_an_opening_for_writing_needs_is_looked_at_before_anything_is_written() {
    for kind in KINDS {
        let stores = [closed(kind).await, killed(kind).await];
        for (disk, all) in stores {
            let spoilt = |name: &'static str| {
                let copy = disk.killed();
                let path = store_of(&copy).join(name);
                let known = fs::read(&path).unwrap_or_default();
                fs::write(path, [b"spoilt: ".as_slice(), &known].concat()).unwrap();
                copy
            };
            let settings = (kind == EngineKind::Sled).then(|| spoilt("log/conf"));
            for copy in settings.into_iter().chain([spoilt("copy")]) {
                let (store, before) = (store_of(&copy), files(&store_of(&copy)));
                let opened = Store::open(&store, OpenMode::Existing).map(|_| ());
                assert!(
                    matches!(opened, Err(OpenError::Damaged { .. })),
                    "{kind}: {opened:?}"
                );
                assert!(
                    files(&store) == before,
                    "{kind}: it refuses, and has written"
                );
                let found = look(&store, &all, "spoilt").await.unwrap();
                assert!(
                    all.iter()
                        .all(|(id, commits)| found[id] == commits.last().unwrap().last().get())
                );
                let rebuilt = rebuilt(&store, "new").unwrap();
                assert!(
                    !rebuilt.is_whole() && rebuilt.worlds.iter().all(|world| world.is_whole()),
                    "{rebuilt:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_database_that_was_copied_afresh_is_sealed_as_it_is_then() {
    let disk = OnDisk::new();
    let log = disk.open();
    for number in 0..WORLDS {
        fill(&log, number, 10).await;
    }
    log.close().unwrap();
    // Until the log has just more than one segment: in the copy their numbers begin anew.
    for first in 11.. {
        let log = disk.open();
        for number in 0..WORLDS {
            append(&log, say(number, first, noise(5_000, first))).await;
        }
        log.close().unwrap();
        if fs::metadata(store_of(&disk).join("log/db")).unwrap().len() > 512 * 1024 {
            break;
        }
    }
    let log = disk.open();
    log.delete(
        &[world(2)],
        &DeleteOrder {
            by: Principal::World,
            at: Time(5),
        },
    )
    .await
    .unwrap();
    log.close().unwrap();
    assert_eq!(Store::look(store_of(&disk)).unwrap().survey(), None);
    disk.open().close().unwrap();
}

/// Text that does not become smaller.
fn noise(len: usize, seed: u64) -> String {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + u8::try_from((state >> 33) % 90).unwrap())
    };
    (0..len).map(|_| next()).collect()
}
