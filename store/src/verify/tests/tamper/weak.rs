//! Tampering that leaves links as they were.

use super::*;

impl Case<'_> {
    /// Flips one bit anywhere in a commit behind its length.
    pub(super) fn flip(&mut self) -> Result<(), String> {
        let (world, slot, at) = self.place(0);
        let bit = self.random.within(32, self.book.record(slot).len() * 8);
        let record = self.book.record(slot);
        record[bit / 8] ^= 1 << (bit % 8);
        let is_readable = crate::format::record::records(record)
            .next()
            .is_some_and(|read| read.is_ok_and(|read| read.events().is_ok()));
        let kind = if is_readable {
            DamageKind::FlippedByte
        } else {
            DamageKind::Unreadable
        };
        let expected = Expected::Damage(kind, at, None);
        if !is_readable && matches!(slot, Slot::Tail { .. }) && self.is_lost(slot) {
            // What cannot be read of a shared frame is nobody's for sure.
            let engine = self.book.write();
            return self.expect_of(
                &engine,
                world,
                &Against::default(),
                &Expected::Store(DamageKind::Unreadable),
            );
        }
        self.expect(world, &expected, &expected)
    }

    /// Whether a record does not even tell which world it is of.
    fn is_lost(&mut self, slot: Slot) -> bool {
        crate::format::record::records(self.book.record(slot))
            .next()
            .is_none_or(|record| record.is_err())
    }

    pub(super) fn swap(&mut self) -> Result<(), String> {
        let world = self.world();
        let slots = self.book.slots(world);
        let low = self.random.within(1, slots.len() - 1);
        let high = self.random.within(low + 1, slots.len());
        let at = first(self.book.record(slots[low]));
        let later = self.book.record(slots[high]).clone();
        let earlier = std::mem::replace(self.book.record(slots[low]), later);
        *self.book.record(slots[high]) = earlier;
        self.expect_damage(world, DamageKind::Reordered, at)
    }

    pub(super) fn delete(&mut self) -> Result<(), String> {
        let (world, slot, at) = self.place(1);
        self.book.remove(slot);
        self.expect_damage(world, DamageKind::Deleted, at)
    }

    /// Takes commits from the end of the runs of the world that has all of its commits there.
    pub(super) fn cut_runs(&mut self) -> Result<(), String> {
        let world = self.logs.worlds[2];
        let slots = self.book.slots(world);
        let keep = self.random.within(1, slots.len());
        let at = first(self.book.record(slots[keep]));
        for slot in slots[keep..].iter().rev() {
            self.book.remove(*slot);
        }
        self.book
            .runs
            .get_mut(&world)
            .unwrap()
            .retain(|(_, records)| !records.is_empty());
        self.expect_damage(world, DamageKind::CutTail, at)
    }

    /// Takes frames from the end of the log; the head record still knows them.
    pub(super) fn cut_frames(&mut self) -> Result<(), String> {
        let keep = self.random.within(0, self.book.tail.len());
        let lost: Vec<Vec<Vec<u8>>> = self.book.tail.drain(keep..).collect();
        let engine = self.book.write();
        let lost = lost.concat();
        for world in self.logs.worlds.clone() {
            self.expect_of(
                &engine,
                world,
                &Against::default(),
                &Expected::Store(DamageKind::CutTail),
            )?;
            let of_world = lost.iter().find(|record| read(record).fixed.world == world);
            let Some(at) = of_world.map(|record| first(record)) else {
                continue;
            };
            let found = self.examine(&engine, &self.anchored());
            let found = found.worlds.iter().find(|found| found.world == world);
            let is_missed =
                found.is_some_and(|found| is_damage(found, DamageKind::RolledBack, at, None));
            // A world that was only in the frames that are lost is lost with them.
            if !is_missed && at > Position::new(1) {
                return Err(format!("{world} lost event {at}: {found:#?}"));
            }
        }
        Ok(())
    }

    /// Puts a commit of another world in the place of one in runs, as it is or under this world's name and position.
    pub(super) fn splice(&mut self, is_renamed: bool) -> Result<(), String> {
        let world = self.world();
        let other = self
            .logs
            .worlds
            .iter()
            .copied()
            .find(|other| *other != world)
            .unwrap();
        let slots: Vec<Slot> = self
            .book
            .slots(world)
            .into_iter()
            .filter(|slot| matches!(slot, Slot::Run { .. }))
            .collect();
        let slot = slots[self.random.within(1, slots.len())];
        let at = first(self.book.record(slot));
        let from = self.book.slots(other);
        let from = from[self.random.within(1, from.len())];
        let mut spliced = self.book.record(from).clone();
        if is_renamed {
            patch(&mut spliced, WORLD_AT, world.0.as_bytes());
            patch(&mut spliced, FIRST_AT, &at.get().to_le_bytes());
        }
        if self.random.coin() {
            self.book.insert(slot, spliced);
        } else {
            *self.book.record(slot) = spliced;
        }
        self.expect_damage(world, DamageKind::Spliced, at)
    }
}
