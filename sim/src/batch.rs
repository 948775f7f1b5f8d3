//! Many stories, on all cores: each thread lives its own.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

use crate::outcome::Lived;
use crate::simulate::simulate;
use crate::story::Story;
use crate::story::StoryError;

/// Lives the stories that `tell` makes of `seeds`, and tells `hear` of each what came of it, as
/// they end. Once it says `false`, no more are begun.
pub fn live_all(
    seeds: Range<u64>,
    tell: &(dyn Fn(u64) -> Story + Sync),
    hear: &mut dyn FnMut(u64, Result<Lived, StoryError>) -> bool,
) {
    let next = AtomicU64::new(seeds.start);
    let goes_on = AtomicBool::new(true);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let (told, heard) = mpsc::sync_channel(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let told = told.clone();
            let next = &next;
            let goes_on = &goes_on;
            let end = seeds.end;
            scope.spawn(move || {
                while goes_on.load(Ordering::SeqCst) {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= end
                        || told
                            .send((seed, unheard(|| simulate(&tell(seed)))))
                            .is_err()
                    {
                        return;
                    }
                }
            });
        }
        drop(told);
        for (seed, lived) in heard {
            if !hear(seed, lived) {
                goes_on.store(false, Ordering::SeqCst);
            }
        }
    });
}

/// Does something whose log lines nobody reads: where all goes wrong on purpose, they say so.
pub(crate) fn unheard<T>(what: impl FnOnce() -> T) -> T {
    tracing::subscriber::with_default(tracing::subscriber::NoSubscriber::default(), what)
}
