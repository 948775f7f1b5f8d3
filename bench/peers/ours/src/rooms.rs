//! The memory of rooms that are open and rest.

use folkmoot::{Runtime, Store};
use peers_common::{Fallible, Figure, resident_bytes};

use crate::room::Script;

/// Has one conversation in each of `count` rooms, and weighs the process.
pub(crate) async fn measure(store: &Store, script: &Script, count: usize) -> Fallible<Figure> {
    let runtime = Runtime::builder(store).build();
    let before = resident_bytes()?;
    for number in 0..count {
        script.talk(&runtime, &format!("room-{number}")).await?;
    }
    let resident = resident_bytes()?;
    Ok(Figure::new(resident).with("growth", resident - before))
}
