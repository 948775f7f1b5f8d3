//! Panics: on an executor they end a task, and nobody hears of it. Here somebody does.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use crate::law::{Law, Violation};

thread_local! {
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    static SEEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does something on this thread, and keeps what panics meanwhile in place of printing it. Other
/// threads panic as before.
///
/// # Errors
/// What was done failed, or a panic ended it.
pub(crate) fn watched<T>(act: impl FnOnce() -> Result<T, Violation>) -> Result<T, Violation> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if IS_WATCHED.get() {
                note(info)
            } else {
                before(info)
            }
        }));
    });
    IS_WATCHED.set(true);
    // What it leaves behind half done is dropped with the story.
    let done = std::panic::catch_unwind(AssertUnwindSafe(act));
    IS_WATCHED.set(false);
    let seen = seen();
    done.unwrap_or_else(|_| {
        Err(seen
            .err()
            .unwrap_or_else(|| Violation::of(Law::NoPanic, "a panic without a message")))
    })
}

fn note(info: &PanicHookInfo<'_>) {
    let what = info.to_string();
    SEEN.with_borrow_mut(|seen| {
        seen.get_or_insert(what);
    });
}

/// Tells what panicked.
///
/// # Errors
/// The first panic since this was last asked.
pub(crate) fn seen() -> Result<(), Violation> {
    match SEEN.with_borrow_mut(Option::take) {
        Some(what) => Err(Violation::of(Law::NoPanic, what)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unwinds_is_a_violation_with_its_message() {
        let broken = watched(|| if true { panic!("no way") } else { Ok(()) }).unwrap_err();
        assert_eq!(broken.law, Law::NoPanic);
        assert!(broken.what.contains("no way"), "{broken:?}");
        // What was caught where it happened is asked for as before.
        let kept = watched(|| {
            drop(std::panic::catch_unwind(|| panic!("on a task")));
            seen()
        });
        assert!(kept.unwrap_err().what.contains("on a task"));
        assert_eq!(watched(|| Ok(1)), Ok(1));
    }
}
