//! A world as OTLP: lines of JSON, each an `ExportTraceServiceRequest`.

use std::collections::BTreeSet;

use folkmoot_core::ids::Position;
use folkmoot_core::port::{EventLog, StoredCommit, WorldEntry};
use futures::stream;
use futures::{StreamExt as _, TryStreamExt as _};

use super::{ExportError, Pieces};
use crate::otlp::{BATCH_MAX, Encoding, SERVICE, request, service};
use crate::spans::{Capture, Span, Spans};

/// The spans of the world of `entry`, up to its head. Those that have not ended are left out.
pub(super) async fn lines(
    log: &dyn EventLog,
    entry: WorldEntry,
    capture: Capture,
) -> Result<Pieces, ExportError> {
    let head = entry.head;
    let gone = gone(log, &entry, capture).await?;
    let commits = log.read(entry.world, Position::new(1)).await?;
    let commits = commits.try_take_while(move |stored| {
        let is_within = stored.commit.header.first <= head;
        async move { Ok(is_within) }
    });
    let mut lines = Lines {
        spans: Spans::of(entry.world, entry.name, capture),
        gone,
        ended: Vec::new(),
    };
    let body = commits.err_into().map_ok(Some);
    let pieces = body.chain(stream::iter([Ok(None)])).map(
        move |piece: Result<Option<StoredCommit>, ExportError>| match piece? {
            Some(stored) => lines.take(&stored),
            None => lines.rest(),
        },
    );
    Ok(pieces
        .try_filter(|piece| std::future::ready(!piece.is_empty()))
        .boxed())
}

/// The messages that are taken back. Nothing is told of a world from which content is being erased: the log may have it still.
async fn gone(
    log: &dyn EventLog,
    entry: &WorldEntry,
    capture: Capture,
) -> Result<BTreeSet<Position>, ExportError> {
    if capture == Capture::Nothing {
        return Ok(BTreeSet::new());
    }
    let world = folkmoot_agents::fold_world(log, &entry.name, Some(entry.head)).await?;
    if world.upkeep().is_erasing() {
        return Err(ExportError::Erasing);
    }
    let to = entry.head.next();
    let gone = log.gone(entry.world, Position::new(1), to).await?;
    Ok(gone.into_iter().collect())
}

/// The spans that make the next line.
struct Lines {
    spans: Spans,
    gone: BTreeSet<Position>,
    ended: Vec<Span>,
}

impl Lines {
    fn take(&mut self, stored: &StoredCommit) -> Result<String, ExportError> {
        self.ended
            .extend(self.spans.take(&stored.commit, &self.gone));
        if self.ended.len() < BATCH_MAX {
            return Ok(String::new());
        }
        self.rest()
    }

    fn rest(&mut self) -> Result<String, ExportError> {
        if self.ended.is_empty() {
            return Ok(String::new());
        }
        let request = request(std::mem::take(&mut self.ended), &service(SERVICE));
        let line = Encoding::Json.write(&request).map_err(ExportError::Spans)?;
        let mut line = String::from_utf8_lossy(&line).into_owned();
        line.push('\n');
        Ok(line)
    }
}
