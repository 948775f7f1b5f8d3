//! Worlds from evidence bundles: a bundle of a whole world has every byte of its commits.

use folkmoot_core::ids::WorldId;
use folkmoot_proof::bundle::{Bundle, BundledContent, BundledEvent};
use folkmoot_proof::note::Checkpoint;

use super::scribe::Scribe;
use crate::engine::EngineError;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::format::chain;
use crate::format::chain::NO_LINK;
use crate::format::event::{ContentRef, EventRef};
use crate::format::header;
use crate::format::record::{RecordRef, restore};
use crate::format::upcast::Upcasters;
use crate::state::index::Base;
use crate::state::summary::Summary;

/// A world from a bundle: its commits as they are stored.
#[derive(Debug)]
pub(crate) struct Exported {
    pub(crate) world: WorldId,
    /// The world that it was forked from; its commits are in the bundle.
    pub(crate) base: Option<Base>,
    commits: Vec<Vec<u8>>,
    /// Those of them whose content the bundle keeps back.
    withheld: Vec<bool>,
}

impl Exported {
    /// Offers all its commits.
    pub(crate) fn offer(&self, scribe: &mut Scribe<'_>) -> Result<(), EngineError> {
        for (commit, is_withheld) in self.commits.iter().zip(&self.withheld) {
            let before = scribe.next();
            match RecordRef::read(&mut Bytes(commit)) {
                Ok(record) => scribe.offer(&record)?,
                Err(error) => scribe.note(error.0),
            }
            if *is_withheld && scribe.next() > before {
                scribe.lose(format!("the export keeps content of event {before} back"));
            }
        }
        Ok(())
    }
}

/// Reads bundles. Each must hold all commits of its world up to its head, and lead to the head's
/// root.
pub(crate) fn read_all(bundles: &[Bundle]) -> Result<Vec<Exported>, EngineError> {
    bundles
        .iter()
        .map(|bundle| read(bundle).map_err(|error| EngineError::Damaged(error.0)))
        .collect()
}

fn read(bundle: &Bundle) -> Result<Exported, Malformed> {
    let head = Checkpoint::parse(&bundle.head)
        .map_err(|error| Malformed(format!("an export has no head: {error}")))?;
    let id = head
        .world()
        .ok_or_else(|| Malformed::new("the head of an export is not of a world"))?;
    let mut link = NO_LINK;
    let mut tree = folkmoot_proof::Frontier::default();
    let mut commits = Vec::new();
    for commit in &bundle.commits {
        let events: Vec<EventRef<'_>> = commit.events.iter().map(event).collect();
        let leaf = chain::leaf(&commit.header, &events);
        link = chain::link(&link, &leaf);
        tree.push(leaf);
        commits.push(restore(&commit.header, &events, &link)?);
    }
    if (tree.size(), tree.root()) != (head.size, head.root) {
        return Err(Malformed(format!(
            "the commits of an export are not those of its head, {} commits",
            head.size
        )));
    }
    let world = header::world(id);
    let is_withheld =
        |event: &BundledEvent| matches!(event.content, Some(BundledContent::Withheld(_)));
    let withheld = bundle
        .commits
        .iter()
        .map(|commit| commit.events.iter().any(is_withheld))
        .collect();
    Ok(Exported {
        world,
        base: base(world, &commits),
        commits,
        withheld,
    })
}

/// Returns what the world was forked from, if it was.
fn base(world: WorldId, commits: &[Vec<u8>]) -> Option<Base> {
    let records = commits
        .iter()
        .filter_map(|commit| RecordRef::read(&mut Bytes(commit)).ok());
    let own = records
        .into_iter()
        .find(|record| record.fixed.world == world)?;
    let origin = Summary::read(&own, &Upcasters::default()).ok()?.origin?;
    Some(Base {
        parent: origin.forked.parent,
        at: origin.forked.base.of,
        is_copied: true,
    })
}

fn event(event: &BundledEvent) -> EventRef<'_> {
    let content = match &event.content {
        None => ContentRef::None,
        Some(BundledContent::Shown(shown)) => ContentRef::Present {
            salt: shown.salt,
            bytes: shown.text.as_bytes(),
        },
        Some(BundledContent::Withheld(commitment) | BundledContent::Erased(commitment)) => {
            ContentRef::Erased {
                by: None,
                commitment: *commitment,
            }
        }
    };
    EventRef {
        kind: event.kind,
        version: event.version,
        facts: event.facts.as_bytes(),
        content,
    }
}
