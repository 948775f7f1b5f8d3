//! Callers of a server that listens: streams that end with the right to read, sessions, codes, and
//! the guard before all resources.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]

use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::ids::{NodeId, PersonName, Seed, Stamp, Time};
use folkmoot::store::{MemoryLedger, SharedStore};
use folkmoot::{OpenMode, Runtime, Shipped, Store};
use folkmoot_server::{
    Drain, Drained, Hosts, Listening, LocalUser, NewToken, PrincipalKind, Rooms, ServerLimits,
    Sessions, Several, Templates, TokenFile, Tokens, WorldPattern, router, serve,
};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// A room that answers.
const ROOM: &str = "
world: room
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents: [{ name: bob, prompt: You say aye. }]
policy: { main_agent: bob }
replies: { bob: [{ text: aye }, { text: aye }] }
";

/// No answer may take longer.
const DEADLINE: Duration = Duration::from_secs(20);

/// A folder with all that a server keeps.
struct Desk {
    dir: TempDir,
}

/// A server that listens.
struct Server {
    url: String,
    sessions: Sessions,
    drain: Drain,
    runtime: Runtime,
    serving: JoinHandle<Drained>,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("templates")).unwrap();
        std::fs::write(dir.path().join("templates/room.yaml"), ROOM).unwrap();
        let desk = Self { dir };
        // The file is there, with a token that nobody has.
        desk.token("nobody");
        desk
    }

    fn tokens(&self) -> TokenFile {
        TokenFile::at(self.dir.path().join("tokens"))
    }

    /// Makes a token that gives everything; gives it and its id.
    fn token(&self, name: &str) -> (String, String) {
        let new = NewToken {
            name: PersonName::new(name).unwrap(),
            kind: PrincipalKind::Person,
            may: None,
            worlds: vec![WorldPattern::all()],
            create: true,
            lasts: None,
            minted_by: "local:uid=7 (op)".to_owned(),
        };
        let (secret, record) = self
            .tokens()
            .mint(new, jiff::Timestamp::UNIX_EPOCH)
            .unwrap();
        (secret.expose().to_owned(), record.id)
    }

    async fn serve(&self) -> Server {
        let path = self.dir.path();
        let store = Store::open(path.join("store"), OpenMode::Create).unwrap();
        let tokens = Tokens::open(path.join("tokens")).unwrap();
        let file = path.join("sessions");
        let sessions = Sessions::open(file, user(), Some(tokens.clone())).unwrap();
        self.listen(store, tokens, sessions).await
    }

    /// Serves as one of the nodes over `ledger`.
    async fn serve_over(&self, ledger: &Arc<MemoryLedger>, number: u8) -> Server {
        let node = NodeId::from_stamp(&Stamp {
            time: Time::SIMULATED_START,
            seed: Seed::new([number; 16]),
        });
        let store: Store = SharedStore::new(Arc::clone(ledger) as _, node).into();
        let records = || store.shared_records().unwrap();
        let tokens = Tokens::shared(records()).await.unwrap();
        let sessions = Sessions::shared(records(), user(), Some(tokens.clone())).await;
        self.listen(store.clone(), tokens, sessions.unwrap()).await
    }

    async fn listen(&self, store: Store, tokens: Tokens, sessions: Sessions) -> Server {
        let runtime = Runtime::builder(&store)
            .assembler(Shipped::default())
            .build();
        let listening = Listening::at("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let url = format!("http://{}", listening.address());
        let drain = Drain::new();
        let rooms = Rooms {
            runtime: runtime.clone(),
            store,
            templates: Templates::of(self.dir.path().join("templates")),
            authenticate: Arc::new(Several {
                sessions: Some(sessions.clone()),
                tokens: Some(tokens),
                issuers: Vec::new(),
            }),
            sessions: Some(sessions.clone()),
            hosts: Hosts::listening_at(listening.address()),
            limits: ServerLimits::default(),
            drain: drain.clone(),
        };
        Server {
            url,
            sessions,
            drain: drain.clone(),
            runtime,
            serving: tokio::spawn(async move {
                serve(listening, router(rooms), drain, &ServerLimits::default()).await
            }),
        }
    }
}

fn user() -> LocalUser {
    LocalUser {
        uid: 7,
        display: PersonName::new("op").unwrap(),
    }
}

impl Server {
    fn ask(&self, method: Method, path: &str, token: &str) -> RequestBuilder {
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = Client::builder().no_proxy().timeout(DEADLINE).build();
        let request = client
            .unwrap()
            .request(method, format!("{}{path}", self.url));
        if token.is_empty() {
            request
        } else {
            request.bearer_auth(token)
        }
    }

    async fn get(&self, path: &str, token: &str) -> Response {
        self.ask(Method::GET, path, token).send().await.unwrap()
    }

    async fn post(&self, path: &str, token: &str, body: Value) -> Response {
        let request = self.ask(Method::POST, path, token).json(&body);
        request.send().await.unwrap()
    }

    /// Opens a room, and its feed up to the first event.
    async fn feed(&self, token: &str) -> Response {
        let room = json!({ "template": "room", "name": "lobby" });
        let opened = self.post("/v1/worlds", token, room).await;
        assert_eq!(opened.status(), StatusCode::CREATED);
        let posted = json!({ "text": "hello" });
        let posted = self.post("/v1/worlds/lobby/messages", token, posted).await;
        assert_eq!(posted.status(), StatusCode::CREATED);
        let mut feed = self.get("/v1/worlds/lobby/feed", token).await;
        assert_eq!(feed.status(), StatusCode::OK);
        assert!(feed.chunk().await.unwrap().is_some());
        feed
    }

    async fn end(self) {
        self.drain.begin();
        let _drained = self.serving.await.unwrap();
        self.runtime.shutdown().await;
    }
}

/// Reads a stream to its end, and says whether it said good-bye.
async fn rest(mut stream: Response) -> bool {
    let mut text = String::new();
    while let Some(chunk) = stream.chunk().await.unwrap() {
        text.push_str(&String::from_utf8_lossy(&chunk));
    }
    text.contains("event: bye")
}

async fn problem(answer: Response) -> (u16, String) {
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["status"], status);
    (status, body["code"].as_str().unwrap().to_owned())
}

/// The token of a session that a code begins.
async fn signed_in(server: &Server, display: Value) -> Value {
    let code = server.sessions.code().await.unwrap();
    let body = json!({ "code": code.expose(), "display": display });
    let answer = server.post("/v1/session", "", body).await;
    assert_eq!(answer.status(), StatusCode::CREATED);
    answer.json().await.unwrap()
}

mod real_time {
    use super::*;

    #[tokio::test]
    async fn a_revoked_token_ends_in_an_open_stream() {
        let desk = Desk::new();
        let (ada, id) = desk.token("ada");
        let (eve, _) = desk.token("eve");
        let server = desk.serve().await;
        let feed = server.feed(&ada).await;
        desk.tokens()
            .revoke(&id, "op", jiff::Timestamp::UNIX_EPOCH)
            .unwrap();
        let ended = tokio::time::timeout(DEADLINE, rest(feed)).await.unwrap();
        assert!(!ended, "it ends without a word");
        let refused = server.get("/v1/me", &ada).await;
        assert_eq!(refused.headers()["www-authenticate"], "Bearer");
        assert_eq!(problem(refused).await, (401, "unauthorized".to_owned()));
        assert_eq!(server.get("/v1/me", &eve).await.status(), StatusCode::OK);
        server.end().await;
    }

    #[tokio::test]
    async fn a_token_that_is_made_while_the_server_runs_is_known_to_it() {
        let desk = Desk::new();
        let server = desk.serve().await;
        let (ada, _) = desk.token("ada");
        let known = async {
            while server.get("/v1/me", &ada).await.status() != StatusCode::OK {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(DEADLINE, known).await.unwrap();
        server.end().await;
    }

    #[tokio::test]
    async fn a_session_of_one_node_is_one_of_all_and_ends_in_their_open_streams_too() {
        let desk = Desk::new();
        let ledger = Arc::default();
        let one = desk.serve_over(&ledger, 1).await;
        let other = desk.serve_over(&ledger, 2).await;
        let code = one.sessions.code().await.unwrap();
        let body = json!({ "code": code.expose() });
        let begun = other.post("/v1/session", "", body.clone()).await;
        assert_eq!(begun.status(), StatusCode::CREATED);
        let session: Value = begun.json().await.unwrap();
        let token = session["token"].as_str().unwrap();
        assert_eq!(
            problem(one.post("/v1/session", "", body).await).await.0,
            401
        );
        let feed = one.feed(token).await;
        let ended = other.ask(Method::DELETE, "/v1/session", token).send();
        assert_eq!(ended.await.unwrap().status(), StatusCode::NO_CONTENT);
        let said = tokio::time::timeout(DEADLINE, rest(feed)).await.unwrap();
        assert!(!said, "it ends without a word");
        assert_eq!(problem(one.get("/v1/me", token).await).await.0, 401);
        one.end().await;
        other.end().await;
    }

    #[tokio::test]
    async fn a_session_outlives_the_server_and_ends_at_logout_in_open_streams_too() {
        let desk = Desk::new();
        let server = desk.serve().await;
        let session = signed_in(&server, json!("Ada")).await;
        assert_eq!(
            session["who"],
            json!({ "name": "Ada", "key": "local:uid=7", "is_service": false })
        );
        let token = session["token"].as_str().unwrap();
        let feed = server.feed(token).await;
        server.end().await;
        assert!(
            tokio::time::timeout(DEADLINE, rest(feed)).await.unwrap(),
            "bye"
        );

        let server = desk.serve().await;
        let me: Value = server.get("/v1/me", token).await.json().await.unwrap();
        assert_eq!(
            (&me["who"], &me["expires"]),
            (&session["who"], &session["expires"])
        );
        assert_eq!(me["operates_server"], true);
        let feed = server.get("/v1/worlds/lobby/feed", token).await;
        let ended = server
            .ask(Method::DELETE, "/v1/session", token)
            .send()
            .await
            .unwrap();
        assert_eq!(ended.status(), StatusCode::NO_CONTENT);
        assert!(!tokio::time::timeout(DEADLINE, rest(feed)).await.unwrap());
        let again = server
            .ask(Method::DELETE, "/v1/session", token)
            .send()
            .await
            .unwrap();
        assert_eq!(problem(again).await.0, 401);
        server.end().await;
    }
}

#[tokio::test]
async fn a_code_signs_in_once_and_wrong_ones_are_limited() {
    let desk = Desk::new();
    let server = desk.serve().await;
    let code = server.sessions.code().await.unwrap();
    let asked = async |body: Value| server.post("/v1/session", "", body).await;
    let bad_name = json!({ "code": code.expose(), "display": "a@b" });
    assert_eq!(
        problem(asked(bad_name).await).await,
        (422, "invalid".to_owned())
    );
    let both = json!({ "code": code.expose(), "token": "fmt_1" });
    assert_eq!(problem(asked(both).await).await.0, 422);
    let body = json!({ "code": code.expose() });
    assert_eq!(asked(body.clone()).await.status(), StatusCode::CREATED);
    assert_eq!(
        problem(asked(body).await).await,
        (401, "unauthorized".to_owned())
    );
    let mut last = None;
    for _ in 0..10 {
        last = Some(asked(json!({ "code": "fmc_wrong" })).await);
    }
    let last = last.unwrap();
    assert!(last.headers().contains_key("retry-after"));
    assert_eq!(problem(last).await, (429, "limit_reached".to_owned()));
    signed_in(&server, Value::Null).await;
    server.end().await;
}

#[tokio::test]
async fn a_token_is_exchanged_for_a_session_of_its_holder() {
    let desk = Desk::new();
    let (ada, _) = desk.token("ada");
    let server = desk.serve().await;
    let answer = server
        .post("/v1/session", "", json!({ "token": ada }))
        .await;
    assert_eq!(answer.status(), StatusCode::CREATED);
    let session: Value = answer.json().await.unwrap();
    let token = session["token"].as_str().unwrap();
    assert!(token != ada && session["expires"].is_string());
    let me: Value = server.get("/v1/me", token).await.json().await.unwrap();
    assert_eq!(
        me["who"],
        json!({ "name": "ada", "key": "token:ada", "is_service": false })
    );
    assert_eq!(me["may"], json!(["read", "post", "decide", "operate"]));
    let whole = server
        .ask(Method::DELETE, "/v1/session", &ada)
        .send()
        .await
        .unwrap();
    assert_eq!(problem(whole).await, (403, "forbidden".to_owned()));
    for wrong in ["fmt_1", "x\ny", ""] {
        let refused = server
            .post("/v1/session", "", json!({ "token": wrong }))
            .await;
        assert!(refused.status().is_client_error(), "{wrong:?}");
    }
    server.end().await;
}

#[tokio::test]
async fn the_guard_stands_before_every_resource() {
    let desk = Desk::new();
    let (ada, _) = desk.token("ada");
    let server = desk.serve().await;
    for path in ["/v1/me", "/v1/worlds", "/v1/nothing", "/"] {
        let ask = |method| server.ask(method, path, &ada);
        let sent = async |request: RequestBuilder| problem(request.send().await.unwrap()).await.0;
        let other_host = ask(Method::GET).header("host", "evil.example");
        assert_eq!(sent(other_host).await, 421, "{path}");
        let foreign = ask(Method::POST).header("origin", "http://127.0.0.1:1");
        assert_eq!(sent(foreign).await, 403, "{path}");
        let in_url = server.ask(Method::GET, &format!("{path}?token=fmt_1"), &ada);
        assert_eq!(sent(in_url).await, 400, "{path}");
    }
    let two = server.ask(Method::GET, "/v1/me", &ada).bearer_auth(&ada);
    assert_eq!(problem(two.send().await.unwrap()).await.0, 401);
    let basic = server
        .ask(Method::GET, "/v1/me", "")
        .basic_auth("ada", Some(&ada));
    assert_eq!(problem(basic.send().await.unwrap()).await.0, 401);
    let none = server.get("/v1/me", "").await;
    assert_eq!(problem(none).await, (401, "unauthorized".to_owned()));
    server.end().await;
}
