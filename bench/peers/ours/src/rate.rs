//! Runs of the tool per second: of agents in rooms of their own, each in one conversation after another.

use folkmoot::{Runtime, Store};
use peers_common::{Fallible, Figure};
use tokio::task::JoinSet;

use crate::room::Script;

/// Lets `agents` agents work at once until the meter is over.
pub(crate) async fn measure(store: &Store, script: &Script, agents: usize) -> Fallible<Figure> {
    let runtime = Runtime::builder(store).build();
    let mut work = JoinSet::new();
    script.meter.begin();
    for agent in 0..agents {
        let (runtime, script) = (runtime.clone(), script.clone());
        work.spawn(async move {
            for number in 0_u64.. {
                if script.meter.is_over() {
                    break;
                }
                script.talk(&runtime, &format!("{agent}-{number}")).await?;
            }
            Fallible::Ok(())
        });
    }
    while let Some(joined) = work.join_next().await {
        joined??;
    }
    let rate = script.meter.rate();
    runtime.shutdown().await;
    Ok(Figure::new(rate))
}
