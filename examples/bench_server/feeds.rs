//! One message to all feeds of a room, beside the same bytes through plain axum; and the memory of a feed.

use std::time::{Duration, Instant};

use futures::future::try_join_all;

use crate::Fallible;
use crate::args::Args;
use crate::hall::{Hall, text};
use crate::server::{Server, UNLIMITED};
use crate::stats::{median, ms, times};
use crate::table::Table;
use crate::wire::{Wire, request};

/// The last item of an episode, which a message is all of.
const LAST: &str = "episode_ended";
/// The end of a server-sent event.
const END: &str = "\n\n";

/// Measures both sides in turns.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub(crate) async fn measure(args: &Args, table: &mut Table) -> Fallible<()> {
    let dir = args.temporary()?;
    let server = Server::start(dir.path(), UNLIMITED).await?;
    let hall = Hall::with_eve(&server, "ada").await?;
    let before = server.resident_bytes()?;
    let feed = hall.feed("ada");
    let mut feeds = Vec::new();
    for _ in 0..args.feeds {
        let mut wire = Wire::to(server.rooms).await?;
        wire.follow(&feed).await?;
        feeds.push(wire);
    }
    let each = server.resident_bytes()?.saturating_sub(before) as f64 / args.feeds as f64;
    let mut streams = Vec::new();
    for _ in 0..args.feeds {
        let mut wire = Wire::to(server.plain).await?;
        wire.follow(&request("ada", "GET", "/stream", "")).await?;
        streams.push(wire);
    }
    let mut ada = Wire::to(server.rooms).await?;
    let mut plain = Wire::to(server.plain).await?;
    let (mut ours, mut axums) = (Vec::new(), Vec::new());
    for round in 0..=args.rounds {
        let message = hall.post("ada", &text(round));
        let (took, event) = reach(&mut ada, &message, &mut feeds).await?;
        let bytes = "x".repeat(event.saturating_sub(LAST.len())) + LAST;
        let send = request("ada", "POST", "/send", &bytes);
        let (plainly, _) = reach(&mut plain, &send, &mut streams).await?;
        if round > 0 {
            ours.push(took);
            axums.push(plainly);
        }
    }
    drop((feeds, streams, ada, plain));
    server.end().await?;
    let (our, plain) = (median(&mut ours), median(&mut axums));
    let what = format!("a message reaches {} feeds", args.feeds);
    let figure = format!("{} = {}", ms(our), times(our, plain));
    table.row(&what, &figure, &format!("plain axum {}", ms(plain)), "4 x");
    let what = format!("resident memory of {} idle feeds, each", args.feeds);
    table.row(&what, &format!("{:.1} KiB", each / 1024.0), "", "40 KiB");
    Ok(())
}

/// Sends `request`, and says how long it took until all of `wires` had the last event, and how many bytes one of them got.
async fn reach(by: &mut Wire, request: &[u8], wires: &mut [Wire]) -> Fallible<(Duration, usize)> {
    let begun = Instant::now();
    let all = wires.iter_mut().map(async |wire| {
        let events = wire.until(LAST.as_bytes()).await?.len();
        wire.until(END.as_bytes()).await?;
        Fallible::Ok(events)
    });
    let (answer, bytes) = tokio::join!(by.ask(request), try_join_all(all));
    let took = begun.elapsed();
    answer?.done()?;
    let bytes = bytes?.into_iter().next().ok_or("no feeds")?;
    Ok((took, bytes))
}
