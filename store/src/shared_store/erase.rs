//! Erasing content, row by row, so that all that is hashed stays.
//!
//! Each step can be done again, so nothing is noted of how far one came: an erasure that a process died in is asked for anew.
//! Files go first, because the events that are about to be erased name them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::{Digest, Position, Time, WorldId};
use folkmoot_core::port::{AppendError, Erasure, ReadError};

use super::lineage::{self, Relative};
use super::reaches::PIECE;
use super::settle::{append_error, read_error, unread};
use super::{Inner, reader};
use crate::engine::EngineError;
use crate::format::Malformed;
use crate::format::event::{ContentRef, KeyId};
use crate::home::keys::OF_WORLD;
use crate::ledger::{Rewrite, Row};
use crate::state::content;
use crate::write::erase::{Meant, files, rewrite};

/// Erases, and returns when no read of the ledger's tables finds anything of it. `passes`: content that is lost refers to nothing.
pub(super) async fn erase(
    (inner, passes): (&Arc<Inner>, bool),
    world: WorldId,
    meant: &Meant,
) -> Result<Erasure, AppendError> {
    let family = lineage::family(inner, world, meant.first()).await;
    let family = family.map_err(unread)?;
    let members: Vec<WorldId> = family.iter().map(|member| member.world).collect();
    bar(inner, &members).await?;
    let files = remove_files((inner, passes), &family, meant).await?;
    destroy_keys(inner, world, meant).await?;
    let mut events = 0;
    let mut rewritten = BTreeSet::new();
    let mut family = family;
    loop {
        let with_rows = family.iter().filter(|member| member.is_copied);
        let left: Vec<Relative> = with_rows
            .filter(|member| !rewritten.contains(&member.world))
            .copied()
            .collect();
        if left.is_empty() {
            break;
        }
        for member in left {
            let erased = rewrite_rows(inner, member.world, &meant.up_to(member.until)).await?;
            if member.world == world {
                events = erased;
            }
            rewritten.insert(member.world);
        }
        // Whoever had a world open may have saved a fold meanwhile, and a fork may have got a copy of the rows as they were.
        let members: Vec<WorldId> = family.iter().map(|member| member.world).collect();
        bar(inner, &members).await?;
        let found = lineage::family(inner, world, meant.first()).await;
        family = found.map_err(unread)?;
    }
    Ok(Erasure { events, files })
}

async fn bar(inner: &Inner, worlds: &[WorldId]) -> Result<(), AppendError> {
    let barred = inner.work(|| inner.ledger.bar(worlds)).await;
    barred.map_err(|error| append_error(&error))
}

/// Rewrites the rows that `world` keeps of what is meant; gives how many events have lost their content to this request.
async fn rewrite_rows(inner: &Inner, world: WorldId, meant: &Meant) -> Result<u64, AppendError> {
    let mut erased = 0;
    let mut rows = OwnRows::new(world, meant.first());
    while let Some(row) = rows.next(inner, meant.last()).await.map_err(unread)? {
        let record = reader::record(&row).map_err(unread)?;
        let mut here = 0;
        let bare = rewrite::without(&record, meant, &mut here);
        let Some(bare) = bare.map_err(malformed)? else {
            erased += here;
            continue;
        };
        let beside = row.beside.iter().map(|beside| beside.at);
        let change = Rewrite {
            world,
            first: row.first,
            replaces: Digest::of(&[&row.record]),
            record: bare,
            without: beside.filter(|at| meant.covers(*at)).collect(),
        };
        let rewritten = inner.work(|| inner.ledger.rewrite(change.clone())).await;
        if rewritten.map_err(|error| append_error(&error))? {
            erased += here;
        } else {
            // Another erasure was at the same row.
            rows = OwnRows::new(world, row.first);
        }
    }
    Ok(erased)
}

/// Removes the blobs that only erased events refer to. Says how many this request has taken away so far.
async fn remove_files(
    (inner, passes): (&Inner, bool),
    family: &[Relative],
    meant: &Meant,
) -> Result<u64, AppendError> {
    let Some(world) = family.first().map(|member| member.world) else {
        return Ok(0);
    };
    let within = (meant.first(), meant.last());
    let mut gone = referenced((inner, true), world, within, |at| meant.covers(at)).await?;
    let mut before = Time(0);
    if !gone.is_empty() {
        before = behind_puts(inner, world).await?;
        let all = (Position::new(1), Position::new(u64::MAX - 1));
        for member in family {
            let shared = meant.up_to(member.until);
            let is_kept = |at| !shared.covers(at);
            let kept = referenced((inner, passes), member.world, all, is_kept).await?;
            gone.retain(|blob| !kept.contains(blob));
        }
    }
    let count = gone.len() as u64;
    let noted = inner.work(|| inner.ledger.note_files(world, meant.by, count));
    let count = noted.await.map_err(|error| append_error(&error))?;
    let gone: Vec<Digest> = gone.into_iter().collect();
    let removed = inner.work(|| inner.ledger.remove_blobs(world, &gone, before));
    let removed = removed.await.map(|_| count);
    removed.map_err(|error| append_error(&error))
}

/// The first time behind all at which files of a world were put. What is put again from here on is about to be named.
async fn behind_puts(inner: &Inner, world: WorldId) -> Result<Time, AppendError> {
    let blobs = inner.all_blobs(world).await;
    let blobs = blobs.map_err(|error| append_error(&error))?;
    let last = blobs.into_iter().map(|(_, put)| put).max();
    Ok(last.map_or(Time(0), |last| last.after(Duration::from_millis(1))))
}

/// The blobs that events in rows of `world` refer to, as far as they are not erased yet.
async fn referenced(
    (inner, passes): (&Inner, bool),
    world: WorldId,
    (from, to): (Position, Position),
    is_looked_at: impl Fn(Position) -> bool,
) -> Result<BTreeSet<Digest>, AppendError> {
    let mut found = BTreeSet::new();
    let mut rows = OwnRows::new(world, from);
    while let Some(row) = rows.next(inner, to).await.map_err(unread)? {
        let record = reader::record(&row).map_err(unread)?;
        let events = record.events().map_err(malformed)?;
        let numbered = (row.first.get()..).map(Position::new).zip(events);
        for (at, event) in numbered.filter(|(at, _)| is_looked_at(*at)) {
            let beside = row.beside.iter().find(|beside| beside.at == at);
            let bytes = beside.map_or(&[][..], |beside| &beside.bytes);
            let event = content::join_one(event, bytes);
            // Content that is lost may have the last reference to what would be removed.
            if matches!(event.content, ContentRef::Beside(_)) && !passes {
                let what = format!("the content of event {at} is missing or damaged");
                return Err(unread(ReadError::Damaged { at, what }));
            }
            let keys = (record.fixed.world, &inner.keys);
            files::of_event(&event, keys, &mut found).map_err(|error| engine_error(at, error))?;
        }
    }
    Ok(found)
}

/// Destroys the keys of people of whom nothing else is left: that reaches every copy of what is sealed with them.
async fn destroy_keys(inner: &Inner, world: WorldId, meant: &Meant) -> Result<(), AppendError> {
    if !inner.seals {
        return Ok(());
    }
    let mut doomed: BTreeSet<KeyId> = BTreeSet::new();
    let mut kept: BTreeSet<KeyId> = BTreeSet::new();
    let mut rows = OwnRows::new(world, Position::new(1));
    let end = Position::new(u64::MAX - 1);
    while let Some(row) = rows.next(inner, end).await.map_err(unread)? {
        let events = reader::record(&row).map_err(unread)?;
        let events = events.events().map_err(malformed)?;
        for (at, event) in (row.first.get()..).map(Position::new).zip(events) {
            let keys = if meant.covers(at) {
                &mut doomed
            } else {
                &mut kept
            };
            keys.extend(event.content.key());
        }
    }
    doomed.retain(|key| *key != OF_WORLD && !kept.contains(key));
    inner.keys.destroy(world, &doomed).map_err(AppendError::Io)
}

/// The rows that a world keeps itself, one after another.
struct OwnRows {
    world: WorldId,
    next: Position,
    ready: std::vec::IntoIter<Row>,
}

impl OwnRows {
    /// Begins with the row that holds `from`.
    fn new(world: WorldId, from: Position) -> Self {
        Self {
            world,
            next: from,
            ready: Vec::new().into_iter(),
        }
    }

    /// The next row, if it begins at `to` or before it.
    async fn next(&mut self, inner: &Inner, to: Position) -> Result<Option<Row>, ReadError> {
        let mut row = self.ready.next();
        if row.is_none() {
            let (world, next) = (self.world, self.next);
            let rows = inner.work(|| inner.ledger.read(world, next, PIECE)).await;
            self.ready = rows.map_err(|error| read_error(error, next))?.into_iter();
            row = self.ready.next();
        }
        let row = row.filter(|row| row.first <= to);
        if let Some(row) = &row {
            self.next = row.last.next();
        }
        Ok(row)
    }
}

fn malformed(error: Malformed) -> AppendError {
    AppendError::Io(std::io::Error::other(error))
}

fn engine_error(at: Position, error: EngineError) -> AppendError {
    unread(crate::state::shared::read_error(error, at))
}
