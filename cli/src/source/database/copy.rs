//! Copies of a store into a database.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::ids::{WorldId, WorldName};
use folkmoot::core::port::causes::with_causes;
use folkmoot::core::port::{EventLog as _, Members as _, NoTenure, Tenure, Tenures as _};
use folkmoot::store::{OpenMode, PostgresLedger, Register as _, SharedStore, TakenIn};
use folkmoot::{Node, NodeProfile, OpenError, Store, Worlds, fold_world};
use tokio::time::Instant;

use super::{DatabaseUrl, ledger, offer_of};
use crate::exit::{CliError, STORE};
use crate::source::members::CopiedView;

/// How long a world is waited for that another node has: one that died is declared dead by then.
const WAITS: Duration = Duration::from_secs(15);

/// How often it is looked again.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Copies all worlds of `from` into the database at `url`. Done again, it goes on where it ended.
pub(crate) async fn copy_in(from: &Store, url: &DatabaseUrl) -> Result<CopiedView, CliError> {
    let deleted = from.deleted().await?.len();
    let ledger = ledger(url, OpenMode::Create).await?;
    let begun = Begun::in_ledger(from, &ledger).await?;
    let profile = NodeProfile {
        room: 0,
        offers: begun.needs,
        ..NodeProfile::named(format!("folkmoot copy {}", std::process::id()))
    };
    let node = Node::join(Arc::clone(&ledger) as _, profile).await;
    let node = node.map_err(|error| failed(&error))?;
    let member = node.clone();
    let running = tokio::spawn(async move {
        let until = std::future::pending();
        member.run(Arc::new(OnTheWay), until).await;
    });
    let copied = write(from, (&ledger, &node), begun.worlds).await;
    // It has no worlds open: those that it holds are free once it has left.
    running.abort();
    let left = ledger.leave(node.id()).await;
    if let Err(error) = left {
        let why = with_causes(&error);
        tracing::warn!(why, "the copied worlds are free in a few seconds only");
    }
    let TakenIn {
        worlds,
        events,
        blobs,
        blobs_damaged,
        ..
    } = copied?;
    Ok(CopiedView {
        database: url.to_string(),
        worlds,
        events,
        blobs,
        blobs_damaged,
        deleted,
    })
}

async fn write(
    from: &Store,
    (ledger, node): (&Arc<PostgresLedger>, &Node),
    begun: Vec<(WorldId, WorldName)>,
) -> Result<TakenIn, CliError> {
    let mut rights = Vec::new();
    for (world, name) in begun {
        rights.push(take(node, world, &name).await?);
    }
    let to = SharedStore::new(Arc::clone(ledger) as _, node.clone());
    let copied = from.copy_into(&to).await;
    copied.map_err(|error| {
        let why = with_causes(&error);
        let what = "the worlds before it are copied; type the same again once that is mended, and it goes on";
        CliError::other(STORE, format!("{why}; {what}"))
    })
}

/// Takes a world that a copy which was cut off has begun.
async fn take(node: &Node, world: WorldId, name: &WorldName) -> Result<Arc<dyn Tenure>, CliError> {
    let until = Instant::now() + WAITS;
    loop {
        match node.take(world).await {
            Ok(right) => return Ok(right),
            // Perhaps it is what is left of a copy that was killed.
            Err(NoTenure::HeldElsewhere { .. } | NoTenure::NotAsked(_))
                if Instant::now() < until =>
            {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            Err(error) => {
                let why = with_causes(&error);
                let what = "see `folkmoot nodes`, end that node, and type the same again";
                let what = format!(
                    "the world {name} is there in part, and cannot be gone on with: {why}; {what}"
                );
                return Err(CliError::other(STORE, what));
            }
        }
    }
}

/// The worlds that are in a database in part, and all that these need of a node.
#[derive(Debug, Default)]
struct Begun {
    worlds: Vec<(WorldId, WorldName)>,
    needs: BTreeSet<String>,
}

/// The number of worlds that are looked at at a time.
const PAGE: usize = 500;

impl Begun {
    async fn in_ledger(from: &Store, ledger: &PostgresLedger) -> Result<Self, CliError> {
        let mut begun = Self::default();
        let mut after: Option<WorldName> = None;
        loop {
            let page = from.worlds(&[].into(), after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(begun);
            };
            after = Some(last.name.clone());
            for entry in page {
                let there = ledger.entry(entry.world).await;
                let there = there.map_err(|error| failed(&error))?;
                if there.is_some_and(|there| there.head < entry.head) {
                    let base = fold_world(from, &entry.name, None).await?;
                    let base = base.base().map(Path::new);
                    begun.needs.extend(base.map(offer_of));
                    begun.worlds.push((entry.world, entry.name));
                }
            }
        }
    }
}

fn failed(error: &(dyn std::error::Error + 'static)) -> CliError {
    CliError::other(STORE, with_causes(error))
}

/// The worlds of a node that copies: the ledger may say that it has them, and nobody opens them.
#[derive(Debug)]
struct OnTheWay;

#[async_trait]
impl Worlds for OnTheWay {
    async fn open(&self, _: WorldId) -> Result<(), OpenError> {
        // One that returned would be given back.
        std::future::pending().await
    }

    async fn close(&self, _: WorldId) {}
}
