//! The side of the server: a process that serves rooms, and the same of plain axum, until its standard input ends.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::http::request::Parts;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use axum::routing::{get, post};
use folkmoot::{OpenMode, PersonName, Proof, Runtime, Shipped, Store};
use folkmoot_server::{
    Authenticate, AuthenticateError, Caller, Drain, Hosts, Listening, Rooms, ServerLimits,
    Templates, router, serve as listen,
};
use futures::stream::{Stream, unfold};
use tokio::io::AsyncReadExt as _;
use tokio::sync::broadcast::{Receiver, Sender, channel};

use crate::Fallible;
use crate::hall::{HALL, STUDY};

/// The first argument of a server's process.
pub(crate) const WORD: &str = "--serve";
/// The most events that plain axum keeps for a slow client.
const KEPT: usize = 64;

/// Takes everybody for whom their token names.
#[derive(Debug)]
struct Names;

#[async_trait]
impl Authenticate for Names {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        let header = parts.headers.get("authorization");
        let header = header.ok_or(AuthenticateError::Nobody)?;
        let name = header
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("Bearer "));
        let name = name.ok_or(AuthenticateError::Unknown)?;
        let person = PersonName::new(name).map_err(|_| AuthenticateError::Unknown)?;
        Ok(Caller::of(Proof::by("token").user(name).called(person)))
    }
}

/// Serves in the folder, with so many commands a minute for each principal, that `words` name. The first line of the
/// output has the two addresses.
pub(crate) async fn serve(mut words: impl Iterator<Item = String>) -> Fallible<()> {
    let folder = PathBuf::from(words.next().ok_or("no folder")?);
    let commands: NonZeroU32 = words.next().ok_or("no limit")?.parse()?;
    let store = Store::open(folder.join("store"), OpenMode::Create)?;
    let limits = ServerLimits {
        commands_per_minute: commands,
        worlds_opened_per_day: u32::MAX,
        ..ServerLimits::default()
    };
    let rooms = rooms(&store, &folder, &limits)?;
    let (runtime, drain) = (rooms.runtime.clone(), rooms.drain.clone());
    let listening = Listening::at(here()).await?;
    let plain = tokio::net::TcpListener::bind(here()).await?;
    say(listening.address(), plain.local_addr()?);
    tokio::spawn(async move { axum::serve(plain, plain_axum()).await });
    let ending = drain.clone();
    tokio::spawn(async move {
        // An error is an end as well.
        let _end = tokio::io::stdin().read(&mut [0]).await;
        ending.begin();
    });
    let _drained = listen(listening, router(rooms), drain, &limits).await;
    runtime.shutdown().await;
    Ok(store.close()?)
}

#[expect(clippy::print_stdout, reason = "the other process reads it")]
fn say(rooms: SocketAddr, plain: SocketAddr) {
    println!("{rooms} {plain}");
}

fn here() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn rooms(store: &Store, folder: &Path, limits: &ServerLimits) -> Fallible<Rooms> {
    let templates = folder.join("templates");
    std::fs::create_dir_all(&templates)?;
    std::fs::write(templates.join("hall.yaml"), HALL)?;
    std::fs::write(templates.join("study.yaml"), STUDY)?;
    Ok(Rooms {
        runtime: Runtime::builder(store)
            .assembler(Shipped::default())
            .build(),
        store: store.clone(),
        templates: Templates::of(templates),
        authenticate: Arc::new(Names),
        sessions: None,
        hosts: Hosts::any(),
        limits: limits.clone(),
        drain: Drain::new(),
    })
}

/// What plain axum does: `/empty` does nothing, and what is sent to `/send` goes to all who follow `/stream`.
fn plain_axum() -> Router {
    let (sender, _) = channel::<String>(KEPT);
    let followed = sender.clone();
    Router::new()
        .route("/empty", post(async || ""))
        .route("/stream", get(async move || stream(&followed)))
        .route(
            "/send",
            post(async move |text: String| sender.send(text).map_or("nobody", |_| "")),
        )
}

fn stream(sender: &Sender<String>) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let events = unfold(sender.subscribe(), async |mut events: Receiver<String>| {
        let text = events.recv().await.ok()?;
        Some((Ok(Event::default().data(text)), events))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
