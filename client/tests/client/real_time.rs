//! The client against servers that refuse, break off and come back: real sockets on loopback.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, StatusCode};
use folkmoot_client::{
    Answer, Client, ClientError, Decision, FeedEvent, Key, NewMessage, NewRoom, Reach, Scope,
    Settlement, Start, Verdict,
};
use futures::StreamExt as _;

/// Nothing here takes this long; what does hangs.
const DEADLINE: Duration = Duration::from_secs(20);

/// A request as the server saw it: method, path, and the headers that matter, or `-`.
type Seen = Arc<Mutex<Vec<String>>>;

/// An answer of the server.
enum Reply {
    /// A status and a body.
    Says(u16, &'static str),
    /// The same, and the connection breaks off behind it.
    BreaksOff(&'static str),
}

/// A server that gives these answers in order, below `/rooms`.
async fn server(answers: Vec<Reply>) -> (String, Seen) {
    let seen = Seen::default();
    let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
    let told = Arc::clone(&seen);
    let answer = move |request: Request| {
        let header = |name: &str| {
            let value = request.headers().get(name);
            value
                .map_or("-", |value| value.to_str().unwrap())
                .to_owned()
        };
        let (token, key, last) = (
            header("authorization"),
            header("idempotency-key"),
            header("last-event-id"),
        );
        let line = format!(
            "{} {} {token} {key} {last}",
            request.method(),
            request.uri()
        );
        told.lock().unwrap().push(line);
        let answer = answers
            .lock()
            .unwrap()
            .pop_front()
            .expect("an answer is left");
        async move { answer.response() }
    };
    let app = Router::new().fallback(answer);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/rooms/", listener.local_addr().unwrap());
    tokio::spawn(async { axum::serve(listener, app).await });
    (url, seen)
}

impl Reply {
    fn response(self) -> Response<Body> {
        let (status, body) = match self {
            Self::Says(status, body) => (status, Body::from(body)),
            Self::BreaksOff(body) => {
                let sent = futures::stream::once(async { Ok(body.as_bytes()) });
                let broken = futures::stream::once(async {
                    // The connection sends what it has when it is told to wait.
                    tokio::task::yield_now().await;
                    Err(std::io::Error::other("the server dies"))
                });
                (200, Body::from_stream(sent.chain(broken)))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        response
    }
}

fn client(url: &str) -> Client {
    Client::new(url, "secret").unwrap().patient_for(DEADLINE)
}

fn seen(seen: &Seen) -> Vec<String> {
    seen.lock().unwrap().clone()
}

#[tokio::test]
async fn a_command_is_repeated_under_its_key_until_it_is_answered() {
    let in_use = r#"{"status":409,"code":"key_in_use","detail":"wait"}"#;
    let (url, told) = server(vec![
        Reply::Says(503, "not yet"),
        Reply::BreaksOff(r#"{"message":"#),
        Reply::Says(409, in_use),
        Reply::Says(201, r#"{"message":7,"position":7}"#),
    ])
    .await;
    let message = NewMessage::text("Hello.").under(Key::of("k-1"));
    let posted = client(&url).post("desk", &message).await.unwrap();
    assert_eq!((posted.message, posted.position), (7, 7));
    let once = "POST /rooms/v1/worlds/desk/messages Bearer secret k-1 -";
    assert_eq!(seen(&told), [once; 4]);
}

#[tokio::test]
async fn a_refusal_is_a_problem_and_is_not_repeated() {
    let problem = r#"{"type":"urn:x","title":"t","status":422,"code":"invalid","detail":"no such template","field":"template"}"#;
    let (url, told) = server(vec![Reply::Says(422, problem)]).await;
    let error = client(&url)
        .open_room(&NewRoom::from_template("none"))
        .await
        .unwrap_err();
    let problem = error.problem().unwrap();
    assert_eq!(
        (problem.status, problem.field.as_deref()),
        (422, Some("template"))
    );
    assert_eq!(error.code(), "invalid");
    assert_eq!(error.to_string(), "no such template (invalid, template)");
    assert_eq!(seen(&told).len(), 1);
}

#[tokio::test]
async fn an_answer_of_another_program_is_quoted() {
    let (url, _) = server(vec![Reply::Says(404, "<html>nothing</html>")]).await;
    let error = client(&url).waiting("desk").await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("404") && text.contains("<html>nothing</html>"),
        "{text}"
    );
}

#[tokio::test]
async fn a_client_gives_up_when_its_patience_is_over() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = Client::new(&url, "")
        .unwrap()
        .patient_for(Duration::from_millis(50));
    let error = client.stop("desk").await.unwrap_err();
    assert!(
        matches!(error, ClientError::GaveUp { last: Some(_), .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_feed_comes_back_behind_its_last_item_and_tells_each_byte_once() {
    let first = "event: message\nid: 4\ndata: {\"type\":\"message\",\"message\":4,\"text\":\"Hi.\",\"author\":{\"person\":\"ada\"}}\n\n\
        event: draft\ndata: {\"type\":\"draft\",\"agent\":\"clerk\",\"message\":9,\"offset\":0,\"text\":\"One \"}\n\n\
        event: message\nid: 5\ndata: {\"type\":\"mess";
    let second = ":\n\nevent: draft\ndata: {\"type\":\"draft\",\"agent\":\"clerk\",\"message\":9,\"offset\":0,\"text\":\"One two\"}\n\n\
        event: newer\ndata: of another version\n\n\
        event: draft_end\ndata: {\"type\":\"draft_end\",\"message\":9,\"ending\":\"whole\"}\n\n\
        event: request\nid: 6.1\ndata: {\"type\":\"request\",\"request\":{\"name\":\"desk#6\",\"request\":6,\"agent\":\"clerk\",\"asks\":{\"kind\":\"approval\",\"shown\":\"ab12cd34\"}}}\n\n";
    let gone = r#"{"status":404,"code":"not_found","detail":"nothing is here"}"#;
    let (url, told) = server(vec![
        Reply::BreaksOff(first),
        Reply::Says(503, ""),
        Reply::Says(200, second),
        Reply::Says(404, gone),
        Reply::Says(200, "{}"),
    ])
    .await;
    let client = client(&url);
    let mut feed = client.feed("desk", Start::Now);
    let mut told_texts = Vec::new();
    let mut request = None;
    let error = loop {
        match feed.next().await {
            Ok(FeedEvent::Item(item)) => {
                told_texts.extend(
                    item.text()
                        .map(|text| format!("{}: {text}", item.author().unwrap())),
                );
                request = item.request().or(request);
            }
            Ok(FeedEvent::Draft(draft)) => told_texts.push(draft.text),
            Ok(FeedEvent::DraftEnd(end)) => told_texts.push(end.ending),
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "not_found");
    assert_eq!(told_texts, ["ada: Hi.", "One ", "two", "whole"]);
    let decision = Decision::allow(&request.unwrap()).under(Key::of("k-2"));
    client.decide("desk", &decision).await.unwrap();
    let expected = [
        "GET /rooms/v1/worlds/desk/feed?after=now Bearer secret - -",
        "GET /rooms/v1/worlds/desk/feed Bearer secret - 4",
        "GET /rooms/v1/worlds/desk/feed Bearer secret - 4",
        "GET /rooms/v1/worlds/desk/feed Bearer secret - 6.1",
        "POST /rooms/v1/worlds/desk/requests/6/decision Bearer secret k-2 -",
    ];
    assert_eq!(seen(&told), expected);
}

#[tokio::test]
async fn a_wrong_address_token_or_key_is_said_before_anything_is_sent() {
    let with_secret = "http://ada:secret@rooms.example.org";
    for url in [
        "rooms.example.org",
        "ftp://rooms.example.org",
        "http://",
        with_secret,
    ] {
        let error = Client::new(url, "").unwrap_err();
        assert!(matches!(error, ClientError::BadUrl { .. }), "{url}");
    }
    let error = Client::new("http://127.0.0.1:1", "two\nlines").unwrap_err();
    assert!(matches!(error, ClientError::BadToken));
    let client = Client::new("http://127.0.0.1:1", "").unwrap();
    let message = NewMessage::text("Hello.").under(Key::of("two\nlines"));
    let error = client.post("desk", &message).await.unwrap_err();
    assert!(matches!(error, ClientError::BadKey));
}

#[tokio::test]
async fn a_name_leads_nowhere_else() {
    let (url, told) = server(vec![Reply::Says(404, ""), Reply::Says(404, "")]).await;
    for name in ["../../admin", "a/b?c#d"] {
        client(&url).waiting(name).await.unwrap_err();
    }
    let expected = [
        "GET /rooms/v1/worlds/..%2F..%2Fadmin/requests Bearer secret - -",
        "GET /rooms/v1/worlds/a%2Fb%3Fc%23d/requests Bearer secret - -",
    ];
    assert_eq!(seen(&told), expected);
}

#[tokio::test]
async fn lists_are_read_page_by_page() {
    let room = |name: &str| {
        format!(
            r#"{{"name":"{name}","labels":{{"k":"v"}},"head":9,"time":"2030-01-01T00:00:00Z","activity":"parked","waiting":1}}"#
        )
    };
    let rooms = [room("a"), room("b")].map(|room| format!(r#"{{"worlds":[{room}]"#));
    let first = format!(r#"{},"next":"a b"}}"#, rooms[0]).leak();
    let last = format!("{}}}", rooms[1]).leak();
    let request = r#"{"requests":[{"name":"a#6","request":6,"agent":"clerk","asks":{"kind":"approval"},"words":"w"}],"next":"a"}"#;
    let (url, told) = server(vec![
        Reply::Says(200, first),
        Reply::Says(200, last),
        Reply::Says(200, request),
        Reply::Says(200, r#"{"requests":[]}"#),
    ])
    .await;
    let client = client(&url);
    let labels = [("k".to_owned(), "v w".to_owned())].into();
    let rooms = client.rooms(&labels).await.unwrap();
    let names: Vec<&str> = rooms.iter().map(|room| room.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let inbox = client.inbox().await.unwrap();
    assert_eq!((inbox.len(), &inbox[0].more["words"]), (1, &"w".into()));
    let expected = [
        "GET /rooms/v1/worlds?label=k%3Av+w Bearer secret - -",
        "GET /rooms/v1/worlds?label=k%3Av+w&cursor=a+b Bearer secret - -",
        "GET /rooms/v1/requests Bearer secret - -",
        "GET /rooms/v1/requests?cursor=a Bearer secret - -",
    ];
    assert_eq!(seen(&told), expected);
}

fn body(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

#[tokio::test]
async fn decisions_answers_and_settlements_carry_what_was_chosen() {
    let decision = Decision::about(6, Verdict::Allow, "ab12cd34")
        .within(Scope::Uses(3))
        .reaching(Reach::Where(vec![
            serde_json::json!({"path": "/p", "prefix": "x"}),
        ]))
        .with_arguments("{}");
    assert_eq!(
        body(&decision),
        r#"{"verdict":"allow","shown":"ab12cd34","scope":{"uses":3},"where":[{"path":"/p","prefix":"x"}],"arguments":"{}"}"#
    );
    assert_eq!(
        body(
            &Decision::about(6, Verdict::Allow, "ab12cd34")
                .within(Scope::World)
                .reaching(Reach::Any)
        ),
        r#"{"verdict":"allow","shown":"ab12cd34","scope":"world","where":"any"}"#
    );
    let (url, told) = server(vec![Reply::Says(200, "{}"), Reply::Says(200, "{}")]).await;
    let answer = Answer::options(7, vec![0, 2]).under(Key::of("k-3"));
    assert_eq!(body(&answer), r#"{"options":[0,2]}"#);
    client(&url).answer("desk", &answer).await.unwrap();
    let settled = Settlement::ran(8, Some("done".to_owned())).under(Key::of("k-4"));
    assert_eq!(body(&settled), r#"{"how":"ran","result":"done"}"#);
    client(&url).settle("desk", &settled).await.unwrap();
    let expected = [
        "POST /rooms/v1/worlds/desk/requests/7/answer Bearer secret k-3 -",
        "POST /rooms/v1/worlds/desk/requests/8/settlement Bearer secret k-4 -",
    ];
    assert_eq!(seen(&told), expected);
}
