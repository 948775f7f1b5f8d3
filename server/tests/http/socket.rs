//! The feed and the commands over one socket.

use folkmoot_server::router;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::house::House;

pub(crate) struct Client(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// Serves the house at a port of its own.
pub(crate) async fn address(house: &House) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = house.router.clone();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address.to_string()
}

impl Client {
    pub(crate) async fn open(address: &str, world: &str, token: Option<&str>) -> Self {
        let url = format!("ws://{address}/v1/worlds/{world}/socket");
        let mut request = url.into_client_request().unwrap();
        if let Some(token) = token {
            let bearer = format!("Bearer {token}").parse().unwrap();
            request.headers_mut().insert("authorization", bearer);
        }
        Self(connect_async(request).await.unwrap().0)
    }

    pub(crate) async fn send(&mut self, frame: Value) {
        let text = frame.to_string();
        self.0.send(Message::Text(text.into())).await.unwrap();
    }

    /// The next frame of text; the close code once the socket is closed.
    pub(crate) async fn next(&mut self) -> Result<Value, u16> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(frame))) => return Err(frame.unwrap().code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(0),
            }
        }
    }

    async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.next().await.unwrap();
            if is_it(&frame) {
                return frame;
            }
        }
    }
}

#[tokio::test]
async fn commands_are_answered_once_and_frames_name_their_run() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let address = address(&house).await;
    let mut ada = Client::open(&address, &desk, None).await;
    ada.send(json!({ "type": "hello", "token": "ada" })).await;
    let post = json!({ "type": "post", "id": "k1", "text": "note it" });
    ada.send(post.clone()).await;
    let answer = ada.until(|frame| frame["type"] == "answer").await;
    assert_eq!(answer["id"], "k1");
    let message = answer["ok"]["message"].clone();
    ada.send(post).await;
    // The room goes on meanwhile: its request comes before the answer, or behind it.
    let (mut again, mut request) = (Value::Null, Value::Null);
    while again.is_null() || request.is_null() {
        let frame = ada.next().await.unwrap();
        match frame["type"].as_str() {
            Some("answer") => again = frame,
            Some("request") => request = frame,
            _ => {}
        }
    }
    assert_eq!(again, answer);
    assert_eq!(request["run"], message);
    let asks = &request["request"]["asks"];
    let decide = json!({
        "type": "decide", "id": "k2", "request": request["request"]["request"],
        "verdict": "allow", "shown": asks["shown"],
    });
    ada.send(decide).await;
    let end = ada
        .until(|frame| frame["activity"] == "episode_ended")
        .await;
    assert_eq!(end["run"], message);
    for (frame, field) in [
        (json!({ "type": "dance", "id": "k3" }), Some("type")),
        (json!({ "type": "post", "id": "k4" }), None),
        (json!({ "type": "stop", "id": "k5", "who": 1 }), Some("who")),
        (json!({ "type": "post" }), None),
    ] {
        ada.send(frame.clone()).await;
        let answer = ada.until(|frame| frame["type"] == "answer").await;
        assert!(answer["problem"]["code"].is_string(), "{frame} {answer}");
        if field.is_some() {
            assert_eq!(answer["problem"]["field"].as_str(), field, "{frame}");
        }
    }
    let id = end["id"].as_str().unwrap();
    let mut back = Client::open(&address, &desk, Some("ada")).await;
    back.send(json!({ "type": "hello", "after": id })).await;
    back.send(json!({ "type": "post", "id": "k6", "text": "more" }))
        .await;
    let mut is_caught_up = false;
    let first = loop {
        let frame = back.next().await.unwrap();
        is_caught_up |= frame == json!({ "type": "caught_up", "after": id });
        if frame["type"] == "message" {
            break frame;
        }
    };
    assert!(is_caught_up, "nothing was left to send");
    assert_eq!(first["text"], "more");
}

#[tokio::test]
async fn a_frame_that_is_no_command_counts_as_one() {
    let mut house = House::new();
    let desk = house.desk("ada").await;
    house.rooms.limits.commands_per_minute = 4.try_into().unwrap();
    house.router = router(house.rooms.clone());
    let address = address(&house).await;
    let mut ada = Client::open(&address, &desk, Some("ada")).await;
    ada.send(json!({ "type": "hello", "after": "now" })).await;
    let post = json!({ "type": "post", "id": "k4", "text": "hello" });
    for (frame, code) in [
        (json!({ "type": "dance", "id": "k1" }), "invalid"),
        (json!({ "type": "post", "id": "k2" }), "invalid"),
        (json!(["post"]), "invalid"),
        (post.clone(), ""),
        (json!({ "type": "dance", "id": "k5" }), "limit_reached"),
        (post, "limit_reached"),
    ] {
        ada.send(frame.clone()).await;
        let answer = ada.until(|frame| frame["type"] == "answer").await;
        let problem = answer["problem"]["code"].as_str().unwrap_or("");
        assert_eq!(problem, code, "{frame} {answer}");
    }
}

#[tokio::test]
async fn nobody_learns_from_a_socket_which_worlds_there_are() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let address = address(&house).await;
    for world in [desk.as_str(), "desk-nowhere", "..%2fx"] {
        let mut bob = Client::open(&address, world, None).await;
        bob.send(json!({ "type": "hello", "token": "bob" })).await;
        assert_eq!(bob.next().await, Err(4404), "{world}");
        let mut nobody = Client::open(&address, world, None).await;
        nobody.send(json!({ "type": "hello" })).await;
        assert_eq!(nobody.next().await, Err(4401), "{world}");
    }
    let mut odd = Client::open(&address, &desk, None).await;
    odd.send(json!({ "type": "post", "id": "k", "text": "first" }))
        .await;
    assert_eq!(odd.next().await, Err(4400));
    let mut long = Client::open(&address, &desk, Some("ada")).await;
    long.send(json!({ "type": "hello", "token": "x".repeat(70_000) }))
        .await;
    assert!(long.next().await.is_err());
}

#[tokio::test]
async fn the_end_of_the_server_is_said_and_the_right_to_read_is_watched() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let address = address(&house).await;
    let rights = format!("/worlds/{desk}/rights/test:bob");
    let give = async |rights_now: Value| {
        let body = json!({ "rights": rights_now });
        house
            .with_json("ada", axum::http::Method::PUT, &rights, body)
            .await
            .ok();
    };
    give(json!(["read"])).await;
    let mut bob = Client::open(&address, &desk, Some("bob")).await;
    bob.send(json!({ "type": "hello", "after": "now" })).await;
    bob.send(json!({ "type": "post", "id": "k", "text": "may I?" }))
        .await;
    let answer = bob.until(|frame| frame["type"] == "answer").await;
    assert_eq!(answer["problem"]["code"], "forbidden");
    give(json!([])).await;
    assert_eq!(bob.next().await, Err(4404));
    let mut ada = Client::open(&address, &desk, Some("ada")).await;
    ada.send(json!({ "type": "hello" })).await;
    ada.send(json!({ "type": "post", "id": "k", "text": "hello" }))
        .await;
    ada.until(|frame| frame["type"] == "message").await;
    house.rooms.drain.begin();
    let bye = ada.until(|frame| frame["type"] == "bye").await;
    assert!(bye["after"].is_string());
    assert_eq!(ada.next().await, Err(1001));
}
