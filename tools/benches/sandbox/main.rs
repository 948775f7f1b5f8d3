//! A program that does nothing, in a sandbox and without one.
//!
//! `cargo bench -p folkmoot-tools --bench sandbox`
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use criterion::{Criterion, criterion_group, criterion_main};
use folkmoot_core::port::{HostCommand, Network, Sandbox, ToolHost};
use folkmoot_tools::ProcessHost;
use std::time::Duration;

const HELPER: &str = env!("CARGO_BIN_EXE_folkmoot-tool-helper");

fn sandbox() -> Sandbox {
    Sandbox {
        network: Network::None,
        read: Vec::new(),
        write: vec![".".into()],
        memory_bytes: 512 << 20,
        cpu_s: 30,
        processes: 64,
        file_bytes: 256 << 20,
        is_required: None,
    }
}

fn programs(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let host = ProcessHost::new(HELPER, folder.path().join("locks"));
    for (name, sandbox) in [("bare", None), ("in a sandbox", Some(sandbox()))] {
        let command = HostCommand {
            argv: vec!["true".into()],
            cwd: folder.path().to_owned(),
            folder: None,
            pins: Vec::new(),
            timeout: Duration::from_secs(10),
            variables: vec!["PATH".into()],
            input: None,
            output_max: 1000,
            sandbox,
            lock: "call".into(),
        };
        criterion.bench_function(&format!("true, {name}"), |bencher| {
            bencher.iter(|| runtime.block_on(host.run(command.clone())).unwrap());
        });
    }
}

criterion_group!(benches, programs);
criterion_main!(benches);
