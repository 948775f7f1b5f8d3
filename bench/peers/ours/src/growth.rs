//! What the turns of one room take on disk.

use folkmoot::Store;
use peers_common::{Args, Fallible, Figure, disk_bytes};

use crate::room::Script;

/// Lets one room have all its turns, and closes the store.
pub(crate) async fn measure(store: &Store, script: &Script, args: &Args) -> Fallible<Figure> {
    script.play(store, args.turns).await?;
    store.close()?;
    Ok(Figure::new(disk_bytes(&args.dir)?))
}
