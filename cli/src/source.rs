//! Where a command reads and decides: in the store itself, or through the process that holds it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use folkmoot::core::ids::{PersonName, WorldName};
use folkmoot::store::{LostContent, OpenError, OpenMode, Survey};
use folkmoot::{Proof, Runtime, Store};
use futures::{StreamExt as _, TryStreamExt as _};
use serde_json::Value;

use crate::arguments::Common;
use crate::control::client::Client;
use crate::desk::Request;
use crate::desk::decision::{Audience, Decision, Taken, decide};
use crate::desk::erasing::{Erasing, Gone, erase};
use crate::desk::fork::{ForkView, ForkWish, fork};
use crate::desk::life::{backup, delete};
use crate::exit::{CliError, INTEGRITY, STORE, USAGE};
use crate::person;
use crate::session::refuse_tools;
use crate::show::complain;
use crate::signing::{self, Signing};
use crate::view::query::{Answer, Query, answer};

/// How often, and how long apart, a locked store without a control socket is tried again: its holder is about to begin,
/// or to end.
const TRIES: u32 = 20;
const TRY_EVERY: Duration = Duration::from_millis(50);

/// Where a command reads and decides.
#[derive(Debug)]
pub(crate) enum Source {
    /// In the store itself.
    Own(Store),
    /// Through the process that holds it.
    Holder(Client),
}

/// What a store is wanted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing of it is changed.
    Read,
    /// Something is changed in this world, or in one that is branched off it: all its content has to be there.
    Write(OpenMode, WorldName),
    /// Something is taken out of it, be it lost or not.
    Erase,
}

impl Access {
    fn open(self, path: PathBuf) -> Result<Store, OpenError> {
        match self {
            Self::Read => Store::look(path),
            Self::Write(mode, world) => Store::open_for(path, mode, &world),
            Self::Erase => Store::open_to_erase(path),
        }
    }
}

/// What each store that this process reads is found to have lost.
static LOST: Mutex<Vec<LostContent>> = Mutex::new(Vec::new());

/// Says which content of what was read is lost: the command has shown everything else.
pub(crate) fn check_content(dir: &Path) -> Result<(), CliError> {
    let lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    let lost: BTreeSet<String> = lost.iter().flat_map(LostContent::to_lines).collect();
    if lost.is_empty() {
        return Ok(());
    }
    lost.iter().for_each(|lost| complain(lost));
    let what = format!(
        "the store {} has lost content; nobody has erased it. `folkmoot verify --all` names all that is lost, and `folkmoot \
         rebuild --to DIR` makes a store of the rest",
        dir.display()
    );
    Err(CliError::other(INTEGRITY, what))
}

/// What is to be said of a damaged store that is read.
pub(crate) fn damage(store: &Store, dir: &Path) -> Option<String> {
    let survey = store.survey()?;
    let (all, whole) = (
        survey.worlds.len(),
        survey
            .worlds
            .iter()
            .filter(|world| world.is_whole())
            .count(),
    );
    let first = survey.store.first().map(|damage| &damage.what);
    let what = first.or_else(|| survey.worlds.iter().find_map(|world| world.found.as_ref()));
    let what = what.map_or_else(String::new, |what| format!(" ({what})"));
    Some(format!(
        "the store {} is damaged{what}: {whole} of {all} worlds are whole; `folkmoot verify --all` says what is lost, and \
         `folkmoot rebuild --to DIR` saves what is whole",
        dir.display()
    ))
}

/// A store, or the way to whoever holds it.
pub(crate) async fn hold(
    dir: &Path,
    access: Access,
) -> Result<Result<Store, (Client, OpenError)>, CliError> {
    let mut tries = TRIES;
    loop {
        let (path, access) = (dir.to_owned(), access.clone());
        let opened = tokio::task::spawn_blocking(move || access.open(path)).await;
        let error = match opened.map_err(|error| CliError::other(STORE, error.to_string()))? {
            Ok(store) => return Ok(Ok(store)),
            Err(error @ OpenError::Locked { .. }) => error,
            Err(error) => return Err(error.into()),
        };
        match Client::connect(dir).await {
            Ok(client) => return Ok(Err((client, error))),
            Err(_) if tries > 0 => tries = tries.saturating_sub(1),
            Err(_) => {
                let what = "it answers no questions: wait until it is done, or end it";
                return Err(CliError::other(STORE, format!("{error} ({what})")));
            }
        }
        tokio::time::sleep(TRY_EVERY).await;
    }
}

impl Source {
    /// Opens the store, which must exist, to change something in a world, or finds its holder.
    pub(crate) async fn open(common: &Common, world: &WorldName) -> Result<Self, CliError> {
        Self::to_write(common, Access::Write(OpenMode::Existing, world.clone())).await
    }

    /// Opens the store, which must exist, to take something out of it, or finds its holder.
    pub(crate) async fn open_to_erase(common: &Common) -> Result<Self, CliError> {
        Self::to_write(common, Access::Erase).await
    }

    async fn to_write(common: &Common, access: Access) -> Result<Self, CliError> {
        Ok(match hold(&common.store, access).await? {
            Ok(store) => Self::Own(store),
            Err((client, _)) => Self::Holder(client),
        })
    }

    /// Opens the store, which must exist, to read it, or finds its holder. Says if it is damaged.
    pub(crate) async fn look(common: &Common) -> Result<Self, CliError> {
        let source = match hold(&common.store, Access::Read).await? {
            Ok(store) => Self::Own(store),
            Err((client, _)) => return Ok(Self::Holder(client)),
        };
        if let Self::Own(store) = &source
            && let Some(what) = damage(store, &common.store)
        {
            complain(&common.to_type(&what));
        }
        if let Self::Own(store) = &source {
            LOST.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(store.lost_content());
        }
        Ok(source)
    }

    /// What is whole of a damaged store that is read; `None` if nothing was found to be damaged.
    pub(crate) fn survey(&self) -> Option<&Survey> {
        match self {
            Self::Own(store) => store.survey(),
            Self::Holder(_) => None,
        }
    }

    /// Another way to the same store.
    pub(crate) async fn another(&self, common: &Common) -> Result<Self, CliError> {
        match self {
            Self::Own(store) => Ok(Self::Own(store.clone())),
            Self::Holder(_) => Self::look(common).await,
        }
    }

    /// Whether another process holds the store.
    pub(crate) const fn is_held(&self) -> bool {
        matches!(self, Self::Holder(_))
    }

    /// Asks, and gives the answer as it comes. A store of one's own stays open as long as the answer is kept.
    pub(crate) async fn ask(self, query: Query) -> Result<Answer, CliError> {
        match self {
            Self::Own(store) => {
                let values = answer(&store, &query).await?;
                // The last handle on a store closes it.
                Ok(values.inspect(move |_| _ = &store).boxed())
            }
            Self::Holder(client) => client.ask(&Request::Query(query)).await,
        }
    }

    /// Asks, and gives the whole answer.
    pub(crate) async fn ask_all(self, query: Query) -> Result<Vec<Value>, CliError> {
        self.ask(query).await?.try_collect().await
    }

    /// Does what concerns the whole store, here or through its holder; gives the whole answer.
    pub(crate) async fn perform(self, request: Request) -> Result<Vec<Value>, CliError> {
        match self {
            Self::Own(store) => perform_in(store, request).await,
            Self::Holder(client) => client.ask(&request).await?.try_collect().await,
        }
    }

    /// Takes a decision in the name of this process's user. A world that is opened for it is signed with `signer`; the
    /// holder of the store signs with its own key.
    pub(crate) async fn decide(
        self,
        decision: &Decision,
        signer: Signing,
    ) -> Result<Taken, CliError> {
        match self {
            Self::Own(store) => decide_in(store, decision, signer).await,
            Self::Holder(client) => first(client, Request::Decide(decision.clone())).await,
        }
    }

    /// Erases in the name of this process's user.
    pub(crate) async fn erase(self, erasing: &Erasing, signer: Signing) -> Result<Gone, CliError> {
        match self {
            Self::Own(store) => erase_in(store, erasing, signer).await,
            Self::Holder(client) => first(client, Request::Erase(erasing.clone())).await,
        }
    }

    /// Branches a world off, in the name of this process's user.
    pub(crate) async fn fork(self, wish: &ForkWish, signer: Signing) -> Result<ForkView, CliError> {
        match self {
            Self::Own(store) => fork_in(store, wish, signer).await,
            Self::Holder(client) => first(client, Request::Fork(wish.clone())).await,
        }
    }
}

/// The one value that a holder answers with.
async fn first<T: serde::de::DeserializeOwned>(
    client: Client,
    request: Request,
) -> Result<T, CliError> {
    let value = client.ask(&request).await?.try_next().await?;
    let value = value.ok_or_else(|| CliError::other(STORE, "the holder gave no answer"))?;
    serde_json::from_value(value).map_err(CliError::json)
}

async fn perform_in(store: Store, request: Request) -> Result<Vec<Value>, CliError> {
    let value = |value: Result<Value, serde_json::Error>| value.map_err(CliError::json);
    match request {
        Request::Backup(dir) => {
            refuse_tools()?;
            let made = in_store(store.clone(), None, async |_| backup(&store, dir).await).await?;
            Ok(vec![value(serde_json::to_value(made))?])
        }
        Request::Delete(deletion) => {
            let proof = own_proof(deletion.by.clone())?;
            let work = async |runtime: &Runtime| delete(runtime, &store, &proof, &deletion).await;
            let deleted = in_store(store.clone(), None, work).await?;
            deleted
                .iter()
                .map(|one| value(serde_json::to_value(one)))
                .collect()
        }
        Request::Fork(wish) => Ok(vec![value(serde_json::to_value(
            fork_in(store, &wish, None).await?,
        ))?]),
        Request::Erase(erasing) => Ok(vec![value(serde_json::to_value(
            erase_in(store, &erasing, None).await?,
        ))?]),
        Request::Decide(decision) => Ok(vec![value(serde_json::to_value(
            decide_in(store, &decision, None).await?,
        ))?]),
        Request::Query(query) => answer(&store, &query).await?.try_collect().await,
    }
}

async fn fork_in(store: Store, wish: &ForkWish, signer: Signing) -> Result<ForkView, CliError> {
    let proof = own_proof(None)?;
    in_store(store, signer, async |runtime| {
        fork(runtime, proof, wish).await
    })
    .await
}

async fn erase_in(store: Store, erasing: &Erasing, signer: Signing) -> Result<Gone, CliError> {
    let proof = own_proof(erasing.by.clone())?;
    in_store(store, signer, async |runtime| {
        erase(runtime, proof, erasing, None).await
    })
    .await
}

async fn decide_in(store: Store, decision: &Decision, signer: Signing) -> Result<Taken, CliError> {
    let proof = own_proof(decision.by.clone())?;
    in_store(store, signer, async |runtime| {
        decide(runtime, proof, decision, Audience::Operator, None).await
    })
    .await
}

/// Who this process's user is.
fn own_proof(by: Option<PersonName>) -> Result<Proof, CliError> {
    refuse_tools()?;
    person::proof(by).ok_or_else(|| CliError::other(USAGE, "say who this is: --as NAME"))
}

/// Does something in a store of one's own, and closes it.
async fn in_store<T>(
    store: Store,
    signer: Signing,
    work: impl AsyncFnOnce(&Runtime) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let runtime = signing::signed(Runtime::builder(&store), signer).build();
    let taken = work(&runtime).await;
    runtime.shutdown().await;
    drop(runtime);
    let closed = tokio::task::spawn_blocking(move || store.close()).await;
    let closed = closed.map_err(|error| CliError::other(STORE, error.to_string()))?;
    let taken = taken?;
    closed?;
    Ok(taken)
}
