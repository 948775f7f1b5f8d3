//! Reading a sled database without sled, which writes as soon as it opens one.
//!
//! Nothing is written and nothing is locked here, so a damaged database, or one on a file system
//! that nobody can write, stays as it is. A page that does not match its checksum is an error for
//! whoever needs it, and for nobody else. The form of the file is that of sled 0.34, which will not
//! change any more; what sled's own recovery would pass over is passed over.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::{compact, from_io, rows, seal};
use crate::engine::{
    Ack, Engine, EngineError, FrameLog, FrameNumber, Pair, Shelf, TRIMMED, Table, Term,
};
use crate::engines::content::ContentFolder;
use crate::home::Home;
use log::Log;
use node::{Below, Fields, TreePage};
use pages::Pages;

pub(super) mod log;
mod node;
pub(super) mod pages;
#[cfg(test)]
mod tests;

/// The page that names the trees.
const TREES: u64 = 0;

/// The most nodes above the rows that are kept in memory.
const KEPT_MAX: usize = 4_096;

/// The most nodes on the way to a row: a damaged tree may lead in a circle.
const STEPS_MAX: usize = 1_000_000;

/// The most broken pages that are named.
const NAMED_MAX: usize = 16;

/// A sled database that is only read.
#[derive(Debug)]
pub(crate) struct BareSled {
    log: Log,
    pages: Pages,
    trees: BTreeMap<Vec<u8>, u64>,
    kept: Mutex<BTreeMap<u64, Arc<TreePage>>>,
    content: ContentFolder,
    // Nobody writes meanwhile.
    home: Home,
}

/// The name of the tree with the frames.
const FRAMES: &str = "frames";

const fn name(table: Table) -> &'static str {
    match table {
        Table::Meta => "meta",
        Table::Worlds => "worlds",
        Table::Runs => "runs",
        Table::Keys => "keys",
        Table::Gone => "gone",
        Table::Deleted => "deleted",
        // It has no tree.
        Table::Content => "content",
    }
}

impl BareSled {
    /// Opens the database of a store to read what is there, and says what of it is not as it was
    /// written. `None` if it has none yet.
    pub(crate) fn open(home: Home) -> Result<Option<(Self, Vec<String>)>, EngineError> {
        let folder = compact::current(home.path())?;
        if !folder.join("db").try_exists().map_err(from_io)? {
            return match home.has_been_used().map_err(from_io)? {
                true => Err(EngineError::Damaged("its log is gone".to_owned())),
                false => Ok(None),
            };
        }
        let sealed = seal::check(&folder).map_err(from_io)?;
        let log = Log::open(&folder).map_err(from_io)?;
        let mut pages = Pages::find(&folder, &log).map_err(from_io)?;
        let mut troubles = std::mem::take(&mut pages.troubles);
        if !matches!(sealed, seal::SealFinding::Whole(_)) {
            troubles.extend(broken_pages(&log, &pages)?);
        }
        // A seal says of it already whether it is as it was.
        if matches!(sealed, seal::SealFinding::None) {
            troubles.extend(seal::broken_settings(&folder).map_err(from_io)?);
        }
        if let seal::SealFinding::Broken(what) = sealed {
            troubles.extend(what);
        }
        let content = ContentFolder::of(home.path());
        let mut bare = Self {
            log,
            pages,
            trees: BTreeMap::new(),
            kept: Mutex::default(),
            content,
            home,
        };
        match bare.read_trees() {
            Ok(trees) => bare.trees = trees,
            Err(EngineError::Damaged(what)) => troubles.push(what),
            Err(error) => return Err(error),
        }
        Ok(Some((bare, troubles)))
    }

    fn read_trees(&self) -> Result<BTreeMap<Vec<u8>, u64>, EngineError> {
        let lost = || {
            EngineError::Damaged(
                "the page that names the trees of the database is not there".to_owned(),
            )
        };
        let place = self
            .pages
            .get(TREES)
            .and_then(<[_]>::first)
            .ok_or_else(lost)?;
        let payload = self.log.payload(TREES, *place).map_err(from_io)?;
        let (_, payload) = payload.ok_or_else(|| EngineError::Damaged(damage(TREES, place.at)))?;
        let mut fields = Fields(&payload);
        let mut trees = BTreeMap::new();
        while !fields.0.is_empty() {
            let tree = fields
                .bytes()
                .and_then(|name| Some((name, fields.number()?)));
            trees.extend([tree.ok_or_else(|| EngineError::Damaged(damage(TREES, place.at)))?]);
        }
        Ok(trees)
    }

    fn node(&self, page: u64) -> Result<Arc<TreePage>, EngineError> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(node) = kept().get(&page) {
            return Ok(Arc::clone(node));
        }
        let node = Arc::new(self.read_node(page)?);
        if matches!(node.below, Below::Nodes(_)) {
            let mut kept = kept();
            if kept.len() >= KEPT_MAX {
                kept.clear();
            }
            kept.insert(page, Arc::clone(&node));
        }
        Ok(node)
    }

    fn read_node(&self, page: u64) -> Result<TreePage, EngineError> {
        let lost = || EngineError::Damaged(format!("page {page} of the database is not there"));
        let (base, links) = self
            .pages
            .get(page)
            .and_then(<[_]>::split_first)
            .ok_or_else(lost)?;
        let payload = |place: &log::MessagePlace| {
            let payload = self.log.payload(page, *place).map_err(from_io)?;
            payload
                .map(|(_, payload)| payload)
                .ok_or_else(|| EngineError::Damaged(damage(page, place.at)))
        };
        let senseless = |at| {
            EngineError::Damaged(format!(
                "page {page} of the database makes no sense, at byte {at} of log/db"
            ))
        };
        let mut node = TreePage::read(&payload(base)?).ok_or_else(|| senseless(base.at))?;
        for link in links {
            node.apply(&payload(link)?)
                .ok_or_else(|| senseless(link.at))?;
        }
        Ok(node)
    }

    /// The node with the rows around `key`, or, if `is_before`, with those right before it.
    fn leaf(
        &self,
        tree: &str,
        key: &[u8],
        is_before: bool,
    ) -> Result<Option<Arc<TreePage>>, EngineError> {
        let Some(root) = self.trees.get(tree.as_bytes()) else {
            return Ok(None);
        };
        let mut page = *root;
        for _ in 0..STEPS_MAX {
            let node = self.node(page)?;
            let is_past = !node.hi.is_empty()
                && if is_before {
                    node.hi.as_slice() < key
                } else {
                    node.hi.as_slice() <= key
                };
            page = match (&node.below, is_past) {
                (_, true) => node.next.ok_or_else(|| astray(page))?,
                (Below::Rows(_), false) => return Ok(Some(node)),
                (Below::Nodes(_), false) => {
                    node.child(key, is_before).ok_or_else(|| astray(page))?
                }
            };
        }
        Err(astray(page))
    }

    /// Hands out rows from `from` on, until `take` has enough.
    fn walk(
        &self,
        tree: &str,
        from: &[u8],
        mut take: impl FnMut(Vec<u8>, &[u8]) -> bool,
    ) -> Result<(), EngineError> {
        let mut leaf = self.leaf(tree, from, false)?;
        let mut steps = 0_usize;
        while let Some(node) = leaf {
            let Below::Rows(rows) = &node.below else {
                return Err(astray(0));
            };
            for (behind, value) in rows {
                let key = node.key(behind);
                if key.as_slice() >= from && !take(key, value) {
                    return Ok(());
                }
            }
            steps += 1;
            leaf = match node.next {
                Some(next) if !node.hi.is_empty() && steps < self.pages.all.len() => {
                    Some(self.node(next)?)
                }
                Some(_) | None => None,
            };
        }
        Ok(())
    }

    fn collect(
        &self,
        tree: &str,
        from: &[u8],
        to: Option<&[u8]>,
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        let mut pairs = Vec::new();
        let mut read = 0_usize;
        self.walk(tree, from, |key, value| {
            if to.is_some_and(|to| key.as_slice() >= to) {
                return false;
            }
            read += value.len() + 1;
            pairs.push((key, value.to_vec()));
            read < bytes_max
        })?;
        Ok(pairs)
    }

    fn below(&self, tree: &str, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        let mut leaf = self.leaf(tree, key, false)?;
        for _ in 0..STEPS_MAX {
            let Some(node) = leaf else { return Ok(None) };
            let Below::Rows(rows) = &node.below else {
                return Err(astray(0));
            };
            let found = rows
                .iter()
                .rev()
                .map(|(behind, value)| (node.key(behind), value));
            if let Some((found, value)) =
                found.into_iter().find(|(found, _)| found.as_slice() <= key)
            {
                return Ok(Some((found, value.clone())));
            }
            leaf = if node.lo.is_empty() {
                None
            } else {
                self.leaf(tree, &node.lo, true)?
            };
        }
        Err(astray(0))
    }

    fn note(&self, key: &[u8]) -> Result<u64, EngineError> {
        self.get(Table::Meta, key)?
            .map_or(Ok(0), |value| rows::number(&value))
    }
}

/// Every page that does not match its checksum.
fn broken_pages(log: &Log, pages: &Pages) -> Result<Vec<String>, EngineError> {
    let mut broken = Vec::new();
    for (page, _) in (0..).zip(&pages.all) {
        for place in pages.get(page).unwrap_or_default() {
            if log.payload(page, *place).map_err(from_io)?.is_none() {
                broken.push(damage(page, place.at));
            }
        }
    }
    let more = broken.len().saturating_sub(NAMED_MAX);
    broken.truncate(NAMED_MAX);
    if more > 0 {
        broken.push(format!(
            "{more} more pages of the database do not match their checksums"
        ));
    }
    Ok(broken)
}

fn damage(page: u64, at: u64) -> String {
    format!("page {page} of the database does not match its checksum, at byte {at} of log/db")
}

fn astray(page: u64) -> EngineError {
    EngineError::Damaged(format!("page {page} of the database leads nowhere"))
}

fn reads_only() -> EngineError {
    EngineError::Io(io::Error::other("it is only read from"))
}

impl FrameLog for BareSled {
    fn ack(&self) -> Ack {
        Ack::PowerSafe
    }

    fn take_over(&self) -> Result<Term, EngineError> {
        Err(reads_only())
    }

    fn head(&self) -> Result<FrameNumber, EngineError> {
        let last = self.below(FRAMES, &[0xff; 8])?;
        let last = last.map_or(Ok(0), |(key, _)| rows::number(&key))?;
        Ok(FrameNumber(last.max(self.note(TRIMMED)?)))
    }

    fn append(&self, _: Term, _: FrameNumber, _: &[Vec<u8>]) -> Result<(), EngineError> {
        Err(reads_only())
    }

    fn read(
        &self,
        from: FrameNumber,
        bytes_max: usize,
    ) -> Result<Vec<(FrameNumber, Vec<u8>)>, EngineError> {
        // What was dropped and not removed yet by a process that died.
        let from = from.max(FrameNumber(self.note(TRIMMED)?).plus(1));
        let pairs = self.collect(FRAMES, &from.0.to_be_bytes(), None, bytes_max)?;
        pairs
            .into_iter()
            .map(|(key, value)| Ok((FrameNumber(rows::number(&key)?), value)))
            .collect()
    }

    fn trim(&self, _: FrameNumber) -> Result<(), EngineError> {
        Err(reads_only())
    }
}

impl Shelf for BareSled {
    fn put(&self, _: Table, _: &[Pair]) -> Result<(), EngineError> {
        Err(reads_only())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        if table == Table::Content {
            return self.content.get(key);
        }
        let pairs = self.collect(name(table), key, None, 0)?;
        Ok(pairs
            .into_iter()
            .next()
            .filter(|(found, _)| found == key)
            .map(|(_, value)| value))
    }

    fn range(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<Pair>, EngineError> {
        if from >= to {
            return Ok(Vec::new());
        }
        if table == Table::Content {
            return self.content.range(from, to, bytes_max);
        }
        self.collect(name(table), from, Some(to), bytes_max)
    }

    fn keys(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        count_max: usize,
    ) -> Result<Vec<Vec<u8>>, EngineError> {
        if from >= to || count_max == 0 {
            return Ok(Vec::new());
        }
        if table == Table::Content {
            return self.content.keys(from, to, count_max);
        }
        let mut keys = Vec::new();
        self.walk(name(table), from, |key, _| {
            let is_within = key.as_slice() < to;
            if is_within {
                keys.push(key);
            }
            is_within && keys.len() < count_max
        })?;
        Ok(keys)
    }

    fn floor(&self, table: Table, key: &[u8]) -> Result<Option<Pair>, EngineError> {
        if table == Table::Content {
            return self.content.floor(key);
        }
        self.below(name(table), key)
    }

    fn remove(&self, _: Table, _: &[Vec<u8>]) -> Result<(), EngineError> {
        Err(reads_only())
    }
}

impl Engine for BareSled {
    fn home(&self) -> Option<&Path> {
        Some(self.home.path())
    }

    fn compact(&self) -> Result<(), EngineError> {
        Err(reads_only())
    }
}
