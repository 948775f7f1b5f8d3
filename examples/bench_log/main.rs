//! What the log costs: one table, measured in one run on one machine, beside the least that the machine could do.
//!
//! ```text
//! cargo run --release -p folkmoot-examples --example bench_log
//! ```
//!
//! `--events N` sets the length of the long world, `--seconds N` how long each rate is measured, `--worlds N` how many
//! idle worlds are opened, `--only PART` measures `idle`, `appends`, `calls`, `breakdown`, `long` or `travel` alone, `--dir PATH` says where the
//! files go (a folder of the disk to measure), and `--quick` makes all of it small, to see that it runs.

use std::error::Error;

use args::Args;
use table::Table;

mod appends;
mod args;
mod bare;
mod breakdown;
mod conversation;
mod first_byte;
mod idle;
mod latency;
mod long;
mod replay;
mod room;
mod stats;
mod table;
mod timed;
mod toolcalls;
mod travel;

/// What any part of the benchmark gives.
type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many worlds write at once where there are many.
const MANY: u64 = 64;

/// The allocator of the `folkmoot` command: events are allocated on one thread and freed on another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Fallible<()> {
    let args = Args::read(std::env::args().skip(1))?;
    let dir = args.temporary()?;
    let mut table = Table::begin();
    // The order matters once: memory is measured while the process is still small.
    if args.wants("idle") {
        idle::measure(&args, dir.path(), &mut table).await?;
    }
    if args.wants("appends") {
        appends::measure(&args, dir.path(), &mut table).await?;
    }
    if args.wants("calls") {
        toolcalls::measure(&args, dir.path(), &mut table).await?;
    }
    if args.wants("breakdown") {
        breakdown::measure(&args, dir.path(), &table).await?;
        first_byte::measure(&args, dir.path(), &mut table).await?;
    }
    if args.wants("long") {
        long::measure(&args, dir.path(), &mut table).await?;
    }
    if args.wants("travel") {
        travel::measure(&args, dir.path(), &mut table).await?;
    }
    Ok(())
}
