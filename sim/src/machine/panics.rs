//! Panics: on an executor they end a task, and nobody hears of it. Here somebody does.

use std::cell::{Cell, RefCell};
use std::panic::PanicHookInfo;
use std::sync::Once;

use crate::law::{Law, Violation};

thread_local! {
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    static SEEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps what panics on this thread from now on, in place of printing it. Other threads panic as before.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| if IS_WATCHED.get() { note(info) } else { before(info) }));
    });
    IS_WATCHED.set(true);
}

fn note(info: &PanicHookInfo<'_>) {
    let what = info.to_string();
    SEEN.with_borrow_mut(|seen| {
        seen.get_or_insert(what);
    });
}

/// Stops watching, and tells what panicked.
///
/// # Errors
/// The first panic since [`watch`].
pub(crate) fn seen() -> Result<(), Violation> {
    match SEEN.with_borrow_mut(Option::take) {
        Some(what) => Err(Violation::of(Law::NoPanic, what)),
        None => Ok(()),
    }
}

/// Lets this thread panic as before.
pub(crate) fn look_away() {
    IS_WATCHED.set(false);
}
