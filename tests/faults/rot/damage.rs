//! What rot does to the files of a store.

use std::fs;
use std::path::{Path, PathBuf};

use super::sample::Sample;
use crate::io::desk::list;
use crate::scale::mixed;

/// The bytes of a sector.
const SECTOR: usize = 512;

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bit,
    Zeros,
    Garbage,
    Cut,
    Grown,
    Foreign,
    OfAnother,
    Missing,
    Swapped,
}

/// A damage to one file, or to two.
#[derive(Debug, Clone)]
pub(super) struct Damage {
    kind: Kind,
    /// Below the store.
    file: PathBuf,
    other: PathBuf,
    random: u64,
}

impl Damage {
    /// The damage of a seed: single bits most often, and half of all in the database.
    pub(super) fn draw(seed: u64, sample: &Sample) -> Self {
        let parts = parts_of(&sample.store());
        let random = mixed(seed);
        let one = |count: usize, random: u64| usize::try_from(random % count as u64).unwrap();
        let pick = |random: u64| {
            let files = &parts[one(parts.len(), random)];
            files[one(files.len(), random >> 8)].clone()
        };
        let kind = match random % 16 {
            0..5 => Kind::Bit,
            5 | 6 => Kind::Zeros,
            7 | 8 => Kind::Garbage,
            9 | 10 => Kind::Cut,
            11 => Kind::Grown,
            12 => Kind::Foreign,
            13 => Kind::OfAnother,
            14 => Kind::Missing,
            _ => Kind::Swapped,
        };
        let file = if (random >> 8).is_multiple_of(2) {
            "log/db".into()
        } else {
            pick(random >> 12)
        };
        Self {
            kind,
            file,
            other: pick(random >> 24),
            random: mixed(random),
        }
    }

    /// Whether nothing depends on what is damaged.
    pub(super) fn is_disposable(&self) -> bool {
        let is_saved = |file: &Path| file.starts_with("checkpoints") || file == Path::new("lock");
        is_saved(&self.file) && (self.kind != Kind::Swapped || is_saved(&self.other))
    }

    /// Whether a key is gone, which nobody can tell from one that was destroyed.
    pub(super) fn is_lost_key(&self) -> bool {
        self.kind == Kind::Missing && self.file.starts_with("keys")
    }

    /// What is damaged how.
    pub(super) fn word(&self) -> String {
        let part = self.file.iter().next().unwrap().to_string_lossy();
        let part = if part == "log" {
            self.file.to_string_lossy()
        } else {
            part
        };
        format!(
            "{:?} {}",
            self.kind,
            part.split("snap")
                .next()
                .filter(|name| *name != "log/")
                .unwrap_or("log/snap")
        )
    }

    /// Damages the files; says what it did.
    pub(super) fn apply(&self, sample: &Sample, store: &Path) -> String {
        let path = store.join(&self.file);
        let mut bytes = fs::read(&path).unwrap();
        // The end of a database is empty: what is there is rarely read.
        let used = bytes
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        let within = if self.random.is_multiple_of(8) {
            bytes.len()
        } else {
            used
        };
        let at = usize::try_from(self.random >> 16).unwrap() % within.max(1);
        match self.kind {
            Kind::Bit => flip(&mut bytes, at, self.random),
            Kind::Zeros => sector(&mut bytes, at, |_| 0),
            Kind::Garbage => sector(&mut bytes, at, |byte| {
                mixed(self.random ^ byte as u64).to_le_bytes()[0]
            }),
            Kind::Cut => bytes.truncate(at),
            Kind::Grown => {
                bytes.extend((0..1 + at % SECTOR).map(|byte| mixed(byte as u64).to_le_bytes()[0]))
            }
            Kind::Foreign => {
                bytes = (0..bytes.len())
                    .map(|byte| mixed(byte as u64).to_le_bytes()[0])
                    .collect()
            }
            Kind::OfAnother => bytes = sample.of_another(&self.file).unwrap_or_default(),
            Kind::Missing => {}
            Kind::Swapped => {
                let other = store.join(&self.other);
                fs::rename(&other, store.join("swapping")).unwrap();
                if path.exists() {
                    fs::rename(&path, &other).unwrap();
                }
                bytes = fs::read(store.join("swapping")).unwrap();
                fs::remove_file(store.join("swapping")).unwrap();
            }
        }
        if self.kind == Kind::Missing {
            fs::remove_file(&path).unwrap()
        } else {
            fs::write(&path, bytes).unwrap()
        }
        let with = if self.kind == Kind::Swapped {
            format!(" with {}", self.other.display())
        } else {
            String::new()
        };
        format!(
            "{:?} {} at {at} of {used}{with}",
            self.kind,
            self.file.display()
        )
    }
}

/// The files of a store, by name, below it; together what is in one folder of it.
fn parts_of(store: &Path) -> Vec<Vec<PathBuf>> {
    let mut files = Vec::new();
    list(store, &mut files);
    files.sort();
    let files: Vec<PathBuf> = files
        .iter()
        .map(|file| file.strip_prefix(store).unwrap().to_owned())
        .collect();
    files
        .chunk_by(|one, other| one.iter().next() == other.iter().next())
        .map(<[_]>::to_vec)
        .collect()
}

fn flip(bytes: &mut [u8], at: usize, random: u64) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << (random >> 13 & 7);
    }
}

/// Changes the sector around a place.
fn sector(bytes: &mut [u8], at: usize, to: impl Fn(usize) -> u8) {
    let begin = at - at % SECTOR;
    for (place, byte) in bytes.iter_mut().enumerate().skip(begin).take(SECTOR) {
        *byte = to(place);
    }
}
