//! The rules by which an append is let in, whatever it is appended to.

use folkmoot_core::command::commit::Keyed;
use folkmoot_core::ids::{Digest, Incarnation};
use folkmoot_core::port::AppendError;

use crate::state::index::Reach;
use crate::write::queue::AppendRequest;

/// Lets in what follows the head of its world, and comes from the world's last opening.
pub(crate) fn check_place<B>(request: &AppendRequest<B>, reach: &Reach) -> Result<(), AppendError> {
    let summary = &request.first.summary;
    let expected = summary.first.previous();
    if expected != reach.head {
        return Err(AppendError::Conflict {
            expected,
            actual: reach.head,
        });
    }
    // A process or a task that should be dead is told so, and stops (decision 0006).
    check_incarnation(request.incarnation, summary.opened, reach.incarnation)
}

/// Lets a key in again that was given for the same.
pub(crate) fn check_asked(keyed: &Keyed, before: Digest) -> Result<(), AppendError> {
    if before == keyed.digest {
        return Ok(());
    }
    Err(AppendError::KeyReused {
        key: keyed.key.to_string(),
    })
}

/// The process that opens a world must know its last opening; everyone else must be that opening.
fn check_incarnation(
    given: Incarnation,
    opened: Option<Incarnation>,
    current: Incarnation,
) -> Result<(), AppendError> {
    let fits = opened.map_or(given == current, |opened| opened == current.next());
    if fits {
        Ok(())
    } else {
        Err(AppendError::Fenced { current })
    }
}
