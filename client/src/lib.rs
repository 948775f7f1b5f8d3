//! A client of Folkmoot's rooms over HTTP.
//!
//! It opens and lists rooms, posts messages, follows a room, decides and answers requests, and goes on where it was when
//! the connection or the server is lost in between. Nothing is posted twice: each command carries
//! an `Idempotency-Key`, and is repeated under the same key. Nothing is missed or seen twice: a
//! feed comes back behind the last item that it gave.
//!
//! ```no_run
//! use folkmoot_client::{Client, Decision, FeedEvent, NewMessage, NewRoom, Start};
//!
//! # async fn example() -> Result<(), folkmoot_client::ClientError> {
//! let token = std::env::var("FOLKMOOT_TOKEN").unwrap_or_default();
//! let client = Client::new("http://127.0.0.1:7077", &token)?;
//! let room = client.open_room(&NewRoom::from_template("support").titled("Kettle")).await?;
//! client.post(&room, &NewMessage::text("My kettle broke.")).await?;
//!
//! let mut feed = client.feed(&room, Start::Beginning);
//! loop {
//!     match feed.next().await? {
//!         FeedEvent::Item(item) => {
//!             if let Some(text) = item.text() {
//!                 println!("{}: {text}", item.author().unwrap_or("the room"));
//!             }
//!             if let Some(request) = item.request() {
//!                 client.decide(&room, &Decision::allow(&request)).await?;
//!             }
//!         }
//!         FeedEvent::Draft(draft) => print!("{}", draft.text),
//!         FeedEvent::DraftEnd(_) => println!(),
//!     }
//! }
//! # }
//! ```
//!
//! The crate deliberately knows nothing of how rooms work: an [`Item`] is JSON with names for the
//! parts that most programs read. So it is quick to build, and a newer server's items are no error.
//!
//! Read first: [`Client`] (what can be done), [`Feed`] (what happens in a room), [`ClientError`]
//! (what can go wrong).

mod sse;

mod problem;

mod error;

mod command;

mod room;

mod request;

mod item;

mod drafts;

mod patience;

mod client;

mod feed;

pub use client::Client;
pub use command::{Key, NewMessage, NewRoom, Posted};
pub use drafts::{Draft, DraftEnd};
pub use error::ClientError;
pub use feed::{Feed, FeedEvent, Start};
pub use item::{Item, ItemId};
pub use problem::Problem;
pub use request::{Answer, Decision, Reach, Request, Scope, Settlement, Verdict};
pub use room::Room;
