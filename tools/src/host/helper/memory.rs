//! Memory that no limit of a process counts: the kernel forgets private pages that become read-only.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// More than the limits of data and of the stack allow together.
const TIMES: u64 = 2;

/// The longest look: a flood of processes must not keep the helper from ending it.
const LOOK_MAX: Duration = Duration::from_millis(20);

/// Tells whether a process that descends from this one has far more memory of its own than `bytes`.
pub(super) fn is_beyond(bytes: u64) -> bool {
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX);
    let most = bytes.saturating_mul(TIMES) / page;
    let mut left = children(Path::new("/proc/self"));
    let begun = Instant::now();
    while let Some(process) = left.pop().filter(|_| begun.elapsed() < LOOK_MAX) {
        let folder = Path::new("/proc").join(process);
        // One that has ended meanwhile has none.
        if own_pages(&folder).is_some_and(|pages| pages > most) {
            return true;
        }
        left.extend(children(&folder));
    }
    false
}

/// The pages in memory that are neither of a file nor shared.
fn own_pages(process: &Path) -> Option<u64> {
    let text = fs::read_to_string(process.join("statm")).ok()?;
    let mut fields = text.split_ascii_whitespace().skip(1);
    let resident: u64 = fields.next()?.parse().ok()?;
    let shared: u64 = fields.next()?.parse().ok()?;
    Some(resident.saturating_sub(shared))
}

fn children(process: &Path) -> Vec<String> {
    let threads = fs::read_dir(process.join("task")).into_iter().flatten();
    let lists = threads.filter_map(|thread| {
        let list: PathBuf = thread.ok()?.path().join("children");
        fs::read_to_string(list).ok()
    });
    lists
        .flat_map(|list| {
            list.split_ascii_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}
