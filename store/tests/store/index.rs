//! What the index of worlds knows beside their heads.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::content::Content;
use folkmoot_core::event::{
    Author, Event, Labelled, MessageBody, MessageEdited, MessageRetracted, ReplyRegenerated,
    TalkEvent, WorldEvent,
};
use folkmoot_core::ids::{AgentName, MessageId, PersonName, Position};
use folkmoot_core::port::{EventLog, Labels, ReadError};
use folkmoot_store::Store;

use crate::fixture::*;

crate::on_every_engine! {
    messages_that_were_taken_away_are_listed
    worlds_are_listed_by_their_labels_a_page_at_a_time
    new_labels_take_the_place_of_the_ones_before
}

fn at(position: u64) -> Position {
    Position::new(position)
}

fn positions(gone: &[u64]) -> Vec<Position> {
    gone.iter().copied().map(at).collect()
}

fn one(number: u8, first: u64, event: Event) -> Commit {
    Commit {
        header: header(world(number), first),
        events: vec![event],
    }
}

fn retracted(gone: &[u64]) -> Event {
    let message = at(gone[0]);
    Event::Talk(TalkEvent::MessageRetracted(MessageRetracted {
        message: MessageId(message),
        at: message,
        gone: positions(gone),
    }))
}

fn edited(gone: &[u64]) -> Event {
    Event::Talk(TalkEvent::MessageEdited(MessageEdited {
        message: MessageId(at(gone[0])),
        at: at(gone[0]),
        author: Author::Person(PersonName::new("Ada").unwrap()),
        reply_to: None,
        gone: positions(gone),
        body: Content::Present(MessageBody::default()),
    }))
}

fn regenerated(gone: &[u64]) -> Event {
    Event::Talk(TalkEvent::ReplyRegenerated(ReplyRegenerated {
        message: MessageId(at(gone[0])),
        at: at(gone[0]),
        gone: positions(gone),
        agent: AgentName::new("bob").unwrap(),
        news: Vec::new(),
    }))
}

async fn gone(log: &dyn EventLog, number: u8, from: u64, to: u64) -> Vec<u64> {
    let gone = log.gone(world(number), at(from), at(to)).await.unwrap();
    gone.into_iter().map(Position::get).collect()
}

async fn messages_that_were_taken_away_are_listed(log: Store) {
    fill(&log, 1, 20).await;
    fill(&log, 2, 20).await;
    assert_eq!(gone(&log, 1, 0, 99).await, [0; 0]);
    append(&log, one(1, 21, retracted(&[10, 12]))).await;
    append(&log, one(1, 22, edited(&[5]))).await;
    append(&log, one(1, 23, regenerated(&[22, 7]))).await;
    assert_eq!(gone(&log, 1, 0, 99).await, [5, 7, 10, 12, 22]);
    assert_eq!(gone(&log, 1, 7, 12).await, [7, 10]);
    assert_eq!(gone(&log, 1, 12, 12).await, [0; 0]);
    assert_eq!(gone(&log, 2, 0, 99).await, [0; 0]);
    assert!(matches!(
        log.gone(world(9), at(1), at(2)).await,
        Err(ReadError::NoSuchWorld(_))
    ));
    assert!(matches!(
        log.gone(world(9), at(2), at(1)).await,
        Err(ReadError::NoSuchWorld(_))
    ));
}

#[tokio::test]
async fn messages_that_were_taken_away_are_listed_after_a_sweep_and_after_a_kill() {
    let disk = OnDisk::new();
    let log = disk.open();
    fill(&log, 1, 20).await;
    append(&log, one(1, 21, retracted(&[10]))).await;
    log.close().unwrap();
    let log = disk.open();
    assert_eq!(gone(&log, 1, 0, 99).await, [10]);
    append(&log, one(1, 22, retracted(&[4]))).await;
    assert_eq!(gone(&log, 1, 0, 99).await, [4, 10]);
    let killed = disk.killed();
    assert_eq!(gone(&killed.open(), 1, 0, 99).await, [4, 10]);
}

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn labelled(owner: Option<&str>, pairs: &[(&str, &str)]) -> Event {
    Event::World(WorldEvent::Labelled(Labelled {
        owner: owner.map(str::to_owned),
        labels: labels(pairs),
    }))
}

/// The numbers of the worlds that have all of these labels, from the one after `after`.
async fn listed(
    log: &dyn EventLog,
    pairs: &[(&str, &str)],
    after: Option<u8>,
    limit: usize,
) -> Vec<String> {
    let worlds = log
        .worlds(&labels(pairs), after.map(name).as_ref(), limit)
        .await
        .unwrap();
    worlds
        .into_iter()
        .map(|entry| entry.name.as_str().trim_start_matches("world-").to_owned())
        .collect()
}

async fn worlds_are_listed_by_their_labels_a_page_at_a_time(log: Store) {
    for number in 1..=6 {
        append(&log, creation(number)).await;
        let parity = if number % 2 == 0 { "even" } else { "odd" };
        let size = if number > 3 { "large" } else { "small" };
        append(
            &log,
            one(
                number,
                3,
                labelled(Some("ada"), &[("parity", parity), ("size", size)]),
            ),
        )
        .await;
    }
    append(&log, creation(7)).await;
    assert_eq!(
        listed(&log, &[], None, 9).await,
        ["1", "2", "3", "4", "5", "6", "7"]
    );
    assert_eq!(
        listed(&log, &[("parity", "even")], None, 9).await,
        ["2", "4", "6"]
    );
    assert_eq!(
        listed(&log, &[("parity", "even")], None, 2).await,
        ["2", "4"]
    );
    assert_eq!(listed(&log, &[("parity", "even")], Some(4), 2).await, ["6"]);
    assert_eq!(
        listed(&log, &[("parity", "even"), ("size", "large")], None, 9).await,
        ["4", "6"]
    );
    assert_eq!(
        listed(&log, &[("parity", "even"), ("size", "none")], None, 9).await,
        [""; 0]
    );
    assert_eq!(listed(&log, &[("parity", "even")], None, 0).await, [""; 0]);
    let entry = log.find(&name(3)).await.unwrap().unwrap();
    assert_eq!(
        (entry.owner.as_deref(), entry.labels),
        (Some("ada"), labels(&[("parity", "odd"), ("size", "small")]))
    );
}

async fn new_labels_take_the_place_of_the_ones_before(log: Store) {
    append(&log, creation(1)).await;
    append(
        &log,
        one(
            1,
            3,
            labelled(Some("ada"), &[("stage", "test"), ("topic", "a")]),
        ),
    )
    .await;
    append(&log, one(1, 4, labelled(None, &[("stage", "live")]))).await;
    assert_eq!(listed(&log, &[("stage", "test")], None, 9).await, [""; 0]);
    assert_eq!(listed(&log, &[("topic", "a")], None, 9).await, [""; 0]);
    assert_eq!(listed(&log, &[("stage", "live")], None, 9).await, ["1"]);
    let entry = log.find(&name(1)).await.unwrap().unwrap();
    assert_eq!(
        (entry.owner, entry.labels),
        (None, labels(&[("stage", "live")]))
    );
}

#[tokio::test]
async fn labels_are_known_after_a_sweep_and_after_a_kill() {
    let disk = OnDisk::new();
    let log = disk.open();
    for number in [1, 2] {
        append(&log, creation(number)).await;
        append(
            &log,
            one(number, 3, labelled(Some("ada"), &[("stage", "test")])),
        )
        .await;
    }
    log.close().unwrap();
    let log = disk.open();
    assert_eq!(
        listed(&log, &[("stage", "test")], None, 9).await,
        ["1", "2"]
    );
    append(&log, one(2, 4, labelled(None, &[("stage", "live")]))).await;
    let killed = disk.killed().open();
    assert_eq!(listed(&killed, &[("stage", "test")], None, 9).await, ["1"]);
    assert_eq!(listed(&killed, &[("stage", "live")], None, 9).await, ["2"]);
    assert_eq!(
        killed
            .find(&name(1))
            .await
            .unwrap()
            .unwrap()
            .owner
            .as_deref(),
        Some("ada")
    );
}
