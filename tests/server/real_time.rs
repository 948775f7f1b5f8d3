//! Kills of the server under load: thirty rooms, in each two people who post, follow and decide.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use folkmoot_client::{FeedEvent, Start};
use rustix::process::Signal;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::life::{DEADLINE, End, Place};
use crate::node;
use crate::people::Show;
use crate::record::{Received, RoomRecord};
use crate::verdict::Checked;

/// The kills of the test, unless `FOLKMOOT_KILLS` says otherwise.
const KILLS: usize = 10;
/// The same for clients in JavaScript, and `FOLKMOOT_NODE_KILLS`: one of each kind.
const NODE_KILLS: usize = 7;
/// The kills of one store.
const SHOW_KILLS: usize = 40;
/// The rooms.
const ROOMS: usize = 30;

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_a_server_that_is_killed_lose_nothing_and_double_nothing() {
    let cast = Cast {
        rooms: ROOMS,
        in_javascript: 0,
    };
    let table = cast.perform(number("FOLKMOOT_KILLS", KILLS)).await;
    println!("{table}");
}

/// The client of `tests/clients`, which is 60 lines of plain JavaScript, beside ours.
#[tokio::test(flavor = "multi_thread")]
async fn clients_in_javascript_lose_nothing_and_double_nothing() {
    if !node::is_there() {
        println!("skipped: no node 20 here, which the client in JavaScript runs in");
        return;
    }
    let cast = Cast {
        rooms: 2,
        in_javascript: 4,
    };
    let kills = number("FOLKMOOT_NODE_KILLS", NODE_KILLS);
    let table = cast.perform(kills).await;
    println!("{table}");
}

/// The clients of a show.
#[derive(Clone, Copy)]
pub(crate) struct Cast {
    /// The rooms in which two people with a client in Rust are.
    pub(crate) rooms: usize,
    /// The rooms in which a person with a client in JavaScript is.
    pub(crate) in_javascript: usize,
}

impl Cast {
    /// Performs for as many lives as there are `kills`.
    async fn perform(self, kills: usize) -> Table {
        let seed = number("FOLKMOOT_SHOW_SEED", 17);
        let mut random = Rng::with_seed(seed as u64);
        let ends = (0..kills).map(|number| End::of(number, &mut random));
        let ends: Vec<End> = ends.collect();
        let mut table = Table::of(seed);
        // A new store for each, so that no log becomes so long that opening it is what takes the time.
        for ends in ends.chunks(SHOW_KILLS) {
            self.show(ends, &mut table).await;
        }
        table.checked.has_substance();
        table
    }

    /// One store, over all lives with these ends, and the verdict on what its clients recorded.
    async fn show(self, ends: &[End], table: &mut Table) {
        let place = Place::new();
        let (show_must_go_on, goes_on) = watch::channel(true);
        let show = Show {
            urls: place.urls(),
            goes_on,
            items_seen: Arc::default(),
        };
        let mut rooms = self.begin(&show);
        for end in ends {
            let begun = Instant::now();
            tokio::select! {
                () = live(&place, &show, *end) => {}
                over = rooms.join_next() => panic!("a room is over before the show: {over:?}"),
            }
            table.add(end.name(), begun.elapsed());
        }
        let mut life = place.begin(0, None);
        show_must_go_on.send_replace(false);
        let records = timeout(2 * DEADLINE, rooms.join_all()).await;
        let records = records.expect("all is answered in time");
        check(&show, &place, &records, &mut table.checked).await;
        life.signal(Signal::TERM);
        assert!(life.over().await.success(), "the server ends well");
        assert_eq!(
            place.worlds().await,
            names(&records),
            "rooms there and opened"
        );
    }

    /// Lets people open their rooms, while the server lives and dies.
    pub(crate) fn begin(self, show: &Show) -> JoinSet<RoomRecord> {
        let mut rooms = JoinSet::new();
        for number in 0..self.rooms {
            rooms.spawn(show.clone().play(number));
        }
        for number in 0..self.in_javascript {
            rooms.spawn(node::play(show.clone(), number));
        }
        rooms
    }
}

pub(crate) fn number(variable: &str, default: usize) -> usize {
    let set = std::env::var(variable);
    set.map_or(default, |text| text.parse().expect("a number"))
}

/// The names of the rooms, in order.
pub(crate) fn names(records: &[RoomRecord]) -> Vec<String> {
    let mut names: Vec<String> = records.iter().map(|record| record.world.clone()).collect();
    names.sort_unstable();
    names
}

/// Lives one life to its end.
async fn live(place: &Place, show: &Show, end: End) {
    let mut seen = show.items_seen.subscribe();
    let before = *seen.borrow();
    let mut life = place.begin(0, Some(end));
    if let Some((items, signal)) = end.outer() {
        if signal == Signal::TERM {
            // Items of the life before may still be read: this one must know the signal first.
            place.listens(0).await;
        }
        let waited = timeout(DEADLINE, seen.wait_for(|seen| *seen >= before + items)).await;
        drop(waited.expect("people see items in time").unwrap());
        life.signal(signal);
    }
    life.killed(end).await;
}

pub(crate) async fn check(
    show: &Show,
    place: &Place,
    records: &[RoomRecord],
    checked: &mut Checked,
) {
    for record in records {
        let whole = whole_feed(show, record).await;
        checked.room(record, &whole);
        let owner = show.client(&record.owner);
        let waiting = owner.waiting(&record.world).await.unwrap();
        assert_eq!(waiting, Vec::new(), "{}: nothing waits", record.world);
    }
    checked.runs(records, &place.ledger());
}

/// All items of a room, read from the beginning to the last one that anybody saw.
async fn whole_feed(show: &Show, record: &RoomRecord) -> Vec<Received> {
    let longest = record.feeds.iter().max_by_key(|feed| feed.items.len());
    let last = &longest.unwrap().items.last().unwrap().id;
    let reader = show.client(&record.owner);
    let mut feed = reader.feed(&record.world, Start::Beginning);
    let mut items = Vec::new();
    loop {
        let event = timeout(DEADLINE, feed.next()).await;
        let event = event.unwrap_or_else(|_| panic!("{}: {last} does not come", record.world));
        if let FeedEvent::Item(item) = event.unwrap() {
            let is_last = item.id().as_str() == last;
            items.push(Received::from(&*item));
            if is_last {
                return items;
            }
        }
    }
}

/// The seed, the kills at each point, and all that was checked.
#[derive(Default)]
pub(crate) struct Table {
    seed: usize,
    points: BTreeMap<&'static str, (u32, Duration)>,
    pub(crate) checked: Checked,
}

impl Table {
    pub(crate) fn of(seed: usize) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, point: &'static str, lived: Duration) {
        let (count, time) = self.points.entry(point).or_default();
        *count += 1;
        *time += lived;
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<16} {:>6} {:>10}", "killed", "times", "ms a life")?;
        for (point, (count, time)) in &self.points {
            let each = (*time / *count).as_millis();
            writeln!(f, "{point:<16} {count:>6} {each:>10}")?;
        }
        write!(f, "seed {}: {:?}", self.seed, self.checked)
    }
}
