//! Naming a damage: what was found where another record was to come.

use std::ops::ControlFlow;

use folkmoot_core::ids::{Digest, Position, WorldId};

use super::check::Anomaly;
use super::plan::LogPlan;
use super::report::{Damage, DamageKind};
use super::scan::Scan;
use super::walk::{Item, RunUnits};
use crate::engine::{Engine, EngineError, Table, each_row};
use crate::format::bytes::Bytes;
use crate::format::chain;
use crate::format::record::{RecordRef, records};
use crate::read::frames::Frames;

/// The places of a world's id and of a commit's first position in its header.
const WORLD_AT: usize = 0;
const FIRST_AT: usize = 16;

/// The place where a log goes wrong.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) plan: &'a LogPlan,
    pub(crate) scan: &'a Scan,
    /// The position that has to come.
    pub(crate) at: Position,
    /// The link of the commit before.
    pub(crate) link: Digest,
}

impl Scene<'_> {
    /// Names what `anomaly` is.
    pub(crate) fn name(&self, anomaly: Anomaly) -> Result<Damage, EngineError> {
        match anomaly {
            Anomaly::Broken(trouble) => Ok(self.damage(DamageKind::Unreadable, trouble.what)),
            Anomaly::Foreign(bytes) => Ok(self.foreign(&bytes)),
            Anomaly::Misplaced(bytes) => self.misplaced(&bytes),
            Anomaly::Unlinked(bytes) => self.unlinked(&bytes),
        }
    }

    /// Names what it is if the log ends here, although it should go on.
    pub(crate) fn cut(&self, what: String) -> Result<Damage, EngineError> {
        if let Some(damage) = self.lost_in_frames()? {
            return Ok(damage);
        }
        Ok(self.damage(DamageKind::CutTail, what))
    }

    /// If the next commit stands in shared frames, with another position or in the name of a world
    /// that nobody knows: what that is.
    pub(crate) fn lost_in_frames(&self) -> Result<Option<Damage>, EngineError> {
        let first = self.at.get().to_le_bytes();
        let is_renumbered = self.is_in_frames(|record| {
            record.fixed.world == self.plan.world
                && record.fixed.first != self.at
                && self.is_next(record, FIRST_AT, &first)
        })?;
        let is_renamed = self.is_in_frames(|record| {
            record.fixed.world != self.plan.world
                && record.fixed.first == self.at
                && self.is_next(record, WORLD_AT, self.id())
        })?;
        let what = if is_renumbered {
            "its position was changed"
        } else {
            "its world's id was changed"
        };
        Ok((is_renumbered || is_renamed)
            .then(|| self.damage(DamageKind::FlippedByte, what.to_owned())))
    }

    /// Tells whether there is such a record in the shared frames with commits of this world, or of
    /// worlds that nobody knows.
    fn is_in_frames(&self, is_it: impl Fn(&RecordRef<'_>) -> bool) -> Result<bool, EngineError> {
        let mut frames = Frames::default();
        let own = self.scan.units.get(&self.plan.world);
        for number in own.into_iter().chain(self.scan.orphans.values()).flatten() {
            let Some(unit) = frames.unit(self.engine, *number)? else {
                continue;
            };
            if records(&unit)
                .map_while(Result::ok)
                .any(|record| is_it(&record))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn foreign(&self, bytes: &[u8]) -> Damage {
        let Some(record) = read(bytes) else {
            return self.damage(DamageKind::Unreadable, String::new());
        };
        if record.fixed.first == self.at && self.is_next(&record, WORLD_AT, self.id()) {
            return self.damage(
                DamageKind::FlippedByte,
                "its world's id was changed".to_owned(),
            );
        }
        let first = record.fixed.first;
        let world = record.fixed.world;
        self.damage(
            DamageKind::Spliced,
            format!("event {first} of the world {world} stands there"),
        )
    }

    fn misplaced(&self, bytes: &[u8]) -> Result<Damage, EngineError> {
        let Some(record) = read(bytes) else {
            return Ok(self.damage(DamageKind::Unreadable, String::new()));
        };
        if self.is_next(&record, FIRST_AT, &self.at.get().to_le_bytes()) {
            return Ok(self.damage(
                DamageKind::FlippedByte,
                "its position was changed".to_owned(),
            ));
        }
        let first = record.fixed.first;
        if first < self.at {
            return Ok(self.damage(
                DamageKind::Reordered,
                format!("event {first} stands there once more"),
            ));
        }
        if self.is_elsewhere()? {
            return Ok(self.damage(DamageKind::Reordered, format!("event {first} stands there")));
        }
        if let Some(damage) = self.lost_in_frames()? {
            return Ok(damage);
        }
        Ok(match self.scan.broken.first() {
            Some(broken) => self.damage(DamageKind::Unreadable, broken.trouble.what.clone()),
            None => self.damage(
                DamageKind::Deleted,
                format!("the next event that is there is {first}"),
            ),
        })
    }

    fn unlinked(&self, bytes: &[u8]) -> Result<Damage, EngineError> {
        let Some(record) = read(bytes) else {
            return Ok(self.damage(DamageKind::Unreadable, String::new()));
        };
        Ok(match self.find_link(record.link)? {
            Some((world, first)) => {
                let what = format!("it has the link of event {first} of the world {world}");
                self.damage(DamageKind::Spliced, what)
            }
            None => self.damage(
                DamageKind::FlippedByte,
                "the commit does not give its link".to_owned(),
            ),
        })
    }

    fn damage(&self, kind: DamageKind, what: String) -> Damage {
        Damage {
            at: self.at,
            until: None,
            kind,
            what,
        }
    }

    fn id(&self) -> &[u8] {
        self.plan.world.0.as_bytes()
    }

    /// Tells whether a record is the one that has to come, once `field` stands at `offset` in its
    /// header.
    fn is_next(&self, record: &RecordRef<'_>, offset: usize, field: &[u8]) -> bool {
        let mut header = record.header.to_vec();
        if let Some(place) = header.get_mut(offset..offset.saturating_add(field.len())) {
            place.copy_from_slice(field);
        }
        record.events().is_ok_and(|events| {
            chain::link(&self.link, &chain::leaf(&header, &events)) == record.link
        })
    }

    /// Tells whether the commit that has to come stands somewhere else in this world's log.
    fn is_elsewhere(&self) -> Result<bool, EngineError> {
        let mut found = false;
        for stretch in &self.plan.stretches {
            stretch.walk(self.engine, Position::new(1), &mut |item| {
                if let Item::Record(record) = item {
                    found |= record.fixed.first == self.at
                        && self.plan.allows(record.fixed.world, self.at);
                }
                if found {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
        }
        Ok(found
            || self.is_in_frames(|record| {
                record.fixed.first == self.at && record.fixed.world == self.plan.world
            })?)
    }

    /// The world that has a commit with this link, and where.
    fn find_link(&self, link: Digest) -> Result<Option<(WorldId, Position)>, EngineError> {
        let mut found = None;
        let mut look = |record: &RecordRef<'_>| {
            if record.link == link && record.fixed.world != self.plan.world {
                found = Some((record.fixed.world, record.fixed.first));
            }
        };
        let mut units = RunUnits::default();
        each_row(self.engine, Table::Runs, Vec::new(), &[0xff; 27], |row| {
            let _end = units.add(&row, &mut |item| {
                if let Item::Record(record) = item {
                    look(&record);
                }
                ControlFlow::Continue(())
            });
            Ok(())
        })?;
        self.scan.each_unit(self.engine, |unit| {
            records(unit)
                .map_while(Result::ok)
                .for_each(|record| look(&record))
        })?;
        Ok(found)
    }
}

fn read(bytes: &[u8]) -> Option<RecordRef<'_>> {
    RecordRef::read(&mut Bytes(bytes)).ok()
}
