//! What a process was told up to some instant: what must be there after a power cut, and what must not.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Span, TreeHead};
use folkmoot::core::ids::{Digest, Position};

use super::script::Script;

/// What becomes of something that takes a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    Begun,
    Done,
}

/// An erasure of a world's events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Erasure {
    pub(crate) world: u8,
    pub(crate) span: Span,
    pub(crate) progress: Progress,
}

/// A backup: how far each world had come when it began.
#[derive(Debug, Clone)]
pub(crate) struct Copy {
    pub(crate) heads: BTreeMap<u8, u64>,
    pub(crate) progress: Progress,
}

/// What was acknowledged, and what was begun.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) is_open: bool,
    /// The links of acknowledged commits, by world and place.
    pub(crate) links: BTreeMap<(u8, u64), String>,
    /// What may stand at a place instead of what the script says.
    pub(crate) others: BTreeMap<(u8, u64), Vec<Commit>>,
    pub(crate) blobs: BTreeSet<(u8, u64)>,
    pub(crate) erasures: Vec<Erasure>,
    pub(crate) deletions: BTreeMap<u8, Progress>,
    pub(crate) backups: BTreeMap<u64, Copy>,
}

impl Ledger {
    /// Takes in a line.
    pub(crate) fn take(&mut self, script: Script, line: &str) {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| words[at].parse::<u64>().unwrap();
        let world = || u8::try_from(number(0)).unwrap();
        match what {
            "open" => self.is_open = true,
            "done" => drop(self.links.insert((world(), number(1)), words[2].to_owned())),
            "blob" => drop(self.blobs.insert((world(), number(1)))),
            "head" => {
                let of = Position::new(number(1) - 1);
                let head = TreeHead {
                    of,
                    commits: number(2),
                    root: digest(words[3]),
                };
                self.other(
                    script.head_signed(world(), number(1), head),
                    (world(), number(1)),
                );
            }
            "ask" => self.other(
                script.erasure(world(), number(1), span(number(2), number(3))),
                (world(), number(1)),
            ),
            "erasing" => {
                let erasure = Erasure {
                    world: world(),
                    span: span(number(1), number(2)),
                    progress: Progress::Begun,
                };
                self.erasures.push(erasure);
            }
            "erased" => self.erasures.last_mut().unwrap().progress = Progress::Done,
            "deleting" => drop(self.deletions.insert(world(), Progress::Begun)),
            "deleted" => drop(self.deletions.insert(world(), Progress::Done)),
            "backup" => {
                let heads = words[1..]
                    .chunks(2)
                    .map(|pair| (pair[0].parse().unwrap(), pair[1].parse().unwrap()));
                self.backups.insert(
                    number(0),
                    Copy {
                        heads: heads.collect(),
                        progress: Progress::Begun,
                    },
                );
            }
            "backed" => self.backups.get_mut(&number(0)).unwrap().progress = Progress::Done,
            _ => panic!("{line}: nobody knows what that means"),
        }
    }

    fn other(&mut self, commit: Commit, place: (u8, u64)) {
        self.others.entry(place).or_default().push(commit);
    }

    /// How far the erasure of an event has come, if somebody asked for it.
    pub(crate) fn erasure(&self, world: u8, at: u64) -> Option<Progress> {
        let at = Position::new(at);
        let of = self
            .erasures
            .iter()
            .filter(|erasure| erasure.world == world);
        of.filter(|erasure| erasure.span.from <= at && at <= erasure.span.to)
            .map(|erasure| erasure.progress)
            .max()
    }

    /// The last event of a world that was acknowledged: its commit's place.
    pub(crate) fn last(&self, world: u8) -> Option<u64> {
        self.links
            .range((world, 0)..=(world, u64::MAX))
            .next_back()
            .map(|((_, first), _)| *first)
    }

    /// The commits that may stand at a place.
    pub(crate) fn candidates(&self, script: Script, world: u8, first: u64) -> Vec<Commit> {
        let others = self
            .others
            .get(&(world, first))
            .into_iter()
            .flatten()
            .cloned();
        std::iter::once(script.commit(world, first))
            .chain(others)
            .collect()
    }
}

fn span(from: u64, to: u64) -> Span {
    Span {
        from: Position::new(from),
        to: Position::new(to),
    }
}

fn digest(text: &str) -> Digest {
    serde_json::from_value(text.into()).unwrap()
}
