//! Trying orders.

use std::sync::Arc;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::Position;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, Runner};

use crate::local::tests::{creation, post};

/// How many orders of each test are tried by default.
const SCHEDULES: usize = 300;

/// How many changes of who runs a quarter of the orders have at most.
const CHANGES: usize = 4;

/// What code of a store needs that was not made small.
const STACK_BYTES: usize = 1024 * 1024;

/// Tries `test` in so many orders as `FOLKMOOT_SCHEDULES` says, or a number of them.
pub(super) fn each_order(name: &str, test: impl Fn() + Send + Sync + 'static) {
    let count = number("FOLKMOOT_SCHEDULES", SCHEDULES as u64);
    let seed = number("FOLKMOOT_SCHEDULE_SEED", 20_261_122);
    let test = Arc::new(test);
    println!("{name}: {count} orders from seed {seed}");
    let few = usize::try_from(count / 4).unwrap().max(1);
    run(
        PctScheduler::new_from_seed(seed, CHANGES, few),
        Arc::clone(&test),
    );
    run(
        RandomScheduler::new_from_seed(
            seed,
            usize::try_from(count).unwrap().saturating_sub(few).max(1),
        ),
        test,
    );
}

fn run(scheduler: impl Scheduler + 'static, test: Arc<impl Fn() + Send + Sync + 'static>) {
    let mut config = Config::new();
    config.stack_size = STACK_BYTES;
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(move || test());
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap())
}

/// The commits of a world, the first one first.
pub(super) fn commits(number: u8, count: u64) -> Vec<Commit> {
    let mut commits = vec![creation(number)];
    commits.extend(
        (3..)
            .take(count as usize - 1)
            .map(|first| post(number, first)),
    );
    commits
}

pub(super) const START: Position = Position::new(1);
