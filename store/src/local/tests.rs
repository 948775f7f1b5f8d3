//! Stores with records that this build would not write.

use std::sync::Arc;

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::{Commit, CommitHeader};
use folkmoot_core::content::Content;
#[cfg(feature = "shuttle")]
use folkmoot_core::event::{Author, MessageBody, MessagePosted, TalkEvent};
use folkmoot_core::event::{ClockKind, Event, EventRecord, Opened, WorldEvent, WorldOpened};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{
    Digest, Incarnation, NodeId, Position, Seed, Stamp, Time, WorldId, WorldName,
};
#[cfg(feature = "shuttle")]
use folkmoot_core::ids::{MessageId, PersonName};
use folkmoot_core::spec::SpecText;

use super::*;
use crate::engine::{FrameLog as _, FrameNumber};
use crate::format::chain::NO_LINK;
use crate::format::frame::{Packing, Unit};
use crate::write::encode::{Unlinked, foreign};

const OLD: u8 = 5;

/// The id of the world that [`creation`] makes.
pub(crate) fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&stamp(number))
}

const fn stamp(number: u8) -> Stamp {
    Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    }
}

fn header(number: u8, first: u64) -> CommitHeader {
    CommitHeader {
        world: world(number),
        first: Position::new(first),
        stamp: stamp(number),
        principal: Principal::World,
        cause: None,
        key: None,
        decider: Digest::of(&[]),
        command: CommandKind::Tick,
        residual: None,
    }
}

/// The first commit of a world.
pub(crate) fn creation(number: u8) -> Commit {
    let opened = WorldOpened {
        world: world(number),
        name: WorldName::new(format!("world-{number}")).unwrap(),
        clock: ClockKind::Simulated,
        decider: Digest::of(&[]),
        base: None,
        source: None,
        spec_digest: Digest::of(&[]),
        spec: Box::default(),
        text: Content::Present(SpecText::default()),
    };
    let node = NodeId::from_stamp(&stamp(number));
    let opening = Opened {
        incarnation: Incarnation(1),
        node,
        base: None,
        signer: None,
    };
    Commit {
        header: header(number, 1),
        events: vec![
            Event::World(WorldEvent::WorldOpened(opened)),
            Event::World(WorldEvent::Opened(opening)),
        ],
    }
}

/// The name of that world.
#[cfg(feature = "shuttle")]
pub(crate) fn name(number: u8) -> WorldName {
    WorldName::new(format!("world-{number}")).unwrap()
}

/// A commit of one message.
#[cfg(feature = "shuttle")]
pub(crate) fn post(number: u8, first: u64) -> Commit {
    say(number, first, format!("message {first}"))
}

/// A commit of one message with this text.
#[cfg(feature = "shuttle")]
pub(crate) fn say(number: u8, first: u64, text: String) -> Commit {
    let author = Author::Person(PersonName::new("Ada").unwrap());
    let message = MessagePosted::said(
        MessageId(Position::new(first)),
        author,
        None,
        MessageBody::text(text),
    );
    Commit {
        header: header(number, first),
        events: vec![Event::Talk(TalkEvent::MessagePosted(message))],
    }
}

/// Writes a world whose event 3 is `record`.
pub(crate) async fn foreign_record(engine: &MemoryEngine, record: &EventRecord) -> WorldId {
    let term = engine.take_over().unwrap();
    let (first, link) = Unlinked::encode(&creation(OLD), &Upcasters::default(), None)
        .unwrap()
        .link(&NO_LINK);
    let (second, _) = foreign(&header(OLD, 3), std::slice::from_ref(record))
        .unwrap()
        .link(&link);
    for (head, record) in [first, second].iter().enumerate() {
        let number = head as u64 + 1;
        let unit = Unit {
            number,
            term: term.0,
            packing: Packing::Plain,
            raw_len: record.len(),
            payload: record,
        };
        engine
            .append(term, FrameNumber(head as u64), &unit.frames().unwrap())
            .unwrap();
    }
    world(OLD)
}

/// Opens a store with other upcasters than this build's.
pub(crate) fn open_with(engine: Arc<MemoryEngine>, upcasters: Upcasters) -> LocalStore {
    LocalStore::with_schemas(engine, upcasters).unwrap()
}
