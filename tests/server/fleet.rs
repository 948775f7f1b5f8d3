//! Four servers over one database, which die one by one and at once, while their clients go on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use folkmoot_client::{FeedEvent, NewMessage, Start};
use futures::future::join_all;
use rustix::process::Signal;
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

use crate::life::{DEADLINE, End, Place};
use crate::people::Show;
use crate::real_time::{Cast, Table, check, names, number};

#[path = "../../store/tests/postgres/server.rs"]
#[expect(
    dead_code,
    reason = "the tests of the ledger kill the server, and set it up in other ways"
)]
mod postgres;

/// The servers.
const SERVERS: usize = 4;
/// The deaths of the test, unless `FOLKMOOT_FLEET_DEATHS` says otherwise.
const KILLS: usize = 8;
/// The rooms.
const ROOMS: usize = 12;
/// The time within which a server comes to its point, unless its rooms have gone elsewhere: then it is killed from outside.
const COMES_TO_IT: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_four_servers_that_die_lose_nothing_and_double_nothing() {
    let Some(database) = postgres::Server::start("four servers over a database") else {
        return;
    };
    let fleet = Fleet {
        place: Place::of(SERVERS, Some(url(&database))),
        ends: Mutex::new((0..number("FOLKMOOT_FLEET_DEATHS", KILLS)).collect()),
        seed: number("FOLKMOOT_SHOW_SEED", 17),
    };
    println!("{}", fleet.perform().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_writes_is_shown_by_another() {
    let Some(database) = postgres::Server::start("drafts of another server") else {
        return;
    };
    let place = Place::of(2, Some(url(&database)));
    let lives = [place.begin(0, None), place.begin(1, None)];
    let (_goes_on, goes_on) = watch::channel(true);
    let show = Show {
        urls: place.urls(),
        goes_on,
        items_seen: Arc::default(),
    };
    let world = show.open("owner-0").await;
    let mut feed = show.client("guest-0").feed(&world, Start::Beginning);
    let message = NewMessage::text("hold hello");
    show.client("owner-0").post(&world, &message).await.unwrap();
    let written = async {
        loop {
            if let FeedEvent::Draft(piece) = feed.next().await.unwrap() {
                return piece.text;
            }
        }
    };
    let written = timeout(DEADLINE, written).await;
    assert_eq!(written.expect("a draft comes"), "hello");
    drop(lives);
}

fn url(database: &postgres::Server) -> String {
    let port = database.port;
    format!(
        "postgres://{}@127.0.0.1:{port}/postgres?schema=fleet",
        postgres::OWNER
    )
}

/// The servers, and what is to become of them.
struct Fleet {
    place: Place,
    /// The numbers of the deaths that are still to come.
    ends: Mutex<Vec<usize>>,
    seed: usize,
}

impl Fleet {
    async fn perform(&self) -> Table {
        let cast = Cast {
            rooms: ROOMS,
            in_javascript: 0,
        };
        let (show_must_go_on, goes_on) = watch::channel(true);
        let show = Show {
            urls: self.place.urls(),
            goes_on,
            items_seen: Arc::default(),
        };
        let table = Mutex::new(Table::of(self.seed));
        let mut rooms = cast.begin(&show);
        tokio::select! {
            _lives = join_all((0..SERVERS).map(|server| self.lives(server, &show, &table))) => {}
            over = rooms.join_next() => panic!("a room is over before the show: {over:?}"),
        }
        let mut lives: Vec<_> = (0..SERVERS)
            .map(|server| self.place.begin(server, None))
            .collect();
        show_must_go_on.send_replace(false);
        let records = timeout(3 * DEADLINE, rooms.join_all()).await;
        let records = records.expect("all is answered in time");
        let mut table = table.into_inner();
        check(&show, &self.place, &records, &mut table.checked).await;
        for life in &mut lives {
            life.signal(Signal::TERM);
            assert!(life.over().await.success(), "a server ends well");
        }
        assert_eq!(
            self.place.worlds().await,
            names(&records),
            "rooms there and opened"
        );
        table.checked.has_substance();
        table
    }

    /// Lets one server live and die as long as deaths are left.
    async fn lives(&self, server: usize, show: &Show, table: &Mutex<Table>) {
        loop {
            let Some(death) = self.ends.lock().await.pop() else {
                return;
            };
            let mut random = Rng::with_seed((self.seed + death) as u64);
            let end = End::of(death, &mut random);
            let begun = Instant::now();
            let point = self.live(server, show, end).await;
            table.lock().await.add(point, begun.elapsed());
        }
    }

    /// Lets one server live to its end; gives the point at which it died.
    async fn live(&self, server: usize, show: &Show, end: End) -> &'static str {
        let mut seen = show.items_seen.subscribe();
        let before = *seen.borrow();
        let mut life = self.place.begin(server, Some(end));
        if let Some((items, signal)) = end.outer() {
            self.place.listens(server).await;
            let waited = timeout(DEADLINE, seen.wait_for(|seen| *seen >= before + items)).await;
            drop(waited.expect("people see items in time").unwrap());
            life.signal(signal);
        }
        if life.is_over_within(COMES_TO_IT).await {
            return end.name();
        }
        life.signal(Signal::KILL);
        life.over().await;
        "from outside"
    }
}
