//! What a power cut leaves of a disk: which of the changes that were not synced have reached it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use folkmoot_tests::Dice;

use super::disk::{Disk, FileState, Names, SECTOR};
use super::trace::{Node, ROOT, Trace};
use crate::scale::mixed;

/// Which changes of files have reached the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    /// Those that were synced.
    Synced,
    /// All.
    All,
    /// Of each page those up to some time, and of some pages each sector.
    Pages,
    /// As with pages, but lengths have come as far as they can, or not at all.
    LengthsFirst,
    LengthsLast,
    /// Those before some instant since, the last one torn.
    Prefix,
    /// The last few of each file, and none before them.
    Newest,
}

/// Which changes of names have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// Those whose folder was synced.
    Strict,
    /// Those before the last sync of anything.
    Journal,
    /// Those, and the next few, up to some instant.
    JournalPrefix,
    /// Those whose folder was synced, and in each folder the next few.
    FolderPrefix,
    /// All.
    All,
}

const DATA: [Data; 7] = [
    Data::Synced,
    Data::All,
    Data::Pages,
    Data::LengthsFirst,
    Data::LengthsLast,
    Data::Prefix,
    Data::Newest,
];
const NAMING: [Naming; 5] = [
    Naming::Strict,
    Naming::Journal,
    Naming::JournalPrefix,
    Naming::FolderPrefix,
    Naming::All,
];

/// The kind of an image, and the seed of what it leaves to chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) data: Data,
    pub(crate) naming: Naming,
    pub(crate) seed: u64,
}

impl Shape {
    /// The disk that a killed process leaves.
    pub(crate) const EVERYTHING: Self = Self {
        data: Data::All,
        naming: Naming::All,
        seed: 0,
    };

    /// That of the `number`-th image of a seed. Every third is what was synced.
    pub(crate) fn of(seed: u64, number: u64) -> Self {
        let mut dice = Dice::new(mixed(seed ^ number.rotate_left(32)));
        let (data, naming) = match number % 3 {
            0 => (Data::Synced, Naming::Strict),
            _ => (*dice.one(&DATA), *dice.one(&NAMING)),
        };
        Self {
            data,
            naming,
            seed: dice.roll(),
        }
    }

    /// Builds the image in a folder that is not there yet.
    pub(crate) fn build(self, disk: &Disk, trace: &Trace, into: &Path) {
        let folders = self.names(disk);
        self.write(ROOT, (disk, trace, &folders), into);
    }

    fn names(self, disk: &Disk) -> BTreeMap<Node, BTreeMap<String, Node>> {
        let Names { folders, unsynced } = match self.naming {
            Naming::Strict | Naming::FolderPrefix => &disk.strict,
            Naming::Journal | Naming::JournalPrefix | Naming::All => &disk.journal,
        };
        let mut names = Names {
            folders: folders.clone(),
            unsynced: Vec::new(),
        };
        let until =
            |folder: u64, count: usize| Dice::new(mixed(self.seed ^ folder)).below(count + 1);
        match self.naming {
            Naming::Strict | Naming::Journal => {}
            Naming::All => unsynced.iter().for_each(|(_, rename)| names.apply(rename)),
            Naming::JournalPrefix => {
                unsynced
                    .iter()
                    .take(until(0, unsynced.len()))
                    .for_each(|(_, rename)| names.apply(rename));
            }
            Naming::FolderPrefix => {
                let mut done: BTreeMap<Node, usize> = BTreeMap::new();
                for (_, rename) in unsynced {
                    let folder = rename.to.as_ref().or(rename.from.as_ref()).unwrap().0;
                    let count = unsynced
                        .iter()
                        .filter(|(_, rename)| rename.is_in(folder))
                        .count();
                    let done = done.entry(folder).or_default();
                    if *done < until(1 + folder.0 as u64, count) {
                        names.apply(rename);
                    }
                    *done += 1;
                }
            }
        }
        names.folders
    }

    fn write(
        self,
        folder: Node,
        all: (&Disk, &Trace, &BTreeMap<Node, BTreeMap<String, Node>>),
        into: &Path,
    ) {
        let (disk, trace, folders) = all;
        fs::create_dir(into).unwrap();
        for (name, node) in folders.get(&folder).into_iter().flatten() {
            let path = into.join(name);
            if trace.is_folder[node.0] {
                self.write(*node, all, &path);
            } else {
                let content = disk
                    .files
                    .get(node)
                    .map(|file| self.content(*node, file, (disk, trace)));
                fs::write(path, content.unwrap_or_default()).unwrap();
            }
        }
    }

    fn content(self, node: Node, file: &FileState, (disk, trace): (&Disk, &Trace)) -> Vec<u8> {
        let count = file.unsynced.len();
        match self.data {
            Data::Synced => file.synced.clone(),
            Data::All => file.content(trace, |_, _| true),
            Data::Pages => file.content(trace, |change, sector| {
                change < self.reached(node, sector, count)
            }),
            Data::LengthsFirst => file.content(trace, |change, sector| {
                sector.is_none() || change < self.reached(node, sector, count)
            }),
            Data::LengthsLast => file.content(trace, |change, sector| {
                sector.is_some() && change < self.reached(node, sector, count)
            }),
            Data::Prefix => {
                let first = disk
                    .files
                    .values()
                    .filter_map(|file| file.unsynced.first())
                    .map(|change| change.step)
                    .min();
                let first = first.unwrap_or(disk.done);
                let end = first + Dice::new(self.seed).below(disk.done - first + 1);
                let is_torn = |sector: Option<u64>| {
                    self.draw(node, sector.unwrap_or(u64::MAX))
                        .is_multiple_of(2)
                };
                file.content(trace, |change, sector| {
                    let step = file.unsynced[change].step;
                    step < end || (step == end && is_torn(sector))
                })
            }
            Data::Newest => {
                let last = 1 + Dice::new(self.seed ^ node.0 as u64).below(4);
                file.content(trace, |change, _| change + last >= count)
            }
        }
    }

    /// How many of the unsynced changes of a file have reached a sector; without one, its length.
    fn reached(self, node: Node, sector: Option<u64>, count: usize) -> usize {
        const SECTORS: u64 = 4096 / SECTOR as u64;
        let unit = sector.map_or(u64::MAX, |sector| {
            let page = sector / SECTORS;
            let is_torn = self.draw(node, !page).is_multiple_of(16);
            if is_torn { u64::MAX / 2 + sector } else { page }
        });
        let mut dice = Dice::new(self.draw(node, unit));
        match dice.below(20) {
            0..=8 => count,
            9..=15 => 0,
            _ => dice.below(count + 1),
        }
    }

    fn draw(self, node: Node, of: u64) -> u64 {
        mixed(self.seed ^ mixed(of ^ ((node.0 as u64) << 40)))
    }
}
