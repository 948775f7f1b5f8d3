//! What waits knows what it is about, and a seat decides what it was shown.

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::event::{CallEvent, Event, Scope, Verdict};
use folkmoot::core::ids::Digest;
use folkmoot::core::tool::constraint::{Allowed, Constraint};
use folkmoot::core::world::Activity;
use folkmoot::{
    Asks, OpenError, Post, Room, Runtime, Seat, SeatError, Store, Waiting, WorldHandle,
};
use folkmoot_tests::{commits_of, person};
use serde_json::json;

/// Each message lets `desk` call once more.
const ROOM: &str = "
world: desk
models: { scripted: { provider: scripted } }
agents: [{ name: desk, model: scripted, tools: [refund, ask] }]
tools:
  refund:
    use: scripted
    description: Gives money back.
    effect: write
    schema: { type: object, properties: { order: { type: integer } } }
    results: [{ text: paid }]
  ask:
    use: scripted
    description: Asks.
    effect: read
    schema: { type: object }
    results: [{ needs_input: { question: 'Which account?', options: [card, wallet] } }, { text: 'It is {input}.' }]
replies:
  desk:
    - calls: [CALL]
    - text: '@ada first'
    - calls: [{ tool: refund, args: { order: 8 } }]
    - text: '@ada second'
";

struct Desk {
    store: Store,
    world: WorldHandle,
    ada: Seat,
}

impl Desk {
    /// A room in which `desk` has made the call.
    async fn asked(call: &str) -> Self {
        Self::open(call).await.unwrap()
    }

    async fn open(call: &str) -> Result<Self, OpenError> {
        let room = Room::from_yaml(&ROOM.replace("CALL", call)).unwrap();
        let store = Store::memory();
        let runtime = Runtime::builder(&store).build();
        let world = runtime.open_room(&room).await?;
        let ada = person(&world, "ada");
        let desk = Self { store, world, ada };
        desk.say("Please.").await;
        Ok(desk)
    }

    async fn say(&self, text: &str) -> Activity {
        self.ada.publish_message(Post::text(text)).await.unwrap();
        self.world.quiet().await.unwrap()
    }

    async fn only(&self) -> Waiting {
        let mut all = self.ada.waiting().await.unwrap();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    async fn events(&self) -> Vec<Event> {
        let commits = commits_of(&self.store, self.world.name()).await;
        commits
            .into_iter()
            .flat_map(|commit| commit.events)
            .collect()
    }

    /// The results of all calls so far.
    async fn results(&self) -> Vec<String> {
        let told = self
            .ada
            .read(|world| world.transcript().clone())
            .await
            .unwrap();
        told.iter()
            .map(|message| message.text.present().cloned().unwrap_or_default())
            .collect()
    }
}

const REFUND: &str = "{ tool: refund, args: { order: 7 } }";

#[tokio::test]
async fn a_request_knows_its_agent_tool_arguments_and_digest() {
    let desk = Desk::asked(REFUND).await;
    let asked = desk.only().await;
    let shown = "desk asks to run refund (write) with {\"order\":7}";
    assert_eq!(asked.agent.as_str(), "desk");
    assert_eq!(
        asked.tool.as_ref().map(|tool| tool.as_str()),
        Some("refund")
    );
    assert_eq!(asked.arguments.as_deref(), Some("{\"order\":7}"));
    assert_eq!(asked.digest(), Some(Digest::of(&[shown.as_bytes()])));
    assert_eq!(asked.to_string(), shown);
}

#[tokio::test]
async fn what_was_allowed_runs_once_and_the_decision_says_what_was_shown() {
    let desk = Desk::asked(REFUND).await;
    let asked = desk.only().await;
    desk.ada.allow(&asked).await.unwrap();
    assert_eq!(desk.world.quiet().await, Ok(Activity::Idle));
    let decided = desk
        .events()
        .await
        .into_iter()
        .find_map(|event| match event {
            Event::Call(CallEvent::ApprovalDecided(decided)) => Some(decided),
            _ => None,
        });
    let decided = decided.unwrap();
    assert_eq!(
        (decided.verdict, decided.scope),
        (Verdict::Allow, Scope::Once)
    );
    assert_eq!(
        decided.shown,
        asked.digest().map(|digest| digest.short().to_string())
    );
    assert_eq!(
        desk.say("And the other one.").await,
        Activity::Parked,
        "the next one is asked about"
    );
}

#[tokio::test]
async fn a_decision_about_something_else_than_was_shown_is_refused() {
    let desk = Desk::asked(REFUND).await;
    let mut asked = desk.only().await;
    if let Asks::Approval { shown, .. } = &mut asked.asks {
        *shown = Digest::of(&[b"something else"]);
    }
    for refused in [
        desk.ada.allow(&asked).await,
        desk.ada.deny(&asked, "no").await,
    ] {
        let Err(SeatError::Refused(Refusal::Right { reason, .. })) = refused else {
            panic!("it was {refused:?}");
        };
        assert_eq!(reason, RefusalReason::ShownDiffers);
    }
    assert_eq!(desk.only().await.request, asked.request, "it still waits");
}

#[tokio::test]
async fn an_allowance_reaches_as_far_as_it_says() {
    let desk = Desk::asked(REFUND).await;
    let either = Constraint {
        path: "/order".to_owned(),
        allowed: Allowed::OneOf(vec![json!(7), json!(8)]),
    };
    let asked = desk.only().await;
    desk.ada
        .allow_with(&asked, Scope::Uses(2), vec![either])
        .await
        .unwrap();
    assert_eq!(desk.world.quiet().await, Ok(Activity::Idle));
    assert_eq!(desk.say("And the other one.").await, Activity::Idle);
    assert_eq!(
        desk.results().await,
        ["Please.", "@ada first", "And the other one.", "@ada second"]
    );

    let narrow = Desk::asked(REFUND).await;
    let asked = narrow.only().await;
    narrow
        .ada
        .allow_with(&asked, Scope::Uses(2), Vec::new())
        .await
        .unwrap();
    assert_eq!(narrow.world.quiet().await, Ok(Activity::Idle));
    assert_eq!(
        narrow.say("And the other one.").await,
        Activity::Parked,
        "another order is asked about"
    );
}

#[tokio::test]
async fn what_was_denied_does_not_run_and_the_reason_is_recorded() {
    let desk = Desk::asked(REFUND).await;
    desk.ada
        .deny(&desk.only().await, "not today")
        .await
        .unwrap();
    assert_eq!(desk.world.quiet().await, Ok(Activity::Idle));
    let events = desk.events().await;
    let started = events
        .iter()
        .any(|event| matches!(event, Event::Call(CallEvent::ToolStarted(_))));
    assert!(!started, "it ran");
    let why = events.iter().find_map(|event| match event {
        Event::Call(CallEvent::ApprovalDecided(decided)) => {
            decided.text.present().and_then(|text| text.reason.clone())
        }
        _ => None,
    });
    assert_eq!(why.as_deref(), Some("not today"));
}

#[tokio::test]
async fn a_question_is_answered_by_its_options() {
    let desk = Desk::asked("{ tool: ask, args: {} }").await;
    let asked = desk.only().await;
    assert_eq!(
        asked.to_string(),
        "ask, which desk called, asks: Which account?"
    );
    assert_eq!(asked.digest(), None);
    let error = desk.ada.answer(&asked, vec![2]).await.unwrap_err();
    assert!(matches!(error, SeatError::Refused(_)), "{error:?}");
    desk.ada.answer(&asked, vec![1]).await.unwrap();
    assert_eq!(desk.world.quiet().await, Ok(Activity::Idle));
    assert_eq!(desk.ada.waiting().await, Ok(Vec::new()));
}

#[tokio::test]
async fn whoever_may_not_read_is_told_nothing_of_what_waits() {
    let room = Room::from_yaml(&format!(
        "{}\npolicy: {{ rights: {{ default: [post] }} }}",
        ROOM.replace("CALL", REFUND)
    ))
    .unwrap();
    let store = Store::memory();
    let runtime = Runtime::builder(&store).build();
    let world = runtime.open_room(&room).await.unwrap();
    let kim = person(&world, "kim");
    assert!(matches!(kim.waiting().await, Err(SeatError::Refused(_))));
}
