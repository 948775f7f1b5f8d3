//! The memory of a server whose clients do nothing.

use crate::Fallible;
use crate::args::Args;
use crate::hall::Hall;
use crate::server::{Server, UNLIMITED};
use crate::table::Table;
use crate::wire::Wire;

/// The connections to each world.
const EACH: usize = 5;

/// Opens worlds, lets clients follow them, and weighs the server.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub(crate) async fn measure(args: &Args, table: &mut Table) -> Fallible<()> {
    let dir = args.temporary()?;
    let server = Server::start(dir.path(), UNLIMITED).await?;
    let mut idle = Vec::new();
    for number in 0..args.worlds {
        let owner = format!("person-{}", number % 100);
        let hall = Hall::open(&server, &owner, "hall").await?;
        for _ in 0..EACH {
            let mut wire = Wire::to(server.rooms).await?;
            wire.follow(&hall.feed(&owner)).await?;
            idle.push(wire);
        }
    }
    let mib = server.resident_bytes()? as f64 / f64::from(1 << 20);
    let what = format!(
        "resident memory, {} idle connections, {} worlds",
        idle.len(),
        args.worlds
    );
    table.row(&what, &format!("{mib:.0} MiB"), "", "320 MiB");
    drop(idle);
    server.end().await
}
