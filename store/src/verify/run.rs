//! Verifying one world, from its first record to its last.

use std::ops::ControlFlow;

use super::against::Against;
use super::check::{Anomaly, Checker};
use super::classify::Scene;
use super::plan::LogPlan;
use super::report::{Damage, DamageKind, Integrity};
use super::scan::Scan;
use super::tables::{LogCompanions, TablesPlace};
use super::walk::End;
use crate::engine::EngineError;
use crate::format::upcast::Upcasters;

/// All that is needed to verify a world.
#[derive(Debug)]
pub(crate) struct Verification<'a> {
    pub(crate) plan: &'a LogPlan,
    pub(crate) scan: &'a Scan,
    pub(crate) place: TablesPlace<'a>,
    pub(crate) against: &'a Against,
    pub(crate) upcasters: &'a Upcasters,
}

/// Verifies a world that nobody writes to meanwhile.
pub(crate) fn verify(stage: &Verification<'_>) -> Result<Integrity, EngineError> {
    let mut checker = begin(stage);
    for stretch in &stage.plan.stretches {
        let mut anomaly = None;
        let from = checker.next;
        let end = stretch.walk(
            stage.place.engine,
            from,
            &mut |item| match checker.take(item) {
                Ok(()) => ControlFlow::Continue(()),
                Err(found) => {
                    anomaly = Some(found);
                    ControlFlow::Break(())
                }
            },
        )?;
        if let Some(anomaly) = anomaly {
            return name(stage, checker, anomaly);
        }
        if end == End::Moved {
            return Err(EngineError::Damaged("a frame is there no more".to_owned()));
        }
    }
    conclude(stage, checker)
}

/// The checks, before the first record.
pub(crate) fn begin<'a>(stage: &Verification<'a>) -> Checker<'a> {
    Checker::new(
        stage.plan,
        stage.against,
        LogCompanions::new(stage.place),
        stage.upcasters,
    )
}

/// Ends with what a record is that is not the one that has to come.
pub(crate) fn name(
    stage: &Verification<'_>,
    mut checker: Checker<'_>,
    anomaly: Anomaly,
) -> Result<Integrity, EngineError> {
    if let Anomaly::Broken(trouble) = &anomaly
        && trouble.is_newer
    {
        checker.set_newer(trouble.what.clone());
    } else if !checker.is_damaged() {
        checker.set_damage(scene(stage, &checker).name(anomaly)?);
    }
    Ok(checker.finish())
}

/// Ends at the end of the log.
pub(crate) fn conclude(
    stage: &Verification<'_>,
    mut checker: Checker<'_>,
) -> Result<Integrity, EngineError> {
    if !checker.is_damaged()
        && let Some(damage) = of_end(stage, &mut checker)?
    {
        checker.set_damage(damage);
    }
    Ok(checker.finish())
}

fn scene<'a>(stage: &Verification<'a>, checker: &Checker<'_>) -> Scene<'a> {
    let Verification {
        plan, scan, place, ..
    } = *stage;
    Scene {
        engine: place.engine,
        plan,
        scan,
        at: checker.next,
        link: checker.link,
    }
}

/// Returns what the end of a log tells that is right up to there.
fn of_end(
    stage: &Verification<'_>,
    checker: &mut Checker<'_>,
) -> Result<Option<Damage>, EngineError> {
    let end = checker.end();
    let scene = scene(stage, checker);
    if let Some(known) = stage.plan.known.as_ref().filter(|known| known.head > end) {
        return scene
            .cut(format!("the index knows events up to {}", known.head))
            .map(Some);
    }
    if let Some(damage) = scene.lost_in_frames()? {
        return Ok(Some(damage));
    }
    if let Some(damage) = checker.taken_out() {
        return Ok(Some(damage));
    }
    if let Some(anchor) = checker.ahead() {
        let what = format!("an anchor covers {} commits", anchor.size);
        return Ok(Some(Damage {
            at: end.next(),
            until: None,
            kind: DamageKind::RolledBack,
            what,
        }));
    }
    checker.take_beside().finish()
}
