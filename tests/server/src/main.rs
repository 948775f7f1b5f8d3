//! A server that kills itself at a named point: the router of the product over a store in a folder, with tokens that
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
use folkmoot::{OpenMode, Runtime, Store};
use folkmoot_server::{Drain, Hosts, Listening, Rooms, ServerLimits, Templates, router, serve};
use tokio::signal::unix::{SignalKind, signal};

mod clerk;
mod gate;
mod layer;
mod point;
mod tokens;

use point::{Point, Points};

/// The folders and the address, in this order.
struct Arguments {
    store: PathBuf,
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
            store: store.into(),
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
    let store = Store::open(&arguments.store, OpenMode::Create).expect("the store opens");
    let runtime = Runtime::builder(&store)
        .assembler(clerk::Desk::with(arguments.ledger))
        .build()
        .through(Arc::new(gate::Gate(points.clone())));
    let drain = Drain::new();
    // People of the test write as fast as they can.
    let limits = ServerLimits {
        commands_per_minute: NonZeroU32::MAX,
        worlds_opened_per_day: u32::MAX,
        ..ServerLimits::default()
    };
    let rooms = Rooms {
        runtime: runtime.clone(),
        store: store.clone(),
        templates: Templates::of(arguments.templates),
        authenticate: Arc::new(tokens::Tokens),
        sessions: None,
        hosts: Hosts::any(),
        limits: limits.clone(),
        drain: drain.clone(),
    };
    let app = router(rooms).layer(from_fn_with_state(points.clone(), layer::watch));
    let mut ends = signal(SignalKind::terminate()).expect("signals can be caught");
    let ending = drain.clone();
    tokio::spawn(async move {
        ends.recv().await;
        ending.begin();
    });
    let address = arguments.address.parse().expect("an address and a port");
    let listening = Listening::at(address).await.expect("the address is free");
    let _drained = serve(listening, app, drain, &limits).await;
    runtime.shutdown().await;
    // Whatever of the end did not reach its point dies here.
    points.last(Point::Drain);
    store.close().expect("the store closes");
}
