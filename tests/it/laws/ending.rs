//! How work that is under way ends when it takes too long or is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use folkmoot::core::event::{CallEvent, CallStatus, CloseReason, Event, TurnEvent, UnknownCause};
use folkmoot::core::model::response::{LLMResponse, ModelError};
use folkmoot::core::port::{Drafts, Model, ModelCall};
use folkmoot::core::tool::{EffectClass, ToolErrorCode, ToolOutcome};
use folkmoot::core::world::Activity;
use folkmoot::run::{Asks, waiting};
use folkmoot::{Post, Store};
use folkmoot_tests::{FakeModel, FakeTool, Room, person, says, wants};
use tokio::sync::Semaphore;

use super::events;

/// Counts itself up while it lives.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A tool that never ends, and tells when it has begun.
fn endless(
    name: &str,
    effect: EffectClass,
    alive: &Arc<AtomicUsize>,
    begun: &Arc<Semaphore>,
) -> FakeTool {
    let (alive, begun) = (Arc::clone(alive), Arc::clone(begun));
    FakeTool::new(name, effect, move |_call| {
        let (alive, begun) = (Alive::new(&alive), Arc::clone(&begun));
        async move {
            begun.add_permits(1);
            std::future::pending::<()>().await;
            drop(alive);
            ToolOutcome::text("never")
        }
    })
}

async fn statuses(store: &Store) -> Vec<CallStatus> {
    let status = |event| {
        if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            Some(finished.status)
        } else {
            None
        }
    };
    events(store).await.into_iter().filter_map(status).collect()
}

#[tokio::test]
async fn a_tool_that_takes_too_long_is_stopped_and_what_cannot_be_repeated_is_asked_about() {
    let (alive, begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let model = FakeModel::new([wants(&["look"]), wants(&["pay"]), says("well")]);
    let room = Room::auto()
        .agent("a", &["look", "pay"], Arc::clone(&model) as _)
        .tool(endless("look", EffectClass::Read, &alive, &begun).within_ms(20))
        .tool(endless("pay", EffectClass::Destructive, &alive, &begun).within_ms(20));
    let store = Store::memory();
    let (_runtime, world) = room.open(&store).await;
    person(&world, "ada")
        .publish_message(Post::text("go"))
        .await
        .unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    assert_eq!(
        statuses(&store).await,
        [
            CallStatus::Failed(ToolErrorCode::TimedOut),
            CallStatus::Unknown(UnknownCause::TimedOut)
        ]
    );
    assert_eq!(
        alive.load(Ordering::SeqCst),
        0,
        "a run outlived its time limit"
    );
    let waits: Vec<Asks> = world
        .operator()
        .read(waiting)
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.asks)
        .collect();
    assert_eq!(waits, [Asks::Outcome { is_open: false }]);
    assert_eq!(model.asked().len(), 3, "the agent was told of both");
}

/// A model that never answers.
#[derive(Debug)]
struct Endless {
    alive: Arc<AtomicUsize>,
    begun: Arc<Semaphore>,
}

#[async_trait]
impl Model for Endless {
    async fn call(
        &self,
        _call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        let _alive = Alive::new(&self.alive);
        self.begun.add_permits(1);
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_stop_ends_all_that_runs_and_every_call_has_its_end() {
    let (alive, begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let room = Room::asking()
        .agent(
            "a",
            &["look", "pay"],
            FakeModel::new([wants(&["look", "pay", "look"])]),
        )
        .agent(
            "b",
            &[],
            Arc::new(Endless {
                alive: Arc::clone(&alive),
                begun: Arc::clone(&begun),
            }),
        )
        .tool(endless("look", EffectClass::Read, &alive, &begun))
        .tool(endless("pay", EffectClass::Destructive, &alive, &begun));
    let store = Store::memory();
    let (_runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("go")).await.unwrap();
    // Two runs and a model call; the third call waits for a person.
    begun.acquire_many(3).await.unwrap().forget();
    assert_eq!(alive.load(Ordering::SeqCst), 3);
    ada.stop(None, None).await.unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    assert_eq!(
        statuses(&store).await,
        [
            CallStatus::Cancelled,
            CallStatus::Cancelled,
            CallStatus::Cancelled
        ]
    );
    let closed = |event| {
        if let Event::Turn(TurnEvent::TurnClosed(closed)) = event {
            Some(closed.reason)
        } else {
            None
        }
    };
    let closed: Vec<CloseReason> = events(&store)
        .await
        .into_iter()
        .filter_map(closed)
        .collect();
    assert_eq!(closed, [CloseReason::Stopped, CloseReason::Stopped]);
    assert!(
        world.operator().read(waiting).await.unwrap().is_empty(),
        "a request outlived the stop"
    );
    while alive.load(Ordering::SeqCst) > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_stopped_run_that_cannot_be_repeated_is_asked_about() {
    let (alive, begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let room = Room::auto()
        .agent("a", &["pay"], FakeModel::new([wants(&["pay"])]))
        .tool(endless("pay", EffectClass::Destructive, &alive, &begun));
    let store = Store::memory();
    let (_runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("go")).await.unwrap();
    begun.acquire().await.unwrap().forget();
    ada.stop(None, None).await.unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    assert_eq!(
        statuses(&store).await,
        [CallStatus::Unknown(UnknownCause::Stopped)]
    );
    let waits: Vec<Asks> = world
        .operator()
        .read(waiting)
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.asks)
        .collect();
    assert_eq!(waits, [Asks::Outcome { is_open: false }]);
}
