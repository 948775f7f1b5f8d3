//! The courier of a process: it brings commands to whoever holds their worlds, and the answers back.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use folkmoot_core::command::Command;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{AskId, WorldId, WorldName};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{ASKS_WAITING_MAX, Ask, AskState, Asked, Inbox, MemberError};
use folkmoot_core::world::Accepted;
use tokio::sync::{Notify, oneshot};

use crate::error::SeatError;
use crate::wire::{Told, WireError, WrittenAsk, WrittenCommand, write_principal};

/// How long an answer is waited for. A holder that died has its successor after a few seconds. A server gives up on a request
/// later than that.
pub const ANSWER_AWAITED: Duration = Duration::from_secs(20);

/// How soon a ledger is asked again that could not be reached, and a world that could not be had.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(250);

type Answer = Result<Accepted, SeatError>;

/// Whoever vouches for the giver of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vouched {
    /// This process, which the ledger trusts as a node.
    ByNode,
    /// The ledger: it writes down the login of this process, and the login is who gives the command.
    ByLogin,
}

/// An ask on its way to the holder of its world.
#[derive(Debug, Clone)]
pub(crate) struct Errand {
    pub(crate) id: AskId,
    pub(crate) world: WorldId,
    /// The giver, for whom this process vouches; `None`: the login of this process, for which the ledger does.
    pub(crate) giver: Option<Principal>,
    pub(crate) asked: WrittenAsk,
}

/// Carries commands of all worlds of a process. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Courier(Arc<Round>);

#[derive(Debug)]
struct Round {
    inbox: Arc<dyn Inbox>,
    waiting: Mutex<Waiting>,
    /// Somebody waits who did not before.
    news: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Those who wait for the answer to an ask. One who has gone away is left out at the next look.
    askers: BTreeMap<AskId, oneshot::Sender<Answer>>,
    /// True while a task looks for answers: one for all, as long as anybody waits.
    is_looking: bool,
}

impl Courier {
    pub(crate) fn new(inbox: Arc<dyn Inbox>) -> Self {
        Self(Arc::new(Round {
            inbox,
            waiting: Mutex::default(),
            news: Notify::new(),
        }))
    }

    /// Leaves an ask for whoever holds its world, and waits so long for the answer. A holder that dies before it answers
    /// does not matter: the next one finds the ask there.
    ///
    /// # Errors
    /// The holder's answer; [`SeatError::Busy`] and [`SeatError::Elsewhere`] if it was not left; [`SeatError::Unanswered`]
    /// if nobody answers in time.
    pub(crate) async fn carry(&self, ask: &Ask, after: Duration) -> Answer {
        let answered = async {
            self.leave(ask).await?;
            let gone = |_| SeatError::Elsewhere("nobody looks for its answer any more".to_owned());
            self.wait_for(ask.id).await.map_err(gone)?
        };
        let answered = tokio::time::timeout(after, answered).await;
        let unfit = None;
        answered.unwrap_or(Err(SeatError::Unanswered { after, unfit }))
    }

    /// Answers an ask that this process did itself. One that stays unanswered is done once more by the next holder, which
    /// gives the same answer.
    pub(crate) async fn answer(&self, id: AskId, answer: Answer) {
        let told = Told::from(answer).write();
        if let Err(error) = self.0.inbox.answer(id, told).await {
            let why = with_causes(&error);
            tracing::warn!(ask = %id, why, "an answer could not be given");
        }
    }

    /// Leaves an ask. Leaving it twice does nothing, so it is left again when nobody knows.
    async fn leave(&self, ask: &Ask) -> Result<(), SeatError> {
        loop {
            match self.0.inbox.ask(ask).await {
                Ok(Asked::Waits) => return Ok(()),
                Ok(Asked::Busy) => {
                    let waiting = ASKS_WAITING_MAX;
                    return Err(SeatError::Busy { waiting });
                }
                Ok(Asked::NoSuchWorld) => {
                    let why = "the ledger has no such world any more".to_owned();
                    return Err(SeatError::Elsewhere(why));
                }
                Err(MemberError::Unknown(_) | MemberError::Unreachable(_)) => {
                    tokio::time::sleep(LOOK_EVERY).await;
                }
                Err(error) => return Err(SeatError::Elsewhere(with_causes(&error))),
            }
        }
    }

    /// Begins to wait for the answer to an ask that was left.
    fn wait_for(&self, id: AskId) -> oneshot::Receiver<Answer> {
        let (asker, answer) = oneshot::channel();
        let mut waiting = self.waiting();
        waiting.askers.insert(id, asker);
        if waiting.is_looking {
            self.0.news.notify_one();
        } else {
            waiting.is_looking = true;
            tokio::spawn(self.clone().look());
        }
        answer
    }

    /// Looks for answers as long as anybody waits for one.
    async fn look(self) {
        let mut broken = BrokenOff(Some(&self));
        let mut heard = 0;
        while let Some(asks) = self.asks() {
            let wait = match self.0.inbox.answers(&asks).await {
                Ok(states) => {
                    let states = asks.into_iter().zip(states);
                    states.for_each(|(id, state)| self.hand_over(id, state));
                    self.0.inbox.look_every()
                }
                Err(error) => {
                    let why = with_causes(&error);
                    tracing::debug!(why, "answers of other nodes could not be looked for");
                    LOOK_EVERY
                }
            };
            if self.waiting().askers.is_empty() {
                continue;
            }
            tokio::select! {
                hint = self.0.inbox.hint(heard) => heard = hint,
                () = self.0.news.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
        // That is noted, and the next one may look by now.
        broken.0 = None;
    }

    /// The asks whose answers somebody waits for. `None` if nobody does: then nobody looks any more.
    fn asks(&self) -> Option<Vec<AskId>> {
        let mut waiting = self.waiting();
        waiting.askers.retain(|_, asker| !asker.is_closed());
        waiting.is_looking = !waiting.askers.is_empty();
        waiting
            .is_looking
            .then(|| waiting.askers.keys().copied().collect())
    }

    fn hand_over(&self, id: AskId, state: AskState) {
        let answer = match state {
            AskState::Waits => return,
            AskState::Answered(bytes) => match Told::read(&bytes) {
                Ok(told) => told.into(),
                Err(error) => Err(SeatError::Elsewhere(format!(
                    "its answer does not read: {error}; the command may be done"
                ))),
            },
            AskState::Gone => Err(SeatError::Elsewhere(
                "the command is not waiting any more, and has no answer: the world was deleted"
                    .to_owned(),
            )),
        };
        if let Some(asker) = self.waiting().askers.remove(&id) {
            let _gone = asker.send(answer);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that nobody looks for answers any more when that breaks off: the next who waits begins anew, for all.
struct BrokenOff<'a>(Option<&'a Courier>);

impl Drop for BrokenOff<'_> {
    fn drop(&mut self) {
        if let Some(courier) = self.0 {
            courier.waiting().is_looking = false;
        }
    }
}

impl Errand {
    /// A command to the world of this id and name.
    pub(crate) fn of(
        (id, world): (AskId, WorldId),
        name: WorldName,
        command: Command,
        vouched: Vouched,
    ) -> Self {
        Self {
            id,
            world,
            giver: (vouched == Vouched::ByNode).then_some(command.principal),
            asked: WrittenAsk::Command(WrittenCommand {
                world: name,
                key: command.key,
                action: command.action,
            }),
        }
    }

    /// The ask that it is, in its written form.
    ///
    /// # Errors
    /// [`SeatError::TooLarge`], and [`SeatError::Elsewhere`] for a command that is none of a person.
    pub(crate) fn write(self) -> Result<Ask, SeatError> {
        let giver = self.giver.map(write_principal).transpose();
        let principal = giver.map_err(unsent)?;
        let beside = principal.as_ref().map_or(0, Vec::len);
        Ok(Ask {
            id: self.id,
            world: self.world,
            command: self.asked.write(beside).map_err(unsent)?,
            principal,
        })
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what an error is mapped by"
)]
fn unsent(error: WireError) -> SeatError {
    if let WireError::TooLarge { bytes, max } = error {
        SeatError::TooLarge { bytes, max }
    } else {
        SeatError::Elsewhere(error.to_string())
    }
}
