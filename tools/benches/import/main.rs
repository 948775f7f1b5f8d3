//! The speed of an import beside that of `sqlite3 .import` of the same file into the same kind of database.
//!
//! `cargo bench -p folkmoot-tools --features data --bench import`. `FOLKMOOT_IMPORT_MB` says how large the file is (100).

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use folkmoot_tools::data::{Import, Source};
use rusqlite::Connection;

/// A file as a source.
struct Opened(File);

impl Source for Opened {
    fn bytes(&self) -> u64 {
        self.0.metadata().map_or(0, |metadata| metadata.len())
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(into, at)
    }
}

/// Rows like those of a shop: numbers, names, words, money and days.
fn rows(megabytes: usize) -> String {
    const WORDS: [&str; 8] = [
        "north",
        "Zoë",
        "\"south, west\"",
        "blue",
        "a longer remark about the order",
        "",
        "x",
        "return",
    ];
    let mut text = String::from("id,customer,region,remark,price,quantity,day,paid\n");
    let mut random = 1_u64;
    let mut id = 0_u64;
    while text.len() < megabytes << 20 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let pick = |shift: u64, count: u64| (random >> shift) % count;
        let word = |shift| {
            WORDS
                .get(usize::try_from(pick(shift, 8)).unwrap_or_default())
                .copied()
                .unwrap_or_default()
        };
        id += 1;
        let written = writeln!(
            text,
            "{id},Customer {},{},{},{}.{:02},{},2024-{:02}-{:02},{}",
            pick(10, 50_000),
            word(20),
            word(30),
            pick(12, 9_000),
            pick(22, 100),
            pick(32, 50),
            pick(13, 12) + 1,
            pick(23, 28) + 1,
            if pick(33, 2) == 0 { "yes" } else { "no" },
        );
        assert!(written.is_ok());
    }
    text
}

fn ours(csv: &Path, database: &Path) -> Result<u64, Box<dyn std::error::Error>> {
    let mut connection = Connection::open(database)?;
    let source = Arc::new(Opened(File::open(csv)?));
    Ok(Import::new("shop.csv", source)
        .run(&mut connection, "shop")?
        .rows)
}

/// `None`: there is no `sqlite3` here.
fn theirs(csv: &Path, database: &Path) -> Option<bool> {
    let command = format!(".import --csv {} shop", csv.display());
    let status = Command::new("sqlite3").arg(database).arg(command).status();
    Some(status.ok()?.success())
}

/// Runs three times, and returns the best speed in MB/s.
fn speed(bytes: u64, mut run: impl FnMut(u32) -> Option<bool>) -> Option<f64> {
    let mut best: f64 = 0.0;
    for round in 0..3 {
        let start = Instant::now();
        let ended_well = run(round)?;
        assert!(ended_well, "the import failed");
        #[expect(
            clippy::cast_precision_loss,
            reason = "a file has fewer bytes than a double has whole numbers"
        )]
        let megabytes = bytes as f64 / 1e6;
        best = best.max(megabytes / start.elapsed().as_secs_f64());
    }
    Some(best)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let megabytes = std::env::var("FOLKMOOT_IMPORT_MB").map_or(Ok(100), |words| words.parse())?;
    let folder = tempfile::tempdir()?;
    let csv = folder.path().join("shop.csv");
    fs::write(&csv, rows(megabytes))?;
    let bytes = fs::metadata(&csv)?.len();
    let ours = speed(bytes, |round| {
        let rows = ours(&csv, &folder.path().join(format!("ours{round}.db")));
        rows.inspect_err(|error| eprintln!("{error}"))
            .ok()
            .map(|rows| rows > 0)
    });
    let theirs = speed(bytes, |round| {
        theirs(&csv, &folder.path().join(format!("theirs{round}.db")))
    });
    let ours = ours.ok_or("our import failed")?;
    println!("folkmoot       {ours:7.1} MB/s (typed, described)");
    match theirs {
        Some(theirs) => println!(
            "sqlite3 .import {theirs:6.1} MB/s (text alone)\nratio          {:7.2}",
            ours / theirs
        ),
        None => println!("sqlite3: skipped, there is none on this machine"),
    }
    Ok(())
}
