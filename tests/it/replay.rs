//! A world is the fold of its log: live as replayed, with its content and without, today as tomorrow.

use std::sync::Arc;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, StoredContent};
use folkmoot::core::ids::Position;
use folkmoot::core::world::World;
use folkmoot::run::{Outcome, RunOptions, Watch, run_script};
use folkmoot::script::Step;
use folkmoot::{Perform, WorldHandle};
use folkmoot_tests::{Cut, Kept, Stage, commits_of, story_of};
use tokio::task::JoinHandle;

use crate::scripts;

/// Reads the live state again and again, until the world is gone.
pub(crate) fn watch(world: WorldHandle) -> JoinHandle<Vec<World>> {
    tokio::spawn(async move {
        let mut seen: Vec<World> = Vec::new();
        while let Ok(now) = world.operator().read(World::clone).await {
            if seen.last().is_none_or(|last| last.head() != now.head()) {
                seen.push(now);
            }
            tokio::task::yield_now().await;
        }
        seen
    })
}

/// The fold after each commit.
pub(crate) fn folds(commits: &[Commit]) -> Vec<World> {
    let mut world = World::default();
    let fold = |commit: &Commit| {
        world.apply(commit);
        world.clone()
    };
    commits.iter().map(fold).collect()
}

fn bytes(world: &World) -> Vec<u8> {
    serde_json::to_vec(world).unwrap()
}

/// The commit as it is read back after everything in it was erased.
pub(crate) fn erased(commit: &Commit) -> Commit {
    let erase = |event: &Event| {
        let mut record = event.to_record().unwrap();
        if record.content != StoredContent::None {
            record.content = StoredContent::Erased {
                by: Some(Position::new(1)),
            };
        }
        Event::from_record(record).unwrap()
    };
    Commit {
        header: commit.header.clone(),
        events: commit.events.iter().map(erase).collect(),
    }
}

/// Holds a log, and what was seen of its world while it was live, against the laws of replay. Gives how many commits
/// were seen live.
pub(crate) fn check(commits: &[Commit], seen: &[World], what: &str) -> usize {
    let replayed = folds(commits);
    let again = folds(commits);
    for (once, twice) in replayed.iter().zip(&again) {
        assert!(
            bytes(once) == bytes(twice),
            "{what}: two replays differ at {}",
            once.head()
        );
        let kept = World::restore(&bytes(once)).unwrap();
        assert_eq!(
            kept,
            *once,
            "{what}: a checkpoint at {} is not what was kept",
            once.head()
        );
    }
    for live in seen {
        let folded = replayed.iter().find(|folded| folded.head() == live.head());
        let folded = folded.unwrap_or_else(|| {
            panic!(
                "{what}: the live state stood inside a commit, at {}",
                live.head()
            )
        });
        assert_eq!(
            live,
            folded,
            "{what}: the live state differs at {}",
            live.head()
        );
        assert!(
            bytes(live) == bytes(folded),
            "{what}: the live state is written otherwise at {}",
            live.head()
        );
    }
    check_erased(commits, &replayed, what);
    seen.len()
}

/// Without its content a world folds to the same structure: nothing that is decided hangs on words.
fn check_erased(commits: &[Commit], replayed: &[World], what: &str) {
    let bare: Vec<Commit> = commits.iter().map(erased).collect();
    for (full, bare) in replayed.iter().zip(folds(&bare)) {
        let at = full.head();
        assert_eq!(bare.head(), at, "{what}");
        assert_eq!(
            bare.owed().collect::<Vec<_>>(),
            full.owed().collect::<Vec<_>>(),
            "{what}: owed, erased, at {at}"
        );
        assert!(
            bare.consent()
                .pending()
                .keys()
                .eq(full.consent().pending().keys()),
            "{what}: requests, erased, at {at}"
        );
        assert_eq!(
            bare.activity(),
            full.activity(),
            "{what}: activity, erased, at {at}"
        );
        assert_eq!(
            bare.script(),
            full.script(),
            "{what}: the script's progress, erased, at {at}"
        );
    }
}

/// Watches every opening of a run's world.
#[derive(Default)]
struct Watcher(Vec<JoinHandle<Vec<World>>>);

impl Watch for Watcher {
    fn opened(&mut self, world: &WorldHandle) {
        self.0.push(watch(world.clone()));
    }

    fn begins(&mut self, _index: usize, _step: &Step) {}

    fn ended(&mut self, _index: usize, _step: &Step, _outcome: &Outcome) {}
}

/// Runs a script while its live state is watched.
async fn run_watched(stage: &Stage) -> (Vec<Commit>, Vec<World>) {
    let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
    let options = RunOptions {
        perform: Perform::InOrder,
        ..RunOptions::default()
    };
    let mut watcher = Watcher::default();
    let run = run_script(&runtime, &stage.script, &options, &mut watcher);
    Box::pin(run).await.unwrap();
    runtime.shutdown().await;
    let mut seen = Vec::new();
    for task in watcher.0 {
        seen.extend(task.await.unwrap());
    }
    (commits_of(stage.store(), &stage.script.world).await, seen)
}

#[tokio::test]
async fn scripts_are_replayed_as_they_were_lived() {
    let (mut all, mut live) = (0, 0);
    for file in scripts::all() {
        let stage = Stage::of(&file, Kept::InMemory);
        let (commits, seen) = run_watched(&stage).await;
        live += check(&commits, &seen, &file.display().to_string());
        all += commits.len();
    }
    println!("{live} states were seen live, of {all} commits");
    assert!(
        live * 2 > all,
        "only {live} of {all} commits were seen live"
    );
}

#[tokio::test]
async fn the_same_script_with_the_same_seeds_makes_the_same_log() {
    for file in scripts::all() {
        // The same stage: the folder of a script is a fact of its world.
        let stage = Stage::of(&file, Kept::InMemory);
        let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
        stage.run(&runtime).await.unwrap();
        runtime.shutdown().await;
        let first = commits_of(stage.store(), &stage.script.world).await;
        let twin = stage.again();
        let runtime = twin.runtime(crate::helper(), Arc::new(Cut::never(&twin.probe)));
        twin.run(&runtime).await.unwrap();
        runtime.shutdown().await;
        let second = commits_of(twin.store(), &twin.script.world).await;
        assert_eq!(story_of(&first), story_of(&second), "{}", file.display());
        assert_eq!(first, second, "{}", file.display());
    }
}
