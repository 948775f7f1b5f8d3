//! What a page that audits a room asks for.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use folkmoot::core::event::TreeHead;
use folkmoot::core::ids::WorldId;
use folkmoot::proof::bundle::{BundleVerdict, check};
use folkmoot::proof::note::SignerKey;
use folkmoot::view::why::{WhyQuery, why};
use folkmoot::{Position, WorldName, checkpoint_of};
use serde_json::{Value, json};

use crate::feed::Reader;
use crate::house::House;

/// A room in which every kind of text that people do not see stands: what a model wrote in the form
/// of a call, what a tool gave a model beside a table, and the details of failures. One message is
/// taken back.
const HIDDEN: &str = r#"
world: hidden
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted, tools: [note, list, lose] }]
tools:
  note: { use: scripted, effect: read, description: Notes., schema: { type: object }, results: [{ text: shown-result }] }
  list: { use: scripted, effect: read, description: Lists., schema: { type: object }, results: [{ text: hidden-beside-table, table: { columns: [a], rows: [[1]] } }] }
  lose: { use: scripted, effect: read, description: Loses., schema: { type: object }, results: [{ error: hidden-failure }] }
replies:
  clerk:
    - { calls: [{ tool: note, args: {} }, { tool: list, args: {} }, { tool: lose, args: {} }] }
    - { text: 'Shown words. {"name":"note","arguments":{"a":"hidden-artifact"}}' }
    - { text: 'hidden-reply' }
"#;

/// Words of which a reader of the room sees none. Each stands somewhere in the log.
const SECRETS: &[&str] = &[
    "hidden-beside-table",
    "hidden-failure",
    "hidden-artifact",
    "hidden-message",
    "hidden-reply",
    "hidden-basis",
];

impl House {
    /// The hidden room.
    async fn hidden(&self) -> String {
        self.template("other.yaml", HIDDEN);
        let open = json!({ "template": "other" });
        let opened = self.post("ada", "/worlds", open).await.ok();
        let world = opened["world"].as_str().unwrap().to_owned();
        let path = format!("/worlds/{world}");
        let messages = format!("{path}/messages");
        let mut last = Value::Null;
        for text in ["Please note it.", "hidden-message"] {
            let said = json!({ "text": text });
            last = self.post("ada", &messages, said).await.ok()["message"].clone();
            self.quiet(&world).await;
        }
        let gone = format!("{messages}/{last}");
        assert!(self.delete("ada", &gone).await.status < 300);
        let said = json!({ "text": "Goodbye." });
        let at = self.post("ada", &messages, said).await.ok()["message"].clone();
        self.quiet(&world).await;
        let erasure = json!({ "events": [{ "from": at, "to": at }], "basis": "hidden-basis" });
        let erasures = format!("{path}/erasures");
        self.post("ada", &erasures, erasure).await.ok();
        self.quiet(&world).await;
        world
    }

    async fn head(&self, world: &str) -> u64 {
        let seen = self.get("ada", &format!("/worlds/{world}")).await.ok();
        seen["head"].as_u64().unwrap()
    }
}

#[tokio::test]
async fn why_gives_a_reader_no_word_that_people_do_not_see() {
    let house = House::new();
    let world = house.hidden().await;
    let path = format!("/worlds/{world}");
    let rights = json!({ "rights": ["read"] });
    let guest = format!("{path}/rights/test:guest");
    house
        .with_json("ada", Method::PUT, &guest, rights)
        .await
        .ok();
    let name = WorldName::new(&world).unwrap();
    let (mut told, mut whole) = (String::new(), String::new());
    for at in 1..=house.head(&world).await {
        let answer = house.get("guest", &format!("{path}/why/{at}")).await.ok();
        told.push_str(&answer.to_string());
        let (world, at) = (name.clone(), Position::new(at));
        let view = why(&house.rooms.store, &WhyQuery { world, at }).await;
        whole.push_str(&serde_json::to_string(&view.unwrap()).unwrap());
    }
    for secret in SECRETS {
        assert!(whole.contains(secret), "nothing hides {secret}");
        assert!(!told.contains(secret), "{secret} is told");
    }
    for shown in [
        "shown-result",
        "Shown words.",
        "Please note it.",
        "failed (",
    ] {
        assert!(told.contains(shown), "{shown} is not told");
    }
}

/// The entries of all pages of a list of events, `limit` at a time.
async fn pages(house: &House, world: &str, query: &str, limit: usize) -> Vec<Value> {
    let mut all = Vec::new();
    let mut from = json!(1);
    loop {
        let path = format!("/worlds/{world}/events?{query}&from={from}&limit={limit}");
        let page = house.get("ada", &path).await.ok();
        let events = page["events"].as_array().unwrap();
        assert!(events.len() <= limit);
        all.extend(events.iter().cloned());
        match page.get("next") {
            Some(next) => from = next.clone(),
            None => return all,
        }
    }
}

#[tokio::test]
async fn the_outline_comes_in_pages_without_content() {
    let house = House::new();
    let world = house.hidden().await;
    let whole = pages(&house, &world, "outline=true", 5_000).await;
    let head = house.head(&world).await;
    let positions: Vec<u64> = whole
        .iter()
        .map(|entry| entry["position"].as_u64().unwrap())
        .collect();
    assert_eq!(positions, (1..=head).collect::<Vec<_>>());
    assert_eq!(pages(&house, &world, "outline=true", 7).await, whole);
    let text = Value::Array(whole.clone()).to_string();
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret}");
    }
    assert!(whole.iter().all(|entry| entry.get("facts").is_none()));

    let of_clerk = pages(&house, &world, "outline=true&agent=clerk", 100).await;
    assert!(!of_clerk.is_empty());
    let full = pages(&house, &world, "agent=clerk", 100).await;
    let place = |entries: &[Value]| -> Vec<Value> {
        entries
            .iter()
            .map(|entry| entry["position"].clone())
            .collect()
    };
    assert_eq!(place(&of_clerk), place(&full));
    let finished = whole.iter().find(|entry| entry["kind"] == "ToolFinished");
    let call = finished.unwrap()["call"].as_str().unwrap();
    let of_call = pages(&house, &world, &format!("call={call}"), 100).await;
    assert_eq!(of_call.last().unwrap()["kind"], "ToolFinished");

    let path = format!("/worlds/{world}/events");
    for (wrong, field) in [
        ("outline=true&limit=5001", "limit"),
        ("limit=201", "limit"),
        ("call=clerk", "call"),
    ] {
        let refused = house.get("ada", &format!("{path}?{wrong}")).await;
        assert_eq!(refused.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
        assert_eq!(refused.json()["field"], field);
    }
}

#[tokio::test]
async fn an_event_comes_with_its_words_and_links_and_without_what_was_withheld() {
    let house = House::new();
    let world = house.hidden().await;
    let path = format!("/worlds/{world}/events");
    let head = house.head(&world).await;
    let mut previous = None;
    for at in 1..=head {
        let event = house.get("ada", &format!("{path}/{at}")).await.ok();
        assert_eq!(event["position"], at);
        let page = house.get("ada", &format!("{path}?from={at}&limit=1")).await;
        for (key, value) in page.ok()["events"][0].as_object().unwrap() {
            assert_eq!(&event[key], value, "{key} of {at}");
        }
        assert!(event["words"].is_string());
        let is_first = event["within"][0] == at;
        if is_first {
            assert_eq!(event.get("previous"), previous.as_ref());
        }
        previous = Some(event["link"].clone());
        // The definition of this room says what its model answers.
        let is_definition = event["kind"] == "WorldOpened";
        let shows = event.to_string().contains("hidden-artifact");
        assert!(is_definition || !shows, "{event}");
        let has_digest = event.get("content_digest").is_some();
        assert_eq!(has_digest, event.get("content").is_some());
    }
    for nothing in [0, head + 1] {
        let refused = house.get("ada", &format!("{path}/{nothing}")).await;
        assert_eq!(refused.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
    }
}

#[tokio::test]
async fn whoever_follows_the_log_opens_no_room_and_is_left_when_they_may_not_operate_it() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let path = format!("/worlds/{desk}");
    let rights = format!("{path}/rights/test:guest");
    let all = json!({ "rights": ["read", "operate"] });
    house.with_json("ada", Method::PUT, &rights, all).await.ok();
    let house = house.restarted().await;
    let name = WorldName::new(&desk).unwrap();
    let head = house.head(&desk).await;
    let events = format!("{path}/events");
    let mut log = Reader::of(&house, "guest", &events, None).await;
    for at in 1..=head {
        let (id, _, event) = log.next().await.unwrap();
        assert_eq!(
            (id.unwrap(), &event["position"]),
            (at.to_string(), &json!(at))
        );
    }
    assert!(house.rooms.runtime.world(&name).is_none());
    assert_eq!(house.head(&desk).await, head);

    let short = format!("{events}?outline=true&kind=Opened&from={head}");
    let mut short = Reader::of(&house, "ada", &short, None).await;
    let said = json!({ "text": "hello" });
    house
        .post("ada", &format!("{path}/messages"), said)
        .await
        .ok();
    let (_, _, opened) = log.next().await.unwrap();
    assert_eq!(opened["kind"], "Opened");
    let (_, _, entry) = short.next().await.unwrap();
    assert_eq!(
        (&entry["kind"], &entry["lane"]),
        (&json!("Opened"), &json!("room"))
    );

    let less = json!({ "rights": ["read"] });
    house
        .with_json("ada", Method::PUT, &rights, less)
        .await
        .ok();
    let mut seen = Vec::new();
    while let Some((_, _, event)) = log.next().await {
        seen.push(event["kind"].as_str().unwrap().to_owned());
    }
    assert!(!seen.contains(&"RightsChanged".to_owned()), "{seen:?}");
}

#[tokio::test]
async fn usage_is_told_as_it_was_at_a_position() {
    let house = House::new();
    let world = house.hidden().await;
    let path = format!("/worlds/{world}/usage");
    let attempts = async |query: &str| {
        let usage = house.get("ada", &format!("{path}{query}")).await.ok();
        let rows = usage["usage"].as_array().unwrap();
        rows.last().unwrap()["attempts"].as_u64().unwrap()
    };
    assert_eq!(attempts("?at=1").await, 0);
    assert!(attempts("").await >= 2);
    let head = house.head(&world).await;
    assert_eq!(attempts(&format!("?at={head}")).await, attempts("").await);
    let behind = house.get("ada", &format!("{path}?at={}", head + 1)).await;
    assert_eq!(behind.problem(StatusCode::CONFLICT), "behind_head");
}

#[tokio::test]
async fn a_badge_says_how_far_a_log_is_intact_and_by_which_anchor() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let path = format!("/worlds/{desk}");
    let plain = house.get("ada", &format!("{path}/integrity")).await.ok();
    let head = house.head(&desk).await;
    assert_eq!(plain["head"], head);
    assert_eq!(plain["badge"]["state"], "intact");
    assert_eq!(plain["badge"]["to"], head);
    assert_eq!(plain["badge"].get("anchor"), None);

    let now = house.get("ada", &format!("{path}/anchor")).await.ok();
    let id: WorldId = serde_json::from_value(now["id"].clone()).unwrap();
    let tree: TreeHead = serde_json::from_value(now["head"].clone()).unwrap();
    let key = SignerKey::generate("example.com/desk", &[7; 32]).unwrap();
    let kept = checkpoint_of(id, &tree).sign(&key).unwrap().to_string();
    let against = async |anchor: String| {
        let request = House::request("ada", Method::POST, &format!("{path}/integrity"));
        house
            .send(request.body(Body::from(anchor)).unwrap())
            .await
            .ok()
    };
    let badge = against(kept.clone()).await["badge"].clone();
    assert_eq!(badge["state"], "intact");
    assert_eq!(badge["anchor"]["position"], head);
    // RFC 3339 with milliseconds, e.g. `2030-01-01T00:00:00.870Z`.
    let time = badge["anchor"]["time"].as_str().unwrap();
    assert!(time.len() == 24 && time.ends_with('Z'), "{badge}");
    let words = badge["words"].as_str().unwrap();
    let expected = format!("intact up to {head} by the anchor of ");
    assert!(words.starts_with(&expected), "{words}");

    let other = TreeHead {
        root: folkmoot::core::ids::Digest::sha256(b"another"),
        ..tree
    };
    let other = checkpoint_of(id, &other).sign(&key).unwrap().to_string();
    let badge = against(other).await["badge"].clone();
    assert_eq!(badge["state"], "damaged", "{badge}");
    let badge = against("not an anchor".to_owned()).await["badge"].clone();
    assert_eq!(badge["state"], "not_checked", "{badge}");
}

#[tokio::test]
async fn a_room_is_taken_along_as_evidence_that_can_be_checked() {
    let house = House::new();
    let world = house.hidden().await;
    let export = format!("/worlds/{world}/export?format=bundle");
    let bundle = house.get("ada", &export).await;
    assert_eq!(bundle.status, 200);
    assert_eq!(bundle.headers["content-type"], "application/json");
    let file = format!("attachment; filename=\"{world}.bundle.json\"");
    assert_eq!(bundle.headers["content-disposition"], file);
    let report = check(&bundle.bytes, &[], None).unwrap();
    assert_ne!(report.verdict(), BundleVerdict::Damaged);
    assert!(report.holds(1));
    assert!(report.holds(house.head(&world).await));
}

const SHOP: &str = r#"
world: shop
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted, tools: [list] }]
states: { view: { schema: { type: object } } }
tools:
  list: { use: scripted, effect: read, description: Lists., schema: { type: object }, results: [{ text: ok }], artifacts: { offer: { title: Offer, schema: { type: object }, fields: [{ path: /price, label: Price }] } } }
"#;

#[tokio::test]
async fn a_world_says_whom_and_what_it_knows_and_where_it_comes_from() {
    let house = House::new();
    house.template("other.yaml", SHOP);
    let open = json!({ "template": "other" });
    let opened = house.post("ada", "/worlds", open).await.ok();
    let world = opened["world"].as_str().unwrap();
    let path = format!("/worlds/{world}");
    let rights = json!({ "rights": ["read"] });
    for who in ["test:guest", "test:bob"] {
        let who = format!("{path}/rights/{who}");
        house
            .with_json("ada", Method::PUT, &who, rights.clone())
            .await
            .ok();
    }
    let seen = house.get("ada", &path).await.ok();
    let kinds: Vec<&String> = seen["kinds"].as_object().unwrap().keys().collect();
    assert_eq!(kinds, ["offer"]);
    assert!(seen["kinds"]["offer"]["fields"].is_array(), "{seen}");
    assert_eq!(seen["states"], json!(["view"]));
    let people = seen["people"].as_array().unwrap();
    for name in ["ada", "bob", "guest"] {
        let rights = match name {
            "ada" => json!(["read", "post", "decide", "operate"]),
            _ => json!(["read"]),
        };
        let known = json!({ "key": format!("test:{name}"), "name": name, "rights": rights });
        assert!(people.contains(&known), "{name}: {people:?}");
    }
    assert_eq!(seen.get("forked_from"), None);

    let fork = house
        .post("ada", &format!("{path}/forks"), json!({}))
        .await
        .ok();
    let branch = format!("/worlds/{}", fork["world"].as_str().unwrap());
    let from = house.get("ada", &branch).await.ok()["forked_from"].clone();
    assert_eq!(from["world"], world);
    assert!(from["at"].as_u64().unwrap() > 0);
    let guest = format!("{branch}/rights/test:guest");
    house
        .with_json("ada", Method::PUT, &guest, rights)
        .await
        .ok();
    let seen = house.get("guest", &branch).await.ok();
    assert_eq!(
        seen["people"][0].get("rights"),
        None,
        "rights are for whoever operates"
    );
    let from = seen["forked_from"].clone();
    assert_eq!(from["world"], world);
    let parent = format!("{path}/rights/test:guest");
    let none = json!({ "rights": [] });
    house
        .with_json("ada", Method::PUT, &parent, none)
        .await
        .ok();
    let seen = house.get("guest", &branch).await.ok();
    assert_eq!(seen.get("forked_from"), None);
}

#[tokio::test]
async fn worlds_are_listed_by_what_goes_on_in_them() {
    let house = House::new();
    let idle = house.desk("ada").await;
    let parked = house.desk("ada").await;
    let said = json!({ "text": "Please note it." });
    house
        .post("ada", &format!("/worlds/{parked}/messages"), said)
        .await
        .ok();
    house.quiet(&parked).await;
    for (activity, expected) in [
        ("idle", vec![&idle]),
        ("parked", vec![&parked]),
        ("running", vec![]),
    ] {
        let list = house
            .get("ada", &format!("/worlds?activity={activity}"))
            .await
            .ok();
        let worlds = list["worlds"].as_array().unwrap();
        let names: Vec<&str> = worlds
            .iter()
            .map(|world| world["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, expected, "{activity}");
    }
    let refused = house.get("ada", "/worlds?activity=asleep").await;
    assert_eq!(refused.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
    assert_eq!(refused.json()["field"], "activity");
}
