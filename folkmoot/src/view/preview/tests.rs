use folkmoot_agents::{Post, Proof, Runtime};
use folkmoot_core::event::Wider;
use folkmoot_core::event::refusal::RefusalReason;
use folkmoot_core::ids::PersonName;
use folkmoot_store::Store;

use super::*;
use crate::room::Room;
use crate::run::waiting;

const ROOM: &str = r#"
world: desk
agents: [{ name: clerk, model: scripted, tools: [note] }]
models: { scripted: { provider: scripted } }
tools:
  note:
    use: scripted
    effect: destructive
    description: Notes.
    schema: { type: object, properties: { text: { type: string } }, required: [text] }
    results: [{ text: ok }]
replies: { clerk: [{ calls: [{ tool: note, args: { text: hello } }] }, { text: It is noted. }] }"#;

fn ada() -> Proof {
    Proof::script(PersonName::new("ada").unwrap())
}

/// The room, with a call that waits.
async fn asking() -> (World, RequestId) {
    let store = Store::memory();
    let runtime = Runtime::builder(&store).build();
    let room = Room::from_yaml(ROOM).unwrap();
    let world = runtime.open_room(&room).await.unwrap();
    world
        .as_principal(ada())
        .publish_message(Post::text("Please note it."))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    let world = world.operator().read(World::clone).await.unwrap();
    let request = waiting(&world)[0].request;
    (world, request)
}

fn preview(
    (world, request): &(World, RequestId),
    judgement: &Judgement,
) -> Result<PreviewView, RefusalReason> {
    match PreviewView::of(world, *request, ada().principal(), judgement, Time(1)) {
        Ok(view) => Ok(view.unwrap()),
        Err(Refusal::Right { reason, .. }) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn yes() -> Judgement {
    Judgement::new(Verdict::Allow)
}

#[tokio::test]
async fn a_plain_decision_is_said_in_one_sentence() {
    let asked = asking().await;
    let once = preview(&asked, &yes()).unwrap();
    assert_eq!(once.words, "The call of clerk runs as it was asked.");
    assert!(!once.arguments_differ && once.warnings.is_empty());
    let no = preview(&asked, &Judgement::new(Verdict::Deny)).unwrap();
    assert!(no.words.starts_with("The call does not run."), "{no:?}");
}

#[tokio::test]
async fn a_grant_says_what_it_covers_and_where_arguments_may_differ() {
    let asked = asking().await;
    let places = vec![r#"{"path":"/text","one_of":["hello","bye"]}"#.parse().unwrap()];
    let judgement = Judgement {
        wider: Wider::Where(places),
        ..yes().within(Scope::Uses(3))
    };
    let wide = preview(&asked, &judgement).unwrap();
    assert!(
        wide.words
            .contains("clerk may run note (destructive) 3 times with this one"),
        "{wide:?}"
    );
    assert!(wide.words.ends_with("for these places:"), "{wide:?}");
    assert_eq!(wide.constraints, [r#"/text is one of "hello", "bye""#]);
    assert_eq!(wide.warnings.len(), 1, "{wide:?}");
}

#[tokio::test]
async fn other_arguments_are_told_and_warned_of() {
    let asked = asking().await;
    let with = |arguments: &str| Judgement {
        arguments: Some(arguments.to_owned()),
        ..yes()
    };
    let odd = preview(&asked, &with("{\"text\":\"a\\u001b[31m\"}")).unwrap();
    assert!(odd.arguments_differ);
    assert!(odd.words.contains("with other arguments"), "{odd:?}");
    assert_eq!(
        odd.warnings,
        ["the argument /text holds control characters; they are shown escaped"]
    );
    let same = preview(&asked, &with("{\"text\":\"hello\"}")).unwrap();
    assert!(!same.arguments_differ);
}

#[tokio::test]
async fn a_preview_is_refused_like_its_decision() {
    let asked = asking().await;
    let other = Judgement {
        arguments: Some("{\"text\":1}".to_owned()),
        ..yes()
    };
    assert_eq!(preview(&asked, &other), Err(RefusalReason::BadArguments));
    let unfit = Judgement {
        wider: Wider::Where(vec![r#"{"path":"/text","equals":"bye"}"#.parse().unwrap()]),
        ..yes().within(Scope::Turn)
    };
    assert_eq!(preview(&asked, &unfit), Err(RefusalReason::BadConstraint));
    let seen = yes().having_seen(Some("00000000".to_owned()));
    assert_eq!(preview(&asked, &seen), Err(RefusalReason::ShownDiffers));
}
