//! What the meter counts per second while agents work, each in one run after another.

use peers_common::{Fallible, Figure};
use tokio::task::JoinSet;

use crate::plane::{Plane, Shared};

/// Lets `agents` agents work at once until the meter is over.
pub(crate) async fn measure(
    plane: Plane,
    capability: &'static str,
    agents: usize,
) -> Fallible<Figure> {
    let meter = &Shared::get()?.meter;
    let mut work = JoinSet::new();
    meter.begin();
    for _ in 0..agents {
        let plane = plane.clone();
        work.spawn(async move {
            while !meter.is_over() {
                plane.ask(capability).await?;
            }
            Fallible::Ok(())
        });
    }
    while let Some(joined) = work.join_next().await {
        joined??;
    }
    Ok(Figure::new(meter.rate()))
}
