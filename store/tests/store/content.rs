//! Content that is too large for frames: it comes back, belongs to one event, goes with it, and is missed by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Attachment, Event, MessageBody, Span, TalkEvent, WorldEvent};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, Position, Time};
use folkmoot_core::port::{
    AppendError, Blobs as _, Checkpoints as _, Custody as _, Erasure, EventLog as _, ReadError,
};
use folkmoot_core::spec::Privacy;
use folkmoot_core::spec::limits::CONTENT_BYTES_MAX;
use folkmoot_store::{
    Against, Choice, Damage, DamageKind, DeleteOrder, Engine, EngineKind, FailingEngine,
    MemoryEngine, OpenError, OpenMode, Rebuild, Rebuilt, Store, StoredContent, Table, Wanted,
    rebuild,
};

use crate::canary::{files_with, kept_by};
use crate::fixture::*;
use crate::fork::fork;
use crate::looking::files;
use crate::rebuild::bundle;

crate::on_every_engine! {
    content_of_any_size_comes_back_as_it_was_written
    many_small_contents_of_one_commit_do_not_make_it_too_large
    a_byte_too_many_is_refused_and_the_store_goes_on
    erased_content_is_nowhere_and_its_neighbours_stay
    a_backup_has_it
    what_leaves_the_store_has_it_inside
    a_world_that_is_deleted_takes_it_along
    a_fork_with_a_copy_keeps_its_own
}

const KINDS: [EngineKind; 2] = [EngineKind::Sled, EngineKind::Files];
const CANARY: &str = "canary-9e3b77";
/// Of the events 3 to 9: the last that stands in frames is event 5.
const SIZES: [usize; 7] = [
    10,
    50 * 1024,
    56 * 1024 - 90,
    56 * 1024,
    56 * 1024 + 1,
    600 * 1024,
    20,
];
const BY: Position = Position::new(50);

fn span(from: u64, to: u64) -> Span {
    Span {
        from: Position::new(from),
        to: Position::new(to),
    }
}

fn text(len: usize) -> String {
    let mut text = format!("{CANARY} {len} ");
    while text.len() < len {
        text.push(char::from(b'a' + (text.len() % 23) as u8));
    }
    text
}

/// World 1, sealed or not, with contents around the sizes where something changes.
async fn filled(store: &Store, privacy: Privacy) -> Vec<Commit> {
    let mut first = creation(1);
    if let Event::World(WorldEvent::WorldOpened(opened)) = &mut first.events[0] {
        opened.spec.policy.privacy = privacy;
    }
    let posts = (3..).zip(SIZES).map(|(at, len)| say(1, at, text(len)));
    let commits: Vec<Commit> = std::iter::once(first).chain(posts).collect();
    for commit in &commits {
        append(store, commit.clone()).await;
    }
    commits
}

async fn damage(store: &Store, number: u8) -> Option<Damage> {
    store
        .verify(world(number), Against::default())
        .await
        .unwrap()
        .damage
}

async fn content_of_any_size_comes_back_as_it_was_written(store: Store) {
    let commits = filled(&store, Privacy::default()).await;
    assert!(read(&store, 1, 1).await == commits);
    for (at, commit) in (3..).zip(&commits[1..]) {
        assert!(read(&store, 1, at).await[0] == *commit, "event {at}");
    }
    assert!(
        bare(
            store
                .read_back(world(1), Position::new(9), 2)
                .await
                .unwrap()
        )[1] == commits[5]
    );
    assert_eq!(damage(&store, 1).await, None);
}

async fn many_small_contents_of_one_commit_do_not_make_it_too_large(store: Store) {
    append(&store, creation(1)).await;
    let events: Vec<Event> = (3..23).map(|at| message(text(40 * 1024), at)).collect();
    let commit = Commit {
        header: header(world(1), 3),
        events,
    };
    append(&store, commit.clone()).await;
    assert!(read(&store, 1, 3).await == [commit]);
    assert_eq!(damage(&store, 1).await, None);
}

async fn a_byte_too_many_is_refused_and_the_store_goes_on(store: Store) {
    append(&store, creation(1)).await;
    let empty = say(1, 3, String::new()).events[0].to_record().unwrap();
    let folkmoot_core::event::StoredContent::Present(around) = empty.content else {
        panic!("it has content")
    };
    let largest = CONTENT_BYTES_MAX - around.len();
    let refused = store
        .append(FIRST, vec![say(1, 3, "a".repeat(largest + 1))])
        .await;
    let Err(AppendError::Invalid(why)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(
        why,
        "the content of event 3 has 8388609 bytes; at most 8388608 are allowed"
    );
    let commit = say(1, 3, "a".repeat(largest));
    append(&store, commit.clone()).await;
    assert!(read(&store, 1, 3).await == [commit]);
}

async fn erased_content_is_nowhere_and_its_neighbours_stay(store: Store) {
    let commits = filled(&store, Privacy::default()).await;
    for _ in 0..2 {
        let erased = store.erase(world(1), &[span(6, 7)], BY).await.unwrap();
        assert_eq!(erased.events, 2, "also if it is asked for again");
    }
    let left = read(&store, 1, 1).await;
    assert!(left[..4] == commits[..4] && left[6..] == commits[6..]);
    assert!(left[4] != commits[4] && left[5] != commits[5]);
    assert!(
        damage(&store, 1)
            .await
            .is_some_and(|damage| damage.kind == DamageKind::TakenOut),
        "nobody recorded why"
    );
}

async fn a_backup_has_it(store: Store) {
    let commits = filled(&store, Privacy::default()).await;
    let dir = tempfile::tempdir().unwrap();
    store.backup(dir.path().join("copy")).await.unwrap();
    let copy = Store::open(dir.path().join("copy"), OpenMode::Existing).unwrap();
    assert!(read(&copy, 1, 1).await == commits);
    assert_eq!(damage(&copy, 1).await, None);
}

async fn what_leaves_the_store_has_it_inside(store: Store) {
    filled(&store, Privacy::default()).await;
    let wanted = Wanted {
        world: world(1),
        choice: Choice::All,
        size: None,
        grown_from: Vec::new(),
    };
    let evidence = store.evidence(wanted).await.unwrap();
    let inside = |content: &StoredContent| matches!(content, StoredContent::Present { bytes, .. } if bytes.len() > 500_000);
    assert!(
        evidence
            .commits
            .iter()
            .any(|commit| commit.events.iter().any(|event| inside(&event.content)))
    );
}

async fn a_world_that_is_deleted_takes_it_along(store: Store) {
    filled(&store, Privacy::default()).await;
    append(&store, creation(2)).await;
    append(&store, say(2, 3, text(100_000))).await;
    store
        .delete(
            &[world(1)],
            &DeleteOrder {
                by: Principal::World,
                at: Time(5),
            },
        )
        .await
        .unwrap();
    assert!(read(&store, 2, 3).await == [say(2, 3, text(100_000))]);
    assert_eq!(damage(&store, 2).await, None);
}

async fn a_fork_with_a_copy_keeps_its_own(store: Store) {
    let commits = filled(&store, Privacy::default()).await;
    fork(&store, (1, 8), 2).await;
    fork(&store, (1, 8), 3).await;
    assert!(
        read(&store, 2, 1).await[..7] == commits[..7],
        "what it shares"
    );
    store.copy_base(world(2)).await.unwrap();
    append(&store, say(2, 11, text(90_000))).await;
    assert!(
        read(&store, 2, 1).await[..7] == commits[..7],
        "what it has a copy of"
    );
    // In the copy alone, and then where it is shared.
    store.erase(world(2), &[span(7, 7)], BY).await.unwrap();
    assert!(read(&store, 1, 1).await == commits && read(&store, 3, 1).await[..7] == commits[..7]);
    store.erase(world(1), &[span(8, 8)], BY).await.unwrap();
    for number in 1..=3 {
        assert!(
            read(&store, number, 1).await[6] != commits[6],
            "world {number}"
        );
    }
    assert!(read(&store, 1, 1).await[5] == commits[5]);
}

/// Where the content of event `at` of world 1 stands.
fn file_of(store: &Path, at: u64) -> PathBuf {
    let folders = fs::read_dir(store.join("content")).unwrap();
    let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    let name = format!("c{at:016x}");
    files
        .map(|file| file.unwrap().path())
        .find(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(&name)
        })
        .unwrap()
}

#[tokio::test]
async fn it_outlives_the_process_sealed_or_not_and_is_in_no_file_in_the_clear_if_sealed() {
    for (kind, privacy) in KINDS
        .into_iter()
        .flat_map(|kind| [(kind, Privacy::default()), (kind, Privacy::Sealed)])
    {
        let disk = OnDisk::of(kind);
        let store = disk.open();
        let commits = filled(&store, privacy).await;
        let killed = disk.killed();
        store.close().unwrap();
        drop(store);
        for disk in [&disk, &killed] {
            assert!(
                read(&disk.open(), 1, 1).await == commits,
                "{kind} {privacy:?}"
            );
        }
        let is_sealed = privacy == Privacy::Sealed;
        assert_eq!(
            files_with(&disk.dir.path().join("store"), CANARY).is_empty(),
            is_sealed
        );
        let store = disk.open();
        store.erase(world(1), &[span(2, 9)], BY).await.unwrap();
        assert_eq!(files_with(&disk.dir.path().join("store"), CANARY), [""; 0]);
        assert_eq!(
            fs::read_dir(disk.dir.path().join("store/content"))
                .unwrap()
                .count(),
            0
        );
    }
}

/// The name of the file with the content of event `at` in the folder of a world.
fn file_of_world(folder: &Path, at: u64) -> String {
    let mut names = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    let begin = format!("c{at:016x}");
    names.find(|name| name.starts_with(&begin)).unwrap()
}

/// A store with two worlds in which the content of event 8 of world 1 is not what it was, what world 1 was, and the file of
/// that content.
async fn spoilt(kind: EngineKind, spoil: impl Fn(&Path)) -> (OnDisk, Vec<Commit>, String) {
    let disk = OnDisk::of(kind);
    let store = disk.open();
    let commits = filled(&store, Privacy::default()).await;
    fill(&store, 2, 20).await;
    store.close().unwrap();
    drop(store);
    let home = disk.dir.path().join("store");
    let file = file_of(&home, 8);
    spoil(&file);
    let name = file.strip_prefix(&home).unwrap().display().to_string();
    (disk, commits, name)
}

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    bytes[77] ^= 1;
    fs::write(path, &bytes).unwrap();
}

fn lose(path: &Path) {
    fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn lost_content_is_damage_of_that_event_by_name_and_nothing_else_is_lost() {
    for (spoil, what) in [
        (cut as fn(&Path), "is not what was written"),
        (flip, "is not what was written"),
        (lose, "is missing"),
    ] {
        let kind = EngineKind::Files;
        let (disk, commits, file) = spoilt(kind, spoil).await;
        let store = disk.open();
        let what = format!("the content of event 8, the file {file}, {what}");
        let found = damage(&store, 1).await.unwrap();
        assert_eq!(
            (found.at, found.kind, &found.what),
            (Position::new(8), DamageKind::Content, &what)
        );
        let refused = try_read(&store, 1, 8).await;
        assert!(
            matches!(&refused, Err(ReadError::Damaged { what: found, .. }) if *found == what),
            "{refused:?}"
        );
        assert_eq!(damage(&store, 2).await, None);
        assert_eq!(read(&store, 2, 1).await.len(), 19);
        let backup = store.backup(disk.dir.path().join("copy")).await.unwrap();
        assert_eq!(
            backup.content_damaged, 1,
            "the copy is no better, and says so"
        );
        drop(store);
        let rebuilt = rebuilt(&disk, kind, Vec::new());
        let one = rebuilt
            .worlds
            .iter()
            .find(|found| found.world == world(1))
            .unwrap();
        assert_eq!(
            one.kept,
            Position::new(9),
            "the event stays, its content is lost"
        );
        assert!(
            one.lost
                .as_ref()
                .is_some_and(|lost| lost.contains("the content of event 8")),
            "{one:?}"
        );
        let new = Store::open(&rebuilt.path, OpenMode::Existing).unwrap();
        let left = read(&new, 1, 1).await;
        assert!(left[..6] == commits[..6] && left[6] != commits[6] && left[7..] == commits[7..]);
        assert_eq!(
            damage(&new, 1).await.map(|damage| damage.at),
            Some(Position::new(8)),
            "it is told of there, too"
        );
    }
}

fn rebuilt(
    disk: &OnDisk,
    kind: EngineKind,
    exports: Vec<folkmoot_proof::bundle::Bundle>,
) -> Rebuilt {
    let (from, to) = (disk.dir.path().join("store"), disk.dir.path().join("new"));
    rebuild(&Rebuild {
        from,
        to,
        kind,
        exports,
    })
    .unwrap()
}

#[tokio::test]
async fn lost_content_comes_from_an_export_where_there_is_one() {
    for (from, to) in [
        (EngineKind::Sled, EngineKind::Files),
        (EngineKind::Files, EngineKind::Sled),
    ] {
        let disk = OnDisk::of(from);
        let store = disk.open();
        let commits = filled(&store, Privacy::default()).await;
        let exported = bundle(&store, 1).await;
        drop(store);
        lose(&file_of(&disk.dir.path().join("store"), 8));
        let rebuilt = rebuilt(&disk, to, vec![exported]);
        assert!(rebuilt.is_whole(), "{rebuilt:?}");
        let new = Store::open(&rebuilt.path, OpenMode::Existing).unwrap();
        assert!(read(&new, 1, 1).await == commits);
        assert_eq!(damage(&new, 1).await, None);
    }
}

#[tokio::test]
async fn lost_content_can_be_erased() {
    let (disk, commits, _) = spoilt(EngineKind::Files, lose).await;
    let store = disk.open();
    store.erase(world(1), &[span(8, 8)], BY).await.unwrap();
    assert!(read(&store, 1, 1).await[..6] == commits[..6]);
}

/// The ways to lose a content.
const WAYS: [fn(&Path); 3] = [lose, cut, flip];

#[tokio::test]
async fn a_world_with_lost_content_is_not_opened_for_and_not_a_byte_of_the_store_changes() {
    for (kind, spoil) in KINDS
        .into_iter()
        .flat_map(|kind| WAYS.map(|spoil| (kind, spoil)))
    {
        let disk = OnDisk::of(kind);
        let store = disk.open();
        filled(&store, Privacy::default()).await;
        fork(&store, (1, 9), 2).await;
        fork(&store, (1, 9), 3).await;
        store.copy_base(world(3)).await.unwrap();
        fork(&store, (1, 7), 4).await;
        drop(store);
        let home = disk.dir.path().join("store");
        let killed = disk.killed();
        for home in [home, killed.dir.path().join("store")] {
            let lost = home.join("content").join(world(1).0.simple().to_string());
            let file = file_of_world(&lost, 8);
            spoil(&lost.join(&file));
            let before = files(&home);
            // The second has what it shares with the first, the third its own, and the fourth ends before it.
            for number in [1, 2] {
                let refused = Store::open_for(&home, OpenMode::Existing, &name(number));
                let Err(OpenError::LostContent {
                    world: named,
                    at,
                    what,
                    more: 0,
                }) = refused
                else {
                    panic!("{kind} {number}: {refused:?}")
                };
                assert_eq!((named, at), (name(number), Position::new(8)));
                assert!(
                    what.contains(&format!("content/{}/{file}", world(1).0.simple())),
                    "{what}"
                );
                assert!(files(&home) == before, "{kind} {number}");
            }
            for number in [3, 4, 5] {
                let store = Store::open_for(&home, OpenMode::Existing, &name(number)).unwrap();
                store.close().unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_store_that_is_opened_to_erase_passes_over_what_is_lost_and_saves_no_fold_of_it() {
    for (kind, spoil) in KINDS
        .into_iter()
        .flat_map(|kind| WAYS.map(|spoil| (kind, spoil)))
    {
        let (disk, commits, _) = spoilt(kind, spoil).await;
        let home = disk.dir.path().join("store");
        let store = disk.open();
        let only = store.put(world(1), b"only".to_vec()).await.unwrap();
        let mut attached = say(1, 10, "see this");
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = &mut attached.events[0] {
            let file = Attachment {
                blob: only,
                media_type: "text/plain".to_owned(),
                name: "a.txt".to_owned(),
                bytes: 4,
                parts: Vec::new(),
            };
            posted.body = MessageBody {
                text: "see this".to_owned(),
                attachments: vec![file],
            }
            .into();
        }
        append(&store, attached).await;
        drop(store);
        let store = Store::open_to_erase(&home).unwrap();
        let found = read(&store, 1, 1).await;
        assert!(found[..6] == commits[..6] && found[6] != commits[6] && found[7] == commits[7]);
        let rules = Digest::of(&[b"rules"]);
        store
            .save(world(1), Position::new(10), rules, b"{}".to_vec())
            .await
            .unwrap();
        assert_eq!(store.latest(world(1), rules, None).await, None);
        // Another one goes, with its file: nobody can tell any more whether what is lost had it, too.
        assert_eq!(
            store.erase(world(1), &[span(10, 10)], BY).await.unwrap(),
            Erasure {
                events: 1,
                files: 1
            }
        );
        drop(store);
        assert!(Store::open_for(&home, OpenMode::Existing, &name(1)).is_err());
        let store = Store::open_to_erase(&home).unwrap();
        assert_eq!(
            store
                .erase(world(1), &[span(8, 8)], BY)
                .await
                .unwrap()
                .events,
            1
        );
        drop(store);
        let store = Store::open_for(&home, OpenMode::Existing, &name(1)).unwrap();
        assert!(read(&store, 1, 1).await[7] == commits[7]);
    }
}

#[tokio::test]
async fn what_a_rebuilding_had_to_leave_out_can_be_erased() {
    let (disk, commits, _) = spoilt(EngineKind::Files, lose).await;
    let rebuilt = rebuilt(&disk, EngineKind::Files, Vec::new());
    let store = Store::open_for(&rebuilt.path, OpenMode::Existing, &name(1)).unwrap();
    assert_eq!(
        store
            .erase(world(1), &[span(8, 8)], BY)
            .await
            .unwrap()
            .events,
        1
    );
    assert!(read(&store, 1, 1).await[7] == commits[7]);
}

#[tokio::test]
async fn content_of_a_commit_that_never_was_is_swept_and_never_damage() {
    for kind in KINDS {
        let disk = OnDisk::of(kind);
        let store = disk.open();
        let commits = filled(&store, Privacy::default()).await;
        drop(store);
        let home = disk.dir.path().join("store");
        let left = |world: &str, name: &str| {
            fs::create_dir_all(home.join("content").join(world)).unwrap();
            fs::write(home.join("content").join(world).join(name), CANARY).unwrap();
        };
        let own = file_of(&home, 8)
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        left(&own, &format!("c{:016x}{}", 10, "ab".repeat(32)));
        left(&"7".repeat(32), &format!("c{:016x}{}", 1, "ab".repeat(32)));
        let store = disk.open();
        assert_eq!(fs::read_dir(home.join("content")).unwrap().count(), 1);
        assert_eq!(
            fs::read_dir(home.join("content").join(&own))
                .unwrap()
                .count(),
            3,
            "events 6, 7 and 8"
        );
        assert_eq!(damage(&store, 1).await, None);
        assert!(read(&store, 1, 1).await == commits);
    }
}

#[tokio::test]
async fn an_append_that_fails_leaves_the_world_as_it_was_and_nothing_behind_once_it_is_opened_again()
 {
    for step in 0..12 {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let dying: Arc<dyn Engine> = if step < 6 {
            Arc::new(FailingEngine::after(step, Arc::clone(&engine)))
        } else {
            Arc::new(FailingEngine::after_changes(step - 6, Arc::clone(&engine)))
        };
        let store = Store::with_engine(dying).unwrap();
        let mut appended = Vec::new();
        for commit in [
            creation(1),
            say(1, 3, text(70_000)),
            say(1, 4, text(80_000)),
            say(1, 5, text(20)),
        ] {
            match store.append(FIRST, vec![commit.clone()]).await {
                Ok(_) => appended.push(commit),
                Err(_) => break,
            }
        }
        drop(store);
        let store = Store::with_engine(Arc::clone(&engine)).unwrap();
        if !appended.is_empty() {
            assert!(read(&store, 1, 1).await == appended, "step {step}");
            assert_eq!(damage(&store, 1).await, None, "step {step}");
        }
        let kept = engine
            .keys(Table::Content, &[], &[0xff; 64], usize::MAX)
            .unwrap();
        assert_eq!(
            kept.len(),
            appended.len().saturating_sub(1).min(2),
            "step {step}"
        );
    }
}

#[tokio::test]
async fn an_erasure_that_died_anywhere_is_done_again_beside_the_frames_too() {
    for step in 0.. {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let dying = Arc::new(FailingEngine::after_changes(u64::MAX, Arc::clone(&engine)));
        let store = Store::with_engine(Arc::clone(&dying) as _).unwrap();
        let commits = [
            creation(1),
            say(1, 3, text(58_000)),
            say(1, 4, text(59_000)),
            say(1, 5, text(60_000)),
        ];
        for commit in &commits {
            append(&store, commit.clone()).await;
        }
        dying.let_changes_through(step);
        let is_done = store.erase(world(1), &[span(4, 5)], BY).await.is_ok();
        drop(store);
        let store = Store::with_engine(Arc::clone(&engine)).unwrap();
        assert!(read(&store, 1, 1).await[..2] == commits[..2], "step {step}");
        store.erase(world(1), &[span(3, 5)], BY).await.unwrap();
        assert!(!kept_by(&*engine, CANARY), "step {step}");
        if is_done {
            assert!(step > 3, "only {step} steps");
            return;
        }
    }
}

#[tokio::test]
async fn a_store_of_the_format_before_opens_and_says_what_it_is_once_it_has_such_content() {
    let disk = OnDisk::of(EngineKind::Files);
    let home = disk.dir.path().join("store");
    let format = || fs::read_to_string(home.join("format")).unwrap();
    append(&disk.open(), creation(1)).await;
    fs::write(home.join("format"), "folkmoot store 1\n").unwrap();
    let store = disk.open();
    append(&store, say(1, 3, text(1_000))).await;
    assert_eq!(
        format(),
        "folkmoot store 1\n",
        "an older build can still read it"
    );
    append(&store, say(1, 4, text(100_000))).await;
    assert_eq!(format(), "folkmoot store 2\n");
}
