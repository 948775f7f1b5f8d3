//! A server that kills itself at a named point: the router of the product over a store in a folder or a database, with tokens that
//! everybody knows.
//!
//! It is no product: the points stand around the router and the store, so that neither has a hook in it.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a server of tests says what went wrong by panicking"
)]

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use axum::middleware::from_fn_with_state;
use folkmoot::Runtime;
use folkmoot_server::{Drain, Hosts, Listening, Rooms, Server, ServerLimits, Templates, serve};
use tokio::signal::unix::{SignalKind, signal};

mod clerk;
mod gate;
mod house;
mod layer;
mod point;
mod tokens;

use house::House;
use point::{Point, Points};

/// The folders and the address, in this order.
struct Arguments {
    store: String,
    templates: PathBuf,
    ledger: PathBuf,
    address: String,
}

impl Arguments {
    fn read() -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let Ok([store, templates, ledger, address]) = <[String; 4]>::try_from(arguments) else {
            panic!("usage: folkmoot-test-server STORE TEMPLATES LEDGER ADDRESS");
        };
        Self {
            store,
            templates: templates.into(),
            ledger: ledger.into(),
            address,
        }
    }
}

#[tokio::main]
async fn main() {
    let arguments = Arguments::read();
    let points = Points::armed();
    let mut house = House::open(&arguments.store, &arguments.templates, &arguments.address).await;
    let runtime = Runtime::builder(&house.store).assembler(clerk::Desk::with(arguments.ledger));
    let runtime = house
        .introduce(runtime)
        .build()
        .through(Arc::new(gate::Gate(points.clone())));
    house.serve(&runtime);
    let drain = Drain::new();
    // People of the test write as fast as they can.
    let limits = ServerLimits {
        commands_per_minute: NonZeroU32::MAX,
        worlds_opened_per_day: u32::MAX,
        ..ServerLimits::default()
    };
    let rooms = Rooms {
        runtime: runtime.clone(),
        store: house.store.clone(),
        templates: Templates::of(arguments.templates),
        authenticate: Arc::new(tokens::Tokens),
        sessions: None,
        hosts: Hosts::any(),
        limits: limits.clone(),
        drain: drain.clone(),
    };
    let server = Server::new(rooms);
    let _found = server.reopen().await.expect("the worlds can be listed");
    let app = house
        .router(&server)
        .layer(from_fn_with_state(points.clone(), layer::watch));
    let mut ends = signal(SignalKind::terminate()).expect("signals can be caught");
    let ending = drain.clone();
    tokio::spawn(async move {
        ends.recv().await;
        ending.begin();
    });
    let address = arguments.address.parse().expect("an address and a port");
    let listening = Listening::at(address).await.expect("the address is free");
    let _drained = serve(listening, app, drain, &limits).await;
    house.close(&runtime).await;
    // Whatever of the end did not reach its point dies here.
    points.last(Point::Drain);
}
