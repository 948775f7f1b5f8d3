//! Replies that are being written in worlds which other processes hold.
//!
//! A draft is in no log: it goes from the process that holds a world to those that follow it by whatever connects them. What
//! comes passes the same firewall as in the process that it comes from.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::{AgentName, MessageId, WorldId, WorldName};
use folkmoot_core::text::reply::ReplyCutter;
use folkmoot_core::world::World;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep_until};

use crate::bus::ActivityChannel;

/// How long nobody asks again whoever has broken off, or shows no drafts at first.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// The same at most: the pause doubles each time that nobody shows any. Each question is one to the store.
const ASK_AGAIN_MAX: Duration = Duration::from_secs(10);

/// A piece of a reply that another process shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftPiece {
    /// The agent that speaks.
    pub agent: AgentName,
    /// The message that it will be.
    pub message: MessageId,
    /// The place of the piece in the message, in bytes.
    pub offset: u64,
    /// The piece.
    pub text: String,
}

/// The pieces of one world as they come.
pub type DraftPieces = BoxStream<'static, DraftPiece>;

/// The way to the drafts of worlds that other processes hold.
#[async_trait]
pub trait DraftSource: Send + Sync + fmt::Debug {
    /// The drafts of a world, those that are being written from their beginnings, until its holder does not show them any
    /// more. `None`: nobody shows them now.
    async fn follow(&self, world: WorldId, name: &WorldName) -> Option<DraftPieces>;
}

/// The drafts of one world that another process holds.
pub(crate) struct RemoteDrafts {
    source: Arc<dyn DraftSource>,
    world: WorldId,
    name: WorldName,
    line: Line,
    /// How long nobody is asked again the next time that nobody shows the drafts.
    pause: Duration,
    /// The replies that are being written.
    replies: BTreeMap<AgentName, RemoteReply>,
}

/// The connection to whoever shows the drafts.
enum Line {
    /// There is none before this moment.
    Down(Instant),
    Asked(BoxFuture<'static, Option<DraftPieces>>),
    Up(DraftPieces),
}

/// A reply that another process shows, as far as it came.
struct RemoteReply {
    message: MessageId,
    cutter: ReplyCutter,
    /// The bytes that came, and those of them that were shown.
    came: u64,
    shown: u64,
}

impl RemoteDrafts {
    pub(crate) fn new(source: Arc<dyn DraftSource>, world: WorldId, name: WorldName) -> Self {
        Self {
            source,
            world,
            name,
            line: Line::Down(Instant::now()),
            pause: ASK_AGAIN,
            replies: BTreeMap::new(),
        }
    }

    /// Waits for the next piece. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> DraftPiece {
        loop {
            self.line = match &mut self.line {
                Line::Down(until) => {
                    sleep_until(*until).await;
                    let source = Arc::clone(&self.source);
                    let (world, name) = (self.world, self.name.clone());
                    Line::Asked(Box::pin(async move { source.follow(world, &name).await }))
                }
                Line::Asked(asked) => match asked.as_mut().await {
                    Some(pieces) => {
                        self.pause = ASK_AGAIN;
                        Line::Up(pieces)
                    }
                    None => {
                        let until = Instant::now() + self.pause;
                        self.pause = self.pause.saturating_mul(2).min(ASK_AGAIN_MAX);
                        Line::Down(until)
                    }
                },
                Line::Up(pieces) => match pieces.next().await {
                    Some(piece) => return piece,
                    None => Line::Down(Instant::now() + ASK_AGAIN),
                },
            };
        }
    }

    /// Ends the connection: nobody here follows the drafts any more, or another process writes them.
    pub(crate) fn hang_up(&mut self) {
        self.pause = ASK_AGAIN;
        let now = Instant::now();
        self.line = match self.line {
            // Whoever follows them next does not wait longer for it than at first.
            Line::Down(until) => Line::Down(until.min(now + ASK_AGAIN)),
            Line::Asked(_) | Line::Up(_) => Line::Down(now),
        };
    }

    /// Shows a piece, as `world` says that the agent's replies are cut. One that does not stand behind those before is not
    /// shown: the log has the message later.
    pub(crate) fn show(&mut self, piece: DraftPiece, world: &World, activity: &ActivityChannel) {
        let DraftPiece {
            agent,
            message,
            offset,
            text,
        } = piece;
        let is_new = |reply: &RemoteReply| reply.message != message;
        if offset == 0 && self.replies.get(&agent).is_none_or(is_new) {
            let reply = RemoteReply {
                message,
                cutter: world.reply_cutter(&agent),
                came: 0,
                shown: 0,
            };
            self.replies.insert(agent.clone(), reply);
        }
        let Some(reply) = self.replies.get_mut(&agent) else {
            return;
        };
        // What came before a connection broke comes again.
        let known = reply
            .came
            .checked_sub(offset)
            .and_then(|known| usize::try_from(known).ok());
        let new = known.and_then(|known| text.get(known..));
        let Some(new) = new.filter(|_| reply.message == message) else {
            return;
        };
        reply.came += length(new);
        let stays = reply.cutter.push(new);
        if stays.is_empty() {
            return;
        }
        let at = reply.shown;
        reply.shown += length(&stays);
        activity.draft(agent, message, at, stays);
    }
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
