//! The end of a server: no new requests, and streams that say good-bye.

use std::sync::Arc;

use tokio::sync::watch;

/// The beginning of a server's end. Its clones are one.
#[derive(Debug, Clone)]
pub struct Drain(Arc<watch::Sender<bool>>);

impl Drain {
    /// A server that goes on.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::channel(false).0))
    }

    /// Begins the end: streams say `bye`, and new requests are refused.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Tells whether it has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it begins.
    pub async fn begun(&self) {
        let mut watch = self.0.subscribe();
        if watch.wait_for(|begun| *begun).await.is_err() {
            // The sender lives as long as this does.
            std::future::pending::<()>().await;
        }
    }
}

impl Default for Drain {
    fn default() -> Self {
        Self::new()
    }
}
