//! Clients of a fleet: each talks in one world, gives a command again until it is answered, and looks what came of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::ids::{Digest, WorldId};
use folkmoot::core::world::World;
use folkmoot::core::world::projection::waiting;
use folkmoot::{
    Activity, Asks, CallId, Key, OpenError, Opening, Position, Post, Runtime, Seat, SeatError,
    Settlement, ToolResultData, Verdict, Waiting, WorldHandle, WorldName,
};
use folkmoot_tests::person;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, interval_at};

use crate::books::{Book, Books, Line, Moment, Saw};
use crate::fleet::Fleet;
use crate::wait::within;

/// From one message to the next, whoever says it: the load is the same however many worlds there are.
const PACE: Duration = Duration::from_millis(40);

/// How long one waits who was told to come again.
pub(crate) const AGAIN: Duration = Duration::from_millis(100);

/// Clients, one for each world.
pub(crate) struct Crowd {
    is_over: Arc<AtomicBool>,
    clients: JoinSet<Vec<Answer>>,
}

/// A message that was answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) world: WorldId,
    pub(crate) asked: Moment,
    pub(crate) told: Moment,
}

impl Crowd {
    /// A client for each world of `fleet`.
    pub(crate) fn begin(fleet: &Fleet) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let mut clients = JoinSet::new();
        let count = u32::try_from(fleet.worlds.len()).unwrap();
        let now = Instant::now();
        for (number, world) in (0..).zip(&fleet.worlds) {
            let client = Client::of(fleet, number, world);
            let pace = interval_at(now + PACE * number, PACE * count);
            clients.spawn(client.talk(pace, Arc::clone(&is_over)));
        }
        Self { is_over, clients }
    }

    /// Has all come to an end: each was answered, all doubts are settled and all worlds at rest. Gives all answers.
    pub(crate) async fn end(self) -> Vec<Answer> {
        self.is_over.store(true, Ordering::Release);
        let all = self.clients.join_all();
        within("all clients are answered", all).await.concat()
    }
}

/// Somebody in one world.
pub(crate) struct Client {
    pub(crate) runtime: Runtime,
    pub(crate) world: WorldId,
    pub(crate) name: WorldName,
    pub(crate) book: Book,
    books: Arc<Mutex<Books>>,
    handle: Option<WorldHandle>,
    reader: String,
}

impl Client {
    /// Somebody in this world, by one of those who ask from outside.
    pub(crate) fn of(fleet: &Fleet, number: u32, (world, name): (&WorldId, &WorldName)) -> Self {
        let count = fleet.outsiders.len();
        Self {
            runtime: fleet.outsiders[number as usize % count].clone(),
            world: *world,
            name: name.clone(),
            book: fleet.book.clone(),
            books: Arc::clone(&fleet.books),
            handle: None,
            reader: format!("ada of {name}"),
        }
    }

    /// The same client once more, as somebody else's.
    pub(crate) fn twin(&self) -> Self {
        Self {
            runtime: self.runtime.clone(),
            world: self.world,
            name: self.name.clone(),
            book: self.book.clone(),
            books: Arc::clone(&self.books),
            handle: self.handle.clone(),
            reader: format!("bea of {}", self.name),
        }
    }

    async fn talk(mut self, mut pace: Interval, is_over: Arc<AtomicBool>) -> Vec<Answer> {
        let mut answers = Vec::new();
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for number in 0.. {
            pace.tick().await;
            if is_over.load(Ordering::Acquire) {
                break;
            }
            answers.push(self.say(&format!("message {number}: pay")).await);
            for doubt in self.look().await {
                self.settle(doubt).await;
            }
        }
        self.settle_all().await;
        self.look().await;
        answers
    }

    /// The seat of ada in it.
    pub(crate) async fn seat(&mut self) -> Seat {
        person(&self.handle().await, "ada")
    }

    /// The world, wherever it is held.
    pub(crate) async fn handle(&mut self) -> WorldHandle {
        let mut again = interval(AGAIN);
        loop {
            if let Some(handle) = self.handle.as_ref().filter(|handle| handle.is_open()) {
                return handle.clone();
            }
            again.tick().await;
            match self
                .runtime
                .reach(Opening::recorded(self.name.clone()))
                .await
            {
                Ok(handle) => self.handle = Some(handle),
                Err(OpenError::NoSuchWorld(name)) => panic!("there is no {name}"),
                // The server is away.
                Err(_) => {}
            }
        }
    }

    /// Says something once, however often it has to ask, and writes down what it was told.
    pub(crate) async fn say(&mut self, text: &str) -> Answer {
        let key = format!("{} {text}", self.name);
        let asked = Moment::now();
        let mut again = interval(AGAIN);
        let at = loop {
            again.tick().await;
            let post = Post {
                key: Some(Key::Client(key.clone())),
                ..Post::text(text)
            };
            match self.seat().await.publish_message(post).await {
                Ok(message) => break message.0,
                Err(error) => assert!(is_passing(&error), "{key}: {error:?}"),
            }
        };
        let told = Moment::now();
        self.book.write(&Line::Told {
            world: self.world,
            key,
            at,
            when: told,
        });
        Answer {
            world: self.world,
            asked,
            told,
        }
    }

    /// Looks how far the world is, and writes that down.
    pub(crate) async fn look(&mut self) -> Vec<Doubt> {
        let mut again = interval(AGAIN);
        loop {
            again.tick().await;
            let since = Moment::now();
            let seat = self.seat().await;
            let seen = seat.read(|world| (world.head(), doubts(world))).await;
            match seen {
                Ok((head, doubts)) => {
                    self.saw(head, since);
                    return doubts;
                }
                Err(error) => assert!(is_passing(&error), "{}: {error:?}", self.name),
            }
        }
    }

    fn saw(&self, head: Position, since: Moment) {
        self.book.write(&Line::Saw(Saw {
            reader: self.reader.clone(),
            world: self.world,
            head,
            since,
        }));
    }
}

/// A run whose outcome nobody knows.
#[derive(Debug)]
pub(crate) struct Doubt {
    request: Waiting,
    call: CallId,
}

fn doubts(world: &World) -> Vec<Doubt> {
    let pending = world.consent().pending();
    let asked = waiting(world).into_iter();
    let open = asked.filter(|request| matches!(request.asks, Asks::Outcome { is_open: true }));
    let doubt = |request: Waiting| {
        let call = pending.get(&request.request)?.call;
        Some(Doubt { request, call })
    };
    open.filter_map(doubt).collect()
}

impl Client {
    /// Says what became of a run, by the books: it counts once it has begun.
    pub(crate) async fn settle(&mut self, Doubt { request, call }: Doubt) {
        let settlement = if self.has_begun(call) {
            Settlement::Ran(None)
        } else {
            Settlement::RunAgain
        };
        let mut again = interval(AGAIN);
        loop {
            again.tick().await;
            let seat = self.seat().await;
            match seat.settle(&request, settlement.clone()).await {
                // Its own answer was lost, and it is settled.
                Ok(_) | Err(SeatError::Refused(_)) => return,
                Err(error) => assert!(is_passing(&error), "{request}: {error:?}"),
            }
        }
    }

    fn has_begun(&self, call: CallId) -> bool {
        let key = format!("{}:{call}", self.world);
        let mut books = self.books.lock().unwrap();
        books.refresh();
        let begun = |line: &Line| matches!(line, Line::Began(run) if run.key == key);
        books.entries.iter().any(|entry| begun(&entry.line))
    }

    /// Settles all doubts until nothing goes on any more.
    pub(crate) async fn settle_all(&mut self) {
        let mut again = interval(AGAIN);
        loop {
            again.tick().await;
            let seat = self.seat().await;
            match seat.world().quiet().await {
                Ok(Activity::Idle) => return,
                Ok(Activity::Parked | Activity::Running) => {
                    for doubt in self.look().await {
                        self.settle(doubt).await;
                    }
                }
                Err(error) => assert!(is_passing(&error), "{}: {error:?}", self.name),
            }
        }
    }
}

/// Deciding about calls.
impl Client {
    /// Waits until so many calls wait for a person.
    pub(crate) async fn requests(&mut self, count: usize) -> Vec<Waiting> {
        let mut again = interval(AGAIN);
        loop {
            again.tick().await;
            match self.seat().await.waiting().await {
                Ok(waiting) if waiting.len() == count => return waiting,
                Ok(_) => {}
                Err(error) => assert!(is_passing(&error), "{}: {error:?}", self.name),
            }
        }
    }

    /// Allows a call in the name of `who`, however often that has to be said; false: somebody else had decided.
    pub(crate) async fn decide(&mut self, request: &Waiting, who: &str) -> bool {
        let decision = ToolResultData {
            shown: request.digest().as_ref().map(Digest::short),
            key: Some(Key::Client(format!("{who} decides {}", request.request))),
            ..ToolResultData::once(request.request, Verdict::Allow)
        };
        let mut again = interval(AGAIN);
        loop {
            again.tick().await;
            let seat = person(&self.handle().await, who);
            let decided = seat.publish_tool_result(&request.agent, decision.clone());
            match decided.await {
                Ok(_) => return true,
                Err(SeatError::Refused(Refusal::Right { reason, .. })) => {
                    assert_eq!(reason, RefusalReason::AlreadyDecided, "{request}");
                    return false;
                }
                Err(error) => assert!(is_passing(&error), "{request}: {error:?}"),
            }
        }
    }
}

/// Tells whether asking again may help: somebody died or is away.
pub(crate) const fn is_passing(error: &SeatError) -> bool {
    matches!(
        error,
        SeatError::TenureLost
            | SeatError::Closed
            | SeatError::Stopped(_)
            | SeatError::Busy { .. }
            | SeatError::Unanswered { .. }
            | SeatError::Elsewhere(_)
    )
}
