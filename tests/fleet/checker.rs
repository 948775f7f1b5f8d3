//! The judge of a history: it holds the log against what was acknowledged, told and seen.
//!
//! Each operation names its position, so that no search for an order is needed: every law is a look into the log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use folkmoot::core::ids::{Incarnation, NodeId, Position, WorldId};
use folkmoot::{CallId, RequestId};

use crate::books::{Acknowledged, Entry, Line, Moment, Run, Saw};
use crate::history::{Fact, History, Log};

mod forged;

/// A law that a history breaks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The log does not go on where it ended.
    Hole { world: WorldId, at: Position },
    /// The incarnation of a commit is lower than that of the one before.
    Fell { world: WorldId, at: Position },
    /// The incarnation rose, and no opening says so; or one does, and it did not.
    Unopened { world: WorldId, at: Position },
    /// Two processes appended in one incarnation.
    Shared {
        world: WorldId,
        incarnation: Incarnation,
    },
    /// Two processes were one node.
    Impostor { node: NodeId },
    /// Two commits have one key.
    KeyTwice { world: WorldId, key: String },
    /// The log lacks what was acknowledged.
    Lost { world: WorldId, at: Position },
    /// The log has something else where this was acknowledged.
    Changed { world: WorldId, at: Position },
    /// It was acknowledged to two.
    TakenTwice { world: WorldId, at: Position },
    /// The log lacks what a client was told.
    Untold { world: WorldId, key: String },
    /// A request was decided twice, or not at all though a client was told so.
    Undecided { world: WorldId, request: RequestId },
    /// A reader saw less than before.
    WentBack { world: WorldId, reader: String },
    /// A reader did not see what had been acknowledged before.
    Stale { world: WorldId, reader: String },
    /// A run began that the log does not have.
    Unrecorded { world: WorldId, run: String },
    /// One attempt began twice.
    BeganTwice { world: WorldId, run: String },
    /// An unrepeatable call was started twice, and nobody was asked.
    Unasked { world: WorldId, call: CallId },
}

/// All laws that a history breaks.
pub(crate) fn faults(history: &History) -> BTreeSet<Fault> {
    let mut judge = Judge {
        history,
        faults: BTreeSet::new(),
    };
    for (world, log) in &history.worlds {
        judge.log(*world, log);
    }
    judge.holders();
    judge.acknowledged();
    judge.told();
    judge.decided();
    judge.seen();
    judge.runs();
    judge.faults
}

/// Runs that began behind the opening of a later incarnation: the gap that no lease closes.
pub(crate) fn late_runs(entries: &[Entry]) -> Vec<Run> {
    let mut opened: BTreeMap<(WorldId, Incarnation), Moment> = BTreeMap::new();
    for acknowledged in acknowledged(entries).map(|(_, acknowledged)| acknowledged) {
        let place = (acknowledged.world, acknowledged.incarnation);
        let first = opened.entry(place).or_insert(acknowledged.when);
        *first = acknowledged.when.min(*first);
    }
    let is_late = |run: &&Run| {
        let later = (run.world, Incarnation(run.incarnation.0 + 1));
        let last = (run.world, Incarnation(u32::MAX));
        let mut openings = opened.range(later..=last);
        openings.any(|(_, opened)| *opened < run.when)
    };
    began(entries).filter(is_late).cloned().collect()
}

fn acknowledged(entries: &[Entry]) -> impl Iterator<Item = (&Arc<str>, &Acknowledged)> {
    entries.iter().filter_map(|entry| match &entry.line {
        Line::Acknowledged(acknowledged) => Some((&entry.process, acknowledged)),
        _ => None,
    })
}

fn began(entries: &[Entry]) -> impl Iterator<Item = &Run> {
    entries.iter().filter_map(|entry| match &entry.line {
        Line::Began(run) => Some(run),
        _ => None,
    })
}

struct Judge<'h> {
    history: &'h History,
    faults: BTreeSet<Fault>,
}

impl Judge<'_> {
    fn find(&mut self, is_broken: bool, fault: impl FnOnce() -> Fault) {
        if is_broken {
            self.faults.insert(fault());
        }
    }

    /// One log by itself: contiguous, incarnations rise by openings, a key stands once.
    fn log(&mut self, world: WorldId, log: &Log) {
        let mut next = Position::new(1);
        let mut incarnation = Incarnation(0);
        let mut keys = BTreeSet::new();
        for commit in &log.commits {
            let at = commit.first;
            let is_next = commit.first == next && commit.last >= commit.first;
            self.find(!is_next, || Fault::Hole { world, at });
            next = commit.last.next();
            self.find(commit.incarnation < incarnation, || Fault::Fell {
                world,
                at,
            });
            let mut openings = commit.facts.iter().filter_map(|fact| match fact {
                Fact::Opened { incarnation, .. } => Some(*incarnation),
                _ => None,
            });
            let opened = openings.next_back().unwrap_or(incarnation);
            let is_opened = commit.incarnation <= incarnation || opened == commit.incarnation;
            let rises = opened == incarnation || commit.incarnation == opened;
            self.find(!(is_opened && rises), || Fault::Unopened { world, at });
            incarnation = incarnation.max(commit.incarnation);
            if let Some(key) = &commit.key {
                let key = key.clone();
                let is_new = keys.insert(key.clone());
                self.find(!is_new, || Fault::KeyTwice { world, key });
            }
        }
        for call in log.repeated.clone() {
            self.find(true, || Fault::Unasked { world, call });
        }
    }

    /// In each incarnation one process appends, and each node is one process.
    fn holders(&mut self) {
        let history = self.history;
        let mut holders: BTreeMap<(WorldId, Incarnation), &Arc<str>> = BTreeMap::new();
        for (process, line) in acknowledged(&history.entries) {
            let (world, incarnation) = (line.world, line.incarnation);
            let holder = *holders.entry((world, incarnation)).or_insert(process);
            self.find(holder != process, || Fault::Shared { world, incarnation });
        }
        let mut processes: BTreeMap<NodeId, &Arc<str>> = BTreeMap::new();
        for (world, fact) in history.facts() {
            if let Fact::Opened { incarnation, node } = fact
                && let Some(holder) = holders.get(&(world, *incarnation))
            {
                let process = *processes.entry(*node).or_insert(holder);
                self.find(process != *holder, || Fault::Impostor { node: *node });
            }
        }
    }

    /// What was acknowledged is in the log, under the same link, and was so to one alone.
    fn acknowledged(&mut self) {
        let history = self.history;
        let mut taken = BTreeSet::new();
        for (_, line) in acknowledged(&history.entries) {
            let (world, at) = (line.world, line.first);
            let log = history.worlds.get(&world);
            let commits = log.map_or(&[][..], |log| &log.commits);
            let begins = commits.iter().any(|commit| commit.first == line.first);
            let end = commits.iter().find(|commit| commit.last == line.last);
            match end {
                Some(end) if begins => {
                    let is_same = end.link == line.link && end.incarnation == line.incarnation;
                    self.find(!is_same, || Fault::Changed { world, at });
                }
                _ => self.find(true, || Fault::Lost { world, at }),
            }
            let is_first = taken.insert((world, line.last));
            self.find(!is_first, || Fault::TakenTwice { world, at });
        }
    }

    /// What a client was told stands where it was told.
    fn told(&mut self) {
        let history = self.history;
        for entry in &history.entries {
            let Line::Told { world, key, at, .. } = &entry.line else {
                continue;
            };
            let log = history.worlds.get(world);
            let is_there = log.is_some_and(|log| {
                let mut commits = log.commits.iter();
                let keyed = commits.find(|commit| commit.key.as_ref() == Some(key));
                keyed.is_some_and(|commit| (commit.first..=commit.last).contains(at))
            });
            self.find(!is_there, || Fault::Untold {
                world: *world,
                key: key.clone(),
            });
        }
    }

    /// Each request is decided once, and is so if a client was told.
    fn decided(&mut self) {
        let history = self.history;
        let mut decided: BTreeMap<(WorldId, RequestId), usize> = BTreeMap::new();
        for (world, fact) in history.facts() {
            if let Fact::Decided(request) = fact {
                *decided.entry((world, *request)).or_default() += 1;
            }
        }
        let told = history
            .entries
            .iter()
            .filter_map(|entry| match &entry.line {
                Line::Decided { world, request, .. } => Some((*world, *request)),
                _ => None,
            });
        for place in told {
            decided.entry(place).or_default();
        }
        for ((world, request), times) in decided {
            self.find(times != 1, || Fault::Undecided { world, request });
        }
    }

    /// Who looks sees no less than before, and all that was acknowledged before they began to look.
    fn seen(&mut self) {
        let history = self.history;
        let heads = Heads::of(&history.entries);
        let mut before: BTreeMap<(WorldId, &str), Position> = BTreeMap::new();
        for entry in &history.entries {
            let Line::Saw(saw) = &entry.line else {
                continue;
            };
            let (world, reader) = (saw.world, saw.reader.clone());
            let last = before.entry((world, &saw.reader)).or_default();
            let goes_back = saw.head < *last;
            *last = saw.head.max(*last);
            let stale = saw.head < heads.before(saw);
            self.find(goes_back, || Fault::WentBack {
                world,
                reader: reader.clone(),
            });
            self.find(stale, || Fault::Stale { world, reader });
        }
    }

    /// A run stands in the log, and each of its attempts begins once.
    fn runs(&mut self) {
        let history = self.history;
        let mut started = BTreeSet::new();
        for (world, fact) in history.facts() {
            if let Fact::Started {
                call,
                attempt,
                incarnation,
            } = fact
            {
                started.insert((format!("{world}:{call}"), *attempt, *incarnation));
            }
        }
        let mut attempts = BTreeSet::new();
        for run in began(&history.entries) {
            let (world, name) = (run.world, run.key.clone());
            let start = (name.clone(), run.attempt, run.incarnation);
            self.find(!started.contains(&start), || Fault::Unrecorded {
                world,
                run: name.clone(),
            });
            let is_first = attempts.insert((name.clone(), run.attempt));
            self.find(!is_first, || Fault::BeganTwice { world, run: name });
        }
    }
}

/// How far worlds were acknowledged to have come, and when.
struct Heads(BTreeMap<WorldId, Vec<(Moment, Position)>>);

impl Heads {
    fn of(entries: &[Entry]) -> Self {
        let mut heads: BTreeMap<WorldId, Vec<(Moment, Position)>> = BTreeMap::new();
        for entry in entries {
            let (world, when, at) = match &entry.line {
                Line::Acknowledged(line) => (line.world, line.when, line.last),
                Line::Told {
                    world, at, when, ..
                } => (*world, *when, *at),
                _ => continue,
            };
            heads.entry(world).or_default().push((when, at));
        }
        for heads in heads.values_mut() {
            heads.sort_unstable();
            let mut most = Position::ZERO;
            for (_, head) in heads {
                most = most.max(*head);
                *head = most;
            }
        }
        Self(heads)
    }

    /// The furthest that was acknowledged before somebody began to look.
    fn before(&self, saw: &Saw) -> Position {
        let heads = self.0.get(&saw.world).map_or(&[][..], Vec::as_slice);
        let count = heads.partition_point(|(when, _)| *when < saw.since);
        count
            .checked_sub(1)
            .map_or(Position::ZERO, |last| heads[last].1)
    }
}
