//! Signals. Ctrl-C: the first stops what goes on, the second ends the process.

use crate::exit::INTERRUPTED;

/// Waits for the first Ctrl-C. From then on the next one ends the process at once.
pub(crate) async fn first() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Signals cannot be caught here; then they end the process as they always do.
        std::future::pending::<()>().await;
    }
    tokio::spawn(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
}

/// Lets a write beyond the limit of file sizes fail like one on a full disk; the signal would end
/// the process without a word. Programs that are started do not inherit this.
pub(crate) fn survive_file_limit() {
    use tokio::signal::unix::{SignalKind, signal};
    // The handler stays when the stream of signals is gone.
    if let Err(error) = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())) {
        tracing::debug!(%error, "a file that may not grow will end the process");
    }
}
