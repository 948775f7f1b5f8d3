//! One message that many agents answer: it starts a run for each of them.

use std::time::{Duration, Instant};

use peers_common::{Fallible, Figure};
use tokio::task::JoinSet;

use crate::plane::Plane;
use crate::worker;

/// How many messages are measured.
const TIMES: usize = 5;

/// Takes the median of the milliseconds until all `agents` have answered.
pub(crate) async fn measure(plane: Plane, agents: usize) -> Fallible<Figure> {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        let mut runs = JoinSet::new();
        for _ in 0..agents {
            let plane = plane.clone();
            runs.spawn(async move { plane.ask(worker::NAME).await });
        }
        while let Some(joined) = runs.join_next().await {
            joined??;
        }
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    let median: Duration = times.get(TIMES / 2).copied().unwrap_or_default();
    Ok(Figure::new(median.as_secs_f64() * 1_000.0))
}
