//! Worlds that nobody needs are let go of, and nobody notices. Time is the executor's, and passes at once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::{Incarnation, Time};
use folkmoot::core::port::{Clock, EventLog as _, NoTenure};
use folkmoot::core::spec::Definition;
use folkmoot::core::world::{Activity, World};
use folkmoot::{
    ActivityEvent, Assemble, AssembleError, Drafts, Effect, IDLE_CLOSE, Key, LLMResponse, Model,
    ModelCall, ModelError, ModelName, Opening, Parts, Post, Runtime, RuntimeBuilder, SeatError,
    Store, ToolOutcome, WorldHandle,
};
use folkmoot_tests::{
    Deed, FakeModel, FakeTool, Fickle, Loss, Room, person, room_name, says, wants,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout};

/// Longer than anything here waits for.
const DAY: Duration = Duration::from_secs(86_400);

/// A model that always says the same, and tells when it is let go of.
#[derive(Debug)]
struct Parrot {
    says: LLMResponse,
    gone: UnboundedSender<()>,
}

impl Drop for Parrot {
    fn drop(&mut self) {
        let _unheard = self.gone.send(());
    }
}

#[async_trait::async_trait]
impl Model for Parrot {
    async fn call(
        &self,
        _call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        Ok(self.says.clone())
    }
}

/// Makes the parts of the room anew for each opening.
#[derive(Debug)]
struct Cast {
    says: LLMResponse,
    gone: UnboundedSender<()>,
    is_broken: Arc<AtomicBool>,
}

impl Assemble for Cast {
    fn assemble(
        &self,
        _definition: &Definition,
        _base: Option<&Path>,
    ) -> Result<Parts, AssembleError> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(AssembleError {
                part: "model bob".to_owned(),
                why: "its file is gone".to_owned(),
            });
        }
        let parrot = Parrot {
            says: self.says.clone(),
            gone: self.gone.clone(),
        };
        let mut parts = Parts::default();
        parts
            .models
            .insert(ModelName::new("bob").unwrap(), Arc::new(parrot));
        parts
            .tools
            .insert("send".to_owned().try_into().unwrap(), Arc::new(send()));
        Ok(parts)
    }
}

fn send() -> FakeTool {
    FakeTool::new("send", Effect::Write, |_| async {
        ToolOutcome::text("sent")
    })
}

/// The time of the executor.
#[derive(Debug)]
struct Paused(Instant);

#[async_trait::async_trait]
impl Clock for Paused {
    fn now(&self) -> Time {
        Time::default().after(self.0.elapsed())
    }

    async fn sleep_until(&self, time: Time) {
        tokio::time::sleep(self.now().until(time)).await;
    }
}

struct House {
    store: Store,
    runtime: Runtime,
    world: WorldHandle,
    gone: UnboundedReceiver<()>,
    is_broken: Arc<AtomicBool>,
}

impl House {
    async fn new(says: LLMResponse, clock: ClockKind, idle_close: Option<Duration>) -> Self {
        Self::built(says, clock, |builder| builder.idle_close(idle_close)).await
    }

    /// One that is taken before it is opened.
    async fn taken(says: LLMResponse, tenure: &Fickle) -> Self {
        let tenures = Arc::new(tenure.clone());
        let clock = Arc::new(Paused(Instant::now()));
        Self::built(says, ClockKind::System, |builder| {
            builder.tenures(tenures).machine_clock(clock)
        })
        .await
    }

    async fn built(
        says: LLMResponse,
        clock: ClockKind,
        build: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    ) -> Self {
        let (tell, gone) = unbounded_channel();
        let (store, is_broken) = (Store::memory(), Arc::<AtomicBool>::default());
        let cast = Cast {
            says,
            gone: tell,
            is_broken: Arc::clone(&is_broken),
        };
        let runtime = build(Runtime::builder(&store).assembler(cast)).build();
        let room = Room::asking()
            .agent("bob", &["send"], FakeModel::new([]))
            .tool(send());
        let opening = Opening {
            clock,
            ..Opening::with(room_name(), room.definition())
        };
        let world = runtime.open(opening).await.unwrap();
        Self {
            store,
            runtime,
            world,
            gone,
            is_broken,
        }
    }

    /// One that has been talked in, and sleeps since.
    async fn asleep() -> Self {
        let mut house = Self::new(says("aye"), ClockKind::System, Some(IDLE_CLOSE)).await;
        house.talk("hello").await;
        house.gone.recv().await.unwrap();
        house
    }

    async fn talk(&self, text: &str) {
        person(&self.world, "ada")
            .publish_message(Post::text(text))
            .await
            .unwrap();
        self.world.quiet().await.unwrap();
    }

    async fn incarnation(&self) -> Incarnation {
        self.store
            .find(&room_name())
            .await
            .unwrap()
            .unwrap()
            .incarnation
    }

    async fn never_sleeps(&mut self) {
        assert!(
            timeout(DAY, self.gone.recv()).await.is_err(),
            "the world was let go of"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_world_is_let_go_of_after_ten_minutes_and_opened_again_when_it_is_asked() {
    let mut house = House::new(says("aye"), ClockKind::System, Some(IDLE_CLOSE)).await;
    let ada = person(&house.world, "ada");
    let mut texts = ada.subscribe_text().await.unwrap();
    let keyed = Post {
        key: Some(Key::Client("k".to_owned())),
        ..Post::text("hello")
    };
    let first = ada.publish_message(keyed.clone()).await.unwrap();
    house.world.quiet().await.unwrap();

    let began = Instant::now();
    house.gone.recv().await.unwrap();
    let slept = began.elapsed();
    assert!(
        slept >= IDLE_CLOSE && slept < IDLE_CLOSE + Duration::from_secs(1),
        "{slept:?}"
    );
    assert_eq!(house.incarnation().await, Incarnation(1));
    assert!(house.world.is_open() && house.runtime.world(&room_name()).is_some());
    assert_eq!(house.world.quiet().await.unwrap(), Activity::Idle);
    assert_eq!(
        house.incarnation().await,
        Incarnation(1),
        "waiting for quiet wakes nobody"
    );

    let mut activity = ada.subscribe_activity().unwrap();
    assert_eq!(ada.publish_message(keyed).await.unwrap(), first);
    assert_eq!(house.incarnation().await, Incarnation(2));
    house.talk("again").await;
    assert_eq!(
        activity.recv().await.unwrap(),
        ActivityEvent::World(Activity::Running)
    );
    let mut said = Vec::new();
    for _ in 0..4 {
        said.push(texts.next().await.unwrap().unwrap().text);
    }
    assert_eq!(said, ["hello", "aye", "again", "aye"]);

    house.gone.recv().await.unwrap();
    let heard = house
        .world
        .operator()
        .read(|world| world.transcript().len())
        .await
        .unwrap();
    assert_eq!((heard, house.incarnation().await), (4, Incarnation(3)));
}

#[tokio::test(start_paused = true)]
async fn a_world_that_is_asked_something_in_time_stays() {
    let mut house = House::new(says("aye"), ClockKind::System, Some(IDLE_CLOSE)).await;
    for _ in 0..5 {
        assert!(
            timeout(IDLE_CLOSE * 2 / 3, house.gone.recv())
                .await
                .is_err()
        );
        house.world.operator().read(|_| ()).await.unwrap();
    }
    assert_eq!(house.incarnation().await, Incarnation(1));
}

#[tokio::test(start_paused = true)]
async fn a_world_in_which_a_person_is_waited_for_stays() {
    let mut house = House::new(wants(&["send"]), ClockKind::System, Some(IDLE_CLOSE)).await;
    house.talk("send it").await;
    assert_eq!(house.world.quiet().await.unwrap(), Activity::Parked);
    house.never_sleeps().await;
}

#[tokio::test(start_paused = true)]
async fn a_world_on_a_simulated_clock_stays() {
    House::new(says("aye"), ClockKind::Simulated, Some(IDLE_CLOSE))
        .await
        .never_sleeps()
        .await;
}

#[tokio::test(start_paused = true)]
async fn every_world_stays_where_the_runtime_says_so() {
    House::new(says("aye"), ClockKind::System, None)
        .await
        .never_sleeps()
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_sleeping_world_that_somebody_else_has_opened_is_not_taken_over_unasked() {
    let house = House::asleep().await;
    let other = Runtime::builder(&house.store).build();
    let opening = Opening {
        perform: folkmoot::Perform::Nothing,
        ..Opening::recorded(room_name())
    };
    let theirs = other.open(opening).await.unwrap();

    let ada = person(&house.world, "ada");
    let error = ada
        .publish_message(Post::text("anybody?"))
        .await
        .unwrap_err();
    let SeatError::Stopped(why) = &error else {
        panic!("{error}")
    };
    assert!(
        why.contains("another process opened the world room while it was idle here"),
        "{why}"
    );
    assert_eq!(house.world.operator().read(|_| ()).await, Err(error));
    assert_eq!(house.incarnation().await, Incarnation(2));
    person(&theirs, "eve")
        .publish_message(Post::text("still mine"))
        .await
        .unwrap();

    let again = house
        .runtime
        .open(Opening::recorded(room_name()))
        .await
        .unwrap();
    person(&again, "ada")
        .publish_message(Post::text("mine"))
        .await
        .unwrap();
    assert_eq!(house.incarnation().await, Incarnation(3));
    let fenced = person(&theirs, "eve")
        .publish_message(Post::text("mine?"))
        .await
        .unwrap_err();
    assert!(matches!(fenced, SeatError::Stopped(_)), "{fenced}");
}

#[tokio::test(start_paused = true)]
async fn a_sleeping_world_whose_parts_are_gone_says_so() {
    let house = House::asleep().await;
    house.is_broken.store(true, Ordering::SeqCst);
    let head = house.store.find(&room_name()).await.unwrap().unwrap().head;
    let error = person(&house.world, "ada")
        .publish_message(Post::text("anybody?"))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, SeatError::Stopped(why) if why.contains("model bob: its file is gone")),
        "{error}"
    );
    assert!(!house.world.is_open());
    assert_eq!(
        house.store.find(&room_name()).await.unwrap().unwrap().head,
        head
    );

    house.is_broken.store(false, Ordering::SeqCst);
    let again = house
        .runtime
        .open(Opening::recorded(room_name()))
        .await
        .unwrap();
    person(&again, "ada")
        .publish_message(Post::text("anybody?"))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_sleeping_world_is_closed_without_being_opened() {
    let house = House::asleep().await;
    let head = house.store.find(&room_name()).await.unwrap().unwrap().head;
    house.runtime.shutdown().await;
    assert!(!house.world.is_open());
    assert_eq!(
        person(&house.world, "ada")
            .publish_message(Post::text("hello?"))
            .await,
        Err(SeatError::Closed)
    );
    assert_eq!(
        house.store.find(&room_name()).await.unwrap().unwrap().head,
        head
    );
}

/// When the world that was given back last is due.
fn due(tenure: &Fickle) -> Option<Time> {
    match tenure.deeds().last() {
        Some(Deed::Released(due)) => *due,
        last => panic!("it is not given back: {last:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_world_that_somebody_may_take_sleeps_while_a_person_is_waited_for_and_wakes_when_it_is_due()
 {
    let tenure = Fickle::new(Loss::Never);
    let mut house = House::taken(wants(&["send"]), &tenure).await;
    house.talk("send it").await;
    let expires = |world: &World| world.owed().find_map(|effect| effect.not_before());
    let expires = house.world.operator().read(expires).await.unwrap();
    house.gone.recv().await.unwrap();
    assert!(expires.is_some());
    assert_eq!(
        (due(&tenure), house.incarnation().await),
        (expires, Incarnation(1))
    );

    // The request expires, the agent asks again, and the world sleeps again.
    house.gone.recv().await.unwrap();
    assert_eq!(house.incarnation().await, Incarnation(2));
    assert!(due(&tenure) > expires);
    let pending = |world: &World| world.consent().pending().len();
    assert_eq!(house.world.operator().read(pending).await, Ok(1));
    assert_eq!(house.incarnation().await, Incarnation(3));
}

#[tokio::test(start_paused = true)]
async fn a_sleeping_world_that_was_elsewhere_meanwhile_is_opened_again() {
    let tenure = Fickle::new(Loss::Never);
    let mut house = House::taken(says("aye"), &tenure).await;
    house.talk("hello").await;
    house.gone.recv().await.unwrap();
    assert_eq!(due(&tenure), None);
    let other = Runtime::builder(&house.store).build();
    let opening = Opening {
        perform: folkmoot::Perform::Nothing,
        ..Opening::recorded(room_name())
    };
    other.open(opening).await.unwrap();
    other.shutdown().await;

    house.talk("again").await;
    assert_eq!(house.incarnation().await, Incarnation(3));
    house.gone.recv().await.unwrap();
    tenure.refuse(NoTenure::HeldElsewhere {
        node: "node-b".to_owned(),
    });
    let ada = person(&house.world, "ada");
    let answer = ada.publish_message(Post::text("anybody?")).await;
    assert_eq!(answer, Err(SeatError::TenureLost));
    assert!(!house.world.is_open());
    assert_eq!(house.incarnation().await, Incarnation(3));
}
