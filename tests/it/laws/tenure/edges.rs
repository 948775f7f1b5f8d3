//! How a room is taken, lost and given back.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::command::{Action, ConsentAction, Judgement};
use folkmoot::core::event::{ForkEffects, Verdict};
use folkmoot::core::ids::{Incarnation, Position, RequestId, Time, WorldName};
use folkmoot::core::port::causes::with_causes;
use folkmoot::core::port::{AppendError, Appended, EventLog, NoTenure};
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::core::world::{Activity, World};
use folkmoot::run::Asks;
use folkmoot::{
    Beforehand, Forking, Gatekeeper, Key, OpenError, Opening, Perform, Post, Proof, Runtime,
    SeatError, SimulatedClock, Store,
};
use folkmoot_tests::{
    Deed, FakeModel, FakeTool, Fickle, Loss, Room, commits_of, person, room_name, says, wants,
};
use tokio::sync::Semaphore;

use super::{Watcher, open, process};

/// Says so when it is dropped.
struct Ended(Arc<Semaphore>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

/// A room whose tool begins, and never ends by itself.
struct Endless {
    room: Room,
    begun: Arc<Semaphore>,
    ended: Arc<Semaphore>,
}

impl Endless {
    fn new() -> Self {
        let (begun, ended) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let (begins, ends) = (Arc::clone(&begun), Arc::clone(&ended));
        let pay = FakeTool::new("pay", EffectClass::Destructive, move |_call| {
            let (begins, ends) = (Arc::clone(&begins), Ended(Arc::clone(&ends)));
            async move {
                begins.add_permits(1);
                std::future::pending::<()>().await;
                drop(ends);
                ToolOutcome::text("never")
            }
        });
        let model = FakeModel::new([wants(&["pay"]), says("Well.")]);
        let room = Room::auto().agent("a", &["pay"], model).tool(pay);
        Self { room, begun, ended }
    }
}

#[tokio::test]
async fn a_run_is_killed_when_the_room_is_lost_and_is_asked_about_elsewhere() {
    let (store, tenure, endless) = (Store::memory(), Fickle::new(Loss::Never), Endless::new());
    let runtime = process(&store, &endless.room, &tenure);
    let world = open(&runtime, &endless.room).await.unwrap();
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("Pay.")).await.unwrap();
    endless.begun.acquire().await.unwrap().forget();

    tenure.lose();
    assert_eq!(world.quiet().await, Err(SeatError::TenureLost));
    endless.ended.acquire().await.unwrap().forget();
    let late = ada.publish_message(Post::text("And now?")).await;
    assert_eq!(late, Err(SeatError::TenureLost));
    assert_eq!(
        world.operator().read(|_| ()).await,
        Err(SeatError::TenureLost)
    );
    assert!(!world.is_open() && runtime.world(&room_name()).is_none());
    runtime.shutdown().await;
    assert_eq!(tenure.behind_the_loss(), []);

    let (_runtime, world) = endless.room.open(&store).await;
    assert_eq!(world.quiet().await, Ok(Activity::Parked));
    let waiting = person(&world, "ada").waiting().await.unwrap();
    assert_eq!(waiting[0].asks, Asks::Outcome { is_open: true });
    assert_eq!(endless.begun.available_permits(), 0, "it ran again");
}

/// A log that takes what comes, and from some time on does not answer.
#[derive(Debug)]
struct Silent {
    tenure: Fickle,
    is_silent: AtomicBool,
}

#[async_trait]
impl Gatekeeper for Silent {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let appended = self.tenure.append(log, incarnation, commits).await;
        if self.is_silent.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        appended
    }

    fn read(&self, _commits: usize) {}
}

#[tokio::test]
async fn a_run_is_killed_in_time_while_the_log_does_not_answer() {
    let (store, tenure, endless) = (Store::memory(), Fickle::new(Loss::Never), Endless::new());
    let silent = Arc::new(Silent {
        tenure: tenure.clone(),
        is_silent: AtomicBool::new(false),
    });
    let runtime = process(&store, &endless.room, &tenure).through(Arc::clone(&silent) as _);
    let world = open(&runtime, &endless.room).await.unwrap();
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("Pay.")).await.unwrap();
    endless.begun.acquire().await.unwrap().forget();

    silent.is_silent.store(true, Ordering::SeqCst);
    let mut watcher = Watcher::of(&world).await;
    let _before = watcher.told();
    let keyed = Post {
        key: Some(Key::Client("more".to_owned())),
        ..Post::text("More!")
    };
    let asking = {
        let (ada, keyed) = (ada.clone(), keyed.clone());
        tokio::spawn(async move { ada.publish_message(keyed).await })
    };
    while commits_of(&store, &room_name())
        .await
        .last()
        .unwrap()
        .header
        .key
        .is_none()
    {
        tokio::task::yield_now().await;
    }
    tenure.lose();
    endless.ended.acquire().await.unwrap().forget();
    assert_eq!(asking.await.unwrap(), Err(SeatError::TenureLost));
    assert_eq!(watcher.told(), Vec::<&str>::new());
    assert_eq!(tenure.behind_the_loss(), []);

    // It is there all the same, and asking again is harmless.
    let (_runtime, world) = endless.room.open(&store).await;
    let message = person(&world, "ada").publish_message(keyed).await.unwrap();
    let look = move |world: &World| {
        let said = world.transcript().iter();
        said.filter(|one| one.text.present().is_some_and(|text| text == "More!"))
            .map(|one| one.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(world.operator().read(look).await.unwrap(), [message]);
}

#[tokio::test]
async fn a_room_that_is_not_given_is_not_opened() {
    let store = Store::memory();
    let why = NoTenure::HeldElsewhere {
        node: "node-b".to_owned(),
    };
    let tenure = Fickle::refusing(why.clone());
    let room = Endless::new().room;
    let runtime = process(&store, &room, &tenure);
    let error = open(&runtime, &room).await.unwrap_err();
    assert!(matches!(&error, OpenError::NoTenure { source, .. } if *source == why));
    assert_eq!(
        with_causes(&error),
        "this process may not act for the world room: the node node-b holds it"
    );
    assert!(store.find(&room_name()).await.unwrap().is_none());
    assert_eq!(tenure.deeds(), []);
}

#[tokio::test]
async fn a_room_that_cannot_be_opened_is_given_back_and_left_alone_for_a_while() {
    let (store, tenure) = (Store::memory(), Fickle::new(Loss::Never));
    let room = Endless::new().room;
    let runtime = Runtime::builder(&store)
        .tenures(Arc::new(tenure.clone()))
        .machine_clock(Arc::new(SimulatedClock::new(Time(5_000))))
        .build();
    let error = open(&runtime, &room).await.unwrap_err();
    assert!(matches!(error, OpenError::MissingPart { .. }), "{error}");
    let after = [Deed::Asked, Deed::Released(Some(Time(65_000)))];
    assert_eq!(tenure.deeds(), after);
}

#[tokio::test]
async fn whoever_ends_gives_every_room_back_and_says_what_is_owed() {
    let (store, tenure) = (Store::memory(), Fickle::new(Loss::Never));
    let room = Room::auto().agent("a", &[], FakeModel::new([says("Hello.")]));
    let runtime = Runtime::builder(&store)
        .assembler(room.parts())
        .tenures(Arc::new(tenure.clone()))
        .machine_clock(Arc::new(SimulatedClock::new(Time(5_000))))
        .build();
    open(&runtime, &room).await.unwrap();
    let forking = Forking {
        effects: ForkEffects::Live,
        ..Forking::of(room_name(), WorldName::new("branch").unwrap())
    };
    let branch = runtime.fork(forking).await.unwrap().world;
    let idle = Opening {
        perform: Perform::Nothing,
        ..Opening::with(WorldName::new("third").unwrap(), room.definition())
    };
    let third = runtime.open(idle).await.unwrap();
    for world in [&branch, &third] {
        let ada = person(world, "ada");
        ada.publish_message(Post::text("Hello?")).await.unwrap();
        world.quiet().await.unwrap();
    }
    runtime.shutdown().await;
    let released = tenure.deeds().into_iter();
    let released: Vec<Deed> = released
        .filter(|deed| matches!(deed, Deed::Released(_)))
        .collect();
    // By their names: the branch, the room, and the one that performs nothing, where the agent has news.
    let due = [None, None, Some(Time(5_000))].map(Deed::Released);
    assert_eq!(released, due);
}

#[tokio::test]
async fn a_refusal_is_recorded_in_a_closed_room_only_by_whoever_takes_it() {
    let (store, tenure) = (Store::memory(), Fickle::new(Loss::Never));
    let room = Room::auto().agent("a", &[], FakeModel::new([]));
    let runtime = process(&store, &room, &tenure);
    let world = open(&runtime, &room).await.unwrap();
    runtime.close(&room_name()).await;
    drop(world);
    let head = store.find(&room_name()).await.unwrap().unwrap().head;
    let action = || {
        Action::Consent(ConsentAction::Decide {
            agent: None,
            request: RequestId(Position::new(1)),
            judgement: Judgement::new(Verdict::Allow),
        })
    };
    let ada = || Proof::script("ada".to_owned().try_into().unwrap());
    let elsewhere = Fickle::refusing(NoTenure::HeldElsewhere {
        node: "node-b".to_owned(),
    });
    let other = process(&store, &room, &elsewhere);
    // Whoever holds it refuses it, and records that.
    let said = other.beforehand(&room_name(), &ada(), action()).await;
    assert!(matches!(said, Ok(Beforehand::Opens)), "{said:?}");
    assert_eq!(store.find(&room_name()).await.unwrap().unwrap().head, head);

    let before = tenure.deeds().len();
    let said = runtime.beforehand(&room_name(), &ada(), action()).await;
    assert!(matches!(said, Ok(Beforehand::Refused(_))), "{said:?}");
    assert!(store.find(&room_name()).await.unwrap().unwrap().head > head);
    let last = tenure.deeds().split_off(before);
    assert_eq!(last.last(), Some(&Deed::Released(None)));

    // Nobody knows any more when it is due.
    let full = runtime.through(Arc::new(Full));
    let before = tenure.deeds().len();
    let error = full.beforehand(&room_name(), &ada(), action()).await;
    assert!(matches!(error, Err(OpenError::Append(_))), "{error:?}");
    let last = tenure.deeds().split_off(before);
    assert!(
        matches!(last.last(), Some(Deed::Released(Some(_)))),
        "{last:?}"
    );
}

/// A log that has no room for anything.
#[derive(Debug)]
struct Full;

#[async_trait]
impl Gatekeeper for Full {
    async fn append(
        &self,
        _log: &dyn EventLog,
        _incarnation: Incarnation,
        _commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        Err(AppendError::Full(std::io::Error::other("no room")))
    }

    fn read(&self, _commits: usize) {}
}

/// A way to the log on which appends stay while it is broken. They arrive before the first one behind that.
#[derive(Debug, Default)]
struct Belated {
    is_broken: AtomicBool,
    on_their_way: Mutex<Vec<(Incarnation, Vec<Commit>)>>,
}

#[async_trait]
impl Gatekeeper for Belated {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        if self.is_broken.load(Ordering::SeqCst) {
            let sent = (incarnation, commits);
            self.on_their_way.lock().unwrap().push(sent);
            return std::future::pending().await;
        }
        let sent = std::mem::take(&mut *self.on_their_way.lock().unwrap());
        for (incarnation, commits) in sent {
            log.append(incarnation, commits).await?;
        }
        log.append(incarnation, commits).await
    }

    fn read(&self, _commits: usize) {}
}

#[tokio::test]
async fn a_room_that_is_had_again_is_read_again_if_an_older_append_arrives_meanwhile() {
    let (store, tenure) = (Store::memory(), Fickle::new(Loss::Never));
    let way = Arc::new(Belated::default());
    let room = Room::auto().agent("a", &[], FakeModel::new([says("Hello.")]));
    // Nobody signs, so that the post is what stays on its way.
    let process = |tenure: &Fickle| {
        let runtime = Runtime::builder(&store).assembler(room.parts());
        let runtime = runtime.tenures(Arc::new(tenure.clone())).build();
        runtime.through(Arc::clone(&way) as _)
    };
    let runtime = process(&tenure);
    let ada = person(&open(&runtime, &room).await.unwrap(), "ada");
    way.is_broken.store(true, Ordering::SeqCst);
    let said = tokio::spawn(async move { ada.publish_message(Post::text("Hello?")).await });
    while way.on_their_way.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    tenure.lose();
    assert_eq!(said.await.unwrap(), Err(SeatError::TenureLost));
    runtime.shutdown().await;

    way.is_broken.store(false, Ordering::SeqCst);
    let again = Fickle::new(Loss::Never);
    let runtime = process(&again);
    let world = open(&runtime, &room).await.unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    let said = world
        .operator()
        .read(|world| world.transcript().len())
        .await;
    assert_eq!(said, Ok(2), "it arrived, and was answered");
}

/// A log whose head is elsewhere than this process thinks, so many times.
#[derive(Debug)]
struct Moving(AtomicUsize);

#[async_trait]
impl Gatekeeper for Moving {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let one_less = |times: usize| times.checked_sub(1);
        let moves = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        if moves.is_ok() {
            let (expected, actual) = (Position::ZERO, Position::new(1));
            return Err(AppendError::Conflict { expected, actual });
        }
        log.append(incarnation, commits).await
    }

    fn read(&self, _commits: usize) {}
}

#[tokio::test]
async fn a_room_is_read_three_times_at_most_and_then_given_back() {
    for (times, opens) in [(2, true), (3, false)] {
        let (store, tenure) = (Store::memory(), Fickle::new(Loss::Never));
        let room = Room::auto().agent("a", &[], FakeModel::new([]));
        let moving = Arc::new(Moving(AtomicUsize::new(times)));
        let runtime = process(&store, &room, &tenure).through(moving);
        let opened = open(&runtime, &room).await;
        assert_eq!(opened.is_ok(), opens, "{times} times: {opened:?}");
        if let Err(error) = opened {
            let is_told = matches!(&error, OpenError::Append(AppendError::Conflict { .. }));
            assert!(is_told, "{error:?}");
            let last = tenure.deeds().pop();
            assert!(matches!(last, Some(Deed::Released(Some(_)))), "{last:?}");
        }
    }
}
