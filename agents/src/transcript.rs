//! Reading a page of a world's transcript.

use std::collections::BTreeSet;

use folkmoot_core::ids::{Position, WorldId, WorldName};
use folkmoot_core::port::{EventLog, ReadError, StoredCommit};
use folkmoot_core::world::projection::{TranscriptPage, TranscriptPager};
use futures::TryStreamExt as _;

use crate::error::FoldError;

/// The most entries of a page.
pub const TRANSCRIPT_PAGE_MAX: usize = 1_000;

/// How many commits are read for a page at most: so many for each entry, and so many for the page.
/// A page that is not full then says where to go on.
const COMMITS_EACH: usize = 16;
const COMMITS_MORE: usize = 64;

/// Reads what people saw of the world `name`, newest first: at most `limit` entries, from 1 to
/// [`TRANSCRIPT_PAGE_MAX`], that stand before `before`, or the newest. The world need not be open.
/// Whoever holds the log may read it; others have a [`Seat`](crate::Seat).
///
/// What was edited or taken back reads as it stands now. The cost is bounded by `limit`, however
/// long the log is: where little was said among much else a page has fewer entries, or none, and
/// [`TranscriptPage::next`] says where to go on; only `None` there means that nothing is older.
///
/// # Errors
/// [`FoldError::NoSuchWorld`], or the log does not read.
pub async fn read_transcript(
    log: &dyn EventLog,
    name: &WorldName,
    before: Option<Position>,
    limit: usize,
) -> Result<TranscriptPage, FoldError> {
    let entry = log
        .find(name)
        .await?
        .ok_or_else(|| FoldError::NoSuchWorld(name.clone()))?;
    let end = entry.head.next();
    let before = before.unwrap_or(end).min(end);
    let reader = PageReader {
        log,
        world: entry.world,
    };
    Ok(reader
        .page(before, before < end, limit.clamp(1, TRANSCRIPT_PAGE_MAX))
        .await?)
}

struct PageReader<'a> {
    log: &'a dyn EventLog,
    world: WorldId,
}

impl PageReader<'_> {
    /// `is_inside`: `before` may stand inside a commit.
    async fn page(
        &self,
        before: Position,
        is_inside: bool,
        limit: usize,
    ) -> Result<TranscriptPage, ReadError> {
        let mut pager = TranscriptPager::new(before, limit);
        if is_inside && before > Position::new(1) {
            self.take(&mut pager, self.commit_around(before).await?)
                .await?;
        }
        let mut left = limit
            .saturating_mul(COMMITS_EACH)
            .saturating_add(COMMITS_MORE);
        while left > 0 && !pager.is_full() && pager.before() > Position::new(1) {
            let count = pager.room().saturating_mul(2).saturating_add(8).min(left);
            let commits = self
                .log
                .read_back(self.world, pager.before(), count)
                .await?;
            if commits.is_empty() {
                let what = "there is no commit before this event".to_owned();
                return Err(ReadError::Damaged {
                    at: pager.before(),
                    what,
                });
            }
            left = left.saturating_sub(commits.len());
            self.take(&mut pager, commits).await?;
        }
        Ok(pager.finish())
    }

    /// The commit that begins before `before` and ends behind it, if there is one.
    async fn commit_around(&self, before: Position) -> Result<Vec<StoredCommit>, ReadError> {
        let last = before.previous();
        let found = self.log.read(self.world, last).await?.try_next().await?;
        Ok(found
            .into_iter()
            .filter(|stored| stored.commit.last() >= before)
            .collect())
    }

    async fn take(
        &self,
        pager: &mut TranscriptPager,
        commits: Vec<StoredCommit>,
    ) -> Result<(), ReadError> {
        let Some(oldest) = commits.last() else {
            return Ok(());
        };
        let gone: BTreeSet<Position> = self
            .log
            .gone(self.world, oldest.commit.header.first, pager.before())
            .await?
            .into_iter()
            .collect();
        for stored in &commits {
            if pager.is_full() {
                break;
            }
            pager.take(&stored.commit, &gone);
        }
        Ok(())
    }
}
