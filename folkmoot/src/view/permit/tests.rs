use folkmoot_agents::{Post, Proof, Runtime};
use folkmoot_core::ids::PersonName;
use folkmoot_store::Store;

use super::*;
use crate::room::Room;
use crate::run::waiting;

const ROOM: &str = "
world: desk
policy:
  four_eyes: [write]
  rights: { default: [read, post], people: { 'script:ada': [read, post, decide], 'script:kim': [decide] } }
agents: [{ name: clerk, model: scripted, tools: [note] }]
models: { scripted: { provider: scripted } }
tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: It is noted. }] }";

fn person(name: &str) -> Proof {
    Proof::script(PersonName::new(name).unwrap())
}

/// The room, with a call that ada began and that waits.
async fn asking() -> (World, RequestId) {
    let store = Store::memory();
    let runtime = Runtime::builder(&store).build();
    let room = Room::from_yaml(ROOM).unwrap();
    let world = runtime.open_room(&room).await.unwrap();
    let ada = world.as_principal(person("ada"));
    ada.publish_message(Post::text("Please note it."))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    let world = world.operator().read(World::clone).await.unwrap();
    let request = waiting(&world)[0].request;
    (world, request)
}

#[tokio::test]
async fn whoever_began_a_call_may_say_no_to_it_and_hears_why_not_yes() {
    let (world, request) = asking().await;
    let may = |name| PermitView::of(&world, request, person(name).principal(), Time(1));
    let ada = may("ada");
    assert_eq!((ada.decide, ada.allow), (true, false));
    let why = ada.why.unwrap();
    assert!(why.starts_with("four-eyes rule"), "{why}");
    let kim = PermitView {
        decide: true,
        allow: true,
        why: None,
    };
    assert_eq!(may("kim"), kim);
    let bob = may("bob");
    assert_eq!((bob.decide, bob.allow), (false, false));
    assert!(bob.why.unwrap().contains("no right"));
}

#[tokio::test]
async fn nobody_may_decide_what_waits_no_longer_or_is_too_old() {
    let (world, request) = asking().await;
    let kim = person("kim");
    let late = Time(u64::MAX / 2);
    let late = PermitView::of(&world, request, kim.principal(), late);
    assert!(!late.decide && late.why.unwrap().contains("expired"));
    let other = RequestId(request.0.next());
    let other = PermitView::of(&world, other, kim.principal(), Time(1));
    assert!(!other.decide && other.why.unwrap().contains("no longer"));
}
