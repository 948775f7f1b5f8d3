//! Golden logs: logs of every format and of all rules are read, lifted and folded for ever. Those of the rules of this
//! build are decided again.
//!
//! If `decide` answers otherwise than it did when a log was written, this fails until `DECIDER_VERSION` is counted up and
//! new logs are written beside the old ones: `cargo test -p folkmoot-tests -- --ignored writes_golden_logs`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::audit::{Auditor, Finding};
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, EventRecord, StoredContent, WorldEvent};
use folkmoot::core::world::Activity;
use folkmoot::core::world::decider::DECIDER_VERSION;
use folkmoot_tests::{Cut, Kept, Stage, commits_of, golden_commit};
use serde_json::{Value, json};

/// The scripts whose logs are kept.
const SCRIPTS: [&str; 15] = [
    "budget",
    "compacted",
    "crash-and-resume",
    "debate",
    "denied",
    "fan-in",
    "forged-approval",
    "handoff",
    "orchestrator-worker",
    "people",
    "recorded",
    "reconciled",
    "release-room",
    "revised",
    "wrong-agent",
];

/// The folders of logs: one per version of the rules.
fn folders() -> Vec<PathBuf> {
    (1..=DECIDER_VERSION)
        .map(|version| Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("golden/v{version}")))
        .collect()
}

/// A commit as one line of JSON.
fn line(commit: &Commit) -> String {
    let event = |event: &Event| {
        let EventRecord {
            kind,
            version,
            facts,
            content,
        } = event.to_record().unwrap();
        let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
        let mut event = json!({ "kind": kind, "version": version, "facts": json(&facts) });
        if let StoredContent::Present(bytes) = &content {
            event["content"] = json(bytes);
        }
        event
    };
    json!({ "header": commit.header, "events": commit.events.iter().map(event).collect::<Vec<_>>() }).to_string()
}

pub(crate) fn commits(file: &Path) -> Vec<Commit> {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(golden_commit).collect()
}

/// All golden logs, with their files.
pub(crate) fn all() -> impl Iterator<Item = (PathBuf, Vec<Commit>)> {
    let logs = folders()
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    logs.map(|log| log.unwrap().path())
        .map(|file| (file.clone(), commits(&file)))
}

#[test]
fn golden_logs_are_decided_again_as_they_were() {
    let mut decided = 0;
    for (file, commits) in all() {
        let mut auditor = Auditor::default();
        for commit in commits {
            let finding = auditor.take(&commit);
            let what = format!("{}, event {}", file.display(), commit.header.first);
            match finding {
                Finding::Decided => decided += 1,
                Finding::RecordedRefusal | Finding::OtherRules(_) => {}
                Finding::Erased | Finding::Diverged(_) => panic!("{what}: {finding:?}"),
            }
        }
        assert_eq!(
            auditor.world().activity(),
            Activity::Idle,
            "{}",
            file.display()
        );
    }
    assert!(
        decided > 0,
        "no golden log was written by these rules: write new ones beside the old"
    );
    println!("{decided} commits were decided again");
}

/// Puts a folder of no machine in the place of the one that a log was made in.
pub(crate) fn without_base(commits: &mut [Commit]) {
    for event in commits.iter_mut().flat_map(|commit| &mut commit.events) {
        if let Event::World(WorldEvent::WorldOpened(opened)) = event {
            opened.base = Some("worlds".to_owned());
        }
    }
}

#[tokio::test]
#[ignore = "writes the golden logs of a new format or of new rules"]
async fn writes_golden_logs() {
    let folder = folders().pop().unwrap();
    std::fs::create_dir_all(&folder).unwrap();
    for script in SCRIPTS {
        let stage = Stage::of(&crate::scripts::named(script), Kept::InMemory);
        let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
        stage.run(&runtime).await.unwrap();
        runtime.shutdown().await;
        let mut commits = commits_of(stage.store(), &stage.script.world).await;
        without_base(&mut commits);
        write(&folder, script, &commits);
    }
    let (mut commits, ..) = crate::openings::log_of_a_service().await;
    without_base(&mut commits);
    write(&folder, "service", &commits);
}

fn write(folder: &Path, name: &str, commits: &[Commit]) {
    let lines: String = commits.iter().map(|commit| line(commit) + "\n").collect();
    std::fs::write(folder.join(format!("{name}.jsonl")), lines).unwrap();
}
