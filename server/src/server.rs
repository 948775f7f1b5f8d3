//! A server: its resources, and its beginning.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use folkmoot::core::port::ReadError;
#[cfg(feature = "mcp")]
use tokio::io::{AsyncRead, AsyncWrite};

#[cfg(feature = "otel")]
use crate::otlp::{Collector, Follower};
use crate::peers::Peers;
#[cfg(feature = "mcp")]
use crate::protocols::mcp::{AttendError, LocalHost, attend};
#[cfg(feature = "otel")]
use crate::rooms::Drain;
use crate::rooms::{Lobby, Reopened, Rooms};
use crate::router::{open_metrics, resources};

/// The time that a file is kept for a message to name it.
const HOUR: Duration = Duration::from_secs(3_600);

/// A server over the rooms of a store. Its clones are one.
#[derive(Debug, Clone)]
pub struct Server(Arc<Lobby>);

impl Server {
    /// A server that is not ready until [`Server::reopen`] is done.
    #[must_use]
    pub fn new(rooms: Rooms) -> Self {
        Self(Arc::new(Lobby::new(rooms)))
    }

    /// The router of all resources. It answers at once; `/readyz` says when the server is ready.
    pub fn router(&self) -> Router {
        resources(&self.0)
    }

    /// The same, for one of several servers of a store: at the address that its node advertises, the others ask it for the
    /// drafts of worlds that it holds.
    pub fn router_among(&self, peers: &Peers) -> Router {
        let rooms = &self.0.rooms;
        let drafts = peers.routes(rooms.runtime.clone(), rooms.drain.clone());
        self.router().merge(drafts)
    }

    /// The router of `/metrics` alone, for an address of its own. It asks nobody who they are.
    pub fn metrics(&self) -> Router {
        open_metrics(&self.0)
    }

    /// Removes files that no message took up within an hour, every hour, until the server ends.
    pub async fn tend(&self) {
        let drain = &self.0.rooms.drain;
        let mut hours = tokio::time::interval(HOUR);
        loop {
            tokio::select! {
                () = drain.begun() => return,
                _ = hours.tick() => self.sweep().await,
            }
        }
    }

    /// Sends the spans of all that ends from now on to `collector`, until `end` begins. Spans that
    /// were open when the server began are sent when they end; those that ended before are not.
    ///
    /// # Errors
    /// [`ReadError`] if the worlds cannot be listed.
    #[cfg(feature = "otel")]
    pub async fn trace(&self, collector: Collector, end: &Drain) -> Result<(), ReadError> {
        let rooms = &self.0.rooms;
        let metrics = self.0.metrics.clone();
        let follower = Follower::begin(rooms.store.clone(), collector, metrics).await?;
        follower.run(end).await;
        Ok(())
    }

    async fn sweep(&self) {
        match self.0.sweep(HOUR).await {
            Ok(0) => {}
            Ok(files) => tracing::info!(files, "files that no message names are removed"),
            Err(problem) => tracing::error!(why = problem.detail(), "files were not removed"),
        }
    }

    /// Serves the one host of the Model Context Protocol at these streams until it closes them, or
    /// the server ends. The host is a service, and no tool that it is offered decides.
    ///
    /// # Errors
    /// [`AttendError`].
    #[cfg(feature = "mcp")]
    pub async fn attend(
        &self,
        host: LocalHost,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), AttendError> {
        attend(&self.0, host, input, output).await
    }

    /// Opens the worlds that have work left, a few at a time. One that does not open is logged.
    ///
    /// # Errors
    /// [`ReadError`] if the worlds cannot be listed.
    pub async fn reopen(&self) -> Result<Reopened, ReadError> {
        self.0.reopen().await
    }
}
