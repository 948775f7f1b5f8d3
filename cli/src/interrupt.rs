//! Signals. Ctrl-C or SIGTERM: the first stops what goes on, the second ends the process.

use std::sync::{Arc, OnceLock};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::{CliError, INTERRUPTED};

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

/// The signal that ends a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// SIGTERM: it was asked to end.
    Asked,
    /// Ctrl-C: somebody interrupted it.
    Interrupted,
}

/// The signal that has ended a service; nothing while none has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ended(Arc<OnceLock<Ending>>);

impl Ended {
    /// Waits for the first signal, and then calls `end`.
    pub(crate) fn then(&self, end: impl FnOnce() + Send + 'static) {
        let ended = self.clone();
        tokio::spawn(async move {
            let ending = first_of_a_service().await;
            ended.0.get_or_init(|| ending);
            end();
        });
    }

    /// The error of a service that was interrupted, so that it ends with the exit code for that.
    pub(crate) fn result(&self) -> Result<(), CliError> {
        match self.0.get() {
            Some(Ending::Interrupted) => Err(CliError::Said(INTERRUPTED)),
            Some(Ending::Asked) | None => Ok(()),
        }
    }
}

/// Waits for the first Ctrl-C or SIGTERM. From then on the next one of either ends the process at
/// once.
async fn first_of_a_service() -> Ending {
    let mut terminate = match signal(SignalKind::terminate()) {
        Ok(terminate) => terminate,
        Err(error) => {
            tracing::warn!(%error, "SIGTERM will end the server without a word");
            first().await;
            return Ending::Interrupted;
        }
    };
    let ending = tokio::select! {
        () = first() => Ending::Interrupted,
        () = received(&mut terminate) => Ending::Asked,
    };
    tokio::spawn(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            () = received(&mut terminate) => {}
        }
        std::process::exit(i32::from(INTERRUPTED));
    });
    ending
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
