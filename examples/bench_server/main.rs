//! What the server costs: one table, measured in one run on one machine, beside the least that the machine could do.
//!
//! ```text
//! cargo run --release -p folkmoot-examples --example bench_server
//! ```
//!
//! The server runs in a process of its own, beside routes of plain axum, and is asked over loopback. `--only PART` measures
//! `posts`, `missing`, `feeds`, `idle` or `flood` alone, `--dir PATH` says where the stores go (a folder of the disk to
//! measure), and `--quick` makes all of it small, to see that it runs. 11,000 open files must be allowed (`ulimit -n`).

use std::error::Error;

use args::Args;
use table::Table;

mod args;
mod feeds;
mod flood;
mod hall;
mod idle;
mod missing;
mod posts;
mod served;
mod server;
mod stats;
#[path = "../bench_log/table.rs"]
mod table;
mod wire;

/// What any part of the benchmark gives.
type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The allocator of the `folkmoot` command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Fallible<()> {
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if_eq(served::WORD).is_some() {
        return served::serve(words).await;
    }
    let args = Args::read(words)?;
    let mut table = Table::begin();
    if args.wants("posts") {
        posts::measure(&args, &mut table).await?;
    }
    if args.wants("missing") {
        missing::measure(&args, &mut table).await?;
    }
    if args.wants("feeds") {
        feeds::measure(&args, &mut table).await?;
    }
    if args.wants("idle") {
        idle::measure(&args, &mut table).await?;
    }
    if args.wants("flood") {
        flood::measure(&args, &mut table).await?;
    }
    Ok(())
}
