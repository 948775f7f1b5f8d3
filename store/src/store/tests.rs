//! Stores with records that this build would not write.

use std::sync::Arc;

use folkmoot_core::command::CommandKind;
use folkmoot_core::commit::{Commit, CommitHeader};
use folkmoot_core::content::Content;
use folkmoot_core::event::{ClockKind, Event, EventRecord, Opened, WorldOpened};
use folkmoot_core::ids::{Digest, Incarnation, NodeId, Position, Seed, Stamp, Time, WorldId, WorldName};
use folkmoot_core::principal::Principal;
use folkmoot_core::spec::{SpecText, WorldSpec};

use super::*;
use crate::chain::NO_LINK;
use crate::engine::{FrameLog as _, FrameNumber};
use crate::format::frame::{Packing, Unit};
use crate::format::record::{Unlinked, foreign};

const STAMP: Stamp = Stamp { time: Time::SIMULATED_START, seed: Seed::new([5; 16]) };

fn header(first: u64) -> CommitHeader {
    CommitHeader {
        world: WorldId::from_stamp(&STAMP),
        first: Position::new(first),
        stamp: STAMP,
        principal: Principal::World,
        cause: None,
        key: None,
        decider: Digest::of(&[]),
        command: CommandKind::Tick,
        residual: None,
    }
}

fn creation() -> Commit {
    let opened = WorldOpened {
        world: WorldId::from_stamp(&STAMP),
        name: WorldName::new("old").unwrap(),
        clock: ClockKind::Simulated,
        decider: Digest::of(&[]),
        base: None,
        spec_digest: Digest::of(&[]),
        spec: WorldSpec::default(),
        text: Content::Present(SpecText::default()),
    };
    let opening = Opened { incarnation: Incarnation(1), node: NodeId::from_stamp(&STAMP), base: None, signer: None };
    Commit { header: header(1), events: vec![Event::WorldOpened(opened), Event::Opened(opening)] }
}

/// Writes a world whose event 3 is `record`.
pub(crate) async fn foreign_record(engine: &MemoryEngine, record: &EventRecord) -> WorldId {
    let term = engine.take_over().unwrap();
    let (first, link) = Unlinked::encode(&creation(), &Upcasters::default(), None).unwrap().link(&NO_LINK);
    let (second, _) = foreign(&header(3), std::slice::from_ref(record)).unwrap().link(&link);
    for (head, record) in [first, second].iter().enumerate() {
        let number = head as u64 + 1;
        let unit = Unit { number, term: term.0, packing: Packing::Plain, raw_len: record.len(), payload: record };
        engine.append(term, FrameNumber(head as u64), &unit.frames().unwrap()).unwrap();
    }
    header(1).world
}

/// Opens a store with other upcasters than this build's.
pub(crate) fn open_with(engine: Arc<MemoryEngine>, upcasters: Upcasters) -> Store {
    Store::start(engine, None, upcasters).ok().unwrap()
}
