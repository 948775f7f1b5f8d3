//! The plane of all measurements, and what everything on it shares.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agentplane::manifest::Manifest;
use agentplane::prelude::*;
use agentplane::runtime::{Agent, RunOutcome};
use peers_common::{Fallible, Meter, Texts};
use serde_json::json;

use crate::burst::Burst;
use crate::worker::{Record, Scripted};

/// A tool is a type here and has no state, so what it needs is found in one place.
static SHARED: OnceLock<Shared> = OnceLock::new();

/// The texts and the meter of this process.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) texts: Texts,
    pub(crate) meter: Meter,
}

impl Shared {
    /// Sets what [`Shared::get`] gives.
    pub(crate) fn set(texts: Texts, time: Duration) -> Fallible<()> {
        let meter = Meter::new(time);
        SHARED
            .set(Self { texts, meter })
            .map_err(|_| "set twice".into())
    }

    pub(crate) fn get() -> Result<&'static Self, &'static str> {
        SHARED.get().ok_or("nothing was set")
    }
}

/// A runtime over a store of its own.
#[derive(Clone)]
pub(crate) struct Plane {
    pub(crate) runtime: Arc<Runtime>,
}

impl Plane {
    /// Opens a store in `folder`. A worker asks for `rounds` calls before it answers; a burst is of `effects` effects.
    pub(crate) fn open(folder: &Path, rounds: usize, effects: usize) -> Fallible<Self> {
        let store: Arc<dyn JournalStore> = Arc::new(RedbStore::open(folder.join("journal.redb"))?);
        let worker = Manifest::parse(include_str!("worker.yaml"))?;
        let runtime = Runtime::builder(store)
            .provider("own", Arc::new(Scripted { rounds }))
            .agent(Agent::new(&worker))
            .toolbox(ToolBox::new().with::<Record>())
            .skill(Burst { effects })
            .build();
        Ok(Self { runtime })
    }

    /// Asks for `capability`, and waits until the answer is durable.
    pub(crate) async fn ask(&self, capability: &str) -> Fallible<RunOutcome> {
        let question = json!({ "question": Shared::get()?.texts.next() });
        let run = self
            .runtime
            .start(capability, Tainted::trusted(question))
            .run()
            .await?;
        if run.status == RunStatus::Succeeded {
            Ok(run)
        } else {
            Err(format!("a run ended as {:?}", run.status).into())
        }
    }
}
