//! Rooms that nodes give to one another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::event::{CallEvent, Event, WorldEvent};
use folkmoot::core::ids::{NodeId, Position, WorldId};
use folkmoot::core::port::Clock;
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::core::world::Activity;
use folkmoot::store::{Register as _, SharedStore};
use folkmoot::{Node, OpenError, Opening, Post, Runtime, SeatError, WorldHandle, Worlds};
use folkmoot_tests::{FakeModel, FakeTool, Room, person, room_name, says, wants};
use futures::TryStreamExt as _;
use tokio::sync::Semaphore;

use super::stage::{House, Machine, Process, Start, pass, pass_until};
use super::{SECOND, SOON};

/// The id of the room.
fn id() -> WorldId {
    WorldId::from_hash([1; 16])
}

/// The rooms of a process.
#[derive(Debug)]
struct Rooms {
    runtime: Runtime,
    house: Arc<House>,
}

#[async_trait]
impl Worlds for Rooms {
    async fn open(&self, world: WorldId) -> Result<(), OpenError> {
        let entry = self.house.ledger.entry(world).await.unwrap().unwrap();
        if let Some(open) = self.runtime.world(&entry.name)
            && open.operator().read(|_| ()).await.is_ok()
        {
            return Ok(());
        }
        let opened = self.runtime.open(Opening::recorded(entry.name)).await;
        opened.map(drop)
    }

    async fn close(&self, _world: WorldId) {
        self.runtime.close(&room_name()).await;
    }
}

/// A tool that pays once it may, and the room with it.
#[derive(Debug, Clone)]
struct Till {
    begun: Arc<AtomicUsize>,
    may_end: Arc<Semaphore>,
}

impl Till {
    fn new() -> Self {
        Self {
            begun: Arc::default(),
            may_end: Arc::new(Semaphore::new(0)),
        }
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    fn room(&self) -> Room {
        let till = self.clone();
        let pay = FakeTool::new("pay", EffectClass::Destructive, move |_call| {
            let till = till.clone();
            async move {
                till.begun.fetch_add(1, Ordering::SeqCst);
                till.may_end.acquire().await.unwrap().forget();
                ToolOutcome::text("paid")
            }
        });
        let model = FakeModel::new([wants(&["pay"]), says("It is paid."), says("Again?")]);
        Room::auto().agent("clerk", &["pay"], model).tool(pay)
    }
}

/// Two processes over one ledger, and the runtime of each.
struct Pair {
    house: Arc<House>,
    a: Process,
    of_a: Runtime,
    b: Process,
    of_b: Runtime,
}

impl Pair {
    async fn with(room: &Room) -> Self {
        let house = House::new();
        let (a, of_a) = process(&house, room, 1).await;
        let (b, of_b) = process(&house, room, 2).await;
        Self {
            house,
            a,
            of_a,
            b,
            of_b,
        }
    }

    /// The room, opened by the first of them.
    async fn open(&self, room: &Room) -> WorldHandle {
        let opening = Opening::with(room_name(), room.definition()).identified(id());
        self.of_a.open(opening).await.unwrap()
    }

    async fn pass(&self, time: Duration) {
        pass(&self.house, &[&self.a, &self.b], time).await;
    }

    async fn pass_until(&self, is_so: impl Fn() -> bool) -> Duration {
        pass_until(&self.house, &[&self.a, &self.b], SOON, is_so).await
    }

    fn b_has_it(&self) -> bool {
        self.of_b.world(&room_name()).is_some()
    }

    fn a_has_it(&self) -> bool {
        self.of_a.world(&room_name()).is_some()
    }

    async fn head(&self) -> Position {
        let entry = self.of_b.log().find(&room_name()).await.unwrap();
        entry.unwrap().head
    }

    async fn events(&self) -> Vec<Event> {
        let stored = self.of_b.log().read(id(), Position::new(1)).await.unwrap();
        let stored: Vec<_> = stored.try_collect().await.unwrap();
        let events = stored.into_iter().flat_map(|stored| stored.commit.events);
        events.collect()
    }

    /// How many runs there were whose outcome nobody knew.
    async fn unknown(&self) -> usize {
        let events = self.events().await;
        let is_unknown =
            |event: &&Event| matches!(event, Event::Call(CallEvent::OutcomeUnknown(_)));
        events.iter().filter(is_unknown).count()
    }

    /// The nodes that opened the room, one for each incarnation.
    async fn openers(&self) -> Vec<NodeId> {
        let events = self.events().await;
        let node = |event: &Event| match event {
            Event::World(WorldEvent::Opened(opened)) => Some(opened.node),
            _ => None,
        };
        events.iter().filter_map(node).collect()
    }
}

async fn process(house: &Arc<House>, room: &Room, number: u64) -> (Process, Runtime) {
    let mut kept = None;
    let worlds = |node: &Node, machine: &Arc<Machine>| -> Arc<dyn Worlds> {
        let store = SharedStore::new(Arc::clone(&house.ledger) as _, node.clone());
        let runtime = Runtime::builder(&store)
            .assembler(room.parts())
            .machine_clock(Arc::clone(machine) as Arc<dyn Clock>)
            .counted_seeds(number)
            .idle_close(Some(60 * SECOND))
            .tenures(Arc::new(node.clone()))
            .node(node.clone())
            .build();
        kept = Some(runtime.clone());
        let house = Arc::clone(house);
        Arc::new(Rooms { runtime, house })
    };
    let process = Process::start_with(house, number, Start::default(), worlds).await;
    (process, kept.unwrap())
}

#[tokio::test(start_paused = true)]
async fn room_of_a_node_that_dies_goes_on_elsewhere_and_no_run_is_repeated_unasked() {
    let till = Till::new();
    let room = till.room();
    let pair = Pair::with(&room).await;
    let world = pair.open(&room).await;
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("Pay.")).await.unwrap();
    pair.pass_until(|| till.begun() == 1).await;
    pair.pass(6 * SECOND).await;
    assert!(!pair.b_has_it());
    let Pair {
        a, b, house, of_b, ..
    } = pair;
    a.kill().await;
    assert_eq!(world.quiet().await, Err(SeatError::TenureLost));
    let has = || of_b.world(&room_name()).is_some();
    let took = pass_until(&house, &[&b], SOON, has).await;
    assert!(took < 8 * SECOND, "{took:?}");
    let here = of_b.world(&room_name()).unwrap();
    assert_eq!(here.quiet().await, Ok(Activity::Parked));
    assert_eq!(person(&here, "ada").waiting().await.unwrap().len(), 1);
    assert_eq!(till.begun(), 1);
}

#[tokio::test(start_paused = true)]
async fn node_that_slept_past_its_lease_starts_nothing_and_appends_nothing() {
    let till = Till::new();
    let room = till.room();
    let pair = Pair::with(&room).await;
    let world = pair.open(&room).await;
    pair.pass(6 * SECOND).await;
    let head = pair.head().await;
    // It sleeps between two polls, and wakes with work at hand that nobody has told the lease of.
    pair.a.machine.suspend(5 * SECOND);
    let ada = person(&world, "ada");
    let asked = ada.publish_message(Post::text("Pay.")).await;
    assert_eq!(asked, Err(SeatError::TenureLost));
    assert_eq!(pair.head().await, head);
    assert_eq!(till.begun(), 0);
    assert!(!world.is_open());
    // Nobody missed it, so that it has the room again: as another incarnation.
    pair.pass_until(|| pair.a_has_it()).await;
    assert!(!pair.b_has_it());
    assert_eq!(pair.openers().await, [pair.a.node.id(); 2]);
}

#[tokio::test(start_paused = true)]
async fn node_that_was_declared_dead_gets_a_room_back_under_its_new_id() {
    let till = Till::new();
    till.may_end.add_permits(1);
    let room = till.room();
    let mut pair = Pair::with(&room).await;
    let world = pair.open(&room).await;
    let dead = pair.a.node.id();
    pair.pass(6 * SECOND).await;
    pair.a.freeze();
    pair.pass_until(|| pair.b_has_it()).await;
    let head = pair.head().await;
    // Its loops stand still; what it has running asks the lease, and finds out.
    let ada = person(&world, "ada");
    let asked = ada.publish_message(Post::text("Pay.")).await;
    assert_eq!(asked, Err(SeatError::TenureLost));
    assert_eq!(pair.head().await, head);
    pair.a.thaw();
    pair.pass(2 * SECOND).await;
    assert_ne!(pair.a.node.id(), dead);
    pair.b.stop();
    pair.pass_until(|| pair.b.has_ended()).await;
    // It owes nothing, so that it is due when somebody wants it.
    let here = pair
        .of_a
        .open(Opening::recorded(room_name()))
        .await
        .unwrap();
    let nodes = [dead, pair.b.node.id(), pair.a.node.id()];
    assert_eq!(pair.openers().await, nodes);
    let ada = person(&here, "ada");
    ada.publish_message(Post::text("Pay.")).await.unwrap();
    assert_eq!(here.quiet().await, Ok(Activity::Idle));
    assert_eq!(till.begun(), 1);
}

#[tokio::test(start_paused = true)]
async fn room_of_a_node_that_ends_moves_once_its_run_is_over_and_no_outcome_is_unknown() {
    let till = Till::new();
    let room = till.room();
    let mut pair = Pair::with(&room).await;
    let world = pair.open(&room).await;
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("Pay.")).await.unwrap();
    pair.pass_until(|| till.begun() == 1).await;
    pair.a.stop();
    pair.pass(3 * SECOND).await;
    assert!(!pair.a.has_ended(), "it waits for the run");
    assert!(!pair.b_has_it());
    till.may_end.add_permits(1);
    let took = pair.pass_until(|| pair.b_has_it()).await;
    assert!(took <= SECOND, "{took:?}");
    pair.pass(SECOND).await;
    assert!(pair.a.has_ended());
    let here = pair.of_b.world(&room_name()).unwrap();
    assert_eq!(here.quiet().await, Ok(Activity::Idle));
    assert_eq!(pair.unknown().await, 0);
    assert_eq!(till.begun(), 1);
}

#[tokio::test(start_paused = true)]
async fn room_that_sleeps_is_nobodys_until_somebody_asks_it_something() {
    let till = Till::new();
    till.may_end.add_permits(1);
    let room = till.room();
    let pair = Pair::with(&room).await;
    let world = pair.open(&room).await;
    pair.pass(80 * SECOND).await;
    assert_eq!(pair.house.holder(id()).await, None);
    assert!(!pair.b_has_it(), "it is not due");
    person(&world, "ada")
        .publish_message(Post::text("Pay."))
        .await
        .unwrap();
    let a = Some(pair.a.node.id());
    assert_eq!(pair.house.holder(id()).await, a);
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    assert_eq!(till.begun(), 1);
    let elsewhere = pair.of_b.open(Opening::recorded(room_name())).await;
    let Err(OpenError::NoTenure { source, .. }) = elsewhere else {
        panic!("a room has two holders");
    };
    let holder = format!("the node node-1 ({}) holds it", pair.a.node.id());
    assert_eq!(source.to_string(), holder);
}
