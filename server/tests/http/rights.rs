//! Who may ask what: every route, with every kind of token.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request};
use folkmoot::{PersonName, Right, Rights, Store};
use folkmoot_server::{NewToken, PrincipalKind, TokenFile, Tokens, openapi};
use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::feed::Reader;
use crate::house::House;
use crate::socket::{Client, address};

/// A room with a grant, and a call that waits.
const DESK: &str = r#"
world: desk
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted, tools: [note, wipe] }]
tools:
  note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] }
  wipe: { use: scripted, effect: destructive, description: Wipes., schema: { type: object }, results: [{ text: ok }] }
states: { view: { schema: { type: object } } }
replies:
  clerk:
    - { calls: [{ tool: note, args: {} }] }
    - { text: 'It is noted. {"name":"note","arguments":{}}' }
    - { calls: [{ tool: wipe, args: {} }] }
"#;

/// The need of a route.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Need {
    /// No token.
    Nothing,
    /// Any token that holds.
    Token,
    /// A session: a token is not ended so.
    Session,
    /// A token that may open worlds.
    Create,
    /// The right in the world, of the token and of the world.
    In(Right),
    /// The right to read, which a socket asks for behind its hello; without an upgrade it is none.
    Socket,
}

const READ: Need = Need::In(Right::Read);
const POST: Need = Need::In(Right::Post);
const DECIDE: Need = Need::In(Right::Decide);
const OPERATE: Need = Need::In(Right::Operate);

/// Each route with its need. `{m}` stands for a message, `{r}` for a request, `{g}` for a grant.
const ROUTES: &[(&str, &str, Need)] = &[
    ("GET", "/templates", Need::Token),
    ("GET", "/me", Need::Token),
    ("POST", "/session", Need::Nothing),
    ("DELETE", "/session", Need::Session),
    ("GET", "/worlds", Need::Token),
    ("POST", "/worlds", Need::Create),
    ("GET", "/requests", Need::Token),
    ("GET", "/diff", OPERATE),
    ("GET", "/worlds/{world}", READ),
    ("DELETE", "/worlds/{world}", OPERATE),
    ("POST", "/worlds/{world}/forks", OPERATE),
    ("POST", "/worlds/{world}/erasures", OPERATE),
    ("PUT", "/worlds/{world}/rights/{who}", OPERATE),
    ("PUT", "/worlds/{world}/labels", OPERATE),
    ("POST", "/worlds/{world}/blobs", POST),
    ("GET", "/worlds/{world}/blobs/{blob}", READ),
    ("GET", "/worlds/{world}/messages", READ),
    ("POST", "/worlds/{world}/messages", POST),
    ("PATCH", "/worlds/{world}/messages/{message}", POST),
    ("DELETE", "/worlds/{world}/messages/{message}", POST),
    (
        "POST",
        "/worlds/{world}/messages/{message}/regenerate",
        POST,
    ),
    ("GET", "/worlds/{world}/messages/{message}/routing", READ),
    ("GET", "/worlds/{world}/feed", READ),
    ("POST", "/worlds/{world}/ai-sdk", POST),
    ("GET", "/worlds/{world}/ai-sdk/stream", READ),
    // Whoever may only read is shown what goes on: the room refuses the rest.
    ("POST", "/worlds/{world}/ag-ui", READ),
    ("GET", "/worlds/{world}/socket", Need::Socket),
    ("POST", "/worlds/{world}/stop", OPERATE),
    ("POST", "/worlds/{world}/state/{name}", POST),
    ("GET", "/worlds/{world}/requests", READ),
    (
        "POST",
        "/worlds/{world}/requests/{request}/decision",
        DECIDE,
    ),
    ("POST", "/worlds/{world}/requests/{request}/preview", DECIDE),
    ("POST", "/worlds/{world}/requests/{request}/answer", DECIDE),
    (
        "POST",
        "/worlds/{world}/requests/{request}/settlement",
        DECIDE,
    ),
    ("GET", "/worlds/{world}/grants", READ),
    ("DELETE", "/worlds/{world}/grants/{grant}", DECIDE),
    ("GET", "/worlds/{world}/events", OPERATE),
    ("GET", "/worlds/{world}/events/{position}", OPERATE),
    ("GET", "/worlds/{world}/state", OPERATE),
    ("GET", "/worlds/{world}/diff", OPERATE),
    ("GET", "/worlds/{world}/why/{position}", READ),
    ("GET", "/worlds/{world}/prompt/{call}", OPERATE),
    ("GET", "/worlds/{world}/usage", READ),
    ("GET", "/worlds/{world}/integrity", OPERATE),
    ("POST", "/worlds/{world}/integrity", OPERATE),
    ("GET", "/worlds/{world}/anchor", OPERATE),
    ("GET", "/worlds/{world}/export", OPERATE),
    ("POST", "/worlds/{world}/withheld/{position}", OPERATE),
];

/// A kind of caller, and the rights that its token gives in the desk. `None`: the token holds, and
/// reaches other rooms only.
const CALLERS: &[(&str, Caller)] = &[
    ("no token", Caller::Unknown),
    ("wrong", Caller::Unknown),
    ("expired", Caller::Unknown),
    ("revoked", Caller::Unknown),
    ("read", Caller::May(&[Right::Read])),
    ("post", Caller::May(&[Right::Read, Right::Post])),
    ("decide", Caller::May(&[Right::Read, Right::Decide])),
    ("operate", Caller::May(&[Right::Read, Right::Operate])),
    (
        "owner",
        Caller::May(&[Right::Read, Right::Post, Right::Decide, Right::Operate]),
    ),
    ("another's", Caller::Elsewhere),
    ("service", Caller::May(&[Right::Read, Right::Post])),
    (
        "deciding service",
        Caller::May(&[Right::Read, Right::Post, Right::Decide]),
    ),
];

#[derive(Debug, Clone, Copy)]
enum Caller {
    Unknown,
    Elsewhere,
    May(&'static [Right]),
}

impl Caller {
    /// The status of a request that may not be done; `None` if it may.
    fn refused(self, need: Need, may_create: bool) -> Option<u16> {
        match (self, need) {
            (_, Need::Nothing) => None,
            (Self::Unknown, _) => Some(401),
            (_, Need::Socket) => Some(400),
            (_, Need::Session) => Some(403),
            (_, Need::Token) => None,
            (_, Need::Create) => (!may_create).then_some(403),
            (Self::Elsewhere, Need::In(_)) => Some(404),
            (Self::May(rights), Need::In(right)) => (!rights.contains(&right)).then_some(403),
        }
    }
}

/// A house whose callers have tokens, and a desk in it.
struct Desk {
    house: House,
    file: TokenFile,
    tokens: std::collections::BTreeMap<&'static str, String>,
    world: String,
    message: Value,
    reply: Value,
    request: Value,
    grant: Value,
    blob: String,
    call: Value,
    withheld: Value,
}

fn token(file: &TokenFile, name: &'static str) -> String {
    let now = Timestamp::now();
    let is_service = name.ends_with("service");
    let caller = CALLERS.iter().find(|(known, _)| *known == name);
    let may = match caller.unwrap().1 {
        Caller::May(rights) => Some(Rights(rights.iter().copied().collect())),
        Caller::Unknown | Caller::Elsewhere => None,
    };
    let worlds = if name == "another's" { "other-*" } else { "*" };
    let new = NewToken {
        name: PersonName::new(name.replace('\'', "")).unwrap(),
        kind: if is_service {
            PrincipalKind::Service
        } else {
            PrincipalKind::Person
        },
        may,
        worlds: vec![worlds.parse().unwrap()],
        create: matches!(name, "operate" | "owner" | "another's"),
        lasts: (name == "expired").then_some(std::time::Duration::from_secs(1)),
        minted_by: "test".to_owned(),
    };
    let made = if name == "expired" {
        now - 1.hour()
    } else {
        now
    };
    let (secret, record) = file.mint(new, made).unwrap();
    if name == "revoked" {
        file.revoke(&record.id, "test", now).unwrap();
    }
    secret.expose().to_owned()
}

impl Desk {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let templates = folder.path().join("templates");
        std::fs::create_dir(&templates).unwrap();
        std::fs::write(templates.join("desk.yaml"), DESK).unwrap();
        let file = TokenFile::at(folder.path().join("tokens"));
        let names = CALLERS.iter().map(|(name, _)| *name);
        let known = names.filter(|name| !matches!(*name, "no token" | "wrong"));
        let mut tokens: std::collections::BTreeMap<_, _> =
            known.map(|name| (name, token(&file, name))).collect();
        tokens.insert("no token", String::new());
        tokens.insert("wrong", tokens["owner"].replace("fmt_", "fmt_x"));
        let known = Tokens::open(file.path()).unwrap();
        let house = House::with(folder, Store::memory(), Arc::new(known));
        let owner = tokens["owner"].clone();
        let world = house.desk(&owner).await;
        let path = format!("/worlds/{world}");
        for who in [
            "token:read",
            "token:post",
            "token:decide",
            "token:operate",
            "token:anothers",
        ] {
            let all = json!({ "rights": ["read", "post", "decide", "operate"] });
            let path = format!("{path}/rights/{who}");
            house.with_json(&owner, Method::PUT, &path, all).await.ok();
        }
        for (who, some) in [
            ("service", json!(["read", "post"])),
            ("deciding%20service", json!(["read", "post", "decide"])),
        ] {
            let some = json!({ "rights": some });
            let path = format!("{path}/rights/service%25:token:{who}");
            house.with_json(&owner, Method::PUT, &path, some).await.ok();
        }
        let file_path = format!("{path}/blobs?name=a");
        let upload = House::request(&owner, Method::POST, &file_path)
            .header("content-type", "text/plain")
            .body(Body::from("a file"))
            .unwrap();
        let attached = house.send(upload).await.ok();
        let messages = format!("{path}/messages");
        let first = json!({ "text": "note", "attachments": [attached] });
        let message = house.post(&owner, &messages, first).await.ok()["message"].clone();
        let asked = house.request_in(&owner, &world).await;
        let allow =
            json!({ "verdict": "allow", "shown": asked["asks"]["shown"], "scope": "world" });
        let decision = format!("{path}/requests/{}/decision", asked["request"]);
        house.post(&owner, &decision, allow).await.ok();
        house.quiet(&world).await;
        let said = house.get(&owner, &messages).await.ok();
        let reply = said["entries"][0]["message"]["message"].clone();
        house
            .post(&owner, &messages, json!({ "text": "wipe" }))
            .await
            .ok();
        let request = house.request_in(&owner, &world).await["request"].clone();
        let grants = house.get(&owner, &format!("{path}/grants")).await.ok();
        let first = async |kind: &str| {
            let path = format!("{path}/events?kind={kind}");
            house.get(&owner, &path).await.ok()["events"][0]["position"].clone()
        };
        let (call, withheld) = (first("ModelCalled").await, first("ArtifactWithheld").await);
        Self {
            grant: grants["grants"][0]["grant"].clone(),
            call,
            withheld,
            blob: attached["blob"].as_str().unwrap().to_owned(),
            house,
            file,
            tokens,
            world,
            message,
            reply,
            request,
        }
    }

    fn path(&self, method: &str, route: &str) -> String {
        let message = if route.ends_with("regenerate") {
            &self.reply
        } else {
            &self.message
        };
        let position = match route {
            "/worlds/{world}/withheld/{position}" => &self.withheld,
            _ => &self.message,
        };
        let path = route
            .replace("{world}", &self.world)
            .replace("{message}", &message.to_string())
            .replace("{request}", &self.request.to_string())
            .replace("{grant}", &self.grant.to_string())
            .replace("{blob}", &self.blob)
            .replace("{who}", "token:carol")
            .replace("{name}", "view")
            .replace("{call}", &self.call.to_string())
            .replace("{position}", &position.to_string());
        match (method, route) {
            ("POST", "/worlds/{world}/blobs") => format!("{path}?name=b"),
            (_, "/worlds/{world}/diff") => format!("{path}?from=1&to=2"),
            (_, "/diff") => format!("{path}?a={}&b={}@2", self.world, self.world),
            _ => path,
        }
    }

    fn body(&self, method: &str, route: &str) -> Value {
        let message = &self.message;
        match (method, route) {
            ("POST", "/worlds") => json!({ "template": "desk" }),
            ("POST", "/session") => json!({ "token": "fmt_nobody" }),
            ("POST", "/worlds/{world}/erasures") => {
                json!({ "events": [{ "from": message, "to": message }], "basis": "asked" })
            }
            ("PUT", "/worlds/{world}/rights/{who}") => json!({ "rights": ["read"] }),
            ("PUT", "/worlds/{world}/labels") => json!({ "labels": { "a": "b" } }),
            ("POST" | "PATCH", route) if route.contains("/messages") => json!({ "text": "hi" }),
            ("POST", "/worlds/{world}/ai-sdk") => json!({ "messages": [
                { "id": "m", "role": "user", "parts": [{ "type": "text", "text": "hi" }] },
            ] }),
            ("POST", route) if route.ends_with("decision") => {
                json!({ "verdict": "allow", "shown": "00000000" })
            }
            ("POST", "/worlds/{world}/ag-ui") => {
                json!({ "threadId": self.world, "runId": "run", "messages": [] })
            }
            ("POST", route) if route.ends_with("preview") => json!({ "verdict": "allow" }),
            ("POST", route) if route.ends_with("answer") => json!({ "text": "yes" }),
            ("POST", route) if route.ends_with("settlement") => json!({ "how": "ran" }),
            _ => json!({}),
        }
    }

    fn request(&self, name: &str, method: &str, route: &str) -> Request<Body> {
        let path = self.path(method, route);
        let sent = House::request(&self.tokens[name], method.parse().unwrap(), &path);
        let body = match (method, route) {
            (_, "/worlds/{world}/messages/{message}/regenerate") => Body::empty(),
            ("GET" | "DELETE", _) => Body::empty(),
            _ => Body::from(self.body(method, route).to_string()),
        };
        sent.header("content-type", "application/json")
            .body(body)
            .unwrap()
    }
}

#[tokio::test]
async fn every_route_asks_every_caller_for_what_it_needs() {
    let known: BTreeSet<(String, String)> = routes();
    let listed: BTreeSet<(String, String)> = ROUTES
        .iter()
        .map(|(method, route, _)| ((*method).to_owned(), (*route).to_owned()))
        .collect();
    assert_eq!(listed, known, "each route has a line in the table");
    for (name, caller) in CALLERS {
        let mut desk = Desk::new().await;
        for (method, route, need) in ROUTES {
            let may_create = matches!(*name, "operate" | "owner" | "another's");
            if *need == Need::Socket && *name == "no token" {
                // The token may stand in the hello.
                continue;
            }
            let refused = caller.refused(*need, may_create);
            let request = desk.request(name, method, route);
            let response = desk.house.router.clone().oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            match refused {
                Some(expected) => assert_eq!(status, expected, "{name}: {method} {route}"),
                None => {
                    // Somebody else's message, and a code that is none, are no lack of a right.
                    let is_other = match status {
                        403 => reason(response).await == "not_yours",
                        401 => *route == "/session",
                        status => status != 404,
                    };
                    assert!(is_other, "{name}: {method} {route} gave {status}");
                    if !matches!(*method, "GET") {
                        desk = Desk::new().await;
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_socket_asks_every_caller_for_the_right_to_read() {
    let desk = Desk::new().await;
    let address = address(&desk.house).await;
    for (name, caller) in CALLERS {
        let mut client = Client::open(&address, &desk.world, None).await;
        let hello = json!({ "type": "hello", "token": desk.tokens[name] });
        client.send(hello).await;
        let first = client.next().await;
        match caller {
            Caller::Unknown => assert_eq!(first, Err(4401), "{name}"),
            Caller::Elsewhere => assert_eq!(first, Err(4404), "{name}"),
            Caller::May(_) => assert!(first.is_ok(), "{name} {first:?}"),
        }
    }
}

/// The reason of a problem.
async fn reason(response: axum::response::Response) -> String {
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX)
        .await
        .unwrap();
    let problem: Value = serde_json::from_slice(&bytes).unwrap();
    problem["reason"].as_str().unwrap_or_default().to_owned()
}

/// The routes of the router, as its document has them.
fn routes() -> BTreeSet<(String, String)> {
    let document = openapi();
    let paths = document["paths"].as_object().unwrap();
    let methods = |(path, route): (&String, &Value)| {
        let path = path.strip_prefix("/v1").unwrap().to_owned();
        let methods = route.as_object().unwrap().keys();
        let methods =
            methods.filter(|key| ["get", "put", "post", "patch", "delete"].contains(&key.as_str()));
        methods
            .map(move |method| (method.to_uppercase(), path.clone()))
            .collect::<Vec<_>>()
    };
    paths.iter().flat_map(methods).collect()
}

#[tokio::test]
async fn a_stream_ends_when_its_token_is_revoked() {
    let desk = Desk::new().await;
    let reader = &desk.tokens["read"];
    let mut feed = Reader::open(&desk.house, reader, &desk.world, Some("now")).await;
    let of_reader = |record: &folkmoot_server::TokenRecord| record.name.as_str() == "read";
    let record = desk
        .file
        .list()
        .unwrap()
        .into_iter()
        .find(of_reader)
        .unwrap();
    desk.file
        .revoke(&record.id, "test", Timestamp::now())
        .unwrap();
    let end = tokio::time::timeout(std::time::Duration::from_secs(10), feed.next());
    assert_eq!(end.await.expect("the stream ends soon"), None);
    let refused = desk.house.get(reader, "/me").await;
    assert_eq!(refused.status, 401);
}
