//! The memory of worlds that are open and do nothing.

use std::path::Path;
use std::sync::Arc;

use folkmoot::core::ids::WorldName;
use folkmoot::store::OpenMode;
use folkmoot::{Opening, Runtime, Store};
use futures::{StreamExt as _, TryStreamExt as _};

use crate::Fallible;
use crate::args::Args;
use crate::room::{self, Meter};
use crate::stats::{grouped, resident_bytes};
use crate::table::Table;

/// Opens idle worlds and weighs the process.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub(crate) async fn measure(args: &Args, dir: &Path, table: &mut Table) -> Fallible<()> {
    let store = Store::open(dir.join("idle"), OpenMode::Create)?;
    let runtime = Runtime::builder(&store)
        .assembler(room::parts(&Arc::new(Meter::default()))?)
        .build();
    let before = resident_bytes()?;
    futures::stream::iter(0..args.worlds)
        .map(|number| open(&runtime, number))
        .buffer_unordered(64)
        .try_collect::<()>()
        .await?;
    let each = resident_bytes()?.saturating_sub(before) as f64 / args.worlds.max(1) as f64;
    let what = format!(
        "resident memory of {} idle open worlds, each",
        grouped(args.worlds as f64)
    );
    table.row(&what, &format!("{:.1} KiB", each / 1024.0), "", "");
    runtime.shutdown().await;
    Ok(store.close()?)
}

async fn open(runtime: &Runtime, number: usize) -> Fallible<()> {
    let name = WorldName::new(format!("idle-{number}"))?;
    runtime
        .open(Opening::with(name, room::definition()?))
        .await?
        .quiet()
        .await?;
    Ok(())
}
