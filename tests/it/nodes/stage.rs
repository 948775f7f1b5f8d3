//! Nodes over one ledger in memory, whose lines, clocks and processes can fail. Time is the executor's, and passes at once.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::event::EventKind;
use folkmoot::core::ids::{Incarnation, NodeId, Position, Time, WorldId, WorldName};
use folkmoot::core::port::{
    Clock, MemberError, Members, NodeCard, NodeState, Renewal, Taken, Tenure, Tenures as _,
};
use folkmoot::store::{
    Birth, Demands, Landing, MemoryLedger, NewRow, Register as _, Row, RowChain, Rows as _,
};
use folkmoot::{BootClock, BootTime, Node, NodeProfile, OpenError, Worlds};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// One step of the executor's time.
pub(super) const STEP: Duration = Duration::from_millis(20);

/// The ledger, and when it began.
#[derive(Debug)]
pub(super) struct House {
    pub(super) ledger: Arc<MemoryLedger>,
    began: Instant,
}

impl House {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            ledger: Arc::default(),
            began: Instant::now(),
        })
    }

    /// The time that passed since it began.
    pub(super) fn passed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Moves the ledger's clock on to the executor's.
    pub(super) fn tick(&self) -> &MemoryLedger {
        let now = Time::SIMULATED_START.after(self.passed());
        self.ledger.advance(self.ledger.now().until(now));
        &self.ledger
    }

    /// Worlds that are due at once, and need these things.
    pub(super) async fn worlds(
        &self,
        numbers: std::ops::Range<u8>,
        needs: &[&str],
    ) -> Vec<WorldId> {
        let mut worlds = Vec::new();
        for number in numbers {
            let world = WorldId::from_hash([number; 16]);
            let somebody = NodeId(world.0);
            self.bear(somebody, world, needs).await;
            let now = self.tick().now();
            let released = self.ledger.release(somebody, world, Some(now)).await;
            released.unwrap();
            worlds.push(world);
        }
        worlds
    }

    /// Begins a world that `node` holds.
    async fn bear(&self, node: NodeId, world: WorldId, needs: &[&str]) {
        let row = Row {
            world,
            first: Position::new(1),
            last: Position::new(1),
            time: Time::SIMULATED_START,
            incarnation: Incarnation(1),
            key: None,
            record: vec![7; 40],
            beside: Vec::new(),
        };
        let needs: BTreeSet<String> = needs.iter().map(|need| (*need).to_owned()).collect();
        let born = NewRow {
            row,
            gone: Vec::new(),
            labelled: None,
            demands: Some(Demands {
                needs: Some(needs),
                schema: 1,
            }),
            birth: Some(Birth {
                name: name(world),
                base: None,
                is_sealed: false,
            }),
        };
        let chain = RowChain {
            world,
            prev: Position::ZERO,
            rows: vec![born],
        };
        let landed = self.ledger.append(node, &[chain]).await.unwrap();
        assert_eq!(landed, [Landing::Appended]);
    }

    /// The node that the ledger says holds a world.
    pub(super) async fn holder(&self, world: WorldId) -> Option<NodeId> {
        self.ledger.entry(world).await.unwrap().unwrap().holder
    }

    /// The members, by their ids.
    pub(super) async fn members(&self) -> Vec<NodeId> {
        let nodes = self.ledger.nodes().await.unwrap();
        nodes.into_iter().map(|state| state.card.node).collect()
    }
}

pub(super) fn name(world: WorldId) -> WorldName {
    WorldName::new(format!("world-{world}")).unwrap()
}

/// The state of a node's line to the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weather {
    Fair,
    /// It cannot be reached.
    Away,
    /// It does what it is asked, and its answers are lost.
    Deaf,
    /// Nothing reaches it, and nothing comes back.
    Mute,
    /// It answers after so many milliseconds.
    Slow(u64),
}

/// The line of one node to the ledger.
#[derive(Debug)]
pub(super) struct Wire {
    house: Arc<House>,
    weather: Mutex<Weather>,
}

impl Wire {
    pub(super) fn set(&self, weather: Weather) {
        *self.weather.lock().unwrap() = weather;
    }

    async fn through<T>(
        &self,
        deed: impl Future<Output = Result<T, MemberError>>,
    ) -> Result<T, MemberError> {
        let weather = *self.weather.lock().unwrap();
        match weather {
            Weather::Fair => {}
            Weather::Away => return Err(MemberError::Unreachable("away".into())),
            Weather::Mute => return std::future::pending().await,
            Weather::Deaf => {
                self.house.tick();
                let _lost = deed.await;
                return Err(MemberError::Unknown("lost".into()));
            }
            Weather::Slow(millis) => sleep(Duration::from_millis(millis)).await,
        }
        self.house.tick();
        deed.await
    }
}

#[async_trait]
impl Members for Wire {
    async fn join(&self, card: &NodeCard, ttl: Duration) -> Result<Time, MemberError> {
        self.through(self.house.ledger.join(card, ttl)).await
    }

    async fn renew(&self, renewal: Renewal) -> Result<Option<Time>, MemberError> {
        self.through(self.house.ledger.renew(renewal)).await
    }

    async fn leave(&self, node: NodeId) -> Result<(), MemberError> {
        self.through(self.house.ledger.leave(node)).await
    }

    async fn reap(&self) -> Result<Vec<NodeId>, MemberError> {
        self.through(self.house.ledger.reap()).await
    }

    async fn claim(&self, node: NodeId, limit: usize) -> Result<Vec<WorldId>, MemberError> {
        self.through(self.house.ledger.claim(node, limit)).await
    }

    async fn take(&self, node: NodeId, world: WorldId) -> Result<Taken, MemberError> {
        self.through(self.house.ledger.take(node, world)).await
    }

    async fn release(
        &self,
        node: NodeId,
        world: WorldId,
        due: Option<Time>,
    ) -> Result<(), MemberError> {
        self.through(self.house.ledger.release(node, world, due))
            .await
    }

    async fn held(&self, node: NodeId) -> Result<Vec<WorldId>, MemberError> {
        self.through(self.house.ledger.held(node)).await
    }

    async fn holder(&self, world: WorldId) -> Result<Option<NodeCard>, MemberError> {
        self.through(self.house.ledger.holder(world)).await
    }

    async fn nodes(&self) -> Result<Vec<NodeState>, MemberError> {
        self.through(self.house.ledger.nodes()).await
    }
}

/// The clocks of one machine.
#[derive(Debug)]
pub(super) struct Machine {
    began: Instant,
    /// Milliseconds by which its clock is ahead.
    ahead: u64,
    /// Milliseconds for which it was suspended.
    suspended: AtomicU64,
}

impl Machine {
    pub(super) fn suspend(&self, for_so_long: Duration) {
        let millis = u64::try_from(for_so_long.as_millis()).unwrap();
        self.suspended.fetch_add(millis, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for Machine {
    fn now(&self) -> Time {
        let ahead = Duration::from_millis(self.ahead);
        Time::SIMULATED_START.after(self.began.elapsed() + ahead)
    }

    async fn sleep_until(&self, time: Time) {
        sleep(Clock::now(self).until(time)).await;
    }
}

impl BootClock for Machine {
    fn now(&self) -> BootTime {
        let suspended = Duration::from_millis(self.suspended.load(Ordering::SeqCst));
        BootTime::new(self.began.elapsed() + suspended)
    }
}

/// The worlds that one process has open. It does nothing with them but to hold them.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    node: OnceLock<Node>,
    open: Mutex<BTreeMap<WorldId, Arc<dyn Tenure>>>,
    /// Worlds that it cannot open.
    pub(super) broken: Mutex<BTreeSet<WorldId>>,
    /// The worlds that it was told to open, in order.
    pub(super) told: Mutex<Vec<WorldId>>,
    /// How long an opening takes.
    pub(super) opens_for: Mutex<Duration>,
    opening: AtomicUsize,
    /// The most openings at a time.
    pub(super) opening_most: AtomicUsize,
}

impl Shelf {
    /// The worlds for which it may act.
    pub(super) fn acting(&self) -> BTreeSet<WorldId> {
        let open = self.open.lock().unwrap();
        let acts = open.iter().filter(|(_, tenure)| tenure.holds());
        acts.map(|(world, _)| *world).collect()
    }

    /// The worlds that are open, whether it may act for them or not.
    pub(super) fn open(&self) -> usize {
        self.open.lock().unwrap().len()
    }

    pub(super) fn tenure(&self, world: WorldId) -> Arc<dyn Tenure> {
        Arc::clone(&self.open.lock().unwrap()[&world])
    }

    async fn take(&self, world: WorldId) -> Result<(), OpenError> {
        if self.broken.lock().unwrap().contains(&world) {
            return Err(OpenError::NoSuchWorld(name(world)));
        }
        let node = self.node.get().unwrap();
        let refused = |source| OpenError::NoTenure {
            name: name(world),
            source,
        };
        let tenure = node.take(world).await.map_err(refused)?;
        self.open.lock().unwrap().insert(world, tenure);
        Ok(())
    }
}

/// The shelf, with somebody who takes lost worlds off.
#[derive(Debug)]
struct Watched(Arc<Shelf>);

#[async_trait]
impl Worlds for Watched {
    async fn open(&self, world: WorldId) -> Result<(), OpenError> {
        let shelf = &self.0;
        shelf.told.lock().unwrap().push(world);
        let opening = shelf.opening.fetch_add(1, Ordering::SeqCst) + 1;
        shelf.opening_most.fetch_max(opening, Ordering::SeqCst);
        let takes = *shelf.opens_for.lock().unwrap();
        sleep(takes).await;
        let taken = shelf.take(world).await;
        shelf.opening.fetch_sub(1, Ordering::SeqCst);
        taken?;
        let tenure = shelf.tenure(world);
        let shelf = Arc::clone(shelf);
        // Ends with the world, at the latest with the executor.
        tokio::spawn(async move {
            tenure.lost().await;
            let mut open = shelf.open.lock().unwrap();
            if open
                .get(&world)
                .is_some_and(|now| Arc::ptr_eq(now, &tenure))
            {
                open.remove(&world);
            }
        });
        Ok(())
    }

    async fn close(&self, world: WorldId) {
        let tenure = self.0.open.lock().unwrap().remove(&world);
        if let Some(tenure) = tenure {
            // Due at once.
            tenure.release(Some(Time::SIMULATED_START)).await;
        }
    }
}

/// A process that can be stopped for a while, as by a signal. What it has spawned goes on.
#[derive(Debug, Default)]
struct Freezer {
    is_frozen: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Freezer {
    async fn keep(&self, work: impl Future<Output = ()>) {
        let mut work = pin!(work);
        std::future::poll_fn(|cx| {
            *self.waker.lock().unwrap() = Some(cx.waker().clone());
            if self.is_frozen.load(Ordering::SeqCst) {
                return Poll::Pending;
            }
            work.as_mut().poll(cx)
        })
        .await;
    }

    fn set(&self, is_frozen: bool) {
        self.is_frozen.store(is_frozen, Ordering::SeqCst);
        if let Some(waker) = self.waker.lock().unwrap().take() {
            waker.wake();
        }
    }
}

/// A process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) node: Node,
    pub(super) wire: Arc<Wire>,
    pub(super) machine: Arc<Machine>,
    pub(super) shelf: Arc<Shelf>,
    freezer: Arc<Freezer>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
}

/// What a process is started with.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) offers: &'static [&'static str],
    pub(super) schema: u32,
    pub(super) room: u32,
    /// Milliseconds by which its clock is ahead.
    pub(super) ahead: u64,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            offers: &[],
            schema: EventKind::schema(),
            room: 5_000,
            ahead: 0,
        }
    }
}

impl Process {
    /// Starts a process with this number, whose worlds stand on a shelf.
    pub(super) async fn start(house: &Arc<House>, number: u64, start: Start) -> Self {
        let shelf = Arc::new(Shelf::default());
        let worlds = |node: &Node, _: &Arc<Machine>| -> Arc<dyn Worlds> {
            shelf.node.set(node.clone()).unwrap();
            Arc::new(Watched(Arc::clone(&shelf)))
        };
        let process = Self::start_with(house, number, start, worlds).await;
        Self { shelf, ..process }
    }

    /// Starts a process with this number and with worlds of its own. Its ids and waits follow from the number.
    pub(super) async fn start_with(
        house: &Arc<House>,
        number: u64,
        start: Start,
        worlds: impl FnOnce(&Node, &Arc<Machine>) -> Arc<dyn Worlds>,
    ) -> Self {
        let wire = Arc::new(Wire {
            house: Arc::clone(house),
            weather: Mutex::new(Weather::Fair),
        });
        let machine = Arc::new(Machine {
            began: house.began,
            ahead: start.ahead,
            suspended: AtomicU64::new(0),
        });
        let profile = NodeProfile {
            offers: start.offers.iter().map(|&offer| offer.to_owned()).collect(),
            schema: start.schema,
            room: start.room,
            clock: Arc::clone(&machine) as Arc<dyn Clock>,
            boot_clock: Arc::clone(&machine) as Arc<dyn BootClock>,
            seed: Some(number),
            ..NodeProfile::named(format!("node-{number}"))
        };
        let members = Arc::clone(&wire) as Arc<dyn Members>;
        let node = Node::join(members, profile).await.unwrap();
        let worlds = worlds(&node, &machine);
        let freezer = Arc::new(Freezer::default());
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn({
            let node = node.clone();
            let freezer = Arc::clone(&freezer);
            async move {
                let until = async {
                    if stopped.await.is_err() {
                        std::future::pending::<()>().await;
                    }
                };
                freezer.keep(node.run(worlds, until)).await;
            }
        });
        Self {
            node,
            wire,
            machine,
            shelf: Arc::default(),
            freezer,
            stop: Some(stop),
            running,
        }
    }

    /// Kills it.
    pub(super) async fn kill(self) {
        self.running.abort();
        assert!(self.running.await.unwrap_err().is_cancelled());
    }

    pub(super) fn freeze(&self) {
        self.freezer.set(true);
    }

    pub(super) fn thaw(&self) {
        self.freezer.set(false);
    }

    /// Tells it to end in good order.
    pub(super) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.running.is_finished()
    }
}

/// Lets time pass. At each step whoever may act for a world must be the one whom the ledger says holds it: so nobody else
/// may.
pub(super) async fn pass(house: &House, processes: &[&Process], time: Duration) {
    let end = Instant::now() + time;
    loop {
        check(house, processes).await;
        if Instant::now() >= end {
            return;
        }
        sleep(STEP).await;
    }
}

/// Lets time pass until something is so, at most so long; gives how long it took.
pub(super) async fn pass_until(
    house: &House,
    processes: &[&Process],
    most: Duration,
    is_so: impl Fn() -> bool,
) -> Duration {
    let began = Instant::now();
    while !is_so() {
        assert!(
            began.elapsed() < most,
            "it did not come to that in {most:?}"
        );
        pass(house, processes, STEP).await;
    }
    began.elapsed()
}

async fn check(house: &House, processes: &[&Process]) {
    for process in processes {
        for world in process.shelf.acting() {
            assert_eq!(
                house.holder(world).await,
                Some(process.node.id()),
                "a node acts for {world}, and does not hold it, after {:?}",
                house.passed()
            );
        }
    }
}
