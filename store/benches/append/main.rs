//! Durable appends, of one world and of 64, on each engine, beside a bare file with `fdatasync` and group commit.

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use folkmoot_core::ids::Incarnation;
use folkmoot_core::port::EventLog as _;
use folkmoot_store::{EngineKind, OpenMode, Store};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use bare_file::BareFile;
use commits::{creation, post};

mod bare_file;
mod commits;

/// Appends `count` commits, spread over `worlds` fresh worlds; gives the time without their creation.
async fn append_store(store: &Store, worlds: u64, count: u64, names: &mut u64) -> Option<Duration> {
    let mut ids = Vec::new();
    for _ in 0..worlds {
        *names += 1;
        let commit = creation(*names)?;
        ids.push(commit.header.world);
        store.append(Incarnation(1), vec![commit]).await.ok()?;
    }
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for id in ids {
        let store = store.clone();
        tasks.spawn(async move {
            for first in 3..3 + count / worlds {
                store
                    .append(Incarnation(1), vec![post(id, first)?])
                    .await
                    .ok()?;
            }
            Some(())
        });
    }
    tasks.join_all().await.into_iter().collect::<Option<()>>()?;
    Some(started.elapsed())
}

async fn append_file(file: &BareFile, writers: u64, count: u64) -> Duration {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..writers {
        let file = file.clone();
        tasks.spawn(async move {
            for _ in 0..count / writers {
                file.append(vec![b'x'; 486]).await;
            }
        });
    }
    tasks.join_all().await;
    started.elapsed()
}

fn benches(criterion: &mut Criterion) {
    let (Ok(runtime), Ok(dir)) = (Runtime::new(), tempfile::tempdir_in(".")) else {
        return;
    };
    let open = |kind: EngineKind| {
        Store::open_with(dir.path().join(kind.to_string()), OpenMode::Create, kind)
    };
    let (Ok(sled), Ok(files)) = (open(EngineKind::Sled), open(EngineKind::Files)) else {
        return;
    };
    let Ok(file) = BareFile::create(&dir.path().join("bare")) else {
        return;
    };
    let mut names = 0;
    for worlds in [1, 64] {
        let mut group = criterion.benchmark_group(format!("{worlds} writers"));
        group
            .throughput(Throughput::Elements(worlds))
            .sample_size(10);
        group.bench_function("bare file", |bencher| {
            bencher.iter_custom(|rounds| {
                runtime.block_on(append_file(&file, worlds, rounds * worlds))
            });
        });
        for (name, store) in [("store", &sled), ("store on plain files", &files)] {
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|rounds| {
                    runtime
                        .block_on(append_store(store, worlds, rounds * worlds, &mut names))
                        .unwrap_or_default()
                });
            });
        }
        group.finish();
    }
}

criterion_group!(append, benches);
criterion_main!(append);
