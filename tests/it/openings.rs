//! Worlds that are begun by somebody, for somebody, under an id; and the services that act in them.

use std::sync::Arc;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::event::{ArtifactWithheld, ClockKind, WithheldViewed};
use folkmoot::core::ids::{Position, WorldId};
use folkmoot::core::port::{AppendError, EventLog as _};
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::{Forking, OpenError, Opening, Post, Proof, Runtime, SeatError, Store, WorldHandle};
use folkmoot_tests::{
    Cut, FakeModel, FakeTool, Probe, Room, Side, commits_of, room_name, says, wants,
};

fn own_id() -> WorldId {
    WorldId::from_hash([7; 16])
}

fn other_id() -> WorldId {
    WorldId::from_hash([8; 16])
}

fn ci() -> Proof {
    Proof::by("token")
        .service("ci")
        .called("ci".to_owned().try_into().unwrap())
}

fn opening(room: &Room) -> Opening {
    Opening {
        clock: ClockKind::Simulated,
        id: Some(own_id()),
        founder: Some(ci()),
        ..Opening::with(room_name(), room.definition())
    }
}

/// A room whose agent writes, which waits for somebody's yes, and then says what is withheld.
fn room() -> Room {
    let write = FakeTool::new("push", EffectClass::Write, |_call| async {
        ToolOutcome::text("pushed")
    });
    let leak = says("Done. {\"name\":\"push\",\"arguments\":{}}");
    Room::asking()
        .agent("a", &["push"], FakeModel::new([wants(&["push"]), leak]))
        .tool(write)
}

async fn begun(store: &Store, room: &Room) -> (Runtime, WorldHandle) {
    let runtime = Runtime::builder(store).assembler(room.parts()).build();
    let world = runtime.open(opening(room)).await.unwrap();
    (runtime, world)
}

/// A service begins a world, speaks, allows a call, and looks at what was withheld.
pub(crate) async fn log_of_a_service() -> (Vec<Commit>, Position, String) {
    let (store, room) = (Store::memory(), room());
    let (runtime, world) = begun(&store, &room).await;
    let seat = world.as_principal(ci());
    seat.publish_message(Post::text("@a push")).await.unwrap();
    world.quiet().await.unwrap();
    let waiting = seat.waiting().await.unwrap();
    seat.allow(&waiting[0]).await.unwrap();
    world.quiet().await.unwrap();
    let before = commits_of(&store, &room_name()).await;
    let kept = before
        .iter()
        .flat_map(Commit::numbered)
        .find(|(_, event)| ArtifactWithheld::of_event(event).is_some());
    let at = kept.unwrap().0;
    let view = seat.view_withheld(at, None).await.unwrap();
    let text = view.parts[0].text.clone().unwrap();
    let none = seat.view_withheld(at.next(), None).await;
    assert!(matches!(
        none,
        Err(SeatError::Refused(Refusal::Right {
            reason: RefusalReason::NothingWithheld,
            ..
        }))
    ));
    runtime.shutdown().await;
    (commits_of(&store, &room_name()).await, at, text)
}

#[tokio::test]
async fn a_look_at_withheld_text_is_in_the_log_and_shows_it() {
    let (commits, withheld, text) = log_of_a_service().await;
    assert_eq!(text, "{\"name\":\"push\",\"arguments\":{}}");
    let mut events = commits.iter().flat_map(|commit| &commit.events);
    let viewed = events.find_map(WithheldViewed::of_event).unwrap();
    let by = ci().principal().clone();
    assert_eq!(*viewed, WithheldViewed { withheld, by });
    assert_eq!(commits[0].header.world, own_id());
    assert_eq!(commits[0].header.principal, *ci().principal());
}

#[tokio::test]
async fn an_opening_with_another_id_is_refused_and_changes_nothing() {
    let (store, room) = (Store::memory(), Room::auto());
    let (runtime, world) = begun(&store, &room).await;
    let rights = world
        .operator()
        .read(|world| world.rights_of(ci().principal()))
        .await
        .unwrap();
    assert!(rights.is_all(), "the founder owns it");
    runtime.shutdown().await;
    let before = commits_of(&store, &room_name()).await;
    let runtime = Runtime::builder(&store).assembler(room.parts()).build();
    let other = Opening {
        id: Some(other_id()),
        ..opening(&room)
    };
    let refused = runtime.open(other).await.unwrap_err();
    assert!(
        matches!(refused, OpenError::Append(AppendError::NameTaken(ref name)) if *name == room_name()),
        "{refused}"
    );
    assert_eq!(commits_of(&store, &room_name()).await, before);
    runtime.open(opening(&room)).await.unwrap();
    runtime.shutdown().await;
}

#[tokio::test]
async fn a_fork_has_the_id_the_owner_and_the_labels_that_it_is_given() {
    let (store, room) = (Store::memory(), Room::auto());
    let (runtime, _world) = begun(&store, &room).await;
    let name: folkmoot::core::ids::WorldName = "branch".to_owned().try_into().unwrap();
    let labels = [("stage".to_owned(), "test".to_owned())].into();
    let forking = Forking {
        id: Some(other_id()),
        owner: Some("team".to_owned()),
        labels: Some(labels),
        by: ci(),
        ..Forking::of(room_name(), name.clone())
    };
    runtime.fork(forking).await.unwrap();
    let entry = store.find(&name).await.unwrap().unwrap();
    assert_eq!(entry.world, other_id());
    assert_eq!(entry.owner.as_deref(), Some("team"));
    assert_eq!(entry.labels["stage"], "test");
    runtime.shutdown().await;
}

#[tokio::test]
async fn a_first_append_that_fails_leaves_no_world() {
    let (store, room) = (Store::memory(), Room::auto());
    let runtime = Runtime::builder(&store).assembler(room.parts()).build();
    let runtime = runtime.through(Arc::new(Cut::after(0, Side::Before, &Probe::default())));
    assert!(runtime.open(opening(&room)).await.is_err());
    assert!(store.find(&room_name()).await.unwrap().is_none());
    assert!(runtime.world(&room_name()).is_none());
}
