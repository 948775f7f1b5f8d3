//! The feed over server-sent events.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::house::House;

/// An event: its id, name and data.
type Sent = (Option<String>, String, Value);

/// A feed that is read event by event.
pub(crate) struct Reader {
    body: axum::body::BodyDataStream,
    rest: String,
}

impl Reader {
    pub(crate) async fn open(house: &House, by: &str, world: &str, after: Option<&str>) -> Self {
        Self::of(house, by, &format!("/worlds/{world}/feed"), after).await
    }

    /// Any stream of events.
    pub(crate) async fn of(house: &House, by: &str, path: &str, after: Option<&str>) -> Self {
        let request = House::request(by, Method::GET, path);
        let mut request = request.header("accept", "text/event-stream");
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        let request = request.body(Body::empty()).unwrap();
        let response = house.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            body: response.into_body().into_data_stream(),
            rest: String::new(),
        }
    }

    /// The next event but `caught_up`; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Sent> {
        loop {
            let event = self.next_of_all().await?;
            if event.1 != "caught_up" {
                return Some(event);
            }
        }
    }

    /// The next event; `None` at the end.
    async fn next_of_all(&mut self) -> Option<Sent> {
        loop {
            if let Some((event, rest)) = self.rest.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.rest = rest;
                let field = |name: &str| {
                    let lines = event.lines();
                    let mut found = lines.filter_map(|line| line.strip_prefix(name));
                    found.next().map(|value| value.trim_start().to_owned())
                };
                let Some(data) = field("data:") else { continue };
                let data = serde_json::from_str(&data).unwrap();
                return Some((field("id:"), field("event:").unwrap_or_default(), data));
            }
            let bytes = self.body.next().await?.unwrap();
            self.rest.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// All events up to the end of the episode.
    pub(crate) async fn episode(&mut self) -> Vec<Sent> {
        let mut all = Vec::new();
        loop {
            let event = self.next().await.unwrap();
            let is_over = event.2["activity"] == "episode_ended";
            all.push(event);
            if is_over {
                return all;
            }
        }
    }
}

#[tokio::test]
async fn a_feed_goes_on_behind_any_item() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let messages = format!("/worlds/{desk}/messages");
    house
        .post("ada", &messages, json!({ "text": "note it" }))
        .await
        .ok();
    let request = house.request_in("ada", &desk).await;
    let decision = json!({ "verdict": "allow", "shown": request["asks"]["shown"] });
    let path = format!("/worlds/{desk}/requests/{}/decision", request["request"]);
    house.post("ada", &path, decision).await.ok();
    house.quiet(&desk).await;
    let whole = Reader::open(&house, "ada", &desk, None)
        .await
        .episode()
        .await;
    let ids: Vec<_> = whole.iter().filter_map(|(id, ..)| id.clone()).collect();
    assert!(
        ids.iter().any(|id| id.contains('.')),
        "an item inside a commit: {ids:?}"
    );
    assert_eq!(ids.len(), whole.len());
    for (at, id) in ids.iter().enumerate() {
        if at + 1 < ids.len() {
            let rest = Reader::open(&house, "ada", &desk, Some(id))
                .await
                .episode()
                .await;
            assert_eq!(rest, whole[at + 1..], "behind {id}");
        }
    }
    for (_, name, data) in &whole {
        assert_eq!(*name, data["type"].as_str().unwrap());
        assert!(data["time"].as_str().unwrap().ends_with('Z'));
    }
    let behind = house
        .get("ada", &format!("/worlds/{desk}/feed?after=900"))
        .await;
    assert_eq!(behind.problem(StatusCode::CONFLICT), "behind_head");
    let wrong = house
        .get("ada", &format!("/worlds/{desk}/feed?after=x"))
        .await;
    assert_eq!(wrong.json()["field"], "after");
}

#[tokio::test]
async fn a_feed_ends_with_the_right_to_read_and_says_bye_at_the_servers_end() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let path = format!("/worlds/{desk}/rights/test:bob");
    let read = json!({ "rights": ["read"] });
    house.with_json("ada", Method::PUT, &path, read).await.ok();
    let mut ada = Reader::open(&house, "ada", &desk, Some("now")).await;
    let mut bob = Reader::open(&house, "bob", &desk, Some("now")).await;
    house
        .with_json("ada", Method::PUT, &path, json!({ "rights": [] }))
        .await
        .ok();
    assert_eq!(bob.next().await, None);
    house
        .post(
            "ada",
            &format!("/worlds/{desk}/messages"),
            json!({ "text": "hello" }),
        )
        .await
        .ok();
    let (id, name, _) = ada.next().await.unwrap();
    assert_eq!(name, "message");
    house.rooms.drain.begin();
    loop {
        let (last, name, data) = ada.next().await.unwrap();
        if name == "bye" {
            assert!(data["after"].is_string() && last.is_none(), "{data} {id:?}");
            break;
        }
    }
    assert_eq!(ada.next().await, None);
}

/// A desk whose clerk was allowed to note something; the feed of it, and its last item.
async fn noted(house: &House) -> (String, Vec<Sent>) {
    let desk = house.desk("ada").await;
    let messages = format!("/worlds/{desk}/messages");
    let text = json!({ "text": "note it" });
    house.post("ada", &messages, text).await.ok();
    let request = house.request_in("ada", &desk).await;
    let decision = json!({
        "verdict": "allow", "shown": request["asks"]["shown"], "scope": "turn", "reason": "secret",
    });
    let path = format!("/worlds/{desk}/requests/{}/decision", request["request"]);
    house.post("ada", &path, decision).await.ok();
    house.quiet(&desk).await;
    let mut reader = Reader::open(house, "ada", &desk, None).await;
    let whole = reader.episode().await;
    (desk, whole)
}

#[tokio::test]
async fn a_feed_says_once_that_it_has_caught_up_and_where_to_go_on() {
    let house = House::new();
    let (desk, whole) = noted(&house).await;
    let last = whole.last().unwrap().0.clone().unwrap();
    for (after, skipped) in [(None, 0), (Some(&last), whole.len())] {
        let after = after.map(String::as_str);
        let mut reader = Reader::open(&house, "ada", &desk, after).await;
        for _ in skipped..whole.len() {
            assert_ne!(reader.next_of_all().await.unwrap().1, "caught_up");
        }
        let (id, name, data) = reader.next_of_all().await.unwrap();
        assert_eq!((id, name.as_str()), (None, "caught_up"));
        assert_eq!(data, json!({ "type": "caught_up", "after": last }));
    }
    let mut now = Reader::open(&house, "ada", &desk, Some("now")).await;
    let (_, name, data) = now.next_of_all().await.unwrap();
    assert_eq!(name, "caught_up");
    let after = data["after"].as_str().unwrap();
    assert!(after.ends_with(".end"), "{after}");
    let path = format!("/worlds/{desk}/messages");
    house
        .post("ada", &path, json!({ "text": "more" }))
        .await
        .ok();
    let first = now.next_of_all().await.unwrap();
    assert_eq!(first.1, "message");
    let mut back = Reader::open(&house, "ada", &desk, Some(after)).await;
    assert_eq!(back.next_of_all().await.unwrap(), first);
}

#[tokio::test]
async fn notices_decisions_and_ends_of_calls_come_with_a_sentence() {
    let house = House::new();
    let (_, whole) = noted(&house).await;
    let words = |kind: &str| {
        let found = whole.iter().find(|(_, name, _)| name == kind);
        found.unwrap().2["words"].clone()
    };
    let decided = words("decision");
    let decided = decided.as_str().unwrap();
    assert!(decided.starts_with("ada allowed request "), "{decided}");
    assert!(decided.ends_with("in this turn"), "{decided}");
    assert_eq!(words("call_finished"), "note of clerk: done");
    assert_eq!(words("message"), Value::Null);
    assert!(!decided.contains("secret"), "a reason is no part of it");
}
