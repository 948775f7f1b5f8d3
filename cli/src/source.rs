//! The way to a store: in the store itself, or through the process that holds it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use folkmoot::core::ids::WorldName;
use folkmoot::store::{LostContent, OpenError, OpenMode, Survey};
use folkmoot::{Membership, Runtime, Store};

use crate::arguments::{CommonArgs, StorePlace};
use crate::control::client::Client;
use crate::desk::opening::Holding;
use crate::desk::peer::Peer;
use crate::desk::{Desk, DeskRequest};
use crate::exit::{CliError, INTEGRITY, STORE};
use crate::nearest;
use crate::show::complain;
use crate::signing::{self, Signing};
use crate::view::answer::ValueStream;
use crate::view::query::Query;
use database::Database;

pub(crate) mod members;

#[cfg(feature = "nodes")]
pub(crate) mod database;
#[cfg(not(feature = "nodes"))]
pub(crate) mod no_database;
#[cfg(not(feature = "nodes"))]
pub(crate) use no_database as database;

/// The number of times that a locked store without a control socket is tried again: its holder is
/// about to begin, or to end.
const TRIES: u32 = 20;
/// The time between two tries.
const TRY_EVERY: Duration = Duration::from_millis(50);

/// A way to a store.
#[derive(Debug)]
pub(crate) enum StoreSource {
    /// In the store itself.
    Own {
        /// The store.
        store: Store,
        /// The key that signs heads of a world that is opened to change something. The holder of a
        /// store signs with its own.
        signer: Signing,
        /// The place among the nodes that share the store, if they do and something is changed.
        membership: Option<Box<Membership>>,
    },
    /// Through the process that holds it.
    Holder(Client),
}

/// The purpose that a store is opened for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoreUse {
    /// The store is only read.
    Read,
    /// Something is changed in this world, or in one that is branched off it: all its content has
    /// to be there.
    Write(OpenMode, WorldName),
    /// All its worlds are gone on with. Content that is missing stops its own world alone.
    Serve,
    /// Something is taken out of it, of these worlds, be it lost or not.
    Erase(Vec<WorldName>),
}

impl StoreUse {
    /// The worlds in which something is changed, as far as they are known.
    fn worlds(&self) -> &[WorldName] {
        match self {
            Self::Write(_, world) => std::slice::from_ref(world),
            Self::Erase(worlds) => worlds,
            Self::Read | Self::Serve => &[],
        }
    }

    fn open(self, path: PathBuf) -> Result<Store, OpenError> {
        match self {
            // Recovery writes to memory here, so that no reading command changes a byte (decision
            // 0024).
            Self::Read => Store::look(path),
            Self::Write(mode, world) => Store::open_for(path, mode, &world),
            Self::Serve => Store::open(path, OpenMode::Create),
            Self::Erase(_) => Store::open_to_erase(path),
        }
    }
}

/// The content that each store which this process reads is found to have lost.
static LOST: Mutex<Vec<LostContent>> = Mutex::new(Vec::new());

/// Says which content of what was read is lost: the command has shown everything else.
pub(crate) fn check_content(place: &StorePlace) -> Result<(), CliError> {
    let lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    let lost: BTreeSet<String> = lost.iter().flat_map(LostContent::to_lines).collect();
    if lost.is_empty() {
        return Ok(());
    }
    lost.iter().for_each(|lost| complain(lost));
    let what = format!(
        "the store {} has lost content; nobody has erased it. `folkmoot verify --all` names all that is lost, and `folkmoot \
         rebuild --to DIR` makes a store of the rest",
        place
    );
    Err(CliError::other(INTEGRITY, what))
}

/// Returns what is to be said of a damaged store that is read; `None` if it is sound.
pub(crate) fn damage(store: &Store, place: &StorePlace) -> Option<String> {
    let survey = store.survey()?;
    let all = survey.worlds.len();
    let whole = survey
        .worlds
        .iter()
        .filter(|world| world.is_whole())
        .count();
    let first = survey.store.first().map(|damage| &damage.what);
    let what = first.or_else(|| survey.worlds.iter().find_map(|world| world.found.as_ref()));
    let what = what.map_or_else(String::new, |what| format!(" ({what})"));
    Some(format!(
        "the store {place} is damaged{what}: {whole} of {} whole; `folkmoot verify --all` says what is lost, and \
         `folkmoot rebuild --to DIR` saves what is whole",
        if all == 1 {
            "1 world is".to_owned()
        } else {
            format!("{all} worlds are")
        }
    ))
}

/// A store, or the way to whoever holds it.
pub(crate) async fn hold(
    place: &StorePlace,
    access: StoreUse,
) -> Result<Result<Store, (Client, OpenError)>, CliError> {
    match place {
        StorePlace::Folder(folder) => hold_folder(folder, access).await,
        StorePlace::Database(url) => database::open(url, &access).await.map(Ok),
    }
}

/// The store in a folder, or the way to whoever holds it.
pub(crate) async fn hold_folder(
    dir: &Path,
    access: StoreUse,
) -> Result<Result<Store, (Client, OpenError)>, CliError> {
    let mut tries = TRIES;
    loop {
        let path = dir.to_owned();
        let access = access.clone();
        let opened = tokio::task::spawn_blocking(move || access.open(path)).await;
        let error = match opened.map_err(|error| CliError::other(STORE, error.to_string()))? {
            Ok(store) => return Ok(Ok(store)),
            // Whoever writes has the store alone. Its control socket is asked instead (decision
            // 0024).
            Err(error @ OpenError::Locked { .. }) => error,
            Err(error) => return Err(error.into()),
        };
        match Client::connect(dir).await {
            Ok(client) => return Ok(Err((client, error))),
            Err(_) if tries > 0 => tries -= 1,
            Err(_) => {
                let what = "it answers no questions: wait until it is done, or end it";
                return Err(CliError::other(STORE, format!("{error} ({what})")));
            }
        }
        tokio::time::sleep(TRY_EVERY).await;
    }
}

/// The error of a command; one about a world that is not there also names the one that was probably
/// meant.
pub(crate) async fn naming_a_world(common: &CommonArgs, error: CliError) -> CliError {
    let Some(missing) = nearest::missing(&error) else {
        return error;
    };
    // A store that does not open or read was told of.
    let known = known(common).await.unwrap_or_default();
    nearest::meaning(missing, &known).unwrap_or(error)
}

/// True if the store has a world called `name`; a store that does not open or read has none.
pub(crate) async fn has_world(common: &CommonArgs, name: &WorldName) -> bool {
    let known = known(common).await.unwrap_or_default();
    known.contains(name)
}

/// The names of all worlds of the store.
async fn known(common: &CommonArgs) -> Result<Vec<WorldName>, CliError> {
    let names = StoreSource::look(common)
        .await?
        .ask(Query::Names)
        .await?
        .all()
        .await?;
    names
        .into_iter()
        .map(|name| serde_json::from_value(name).map_err(CliError::json))
        .collect()
}

impl StoreSource {
    /// Opens the store, which must exist, to change something in a world, or finds its holder.
    pub(crate) async fn open(
        common: &CommonArgs,
        world: &WorldName,
        signer: Signing,
    ) -> Result<Self, CliError> {
        let access = StoreUse::Write(OpenMode::Existing, world.clone());
        Self::to_write(common, access, signer).await
    }

    /// Opens the store, which must exist, to take something out of these worlds, or them, or finds its holder.
    pub(crate) async fn open_to_erase(
        common: &CommonArgs,
        worlds: &[WorldName],
        signer: Signing,
    ) -> Result<Self, CliError> {
        Self::to_write(common, StoreUse::Erase(worlds.to_vec()), signer).await
    }

    async fn to_write(
        common: &CommonArgs,
        access: StoreUse,
        signer: Signing,
    ) -> Result<Self, CliError> {
        if let StorePlace::Database(url) = &common.store {
            let database = Database::reach(url, OpenMode::Existing).await?;
            let membership = database.visit(access.worlds(), None).await?;
            return Ok(Self::Own {
                store: membership.store(),
                signer,
                membership: Some(Box::new(membership)),
            });
        }
        Ok(match hold(&common.store, access).await? {
            Ok(store) => Self::own(store, signer),
            Err((client, _)) => Self::Holder(client),
        })
    }

    /// Opens the store, which must exist, to read it, or finds its holder. Says if it is damaged.
    pub(crate) async fn look(common: &CommonArgs) -> Result<Self, CliError> {
        let store = match hold(&common.store, StoreUse::Read).await? {
            Ok(store) => store,
            Err((client, _)) => return Ok(Self::Holder(client)),
        };
        if let Some(what) = damage(&store, &common.store) {
            complain(&common.to_type(&what));
        }
        LOST.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(store.lost_content());
        Ok(Self::own(store, None))
    }

    /// A store of this process alone, or one that is only read.
    const fn own(store: Store, signer: Signing) -> Self {
        Self::Own {
            store,
            signer,
            membership: None,
        }
    }

    /// Returns what is whole of a damaged store that is read; `None` if no damage was found, or
    /// another process holds it.
    pub(crate) fn survey(&self) -> Option<&Survey> {
        match self {
            Self::Own { store, .. } => store.survey(),
            Self::Holder(_) => None,
        }
    }

    /// Another way to the same store.
    pub(crate) async fn another(&self, common: &CommonArgs) -> Result<Self, CliError> {
        match self {
            Self::Own { store, signer, .. } => Ok(Self::own(store.clone(), signer.clone())),
            Self::Holder(_) => Self::look(common).await,
        }
    }

    /// True if another process holds the store.
    pub(crate) const fn is_held(&self) -> bool {
        matches!(self, Self::Holder(_))
    }

    /// Asks, and returns the answer as it comes. A store of one's own is closed when all is done,
    /// or, if it is only read, once the answer is not kept any more.
    pub(crate) async fn ask(
        self,
        request: impl Into<DeskRequest>,
    ) -> Result<ValueStream, CliError> {
        let request = request.into();
        let (store, signer, membership) = match self {
            Self::Own {
                store,
                signer,
                membership,
            } => (store, signer, membership),
            Self::Holder(client) => return client.ask(&request).await,
        };
        let runtime = signing::signed(Runtime::builder(&store), signer);
        let runtime = match &membership {
            Some(membership) => membership.introduce(runtime),
            None => runtime,
        };
        let runtime = runtime.build();
        let desk = Desk::new(runtime, store, Holding::Nothing);
        let only_reads = matches!(request, DeskRequest::Query(_));
        let answer = Box::pin(desk.serve(Peer::Holder, request)).await;
        if only_reads {
            // The last handle on a store closes it.
            return Ok(answer?.keeping(desk));
        }
        if let Some(membership) = membership {
            membership.leave(desk.runtime()).await;
        }
        let closed = desk.close().await;
        let answer = answer?;
        closed?;
        Ok(answer)
    }
}
