//! Listening: the router behind a socket, until the server ends.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::ConnectInfo;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::limits::ServerLimits;
use crate::rooms::Drain;

mod connection;
mod places;

use connection::Counted;
use places::Places;

/// The pause after the system could give no connection, e.g. for want of file descriptors.
const PAUSE: Duration = Duration::from_secs(1);

/// The answer to a connection that has no place: there is nobody who would read its request.
const NO_PLACE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 10\r\n\
    content-length: 0\r\nconnection: close\r\n\r\n";

/// A socket that listens.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listening {
    /// Listens at `address`; port 0 takes a free one.
    ///
    /// # Errors
    /// The error of the system, e.g. that the address is in use.
    pub async fn at(address: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// The address, with the port that was taken.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The end of a server that has drained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Drained {
    /// The number of connections that did not end in time, and were cut.
    pub cut: usize,
}

impl std::fmt::Display for Drained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.cut {
            0 => write!(f, "all connections ended"),
            1 => write!(f, "1 connection did not end in time and was cut"),
            cut => write!(f, "{cut} connections did not end in time and were cut"),
        }
    }
}

/// Serves `router` at the socket until `drain` has begun. Then nobody new is let in, and requests
/// and streams have [`ServerLimits::drain_timeout`] to end.
pub async fn serve(
    listening: Listening,
    router: Router,
    drain: Drain,
    limits: &ServerLimits,
) -> Drained {
    let listener = listening.listener;
    let places = Places::new(limits);
    let serving = Arc::new(Serving {
        http: http(limits),
        router,
        drain: drain.clone(),
        cut: CancellationToken::new(),
    });
    loop {
        let accepted = tokio::select! {
            biased;
            () = drain.begun() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => serving.admit(stream, peer, &places),
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be taken now");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    let waited = timeout(limits.drain_timeout, places.all_left()).await;
    let cut = waited.map_or_else(|_| places.taken(), |()| 0);
    serving.cut.cancel();
    Drained { cut }
}

/// Tells whether a connection was gone before it was taken.
fn is_of_the_client(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// HTTP with the limits of what is read before a handler sees it.
fn http(limits: &ServerLimits) -> Builder {
    let mut http = Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_headers(limits.headers_max)
        .max_header_size(limits.head_bytes_max)
        // One byte beyond the head, so that a head that is too long is seen to be.
        .max_buf_size(limits.head_bytes_max.max(BUFFER_MIN) * 2);
    http
}

/// The smallest buffer that the parser takes.
const BUFFER_MIN: usize = 8 * 1024;

/// All that connections are served with.
#[derive(Debug)]
struct Serving {
    http: Builder,
    router: Router,
    drain: Drain,
    /// Ends the connections that are still there when the time to drain is over.
    cut: CancellationToken,
}

impl Serving {
    /// Serves the client in a task of its own, if there is a place.
    fn admit(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr, places: &Arc<Places>) {
        let Some(place) = places.take(peer.ip()) else {
            tracing::warn!(%peer, "a connection was turned away: there are too many");
            // The client may be gone, or not read it: there is no more to be done for it.
            let _unsent = stream.try_write(NO_PLACE);
            return;
        };
        let serving = Arc::clone(self);
        tokio::spawn(async move { serving.attend(Counted::new(stream, place), peer).await });
    }

    async fn attend(&self, io: Counted, peer: SocketAddr) {
        let router = self.router.clone().map_request(
            move |mut request: hyper::Request<hyper::body::Incoming>| {
                request.extensions_mut().insert(ConnectInfo(peer));
                request
            },
        );
        let connection = self
            .http
            .serve_connection(TokioIo::new(io), TowerToHyperService::new(router))
            .with_upgrades();
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.drain.begun() => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = connection => ended,
                    () = self.cut.cancelled() => return,
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%peer, %error, "a connection broke");
        }
    }
}
