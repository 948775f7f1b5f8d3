//! Whoever has lost the right to act for a room does nothing more in it, and whoever has it now goes on as behind a crash.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use folkmoot::core::command::Settlement;
use folkmoot::core::event::{Author, ClockKind, TreeHead};
use folkmoot::core::ids::WorldId;
use folkmoot::core::model::Parameters;
use folkmoot::core::port::{
    Agent, AgentError, Model, ModelCall, Reaction, Signer, TextEvent, ToolResultEvent, TurnView,
};
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::proof::note::SignerKey;
use folkmoot::run::Asks;
use folkmoot::{
    ActivityEvent, ActivitySubscription, Drafts, HeadSigner, Key, LLMResponse, ModelError,
    OpenError, Opening, Post, Runtime, SeatError, Store, TextSubscription, WorldHandle,
};
use folkmoot_tests::{
    Deed, FakeTool, Fickle, Loss, Room, Trace, commits_of, person, repeats_of, room_name, says,
    story_of, wants,
};
use futures::FutureExt as _;

mod edges;

/// The world outside, which outlives every process.
#[derive(Debug, Default)]
struct Outside {
    /// The keys of the model calls, in the order in which they came.
    calls: Mutex<Vec<String>>,
    paid: AtomicUsize,
}

/// A model that gives each call its own answer, however often it is asked.
#[derive(Debug)]
struct Planner {
    outside: Arc<Outside>,
    tenure: Fickle,
}

#[async_trait]
impl Model for Planner {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        self.tenure.note(Deed::Began("model"));
        let number = {
            let mut calls = self.outside.calls.lock().unwrap();
            let known = calls.iter().position(|key| *key == call.idempotency_key);
            known.unwrap_or_else(|| {
                calls.push(call.idempotency_key.clone());
                calls.len() - 1
            })
        };
        Ok(match number {
            0 => wants(&["look"]),
            1 => wants(&["pay"]),
            _ => {
                let _closed = drafts.push("All done, I think.").await;
                says("All done, I think.")
            }
        })
    }
}

/// An agent whose reaction stands, and who listens all the same.
#[derive(Debug)]
struct Listener(Fickle);

#[async_trait]
impl Agent for Listener {
    fn standing(&self) -> Option<Parameters> {
        Some(Parameters::default())
    }

    async fn on_text(&self, _: &TurnView, _: &[TextEvent]) -> Result<Reaction, AgentError> {
        self.0.note(Deed::Began("agent"));
        Ok(Reaction::Pass { note: None })
    }

    async fn on_tool_results(
        &self,
        _: &TurnView,
        _: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError> {
        self.0.note(Deed::Began("agent"));
        Ok(Reaction::Pass { note: None })
    }
}

/// A signer that is seen.
#[derive(Debug)]
struct Notary(HeadSigner, Fickle);

impl Signer for Notary {
    fn key(&self) -> String {
        self.0.key()
    }

    fn sign(&self, world: WorldId, head: &TreeHead) -> String {
        self.1.note(Deed::Began("signer"));
        self.0.sign(world, head)
    }
}

fn room(outside: &Arc<Outside>, tenure: &Fickle) -> Room {
    let model = Planner {
        outside: Arc::clone(outside),
        tenure: tenure.clone(),
    };
    let looks = tenure.clone();
    let look = FakeTool::new("look", EffectClass::Read, move |call| {
        looks.note(Deed::Began("look"));
        call.progress.report("half of it");
        async { ToolOutcome::text("seen") }
    });
    let (pays, outside) = (tenure.clone(), Arc::clone(outside));
    let pay = FakeTool::new("pay", EffectClass::Destructive, move |_call| {
        pays.note(Deed::Began("pay"));
        outside.paid.fetch_add(1, Ordering::SeqCst);
        async { ToolOutcome::text("paid") }
    });
    Room::auto()
        .agent("a", &["look", "pay"], Arc::new(model))
        .behind("a", Arc::new(Listener(tenure.clone())))
        .tool(look)
        .tool(pay)
}

/// A process that has taken the room.
fn process(store: &Store, room: &Room, tenure: &Fickle) -> Runtime {
    let key = SignerKey::generate("example.com/room", &[7; 32]).unwrap();
    let notary = Notary(HeadSigner::new(key), tenure.clone());
    Runtime::builder(store)
        .assembler(room.parts())
        .signer(Arc::new(notary))
        .tenures(Arc::new(tenure.clone()))
        .build()
        .through(Arc::new(tenure.clone()))
}

async fn open(runtime: &Runtime, room: &Room) -> Result<WorldHandle, OpenError> {
    let opening = Opening {
        clock: ClockKind::Simulated,
        ..Opening::with(room_name(), room.definition())
    };
    runtime.open(opening).await
}

/// Whoever watches the room.
struct Watcher {
    activity: ActivitySubscription,
    texts: TextSubscription,
}

impl Watcher {
    async fn of(world: &WorldHandle) -> Self {
        let seat = person(world, "eve");
        Self {
            activity: seat.subscribe_activity().unwrap(),
            texts: seat.subscribe_text().await.unwrap(),
        }
    }

    /// The kinds of what was told since the last time. A draft that breaks off tells nothing new.
    fn told(&mut self) -> Vec<&'static str> {
        let mut told = Vec::new();
        while let Ok(event) = self.activity.try_recv() {
            if !matches!(event, ActivityEvent::DraftEnded { .. }) {
                told.push("activity");
            }
        }
        while let Some(Ok(Some(_))) = self.texts.next().now_or_never() {
            told.push("feed");
        }
        told
    }
}

/// A life of the room that may be cut short.
struct Lived {
    store: Store,
    outside: Arc<Outside>,
    tenure: Fickle,
    /// Kept, so that nothing ends because somebody lets go of it.
    _runtime: Runtime,
    /// What observers were told behind the loss.
    told: Vec<&'static str>,
    ended: Result<(), String>,
}

async fn live(loss: Loss) -> Lived {
    let (store, outside, tenure) = (Store::memory(), Arc::default(), Fickle::new(loss));
    let room = room(&outside, &tenure);
    let runtime = process(&store, &room, &tenure);
    let (mut told, mut ended) = (Vec::new(), Ok(()));
    match open(&runtime, &room).await {
        Ok(world) => {
            let watcher = Arc::new(Mutex::new(Watcher::of(&world).await));
            let witness = Arc::clone(&watcher);
            tenure.witness(move || {
                let _before = witness.lock().unwrap().told();
            });
            if let Err(error) = go(&world).await {
                assert_eq!(error, SeatError::TenureLost, "{loss:?}");
                ended = Err(error.to_string());
            }
            // Whatever somebody has put on its way comes to its end.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            if tenure.is_lost() {
                told = watcher.lock().unwrap().told();
                assert_eq!(world.quiet().await, Err(SeatError::TenureLost), "{loss:?}");
            }
        }
        Err(OpenError::TenureLost(_)) => ended = Err("it was lost while it was opened".to_owned()),
        Err(error) => panic!("{loss:?}: {error}"),
    }
    Lived {
        store,
        outside,
        tenure,
        _runtime: runtime,
        told,
        ended,
    }
}

/// Asks for the work, and waits until nothing goes on.
async fn go(world: &WorldHandle) -> Result<(), SeatError> {
    let post = Post {
        key: Some(Key::Client("go".to_owned())),
        ..Post::text("Look, then pay.")
    };
    person(world, "ada").publish_message(post).await?;
    world.quiet().await?;
    Ok(())
}

impl Lived {
    /// Goes on with the room in another process, and gives what stands in it at the end.
    async fn go_on_elsewhere(&self) -> Vec<(Author, String)> {
        let tenure = Fickle::new(Loss::Never);
        let room = room(&self.outside, &tenure);
        let runtime = process(&self.store, &room, &tenure);
        let world = open(&runtime, &room).await.unwrap();
        go(&world).await.unwrap();
        let auditor = person(&world, "auditor");
        for request in auditor.waiting().await.unwrap() {
            assert!(matches!(request.asks, Asks::Outcome { is_open: true }));
            let settlement = match self.outside.paid.load(Ordering::SeqCst) {
                0 => Settlement::RunAgain,
                _ => Settlement::Ran(Some("paid".to_owned())),
            };
            auditor.settle(&request, settlement).await.unwrap();
            world.quiet().await.unwrap();
        }
        let trace = world.operator().read(Trace::of_world).await.unwrap();
        runtime.shutdown().await;
        trace.messages
    }

    /// Holds the room against what must be so however it was lost.
    async fn check(&self, what: &str, uncut: &[(Author, String)]) {
        let messages = self.go_on_elsewhere().await;
        let commits = commits_of(&self.store, &room_name()).await;
        let story = story_of(&commits);
        assert_eq!(messages, uncut, "{what}\n{story}");
        assert_eq!(
            self.outside.paid.load(Ordering::SeqCst),
            1,
            "{what}\n{story}"
        );
        assert_eq!(repeats_of(&commits), [], "{what}\n{story}");
    }
}

async fn uncut() -> (usize, Vec<(Author, String)>) {
    let lived = live(Loss::Never).await;
    lived.ended.clone().unwrap();
    let asked = lived.tenure.asked();
    (asked, lived.go_on_elsewhere().await)
}

#[tokio::test]
async fn nothing_is_done_behind_a_no() {
    let (asked, messages) = uncut().await;
    for question in 1..=asked {
        let lived = live(Loss::At(question)).await;
        let what = format!("question {question} of {asked}");
        assert!(lived.tenure.is_lost(), "{what} was not asked");
        assert_eq!(lived.tenure.behind_the_loss(), [], "{what}");
        assert_eq!(lived.told, Vec::<&str>::new(), "{what}");
        lived.check(&what, &messages).await;
        assert_eq!(lived.tenure.behind_the_loss(), [], "{what}, much later");
    }
}

/// The process is paused between a question and what it asked for, and the world is lost: that one thing is done.
#[tokio::test]
async fn one_question_stands_for_one_deed() {
    let (asked, messages) = uncut().await;
    for question in 1..=asked {
        let lived = live(Loss::Behind(question)).await;
        let what = format!("question {question} of {asked}");
        assert!(lived.tenure.is_lost(), "{what} was not asked");
        let mut done: Vec<String> = lived.told.iter().map(ToString::to_string).collect();
        let behind = lived.tenure.behind_the_loss();
        done.extend(behind.iter().map(|deed| format!("{deed:?}")));
        done.dedup();
        assert!(done.len() <= 1, "{what}: {done:?}");
        lived.check(&what, &messages).await;
    }
}

#[tokio::test]
async fn each_deed_is_asked_for() {
    let lived = live(Loss::Never).await;
    let mut picture = String::new();
    for deed in lived.tenure.deeds() {
        match deed {
            Deed::Asked => picture.push('?'),
            Deed::Appended(kinds) => picture.push_str(&format!(" append {kinds:?}\n")),
            Deed::Began(what) => picture.push_str(&format!(" {what}\n")),
            Deed::Released(due) => picture.push_str(&format!(" released {due:?}\n")),
        }
    }
    assert_eq!(picture, PICTURE);
}

/// Two rounds and an answer. Each mark is a question.
const PICTURE: &str = "\
? append [Create]
?? signer
?? append [Sign]
??????? append [PostMessage, OpenTurn]
??????? agent
? model
??? append [RecordAnswer, StartTool]
????? look
???? append [FinishTool, ContinueTurn]
???? agent
? model
??? append [RecordAnswer, StartTool]
????? pay
??? append [FinishTool, ContinueTurn]
???? agent
? model
??? append [StartStream]
??????? append [RecordAnswer]
?? signer
?? append [Sign]
????";
