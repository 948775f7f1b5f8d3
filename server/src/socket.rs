//! A client's connection to a world: the feed and the commands over one socket.

use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use folkmoot::Seat;
use serde::Serialize;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::identity::{Caller, Lease};
use crate::problem::{Problem, ProblemCode};
use crate::rooms::Lobby;
use crate::stream::{Frame, FrameSource};

mod command;
mod frames;
mod heartbeat;
mod hello;
pub(crate) mod upgrade;

use command::answer;
use frames::{Runs, SocketFrame};
use heartbeat::heartbeat;
use hello::Entrance;

/// The most pings that may stay without an answer.
const PINGS_MISSED_MAX: u32 = 2;

/// The close code of a world that is not there, or may not be read. They are not told apart.
const NOT_FOUND: u16 = 4404;
/// The close code of a client that is not known.
const UNAUTHORIZED: u16 = 4401;
/// The close code of a client that did not say hello in time, or answered no pings.
const SILENT: u16 = 4408;
/// The close code of a client that came too often.
const TOO_MANY: u16 = 4429;
/// The close code of other problems: the reason has the problem's code.
const PROBLEM: u16 = 4400;

/// The end of a connection, and the reason for it.
#[derive(Debug)]
pub(crate) struct Goodbye {
    code: u16,
    reason: &'static str,
}

impl From<Problem> for Goodbye {
    fn from(problem: Problem) -> Self {
        const CODES: [(ProblemCode, u16); 3] = [
            (ProblemCode::NotFound, NOT_FOUND),
            (ProblemCode::Unauthorized, UNAUTHORIZED),
            (ProblemCode::LimitReached, TOO_MANY),
        ];
        let own = CODES.iter().find(|(code, _)| *code == problem.code());
        let code = own.map_or(PROBLEM, |(_, code)| *code);
        let reason = problem.code().word();
        Self { code, reason }
    }
}

impl Goodbye {
    const SILENT: Self = Self {
        code: SILENT,
        reason: "silent",
    };
    /// The right to read was lost, or the world was let go of.
    const OVER: Self = Self {
        code: NOT_FOUND,
        reason: "not_found",
    };
    /// The server ends. The frame `bye` said where to go on.
    const AWAY: Self = Self {
        code: close_code::AWAY,
        reason: "bye",
    };
    /// The client went away, or sent something that is no frame.
    const GONE: Self = Self {
        code: close_code::NORMAL,
        reason: "",
    };
}

/// A connection to a world that its client may read.
#[derive(Debug)]
pub(crate) struct Connection {
    lobby: Arc<Lobby>,
    caller: Caller,
    world: String,
    seat: Seat,
    source: FrameSource,
    runs: Runs,
    /// Ends what is being sent to a client who may no longer read.
    lease: Lease,
    /// The number of pings since the client last answered one.
    pings_missed: u32,
}

/// Serves a client until the connection ends.
async fn serve(mut socket: WebSocket, entrance: Entrance) {
    let _counted = entrance.lobby.metrics.socket();
    let goodbye = match entrance.pass(&mut socket).await {
        Ok(mut connection) => connection.run(&mut socket).await,
        Err(goodbye) => goodbye,
    };
    let frame = CloseFrame {
        code: goodbye.code,
        reason: goodbye.reason.into(),
    };
    if let Err(error) = socket.send(Message::Close(Some(frame))).await {
        tracing::debug!(%error, "a client of a socket was gone first");
    }
}

impl Connection {
    async fn run(&mut self, socket: &mut WebSocket) -> Goodbye {
        let limits = &self.lobby.rooms.limits;
        let mut heartbeats = every(limits.heartbeat);
        let mut pings = every(limits.ping);
        loop {
            let step = tokio::select! {
                frame = self.source.next() => self.pass_on(socket, frame).await,
                message = socket.recv() => match message {
                    Some(Ok(message)) => self.take(socket, message).await,
                    Some(Err(_)) | None => Err(Goodbye::GONE),
                },
                _ = heartbeats.tick() => self.beat(socket).await,
                _ = pings.tick() => self.ping(socket).await,
            };
            if let Err(goodbye) = step {
                return goodbye;
            }
        }
    }

    async fn pass_on(
        &mut self,
        socket: &mut WebSocket,
        frame: Option<Frame>,
    ) -> Result<(), Goodbye> {
        let Some(frame) = frame else {
            return Err(Goodbye::OVER);
        };
        let run = self.runs.of(&frame);
        self.send(socket, &SocketFrame::new(run, &frame)).await?;
        match frame {
            Frame::Bye(_) => Err(Goodbye::AWAY),
            Frame::Item(_) | Frame::Draft(_) | Frame::CaughtUp(_) => Ok(()),
        }
    }

    async fn take(&mut self, socket: &mut WebSocket, message: Message) -> Result<(), Goodbye> {
        match message {
            Message::Text(text) => {
                let answer = answer(&self.lobby, &self.caller, &self.world, &text).await;
                self.send(socket, &answer).await
            }
            Message::Pong(_) => {
                self.pings_missed = 0;
                Ok(())
            }
            Message::Ping(_) => Ok(()),
            Message::Binary(_) => Err(Goodbye {
                code: close_code::UNSUPPORTED,
                reason: "frames are text",
            }),
            Message::Close(_) => Err(Goodbye::GONE),
        }
    }

    async fn beat(&mut self, socket: &mut WebSocket) -> Result<(), Goodbye> {
        let running = self.seat.read(heartbeat).await;
        match running {
            Ok(Some(heartbeat)) => self.send(socket, &heartbeat).await,
            Ok(None) => Ok(()),
            // The feed says that the world, or the right to read it, is gone.
            Err(_) => Ok(()),
        }
    }

    async fn ping(&mut self, socket: &mut WebSocket) -> Result<(), Goodbye> {
        if self.pings_missed >= PINGS_MISSED_MAX {
            return Err(Goodbye::SILENT);
        }
        self.pings_missed += 1;
        self.deliver(socket, Message::Ping(axum::body::Bytes::new()))
            .await
    }

    async fn send(
        &mut self,
        socket: &mut WebSocket,
        frame: &impl Serialize,
    ) -> Result<(), Goodbye> {
        let text = serde_json::to_string(frame).map_err(|error| {
            Goodbye::from(Problem::new(ProblemCode::Internal, error.to_string()))
        })?;
        self.deliver(socket, Message::Text(text.into())).await
    }

    /// Waits for a slow client, but not for one who may no longer read.
    async fn deliver(&mut self, socket: &mut WebSocket, message: Message) -> Result<(), Goodbye> {
        tokio::select! {
            biased;
            () = self.lease.ended() => Err(Goodbye::OVER),
            sent = socket.send(message) => sent.map_err(|_| Goodbye::GONE),
        }
    }
}

fn every(period: std::time::Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
