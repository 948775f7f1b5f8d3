//! The past of a room, as far as a snapshot shows it.

use std::collections::BTreeSet;

use folkmoot::core::ids::EpisodeId;
use folkmoot::{FeedEvent, ItemId, Position, Seat};

use super::frame::Frame;
use super::frames::{Cursor, close, frames};
use super::transcript::Transcript;
use crate::problem::Problem;
use crate::protocols::run::before;

/// The most messages and notices that a snapshot goes back.
const ENTRIES_MAX: usize = 200;

/// The most events that a snapshot goes back: what agents do between messages counts too.
const EVENTS_MAX: u64 = 5_000;

/// The place of a client that has seen all up to an item, and the messages that it has then.
pub(super) struct Past {
    pub(super) cursor: Cursor,
    pub(super) transcript: Transcript,
}

/// Reads the past up to the item `through`, for a run of `episodes`. Words that were taken back
/// since are not in it.
pub(super) async fn past(
    seat: &Seat,
    through: ItemId,
    episodes: BTreeSet<EpisodeId>,
) -> Result<Past, Problem> {
    let page = seat
        .transcript(Some(through.at.next()), ENTRIES_MAX)
        .await?;
    let at = first(page.next, through.at);
    let mut feed = seat.feed(before(ItemId { at, number: 0 }))?;
    let mut cursor = Cursor::of_past(seat.world().name().to_string(), episodes);
    let mut transcript = Transcript::default();
    while let Some(event) = feed.next_of_past().await? {
        let FeedEvent::Item(item) = event else {
            continue;
        };
        if item.id > through {
            break;
        }
        for frame in frames(&mut cursor, &item) {
            transcript.take(frame);
        }
    }
    // A run begins its own steps.
    let _ends: Vec<Frame> = close(&mut cursor);
    cursor.begin_run();
    Ok(Past { cursor, transcript })
}

/// The first event of a snapshot through `last`, if its messages begin at `oldest`.
fn first(oldest: Option<Position>, last: Position) -> Position {
    let earliest = Position::new(last.get().saturating_sub(EVENTS_MAX));
    oldest.unwrap_or(Position::ZERO).max(earliest.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_goes_back_to_the_nearer_of_its_limits() {
        let at = Position::new;
        for (oldest, last, is) in [
            (None, 0, 1),
            (None, 5_000, 1),
            (None, 5_001, 2),
            (Some(7), 5_001, 7),
            (Some(7), 20_000, 15_001),
        ] {
            assert_eq!(first(oldest.map(at), at(last)), at(is), "{oldest:?} {last}");
        }
    }
}
