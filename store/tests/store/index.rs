//! What the index of worlds knows beside their heads.

use folkmoot_core::commit::Commit;
use folkmoot_core::content::Content;
use folkmoot_core::event::{Author, Event, MessageBody, MessageEdited, MessageRetracted, ReplyRegenerated};
use folkmoot_core::ids::{AgentName, MessageId, PersonName, Position};
use folkmoot_core::port::{EventLog, ReadError};
use folkmoot_store::Store;

use crate::fixture::*;

crate::on_every_engine! {
    messages_that_were_taken_away_are_listed
}

fn at(position: u64) -> Position {
    Position::new(position)
}

fn positions(gone: &[u64]) -> Vec<Position> {
    gone.iter().copied().map(at).collect()
}

fn one(number: u8, first: u64, event: Event) -> Commit {
    Commit { header: header(world(number), first), events: vec![event] }
}

fn retracted(gone: &[u64]) -> Event {
    let message = at(gone[0]);
    Event::MessageRetracted(MessageRetracted { message: MessageId(message), at: message, gone: positions(gone) })
}

fn edited(gone: &[u64]) -> Event {
    Event::MessageEdited(MessageEdited {
        message: MessageId(at(gone[0])),
        at: at(gone[0]),
        author: Author::Person(PersonName::new("Ada").unwrap()),
        reply_to: None,
        gone: positions(gone),
        body: Content::Present(MessageBody::default()),
    })
}

fn regenerated(gone: &[u64]) -> Event {
    Event::ReplyRegenerated(ReplyRegenerated {
        message: MessageId(at(gone[0])),
        at: at(gone[0]),
        gone: positions(gone),
        agent: AgentName::new("bob").unwrap(),
        news: Vec::new(),
    })
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
    assert!(matches!(log.gone(world(9), at(1), at(2)).await, Err(ReadError::NoSuchWorld(_))));
    assert!(matches!(log.gone(world(9), at(2), at(1)).await, Err(ReadError::NoSuchWorld(_))));
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
