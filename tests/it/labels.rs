//! Whom a world belongs to and how it is labelled, by the word of whoever opens it.

use folkmoot::core::event::refusal::Refusal;
use folkmoot::core::event::{Event, Labelled, WorldEvent};
use folkmoot::core::port::{EventLog as _, Labels};
use folkmoot::{OpenError, Opening, Runtime, Store};
use folkmoot_tests::{Room, commits_of, room_name};

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn labelled(owner: &str, pairs: &[(&str, &str)]) -> Labelled {
    Labelled {
        owner: Some(owner.to_owned()),
        labels: labels(pairs),
    }
}

/// Opens the room and closes it again; gives the labels that it has, and all that are recorded.
async fn opened(store: &Store, opening: Opening) -> (Labelled, Vec<Labelled>) {
    let runtime = Runtime::builder(store).build();
    let world = runtime.open(opening).await.unwrap();
    let now = world
        .operator()
        .read(|world| world.labelled().clone())
        .await
        .unwrap();
    runtime.shutdown().await;
    let events = commits_of(store, &room_name())
        .await
        .into_iter()
        .flat_map(|commit| commit.events);
    let recorded = events.filter_map(|event| {
        if let Event::World(WorldEvent::Labelled(labelled)) = event {
            Some(labelled)
        } else {
            None
        }
    });
    (now, recorded.collect())
}

#[tokio::test]
async fn an_opening_records_owner_and_labels_when_they_differ() {
    let store = Store::memory();
    let begun = Opening::with(room_name(), Room::auto().definition())
        .owned_by("team-a")
        .label("stage", "test");
    let first = labelled("team-a", &[("stage", "test")]);
    assert_eq!(
        opened(&store, begun.clone()).await,
        (first.clone(), vec![first.clone()])
    );
    assert_eq!(
        opened(&store, begun).await,
        (first.clone(), vec![first.clone()]),
        "the same again"
    );
    let recorded = || Opening::recorded(room_name());
    assert_eq!(
        opened(&store, recorded()).await,
        (first.clone(), vec![first.clone()]),
        "none are given"
    );

    let second = labelled("team-b", &[("stage", "test")]);
    assert_eq!(
        opened(&store, recorded().owned_by("team-b")).await.0,
        second
    );
    let third = labelled("team-b", &[("topic", "billing")]);
    let all = vec![first, second, third.clone()];
    assert_eq!(
        opened(&store, recorded().label("topic", "billing")).await,
        (third, all)
    );
    assert!(
        store
            .worlds(&labels(&[("stage", "test")]), None, 9)
            .await
            .unwrap()
            .is_empty()
    );
    let found = store
        .worlds(&labels(&[("topic", "billing")]), None, 9)
        .await
        .unwrap();
    assert_eq!(
        found
            .into_iter()
            .map(|entry| entry.owner)
            .collect::<Vec<_>>(),
        [Some("team-b".to_owned())]
    );

    let none = Opening {
        labels: Some(Labels::new()),
        ..recorded()
    };
    assert_eq!(opened(&store, none).await.0, labelled("team-b", &[]));
}

#[tokio::test]
async fn labels_that_cannot_be_kept_open_nothing() {
    let store = Store::memory();
    let runtime = Runtime::builder(&store).build();
    let opening =
        Opening::with(room_name(), Room::auto().definition()).label("a key", "x".repeat(200));
    let error = runtime.open(opening).await.unwrap_err();
    assert!(
        matches!(error, OpenError::Refused(Refusal::BadLabels { .. })),
        "{error}"
    );
    assert_eq!(store.find(&room_name()).await.unwrap(), None);
}
