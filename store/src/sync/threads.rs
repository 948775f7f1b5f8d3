//! The threads that work which blocks is done on.

use super::random;

/// The runtime that gives this thread others for what blocks. A simulation has none.
pub(crate) fn threads() -> Option<tokio::runtime::Handle> {
    if random::is_driven() {
        None
    } else {
        tokio::runtime::Handle::try_current().ok()
    }
}

/// Runs `call` on a thread that may block, if there is a runtime that gives it one.
pub(crate) async fn blocking<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> T {
    let Some(runtime) = threads() else {
        return call();
    };
    match runtime.spawn_blocking(call).await {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
