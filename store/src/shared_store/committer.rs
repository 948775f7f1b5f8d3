//! The one place that appends: what waits goes to the ledger together, one chain for each world.
//!
//! An append is never cancelled: a batch belongs to the store, and whoever waits for it only drives it on. Where there is a
//! runtime it is driven on without them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use folkmoot_core::command::commit::CommandKey;
use folkmoot_core::ids::{Digest, WorldId, WorldName};
use folkmoot_core::port::{AppendError, Appended};
use futures::future::{BoxFuture, Either, Shared, join_all, select};
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::Inner;
use super::reaches::{Known, SAVED_EVERY};
use super::settle::{append_error, unread};
use crate::format::Malformed;
use crate::ledger::{
    APPENDS_AT_ONCE, BesideRow, Demands, Landing, LedgerError, Row, RowChain, check_chains,
};
use crate::state::index::Reach;
use crate::state::summary::{Summary, key_digest};
use crate::sync::threads::threads;
use crate::write::admission;
use crate::write::queue::{self, Queue, answer};

mod chain;
mod repeat;

use chain::{Begins, chain};

/// The time without an answer from which on a batch is late.
const LATE: Duration = Duration::from_millis(50);

/// The most chains of one batch.
const CHAINS_MAX: usize = 256;

/// About the most bytes of one batch, and of what stands beside its records.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
const BESIDE_BYTES: usize = 32 * 1024 * 1024;

/// What stands in a row beside its record.
#[derive(Debug)]
pub(super) struct RowParts {
    pub(super) beside: Vec<BesideRow>,
    pub(super) demands: Option<Demands>,
}

/// An append that waits, with the parts of each row.
pub(super) type AppendRequest = queue::AppendRequest<Vec<RowParts>>;

type Reply = oneshot::Sender<Result<Appended, AppendError>>;

/// Something that goes on whoever waits for it.
type Running = Shared<BoxFuture<'static, ()>>;

/// Whoever appends.
#[derive(Debug)]
struct Driver {
    /// The work, which ends when nothing waits.
    work: Running,
    /// The end of the work, or of the task that does it.
    ended: Running,
}

/// The appends of a store.
#[derive(Debug, Default)]
pub(super) struct Committer {
    queue: Queue<Vec<RowParts>>,
    driver: Mutex<Option<Driver>>,
    /// Wakes what appends when something was put into the queue.
    news: Notify,
}

impl Committer {
    /// Lets nobody append any more, and refuses what waits.
    pub(super) fn stop(&self, why: &str) {
        self.queue.stop(why);
    }
}

/// A request that was let in.
struct Admitted {
    known: Known,
    begins: Begins,
}

/// A chain on its way, with who waits for it.
struct Sent {
    reply: Reply,
    known: Known,
    first: Summary,
    begins: Begins,
}

impl Inner {
    /// Appends, and waits until that is settled. Dropped, it goes on.
    pub(super) async fn append(
        self: &Arc<Self>,
        request: AppendRequest,
        mut answer: oneshot::Receiver<Result<Appended, AppendError>>,
    ) -> Result<Appended, AppendError> {
        self.committer.queue.put(request)?;
        self.committer.news.notify_one();
        loop {
            let lost = || Err(AppendError::Stopped("its committer ended".to_owned()));
            match select(answer, self.run()).await {
                Either::Left((answered, _)) => return answered.unwrap_or_else(|_| lost()),
                // It ended with the answer, or before it saw the request. The answer is not awaited: a task that has used up
                // its turn would be told that there is none yet.
                Either::Right(((), mut rest)) => match rest.try_recv() {
                    Ok(answered) => return answered,
                    Err(TryRecvError::Closed) => return lost(),
                    Err(TryRecvError::Empty) => answer = rest,
                },
            }
        }
    }

    /// Has appended what waits; ends when nothing does, or when it has to be called again. With a runtime that is done by a
    /// task of its own, so that one wakes for what the ledger says, and not all who wait.
    fn run(self: &Arc<Self>) -> Running {
        let mut driver = self
            .committer
            .driver
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let last = driver.take();
        if let Some(driven) = last.as_ref().filter(|driven| driven.ended.peek().is_none()) {
            let ended = driven.ended.clone();
            *driver = last;
            return ended;
        }
        // Its runtime may have ended before it: then it goes on in this one.
        let left = last.map(|driven| driven.work);
        let work = left.filter(|work| work.peek().is_none());
        let work = work.unwrap_or_else(|| drive(Arc::clone(self)).boxed().shared());
        let ended = match threads() {
            Some(runtime) => {
                let (alive, ended) = oneshot::channel::<()>();
                let driven = work.clone();
                runtime.spawn(async move {
                    driven.await;
                    drop(alive);
                });
                ended.map(drop).boxed().shared()
            }
            None => work.clone(),
        };
        let returned = ended.clone();
        *driver = Some(Driver { work, ended });
        returned
    }

    /// Appends requests of as many worlds, and answers them; gives their number.
    async fn append_batch(&self, requests: Vec<AppendRequest>) -> usize {
        let worlds: Vec<WorldId> = requests.iter().map(AppendRequest::world).collect();
        let (chains, sent) = self.link_all(requests).await;
        if !chains.is_empty() {
            // The same for each try: what was sent under another id is another append.
            let node = self.node.node_id();
            let landings = self.settle(|| self.ledger.append(node, &chains)).await;
            self.land_all(sent, landings).await;
        }
        let queue = &self.committer.queue;
        worlds.iter().for_each(|world| queue.settled(*world));
        worlds.len()
    }

    /// Links the requests that are let in behind their worlds, and answers the others.
    async fn link_all(&self, requests: Vec<AppendRequest>) -> (Vec<RowChain>, Vec<Sent>) {
        let admitted = requests.into_iter().map(async |request| {
            let admitted = self.admit(&request).await;
            (request, admitted)
        });
        let mut chains = Vec::new();
        let mut sent = Vec::new();
        for (request, admitted) in join_all(admitted).await {
            match admitted {
                Ok(Ok(admitted)) => match self.link(request, admitted) {
                    Ok((chain, one)) => {
                        chains.push(chain);
                        sent.push(one);
                    }
                    Err((reply, error)) => answer(reply, Err(error)),
                },
                Ok(Err(row)) => {
                    let repeat = self.repeat(&request.first.summary, row);
                    answer(request.reply, repeat);
                }
                Err(error) => answer(request.reply, Err(error)),
            }
        }
        (chains, sent)
    }

    /// Answers whoever waits for a batch.
    async fn land_all(&self, sent: Vec<Sent>, landings: Result<Vec<Landing>, LedgerError>) {
        match landings {
            Ok(landings) if landings.len() == sent.len() => {
                let landed = sent.into_iter().zip(landings);
                join_all(landed.map(|(one, landing)| self.land(one, landing))).await;
            }
            Ok(_) => {
                let why = "the ledger did not answer for each world".to_owned();
                refuse(sent, &LedgerError::Damaged(why));
            }
            Err(error) => refuse(sent, &error),
        }
    }

    /// Decides whether a request may be appended: lets it in, or gives the row that has its key.
    async fn admit(&self, request: &AppendRequest) -> Result<Result<Admitted, Row>, AppendError> {
        let summary = &request.first.summary;
        if let Some(known) = self.reaches.own(summary.world)
            && admission::check_place(request, &known.reach).is_ok()
        {
            let begins = Begins::Nothing;
            return Ok(Ok(Admitted { known, begins }));
        }
        // Others may have appended since.
        let found = self.reach(summary.world).await.map_err(unread)?;
        let (known, begins) = match found {
            Some(known) => (known, Begins::Nothing),
            None => unborn(summary)?,
        };
        let Err(error) = admission::check_place(request, &known.reach) else {
            return Ok(Ok(Admitted { known, begins }));
        };
        // A repeat gets its answer wherever the head is (decision 0005).
        if let Some(keyed) = &summary.key
            && let Some(row) = self.keyed(summary.world, &keyed.key).await?
        {
            return Ok(Err(row));
        }
        if begins != Begins::Nothing && self.is_named(&known.reach.name).await? {
            return Err(AppendError::NameTaken(WorldName::clone(&known.reach.name)));
        }
        Err(error)
    }

    async fn keyed(&self, world: WorldId, key: &CommandKey) -> Result<Option<Row>, AppendError> {
        let key = digest_of(key)?;
        let row = self.read(|| self.ledger.by_key(world, key)).await;
        row.map_err(|error| append_error(&error))
    }

    async fn is_named(&self, name: &WorldName) -> Result<bool, AppendError> {
        let found = self.read(|| self.ledger.find(name)).await;
        found
            .map(|found| found.is_some())
            .map_err(|error| append_error(&error))
    }

    /// Links the commits of a request behind its world.
    fn link(
        &self,
        request: AppendRequest,
        Admitted { mut known, begins }: Admitted,
    ) -> Result<(RowChain, Sent), (Reply, AppendError)> {
        let AppendRequest {
            first,
            rest,
            beside,
            reply,
            ..
        } = request;
        let summary = first.summary.clone();
        let commits = std::iter::once(first).chain(rest).collect();
        let made = chain(commits, beside, (&mut known, begins));
        let checked = made.and_then(|chain| {
            check_chains(std::slice::from_ref(&chain))
                .map_err(|error| append_error(&error))
                .map(|()| chain)
        });
        match checked {
            Ok(chain) => {
                let sent = Sent {
                    reply,
                    known,
                    first: summary,
                    begins,
                };
                Ok((chain, sent))
            }
            Err(error) => Err((reply, error)),
        }
    }

    /// Publishes what has become durable, and answers.
    async fn land(&self, sent: Sent, landing: Landing) {
        let Sent {
            reply,
            mut known,
            first,
            begins,
        } = sent;
        let world = first.world;
        let result = match landing {
            Landing::Appended => {
                known.is_own = true;
                let reach = known.reach.clone();
                self.reaches.remember(world, known);
                self.followers.tell(world, reach.head);
                let link = reach.link;
                answer(reply, Ok(Appended::Committed { link }));
                // What a fork begins with is read again from its parent otherwise.
                if begins == Begins::Fork || reach.tree.size() % SAVED_EVERY == 0 {
                    self.save_reach(world, &reach).await;
                }
                return;
            }
            Landing::KeyKnown(row) => self.repeat(&first, row),
            Landing::NameTaken => Err(AppendError::NameTaken(WorldName::clone(&known.reach.name))),
            Landing::NoSuchWorld(missing) => {
                self.reaches.forget(missing);
                Err(AppendError::NoSuchWorld(missing))
            }
            Landing::Conflict => Err(self.refused(&first, false).await),
            Landing::Fenced { .. } => Err(self.refused(&first, true).await),
        };
        answer(reply, result);
    }

    /// The refusal of what another node was before: by what the ledger says now.
    async fn refused(&self, first: &Summary, is_fenced: bool) -> AppendError {
        self.reaches.forget(first.world);
        match self.reach(first.world).await {
            Ok(Some(known)) if is_fenced => AppendError::Fenced {
                current: known.reach.incarnation,
            },
            Ok(Some(known)) => AppendError::Conflict {
                expected: first.first.previous(),
                actual: known.reach.head,
            },
            Ok(None) => AppendError::NoSuchWorld(first.world),
            Err(error) => unread(error),
        }
    }
}

/// Appends until nothing waits.
///
/// A server that makes each batch durable by itself appends one of 64 chains in the time of one of 8. So a batch begins beside
/// another if it is no smaller than that, or that is late: whatever holds up a batch holds up its own worlds alone.
async fn drive(inner: Arc<Inner>) {
    let Committer { queue, news, .. } = &inner.committer;
    let mut batches = FuturesUnordered::new();
    let mut chains = 0;
    let mut begun = Instant::now();
    loop {
        gather(queue).await;
        let is_time = queue.turns() >= chains || is_late(begun);
        if batches.len() < APPENDS_AT_ONCE && is_time {
            let batch = take(queue);
            if !batch.is_empty() {
                chains += batch.len();
                batches.push(inner.append_batch(batch));
                begun = Instant::now();
            }
        }
        let has_room = batches.len() < APPENDS_AT_ONCE;
        tokio::select! {
            biased;
            ended = batches.next() => match ended {
                Some(count) => chains -= count,
                None => return,
            },
            () = news.notified(), if has_room => {}
            () = late(begun), if has_room && queue.turns() > 0 => {}
        }
    }
}

/// Waits as long as more comes: whoever was just answered may say the next at once.
async fn gather(queue: &Queue<Vec<RowParts>>) {
    let mut waiting = 0;
    while threads().is_some() && (waiting + 1..CHAINS_MAX).contains(&queue.turns()) {
        waiting = queue.turns();
        tokio::task::yield_now().await;
    }
}

/// Tells whether a batch has no answer for so long that others need not wait for it. Without a clock nobody waits.
fn is_late(begun: Instant) -> bool {
    threads().is_none() || begun.elapsed() >= LATE
}

/// Waits until a batch is late.
async fn late(begun: Instant) {
    if threads().is_some() {
        tokio::time::sleep_until(begun + LATE).await;
    }
}

/// Takes what goes together: one request of each world, for what it is to follow has to be known.
fn take(queue: &Queue<Vec<RowParts>>) -> Vec<AppendRequest> {
    let mut chains = 0;
    let mut bytes = 0;
    let mut beside = 0;
    queue.take_apart(|request| {
        chains += 1;
        bytes += request.len();
        beside += beside_bytes(request);
        chains <= CHAINS_MAX && bytes <= BATCH_BYTES && beside <= BESIDE_BYTES
    })
}

/// The bytes that stand beside the records of a request.
fn beside_bytes(request: &AppendRequest) -> usize {
    let rows = request.beside.iter().flat_map(|parts| &parts.beside);
    rows.map(|beside| beside.bytes.len()).sum()
}

/// A world that is about to get its first row.
fn unborn(summary: &Summary) -> Result<(Known, Begins), AppendError> {
    let fork = summary.origin.as_ref();
    if let Some(reach) = fork.and_then(|origin| origin.reach.clone()) {
        return Ok((Known::rowless(reach), Begins::Fork));
    }
    let name = summary.created.clone();
    let name = name.ok_or(AppendError::NoSuchWorld(summary.world))?;
    Ok((Known::rowless(Reach::unborn(name)), Begins::World))
}

fn digest_of(key: &CommandKey) -> Result<Digest, AppendError> {
    key_digest(key).map_err(|Malformed(why)| AppendError::Invalid(why))
}

fn refuse(sent: Vec<Sent>, error: &LedgerError) {
    sent.into_iter()
        .for_each(|one| answer(one.reply, Err(append_error(error))));
}
