use folkmoot_agents::{Post, Proof, Runtime};
use folkmoot_core::ids::PersonName;
use folkmoot_store::Store;

use super::*;
use crate::room::Room;
use crate::view::summary::WorldSummary;
use crate::view::world::entry;

const ROOM: &str = "
world: desk
policy: { four_eyes: [write], rights: { default: [read, post], people: { 'script:kim': [decide] } } }
agents: [{ name: clerk, model: scripted, tools: [note] }]
models: { scripted: { provider: scripted } }
tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";

/// The room, waiting for somebody to decide what ada began.
async fn asking(store: &Store) -> World {
    asking_in(store, ROOM).await
}

async fn asking_in(store: &Store, script: &str) -> World {
    let runtime = Runtime::builder(store).build();
    let room = Room::from_yaml(script).unwrap();
    let world = runtime.open_room(&room).await.unwrap();
    let ada = world.as_principal(Proof::script(PersonName::new("ada").unwrap()));
    ada.publish_message(Post::text("Please note it."))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    world.operator().read(World::clone).await.unwrap()
}

#[tokio::test]
async fn a_request_says_who_may_decide_it_and_what_a_yes_can_allow() {
    let world = asking(&Store::memory()).await;
    let all = RequestView::all(&world, Time(1));
    let [request] = all.as_slice() else {
        panic!("one request waits: {all:?}");
    };
    assert_eq!(request.words, "clerk asks to run note (write) with {}");
    assert_eq!(request.effect, Some(EffectClass::Write));
    assert_eq!(
        request.schema,
        Some(serde_json::json!({ "type": "object" }))
    );
    let deciders = &request.deciders;
    assert_eq!(deciders.people, ["script:kim"]);
    assert!(deciders.names.is_empty(), "kim was never here");
    assert_eq!(request.world.as_ref().unwrap().as_str(), "desk");
    assert!(request.warnings.is_empty(), "{request:?}");
    assert!(!deciders.others);
    let barred = deciders.all_but.as_ref().unwrap();
    let names: Vec<&str> = barred.iter().map(|one| one.display.as_str()).collect();
    assert_eq!(names, ["ada"]);
    let kinds: Vec<OfferKind> = request.offers.iter().map(|offer| offer.kind).collect();
    let expected = [
        OfferKind::Once,
        OfferKind::Turn,
        OfferKind::World,
        OfferKind::Uses,
        OfferKind::Arguments,
        OfferKind::Where,
    ];
    assert_eq!(kinds, expected);
    let shown = request.waiting.waiting.digest().unwrap();
    let json = serde_json::to_value(request).unwrap();
    assert_eq!(json["asks"]["shown"], shown.to_string());
    assert_eq!(
        serde_json::from_value::<RequestView>(json).unwrap(),
        *request
    );
}

#[tokio::test]
async fn deciders_who_were_here_have_names_and_what_cannot_be_undone_is_warned_of() {
    let script = ROOM
        .replace("effect: write", "effect: destructive")
        .replace(
            "'script:kim': [decide]",
            "'script:ada': [read, post, decide]",
        );
    let world = asking_in(&Store::memory(), &script).await;
    let all = RequestView::all(&world, Time(1));
    let names = &all[0].deciders.names;
    assert_eq!(names["script:ada"].as_str(), "ada");
    assert_eq!(
        all[0].warnings,
        ["this may change what cannot be changed back"]
    );
}

#[tokio::test]
async fn a_summary_tells_how_a_world_stands_and_keeps_who_may_read_it() {
    let store = Store::memory();
    let world = asking(&store).await;
    let entry = entry(&store, world.name().unwrap()).await.unwrap();
    let summary = WorldSummary::of(&entry, &world);
    assert_eq!((summary.waiting, summary.title.as_deref()), (1, None));
    assert_eq!((summary.head, summary.time), (entry.head, entry.time));
    assert_eq!(summary.access, world.access());
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["activity"], "parked");
    assert_eq!(json.get("access"), None);
}
