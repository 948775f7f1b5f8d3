//! What is being written in a world, for the processes that follow it.

use super::{FeedDraft, FeedEvent, FeedStart, WorldHandle};
use crate::error::SeatError;
use crate::relay::{DraftPiece, DraftPieces};
use futures::StreamExt as _;

impl WorldHandle {
    /// The replies that are being written in this world, for a process that follows it: those under way from their beginnings,
    /// and then all, until another process holds the world. `None`: one does already.
    ///
    /// # Errors
    /// [`SeatError`]: the world has ended.
    pub fn draft_pieces(&self) -> Result<Option<DraftPieces>, SeatError> {
        if !self.activity.is_here() {
            return Ok(None);
        }
        let feed = self.operator().feed(FeedStart::Now)?;
        let activity = self.activity.clone();
        let pieces = futures::stream::unfold(feed, |mut feed| async {
            loop {
                match feed.next().await {
                    Ok(Some(FeedEvent::Draft(FeedDraft::Draft {
                        agent,
                        message,
                        offset,
                        text,
                    }))) => {
                        let text = String::from(&*text);
                        let piece = DraftPiece {
                            agent,
                            message,
                            offset,
                            text,
                        };
                        return Some((piece, feed));
                    }
                    // Whoever follows the world has all else from its log.
                    Ok(Some(FeedEvent::Item(_) | FeedEvent::Draft(FeedDraft::DraftEnd { .. }))) => {
                    }
                    Ok(None) | Err(_) => return None,
                }
            }
        });
        let is_here = move |_: &DraftPiece| std::future::ready(activity.is_here());
        Ok(Some(Box::pin(pieces.take_while(is_here))))
    }
}
