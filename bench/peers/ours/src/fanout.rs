//! One message that everybody in a room answers.

use std::time::{Duration, Instant};

use folkmoot::{Runtime, Store};
use peers_common::{Fallible, Figure};

use crate::room::Script;

/// How many messages are measured.
const TIMES: usize = 5;

/// Asks a room of `agents` agents, and takes the median of the milliseconds until all have answered.
pub(crate) async fn measure(store: &Store, script: &Script, agents: usize) -> Fallible<Figure> {
    let runtime = Runtime::builder(store).build();
    let mut times = Vec::new();
    for number in 0..TIMES {
        let mut room = script.empty(&format!("room-{number}"))?;
        for agent in 0..agents {
            room = room.agent(&format!("agent-{agent}"), "own", "")?;
        }
        let world = runtime.open_room(&room).await?;
        let (before, begun) = (script.texts.taken(), Instant::now());
        script.ask(&world).await?;
        times.push(begun.elapsed());
        let answers = script.texts.taken() - before - 1;
        if answers != agents {
            return Err(format!("{answers} of {agents} agents answered").into());
        }
    }
    runtime.shutdown().await;
    times.sort_unstable();
    let median: Duration = times.get(TIMES / 2).copied().unwrap_or_default();
    Ok(Figure::new(median.as_secs_f64() * 1_000.0))
}
