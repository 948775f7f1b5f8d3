//! Tampering that makes links and tables right again. Only heads and anchors tell.

use folkmoot_core::event::{Event, HeadSigned, WorldEvent};
use folkmoot_core::ids::Digest;
use folkmoot_proof::Frontier;

use super::*;
use crate::format::event::{ContentRef, EventRef};

/// What is done before everything is linked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forgery {
    Alter,
    Delete,
    Swap,
    Splice,
}

/// A signed head: the event where it stands, and the last event that it covers.
#[derive(Debug, Clone, Copy)]
struct Signed {
    at: Position,
    of: Position,
}

impl Case<'_> {
    pub(super) fn forge(&mut self, forgery: Forgery) -> Result<(), String> {
        let (world, slot, at, before) = self.forge_place(forgery);
        let size = self.anchor_size(world);
        match forgery {
            Forgery::Alter => append_space(self.book.record(slot)),
            Forgery::Delete => drop(self.book.remove(slot)),
            Forgery::Swap => {
                let slots = self.book.slots(world);
                let next = slots[slots.iter().position(|other| *other == slot).unwrap() + 1];
                let later = self.book.record(next).clone();
                *self.book.record(next) = std::mem::replace(self.book.record(slot), later);
            }
            Forgery::Splice => {
                let other = self
                    .logs
                    .worlds
                    .iter()
                    .copied()
                    .find(|other| *other != world)
                    .unwrap();
                let from = self.book.slots(other);
                let from = from[self.random.within(1, from.len())];
                let mut spliced = self.book.record(from).clone();
                patch(&mut spliced, WORLD_AT, world.0.as_bytes());
                *self.book.record(slot) = spliced;
            }
        }
        self.book.relink(world);
        // What a head in the log says of it, and what an anchor of the whole log says.
        let trusted = before
            .iter()
            .rfind(|head| head.of < at)
            .map_or(Position::ZERO, |head| head.of);
        let first_after = heads(&mut self.book, world)
            .into_iter()
            .find(|head| head.at >= at);
        let by_head = first_after
            .map(|head| Expected::Damage(DamageKind::Rewritten, trusted.next(), Some(head.at)));
        let bare = by_head
            .clone()
            .unwrap_or(Expected::Verdict(LogVerdict::NotChecked));
        let by_anchor = || match self.end_of_commit(world, size) {
            Some(end) => Expected::Damage(DamageKind::Rewritten, trusted.next(), Some(end)),
            None => Expected::Damage(DamageKind::RolledBack, self.end(world).next(), None),
        };
        let anchored = by_head.unwrap_or_else(by_anchor);
        self.expect(world, &bare, &anchored)
    }

    /// A place where something is forged, and the heads before that.
    fn forge_place(&mut self, forgery: Forgery) -> (WorldId, Slot, Position, Vec<Signed>) {
        loop {
            let (world, slot, at) = self.place(1);
            let before = heads(&mut self.book, world);
            let slots = self.book.slots(world);
            let next = slots[slots.iter().position(|other| *other == slot).unwrap() + 1];
            // A signature is not moved or replaced here: that it is gone is another case.
            let touches_head = |slot: Slot, book: &mut Book| signed(book.record(slot)).is_some();
            let is_last_in_runs = matches!((slot, next), (Slot::Run { .. }, Slot::Tail { .. }));
            let touches = touches_head(slot, &mut self.book)
                || (forgery == Forgery::Swap && touches_head(next, &mut self.book));
            let is_between = is_last_in_runs && forgery == Forgery::Swap;
            if !touches && !is_between {
                return (world, slot, at, before);
            }
        }
    }

    /// How many commits the anchor of a world covers.
    fn anchor_size(&self, world: WorldId) -> usize {
        self.book.slots(world).len()
    }

    fn end_of_commit(&self, world: WorldId, size: usize) -> Option<Position> {
        let slot = *self.book.slots(world).get(size.checked_sub(1)?)?;
        Some(read(self.book.clone().record(slot)).fixed.last())
    }

    pub(super) fn end(&self, world: WorldId) -> Position {
        self.end_of_commit(world, self.anchor_size(world)).unwrap()
    }

    /// Alters a commit, and writes into every later head the root that the altered log has.
    pub(super) fn forge_heads(&mut self) -> Result<(), String> {
        let (world, slot, at, before) = self.forge_place(Forgery::Alter);
        append_space(self.book.record(slot));
        self.book.relink(world);
        let mut tree = Frontier::default();
        for slot in self.book.slots(world) {
            if first(self.book.record(slot)) > at && signed(self.book.record(slot)).is_some() {
                set_root(self.book.record(slot), Digest::new(tree.root()));
            }
            tree.push(read(self.book.record(slot)).leaf().unwrap());
        }
        self.book.relink(world);
        let trusted = before
            .iter()
            .rfind(|head| head.of < at)
            .map_or(Position::ZERO, |head| head.of);
        let first_after = before.iter().find(|head| head.of >= at);
        let by_key = first_after
            .map(|head| Expected::Damage(DamageKind::Fabricated, trusted.next(), Some(head.at)));
        let engine = self.book.write();
        // Without a key and without an anchor nothing can be said, and nothing is.
        self.expect_of(
            &engine,
            world,
            &Against::default(),
            &Expected::Verdict(LogVerdict::NotChecked),
        )?;
        let with_key = by_key
            .clone()
            .unwrap_or(Expected::Verdict(LogVerdict::NotChecked));
        self.expect_of(&engine, world, &Self::keys(), &with_key)?;
        let by_anchor =
            Expected::Damage(DamageKind::Rewritten, trusted.next(), Some(self.end(world)));
        self.expect_of(
            &engine,
            world,
            &self.anchored(),
            &by_key.unwrap_or(by_anchor),
        )
    }

    /// Takes back a whole world to an earlier state, with everything that belongs to it.
    pub(super) fn roll_back(&mut self) -> Result<(), String> {
        let world = self.world();
        let slots = self.book.slots(world);
        let keep = self.random.within(1, slots.len());
        let at = first(self.book.record(slots[keep]));
        for slot in slots[keep..].iter().rev() {
            self.book.remove(*slot);
        }
        self.book.tail.retain(|records| !records.is_empty());
        self.book.relink(world);
        self.expect(
            world,
            &Expected::Verdict(LogVerdict::NotChecked),
            &Expected::Damage(DamageKind::RolledBack, at, None),
        )
    }

    /// Takes back the index alone: what is in runs says otherwise.
    pub(super) fn roll_back_entry(&mut self) -> Result<(), String> {
        let world = self.logs.worlds[2];
        let whole = self.book.clone();
        let units = self.book.runs[&world].len();
        if units < 2 {
            return Ok(());
        }
        let keep = self.random.within(1, units);
        let at = Position::new(self.book.runs[&world][keep].0);
        self.book.runs.get_mut(&world).unwrap().truncate(keep);
        self.book.relink(world);
        self.book.runs = whole.runs;
        self.expect_damage(world, DamageKind::RolledBack, at)
    }

    /// Adds commits behind the last head of the closed world, and opens it before or does not.
    pub(super) fn extend(&mut self, is_opened: bool) -> Result<(), String> {
        let world = self.logs.closed;
        let slots = self.book.slots(world);
        let at = self.end(world).next();
        let mut added = Vec::new();
        if is_opened {
            added.push(only_opening(self.book.clone().record(slots[0])));
        }
        let unsigned = |slot: &Slot| signed(self.book.clone().record(*slot)).is_none();
        let from: Vec<Slot> = slots.into_iter().skip(1).filter(unsigned).collect();
        let from = from[self.random.within(0, from.len())];
        added.push(self.book.record(from).clone());
        self.book.tail.push(added);
        self.book.relink(world);
        if is_opened {
            let open = Expected::Verdict(LogVerdict::Intact);
            return self.expect(world, &Expected::Verdict(LogVerdict::NotChecked), &open);
        }
        self.expect_damage(world, DamageKind::Fabricated, at)
    }

    /// An event that no build knows yet is no damage.
    pub(super) fn newer_event(&mut self) -> Result<(), String> {
        let world = self.logs.worlds[2];
        let slots = self.book.slots(world);
        let slot = *slots.last().unwrap();
        rewrite(self.book.record(slot), |event| EventRef {
            kind: 60_000,
            ..event
        });
        self.book.relink(world);
        let engine = self.book.write();
        self.expect_of(
            &engine,
            world,
            &Self::keys(),
            &Expected::Verdict(LogVerdict::Newer),
        )
    }
}

/// The signed heads of a world.
fn heads(book: &mut Book, world: WorldId) -> Vec<Signed> {
    let slots = book.slots(world);
    let of = |slot: Slot, book: &mut Book| {
        let record = book.record(slot).clone();
        signed(&record).map(|head| Signed {
            at: first(&record),
            of: head.head.of,
        })
    };
    slots
        .into_iter()
        .filter_map(|slot| of(slot, book))
        .collect()
}

/// The head that a commit signs.
fn signed(record: &[u8]) -> Option<HeadSigned> {
    let events = read(record).events().ok()?;
    let event = events
        .first()
        .filter(|event| event.kind == EventKind::HeadSigned as u16)?;
    if let Event::World(WorldEvent::HeadSigned(signed)) = Event::from_view(event.view()).ok()? {
        Some(signed)
    } else {
        None
    }
}

fn set_root(record: &mut Vec<u8>, root: Digest) {
    let mut head = signed(record).unwrap();
    head.head.root = root;
    let facts = serde_json::to_vec(&head).unwrap();
    rewrite(record, |event| EventRef {
        facts: &facts,
        ..event
    });
}

/// Writes the events of a record anew.
fn rewrite<'a>(record: &'a mut Vec<u8>, change: impl Fn(EventRef<'a>) -> EventRef<'a>) {
    let old: &'a [u8] = record.clone().leak();
    let parsed = read(old);
    *record = assemble(
        parsed.header,
        &parsed
            .events()
            .unwrap()
            .into_iter()
            .map(change)
            .collect::<Vec<_>>(),
    );
}

fn assemble(header: &[u8], events: &[EventRef<'_>]) -> Vec<u8> {
    let mut bytes = vec![0; 36];
    bytes.extend_from_slice(&u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(header);
    events
        .iter()
        .for_each(|event| event.write(&mut bytes).unwrap());
    let len = u32::try_from(bytes.len()).unwrap();
    patch(&mut bytes, 0, &len.to_le_bytes());
    bytes
}

/// Adds a space to the facts of the first event, which changes nothing that they say.
fn append_space(record: &mut Vec<u8>) {
    let facts = [read(record).events().unwrap()[0].facts, b" "].concat();
    let parsed = record.clone();
    let mut events = read(&parsed).events().unwrap();
    events[0] = EventRef {
        facts: &facts,
        ..events[0]
    };
    *record = assemble(read(&parsed).header, &events);
}

/// A commit with the last event alone, which is an opening in the first commit of a world.
fn only_opening(record: &[u8]) -> Vec<u8> {
    let parsed = read(record);
    let opening = parsed
        .events()
        .unwrap()
        .into_iter()
        .find(|event| event.kind == EventKind::Opened as u16)
        .unwrap();
    let mut header = parsed.header.to_vec();
    patch(&mut header, 24, &1_u32.to_le_bytes());
    assert!(matches!(opening.content, ContentRef::None));
    assemble(&header, &[opening])
}
