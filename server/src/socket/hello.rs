//! The entrance: who comes, to which world, and where they left.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use folkmoot::{FeedStart, MessageId, Right};
use serde::Deserialize;

use super::frames::Runs;
use super::{Connection, Goodbye};
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::parse;
use crate::rooms::Lobby;
use crate::stream::{FrameSource, start_at};

/// A client before it has said hello.
#[derive(Debug)]
pub(super) struct Entrance {
    pub(super) lobby: Arc<Lobby>,
    pub(super) world: String,
    /// The head of the request. The token of `hello` is put into it where there was none.
    pub(super) parts: Parts,
    /// The caller, if the request named one.
    pub(super) caller: Option<Caller>,
}

/// The first frame of a client.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hello {
    #[serde(rename = "type")]
    _kind: HelloWord,
    /// The token, if the request had none.
    token: Option<String>,
    /// The last item that the client has, or `now`.
    after: Option<String>,
    /// The drafts that the client has a part of, each with the number of its bytes.
    #[serde(default)]
    drafts: BTreeMap<MessageId, u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HelloWord {
    Hello,
}

impl Entrance {
    /// Waits for hello, and opens the feed where the client left it. Until then nothing is said
    /// about the world.
    pub(super) async fn pass(mut self, socket: &mut WebSocket) -> Result<Connection, Goodbye> {
        let wait = self.lobby.rooms.limits.hello_timeout;
        let hello = tokio::time::timeout(wait, hello(socket))
            .await
            .map_err(|_| Goodbye::SILENT)??;
        let caller = self.caller(hello.token).await?;
        self.lobby.quotas.connection(&caller)?;
        let start = match hello.after {
            None => FeedStart::Beginning,
            Some(after) => start_at("after", &after)?,
        };
        let seat = self.lobby.seat(&caller, &self.world, Right::Read).await?;
        let (source, runs) = {
            let mut feed = seat.feed(start).map_err(Problem::from)?;
            for (message, offset) in hello.drafts {
                feed.resume_draft(message, offset);
            }
            let runs = seat.read(Runs::begin).await.map_err(Problem::from)?;
            let drain = self.lobby.rooms.drain.clone();
            let lease = caller.lease.clone();
            (FrameSource::new(feed, lease, drain, start), runs)
        };
        Ok(Connection {
            lease: caller.lease.clone(),
            lobby: self.lobby,
            caller,
            world: self.world,
            seat,
            source,
            runs,
            pings_missed: 0,
        })
    }

    async fn caller(&mut self, token: Option<String>) -> Result<Caller, Problem> {
        if let Some(caller) = self.caller.take() {
            return Ok(caller);
        }
        if let Some(token) = token {
            let bearer = HeaderValue::try_from(format!("Bearer {token}"))
                .map_err(|_| Problem::new(ProblemCode::Unauthorized, "the token is no token"))?;
            self.parts.headers.insert(header::AUTHORIZATION, bearer);
        }
        let authenticate = &self.lobby.rooms.authenticate;
        Ok(authenticate.authenticate(&self.parts).await?)
    }
}

async fn hello(socket: &mut WebSocket) -> Result<Hello, Goodbye> {
    loop {
        match socket.recv().await {
            Some(Ok(Message::Text(text))) => return Ok(parse(text.as_bytes())?),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => {
                return Err(Goodbye::GONE);
            }
        }
    }
}
