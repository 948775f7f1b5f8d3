//! Replaying a run strictly, beside bare decoding of its records.

use std::time::{Duration, Instant};

use agentplane::journal::RecordBody;
use agentplane::prelude::*;
use peers_common::{Fallible, Figure};

use crate::burst;
use crate::plane::Plane;

/// Performs one burst and replays it; the rate is that of the records in its journal.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub(crate) async fn measure(plane: Plane, time: Duration) -> Fallible<Figure> {
    let run = plane.ask(burst::NAME).await?.run_id;
    let records = plane.runtime.journal().read(run, 1).await?;
    let (begun, mut count) = (Instant::now(), 0);
    while begun.elapsed() < time {
        let replayed = plane.runtime.replay(run, Mode::Strict).await?;
        if replayed.status != RunStatus::Succeeded {
            return Err(format!("a replay ended as {:?}", replayed.status).into());
        }
        count += records.len();
    }
    let rate = count as f64 / begun.elapsed().as_secs_f64();

    let (begun, mut count) = (Instant::now(), 0);
    while begun.elapsed() < time / 4 {
        for record in &records {
            std::hint::black_box(serde_json::from_slice::<RecordBody>(record.raw())?);
        }
        count += records.len();
    }
    let beside = count as f64 / begun.elapsed().as_secs_f64();
    Ok(Figure::new(rate).with("beside", beside))
}
