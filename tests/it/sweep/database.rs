//! The ten patterns, cut while their store is a database: the node that ran one ends, and another one goes on.
//!
//! Where PostgreSQL is missing, the test says that it is skipped, and passes.

use folkmoot_tests::{Kept, Side, Stage};

use super::{run_cut, run_whole, step};
use crate::postgres::Server;
use crate::scripts;

const PATTERNS: [&str; 10] = [
    "pipeline",
    "intent-router",
    "state-machine",
    "debate",
    "fan-out",
    "fan-in",
    "orchestrator-worker",
    "tool-proxy",
    "approval-gate",
    "retry-fix-loop",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn patterns_in_a_database_survive_every_cut() {
    let Some(server) = Server::start("patterns in a database") else {
        return;
    };
    for script in PATTERNS {
        let file = scripts::named(script);
        let (uncut, appends) = run_whole(&file, None).await;
        let (step, mut cuts) = (step(), 0);
        let first = (script.len() % step) as u64;
        for last in (first..=appends).step_by(step) {
            for side in [Side::Before, Side::After] {
                let url = server.url().parse().unwrap();
                let stage = Stage::in_database(&file, &url).await;
                assert_eq!(stage.kept(), Kept::InDatabase);
                cuts += run_cut(stage, last, side, &uncut).await;
            }
        }
        println!("{script}: {appends} commits, {cuts} cuts in a database");
        assert!(cuts * step as u64 >= appends, "{script}: too few cuts");
    }
}
