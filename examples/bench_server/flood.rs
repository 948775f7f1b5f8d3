//! The posts of others while one principal posts ten times as often as they may.

use std::time::{Duration, Instant};

use futures::future::try_join_all;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::Fallible;
use crate::args::Args;
use crate::hall::{Hall, text};
use crate::server::Server;
use crate::stats::{ms, quantile, times};
use crate::table::Table;
use crate::wire::Wire;

/// The commands that a principal may give in a minute. The default, 30, would make a flood of five in a second.
const LIMIT: u32 = 600;
/// The time between two posts of the flood: ten times the limit.
const FLOOD: Duration = Duration::from_millis(10);
/// The others, each in a room of their own.
const OTHERS: usize = 10;
/// The time between two posts of each of them, half of the limit.
const PACE: Duration = Duration::from_millis(200);

/// Measures turns with and without a flood.
pub(crate) async fn measure(args: &Args, table: &mut Table) -> Fallible<()> {
    let dir = args.temporary()?;
    let server = Server::start(dir.path(), LIMIT).await?;
    let mut halls = Vec::new();
    for number in 0..OTHERS {
        let name = format!("person-{number}");
        halls.push((Hall::with_eve(&server, &name).await?, name));
    }
    let hall = Hall::with_eve(&server, "mallory").await?;
    let (mut calm, mut flooded) = (Vec::new(), Vec::new());
    let (mut sent, mut refused) = (0, 0);
    for round in 0..=args.rounds.div_ceil(4) {
        let quiet = others(&server, &halls, args.flood).await?;
        let (mut flood, others) = tokio::try_join!(
            pour(&server, &hall, args.flood),
            others(&server, &halls, args.flood)
        )?;
        if round > 0 {
            calm.extend(quiet);
            flooded.extend(others);
            sent += flood.len();
            flood.retain(|status| *status == 429);
            refused += flood.len();
        }
    }
    server.end().await?;
    let (before, during) = (quantile(&mut calm, 990), quantile(&mut flooded, 990));
    let what = format!("p99 of {OTHERS} others' posts under a flood ({refused} of {sent} refused)");
    let figure = format!("{} = {}", ms(during), times(during, before));
    table.row(&what, &figure, &format!("without {}", ms(before)), "2 x");
    Ok(())
}

/// Posts at the pace of the flood, and gives the status of each answer.
async fn pour(server: &Server, hall: &Hall, time: Duration) -> Fallible<Vec<u16>> {
    let mut wire = Wire::to(server.rooms).await?;
    let mut statuses = Vec::new();
    let mut ticks = interval(FLOOD);
    let pouring = async {
        loop {
            ticks.tick().await;
            let post = hall.post("mallory", &text(statuses.len()));
            statuses.push(wire.ask(&post).await?.status);
        }
    };
    match timeout(time, pouring).await {
        Ok(failed) => failed,
        Err(_) => Ok(statuses),
    }
}

/// Lets the others post, and gives the time of each post.
async fn others(
    server: &Server,
    halls: &[(Hall, String)],
    time: Duration,
) -> Fallible<Vec<Duration>> {
    let all = halls
        .iter()
        .map(|(hall, name)| post(server, hall, name, time));
    Ok(try_join_all(all).await?.concat())
}

async fn post(server: &Server, hall: &Hall, name: &str, time: Duration) -> Fallible<Vec<Duration>> {
    let mut wire = Wire::to(server.rooms).await?;
    let mut ticks = interval(PACE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut took = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < time {
        ticks.tick().await;
        let post = hall.post(name, &text(took.len()));
        let sent = Instant::now();
        wire.ask(&post).await?.done()?;
        took.push(sent.elapsed());
    }
    Ok(took)
}
