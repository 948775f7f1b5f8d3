//! Verifying a world of a ledger, row by row, while appends go on.

use folkmoot_core::ids::{Position, WorldId};
use folkmoot_core::port::ReadError;

use super::lineage::{self, Source};
use super::reaches::{PIECE, base};
use super::settle::read_error;
use super::{Inner, SharedStore};
use crate::engines::MemoryEngine;
use crate::format::bytes::Bytes;
use crate::format::record::RecordRef;
use crate::format::{Malformed, header};
use crate::home::blobs::Vault;
use crate::ledger::{LedgerEntry, Row};
use crate::read::runs::entry;
use crate::state::content::{self, Fetched};
use crate::verify::against::Against;
use crate::verify::check::{Anomaly, Checker};
use crate::verify::plan::{Known, LogPlan};
use crate::verify::report::{Damage, DamageKind, Integrity};
use crate::verify::run::{Verification, conclude, name};
use crate::verify::scan::Scan;
use crate::verify::tables::{LogCompanions, TablesPlace};
use crate::verify::walk::{Item, Stretch, Trouble};

impl SharedStore {
    /// Verifies the log of a world as it stands now; what is appended meanwhile is left out. Reads every byte of it, a piece
    /// at a time, with the content beside the records. Files that events refer to are not read.
    ///
    /// A log that was cut is found by an anchor, or by what was saved of its reach: the ledger counts what is there.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`], or the ledger does not read. What is damaged is no error.
    pub async fn verify(&self, world: WorldId, against: Against) -> Result<Integrity, ReadError> {
        self.check_open()?;
        let known = self.inner.entry(world).await?;
        let sources = lineage::sources(&self.inner, world).await?;
        let plan = self.inner.plan(&known, &sources);
        // Damage is named by the rows alone: there are no frames to look in.
        let engine = MemoryEngine::default();
        let vault = Vault::new(None);
        let stage = Verification {
            plan: &plan,
            scan: &Scan::default(),
            place: TablesPlace {
                engine: &engine,
                vault: &vault,
                world,
                runs_end: Position::ZERO,
                is_still: false,
            },
            against: &against,
            upcasters: &self.inner.upcasters,
        };
        let checker = Checker::new(
            &plan,
            &against,
            LogCompanions::default(),
            &self.inner.upcasters,
        );
        let mut walk = Walk {
            checker,
            content: None,
        };
        let mut anomaly = None;
        for stretch in &plan.stretches {
            anomaly = walk.stretch(&self.inner, stretch).await?;
            if anomaly.is_some() {
                break;
            }
        }
        let Walk { checker, content } = walk;
        let end = checker.end();
        let found = match anomaly {
            Some(anomaly) => name(&stage, checker, anomaly),
            None => conclude(&stage, checker),
        };
        let mut found = found.map_err(|error| crate::state::shared::read_error(error, end))?;
        if let Some(content) = content
            && found
                .damage
                .as_ref()
                .is_none_or(|damage| content.at < damage.at)
        {
            found.damage = Some(content);
        }
        Ok(found)
    }
}

impl Inner {
    fn plan(&self, known: &LedgerEntry, sources: &[Source]) -> LogPlan {
        let stretch = |source: &Source| {
            let up_to = source.until.min(known.head);
            Stretch {
                owner: source.world,
                up_to,
                runs_end: up_to,
                tail: Vec::new(),
            }
        };
        let own = self.reaches.own(known.world).map(|own| own.reach);
        let saved = || {
            let (reach, knows_tree) = entry::read(known.reach.as_deref()?).ok()?;
            knows_tree.then_some(reach)
        };
        LogPlan {
            world: known.world,
            name: Some(known.name.clone()),
            stretches: sources.iter().map(stretch).collect(),
            known: own.or_else(saved).map(|reach| Known {
                head: reach.head,
                link: reach.link,
                tree: Some(reach.tree),
            }),
            base: base(known),
            runs_end: Position::ZERO,
        }
    }
}

/// A log on its way through the checks.
struct Walk<'a> {
    checker: Checker<'a>,
    /// The first content beside a record that is not what it must be.
    content: Option<Damage>,
}

impl Walk<'_> {
    /// Checks the rows of one world; gives the first that is not the one that has to come.
    async fn stretch(
        &mut self,
        inner: &Inner,
        stretch: &Stretch,
    ) -> Result<Option<Anomaly>, ReadError> {
        while self.checker.next <= stretch.up_to {
            let next = self.checker.next;
            let rows = inner.read(|| inner.ledger.read(stretch.owner, next, PIECE));
            let rows = rows.await.map_err(|error| read_error(error, next))?;
            if rows.is_empty() {
                return Ok(None);
            }
            for row in rows {
                if row.first > stretch.up_to {
                    return Ok(None);
                }
                if let Err(anomaly) = self.take(&row) {
                    return Ok(Some(anomaly));
                }
            }
        }
        Ok(None)
    }

    fn take(&mut self, row: &Row) -> Result<(), Anomaly> {
        let broken = |error: Malformed| Anomaly::Broken(Trouble::unreadable(error));
        let record = RecordRef::read(&mut Bytes(&row.record)).map_err(broken)?;
        let events = record.events().map_err(broken)?;
        let mut fetched = Fetched::new();
        for (place, at, wanted) in content::besides(row.first, &events) {
            let beside = row.beside.iter().find(|beside| beside.at == at);
            match beside.filter(|beside| wanted.with(&beside.bytes).is_some()) {
                Some(beside) => fetched.push((place, beside.bytes.clone())),
                None => self.lose(at),
            }
        }
        if !stands(row, &record).map_err(broken)? {
            let what = "the row has other facts than its record".to_owned();
            self.checker.set_damage(Damage {
                at: row.first,
                until: None,
                kind: DamageKind::Index,
                what,
            });
        }
        let whole = record
            .restored(&content::join(events, &fetched))
            .map_err(broken)?;
        let record = RecordRef::read(&mut Bytes(&whole)).map_err(broken)?;
        self.checker.take(Item::Record(record))
    }

    fn lose(&mut self, at: Position) {
        self.content.get_or_insert(Damage {
            at,
            until: None,
            kind: DamageKind::Content,
            what: format!("the content of event {at} is missing or not what was written"),
        });
    }
}

/// Tells whether a row says of its record what that says of itself.
fn stands(row: &Row, record: &RecordRef<'_>) -> Result<bool, Malformed> {
    let (header, _) = header::read(record.header)?;
    let key = header.key.as_ref();
    let key = key
        .map(|keyed| crate::state::summary::key_digest(&keyed.key))
        .transpose()?;
    let is_copy = row.world != header.world;
    let place = (record.fixed.first, record.fixed.last()) == (row.first, row.last);
    Ok(place && header.stamp.time == row.time && (row.key == key || is_copy))
}
