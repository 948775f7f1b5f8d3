//! The people of a room: each posts, and follows what happens; the owner decides as well.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use folkmoot_client::{
    Client, Decision, Feed, FeedEvent, Item, NewMessage, NewRoom, Request, Start, Verdict,
};
use futures::future::{join_all, join3};
use tokio::sync::{mpsc, watch};

use crate::life::DEADLINE;
use crate::record::{Decided, FeedRecord, Post, RoomRecord};

/// The time for which a client tries one thing: many lives of a server.
const PATIENCE: Duration = Duration::from_secs(600);

/// The fewest messages of one person: a call that is allowed, a word that is taken back, and a call that is denied.
const POSTS_MIN: u32 = 3;

/// All that clients of one room share with the test.
#[derive(Clone)]
pub(crate) struct Show {
    /// The servers. Everybody has one of them.
    pub(crate) urls: Vec<String>,
    /// True while people begin new things.
    pub(crate) goes_on: watch::Receiver<bool>,
    /// The number of items that all feeds gave.
    pub(crate) items_seen: Arc<watch::Sender<u64>>,
}

/// The messages whose episodes are over, as one feed showed them.
type Over = watch::Sender<BTreeSet<u64>>;

impl Show {
    /// The client of somebody, whose name says which server it asks: owner and guest of a room have two.
    pub(crate) fn client(&self, name: &str) -> Client {
        let (role, number) = name.rsplit_once('-').unwrap();
        let number: usize = number.parse().unwrap();
        let server = (number + usize::from(role == "guest")) % self.urls.len();
        let client = Client::new(&self.urls[server], &format!("token-{name}")).unwrap();
        client.patient_for(PATIENCE)
    }

    /// Opens a room as its owner; gives its name.
    pub(crate) async fn open(&self, owner: &str) -> String {
        let room = NewRoom::from_template("desk").titled(owner);
        self.client(owner).open_room(&room).await.unwrap()
    }

    /// The life of the room with this number until the show is over, and all that people asked for is answered: two people,
    /// each with a feed of their own.
    pub(crate) async fn play(self, number: usize) -> RoomRecord {
        let owner = format!("owner-{number}");
        let guest = format!("guest-{number}");
        let world = self.open(&owner).await;
        let (requests, asked) = mpsc::unbounded_channel();
        let (finish, end) = watch::channel(false);
        let mut posters = Vec::new();
        let mut followers = Vec::new();
        for (name, requests) in [(&owner, Some(requests)), (&guest, None)] {
            let client = self.client(name);
            let over = Arc::new(Over::default());
            let follower = Follower {
                items_seen: Arc::clone(&self.items_seen),
                requests,
                over: Arc::clone(&over),
            };
            followers.push(follower.follow(client.feed(&world, Start::Beginning), end.clone()));
            let name = name.clone();
            let poster = Poster { name, client, over };
            posters.push(poster.post(&world, &self.goes_on));
        }
        let decider = self.client(&owner);
        let posting = async {
            let posts = join_all(posters).await;
            finish.send_replace(true);
            posts
        };
        // In one task, so that what goes wrong in one of them ends all.
        let (posts, feeds, decided) =
            join3(posting, join_all(followers), decide(decider, &world, asked)).await;
        RoomRecord {
            posts: posts.into_iter().flatten().collect(),
            feeds,
            decided,
            owner,
            world,
        }
    }
}

/// Somebody who posts.
struct Poster {
    name: String,
    client: Client,
    over: Arc<Over>,
}

impl Poster {
    /// Posts one message after the other, each when the one before is answered, while the show goes on, and takes some of them
    /// back.
    async fn post(self, world: &str, goes_on: &watch::Receiver<bool>) -> Vec<Post> {
        let mut posts = Vec::new();
        for number in 0_u32.. {
            if number >= POSTS_MIN && !*goes_on.borrow() {
                break;
            }
            // Both kinds stand in each other's way: a word that is to be told while the clerk waits comes later.
            let word = if number % 2 == 0 { "file" } else { "tell" };
            let text = format!("{word} {}-{number}", self.name);
            let message = NewMessage::text(&text);
            let posted = self.client.post(world, &message).await.unwrap();
            let is_answered = is_over(&self.over, posted.message, goes_on).await;
            let is_gone = number % 3 == 1;
            if is_gone {
                self.client.retract(world, posted.message).await.unwrap();
            }
            posts.push(Post {
                by: self.name.clone(),
                text,
                message: posted.message,
                is_answered,
                is_gone,
            });
        }
        posts
    }
}

/// Waits until the episode of a message is over: while the server is killed that may take any number of lives. False if it is
/// not over long after the last kill.
async fn is_over(over: &Over, message: u64, goes_on: &watch::Receiver<bool>) -> bool {
    let mut seen = over.subscribe();
    let mut goes_on = goes_on.clone();
    let too_late = async {
        drop(goes_on.wait_for(|goes_on| !goes_on).await);
        tokio::time::sleep(DEADLINE).await;
    };
    tokio::select! {
        seen = seen.wait_for(|seen| seen.contains(&message)) => seen.is_ok(),
        () = too_late => false,
    }
}

/// Somebody who follows a room.
struct Follower {
    items_seen: Arc<watch::Sender<u64>>,
    /// Takes the requests; `None` if others decide.
    requests: Option<mpsc::UnboundedSender<Request>>,
    over: Arc<Over>,
}

impl Follower {
    async fn follow(self, mut feed: Feed, mut end: watch::Receiver<bool>) -> FeedRecord {
        let mut record = FeedRecord::default();
        loop {
            let event = tokio::select! {
                biased;
                event = feed.next() => event.unwrap(),
                _ended = end.wait_for(|end| *end) => return record,
            };
            match event {
                FeedEvent::Item(item) => {
                    record.items.push((&*item).into());
                    self.note(&item);
                }
                FeedEvent::Draft(piece) => record.draft(piece),
                FeedEvent::DraftEnd(end) => record.draft_end(&end),
            }
        }
    }

    fn note(&self, item: &Item) {
        self.items_seen.send_modify(|seen| *seen += 1);
        if let (Some(request), Some(requests)) = (item.request(), &self.requests) {
            requests.send(request).unwrap();
        }
        if item.activity() == Some("episode_ended") {
            // An episode is called by the message that began it.
            let episode = item.episode().unwrap();
            self.over.send_if_modified(|over| over.insert(episode));
        }
    }
}

/// Decides what is asked, every second call of a person with a no.
async fn decide(
    client: Client,
    world: &str,
    mut asked: mpsc::UnboundedReceiver<Request>,
) -> Vec<Decided> {
    let mut decided = Vec::new();
    while let Some(request) = asked.recv().await {
        let arguments = request.arguments.as_deref().unwrap();
        let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
        let line = arguments["line"].as_str().unwrap().to_owned();
        let (_, number) = line.rsplit_once('-').unwrap();
        let is_denied = number.parse::<u32>().unwrap() % 4 == 2;
        let (verdict, decision) = if is_denied {
            (Verdict::Deny, Decision::deny(&request))
        } else {
            (Verdict::Allow, Decision::allow(&request))
        };
        client.decide(world, &decision).await.unwrap();
        let request = request.request;
        decided.push(Decided {
            request,
            line,
            verdict,
        });
    }
    decided
}
