//! The commits of one barrier: admitted, linked, put into frames.

use std::collections::{BTreeSet, HashMap};

use folkmoot_core::command::commit::{CommandKey, Keyed};
use folkmoot_core::ids::{Digest, Position, WorldId, WorldName};
use folkmoot_core::port::{AppendError, Appended};
use tokio::sync::oneshot;

use crate::engine::{FrameNumber, Term};
use crate::format::Malformed;
use crate::format::frame::{PAYLOAD_MAX, Packing, Unit};
use crate::state::content::Put;
use crate::state::index::{Index, LandedCommit, Reach};
use crate::state::summary::Summary;
use crate::write::admission;
use crate::write::queue::{AppendRequest, EncodedCommit};

/// The receiver of an append's answer.
pub(crate) type Reply = oneshot::Sender<Result<Appended, AppendError>>;

/// The fate of a request.
#[derive(Debug)]
pub(crate) enum Admission {
    /// It follows its world's head.
    Next(Reach),
    /// A commit with its key is there, at this position.
    Repeats(Position),
    /// A commit with its key is in this very batch: ask again when that is durable.
    Later,
}

/// The commits of one barrier. Nobody sees them before they are durable.
#[derive(Debug)]
pub(crate) struct Batch {
    term: Term,
    head: FrameNumber,
    /// The worlds of this batch as they will be.
    reaches: HashMap<WorldId, Reach>,
    names: HashMap<WorldName, WorldId>,
    keys: BTreeSet<(WorldId, CommandKey)>,
    frames: Vec<Vec<u8>>,
    /// The commits of the unit that is being filled.
    open: Vec<u8>,
    landed: Vec<(LandedCommit, Digest)>,
    replies: Vec<(Reply, Digest)>,
    beside: Vec<Put>,
}

impl Batch {
    /// Begins a batch behind the frame `head`.
    pub(crate) fn new(term: Term, head: FrameNumber) -> Self {
        Self {
            term,
            head,
            reaches: HashMap::new(),
            names: HashMap::new(),
            keys: BTreeSet::new(),
            frames: Vec::new(),
            open: Vec::new(),
            landed: Vec::new(),
            replies: Vec::new(),
            beside: Vec::new(),
        }
    }

    /// Decides whether `request` may be appended. `stored_key` looks a key up that is in runs.
    pub(crate) fn admit(
        &self,
        request: &AppendRequest,
        index: &Index,
        stored_key: impl FnOnce(WorldId, &CommandKey) -> Result<Option<(Position, Digest)>, AppendError>,
    ) -> Result<Admission, AppendError> {
        let summary = &request.first.summary;
        if index.is_ending(summary.world) {
            return Err(AppendError::NoSuchWorld(summary.world));
        }
        if let Some(keyed) = &summary.key {
            if self.keys.contains(&(summary.world, keyed.key.clone())) {
                return Ok(Admission::Later);
            }
            if let Some(position) = known_key(summary.world, keyed, index, stored_key)? {
                return Ok(Admission::Repeats(position));
            }
        }
        // Behind the look at keys: a repeat gets its answer wherever the head is (decision 0005).
        let reach = self.reach(summary, index)?;
        admission::check_place(request, &reach)?;
        Ok(Admission::Next(reach))
    }

    /// Returns how far the request's world has come, this batch included.
    fn reach(&self, summary: &Summary, index: &Index) -> Result<Reach, AppendError> {
        let known = || index.worlds.get(&summary.world).map(|world| &world.reach);
        if let Some(reach) = self.reaches.get(&summary.world).or_else(known) {
            return Ok(reach.clone());
        }
        let origin = summary
            .origin
            .as_ref()
            .and_then(|origin| origin.reach.clone());
        if let Some(base) = origin.as_ref().and_then(|reach| reach.base)
            && (!index.worlds.contains_key(&base.parent) || index.is_ending(base.parent))
        {
            return Err(AppendError::NoSuchWorld(base.parent));
        }
        let born = origin.or_else(|| summary.created.clone().map(Reach::unborn));
        let reach = born.ok_or(AppendError::NoSuchWorld(summary.world))?;
        if self.names.contains_key(&*reach.name) || index.named(&reach.name).is_some() {
            return Err(AppendError::NameTaken(WorldName::clone(&reach.name)));
        }
        Ok(reach)
    }

    /// Takes an admitted request.
    pub(crate) fn add(
        &mut self,
        request: AppendRequest,
        mut reach: Reach,
    ) -> Result<(), Malformed> {
        let AppendRequest {
            first,
            rest,
            beside,
            reply,
            ..
        } = request;
        let world = first.summary.world;
        for commit in std::iter::once(first).chain(rest) {
            self.put(commit, &mut reach)?;
        }
        self.replies.push((reply, reach.link));
        self.reaches.insert(world, reach);
        self.beside.extend(beside);
        Ok(())
    }

    /// Puts one commit behind those of its world.
    fn put(
        &mut self,
        EncodedCommit { summary, record }: EncodedCommit,
        reach: &mut Reach,
    ) -> Result<(), Malformed> {
        let leaf = record.leaf();
        let (bytes, _) = record.link(&reach.link);
        if self.open.len() + bytes.len() > PAYLOAD_MAX {
            self.seal()?;
        }
        let frame = self.head.plus(self.frames.len() as u64 + 1);
        if self.open.is_empty() {
            self.open = bytes
        } else {
            self.open.extend_from_slice(&bytes)
        }
        reach.advance(&summary, leaf);
        let link = reach.link;
        if summary.created.is_some() || summary.origin.is_some() {
            self.names
                .insert(WorldName::clone(&reach.name), summary.world);
        }
        if let Some(keyed) = &summary.key {
            self.keys.insert((summary.world, keyed.key.clone()));
        }
        self.landed.push((
            LandedCommit {
                summary,
                leaf,
                frame,
            },
            link,
        ));
        Ok(())
    }

    /// Cuts the open unit into frames.
    fn seal(&mut self) -> Result<(), Malformed> {
        if self.open.is_empty() {
            return Ok(());
        }
        let number = self.head.plus(self.frames.len() as u64 + 1).0;
        let raw_len = self.open.len();
        let unit = Unit {
            number,
            term: self.term.0,
            packing: Packing::Plain,
            raw_len,
            payload: &self.open,
        };
        self.frames.extend(unit.frames()?);
        self.open.clear();
        Ok(())
    }

    /// Ends the batch: its frames, and what they mean once they are durable.
    pub(crate) fn finish(mut self) -> Result<SealedBatch, Malformed> {
        self.seal()?;
        let Self {
            frames,
            landed,
            replies,
            beside,
            ..
        } = self;
        Ok(SealedBatch {
            frames,
            landed,
            replies,
            beside,
        })
    }
}

/// A batch ready to be written.
#[derive(Debug)]
pub(crate) struct SealedBatch {
    pub(crate) frames: Vec<Vec<u8>>,
    /// With the link of each.
    pub(crate) landed: Vec<(LandedCommit, Digest)>,
    /// With the link that each answer gives.
    pub(crate) replies: Vec<(Reply, Digest)>,
    /// The content beside the frames.
    pub(crate) beside: Vec<Put>,
}

fn known_key(
    world: WorldId,
    keyed: &Keyed,
    index: &Index,
    stored_key: impl FnOnce(WorldId, &CommandKey) -> Result<Option<(Position, Digest)>, AppendError>,
) -> Result<Option<Position>, AppendError> {
    let Some(entry) = index.worlds.get(&world) else {
        return Ok(None);
    };
    let found = match entry.tail_keys.get(&keyed.key) {
        Some(found) => Some(*found),
        None if entry.runs_end == Position::ZERO => None,
        None => stored_key(world, &keyed.key)?,
    };
    match found {
        Some((position, digest)) => admission::check_asked(keyed, digest).map(|()| Some(position)),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests;
