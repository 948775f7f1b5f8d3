//! The one place that appends: what waits goes to the ledger together, one chain for each world.
//!
//! An append is never cancelled: a batch belongs to the store, and whoever waits for it only drives it on. Where there is a
//! runtime it is driven on without them.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use folkmoot_core::command::commit::CommandKey;
use folkmoot_core::ids::{Digest, WorldId, WorldName};
use folkmoot_core::port::{AppendError, Appended};
use futures::FutureExt as _;
use futures::future::{Either, Shared, select};
use tokio::sync::oneshot;

use super::Inner;
use super::reaches::{Known, SAVED_EVERY};
use super::settle::{append_error, unread};
use crate::format::Malformed;
use crate::ledger::{BesideRow, Demands, Landing, LedgerError, Row, RowChain, check_chains};
use crate::state::index::Reach;
use crate::state::summary::{Summary, key_digest};
use crate::sync::threads::threads;
use crate::write::admission;
use crate::write::queue::{self, Queue, answer};

mod chain;
mod repeat;

use chain::{Begins, chain};

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

/// What appends, until nothing waits.
type Running = Shared<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// The appends of a store.
#[derive(Debug, Default)]
pub(super) struct Committer {
    queue: Queue<Vec<RowParts>>,
    running: Mutex<Option<Running>>,
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
        loop {
            match select(answer, self.run()).await {
                Either::Left((answered, _)) => {
                    let lost = || Err(AppendError::Stopped("its committer ended".to_owned()));
                    return answered.unwrap_or_else(|_| lost());
                }
                // It ended before it saw the request, or with its answer.
                Either::Right(((), rest)) => answer = rest,
            }
        }
    }

    /// What appends: the one that is under way, or a new one.
    fn run(self: &Arc<Self>) -> Running {
        let mut running = self
            .committer
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = running.as_ref().filter(|running| running.peek().is_none()) {
            return running.clone();
        }
        let new: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(drive(Arc::clone(self)));
        let new = new.shared();
        *running = Some(new.clone());
        if let Some(runtime) = threads() {
            runtime.spawn(new.clone());
        }
        new
    }

    /// Appends what can go together; gives back what has to wait for it.
    async fn append_batch(&self, requests: Vec<AppendRequest>) -> Vec<AppendRequest> {
        let mut later = Vec::new();
        let mut worlds = BTreeSet::new();
        let mut chains = Vec::new();
        let mut sent = Vec::new();
        let mut beside = 0_usize;
        for request in requests {
            // Of a world one at a time: what it is to follow has to be known.
            let is_first = worlds.insert(request.world());
            let bytes = beside.saturating_add(beside_bytes(&request));
            let is_full = chains.len() >= CHAINS_MAX || bytes > BESIDE_BYTES;
            if !is_first || (is_full && !chains.is_empty()) {
                later.push(request);
                continue;
            }
            beside = bytes;
            match self.admit(&request).await {
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
        if chains.is_empty() {
            return later;
        }
        let landings = self.settle(|| self.ledger.append(self.node, &chains)).await;
        match landings {
            Ok(landings) if landings.len() == sent.len() => {
                for (one, landing) in sent.into_iter().zip(landings) {
                    self.land(one, landing).await;
                }
            }
            Ok(_) => {
                let why = "the ledger did not answer for each world".to_owned();
                refuse(sent, &LedgerError::Damaged(why));
            }
            Err(error) => refuse(sent, &error),
        }
        later
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
async fn drive(inner: Arc<Inner>) {
    let mut later = Vec::new();
    loop {
        let mut requests = std::mem::take(&mut later);
        requests.extend(inner.committer.queue.take(BATCH_BYTES));
        if requests.is_empty() {
            return;
        }
        later = inner.append_batch(requests).await;
    }
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
