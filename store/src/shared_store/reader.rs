//! Reading the commits of one world, a piece at a time: those of its parents from their rows, then its own.

use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::{ReadError, StoredCommit};

use super::Inner;
use super::lineage::{self, Source};
use super::reaches::PIECE;
use super::settle::read_error;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::event::EventRef;
use crate::format::record::RecordRef;
use crate::ledger::{BesideRow, PieceMax, Row};
use crate::read::decode;
use crate::state::content::{self, Fetched};
use crate::state::shared::LostContent;

/// A place in the log of one world.
#[derive(Debug)]
pub(super) struct LedgerReader {
    inner: Arc<Inner>,
    world: WorldId,
    /// The next event. Inside a commit only before the first piece.
    next: Position,
    has_begun: bool,
    /// The worlds whose rows it has; empty before they are looked up.
    sources: Vec<Source>,
    /// The list in which lost content is noted that reads as gone. `None`: it is damage.
    lost: Option<LostContent>,
}

impl LedgerReader {
    /// Begins with the commit that holds `from`.
    pub(super) fn new(
        inner: &Arc<Inner>,
        lost: Option<&LostContent>,
        (world, from): (WorldId, Position),
    ) -> Self {
        Self {
            inner: Arc::clone(inner),
            world,
            next: from.max(Position::new(1)),
            has_begun: false,
            sources: Vec::new(),
            lost: lost.cloned(),
        }
    }

    /// The position of the next event.
    pub(super) const fn next(&self) -> Position {
        self.next
    }

    /// Reads the next commits; none at the head.
    pub(super) async fn piece(&mut self) -> Result<Vec<StoredCommit>, ReadError> {
        self.piece_of(PIECE).await
    }

    /// Reads the one commit that holds the event at which it begins.
    pub(super) async fn one(mut self) -> Result<StoredCommit, ReadError> {
        let one = PieceMax { rows: 1, ..PIECE };
        let found = self.piece_of(one).await?.into_iter().next();
        found.ok_or_else(|| self.damaged("the event is not there"))
    }

    async fn piece_of(&mut self, most: PieceMax) -> Result<Vec<StoredCommit>, ReadError> {
        if let Some(commits) = self.try_piece(most).await? {
            return Ok(commits);
        }
        // Nothing is there: the world may be gone, or have a copy now of what it shared.
        self.sources = lineage::sources(&self.inner, self.world).await?;
        if let Some(commits) = self.try_piece(most).await? {
            return Ok(commits);
        }
        let is_own = self
            .source()
            .is_some_and(|source| source.world == self.world);
        let head = self.inner.entry(self.world).await?.head;
        if is_own && self.next > head {
            return Ok(Vec::new());
        }
        Err(self.damaged("rows of it are missing"))
    }

    /// The next commits; `None` if there are none where they should stand.
    async fn try_piece(&mut self, most: PieceMax) -> Result<Option<Vec<StoredCommit>>, ReadError> {
        if self.sources.is_empty() {
            self.sources = lineage::sources(&self.inner, self.world).await?;
        }
        let Some(source) = self.source().cloned() else {
            return Ok(None);
        };
        let read = || self.inner.ledger.read(source.world, self.next, most);
        let rows = self.inner.read(read).await;
        let rows = rows.map_err(|error| read_error(error, self.next))?;
        let mut commits = Vec::with_capacity(rows.len());
        for row in rows {
            if row.first > source.until {
                break;
            }
            if row.first > self.next || (self.has_begun && row.first < self.next) {
                return Err(self.damaged(&format!("event {} stands there", row.first)));
            }
            let last = row.last;
            commits.push(decode_row(
                &self.inner,
                row,
                self.lost.as_ref().map(|lost| (lost, &source)),
            )?);
            (self.next, self.has_begun) = (last.next(), true);
        }
        Ok((!commits.is_empty()).then_some(commits))
    }

    /// The world that keeps the next event.
    fn source(&self) -> Option<&Source> {
        self.sources.iter().find(|source| self.next <= source.until)
    }

    fn damaged(&self, what: &str) -> ReadError {
        ReadError::Damaged {
            at: self.next,
            what: what.to_owned(),
        }
    }
}

/// Reads at most `limit` commits that end before `before`, newest first.
pub(super) async fn back(
    (inner, lost): (&Arc<Inner>, Option<&LostContent>),
    (world, before): (WorldId, Position),
    limit: usize,
) -> Result<Vec<StoredCommit>, ReadError> {
    let mut found = Vec::new();
    let mut before = before;
    for source in lineage::sources(inner, world).await?.iter().rev() {
        before = before.min(source.until.next());
        while found.len() < limit && before > source.from {
            let most = PieceMax {
                rows: (limit - found.len()).min(PIECE.rows),
                ..PIECE
            };
            let rows = inner.read(|| inner.ledger.read_back(source.world, before, most));
            let rows = rows.await.map_err(|error| read_error(error, before))?;
            let Some(oldest) = rows.last() else { break };
            before = oldest.first;
            for row in rows {
                found.push(decode_row(inner, row, lost.map(|lost| (lost, source)))?);
            }
        }
    }
    Ok(found)
}

/// The commit of a row. Content that is lost is damage, or is noted as that of the world that keeps the row.
pub(super) fn decode_row(
    inner: &Inner,
    mut row: Row,
    lost: Option<(&LostContent, &Source)>,
) -> Result<StoredCommit, ReadError> {
    let beside = std::mem::take(&mut row.beside);
    let malformed = |error: &Malformed| decode::malformed(row.first, error);
    let record = record(&row)?;
    let events = record.events().map_err(|error| malformed(&error))?;
    let fetched = fetch(beside, (row.first, &events), |at, fault| {
        let what = format!("the content of event {at} {fault}");
        match lost {
            Some((lost, keeper)) => lost.note(Some(&keeper.name), (keeper.world, at), &what),
            None => return Err(ReadError::Damaged { at, what }),
        }
        Ok(())
    })?;
    let events: Vec<EventRef<'_>> = content::join(events, &fetched);
    decode::commit(&record, &events, (&inner.upcasters, &inner.keys))
}

/// The content beside the record whose events begin at `first`. `bear` is told of each that is lost, and why.
pub(super) fn fetch<E>(
    beside: Vec<BesideRow>,
    (first, events): (Position, &[EventRef<'_>]),
    mut bear: impl FnMut(Position, &'static str) -> Result<(), E>,
) -> Result<Fetched, E> {
    let mut beside = beside.into_iter();
    let mut fetched = Fetched::new();
    for (place, at, wanted) in content::besides(first, events) {
        match beside.find(|beside| beside.at == at) {
            Some(found) if wanted.with(&found.bytes).is_some() => {
                fetched.push((place, found.bytes));
            }
            Some(_) => bear(at, "is not what was written")?,
            None => bear(at, "is missing")?,
        }
    }
    Ok(fetched)
}

/// The record of a row, which has to be that of its place.
pub(super) fn record(row: &Row) -> Result<RecordRef<'_>, ReadError> {
    let damaged = |what: String| ReadError::Damaged {
        at: row.first,
        what,
    };
    let mut bytes = Bytes(&row.record);
    let record = RecordRef::read(&mut bytes).map_err(|Malformed(what)| damaged(what))?;
    let stands = (record.fixed.first, record.fixed.last()) == (row.first, row.last);
    if stands && bytes.0.is_empty() {
        return Ok(record);
    }
    Err(damaged(format!(
        "the record of event {} stands there",
        record.fixed.first
    )))
}
