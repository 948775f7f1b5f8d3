//! What a store serves, and whether it is what it was.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use folkmoot::core::content::Content;
use folkmoot::core::event::{Event, MessageBody, StoredContent, TalkEvent};
use folkmoot::core::ids::{Digest, Position, WorldId, WorldName};
use folkmoot::core::port::{Blobs as _, EventLog as _, Labels, StoredCommit};
use folkmoot::core::world::World;
use folkmoot::fold_world_from;
use folkmoot::store::{Against, LogVerdict, OpenError, OpenMode, Store};
use futures::TryStreamExt as _;

/// More worlds than the sample has.
const WORLDS_MAX: usize = 100;

/// What is served of one world.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    commits: Vec<StoredCommit>,
    /// Folded from its newest checkpoint.
    state: World,
    /// Those that there are.
    blobs: BTreeMap<Digest, Vec<u8>>,
}

/// What a store serves, and the errors that it gave.
#[derive(Debug, Clone, Default)]
pub(super) struct Served {
    worlds: BTreeMap<String, Told>,
    tombstones: Option<String>,
    errors: Vec<String>,
}

/// What came of a damage.
#[derive(Debug)]
pub(super) enum Found {
    /// It has no effect.
    Nothing,
    /// It was said.
    Error(String),
}

impl Found {
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Nothing => "no effect",
            Self::Error(_) => "found",
        }
    }
}

impl Served {
    pub(super) fn worlds(&self) -> usize {
        self.worlds.len()
    }

    /// Opens a store for writing, and reads all that it has; `Err` if it does not open.
    pub(super) fn look(store: &Path) -> Result<Self, String> {
        Self::of(|| Store::open(store, OpenMode::Existing))
    }

    /// Reads all that a store has, without a right to change it; `Err` if it does not open.
    pub(super) fn read(store: &Path) -> Result<Self, String> {
        Self::of(|| Store::look(store))
    }

    fn of(open: impl FnOnce() -> Result<Store, OpenError>) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let looked = panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(look(open()))));
        looked.unwrap_or_else(|_| {
            Ok(Self {
                errors: vec!["PANIC".to_owned()],
                ..Self::default()
            })
        })
    }

    /// Whether another look is the same. `Err`: it is not, and nobody said so.
    pub(super) fn compare(&self, other: Result<Self, String>) -> Result<Found, String> {
        let other = match other {
            Ok(other) => other,
            Err(error) => return Ok(Found::Error(error)),
        };
        if other.errors.iter().any(|error| error == "PANIC") {
            return Err("a panic".to_owned());
        }
        for (name, told) in &other.worlds {
            let Some(expected) = self.worlds.get(name) else {
                return Err(format!("{name} is invented"));
            };
            told.is(expected).map_err(|what| {
                format!("{name}: {what} served wrong; errors {:?}", other.errors)
            })?;
        }
        if let Some(error) = other.errors.first() {
            return Ok(Found::Error(error.clone()));
        }
        if let Some(name) = self
            .worlds
            .keys()
            .find(|name| !other.worlds.contains_key(*name))
        {
            return Err(format!("{name} is gone without a word"));
        }
        if self.tombstones == other.tombstones {
            Ok(Found::Nothing)
        } else {
            Err("other tombstones".to_owned())
        }
    }
}

impl Served {
    /// The same, where content may read as erased that is not.
    pub(super) fn compare_erased(&self, other: &Self) -> Result<Found, String> {
        for (name, expected) in &self.worlds {
            let Some(told) = other.worlds.get(name) else {
                return Err(format!("{name} is gone"));
            };
            let mut pairs = told.commits.iter().zip(&expected.commits);
            if told.commits.len() != expected.commits.len()
                || !pairs.all(|(found, was)| is_or_is_erased(found, was))
            {
                return Err(format!("{name} is another"));
            }
        }
        Ok(Found::Error("content reads as erased".to_owned()))
    }
}

/// Whether a commit is what it was, but for content that is called erased.
fn is_or_is_erased(found: &StoredCommit, expected: &StoredCommit) -> bool {
    let mut pairs = found.commit.events.iter().zip(&expected.commit.events);
    let is_within = |(found, expected): (&Event, &Event)| {
        let (mut found, expected) = (found.to_record().unwrap(), expected.to_record().unwrap());
        if found.content == (StoredContent::Erased { by: None }) {
            found.content = expected.content.clone();
        }
        found == expected
    };
    found.link == expected.link
        && found.commit.header == expected.commit.header
        && pairs.all(is_within)
}

impl Told {
    fn is(&self, expected: &Self) -> Result<(), String> {
        let pairs = self.commits.iter().zip(&expected.commits);
        if let Some((found, _)) = pairs.clone().find(|(found, expected)| found != expected) {
            return Err(format!("the commit at event {}", found.commit.header.first));
        }
        if self.commits.len() != expected.commits.len() {
            return Err(format!(
                "{} commits of {}",
                self.commits.len(),
                expected.commits.len()
            ));
        }
        if self
            .blobs
            .iter()
            .any(|(blob, bytes)| expected.blobs.get(blob) != Some(bytes))
        {
            return Err("a blob".to_owned());
        }
        if self.state == expected.state {
            Ok(())
        } else {
            Err("its state".to_owned())
        }
    }
}

async fn look(opened: Result<Store, OpenError>) -> Result<Served, String> {
    let store = opened.map_err(|error| format!("{error}: {error:?}"))?;
    let mut served = Served::default();
    if let Some(survey) = store.survey() {
        served
            .errors
            .extend(survey.worlds.iter().filter_map(|world| world.lost.clone()));
        // A world of which nothing is left is known to nobody: that the log ends too early is all that can be said.
        served
            .errors
            .extend(survey.store.iter().map(|damage| damage.what.clone()));
    }
    let entries = match store.worlds(&Labels::new(), None, WORLDS_MAX).await {
        Ok(entries) => entries,
        Err(error) => return Err(error.to_string()),
    };
    for entry in entries {
        let (name, verified) = (
            entry.name.to_string(),
            store.verify(entry.world, Against::default()).await,
        );
        match verified {
            Ok(found) if found.verdict() == LogVerdict::NotChecked => {}
            Ok(found) => served.errors.push(format!("{name}: {:?}", found.damage)),
            Err(error) => served.errors.push(format!("{name}: {error}")),
        }
        match told(&store, &name, entry.world, &mut served.errors).await {
            Ok(told) => drop(served.worlds.insert(name, told)),
            Err(error) => served.errors.push(format!("{name}: {error}")),
        }
    }
    match store.deleted().await {
        Ok(tombstones) => served.tombstones = Some(format!("{tombstones:?}")),
        Err(error) => served.errors.push(error.to_string()),
    }
    if let Err(error) = store.close() {
        served.errors.push(error.to_string());
    }
    Ok(served)
}

async fn told(
    store: &Store,
    name: &str,
    world: WorldId,
    errors: &mut Vec<String>,
) -> Result<Told, String> {
    let stream = store
        .read(world, Position::new(1))
        .await
        .map_err(|error| error.to_string())?;
    let commits: Vec<StoredCommit> = stream
        .try_collect()
        .await
        .map_err(|error| error.to_string())?;
    let folded = fold_world_from(store, store, &WorldName::new(name).unwrap(), None).await;
    let state = folded.map_err(|error| error.to_string())?;
    let mut blobs = BTreeMap::new();
    for blob in commits
        .iter()
        .flat_map(|stored| &stored.commit.events)
        .flat_map(attached)
    {
        match store.get(world, blob).await {
            Ok(Some(bytes)) => drop(blobs.insert(blob, bytes)),
            Ok(None) => errors.push(format!("there is no file {blob}")),
            Err(error) => errors.push(error.to_string()),
        }
    }
    Ok(Told {
        commits,
        state,
        blobs,
    })
}

/// The files of a message.
fn attached(event: &Event) -> Vec<Digest> {
    let Event::Talk(TalkEvent::MessagePosted(message)) = event else {
        return Vec::new();
    };
    match &message.body {
        Content::Present(MessageBody { attachments, .. }) => {
            attachments.iter().map(|file| file.blob).collect()
        }
        Content::Erased { .. } => Vec::new(),
    }
}
