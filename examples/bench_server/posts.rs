//! A durable post over HTTP, beside the same post through a seat and a round trip to a handler that does nothing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use folkmoot::{
    OpenMode, Opening, PersonName, Post, Proof, Runtime, Seat, Shipped, Store, WorldHandle,
    WorldName,
};
use folkmoot_server::Templates;

use crate::Fallible;
use crate::args::Args;
use crate::hall::{FIRST, Hall, text};
use crate::server::{Server, UNLIMITED};
use crate::stats::{median, times, us};
use crate::table::Table;
use crate::wire::{Wire, request};

/// Measures the three in turns.
pub(crate) async fn measure(args: &Args, table: &mut Table) -> Fallible<()> {
    let dir = args.temporary()?;
    let server = Server::start(dir.path(), UNLIMITED).await?;
    let hall = Hall::with_eve(&server, "ada").await?;
    let embedded =
        Embedded::open(&dir.path().join("embedded"), dir.path().join("templates")).await?;
    let mut rooms = Wire::to(server.rooms).await?;
    let mut plain = Wire::to(server.plain).await?;
    let (mut over_http, mut through_seat, mut empty) = (Vec::new(), Vec::new(), Vec::new());
    // The first turn warms all up.
    for round in 0..=args.rounds {
        for number in 0..args.requests {
            let post = hall.post("ada", &text(number));
            let begun = Instant::now();
            rooms.ask(&post).await?.done()?;
            keep(&mut over_http, round, begun);
        }
        for number in 0..args.requests {
            let post = Post::text(text(number));
            let begun = Instant::now();
            embedded.ada.publish_message(post).await?;
            keep(&mut through_seat, round, begun);
        }
        for number in 0..args.requests {
            let body = request("ada", "POST", "/empty", &text(number));
            let begun = Instant::now();
            plain.ask(&body).await?.done()?;
            keep(&mut empty, round, begun);
        }
    }
    embedded.close().await?;
    server.end().await?;
    let post = median(&mut over_http);
    let (seat, trip) = (median(&mut through_seat), median(&mut empty));
    let beside = format!("seat {} + axum {}", us(seat), us(trip));
    let figure = format!("{} = {}", us(post), times(post, seat + trip));
    table.row("durable post over HTTP", &figure, &beside, "1.5 x");
    Ok(())
}

fn keep(times: &mut Vec<Duration>, round: usize, begun: Instant) {
    if round > 0 {
        times.push(begun.elapsed());
    }
}

/// The same hall in this process.
struct Embedded {
    store: Store,
    runtime: Runtime,
    ada: Seat,
}

impl Embedded {
    async fn open(folder: &Path, templates: PathBuf) -> Fallible<Self> {
        let store = Store::open(folder, OpenMode::Create)?;
        let runtime = Runtime::builder(&store)
            .assembler(Shipped::default())
            .build();
        let hall = Templates::of(templates).load("hall")?;
        let opening = Opening::with(WorldName::new("hall")?, hall.definition);
        let hall = runtime.open(opening).await?;
        seat(&hall, "eve")?
            .publish_message(Post::text(FIRST))
            .await?;
        hall.quiet().await?;
        let ada = seat(&hall, "ada")?;
        Ok(Self {
            store,
            runtime,
            ada,
        })
    }

    async fn close(self) -> Fallible<()> {
        self.runtime.shutdown().await;
        Ok(self.store.close()?)
    }
}

fn seat(hall: &WorldHandle, name: &str) -> Fallible<Seat> {
    let person = PersonName::new(name)?;
    Ok(hall.as_principal(Proof::by("token").user(name).called(person)))
}
