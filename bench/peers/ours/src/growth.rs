//! What the turns of one room take on disk.

use folkmoot::{Runtime, Store};
use peers_common::{Args, Fallible, Figure, disk_bytes};

use crate::room::Script;

/// Lets one room have all its turns, and closes the store.
pub(crate) async fn measure(store: &Store, script: &Script, args: &Args) -> Fallible<Figure> {
    let runtime = Runtime::builder(store).build();
    let world = runtime.open_room(&script.room("long")?).await?;
    for _ in 0..args.turns {
        script.ask(&world).await?;
    }
    runtime.shutdown().await;
    store.close()?;
    Ok(Figure::new(disk_bytes(&args.dir)?))
}
