//! What events hold that can be erased, and how much.

use std::collections::BTreeSet;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::content::Content;
use folkmoot_core::event::{Event, Span, TalkEvent, WorldEvent};
use folkmoot_core::ids::{Digest, Position};
use folkmoot_core::port::StoredCommit;

/// About how long a commit is.
pub(crate) fn len(commit: &Commit) -> usize {
    let of = |event: &Event| {
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            posted.body.present().map_or(0, |body| body.text.len())
        } else {
            0
        }
    };
    commit.events.iter().map(of).sum()
}

/// Takes the content out of the events in `span`.
pub(crate) fn erase(commits: &mut [StoredCommit], span: Span, by: Position) {
    for commit in commits.iter_mut().map(|stored| &mut stored.commit) {
        for (at, event) in (commit.header.first.get()..)
            .map(Position::new)
            .zip(&mut commit.events)
        {
            if (span.from..=span.to).contains(&at) {
                erase_event(event, by);
            }
        }
    }
}

fn erase_event(event: &mut Event, by: Position) {
    let by = Some(by);
    if let Event::Talk(TalkEvent::MessagePosted(posted)) = event
        && posted.body.present().is_some()
    {
        posted.body = Content::Erased { by };
    } else if let Event::World(WorldEvent::WorldOpened(opened)) = event
        && opened.text.present().is_some()
    {
        opened.text = Content::Erased { by };
    } else if let Event::World(WorldEvent::ErasureRequested(requested)) = event
        && requested.basis.present().is_some()
    {
        requested.basis = Content::Erased { by };
    }
}

/// Which request took an event's content.
pub(crate) const fn erased_by(event: &Event) -> Option<Position> {
    if let Event::Talk(TalkEvent::MessagePosted(posted)) = event
        && let Content::Erased { by } = posted.body
    {
        by
    } else if let Event::World(WorldEvent::WorldOpened(opened)) = event
        && let Content::Erased { by } = opened.text
    {
        by
    } else if let Event::World(WorldEvent::ErasureRequested(requested)) = event
        && let Content::Erased { by } = requested.basis
    {
        by
    } else {
        None
    }
}

/// The blobs that are attached to events.
pub(crate) fn attached<'a>(events: impl Iterator<Item = &'a Event>) -> BTreeSet<Digest> {
    events
        .filter_map(|event| {
            if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
                posted.body.present()
            } else {
                None
            }
        })
        .flat_map(|body| &body.attachments)
        .map(|attachment| attachment.blob)
        .collect()
}

/// Text of so many bytes, of which a packer makes little or nothing less.
pub(crate) fn text(len: usize, packs: bool, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let digits = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let digit = if packs {
            (state >> 32) as u32 % 2
        } else {
            (state >> 32) as u32 % 36
        };
        char::from_digit(digit, 36).unwrap()
    });
    digits.take(len).collect()
}
