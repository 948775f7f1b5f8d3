//! Signals. Ctrl-C or SIGTERM: the first stops what goes on, the second ends the process.

use tokio::signal::unix::{Signal, SignalKind, signal};

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

/// Waits for the first Ctrl-C or SIGTERM. From then on the next one of either ends the process at
/// once.
pub(crate) async fn first_of_a_service() {
    let mut terminate = match signal(SignalKind::terminate()) {
        Ok(terminate) => terminate,
        Err(error) => {
            tracing::warn!(%error, "SIGTERM will end the server without a word");
            return first().await;
        }
    };
    tokio::select! {
        () = first() => {}
        () = received(&mut terminate) => {}
    }
    tokio::spawn(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            () = received(&mut terminate) => {}
        }
        std::process::exit(i32::from(INTERRUPTED));
    });
}

async fn received(signal: &mut Signal) {
    if signal.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Lets a write beyond the limit of file sizes fail like one on a full disk; the signal would end
/// the process without a word. Programs that are started do not inherit this.
pub(crate) fn survive_file_limit() {
    // The handler stays when the stream of signals is gone.
    if let Err(error) = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())) {
        tracing::debug!(%error, "a file that may not grow will end the process");
    }
}
