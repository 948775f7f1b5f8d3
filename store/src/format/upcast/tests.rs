use folkmoot_core::event::{
    Event, EventKind, EventRecord, StoredContent, WarningRecorded, WorldEvent,
};
use folkmoot_core::ids::Position;
use futures::StreamExt as _;

use super::*;
use crate::engine::{FrameLog as _, FrameNumber};
use crate::engines::MemoryEngine;

const KIND: u16 = EventKind::WarningRecorded as u16;

fn record(version: u16, facts: &str) -> EventRecord {
    EventRecord {
        kind: KIND,
        version,
        facts: facts.into(),
        content: StoredContent::None,
    }
}

/// The made-up older versions called the code a name.
fn rename(mut record: EventRecord) -> Result<EventRecord, Malformed> {
    let facts = String::from_utf8(record.facts).map_err(|_| Malformed::new("not text"))?;
    record.facts = facts.replace("\"name\"", "\"code\"").into_bytes();
    record.version += 1;
    Ok(record)
}

fn forget_to_count(record: EventRecord) -> Result<EventRecord, Malformed> {
    Ok(record)
}

fn with(from: u16, lift: Lift) -> Upcasters {
    let mut upcasters = Upcasters::default();
    upcasters.lifts.insert((KIND, from), lift);
    upcasters
}

#[test]
fn a_record_of_this_version_stays_as_it_is() {
    assert_eq!(
        Upcasters::default().lift(record(1, "{}")),
        Ok(record(1, "{}"))
    );
}

#[test]
fn an_older_record_goes_through_every_lift() {
    let mut upcasters = with(0, rename);
    upcasters.lifts.insert((KIND, 1), rename);
    upcasters.current.insert(KIND, ("WarningRecorded", 2));
    assert_eq!(
        upcasters.lift(record(0, r#"{"name":"x"}"#)),
        Ok(record(2, r#"{"code":"x"}"#))
    );
    assert_eq!(
        upcasters.lift(record(1, r#"{"name":"x"}"#)),
        Ok(record(2, r#"{"code":"x"}"#))
    );
}

#[test]
fn a_newer_version_and_an_unknown_kind_are_named() {
    let newer = LiftError::Newer {
        kind: "WarningRecorded".to_owned(),
        version: 2,
    };
    assert_eq!(Upcasters::default().lift(record(2, "{}")), Err(newer));
    let unknown = EventRecord {
        kind: 9_999,
        ..record(1, "{}")
    };
    let newer = LiftError::Newer {
        kind: "9999".to_owned(),
        version: 1,
    };
    assert_eq!(Upcasters::default().lift(unknown), Err(newer));
}

#[test]
fn a_missing_or_idle_lift_is_an_error() {
    assert!(matches!(
        Upcasters::default().lift(record(0, "{}")),
        Err(LiftError::Malformed(_))
    ));
    assert!(matches!(
        with(0, forget_to_count).lift(record(0, "{}")),
        Err(LiftError::Malformed(_))
    ));
}

#[test]
fn every_lift_counts_one_version_up_and_is_a_function() {
    let facts = r#"{"option":1}"#;
    for (kind, from, lift) in lifts::ALL {
        for content in [
            StoredContent::Present(b"{}".to_vec()),
            StoredContent::Erased { by: None },
        ] {
            let record = EventRecord {
                kind: kind as u16,
                version: from,
                facts: facts.into(),
                content,
            };
            let lifted = lift(record.clone()).unwrap();
            assert_eq!(
                (lifted.kind, lifted.version),
                (kind as u16, from + 1),
                "{}",
                kind.name()
            );
            assert_eq!(lift(record.clone()), Ok(lifted.clone()));
            let is_erased =
                |record: &EventRecord| matches!(record.content, StoredContent::Erased { .. });
            assert_eq!(
                is_erased(&lifted),
                is_erased(&record),
                "what is erased stays so"
            );
        }
    }
}

/// A store in memory whose second commit holds one `WarningRecorded` of `version`.
async fn store_with(
    version: u16,
    facts: &str,
    upcasters: Upcasters,
) -> (crate::local::LocalStore, folkmoot_core::ids::WorldId) {
    let engine = std::sync::Arc::new(MemoryEngine::new());
    let world = crate::local::tests::foreign_record(engine.as_ref(), &record(version, facts)).await;
    assert_eq!(engine.head().unwrap(), FrameNumber(2));
    (crate::local::tests::open_with(engine, upcasters), world)
}

#[tokio::test]
async fn reading_lifts_what_an_older_build_wrote() {
    use folkmoot_core::port::EventLog as _;
    let (store, world) = store_with(0, r#"{"name":"old"}"#, with(0, rename)).await;
    let read: Vec<_> = store
        .read(world, Position::new(3))
        .await
        .unwrap()
        .collect()
        .await;
    let event = Event::World(WorldEvent::WarningRecorded(WarningRecorded {
        code: "old".to_owned(),
        agent: None,
    }));
    assert_eq!(
        read.into_iter().next().unwrap().unwrap().commit.events,
        [event]
    );
}

#[tokio::test]
async fn reading_stops_at_what_a_newer_build_wrote() {
    use folkmoot_core::port::{EventLog as _, ReadError};
    let (store, world) = store_with(7, "{}", Upcasters::default()).await;
    let read: Vec<_> = store
        .read(world, Position::new(3))
        .await
        .unwrap()
        .collect()
        .await;
    let [
        Err(ReadError::Newer {
            at,
            kind,
            version: 7,
        }),
    ] = read.as_slice()
    else {
        panic!("{read:?}")
    };
    assert_eq!((at.get(), kind.as_str()), (3, "WarningRecorded"));
}

#[test]
fn a_revision_of_before_names_nobody_and_says_nothing_of_what_changed() {
    let facts = serde_json::json!({ "spec_digest": folkmoot_core::ids::Digest::default(), "spec": { "agents": [] } });
    let record = EventRecord {
        kind: EventKind::SpecRevised as u16,
        version: 1,
        facts: facts.to_string().into_bytes(),
        content: StoredContent::Present(b"{}".to_vec()),
    };
    let event = Event::from_record(lift(record).unwrap()).unwrap();
    let Event::World(WorldEvent::SpecRevised(revised)) = event else {
        panic!("{event:?}")
    };
    assert_eq!(
        (revised.by, revised.changes, revised.source),
        (None, Vec::new(), None)
    );
}

#[test]
fn tool_that_took_a_path_before_tools_said_so_says_so_now() {
    let facts = r#"{"spec":{"tools":{
        "calc":{"schema":{"properties":{"path":{"description":"a text"}}}},
        "read":{"schema":{"properties":{"path":{"description":"relative to the tool's folder; `.` is it"}}}}}}}"#;
    for (kind, from) in [(EventKind::WorldOpened, 1), (EventKind::SpecRevised, 2)] {
        let old = EventRecord {
            kind: kind as u16,
            ..record(from, facts)
        };
        let lift = lifts::ALL
            .iter()
            .find(|(lifted, version, _)| *lifted == kind && *version == from)
            .unwrap()
            .2;
        let lifted = lift(old).unwrap();
        let facts: serde_json::Value = serde_json::from_slice(&lifted.facts).unwrap();
        assert_eq!(
            facts.pointer("/spec/tools/read/paths/at"),
            Some(&serde_json::json!(["/path"]))
        );
        assert_eq!(facts.pointer("/spec/tools/calc/paths"), None);
        assert_eq!(lifted.version, from + 1);
    }
}
