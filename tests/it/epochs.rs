//! A world outlives the build that began it: older logs and stores verify and go on, newer events are refused untouched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::audit::{self, AuditVerdict, WorldReport};
use folkmoot::core::command::commit::Commit;
use folkmoot::core::command::{Action, TalkAction};
use folkmoot::core::event::{Event, EventKind, EventRecord, WorldEvent};
use folkmoot::core::ids::Incarnation;
use folkmoot::core::port::{EventLog as _, Labels, ReadError};
use folkmoot::core::world::decider::{DECIDER_VERSION, decider_id};
use folkmoot::store::{Engine, MemoryEngine, SledEngine};
use folkmoot::{OpenError, OpenMode, Opening, Perform, Proof, Runtime, Store, WorldName};
use folkmoot_store::NextSchema;
use folkmoot_tests::{Cut, Kept, Stage, commits_of};
use serde_json::{Value, json};

use crate::{golden, scripts};

mod packed;

/// The build after this one: of a message's routing it always says which people it is for.
const NEXT: NextSchema = NextSchema {
    kind: EventKind::MessageRouted,
    lift: |record| {
        let mut facts: Value = serde_json::from_slice(&record.facts).unwrap();
        if facts["people"].is_null() {
            facts["people"] = json!([]);
        }
        let (facts, version) = (facts.to_string().into_bytes(), record.version + 1);
        Ok(EventRecord {
            facts,
            version,
            ..record
        })
    },
};

async fn append(store: &Store, commits: Vec<Commit>) {
    let mut incarnation = Incarnation(1);
    for commit in commits {
        let opened = |event: &Event| {
            if let Event::World(WorldEvent::Opened(opened)) = event {
                Some(opened.incarnation)
            } else {
                None
            }
        };
        incarnation = commit.events.iter().find_map(opened).unwrap_or(incarnation);
        store.append(incarnation, vec![commit]).await.unwrap();
    }
}

async fn names(store: &Store) -> Vec<WorldName> {
    store
        .worlds(&Labels::new(), None, 100)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect()
}

async fn verified(store: &Store, name: &WorldName) -> WorldReport {
    audit::verify(store, name).await.unwrap().await
}

/// Opens a world for writing.
async fn open(store: &Store, name: &WorldName) -> Result<Runtime, OpenError> {
    let runtime = Runtime::builder(store).build();
    let world = runtime
        .open(Opening {
            perform: Perform::Nothing,
            ..Opening::recorded(name.clone())
        })
        .await?;
    let seat = world.as_principal(Proof::script("ada".to_owned().try_into().unwrap()));
    let text = "And on we go.".to_owned();
    seat.give(
        Action::Talk(TalkAction::PostMessage {
            text,
            attachments: Vec::new(),
            reply_to: None,
        }),
        None,
    )
    .await
    .unwrap();
    Ok(runtime)
}

/// That a world verifies, goes on, and verifies: what is new is decided again, what was there is believed as recorded if
/// other rules decided it.
async fn goes_on(store: &Store, name: &WorldName) {
    let before = verified(store, name).await;
    assert_eq!(before.redecision.first, None, "{name}");
    open(store, name).await.unwrap().shutdown().await;
    let after = verified(store, name).await;
    assert!(
        after
            .checks
            .iter()
            .all(|check| !check.is_bad() && !check.is_missed),
        "{name}: {:?}",
        after.checks
    );
    assert!(
        after.redecision.counts.decided >= before.redecision.counts.decided + 2,
        "{name}"
    );
    let epochs: Vec<(bool, AuditVerdict)> = after
        .redecision
        .epochs
        .iter()
        .map(|epoch| (epoch.decider == decider_id(), epoch.verdict))
        .collect();
    let is_ours = before.redecision.epochs[0].decider == decider_id();
    let others = if is_ours {
        None
    } else {
        Some((false, AuditVerdict::RulesNotInThisBuild))
    };
    assert_eq!(
        epochs,
        others
            .into_iter()
            .chain([(true, AuditVerdict::Intact)])
            .collect::<Vec<_>>(),
        "{name}"
    );
    assert_eq!(after.redecision.epochs[0].from.get(), 1, "{name}");
}

/// The golden logs by the version of their rules.
fn logs() -> BTreeMap<PathBuf, Vec<Vec<Commit>>> {
    let mut logs: BTreeMap<PathBuf, Vec<Vec<Commit>>> = BTreeMap::new();
    for (file, commits) in golden::all() {
        logs.entry(file.parent().unwrap().to_owned())
            .or_default()
            .push(commits);
    }
    logs
}

#[tokio::test]
async fn golden_logs_of_all_rules_go_on_under_a_schema_that_has_moved_on() {
    for logs in logs().into_values() {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::new());
        let store = Store::with_engine(Arc::clone(&engine)).unwrap();
        for log in logs {
            append(&store, log).await;
        }
        store.close().unwrap();
        let store = Store::with_next_schema(engine, NEXT).unwrap();
        for name in names(&store).await {
            goes_on(&store, &name).await;
        }
    }
}

#[tokio::test]
async fn what_a_newer_build_wrote_is_named_and_nothing_of_the_store_changes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let engine = |mode| Arc::new(SledEngine::open(path.clone(), mode).unwrap());
    let store = Store::with_engine(engine(OpenMode::Create)).unwrap();
    let (_, log) = golden::all().next().unwrap();
    append(&store, log).await;
    let name = names(&store).await.remove(0);
    let head = store.find(&name).await.unwrap().unwrap().head;
    store.close().unwrap();
    drop(store);
    let store = Store::with_next_schema(engine(OpenMode::Existing), NEXT).unwrap();
    open(&store, &name).await.unwrap().shutdown().await;
    store.close().unwrap();
    drop(store);
    // Saved folds are those of a build's own rules, and another schema is other rules.
    let _none = std::fs::remove_dir_all(path.join("checkpoints"));

    let store = Store::with_engine(engine(OpenMode::Existing)).unwrap();
    let before = packed::files(&path);
    let found = verified(&store, &name).await;
    let [reading, again] = found.checks.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (reading.verdict, again.verdict),
        (AuditVerdict::NotChecked, AuditVerdict::NotChecked)
    );
    assert!(reading.is_missed && again.is_missed && !reading.is_bad());
    let error = open(&store, &name).await.map(|_| ()).unwrap_err();
    let OpenError::Read(ReadError::Newer {
        at,
        kind,
        version: 3,
    }) = error
    else {
        panic!("{error:?}")
    };
    assert!(at > head && kind == "MessageRouted", "{at} {kind}");
    let what = format!(
        "event {at} is a MessageRouted of version 3, which this build does not know; use a newer one"
    );
    assert_eq!(reading.detail, what);
    assert_eq!(
        found.redecision.first, None,
        "what comes before is decided again all the same"
    );
    assert!(
        packed::files(&path) == before,
        "the attempt wrote something"
    );
    store.close().unwrap();
}

/// Where stores with rooms of every event format are kept: a folder for each version of the rules that wrote one.
fn rooms() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/golden/rooms")
}

#[tokio::test]
async fn stores_of_every_event_format_load_verify_and_go_on() {
    let mut stores = 0;
    for entry in std::fs::read_dir(rooms()).unwrap() {
        let dir = tempfile::tempdir().unwrap();
        packed::unpack(&entry.unwrap().path(), &dir.path().join("store"));
        let store = Store::open(dir.path().join("store"), OpenMode::Existing).unwrap();
        let names = names(&store).await;
        assert_eq!(names.len(), SCRIPTS.len());
        for name in names {
            goes_on(&store, &name).await;
        }
        store.close().unwrap();
        stores += 1;
    }
    assert!(stores > 0);
}

/// The scripts whose rooms are kept in stores.
const SCRIPTS: [&str; 2] = ["people", "release-room"];

#[tokio::test]
#[ignore = "writes the golden store of a new event format or of new rules"]
async fn writes_golden_rooms() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let store = Store::open(path.clone(), OpenMode::Create).unwrap();
    for script in SCRIPTS {
        let stage = Stage::of(&scripts::named(script), Kept::InMemory);
        let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
        stage.run(&runtime).await.unwrap();
        runtime.shutdown().await;
        let mut commits = commits_of(stage.store(), &stage.script.world).await;
        golden::without_base(&mut commits);
        append(&store, commits).await;
    }
    store.close().unwrap();
    packed::pack(&path, &rooms().join(format!("v{DECIDER_VERSION}")));
}
