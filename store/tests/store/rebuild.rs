//! Rebuilding stores, sound and damaged ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Position, Time, WorldId};
use folkmoot_core::port::{Blobs as _, Custody as _, EventLog as _};
use folkmoot_proof::bundle::{
    Bundle, BundledCommit, BundledContent, BundledEvent, FORMAT, ShownContent,
};
use folkmoot_proof::note::Checkpoint;
use folkmoot_store::{
    Against, Choice, DeleteOrder, EngineKind, LogVerdict, OpenMode, Rebuild, Rebuilt, Store,
    StoredContent, StoredRecord, Wanted, examine, rebuild,
};

use futures::StreamExt as _;

use crate::fixture::*;
use crate::fork::fork;

/// How many changes are tried per engine; `FOLKMOOT_REBUILDS` says another number.
const REBUILDS: u64 = 6;

const KINDS: [EngineKind; 2] = [EngineKind::Sled, EngineKind::Files];

/// The old store, and where the new one is to be.
fn order(disk: &OnDisk, kind: EngineKind) -> Rebuild {
    let dir = disk.dir.path();
    Rebuild {
        from: dir.join("store"),
        to: dir.join(format!("new-{kind}")),
        kind,
        exports: Vec::new(),
    }
}

fn open(path: &Path) -> Store {
    Store::open(path, OpenMode::Existing).unwrap()
}

/// The files of a folder with what is in them, but for the lock.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.extend(files(&entry.path()));
        } else if entry.file_name() != "lock" {
            all.push((entry.path(), fs::read(entry.path()).unwrap()));
        }
    }
    all.sort();
    all
}

fn rebuilds() -> u64 {
    std::env::var("FOLKMOOT_REBUILDS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(REBUILDS)
}

fn kept(rebuilt: &Rebuilt) -> Vec<(Position, Position)> {
    rebuilt
        .worlds
        .iter()
        .map(|world| (world.kept, world.known))
        .collect()
}

async fn link(log: &Store, number: u8) -> Digest {
    try_read(log, number, 0).await.unwrap().last().unwrap().link
}

#[tokio::test]
async fn a_sound_store_is_rebuilt_whole_from_any_engine_into_any() {
    for from in KINDS {
        let disk = OnDisk::of(from);
        let log = disk.open();
        let mut one = fill(&log, 1, 300).await;
        one.push(with_key(
            say(1, 301, "long ".repeat(9_000)),
            keyed("k", "x"),
        ));
        append(&log, one.last().unwrap().clone()).await;
        fill(&log, 2, 20).await;
        let order_of = DeleteOrder {
            by: Principal::World,
            at: Time(5),
        };
        log.delete(&[world(2)], &order_of).await.unwrap();
        let blob = log.put(world(1), b"a file".to_vec()).await.unwrap();
        let three = fill(&log, 3, 40).await;
        let (head, deleted) = (link(&log, 1).await, log.deleted().await.unwrap());
        // As a kill would leave it: a part is in shared frames only.
        let killed = disk.killed();
        let before = files(&killed.dir.path().join("store"));
        for to in KINDS {
            let order = order(&killed, to);
            let rebuilt = rebuild(&order).unwrap();
            assert!(rebuilt.is_whole(), "{rebuilt:?}");
            assert_eq!((kept(&rebuilt).len(), rebuilt.blobs), (2, 1));
            assert_eq!(files(&order.from), before, "the old store is as it was");
            assert_eq!(order.to.join("files").exists(), to == EngineKind::Files);
            let new = open(&order.to);
            assert!(read(&new, 1, 0).await == one && read(&new, 3, 0).await == three);
            assert_eq!(link(&new, 1).await, head);
            assert_eq!(
                new.find_key(world(1), &key("k"))
                    .await
                    .unwrap()
                    .unwrap()
                    .commit,
                one[one.len() - 1]
            );
            assert_eq!(new.deleted().await.unwrap(), deleted);
            assert_eq!(
                new.get(world(1), blob).await.unwrap(),
                Some(b"a file".to_vec())
            );
            assert_eq!(
                new.verify(world(1), Against::default())
                    .await
                    .unwrap()
                    .verdict(),
                LogVerdict::NotChecked
            );
            append(&new, post(1, 302)).await;
        }
    }
}

const WORLDS: u8 = 3;

/// A store as a kill leaves it, with commits in runs and in shared frames, two forks, and the commits of its worlds.
async fn sample(kind: EngineKind) -> (OnDisk, BTreeMap<WorldId, Vec<Commit>>) {
    let disk = OnDisk::of(kind);
    let log = disk.open();
    let mut all = BTreeMap::new();
    for number in 0..WORLDS {
        all.insert(world(number), fill(&log, number, 60).await);
    }
    fork(&log, (0, 30), 7).await;
    log.close().unwrap();
    let log = disk.open();
    for number in 0..WORLDS {
        for first in 61..80 {
            append(&log, post(number, first)).await;
        }
    }
    append(&log, post(7, 33)).await;
    fork(&log, (7, 33), 8).await;
    fork(&log, (1, 70), 9).await;
    log.copy_base(world(9)).await.unwrap();
    append(&log, post(9, 73)).await;
    for number in [0, 1, 2, 7, 8, 9] {
        all.insert(world(number), read(&log, number, 0).await);
    }
    (disk.killed(), all)
}

/// The file that has the log.
fn log_of(disk: &OnDisk, kind: EngineKind) -> PathBuf {
    disk.dir.path().join("store").join(match kind {
        EngineKind::Sled => "log/db",
        EngineKind::Files => "files/rows",
    })
}

/// Rebuilds, and compares what the new store serves with what was written; gives how many worlds are whole.
async fn check(disk: &OnDisk, all: &BTreeMap<WorldId, Vec<Commit>>, what: &str) -> usize {
    let order = order(disk, EngineKind::Files);
    let before = files(&order.from);
    let rebuilt = rebuild(&order).unwrap();
    assert!(
        files(&order.from) == before,
        "{what}: the old store was changed"
    );
    let new = open(&order.to);
    let mut whole = 0;
    for found in &rebuilt.worlds {
        let commits = all
            .get(&found.world)
            .unwrap_or_else(|| panic!("{what}: a world that never was: {found:?}"));
        let (kept, head) = (found.kept.get(), commits.last().unwrap().last().get());
        let served = if kept == 0 {
            Vec::new()
        } else {
            read_world(&new, found.world).await
        };
        let expected = commits
            .iter()
            .take_while(|commit| commit.last().get() <= kept);
        assert!(
            served.iter().eq(expected),
            "{what}: {found:?} has other commits"
        );
        assert!(
            !rebuilt.is_whole() || kept == head,
            "{what}: {found:?} is said to be whole"
        );
        whole += usize::from(kept == head);
    }
    assert!(
        !rebuilt.is_whole() || whole == all.len(),
        "{what}: {} of {} worlds",
        whole,
        all.len()
    );
    new.close().unwrap();
    drop(new);
    fs::remove_dir_all(&order.to).unwrap();
    whole
}

async fn read_world(log: &Store, world: WorldId) -> Vec<Commit> {
    let stream = log.read(world, Position::ZERO).await.unwrap();
    bare(stream.map(Result::unwrap).collect::<Vec<_>>().await)
}

#[tokio::test]
async fn what_a_changed_byte_leaves_whole_is_kept_and_the_rest_is_named() {
    for kind in KINDS {
        let (disk, all) = sample(kind).await;
        assert_eq!(check(&disk, &all, "unchanged").await, all.len());
        let path = log_of(&disk, kind);
        let bytes = fs::read(&path).unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        let (mut whole, mut worlds) = (0, 0);
        for flip in 0..rebuilds() {
            let at = (flip * 2_654_435_761 % used as u64) as usize;
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (flip % 8);
            fs::write(&path, changed).unwrap();
            whole += check(&disk, &all, &format!("{kind}: byte {at} of {used}")).await;
            worlds += all.len();
        }
        println!(
            "{kind}: {whole} of {worlds} worlds are whole after {} changes",
            rebuilds()
        );
        assert!(
            whole * 2 > worlds,
            "{kind}: only {whole} of {worlds} worlds are whole"
        );
    }
}

#[tokio::test]
async fn what_a_cut_file_leaves_whole_is_kept_and_the_rest_is_named() {
    for kind in KINDS {
        let (disk, all) = sample(kind).await;
        let path = log_of(&disk, kind);
        let bytes = fs::read(&path).unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        let mut whole = 0;
        for part in (0..10).step_by(3) {
            fs::write(&path, &bytes[..used * part / 10]).unwrap();
            whole += check(
                &disk,
                &all,
                &format!("{kind}: {part} tenths of {used} bytes"),
            )
            .await;
        }
        println!(
            "{kind}: {whole} of {} worlds are whole after 4 cuts",
            4 * all.len()
        );
    }
}

/// A bundle of all of a world.
pub(crate) async fn bundle(log: &Store, number: u8) -> Bundle {
    let wanted = Wanted {
        world: world(number),
        choice: Choice::All,
        size: None,
        grown_from: Vec::new(),
    };
    let found = log.evidence(wanted).await.unwrap();
    let (size, root) = (found.tree.size(), found.tree.root());
    let head =
        Checkpoint::of_world(*world(number).0.as_bytes(), size, root, found.last.get()).body();
    let commits = found.commits.into_iter().map(bundled).collect();
    Bundle {
        format: FORMAT.to_owned(),
        head,
        notes: Vec::new(),
        commits,
    }
}

fn bundled(record: StoredRecord) -> BundledCommit {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let content = |content| match content {
        StoredContent::None => None,
        StoredContent::Present { salt, bytes } => Some(BundledContent::Shown(ShownContent {
            salt,
            text: text(bytes),
        })),
        StoredContent::Sealed { commitment } => Some(BundledContent::Withheld(commitment)),
        StoredContent::Erased { commitment } => Some(BundledContent::Erased(commitment)),
    };
    let events = record.events.into_iter().map(|event| BundledEvent {
        kind: event.kind,
        version: event.version,
        facts: text(event.facts),
        content: content(event.content),
    });
    let link = Some(*record.link.as_bytes());
    BundledCommit {
        index: record.index,
        header: record.header,
        events: events.collect(),
        link,
        proof: Vec::new(),
    }
}

#[tokio::test]
async fn an_export_fills_the_hole_that_damage_made() {
    let disk = OnDisk::of(EngineKind::Files);
    let log = disk.open();
    let (mut commits, id) = (fill(&log, 1, 40).await, world(1));
    let exported = bundle(&log, 1).await;
    let hole = fs::metadata(log_of(&disk, EngineKind::Files))
        .unwrap()
        .len()
        / 2;
    for first in 41..80 {
        append(&log, post(1, first)).await;
        commits.push(post(1, first));
    }
    let killed = disk.killed();
    let path = log_of(&killed, EngineKind::Files);
    let mut bytes = fs::read(&path).unwrap();
    bytes[hole as usize..hole as usize + 64].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let mut order = order(&killed, EngineKind::Files);
    let poor = rebuild(&order).unwrap();
    let [world] = poor.worlds.as_slice() else {
        panic!("{poor:?}")
    };
    assert!(
        world.kept < Position::new(40) && world.known == Position::new(79) && !world.is_whole(),
        "{world:?}"
    );
    assert_eq!(
        read(&open(&order.to), 1, 0).await,
        commits[..world.kept.get() as usize - 1]
    );
    fs::remove_dir_all(&order.to).unwrap();
    order.exports = vec![exported];
    let rich = rebuild(&order).unwrap();
    assert_eq!(kept(&rich), [(Position::new(79), Position::new(79))]);
    let new = open(&order.to);
    assert_eq!(read(&new, 1, 0).await, commits);
    assert_eq!(link(&new, 1).await, link(&log, 1).await);
    assert_eq!(
        new.tree_head(id).await.unwrap(),
        log.tree_head(id).await.unwrap()
    );
}

#[tokio::test]
async fn an_export_of_another_history_is_not_joined() {
    let disk = OnDisk::new();
    let log = disk.open();
    let commits = fill(&log, 1, 20).await;
    log.close().unwrap();
    let other = OnDisk::new();
    let log = other.open();
    append(&log, creation(1)).await;
    for first in 3..=40 {
        append(&log, say(1, first, "what nobody said")).await;
    }
    let order = Rebuild {
        exports: vec![bundle(&log, 1).await],
        ..order(&disk, EngineKind::Files)
    };
    let rebuilt = rebuild(&order).unwrap();
    assert_eq!(kept(&rebuilt), [(Position::new(20), Position::new(40))]);
    let lost = rebuilt.worlds[0].lost.as_deref().unwrap();
    assert!(
        lost.contains("event 21: the commit does not give its link"),
        "{lost}"
    );
    assert_eq!(read(&open(&order.to), 1, 0).await, commits);
}

#[tokio::test]
async fn forks_that_were_not_swept_are_examined_as_what_they_are() {
    for kind in KINDS {
        let (disk, all) = sample(kind).await;
        let found = examine(disk.dir.path().join("store"), None, &Against::default()).unwrap();
        assert_eq!(found.store, [], "{kind}");
        let heads: Vec<_> = found
            .worlds
            .iter()
            .map(|found| (found.world, found.events, found.damage.clone()))
            .collect();
        let expected: Vec<_> = all
            .iter()
            .map(|(id, commits)| (*id, commits[commits.len() - 1].last(), None))
            .collect();
        assert_eq!(heads, expected, "{kind}");
    }
}

#[tokio::test]
async fn a_fork_comes_back_from_its_export_without_its_parent() {
    let disk = OnDisk::of(EngineKind::Files);
    let log = disk.open();
    fill(&log, 1, 20).await;
    fork(&log, (1, 10), 2).await;
    append(&log, with_key(post(2, 13), keyed("k", "x"))).await;
    let commits = read(&log, 2, 0).await;
    let exports = vec![bundle(&log, 2).await];
    let order = Rebuild {
        from: disk.dir.path().join("none"),
        exports,
        ..order(&disk, EngineKind::Sled)
    };
    assert!(rebuild(&order).unwrap().is_whole());
    let new = open(&order.to);
    assert_eq!(read(&new, 2, 0).await, commits);
    assert_eq!(
        new.tree_head(world(2)).await.unwrap(),
        log.tree_head(world(2)).await.unwrap()
    );
    assert_eq!(
        new.find_key(world(2), &key("k"))
            .await
            .unwrap()
            .unwrap()
            .commit,
        commits[commits.len() - 1]
    );
    assert_eq!(
        new.verify(world(2), Against::default())
            .await
            .unwrap()
            .damage,
        None
    );
    append(&new, post(2, 14)).await;
}

#[tokio::test]
async fn a_deleted_world_does_not_come_back() {
    for kind in KINDS {
        let disk = OnDisk::of(kind);
        let log = disk.open();
        fill(&log, 1, 20).await;
        fill(&log, 2, 20).await;
        let exports = vec![bundle(&log, 2).await];
        log.delete(
            &[world(2)],
            &DeleteOrder {
                by: Principal::World,
                at: Time(5),
            },
        )
        .await
        .unwrap();
        let deleted = log.deleted().await.unwrap();
        let killed = disk.killed();
        let order = Rebuild {
            exports,
            ..order(&killed, EngineKind::Files)
        };
        assert_eq!(kept(&rebuild(&order).unwrap()).len(), 1);
        assert_eq!(open(&order.to).deleted().await.unwrap(), deleted);
        fs::remove_dir_all(&order.to).unwrap();
        // A log that does not read at all still has the tombstone in its bytes.
        let path = log_of(&killed, kind);
        let mut bytes = fs::read(&path).unwrap();
        bytes[..64].fill(0xa5);
        fs::write(&path, bytes).unwrap();
        let rebuilt = rebuild(&order).unwrap();
        assert!(
            !rebuilt.is_whole() && kept(&rebuilt).len() == 1,
            "{kind}: {rebuilt:?}"
        );
        assert_eq!(open(&order.to).deleted().await.unwrap(), deleted, "{kind}");
    }
}
