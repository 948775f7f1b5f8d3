//! Random stories of whole nodes: rooms move between them while people talk and a tool pays, and the ledger answers late, with
//! *unknown*, or not at all. The log is held against what nodes, people and the tool saw.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{CallEvent, Event, TalkEvent, WorldEvent};
use folkmoot::core::ids::{Incarnation, Position, WorldId, WorldName};
use folkmoot::core::port::{Clock, Inbox, Model, ModelCall};
use folkmoot::core::prompt::Item;
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::core::world::Activity;
use folkmoot::port::{AppendError, Appended, EventLog};
use folkmoot::store::{Register as _, SharedStore, UncertainLedger};
use folkmoot::{
    Answerer, Drafts, Gatekeeper, Key, LLMResponse, ModelError, Node, OpenError, Opening, Post,
    Runtime, Worlds, fold_world,
};
use folkmoot_tests::{FakeTool, Room, commits_of, person, repeats_of, says, story_of, wants};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use super::SECOND;
use super::random::{lives, weather};
use super::stage::{House, Machine, Process, Start, Weather, pass};

const NODES: usize = 3;
const ROOMS: u8 = 3;
const DEEDS: usize = 40;

/// The longest time in which all comes to rest once all is well again: who was cut off while it opened a world leaves it alone
/// for a minute.
const RESTS_WITHIN: Duration = Duration::from_secs(240);

/// An append that was acknowledged: the room, the incarnation, the first position and the last, and the number of the process.
type Acknowledged = (WorldId, Incarnation, Position, Position, u64);

/// The books of a story.
#[derive(Debug, Default)]
struct Books {
    acknowledged: Mutex<Vec<Acknowledged>>,
    /// How often the tool ran, by the keys of its calls.
    runs: Mutex<BTreeMap<String, usize>>,
}

/// Stands between the rooms of a process and their log.
#[derive(Debug)]
struct Witness {
    number: u64,
    node: Node,
    house: Arc<House>,
    books: Arc<Books>,
}

#[async_trait]
impl Gatekeeper for Witness {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let ends = commits.first().zip(commits.last()).map(|(first, last)| {
            let (world, first) = (first.header.world, first.header.first);
            let events = u64::try_from(last.events.len()).unwrap();
            (world, first, last.header.first.plus(events - 1))
        });
        let (own, world) = (self.node.id(), ends.map(|(world, ..)| world));
        let holder = match world {
            Some(world) => self.house.ledger.entry(world).await.unwrap(),
            None => None,
        };
        let appended = log.append(incarnation, commits).await?;
        if let (Appended::Committed { .. }, Some((world, first, last))) = (&appended, ends) {
            // A world that begins has no holder yet.
            let is_holder = holder.is_none_or(|entry| entry.holder == Some(own));
            assert!(is_holder, "{own} appends to {world}, and does not hold it");
            let line = (world, incarnation, first, last, self.number);
            self.books.acknowledged.lock().unwrap().push(line);
        }
        Ok(appended)
    }

    fn read(&self, _commits: usize) {}
}

/// Has the tool pay for each message, and then says so.
#[derive(Debug)]
struct Clerk;

#[async_trait]
impl Model for Clerk {
    async fn call(&self, call: &ModelCall, _: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        call.clock
            .sleep_until(call.clock.now().after(SECOND / 4))
            .await;
        let last = call.request.items().last();
        Ok(match last.map(AsRef::as_ref) {
            Some(Item::Heard { .. }) => wants(&["pay"]),
            _ => says("It is paid."),
        })
    }
}

fn room(books: &Arc<Books>) -> Room {
    let books = Arc::clone(books);
    let pay = FakeTool::new("pay", EffectClass::Destructive, move |call| {
        let mut runs = books.runs.lock().unwrap();
        *runs.entry(call.idempotency_key.clone()).or_default() += 1;
        async move {
            let soon = call.clock.now().after(SECOND / 2);
            call.clock.sleep_until(soon).await;
            ToolOutcome::text("paid")
        }
    });
    Room::auto()
        .agent("clerk", &["pay"], Arc::new(Clerk))
        .tool(pay)
}

/// The rooms of a process, for its node.
#[derive(Debug)]
struct Rooms {
    runtime: Runtime,
    house: Arc<House>,
}

#[async_trait]
impl Worlds for Rooms {
    async fn open(&self, world: WorldId) -> Result<(), OpenError> {
        let entry = self.house.ledger.entry(world).await.unwrap().unwrap();
        self.runtime.take_up(&entry.name).await.map(drop)
    }

    async fn close(&self, world: WorldId) {
        self.runtime.close_id(world).await;
    }
}

/// A node with all that belongs to one.
struct Whole {
    process: Process,
    runtime: Runtime,
    answering: JoinHandle<()>,
}

impl Whole {
    async fn start(house: &Arc<House>, room: &Room, books: &Arc<Books>, next: &mut u64) -> Self {
        *next += 1;
        let number = *next;
        let ledger = UncertainLedger::from_seed(Arc::clone(&house.ledger), number);
        let ledger = Arc::new(ledger);
        let mut kept = None;
        let worlds = |node: &Node, machine: &Arc<Machine>| -> Arc<dyn Worlds> {
            let store = SharedStore::new(Arc::clone(&ledger) as _, node.clone());
            let witness = Witness {
                number,
                node: node.clone(),
                house: Arc::clone(house),
                books: Arc::clone(books),
            };
            let runtime = Runtime::builder(&store)
                .assembler(room.parts())
                .machine_clock(Arc::clone(machine) as Arc<dyn Clock>)
                .counted_seeds(number * 1_000_000)
                .idle_close(Some(20 * SECOND))
                .tenures(Arc::new(node.clone()))
                .node(node.clone())
                .inbox(Arc::clone(&ledger) as _)
                .build()
                .through(Arc::new(witness));
            kept = Some(runtime.clone());
            let house = Arc::clone(house);
            Arc::new(Rooms { runtime, house })
        };
        let process = Process::start_with(house, number, Start::default(), worlds).await;
        let runtime = kept.unwrap();
        let node = process.node.clone();
        let inbox = ledger as Arc<dyn Inbox>;
        let answerer = Answerer::new(runtime.clone(), inbox, move || node.id());
        let answering = tokio::spawn(answerer.run());
        Self {
            process,
            runtime,
            answering,
        }
    }

    async fn kill(self) {
        self.answering.abort();
        self.process.kill().await;
    }
}

/// The nodes that live, as people find them.
type Living = Arc<Mutex<Vec<Runtime>>>;

/// Says `text` in a room, through one node after the other, until one says that it is done.
async fn say(living: Living, name: WorldName, text: String, mut place: usize) {
    loop {
        place += 1;
        let runtime = {
            let living = living.lock().unwrap();
            living[place % living.len()].clone()
        };
        let opening = Opening::recorded(name.clone());
        if let Ok(world) = Box::pin(runtime.reach(opening)).await {
            let post = Post {
                key: Some(Key::Client(text.clone())),
                ..Post::text(text.clone())
            };
            if person(&world, "ada").publish_message(post).await.is_ok() {
                return;
            }
        }
        sleep(SECOND).await;
    }
}

fn name(number: u8) -> WorldName {
    WorldName::new(format!("room-{number}")).unwrap()
}

/// Tells a story; gives how many processes acted for a room.
async fn tell(seed: u64) -> usize {
    let house = House::new();
    let books = Arc::new(Books::default());
    let room = room(&books);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut next = seed * 1_000;
    let mut nodes = Vec::new();
    for _ in 0..NODES {
        nodes.push(Whole::start(&house, &room, &books, &mut next).await);
    }
    for number in 0..ROOMS {
        let opening = Opening::with(name(number), room.definition());
        nodes[0].runtime.open(opening).await.unwrap();
    }
    let living: Living = Arc::default();
    let mut people = JoinSet::new();
    let mut said = 0;
    for _ in 0..DEEDS {
        *living.lock().unwrap() = nodes.iter().map(|node| node.runtime.clone()).collect();
        let place = random.usize(..NODES);
        match random.u8(..14) {
            0 => {
                nodes.swap_remove(place).kill().await;
                nodes.push(Whole::start(&house, &room, &books, &mut next).await);
            }
            1 => nodes[place].process.freeze(),
            2 => {
                let suspended = Duration::from_millis(random.u64(..8_000));
                nodes[place].process.machine.suspend(suspended);
            }
            3 => nodes.iter().for_each(|node| node.process.thaw()),
            4 => nodes[place].process.wire.set(weather(&mut random)),
            5 | 6 => nodes
                .iter()
                .for_each(|node| node.process.wire.set(Weather::Fair)),
            _ => {
                said += 1;
                let name = name(random.u8(..ROOMS));
                let text = format!("pay {said}");
                people.spawn(say(Arc::clone(&living), name, text, place));
            }
        }
        let time = Duration::from_millis(random.u64(..3_000));
        pass(&house, &[], time).await;
    }
    *living.lock().unwrap() = nodes.iter().map(|node| node.runtime.clone()).collect();
    for node in &nodes {
        node.process.wire.set(Weather::Fair);
        node.process.thaw();
    }
    let heard = async {
        while let Some(heard) = people.join_next().await {
            heard.unwrap();
        }
        for number in 0..ROOMS {
            rest(&nodes[0].runtime, name(number)).await;
        }
    };
    let heard = tokio::time::timeout(RESTS_WITHIN, heard).await;
    assert!(heard.is_ok(), "story {seed}: it does not come to rest");
    let acted = judge(seed, &house, &books, said).await;
    for node in nodes {
        node.kill().await;
    }
    acted
}

/// Waits until nothing goes on in a room, wherever it is.
async fn rest(runtime: &Runtime, name: WorldName) {
    loop {
        let world = runtime.reach(Opening::recorded(name.clone())).await;
        if let Ok(world) = world
            && let Ok(Activity::Idle | Activity::Parked) = world.quiet().await
        {
            return;
        }
        sleep(SECOND).await;
    }
}

/// Holds the logs of all rooms against the books; gives how many processes acted for one.
async fn judge(seed: u64, house: &House, books: &Books, said: usize) -> usize {
    let log = SharedStore::reading(Arc::clone(&house.ledger) as _);
    let mut heard: BTreeMap<String, usize> = BTreeMap::new();
    let mut started: BTreeMap<String, usize> = BTreeMap::new();
    let (mut begins, mut ends) = (BTreeSet::new(), BTreeSet::new());
    for number in 0..ROOMS {
        let commits = commits_of(&log, &name(number)).await;
        let what = || format!("story {seed}:\n{}", story_of(&commits));
        assert_eq!(repeats_of(&commits), [], "{}", what());
        let mut now = Incarnation(0);
        for commit in &commits {
            for event in &commit.events {
                match event {
                    Event::World(WorldEvent::Opened(opened)) => {
                        assert_eq!(opened.incarnation.0, now.0 + 1, "{}", what());
                        now = opened.incarnation;
                    }
                    Event::Talk(TalkEvent::MessagePosted(posted)) => {
                        let body = posted.body.present();
                        let text = body.map_or_else(String::new, |body| body.text.clone());
                        *heard.entry(text).or_default() += 1;
                    }
                    Event::Call(CallEvent::ToolStarted(start)) => {
                        assert_eq!(start.incarnation, now, "{}", what());
                        let key = format!("{}:{}", commit.header.world, start.call);
                        *started.entry(key).or_default() += 1;
                    }
                    _ => {}
                }
            }
            let (world, first) = (commit.header.world, commit.header.first);
            begins.insert((world, now, first));
            ends.insert((world, now, first.plus(commit.events.len() as u64 - 1)));
        }
        fold_world(&log, &name(number), None).await.unwrap();
    }
    // Each message was acknowledged in the end, and is there once.
    for number in 1..=said {
        let text = format!("pay {number}");
        assert_eq!(heard.get(&text), Some(&1), "story {seed}: {text}");
    }
    // No run without its start in the log.
    for (key, runs) in books.runs.lock().unwrap().iter() {
        let started = started.get(key).copied().unwrap_or(0);
        assert!(*runs <= started, "story {seed}: {key} ran {runs} times");
    }
    // An incarnation is one process, and all that it was acknowledged is in the log as it is.
    let mut processes: BTreeMap<(WorldId, Incarnation), u64> = BTreeMap::new();
    for &(world, incarnation, first, last, process) in books.acknowledged.lock().unwrap().iter() {
        let known = processes.entry((world, incarnation)).or_insert(process);
        assert_eq!(
            *known, process,
            "story {seed}: two processes were {incarnation:?}"
        );
        assert!(
            begins.contains(&(world, incarnation, first))
                && ends.contains(&(world, incarnation, last)),
            "story {seed}: {world} lacks {first} to {last}"
        );
    }
    processes.values().collect::<BTreeSet<_>>().len()
}

#[tokio::test(start_paused = true)]
async fn whole_nodes_lose_nothing_double_nothing_and_one_acts() {
    let mut acted = 0;
    for seed in 0..lives() {
        let of_story = Box::pin(tell(seed)).await;
        println!("story {seed}: {of_story} processes acted");
        acted += of_story;
    }
    assert!(acted as u64 > 2 * lives(), "rooms moved too seldom");
}
