//! Cases that are played two at a time.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many cases are played at a time: a process mostly waits.
const WORKERS: usize = 2;

/// What came of cases: how often each end, and what went wrong.
pub(crate) struct Ends {
    pub(crate) ends: BTreeMap<String, usize>,
    failures: Vec<String>,
}

impl Ends {
    /// Fails if a case did.
    pub(crate) fn check(&self) {
        let Self { ends, failures } = self;
        let cases = ends.values().sum::<usize>() + failures.len();
        assert!(
            failures.is_empty(),
            "{} of {cases} cases:\n{}",
            failures.len(),
            failures.join("\n")
        );
    }
}

/// Plays all cases; `name` says how one is run alone.
pub(crate) fn play_all<T: Sync>(
    cases: &[T],
    name: impl Fn(&T) -> String + Sync,
    play: impl Fn(&T) -> Result<String, String> + Sync,
) -> Ends {
    let (next, all) = (
        AtomicUsize::new(0),
        Mutex::new(Ends {
            ends: BTreeMap::new(),
            failures: Vec::new(),
        }),
    );
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let played = catch_unwind(AssertUnwindSafe(|| play(case)));
            let mut all = all.lock().unwrap();
            match played.unwrap_or_else(|panic| Err(said(panic.as_ref()))) {
                Ok(end) => *all.ends.entry(end).or_default() += 1,
                Err(why) => all.failures.push(format!("{}: {why}", name(case))),
            }
        }
    };
    std::thread::scope(|scope| (0..WORKERS).for_each(|_| drop(scope.spawn(work))));
    all.into_inner().unwrap()
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic")
        .to_owned()
}
