//! An app with a sign-in of its own mounts the rooms below `/rooms`.

use std::sync::Arc;

use async_trait::async_trait;
use axum::http::request::Parts;
use axum::{Router, routing::get};
use folkmoot::{OpenMode, PersonName, Proof, Runtime, Shipped, Store};
use folkmoot_client::{Client, FeedEvent, NewMessage, NewRoom, Start};
use folkmoot_server::{
    Authenticate, AuthenticateError, Caller, Drain, Hosts, Rooms, ServerLimits, Templates, router,
};

/// The sign-in of the app. It knows who has which session.
#[derive(Debug)]
struct SignIn;

#[async_trait]
impl Authenticate for SignIn {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        let session = parts
            .headers
            .get("authorization")
            .ok_or(AuthenticateError::Nobody)?;
        // An app looks its session up here. The log keeps the id of the account: names may change.
        let ("Bearer session-17", Ok(name)) =
            (session.to_str().unwrap_or(""), PersonName::new("ada"))
        else {
            return Err(AuthenticateError::Unknown);
        };
        Ok(Caller::of(Proof::by("my-app").user("17").called(name)))
    }
}

const DESK: &str = "
world: desk
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted }]
replies: { clerk: [{ text: A new kettle is on its way. }] }
";

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the example shows what happens")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("desk.yaml"), DESK)?;
    let store = Store::open(folder.path().join("store"), OpenMode::Create)?;
    let rooms = Rooms {
        runtime: Runtime::builder(&store)
            .assembler(Shipped::default())
            .build(),
        store,
        templates: Templates::of(folder.path()),
        authenticate: Arc::new(SignIn),
        hosts: Hosts::any(),
        sessions: None,
        limits: ServerLimits::default(),
        drain: Drain::new(),
    };
    let app = Router::new()
        .route("/", get(async || "my app"))
        .nest("/rooms", router(rooms));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let rooms = format!("http://{}/rooms", listener.local_addr()?);
    tokio::spawn(async { axum::serve(listener, app).await });

    let ada = Client::new(&rooms, "session-17")?;
    let desk = ada.open_room(&NewRoom::from_template("desk")).await?;
    ada.post(&desk, &NewMessage::text("My kettle broke."))
        .await?;
    let mut feed = ada.feed(&desk, Start::Beginning);
    for _ in 0..2 {
        let (author, text) = next_message(&mut feed).await?;
        println!("{author}: {text}");
    }
    Ok(())
}

/// The next message of a feed: who says it, and the words.
async fn next_message(
    feed: &mut folkmoot_client::Feed,
) -> Result<(String, String), folkmoot_client::ClientError> {
    loop {
        if let FeedEvent::Item(item) = feed.next().await?
            && let (Some(author), Some(text)) = (item.author(), item.text())
        {
            return Ok((author.to_owned(), text.to_owned()));
        }
    }
}
