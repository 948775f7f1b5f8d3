//! A server behind a real socket, and a client that sends what it likes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use folkmoot::{Gatekeeper, PersonName, Proof, Runtime, Shipped, Store};
use folkmoot_server::{
    Authenticate, AuthenticateError, Caller, Drain, Drained, Hosts, Listening, Rooms, Server,
    ServerLimits, Templates, serve,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// The time within which everything must be over.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

const DESK: &str = "
world: desk
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted }]
replies: { clerk: [{ text: Noted. }] }
policy: { rights: { default: [read] } }
";

/// A room whose model costs something.
const DEAR: &str = "
world: dear
models: { scripted: { provider: scripted } }
prices: { scripted: { input: 1, output: 1 } }
agents: [{ name: clerk, model: scripted }]
replies: { clerk: [{ text: Noted., usage: { input: 1000, output: 1000 } }] }
policy: { rights: { default: [read] } }
";

/// Takes everybody for whom they say they are, and cannot stand one of them.
#[derive(Debug)]
struct Anybody;

#[async_trait::async_trait]
impl Authenticate for Anybody {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        let name = parts
            .headers
            .get("x-name")
            .map_or("ada", |name| name.to_str().unwrap());
        assert_ne!(name, "panic", "the handler fails");
        let proven = Proof::by("token").user(name);
        Ok(Caller::of(proven.called(PersonName::new(name).unwrap())))
    }
}

/// A server that listens.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) drain: Drain,
    pub(crate) server: Server,
    task: JoinHandle<Drained>,
    _templates: tempfile::TempDir,
}

pub(crate) fn rooms(store: &Store, limits: ServerLimits, templates: &tempfile::TempDir) -> Rooms {
    std::fs::write(templates.path().join("desk.yaml"), DESK).unwrap();
    std::fs::write(templates.path().join("dear.yaml"), DEAR).unwrap();
    Rooms {
        runtime: Runtime::builder(store)
            .assembler(Shipped::default())
            .build(),
        store: store.clone(),
        templates: Templates::of(templates.path()),
        hosts: Hosts::any(),
        sessions: None,
        authenticate: Arc::new(Anybody),
        limits,
        drain: Drain::new(),
    }
}

impl Served {
    pub(crate) async fn with(limits: ServerLimits) -> Self {
        Self::over(&Store::memory(), limits).await
    }

    pub(crate) async fn over(store: &Store, limits: ServerLimits) -> Self {
        let templates = tempfile::tempdir().unwrap();
        let rooms = rooms(store, limits, &templates);
        Self::of(rooms, templates).await
    }

    /// The same, with somebody between the worlds and their log.
    pub(crate) async fn gated(
        store: &Store,
        limits: ServerLimits,
        keeper: Arc<dyn Gatekeeper>,
    ) -> Self {
        let templates = tempfile::tempdir().unwrap();
        let mut rooms = rooms(store, limits, &templates);
        rooms.runtime = rooms.runtime.through(keeper);
        Self::of(rooms, templates).await
    }

    async fn of(rooms: Rooms, templates: tempfile::TempDir) -> Self {
        let limits = rooms.limits.clone();
        let drain = rooms.drain.clone();
        let server = Server::new(rooms);
        let here = SocketAddr::from(([127, 0, 0, 1], 0));
        let listening = Listening::at(here).await.unwrap();
        let address = listening.address();
        let router = server.router();
        let ending = drain.clone();
        let task = tokio::spawn(async move { serve(listening, router, ending, &limits).await });
        Self {
            address,
            drain,
            server,
            task,
            _templates: templates,
        }
    }

    pub(crate) async fn client(&self) -> Client {
        Client(TcpStream::connect(self.address).await.unwrap())
    }

    /// Opens a room and gives its name.
    pub(crate) async fn room(&self) -> String {
        let opened = self
            .ask("POST", "/v1/worlds", r#"{"template":"desk"}"#)
            .await;
        assert_eq!(opened.status, 201, "{}", opened.text);
        opened.json()["world"].as_str().unwrap().to_owned()
    }

    /// Sends a request on a connection of its own.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let mut client = self.client().await;
        client.send(&request(method, path, body)).await;
        client.answer().await
    }

    /// Shows that another client is served: it opens a room, posts, and reads it back.
    pub(crate) async fn serves_others(&self) {
        let served = async {
            let room = self.room().await;
            let path = format!("/v1/worlds/{room}/messages");
            let posted = self.ask("POST", &path, r#"{"text":"hello"}"#).await;
            assert_eq!(posted.status, 201, "{}", posted.text);
            let read = self.ask("GET", &path, "").await;
            assert!(read.text.contains("hello"), "{}", read.text);
        };
        soon(served).await;
    }

    /// Ends the server and says how that went.
    pub(crate) async fn end(self) -> Drained {
        self.drain.begin();
        soon(self.task).await.unwrap()
    }
}

/// Waits under the deadline.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    let result = tokio::time::timeout(DEADLINE, future).await;
    result.unwrap_or_else(|_| panic!("it took longer than {DEADLINE:?}"))
}

pub(crate) fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A connection that sends bytes.
pub(crate) struct Client(pub(crate) TcpStream);

/// An answer as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status; 0 if the connection ended without one.
    pub(crate) status: u16,
    pub(crate) text: String,
}

impl Client {
    /// Sends; the server may have had enough before the end.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> bool {
        soon(self.0.write_all(bytes)).await.is_ok()
    }

    /// Reads until the server closes.
    pub(crate) async fn answer(&mut self) -> Answer {
        let mut bytes = Vec::new();
        // A reset comes behind what was sent before it.
        let _reset = soon(self.0.read_to_end(&mut bytes)).await;
        Answer::of(&bytes)
    }

    /// Reads up to `end`.
    pub(crate) async fn read_until(&mut self, end: &str) -> String {
        let mut bytes = Vec::new();
        while !String::from_utf8_lossy(&bytes).contains(end) {
            let mut some = [0; 4096];
            let count = soon(self.0.read(&mut some)).await.unwrap();
            assert_ne!(
                count,
                0,
                "it ended with {}",
                String::from_utf8_lossy(&bytes)
            );
            bytes.extend_from_slice(&some[..count]);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let status = text
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or(0),
            text,
        }
    }

    pub(crate) fn body(&self) -> &str {
        self.text
            .split_once("\r\n\r\n")
            .map_or("", |(_, body)| body)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.body()).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap().to_owned()
    }
}
