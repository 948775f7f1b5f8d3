//! A writer that puts any records into frames and runs, with the checksums and tables that belong to them: what somebody
//! can do who can write the store and has no key.

use std::collections::BTreeMap;
use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_proof::Frontier;

use crate::engine::{FrameLog as _, FrameNumber, Pair, Shelf as _, Table, Term};
use crate::engines::MemoryEngine;
use crate::format::bytes::Bytes;
use crate::format::chain;
use crate::format::chain::NO_LINK;
use crate::format::frame::{FrameRef, Joiner, Packing, Unit};
use crate::format::header;
use crate::format::record::{RecordRef, records};
use crate::format::upcast::Upcasters;
use crate::home::head_record::Head;
use crate::read::runs;
use crate::read::runs::{entry, read_run_key, run_key};
use crate::state::index::Reach;
use crate::state::summary::{Summary, key_digest};

/// About how many bytes a unit of runs gets.
const UNIT_BYTES: usize = 2_500;

/// Where fields stand in a record.
const LINK_AT: usize = 4;
pub(super) const WORLD_AT: usize = 38;
pub(super) const FIRST_AT: usize = 54;

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Run {
        world: WorldId,
        unit: usize,
        at: usize,
    },
    Tail {
        unit: usize,
        at: usize,
    },
}

/// Records in runs, under the position of the first one.
type RunUnit = (u64, Vec<Vec<u8>>);

/// All that a store keeps.
#[derive(Debug, Clone)]
pub(super) struct Book {
    pub(super) runs: BTreeMap<WorldId, Vec<RunUnit>>,
    pub(super) tail: Vec<Vec<Vec<u8>>>,
    pub(super) entries: BTreeMap<WorldId, Reach>,
    pub(super) keys: Vec<Pair>,
    pub(super) gone: Vec<Pair>,
    meta: Vec<Pair>,
    swept: u64,
    pub(super) head: Head,
}

pub(super) fn read(record: &[u8]) -> RecordRef<'_> {
    RecordRef::read(&mut Bytes(record)).unwrap()
}

pub(super) fn first(record: &[u8]) -> Position {
    read(record).fixed.first
}

pub(super) fn patch(record: &mut [u8], at: usize, field: &[u8]) {
    record[at..at + field.len()].copy_from_slice(field);
}

fn table(engine: &MemoryEngine, table: Table) -> Vec<Pair> {
    engine.range(table, &[], &[0xff; 40], usize::MAX).unwrap()
}

impl Book {
    pub(super) fn of(engine: &MemoryEngine) -> Self {
        let meta = table(engine, Table::Meta);
        let swept = engine.get(Table::Meta, runs::SWEPT).unwrap();
        let swept = swept.map_or(0, |note| entry::read_swept(&note).unwrap().0.0);
        let mut all: BTreeMap<WorldId, Vec<Vec<u8>>> = BTreeMap::new();
        let mut joiner = Joiner::default();
        for (key, value) in table(engine, Table::Runs) {
            let world = read_run_key(&key).unwrap().0;
            let frame = FrameRef::read(&value).unwrap();
            let unit = joiner.add(&frame).unwrap().unwrap_or_default();
            all.entry(world)
                .or_default()
                .extend(records(unit).map(|record| record.unwrap().bytes.to_vec()));
        }
        let mut tail = Vec::new();
        let mut link = NO_LINK;
        let head = engine.head().unwrap();
        runs::each_unit(engine, FrameNumber(swept + 1), head, |unit, _| {
            tail.push(
                records(unit)
                    .map(|record| record.unwrap().bytes.to_vec())
                    .collect::<Vec<_>>(),
            );
            link = records(unit).last().unwrap().unwrap().link;
            Ok(())
        })
        .unwrap();
        let entries = table(engine, Table::Worlds).into_iter();
        let id = |key: &[u8]| header::world(key.try_into().unwrap());
        let entries = entries
            .map(|(key, value)| (id(&key), entry::read(&value).unwrap().0))
            .collect();
        let runs = all
            .into_iter()
            .map(|(world, records)| (world, units(records)))
            .collect();
        let (keys, gone) = (table(engine, Table::Keys), table(engine, Table::Gone));
        Self {
            runs,
            tail,
            entries,
            keys,
            gone,
            meta,
            swept,
            head: Head { frame: head, link },
        }
    }

    /// The store that keeps this.
    pub(super) fn write(&self) -> Arc<MemoryEngine> {
        let engine = Arc::new(MemoryEngine::new());
        let term = engine.take_over().unwrap();
        self.write_frames(&engine, term);
        for (world, units) in &self.runs {
            for (first, records) in units {
                let frames = run_frames(*first, &records.concat());
                let pairs = frames.into_iter().zip(0..);
                let pairs: Vec<Pair> = pairs
                    .map(|(frame, part)| (run_key(*world, Position::new(*first), part), frame))
                    .collect();
                engine.put(Table::Runs, &pairs).unwrap();
            }
        }
        let entries = self.entries.iter();
        let entries: Vec<Pair> = entries
            .map(|(world, reach)| (world.0.as_bytes().to_vec(), entry::write(reach).unwrap()))
            .collect();
        engine.put(Table::Worlds, &entries).unwrap();
        engine.put(Table::Keys, &self.keys).unwrap();
        engine.put(Table::Gone, &self.gone).unwrap();
        engine.put(Table::Meta, &self.meta).unwrap();
        engine
    }

    fn write_frames(&self, engine: &MemoryEngine, term: Term) {
        let empty = vec![Vec::new(); usize::try_from(self.swept).unwrap()];
        engine.append(term, FrameNumber(0), &empty).unwrap();
        engine.trim(FrameNumber(self.swept)).unwrap();
        for records in self.tail.iter().filter(|records| !records.is_empty()) {
            let (head, payload) = (engine.head().unwrap(), records.concat());
            let raw_len = payload.len();
            let number = head.plus(1).0;
            let unit = Unit {
                number,
                term: 1,
                packing: Packing::Plain,
                raw_len,
                payload: &payload,
            };
            engine.append(term, head, &unit.frames().unwrap()).unwrap();
        }
    }

    /// Where the records of a world stand, in order.
    pub(super) fn slots(&self, world: WorldId) -> Vec<Slot> {
        let runs = self.runs.get(&world).into_iter().flatten().enumerate();
        let in_runs = runs.flat_map(|(unit, (_, records))| {
            (0..records.len()).map(move |at| Slot::Run { world, unit, at })
        });
        let tail = self.tail.iter().enumerate().flat_map(|(unit, records)| {
            records
                .iter()
                .enumerate()
                .map(move |(at, record)| (Slot::Tail { unit, at }, record))
        });
        let in_tail = tail
            .filter(|(_, record)| read(record).fixed.world == world)
            .map(|(slot, _)| slot);
        in_runs.chain(in_tail).collect()
    }

    fn records_at(&mut self, slot: Slot) -> (&mut Vec<Vec<u8>>, usize) {
        match slot {
            Slot::Run { world, unit, at } => (&mut self.runs.get_mut(&world).unwrap()[unit].1, at),
            Slot::Tail { unit, at } => (&mut self.tail[unit], at),
        }
    }

    pub(super) fn record(&mut self, slot: Slot) -> &mut Vec<u8> {
        let (records, at) = self.records_at(slot);
        &mut records[at]
    }

    pub(super) fn remove(&mut self, slot: Slot) -> Vec<u8> {
        let (records, at) = self.records_at(slot);
        records.remove(at)
    }

    pub(super) fn insert(&mut self, slot: Slot, record: Vec<u8>) {
        let (records, at) = self.records_at(slot);
        records.insert(at, record);
    }

    /// Numbers and links a world's records anew, and makes all tables say the same.
    pub(super) fn relink(&mut self, world: WorldId) {
        self.runs
            .get_mut(&world)
            .unwrap()
            .retain(|(_, records)| !records.is_empty());
        let (mut next, mut link, mut tree) = (Position::new(1), NO_LINK, Frontier::default());
        let (mut reach, upcasters) = (self.entries[&world].clone(), Upcasters::default());
        self.keys
            .retain(|(key, _)| !key.starts_with(world.0.as_bytes()));
        self.gone
            .retain(|(key, _)| !key.starts_with(world.0.as_bytes()));
        for slot in self.slots(world) {
            let record = self.record(slot);
            patch(record, FIRST_AT, &next.get().to_le_bytes());
            let leaf = read(record).leaf().unwrap();
            link = chain::link(&link, &leaf);
            patch(record, LINK_AT, link.as_bytes());
            tree.push(leaf);
            let summary = Summary::read(&read(record), &upcasters).unwrap();
            if let Slot::Run { unit, at, .. } = slot {
                (reach.head, reach.link, reach.tree) = (summary.last, link, tree.clone());
                self.keys.extend(summary.key.iter().map(|keyed| {
                    let digest = key_digest(&keyed.key).unwrap();
                    (
                        entry::key(world, &digest),
                        entry::write_key(summary.first, &keyed.digest),
                    )
                }));
                self.gone.extend(
                    summary
                        .gone
                        .iter()
                        .map(|gone| (entry::gone_key(world, *gone), Vec::new())),
                );
                if at == 0 {
                    self.runs.get_mut(&world).unwrap()[unit].0 = next.get();
                }
            }
            next = summary.last.next();
        }
        self.entries.insert(world, reach);
        self.note_head();
    }

    /// Makes the head record say what is there.
    pub(super) fn note_head(&mut self) {
        let last = self.tail.iter().rev().find_map(|records| records.last());
        let link = last.map_or(self.head.link, |record| read(record).link);
        self.head = Head {
            frame: self.write().head().unwrap(),
            link,
        };
    }
}

fn units(records: Vec<Vec<u8>>) -> Vec<RunUnit> {
    let mut units: Vec<RunUnit> = Vec::new();
    for record in records {
        match units.last_mut() {
            Some((_, unit)) if unit.concat().len() < UNIT_BYTES => unit.push(record),
            Some(_) | None => units.push((first(&record).get(), vec![record])),
        }
    }
    units
}

fn run_frames(first: u64, raw: &[u8]) -> Vec<Vec<u8>> {
    let packed = zstd::bulk::compress(raw, 1).unwrap();
    let unit = Unit {
        number: first,
        term: 0,
        packing: Packing::Zstd,
        raw_len: raw.len(),
        payload: &packed,
    };
    unit.frames().unwrap()
}
