//! Content that is too large for frames: it stands beside them, a row of [`Table::Content`] for
//! each event.
//!
//! The row is durable before the record that names it is appended, and belongs to that event of
//! that world alone, so that it goes when the content goes. Its key is the world that keeps the
//! record, the event's position and the commitment. Leaf and link cover the commitment as they do
//! where content stands in frames: only reading needs the row.

use std::sync::Arc;

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_proof::Hash;

use crate::engine::{Engine, EngineError, Pair, Table};
use crate::engines::content::name_of;
use crate::format::event::{Beside, ContentRef, EventRef};
use crate::format::{INLINE_ALL_MAX, INLINE_MAX, header};
use crate::state::index::Index;
use crate::state::shared::{LostContent, Shared};

/// The number of keys that are looked at, or removed, at once.
const KEYS_MAX: usize = 1_000;

/// Returns where the content of the event at `at` stands, in a record that `world` keeps.
pub(crate) fn key(world: WorldId, at: Position, commitment: &Hash) -> Vec<u8> {
    [world.0.as_bytes().as_slice(), &rest_of_key(at, commitment)].concat()
}

/// The same without the world.
pub(crate) fn rest_of_key(at: Position, commitment: &Hash) -> Vec<u8> {
    [at.get().to_be_bytes().as_slice(), commitment].concat()
}

/// The world and the position that a key names.
pub(crate) fn read_key(key: &[u8]) -> Option<(WorldId, Position)> {
    let (world, rest) = key.split_first_chunk()?;
    Some((
        header::world(*world),
        Position::new(u64::from_be_bytes(*rest.first_chunk()?)),
    ))
}

/// Puts the large content of a commit beside the frames, event by event.
#[derive(Debug)]
pub(crate) struct Parting {
    world: WorldId,
    next: Position,
    inline: usize,
    pairs: Vec<Pair>,
}

impl Parting {
    /// Begins with the event `first` of a commit that `world` keeps.
    pub(crate) const fn of(world: WorldId, first: Position) -> Self {
        Self {
            world,
            next: first,
            inline: 0,
            pairs: Vec::new(),
        }
    }

    /// The next event as it stands in the record.
    pub(crate) fn part<'a>(&mut self, event: &EventRef<'a>) -> EventRef<'a> {
        let at = self.next;
        self.next = at.next();
        let Some(bytes) = event.content.bytes() else {
            return *event;
        };
        let len = bytes.len();
        let inline = self.inline + bytes.len();
        if len <= INLINE_MAX && inline <= INLINE_ALL_MAX {
            self.inline = inline;
            return *event;
        }
        let Some(beside) = event.content.put_beside() else {
            return *event;
        };
        self.pairs
            .push((key(self.world, at, &beside.commitment), bytes.to_vec()));
        EventRef {
            content: ContentRef::Beside(beside),
            ..*event
        }
    }

    /// The rows.
    pub(crate) fn finish(self) -> Vec<Pair> {
        self.pairs
    }
}

/// The content of the events of a record that stands beside the frames, by the event's place in it.
pub(crate) type Fetched = Vec<(usize, Vec<u8>)>;

/// Fetches what stands beside the frames of a record that `world` keeps and that begins at `first`.
/// What is not there, or is not what was put there, is damage.
pub(crate) fn fetch(
    engine: &dyn Engine,
    (world, first): (WorldId, Position),
    events: &[EventRef<'_>],
) -> Result<Fetched, EngineError> {
    let mut fetched = Fetched::new();
    for (place, at, beside) in besides(first, events) {
        fetched.push((place, fetch_one(engine, (world, at), &beside)?));
    }
    Ok(fetched)
}

/// Fetches what is there of it, for who only reads or erases: what is lost reads as gone, and is
/// noted in `lost`.
pub(crate) fn fetch_what_is_there(
    (shared, lost): (&Shared, &LostContent),
    engine: &dyn Engine,
    (world, first): (WorldId, Position),
    events: &[EventRef<'_>],
) -> Result<Fetched, EngineError> {
    let mut fetched = Fetched::new();
    for (place, at, beside) in besides(first, events) {
        match fetch_one(engine, (world, at), &beside) {
            Ok(bytes) => fetched.push((place, bytes)),
            Err(EngineError::Damaged(what)) => {
                let name = shared
                    .index()
                    .worlds
                    .get(&world)
                    .map(|known| Arc::clone(&known.reach.name));
                lost.note(name.as_deref(), (world, at), &what);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(fetched)
}

/// Fetches the content of one event.
pub(crate) fn fetch_one(
    engine: &dyn Engine,
    (world, at): (WorldId, Position),
    beside: &Beside,
) -> Result<Vec<u8>, EngineError> {
    let key = key(world, at, &beside.commitment);
    let found = engine.get(Table::Content, &key)?;
    let file = || {
        engine
            .home()
            .map_or_else(String::new, |_| format!(", the file {},", name_of(&key)))
    };
    let name = || format!("the content of event {at}{}", file());
    match found {
        Some(bytes) if beside.with(&bytes).is_some() => Ok(bytes),
        Some(_) => Err(EngineError::Damaged(format!(
            "{} is not what was written",
            name()
        ))),
        None => Err(EngineError::Damaged(format!("{} is missing", name()))),
    }
}

/// The events whose content stands beside the frames: their places, their positions.
pub(crate) fn besides<'e>(
    first: Position,
    events: &'e [EventRef<'_>],
) -> impl Iterator<Item = (usize, Position, Beside)> + 'e {
    let numbered = (first.get()..).map(Position::new).zip(events).enumerate();
    numbered.filter_map(|(place, (at, event))| match event.content {
        ContentRef::Beside(beside) => Some((place, at, beside)),
        ContentRef::None
        | ContentRef::Present { .. }
        | ContentRef::Sealed { .. }
        | ContentRef::Erased { .. } => None,
    })
}

/// The events with what was fetched for them in its place.
pub(crate) fn join<'a>(mut events: Vec<EventRef<'a>>, fetched: &'a Fetched) -> Vec<EventRef<'a>> {
    for (place, bytes) in fetched {
        if let Some(event) = events.get_mut(*place) {
            *event = join_one(*event, bytes);
        }
    }
    events
}

/// An event with what was fetched for it, if anything was.
pub(crate) fn join_one<'a>(event: EventRef<'a>, bytes: &'a [u8]) -> EventRef<'a> {
    let content = match event.content {
        ContentRef::Beside(beside) => beside.with(bytes),
        ContentRef::None
        | ContentRef::Present { .. }
        | ContentRef::Sealed { .. }
        | ContentRef::Erased { .. } => None,
    };
    EventRef {
        content: content.unwrap_or(event.content),
        ..event
    }
}

/// Rows that were put for a commit that is not appended yet. Dropped before that, they are removed.
#[derive(Debug)]
pub(crate) struct Put {
    shared: Arc<Shared>,
    keys: Vec<Vec<u8>>,
}

impl Put {
    /// Puts rows; returns once they are as safe as an append.
    pub(crate) fn rows(shared: &Arc<Shared>, pairs: &[Pair]) -> Result<Self, EngineError> {
        let put = Self {
            shared: Arc::clone(shared),
            keys: pairs.iter().map(|(key, _)| key.clone()).collect(),
        };
        shared.lease().engine()?.put(Table::Content, pairs)?;
        Ok(put)
    }

    /// Leaves the rows where they are: their commit is there, or may be.
    pub(crate) fn leave(mut self) {
        self.keys.clear();
    }
}

impl Drop for Put {
    fn drop(&mut self) {
        if self.keys.is_empty() {
            return;
        }
        let lease = self.shared.lease();
        if let Err(error) = lease
            .engine()
            .and_then(|engine| engine.remove(Table::Content, &self.keys))
        {
            tracing::warn!(%error, "content of a commit that was not appended stays until the store is opened again");
        }
    }
}

/// Removes what an earlier process has put and never appended the commits of: it stands behind the
/// head of its world. What a fork that has no copy of its base holds there was half copied.
pub(crate) fn remove_leftovers(engine: &dyn Engine, index: &Index) -> Result<(), EngineError> {
    let mut from = Vec::new();
    let end = [0xff; 17];
    loop {
        let keys = engine.keys(Table::Content, &from, &end, KEYS_MAX)?;
        let Some(last) = keys.last() else {
            return Ok(());
        };
        from.clone_from(last);
        from.push(0);
        let is_left =
            |key: &Vec<u8>| read_key(key).is_some_and(|(world, at)| !is_counted(index, world, at));
        let left: Vec<Vec<u8>> = keys.into_iter().filter(is_left).collect();
        if !left.is_empty() {
            tracing::info!(
                count = left.len(),
                "content of commits that were never appended is removed"
            );
            engine.remove(Table::Content, &left)?;
        }
    }
}

fn is_counted(index: &Index, world: WorldId, at: Position) -> bool {
    index.worlds.get(&world).is_some_and(|world| {
        let shared = world
            .reach
            .base
            .filter(|base| !base.is_copied)
            .map_or(Position::ZERO, |base| base.at);
        shared < at && at <= world.reach.head
    })
}

/// Removes the content of the events `from` to `to` that stands beside the frames of `world`.
pub(crate) fn remove(
    engine: &dyn Engine,
    world: WorldId,
    from: Position,
    to: Position,
) -> Result<(), EngineError> {
    let from = key(world, from, &[0; 32]);
    let to = key(world, to, &[0xff; 32]);
    let to = [to.as_slice(), &[0]].concat();
    loop {
        let keys = engine.keys(Table::Content, &from, &to, KEYS_MAX)?;
        if keys.is_empty() {
            return Ok(());
        }
        engine.remove(Table::Content, &keys)?;
    }
}
