use folkmoot_agents::{Post, Proof, Runtime};
use folkmoot_core::ids::{PersonName, WorldName};
use folkmoot_store::Store;
use futures::TryStreamExt as _;
use serde_json::{Value, json};

use super::*;
use crate::room::Room;
use crate::view::event::{LogQuery, exported, outline};

const ROOM: &str = r#"
world: desk
agents: [{ name: clerk, model: scripted, tools: [note] }]
models: { scripted: { provider: scripted } }
tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ error: no paper }] } }
replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: Sorry. }] }"#;

/// A room in which a call was allowed, and failed.
async fn told() -> Store {
    let store = Store::memory();
    let runtime = Runtime::builder(&store).build();
    let room = Room::from_yaml(ROOM).unwrap();
    let world = runtime.open_room(&room).await.unwrap();
    let ada = Proof::by("test")
        .user("ada")
        .called(PersonName::new("ada").unwrap());
    let ada = world.as_principal(ada);
    ada.publish_message(Post::text("Please note it."))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    for request in ada.waiting().await.unwrap() {
        ada.allow(&request).await.unwrap();
    }
    world.quiet().await.unwrap();
    store
}

fn all() -> LogQuery {
    LogQuery {
        world: WorldName::new("desk").unwrap(),
        from: Position::ZERO,
        follow: false,
        kind: None,
        agent: None,
        call: None,
    }
}

async fn entries(store: &Store, query: &LogQuery) -> Vec<Value> {
    let entries = outline(store, query).await.unwrap();
    let entries: Vec<OutlineEntry> = entries.try_collect().await.unwrap();
    let json = |entry| serde_json::to_value(entry).unwrap();
    entries.iter().map(json).collect()
}

fn of_kind<'e>(entries: &'e [Value], kind: &str) -> &'e Value {
    entries.iter().find(|entry| entry["kind"] == kind).unwrap()
}

#[tokio::test]
async fn the_outline_has_each_event_and_says_whose_doing_it_is() {
    let store = told().await;
    let entries = entries(&store, &all()).await;
    let values = exported(&store, &all()).await.unwrap();
    let values: Vec<Value> = values.try_collect().await.unwrap();
    let place = |value: &Value| json!([value["position"], value["time"], value["kind"]]);
    let expected: Vec<Value> = values.iter().map(place).collect();
    assert_eq!(entries.iter().map(place).collect::<Vec<_>>(), expected);
    for (kind, lane) in [
        ("WorldOpened", "room"),
        ("MessagePosted", "person:test:ada"),
        ("TurnOpened", "agent:clerk"),
        ("ApprovalRequested", "agent:clerk"),
        ("ApprovalDecided", "person:test:ada"),
        ("ToolFinished", "agent:clerk"),
    ] {
        assert_eq!(of_kind(&entries, kind)["lane"], lane, "{kind}");
    }
}

#[tokio::test]
async fn the_outline_marks_requests_and_errors_and_names_calls() {
    let store = told().await;
    let all_entries = entries(&store, &all()).await;
    let asked = of_kind(&all_entries, "ApprovalRequested");
    assert_eq!(asked["mark"], "request");
    assert_eq!(asked["request"], asked["position"]);
    let decided = of_kind(&all_entries, "ApprovalDecided");
    assert_eq!(decided["request"], asked["position"]);
    assert_eq!(decided.get("mark"), None);
    let finished = of_kind(&all_entries, "ToolFinished");
    assert_eq!(finished["mark"], "error");
    assert_eq!(finished["call"], asked["call"]);

    let call = asked["call"].as_str().unwrap().parse().unwrap();
    let of_call = LogQuery {
        call: Some(call),
        ..all()
    };
    let kinds: Vec<Value> = entries(&store, &of_call)
        .await
        .iter()
        .map(|entry| entry["kind"].clone())
        .collect();
    let expected = [
        "CallsAdmitted",
        "ApprovalRequested",
        "ApprovalDecided",
        "ToolStarted",
        "ToolFinished",
    ];
    assert_eq!(kinds, expected);

    let model = of_kind(&all_entries, "ModelCalled");
    assert_eq!(model["call"], model["position"]);
    let of_model = LogQuery {
        call: Some(model["call"].to_string().parse().unwrap()),
        ..all()
    };
    let of_model = entries(&store, &of_model).await;
    assert_eq!(of_kind(&of_model, "ModelAnswered")["call"], model["call"]);
    assert!("clerk".parse::<CallKey>().is_err());
}
