//! Somebody who follows a world.

use std::time::Duration;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::{CommitStream, ReadError, StoredCommit};
use futures::executor::block_on;
use futures::{FutureExt as _, StreamExt as _};

use super::model::Model;

/// How long a server may take.
const WITHIN: Duration = Duration::from_secs(60);

/// How often a stream is asked before it counts as having nothing.
const TURNS: u32 = 64;

/// A subscription that is held open.
pub(crate) struct Feed {
    world: WorldId,
    from: Position,
    stream: CommitStream,
    /// How many of the world's commits are behind it.
    seen: usize,
    /// Whether it is behind most of the time.
    lags: bool,
}

impl std::fmt::Debug for Feed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "feed of {} from {}", self.world, self.from)
    }
}

impl Feed {
    pub(crate) const fn new(
        world: WorldId,
        from: Position,
        stream: CommitStream,
        lags: bool,
    ) -> Self {
        Self {
            world,
            from,
            stream,
            seen: 0,
            lags,
        }
    }

    /// Takes what there is, if it is not one that lags.
    pub(crate) fn take(&mut self, model: &Model) {
        if !self.lags {
            self.take_all(model);
        }
    }

    /// Takes what there is: exactly what came since, at once, and then nothing.
    pub(crate) fn take_all(&mut self, model: &Model) {
        let Some(world) = model.worlds.get(&self.world) else {
            return;
        };
        let from = self.from;
        for expected in world
            .commits
            .iter()
            .skip(self.seen)
            .filter(|stored| stored.commit.last() >= from)
        {
            let next = self.expected();
            let Some(Some(Ok(found))) = next else {
                panic!("{self:?} misses {}: {next:?}", expected.commit.header.first)
            };
            assert_eq!(found, *expected, "{self:?}");
        }
        self.seen = world.commits.len();
        let more = self.next();
        assert!(more.is_none(), "{self:?} has more than there is: {more:?}");
    }

    /// What has to come: at once, unless a server has it.
    fn expected(&mut self) -> Option<Option<Result<StoredCommit, ReadError>>> {
        if tokio::runtime::Handle::try_current().is_err() {
            return self.next();
        }
        block_on(tokio::time::timeout(WITHIN, self.stream.next())).ok()
    }

    /// What there is now, also behind a network that answers late.
    fn next(&mut self) -> Option<Option<Result<StoredCommit, ReadError>>> {
        (0..TURNS).find_map(|_| self.stream.next().now_or_never())
    }

    /// The store is closed, or killed, or the world is deleted.
    pub(crate) fn end(mut self) {
        let end = self.expected();
        let is_end = matches!(
            end,
            Some(None | Some(Err(ReadError::Stopped(_) | ReadError::NoSuchWorld(_))))
        );
        assert!(is_end, "{self:?} goes on: {end:?}");
    }
}
