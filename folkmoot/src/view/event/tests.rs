use folkmoot_agents::{Post, Proof, Runtime};
use folkmoot_core::ids::PersonName;
use folkmoot_store::Store;
use futures::TryStreamExt as _;

use super::*;
use crate::export::{ExportFormat, Integrity, export};
use crate::room::Room;

const ROOM: &str = r#"
world: desk
agents: [{ name: clerk, model: scripted, tools: [note] }]
models: { scripted: { provider: scripted } }
tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
replies: { clerk: [{ text: REPLY }] }"#;

async fn told(reply: &str) -> Store {
    let store = Store::memory();
    let runtime = Runtime::builder(&store).build();
    let room = Room::from_yaml(&ROOM.replace("REPLY", reply)).unwrap();
    let world = runtime.open_room(&room).await.unwrap();
    let ada = world.as_principal(Proof::script(PersonName::new("ada").unwrap()));
    ada.publish_message(Post::text("Please note it."))
        .await
        .unwrap();
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

async fn values(store: &Store, query: &LogQuery) -> Vec<Value> {
    let values = exported(store, query).await.unwrap();
    values.try_collect().await.unwrap()
}

#[tokio::test]
async fn exported_events_are_the_lines_of_an_export() {
    let store = told("It is noted.").await;
    let world = all().world;
    let integrity = Integrity::NotChecked;
    let pieces = export(&store, &world, ExportFormat::Lines, &integrity).await;
    let text: String = pieces.unwrap().try_collect().await.unwrap();
    let lines = text.lines().skip(1);
    let expected: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(values(&store, &all()).await, expected);
    let some = LogQuery {
        from: Position::new(3),
        kind: Some("message_posted".to_owned()),
        agent: Some(AgentName::new("clerk").unwrap()),
        ..all()
    };
    let fits = |value: &&Value| {
        value["kind"] == "MessagePosted" && value["facts"]["author"]["agent"] == "clerk"
    };
    let fitting: Vec<Value> = expected.iter().filter(fits).cloned().collect();
    assert_eq!(fitting.len(), 1);
    assert_eq!(values(&store, &some).await, fitting);
}

#[tokio::test]
async fn withheld_text_is_not_among_exported_events() {
    let store =
        told("'Noted. <tool_call>{\"name\": \"note\", \"arguments\": {}}</tool_call>'").await;
    let all = values(&store, &all()).await;
    let kept = all
        .iter()
        .find(|event| event["kind"] == "ArtifactWithheld")
        .unwrap();
    let answer = all
        .iter()
        .find(|event| event["position"] == kept["facts"]["answer"])
        .unwrap();
    assert_eq!(answer["withheld"], json!({ "by": kept["position"] }));
    assert_eq!(answer.get("content"), None);
    // The definition of this room says what its model answers.
    let mut spoken = all.iter().filter(|event| event["kind"] != "WorldOpened");
    assert!(!spoken.any(|event| event.to_string().contains("<tool_call>")));
}

#[tokio::test]
async fn an_unknown_kind_of_event_is_refused() {
    let store = told("Done.").await;
    let kind = Some("ToolFinishd".to_owned());
    let error = exported(&store, &LogQuery { kind, ..all() }).await.err();
    assert_eq!(
        error.unwrap().to_string(),
        "there is no kind of event `ToolFinishd`; did you mean ToolFinished?"
    );
}
