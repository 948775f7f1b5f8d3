//! The answer about a room of somebody else, beside that about one that is not there.

use std::time::Instant;

use crate::Fallible;
use crate::args::Args;
use crate::hall::Hall;
use crate::server::{Server, UNLIMITED};
use crate::stats::{median, us};
use crate::table::Table;
use crate::wire::Wire;

/// The questions about each in a turn, for each request of a turn elsewhere: they are quick.
const MORE: usize = 8;

/// Asks about both by turns.
pub(crate) async fn measure(args: &Args, table: &mut Table) -> Fallible<()> {
    let dir = args.temporary()?;
    let server = Server::start(dir.path(), UNLIMITED).await?;
    let study = Hall::open(&server, "ada", "study").await?;
    let (there, nowhere) = (study.show("bob"), study.absent().show("bob"));
    let mut wire = Wire::to(server.rooms).await?;
    let (mut of_others, mut absent) = (Vec::new(), Vec::new());
    for number in 0..args.rounds * args.requests * MORE {
        for (question, times) in [(&there, &mut of_others), (&nowhere, &mut absent)] {
            let begun = Instant::now();
            let answer = wire.ask(question).await?;
            let took = begun.elapsed();
            if answer.status != 404 {
                return Err(format!("{answer:?}").into());
            }
            if number >= args.requests {
                times.push(took);
            }
        }
    }
    server.end().await?;
    let (other, none) = (median(&mut of_others), median(&mut absent));
    let percent = (other.as_secs_f64() / none.as_secs_f64().max(1e-9) - 1.0) * 100.0;
    let figure = format!("{} = {percent:+.1} %", us(other));
    let beside = format!("not there {}", us(none));
    table.row("404 about a room of somebody else", &figure, &beside, "5 %");
    Ok(())
}
