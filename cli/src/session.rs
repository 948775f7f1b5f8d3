//! A store that this process holds, with a runtime over it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::core::ids::WorldName;
use folkmoot::store::{OpenError, OpenMode};
use folkmoot::{
    DraftSource, Membership, Node, ProcessHost, Runtime, RuntimeBuilder, Shipped, Store,
};

use crate::arguments::StorePlace;
use crate::control::server::{Control, serve};
use crate::desk::Desk;
use crate::desk::opening::Holding;
use crate::exit::{CliError, STORE};
use crate::recording::Recording;
use crate::signing::{self, Signing};
use crate::source::database::{Database, DatabaseUrl, NodeWish};
use crate::source::{StoreUse, hold_folder};
use crate::{parts, person};

/// The folder in the store for the locks of running tools.
const LOCKS: &str = "locks";

/// A store that this process holds, with a runtime that goes on with its worlds.
#[derive(Debug)]
pub(crate) struct Session {
    /// The desk of the store.
    pub(crate) desk: Desk,
    /// The control socket; `None` if it could not be made, and for a store that nodes share.
    control: Option<Control>,
    /// The place among the nodes that share the store, if they do.
    membership: Option<Membership>,
}

impl Session {
    /// Opens the store at `place` and a runtime over it, and serves its control socket. `base` is the folder of the script
    /// that is played, `driven` the world that is opened and closed here, `recording` takes what its models exchange, `signer`
    /// signs heads of its log.
    pub(crate) async fn open(
        (place, base): (&StorePlace, Option<&Path>),
        mode: OpenMode,
        driven: WorldName,
        recording: &Recording,
        signer: Signing,
    ) -> Result<Self, CliError> {
        match Self::open_or_find((place, base), mode, driven, recording, signer).await? {
            Ok(session) => Ok(session),
            Err(error) => Err(in_use(&error)),
        }
    }

    /// The same, or the error that says which process has the store open already and answers for
    /// it.
    pub(crate) async fn open_or_find(
        (place, base): (&StorePlace, Option<&Path>),
        mode: OpenMode,
        driven: WorldName,
        recording: &Recording,
        signer: Signing,
    ) -> Result<Result<Self, OpenError>, CliError> {
        let dir = match place {
            StorePlace::Folder(dir) => dir,
            StorePlace::Database(url) => {
                let opened = Self::in_database((url, base), mode, driven, recording, signer).await;
                return opened.map(Ok);
            }
        };
        let access = StoreUse::Write(mode, driven.clone());
        let premises = Premises::default();
        Self::open_used(
            dir,
            access,
            Holding::Driven(driven),
            recording,
            signer,
            premises,
        )
        .await
    }

    /// Opens the store `dir` to serve all its worlds, each as it is asked for.
    pub(crate) async fn serving(
        dir: &Path,
        signer: Signing,
        premises: Premises,
    ) -> Result<Self, CliError> {
        match Self::serving_or_find(dir, signer, premises).await? {
            Ok(session) => Ok(session),
            Err(error) => Err(in_use(&error)),
        }
    }

    /// The same, or the error that says which process has the store open already.
    pub(crate) async fn serving_or_find(
        dir: &Path,
        signer: Signing,
        premises: Premises,
    ) -> Result<Result<Self, OpenError>, CliError> {
        let recording = Recording::default();
        let access = StoreUse::Serve;
        Self::open_used(dir, access, Holding::All, &recording, signer, premises).await
    }

    async fn open_used(
        dir: &Path,
        access: StoreUse,
        holding: Holding,
        recording: &Recording,
        signer: Signing,
        premises: Premises,
    ) -> Result<Result<Self, OpenError>, CliError> {
        person::refuse_tools()?;
        let store = match hold_folder(dir, access).await? {
            Ok(store) => store,
            Err((_, error)) => return Ok(Err(error)),
        };
        adopt_orphans();
        let runtime = signing::signed(builder(&store, dir, recording, premises)?, signer).build();
        let desk = Desk::new(runtime, store, holding);
        let control = serve(dir, desk.clone());
        if let Err(error) = &control {
            tracing::warn!(%error, "no second terminal can take part");
        }
        Ok(Ok(Self {
            desk,
            control: control.ok(),
            membership: None,
        }))
    }

    /// Joins the nodes of the database at `url`, and drives one of its worlds. No other process of this machine asks here: it
    /// is a node itself.
    async fn in_database(
        (url, base): (&DatabaseUrl, Option<&Path>),
        mode: OpenMode,
        driven: WorldName,
        recording: &Recording,
        signer: Signing,
    ) -> Result<Self, CliError> {
        person::refuse_tools()?;
        let worlds = std::slice::from_ref(&driven);
        let database = Database::reach(url, mode).await?;
        let mut membership = database.visit(worlds, base).await?;
        let dir = database.folder()?;
        let runtime = runtime_of((&membership, &dir), recording, signer, Premises::default())?;
        membership.answer(&runtime);
        Ok(Self::member(runtime, membership, Holding::Driven(driven)))
    }

    /// Joins the nodes of a database as `wish` says. It serves worlds once it [takes part](Self::take_part).
    pub(crate) async fn join(
        database: &Database,
        wish: NodeWish,
        signer: Signing,
        premises: Premises,
    ) -> Result<Self, CliError> {
        person::refuse_tools()?;
        let membership = database.join(wish).await?;
        let (dir, recording) = (database.folder()?, Recording::default());
        let runtime = runtime_of((&membership, &dir), &recording, signer, premises)?;
        Ok(Self::member(runtime, membership, Holding::All))
    }

    fn member(runtime: Runtime, membership: Membership, holding: Holding) -> Self {
        Self {
            desk: Desk::new(runtime, membership.store(), holding),
            control: None,
            membership: Some(membership),
        }
    }

    /// Takes its share of the worlds of a database from now on; nothing for a store of its own.
    pub(crate) fn take_part(&mut self) {
        if let Some(membership) = &mut self.membership {
            membership.serve(self.desk.runtime());
        }
    }

    /// The node that this process is; `None` if its store is its own.
    pub(crate) fn node(&self) -> Option<&Node> {
        self.membership.as_ref().map(Membership::node)
    }

    /// Closes all worlds and the store, after what came to `result`. That the store could not be
    /// closed is said, unless something else still has to be.
    pub(crate) async fn end(self, result: Result<(), CliError>) -> Result<(), CliError> {
        match (result, self.close().await) {
            (Err(CliError::Said(_) | CliError::Closed), Err(closed)) => Err(closed),
            (result, closed) => result.and(closed),
        }
    }

    /// Closes the control socket, all worlds and the store.
    async fn close(self) -> Result<(), CliError> {
        let Self {
            desk,
            control,
            membership,
        } = self;
        drop(control);
        if let Some(membership) = membership {
            membership.leave(desk.runtime()).await;
        }
        desk.close().await
    }
}

/// The surroundings of the rooms of a session.
#[derive(Debug, Default)]
pub(crate) struct Premises {
    pub(crate) reach: Reach,
    /// The files and folders that no tool of a room may change.
    pub(crate) unwritten: Vec<PathBuf>,
    /// The way to the drafts of worlds that other nodes hold.
    pub(crate) drafts: Option<Arc<dyn DraftSource>>,
}

/// The machines from which the rooms of a session are reached.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// This one alone.
    #[default]
    Machine,
    /// Others as well: tools work on this one only where a script says so.
    Elsewhere,
}

/// A runtime for a process that is one of the nodes of a database. Whatever a store keeps in its folder beside the log is in `dir`,
/// which all processes of this user on this machine have for that database, wherever they were started: a run that one of them
/// repeats waits for the first. Those of other users, and other machines, have locks of their own.
fn runtime_of(
    (membership, dir): (&Membership, &Path),
    recording: &Recording,
    signer: Signing,
    premises: Premises,
) -> Result<Runtime, CliError> {
    adopt_orphans();
    let runtime = builder(&membership.store(), dir, recording, premises)?;
    let runtime = signing::signed(runtime, signer);
    Ok(membership.introduce(runtime).build())
}

/// Says that another process has the store open.
fn in_use(error: &OpenError) -> CliError {
    let what = "`log --follow`, `approvals`, `approve`, `say`, `chat WORLD` and the like work meanwhile, through that process; if it is a server, `run SCRIPT` and `chat SCRIPT` do as well";
    CliError::other(STORE, format!("{error} ({what})"))
}

/// A runtime over the store in `dir`, with the tools, models and programs that scripts can use.
pub(crate) fn builder(
    store: &Store,
    dir: &Path,
    recording: &Recording,
    premises: Premises,
) -> Result<RuntimeBuilder, CliError> {
    let host = ProcessHost::new(own_program()?, dir.join(LOCKS));
    let shipped = parts::shipped().keeping_off(dir);
    let places = premises.unwritten.into_iter();
    let shipped = places.fold(shipped, Shipped::keeping_writers_off);
    let (host, shipped) = match premises.reach {
        Reach::Machine => (host, shipped),
        Reach::Elsewhere => (host.requiring_sandboxes(), shipped.reached_from_elsewhere()),
    };
    let shipped = match recording.recorder() {
        Some(recorder) => shipped.recorded_by(recorder),
        None => shipped,
    };
    let runtime = Runtime::builder(store)
        .assembler(shipped)
        .host(Arc::new(host));
    Ok(match premises.drafts {
        Some(drafts) => runtime.drafts_from(drafts),
        None => runtime,
    })
}

/// Makes this process the parent of what loses its own: a program that kills its helper still
/// descends from here, and the control socket refuses it.
fn adopt_orphans() {
    // The helper adopts what its program abandons, but a program has its user's rights (decision
    // 0008).
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        tracing::warn!(%error, "a program that kills its helper cannot be told from a person's");
    }
}

pub(crate) fn own_program() -> Result<PathBuf, CliError> {
    folkmoot::own_program()
        .map_err(|error| CliError::other(STORE, format!("cannot find this program: {error}")))
}
