//! The way from a world's handles to its task.

use std::time::Duration;

use folkmoot_core::command::Command;
use folkmoot_core::ids::{Position, WorldName};
use folkmoot_core::world::{Accepted, Access, Activity, World};
use tokio::sync::{mpsc, oneshot, watch};

use crate::bus::ActivityChannel;
use crate::error::SeatError;
use crate::opening::Perform;

/// The state of a world's work, for whoever waits for it to be quiet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    /// It is open.
    Open { activity: Activity, head: Position },
    /// It stopped: its log could not be written. Whoever asks is told this.
    Stopped(SeatError),
    /// It was closed.
    Closed,
}

/// A wish of a handle, for the task.
pub(crate) enum Ask {
    /// A command.
    Command { command: Box<Command>, reply: Reply },
    /// A new definition.
    Revise { command: Box<Command>, reply: Reply },
    /// A command at a later time of a simulated clock.
    Advance {
        by: Duration,
        command: Box<Command>,
        reply: Reply,
    },
    /// Have the world here, if this process may.
    Wake(oneshot::Sender<Result<(), SeatError>>),
    /// A look at the state.
    Inspect(Box<dyn FnOnce(&World) + Send>),
    /// Close the world.
    Close(Closing),
}

/// A wish that a world be closed.
pub(crate) struct Closing {
    pub(crate) reply: oneshot::Sender<()>,
    /// True if another process wants it, so that nobody is to take it up by himself for a while.
    pub(crate) is_wanted: bool,
}

impl Closing {
    pub(super) fn done(self) {
        let _gone = self.reply.send(());
    }
}

pub(crate) type Reply = oneshot::Sender<Result<Accepted, SeatError>>;

/// How the handles of a world reach it, and what it is told to do: the same as long as it is open,
/// asleep or not.
pub(crate) struct Door {
    pub(crate) name: WorldName,
    pub(crate) perform: Perform,
    pub(crate) asks: mpsc::Receiver<Ask>,
    pub(crate) own: mpsc::WeakSender<Ask>,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) access: watch::Sender<Access>,
    pub(crate) activity: ActivityChannel,
}

impl Door {
    /// Tells the seats who has which rights now, if that has changed.
    pub(super) fn tell_access(&self, world: &World) {
        let access = world.access();
        self.access.send_if_modified(|known| {
            let is_new = *known != access;
            *known = access;
            is_new
        });
    }

    /// Tells everybody that the world is closed.
    pub(super) fn closed(&self, closing: Option<Closing>) {
        self.status.send_replace(Status::Closed);
        if let Some(closing) = closing {
            closing.done();
        }
    }

    /// Tells everybody, and whoever still asks, why the world stopped.
    pub(super) fn stopped(&mut self, why: &SeatError) {
        self.status.send_replace(Status::Stopped(why.clone()));
        self.asks.close();
        while let Ok(ask) = self.asks.try_recv() {
            ask.turn_away(why);
        }
    }
}

impl Ask {
    /// Says why there is no answer. A look that is dropped tells by that.
    pub(super) fn turn_away(self, why: &SeatError) {
        match self {
            Self::Command { reply, .. }
            | Self::Revise { reply, .. }
            | Self::Advance { reply, .. } => {
                let _gone = reply.send(Err(why.clone()));
            }
            Self::Wake(reply) => {
                let _gone = reply.send(Err(why.clone()));
            }
            Self::Close(closing) => closing.done(),
            Self::Inspect(_) => {}
        }
    }
}
