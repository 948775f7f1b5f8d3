//! Several commits of one append.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, WorldEvent};
use folkmoot_core::ids::Position;

pub(crate) const EMPTY: &str = "it has no events, or no position";

/// Refuses commits that are no group: the log would take only some of them, or not know which key to answer for.
pub(crate) fn check(commits: &[Commit]) -> Result<(), &'static str> {
    let is_empty =
        |commit: &Commit| commit.events.is_empty() || commit.header.first == Position::ZERO;
    if commits.is_empty() || commits.iter().any(is_empty) {
        return Err(EMPTY);
    }
    for (commit, next) in commits.iter().zip(commits.iter().skip(1)) {
        let (header, next_header) = (&commit.header, &next.header);
        if next_header.world != header.world || next_header.first != commit.last().next() {
            return Err("its commits do not follow one another in one world");
        }
        if next_header.key.is_some() {
            return Err("only its first commit may have a key");
        }
        if opens(commit) || opens(next) {
            return Err("a commit that opens or forks a world comes alone");
        }
    }
    Ok(())
}

/// Tells whether a commit begins a world or an incarnation: what follows is admitted by what it says.
fn opens(commit: &Commit) -> bool {
    let begins = |event: &Event| {
        matches!(
            event,
            Event::World(WorldEvent::WorldOpened(_))
                | Event::World(WorldEvent::Opened(_))
                | Event::World(WorldEvent::Forked(_))
        )
    };
    commit.events.iter().any(begins)
}
