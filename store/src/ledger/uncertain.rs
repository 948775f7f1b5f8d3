//! A ledger in memory behind a bad network, for tests and simulations: it answers late, with *unknown*, or not at all.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::{AskId, CopyId, Digest, NodeId, Position, Time, WorldId, WorldName};
use folkmoot_core::port::{
    Ask, AskState, Asked, AsksWanted, Inbox, Labels, MemberError, Members, NodeCard, NodeState,
    Renewal, Taken, WaitingAsk,
};
use tokio::sync::Notify;

use super::{
    BlobTable, Burial, CheckpointRow, CheckpointTable, Compaction, GoneRange, Landing, LedgerEntry,
    LedgerError, LedgerUpkeep, MemoryLedger, PieceMax, PutRange, Register, Rewrite, Row, RowChain,
    RowRange, Rows, Saving,
};
use crate::engine::Ack;

mod shared;

/// The fate of a request on its way to the ledger and back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is answered.
    Answered,
    /// It is answered after others had a turn.
    Late,
    /// It happens, and the answer is lost.
    AnswerLost,
    /// It is lost on the way, and does not happen; nobody can tell.
    RequestLost,
    /// It is lost, and happens before the next request of anybody. Only an append can do so.
    HappensLater,
    /// The ledger cannot be reached.
    Unreached,
    /// The ledger has no room.
    Full,
    /// Nobody answers until [`UncertainLedger::cut`] ends the connection.
    Unanswered,
}

/// A ledger that answers as its plan says. Several may share one memory, each with a network of its own.
#[derive(Debug)]
pub struct UncertainLedger {
    ledger: Mutex<Arc<MemoryLedger>>,
    plan: Mutex<Plan>,
    /// The appends that happen later.
    delayed: Mutex<VecDeque<(NodeId, Vec<RowChain>)>>,
    cut: Notify,
}

/// The fates to come.
#[derive(Debug)]
struct Plan {
    planned: VecDeque<Fate>,
    /// The seed of those behind them, and how many were drawn; `None`: all is answered.
    seed: Option<(u64, u64)>,
}

impl UncertainLedger {
    /// Answers the first requests as `fates` say, and all others at once.
    #[must_use]
    pub fn planned(ledger: Arc<MemoryLedger>, fates: impl IntoIterator<Item = Fate>) -> Self {
        Self::with(ledger, fates.into_iter().collect(), None)
    }

    /// Gives about every fourth request another fate than to be answered, drawn from `seed`. Each is answered in the end.
    #[must_use]
    pub fn from_seed(ledger: Arc<MemoryLedger>, seed: u64) -> Self {
        Self::with(ledger, VecDeque::new(), Some((seed, 0)))
    }

    fn with(ledger: Arc<MemoryLedger>, planned: VecDeque<Fate>, seed: Option<(u64, u64)>) -> Self {
        Self {
            ledger: Mutex::new(ledger),
            plan: Mutex::new(Plan { planned, seed }),
            delayed: Mutex::default(),
            cut: Notify::new(),
        }
    }

    /// Adds fates of requests to come.
    pub fn plan(&self, fates: impl IntoIterator<Item = Fate>) {
        self.fates().planned.extend(fates);
    }

    /// Ends the connections of all requests that nobody answered.
    pub fn cut(&self) {
        self.cut.notify_waiters();
    }

    /// Another ledger answers from here on, as after a fail-over that lost rows.
    pub fn fail_over(&self, to: Arc<MemoryLedger>) {
        *self.ledger.lock().unwrap_or_else(PoisonError::into_inner) = to;
    }

    fn ledger(&self) -> Arc<MemoryLedger> {
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&ledger)
    }

    fn fates(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has happen what was lost before, then this, as its fate says.
    async fn send<T, E: Lost>(&self, call: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let fate = self.fates().draw();
        self.send_as(fate, call).await
    }

    async fn send_as<T, E: Lost>(
        &self,
        fate: Fate,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        self.happen().await;
        match fate {
            Fate::Answered => call.await,
            Fate::Late => {
                turn().await;
                let answer = call.await;
                turn().await;
                answer
            }
            Fate::AnswerLost => {
                call.await?;
                Err(E::unknown())
            }
            Fate::RequestLost | Fate::HappensLater => Err(E::unknown()),
            Fate::Unreached => Err(E::unreached()),
            Fate::Full => Err(E::full()),
            Fate::Unanswered => {
                self.cut.notified().await;
                Err(E::unknown())
            }
        }
    }

    /// Has the appends happen that were delayed.
    async fn happen(&self) {
        loop {
            let next = self
                .delayed
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            let Some((node, chains)) = next else { return };
            let landed = self.ledger().append(node, &chains).await;
            tracing::trace!(?landed, "a delayed append happened");
        }
    }
}

impl Plan {
    fn draw(&mut self) -> Fate {
        if let Some(fate) = self.planned.pop_front() {
            return fate;
        }
        let Some((seed, drawn)) = &mut self.seed else {
            return Fate::Answered;
        };
        let digest = Digest::of(&[b"uncertain", &seed.to_le_bytes(), &drawn.to_le_bytes()]);
        *drawn = drawn.wrapping_add(1);
        match digest.as_bytes().first().copied().unwrap_or_default() {
            0..16 => Fate::Late,
            16..28 => Fate::AnswerLost,
            28..40 => Fate::RequestLost,
            40..52 => Fate::HappensLater,
            52..60 => Fate::Unreached,
            60.. => Fate::Answered,
        }
    }
}

/// Lets others have a turn.
async fn turn() {
    let mut has_waited = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// An error of a request that was lost.
trait Lost {
    fn unknown() -> Self;
    fn unreached() -> Self;
    fn full() -> Self;
}

impl Lost for LedgerError {
    fn unknown() -> Self {
        Self::Unknown("the plan says so".into())
    }

    fn unreached() -> Self {
        Self::Unreachable("the plan says so".into())
    }

    fn full() -> Self {
        Self::Full("the plan says so".into())
    }
}

impl Lost for MemberError {
    fn unknown() -> Self {
        Self::Unknown("the plan says so".into())
    }

    fn unreached() -> Self {
        Self::Unreachable("the plan says so".into())
    }

    /// Members have no error of their own for that.
    fn full() -> Self {
        Self::unreached()
    }
}

#[async_trait]
impl Rows for UncertainLedger {
    fn ack(&self) -> Ack {
        self.ledger().ack()
    }

    fn copy(&self) -> Option<CopyId> {
        self.ledger().copy()
    }

    async fn append(&self, node: NodeId, chains: &[RowChain]) -> Result<Vec<Landing>, LedgerError> {
        let fate = self.fates().draw();
        let answer = self.send_as(fate, self.ledger().append(node, chains)).await;
        if fate == Fate::HappensLater {
            self.delayed
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push_back((node, chains.to_vec()));
        }
        answer
    }

    async fn last(&self, world: WorldId) -> Result<Option<Row>, LedgerError> {
        self.send(self.ledger().last(world)).await
    }

    async fn read(
        &self,
        world: WorldId,
        from: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError> {
        self.send(self.ledger().read(world, from, most)).await
    }

    async fn read_back(
        &self,
        world: WorldId,
        before: Position,
        most: PieceMax,
    ) -> Result<Vec<Row>, LedgerError> {
        self.send(self.ledger().read_back(world, before, most))
            .await
    }

    async fn by_key(&self, world: WorldId, key: Digest) -> Result<Option<Row>, LedgerError> {
        self.send(self.ledger().by_key(world, key)).await
    }
}

#[async_trait]
impl Register for UncertainLedger {
    async fn entry(&self, world: WorldId) -> Result<Option<LedgerEntry>, LedgerError> {
        self.send(self.ledger().entry(world)).await
    }

    async fn find(&self, name: &WorldName) -> Result<Option<LedgerEntry>, LedgerError> {
        self.send(self.ledger().find(name)).await
    }

    async fn worlds(
        &self,
        labels: &Labels,
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        self.send(self.ledger().worlds(labels, after, limit)).await
    }

    async fn grown(
        &self,
        of: (&str, Time),
        after: Option<&WorldName>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        self.send(self.ledger().grown(of, after, limit)).await
    }

    async fn forks(&self, parent: WorldId) -> Result<Vec<LedgerEntry>, LedgerError> {
        self.send(self.ledger().forks(parent)).await
    }

    async fn heads(&self, worlds: &[WorldId]) -> Result<Vec<(WorldId, Position)>, LedgerError> {
        self.send(self.ledger().heads(worlds)).await
    }

    async fn gone(&self, world: WorldId, range: GoneRange) -> Result<Vec<Position>, LedgerError> {
        self.send(self.ledger().gone(world, range)).await
    }
}

#[async_trait]
impl LedgerUpkeep for UncertainLedger {
    async fn save_reach(
        &self,
        node: NodeId,
        world: WorldId,
        reach: Vec<u8>,
    ) -> Result<(), LedgerError> {
        self.send(self.ledger().save_reach(node, world, reach))
            .await
    }

    async fn rewrite(&self, rewrite: Rewrite) -> Result<bool, LedgerError> {
        self.send(self.ledger().rewrite(rewrite)).await
    }

    async fn bar(&self, worlds: &[WorldId]) -> Result<(), LedgerError> {
        self.send(self.ledger().bar(worlds)).await
    }

    async fn note_files(
        &self,
        world: WorldId,
        by: Position,
        files: u64,
    ) -> Result<u64, LedgerError> {
        self.send(self.ledger().note_files(world, by, files)).await
    }

    async fn copy_base(&self, fork: WorldId, of: &[RowRange]) -> Result<(), LedgerError> {
        self.send(self.ledger().copy_base(fork, of)).await
    }

    async fn delete(
        &self,
        node: NodeId,
        worlds: &[(WorldId, Vec<u8>)],
    ) -> Result<Burial, LedgerError> {
        self.send(self.ledger().delete(node, worlds)).await
    }

    async fn tombstones(
        &self,
        after: Option<WorldId>,
        limit: usize,
    ) -> Result<Vec<(WorldId, Vec<u8>)>, LedgerError> {
        self.send(self.ledger().tombstones(after, limit)).await
    }

    async fn compact(&self) -> Result<Compaction, LedgerError> {
        self.send(self.ledger().compact()).await
    }
}

#[async_trait]
impl BlobTable for UncertainLedger {
    async fn put_blob(
        &self,
        world: WorldId,
        blob: Digest,
        bytes: Vec<u8>,
    ) -> Result<(), LedgerError> {
        self.send(self.ledger().put_blob(world, blob, bytes)).await
    }

    async fn blob(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, LedgerError> {
        self.send(self.ledger().blob(world, blob)).await
    }

    async fn blob_size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, LedgerError> {
        self.send(self.ledger().blob_size(world, blob)).await
    }

    async fn blobs(
        &self,
        world: WorldId,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(Digest, Time)>, LedgerError> {
        self.send(self.ledger().blobs(world, after, limit)).await
    }

    async fn blob_time(&self) -> Result<Time, LedgerError> {
        self.send(self.ledger().blob_time()).await
    }

    async fn puts(
        &self,
        range: PutRange,
        after: Option<(Time, WorldId)>,
        limit: usize,
    ) -> Result<Vec<(Time, WorldId)>, LedgerError> {
        self.send(self.ledger().puts(range, after, limit)).await
    }

    async fn touch_blobs(&self, world: WorldId, blobs: &[Digest]) -> Result<(), LedgerError> {
        self.send(self.ledger().touch_blobs(world, blobs)).await
    }

    async fn remove_blobs(
        &self,
        world: WorldId,
        blobs: &[Digest],
        before: Time,
    ) -> Result<u64, LedgerError> {
        self.send(self.ledger().remove_blobs(world, blobs, before))
            .await
    }
}

#[async_trait]
impl CheckpointTable for UncertainLedger {
    async fn save_checkpoint(&self, row: CheckpointRow) -> Result<Saving, LedgerError> {
        self.send(self.ledger().save_checkpoint(row)).await
    }

    async fn checkpoints(&self, world: WorldId) -> Result<Vec<(Position, Digest)>, LedgerError> {
        self.send(self.ledger().checkpoints(world)).await
    }

    async fn checkpoint(
        &self,
        world: WorldId,
        at: Position,
    ) -> Result<Option<CheckpointRow>, LedgerError> {
        self.send(self.ledger().checkpoint(world, at)).await
    }

    async fn remove_checkpoints(&self, world: WorldId, at: &[Position]) -> Result<(), LedgerError> {
        self.send(self.ledger().remove_checkpoints(world, at)).await
    }
}

#[async_trait]
impl Members for UncertainLedger {
    async fn join(&self, card: &NodeCard, ttl: Duration) -> Result<Time, MemberError> {
        self.send(self.ledger().join(card, ttl)).await
    }

    async fn renew(&self, renewal: Renewal) -> Result<Option<Time>, MemberError> {
        self.send(self.ledger().renew(renewal)).await
    }

    async fn leave(&self, node: NodeId) -> Result<(), MemberError> {
        self.send(self.ledger().leave(node)).await
    }

    async fn reap(&self) -> Result<Vec<NodeId>, MemberError> {
        self.send(self.ledger().reap()).await
    }

    async fn claim(&self, node: NodeId, limit: usize) -> Result<Vec<WorldId>, MemberError> {
        self.send(self.ledger().claim(node, limit)).await
    }

    async fn take(&self, node: NodeId, world: WorldId) -> Result<Taken, MemberError> {
        self.send(self.ledger().take(node, world)).await
    }

    async fn release(
        &self,
        node: NodeId,
        world: WorldId,
        due: Option<Time>,
    ) -> Result<(), MemberError> {
        self.send(self.ledger().release(node, world, due)).await
    }

    async fn held(&self, node: NodeId) -> Result<Vec<WorldId>, MemberError> {
        self.send(self.ledger().held(node)).await
    }

    async fn holder(&self, world: WorldId) -> Result<Option<NodeCard>, MemberError> {
        self.send(self.ledger().holder(world)).await
    }

    async fn nodes(&self) -> Result<Vec<NodeState>, MemberError> {
        self.send(self.ledger().nodes()).await
    }
}

#[async_trait]
impl Inbox for UncertainLedger {
    async fn ask(&self, ask: &Ask) -> Result<Asked, MemberError> {
        self.send(self.ledger().ask(ask)).await
    }

    async fn asks(
        &self,
        node: NodeId,
        wanted: AsksWanted<'_>,
    ) -> Result<Vec<WaitingAsk>, MemberError> {
        self.send(self.ledger().asks(node, wanted)).await
    }

    async fn answer(&self, ask: AskId, answer: Vec<u8>) -> Result<(), MemberError> {
        self.send(self.ledger().answer(ask, answer)).await
    }

    async fn answers(&self, asks: &[AskId]) -> Result<Vec<AskState>, MemberError> {
        self.send(self.ledger().answers(asks)).await
    }

    async fn hint(&self, heard: u64) -> u64 {
        self.ledger().hint(heard).await
    }

    fn look_every(&self) -> Duration {
        self.ledger().look_every()
    }
}
