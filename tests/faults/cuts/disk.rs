//! A disk at one instant: what was synced, and what may or may not have reached it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::trace::{Node, ROOT, Rename, Step, Trace};

/// The parts of a file that reach the disk as a whole.
pub(crate) const SECTOR: usize = 512;

/// A change of a file's bytes that was not synced.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// The step that it is.
    pub(crate) step: usize,
    pub(crate) kind: ChangeKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ChangeKind {
    Write { at: u64, data: Range<usize> },
    SetLen(u64),
}

/// A file.
#[derive(Debug, Default, Clone)]
pub(crate) struct FileState {
    pub(crate) synced: Vec<u8>,
    pub(crate) unsynced: Vec<Change>,
}

/// The names in all folders.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) folders: BTreeMap<Node, BTreeMap<String, Node>>,
    /// What was not synced, with the steps.
    pub(crate) unsynced: Vec<(usize, Rename)>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            folders: BTreeMap::from([(ROOT, BTreeMap::new())]),
            unsynced: Vec::new(),
        }
    }
}

impl Names {
    pub(crate) fn apply(&mut self, rename: &Rename) {
        if let Some((folder, name)) = &rename.from {
            let names = self.folders.entry(*folder).or_default();
            // Something else may have the name on the disk by now.
            if names.get(name) == Some(&rename.node) {
                names.remove(name);
            }
        }
        if let Some((folder, name)) = &rename.to {
            self.folders
                .entry(*folder)
                .or_default()
                .insert(name.clone(), rename.node);
        }
    }

    /// Brings those changes to the disk of which `is_synced` says so.
    fn settle(&mut self, is_synced: impl Fn(&Rename) -> bool) {
        for (step, rename) in std::mem::take(&mut self.unsynced) {
            if is_synced(&rename) {
                self.apply(&rename);
            } else {
                self.unsynced.push((step, rename));
            }
        }
    }
}

impl Rename {
    /// Whether it changes the names in a folder.
    pub(crate) fn is_in(&self, folder: Node) -> bool {
        [&self.from, &self.to]
            .into_iter()
            .flatten()
            .any(|(of, _)| *of == folder)
    }
}

/// A disk at one instant.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    /// How many steps were done.
    pub(crate) done: usize,
    pub(crate) files: BTreeMap<Node, FileState>,
    /// The names if syncing a folder is what makes its names durable, and nothing else.
    pub(crate) strict: Names,
    /// The names if they go through a journal, which syncing any file writes.
    pub(crate) journal: Names,
}

impl Disk {
    /// Does the next step.
    pub(crate) fn advance(&mut self, trace: &Trace) {
        let step = self.done;
        self.done += 1;
        match &trace.steps[step] {
            Step::Name(rename) => {
                self.strict.unsynced.push((step, rename.clone()));
                self.journal.unsynced.push((step, rename.clone()));
            }
            Step::Write { node, at, data } => {
                let kind = ChangeKind::Write {
                    at: *at,
                    data: data.clone(),
                };
                self.file(*node).unsynced.push(Change { step, kind });
            }
            Step::SetLen { node, len } => {
                self.file(*node).unsynced.push(Change {
                    step,
                    kind: ChangeKind::SetLen(*len),
                });
            }
            Step::Sync { node } => self.sync(*node, trace),
            Step::Note { .. } => {}
        }
    }

    fn file(&mut self, node: Node) -> &mut FileState {
        self.files.entry(node).or_default()
    }

    fn sync(&mut self, node: Node, trace: &Trace) {
        self.journal.settle(|_| true);
        if trace.is_folder[node.0] {
            self.strict.settle(|rename| rename.is_in(node));
        } else {
            let file = self.file(node);
            file.synced = file.content(trace, |_, _| true);
            file.unsynced.clear();
        }
    }
}

impl FileState {
    /// The bytes of the file if of its unsynced changes those reached the disk of which `has_landed` says so, by the
    /// number of the change and the sector; for the length there is no sector.
    pub(crate) fn content(
        &self,
        trace: &Trace,
        has_landed: impl Fn(usize, Option<u64>) -> bool,
    ) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        let mut len = bytes.len();
        for (number, change) in self.unsynced.iter().enumerate() {
            let (part, source) = match &change.kind {
                ChangeKind::Write { at, data } => {
                    (at_len(*at, data.len()), Some(&trace.bytes[data.clone()]))
                }
                ChangeKind::SetLen(len) => (
                    at_len(*len, bytes.len().saturating_sub(at_len(*len, 0).start)),
                    None,
                ),
            };
            let (from, to) = (part.start, part.end);
            bytes.resize(bytes.len().max(to), 0);
            for piece in sectors(part)
                .filter(|piece| has_landed(number, Some((piece.start / SECTOR) as u64)))
            {
                match source {
                    Some(source) => bytes[piece.clone()]
                        .copy_from_slice(&source[piece.start - from..piece.end - from]),
                    None => bytes[piece].fill(0),
                }
            }
            if has_landed(number, None) {
                len = if source.is_some() { len.max(to) } else { from };
            }
        }
        bytes.resize(len, 0);
        bytes
    }
}

fn at_len(at: u64, len: usize) -> Range<usize> {
    let at = usize::try_from(at).unwrap();
    at..at + len
}

/// Cuts a part of a file where its sectors end.
fn sectors(part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let Range { start, end } = part;
    let first = start..end.min((start / SECTOR + 1) * SECTOR);
    let next = move |piece: &Range<usize>| {
        (piece.end < end).then(|| piece.end..end.min(piece.end + SECTOR))
    };
    std::iter::successors((start < end).then_some(first), next)
}
