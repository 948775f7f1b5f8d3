//! Tampering with frames, runs and tables as such.

use super::*;

impl Case<'_> {
    /// Writes nonsense with a right checksum in the place of a run, or turns a bit and leaves the checksum.
    pub(super) fn garble(&mut self) -> Result<(), String> {
        let world = self.world();
        let engine = self.book.write();
        let (key, at) = self.run_of(&engine, world);
        let mut value = engine.get(Table::Runs, &key).unwrap().unwrap();
        if self.random.coin() {
            let bit = self.random.within(0, value.len() * 8);
            value[bit / 8] ^= 1 << (bit % 8);
        } else {
            let nonsense: Vec<u8> = (0..600).map(|_| self.random.next() as u8).collect();
            let raw_len = nonsense.len();
            let unit = Unit {
                number: at.get(),
                term: 0,
                packing: Packing::Plain,
                raw_len,
                payload: &nonsense,
            };
            value = unit.frames().unwrap().remove(0);
        }
        engine.put(Table::Runs, &[(key, value)]).unwrap();
        let expected = Expected::Damage(DamageKind::Unreadable, at, None);
        self.expect_of(&engine, world, &Against::default(), &expected)?;
        self.expect_of(&engine, world, &self.anchored(), &expected)
    }

    /// Picks a unit of runs.
    fn run_of(&mut self, engine: &MemoryEngine, world: WorldId) -> (Vec<u8>, Position) {
        let rows = engine
            .range(Table::Runs, world.0.as_bytes(), &[0xff; 40], usize::MAX)
            .unwrap();
        let is_whole = |value: &[u8]| {
            let frame = FrameRef::read(value).unwrap();
            !frame.has_more && !frame.is_continued
        };
        let rows: Vec<_> = rows
            .into_iter()
            .filter(|(key, value)| key.starts_with(world.0.as_bytes()) && is_whole(value))
            .collect();
        let (key, value) = &rows[self.random.within(0, rows.len())];
        (
            key.clone(),
            Position::new(FrameRef::read(value).unwrap().number),
        )
    }

    /// Turns a bit in a shared frame and leaves the checksum.
    pub(super) fn garble_frame(&mut self) -> Result<(), String> {
        let whole = self.book.write();
        let frames = whole.read(FrameNumber(0), usize::MAX).unwrap();
        let at = self.random.within(0, frames.len());
        let engine = MemoryEngine::new();
        let term = engine.take_over().unwrap();
        let swept = frames[0].0.0 - 1;
        engine
            .append(
                term,
                FrameNumber(0),
                &vec![Vec::new(); usize::try_from(swept).unwrap()],
            )
            .unwrap();
        engine.trim(FrameNumber(swept)).unwrap();
        for table in [
            Table::Meta,
            Table::Worlds,
            Table::Runs,
            Table::Keys,
            Table::Gone,
        ] {
            engine
                .put(
                    table,
                    &whole.range(table, &[], &[0xff; 40], usize::MAX).unwrap(),
                )
                .unwrap();
        }
        let mut bytes: Vec<Vec<u8>> = frames.into_iter().map(|(_, bytes)| bytes).collect();
        let bit = self.random.within(0, bytes[at].len() * 8);
        bytes[at][bit / 8] ^= 1 << (bit % 8);
        engine.append(term, FrameNumber(swept), &bytes).unwrap();
        let found = self.examine(&engine, &Against::default());
        let is_named = found.store.iter().any(|found| {
            (found.kind, found.frame) == (Some(DamageKind::Unreadable), Some(swept + 1 + at as u64))
        });
        let is_told = found
            .worlds
            .iter()
            .filter_map(|found| found.damage.as_ref());
        if is_named
            && is_told
                .clone()
                .all(|damage| damage.kind == DamageKind::Unreadable)
        {
            return Ok(());
        }
        Err(format!("frame {}: {found:#?}", swept + 1 + at as u64))
    }

    /// A frame of a newer format is no damage.
    pub(super) fn newer_frame(&mut self) -> Result<(), String> {
        let world = self.world();
        let engine = self.book.write();
        let (key, at) = self.run_of(&engine, world);
        let mut value = engine.get(Table::Runs, &key).unwrap().unwrap();
        value[0] = 2;
        let len = value.len();
        // Its checksum covers the format.
        value[len - 1] ^= 1;
        engine.put(Table::Runs, &[(key, value)]).unwrap();
        let found = self.examine(&engine, &self.anchored());
        let newer = found
            .worlds
            .iter()
            .find(|found| found.world == world)
            .unwrap();
        if newer.verdict() == LogVerdict::Newer
            && newer.newer.as_ref().is_some_and(|newer| newer.at == at)
        {
            return Ok(());
        }
        Err(format!("expected a newer format at {at}: {newer:#?}"))
    }

    /// Takes a row out of the table of keys, or adds one.
    pub(super) fn lose_key(&mut self) -> Result<(), String> {
        let world = self.world();
        let own: Vec<usize> = (0..self.book.keys.len())
            .filter(|at| self.book.keys[*at].0.starts_with(world.0.as_bytes()))
            .collect();
        if own.is_empty() || self.random.coin() {
            let key = [world.0.as_bytes().as_slice(), &[7; 16]].concat();
            let value = [1_u64.to_le_bytes().as_slice(), &[7; 32]].concat();
            self.book.keys.push((key, value));
        } else {
            let lost = own[self.random.within(0, own.len())];
            self.book.keys.remove(lost);
        }
        self.expect_table(world)
    }

    /// The link in an index entry is another one.
    pub(super) fn change_entry(&mut self) -> Result<(), String> {
        let world = self.world();
        let reach = self.book.entries.get_mut(&world).unwrap();
        reach.link = folkmoot_core::ids::Digest::of(&[b"another"]);
        self.expect_table(world)
    }

    fn expect_table(&self, world: WorldId) -> Result<(), String> {
        let engine = self.book.write();
        let found = self.examine(&engine, &self.anchored());
        let found = found
            .worlds
            .iter()
            .find(|found| found.world == world)
            .unwrap();
        match &found.damage {
            Some(damage) if damage.kind == DamageKind::Index => Ok(()),
            other => Err(format!("expected index damage, found {other:?}")),
        }
    }
}
