//! Connections: to the host that a URL names, with TLS unless it is this machine, and with a bound on what is read.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::unusable;
use crate::sql::rows::QueryError;

/// The bytes that a connection may read beside those of a result: greetings, descriptions, and what a batch holds more.
const ROOM_BYTES: usize = 4 << 20;
/// The bytes that the server may send for each byte of a result: names and lengths stand before the values.
const SENT_PER_BYTE: usize = 2;

/// A connection for one query. Dropped, it is closed.
pub(super) struct Session {
    client: Client,
    /// Moves bytes between the client and the server.
    pump: JoinHandle<()>,
    is_exhausted: Arc<AtomicBool>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    /// Connects to the server at `url`, to read a result of `bytes`.
    pub(super) async fn open(url: &str, bytes: usize) -> Result<Self, QueryError> {
        // The parser's own words may have a part of the URL in them.
        let config: Config = url.parse().map_err(|_| {
            refused("it is no URL of a PostgreSQL database, e.g. `postgres://reader@host/shop`")
        })?;
        let [host] = config.get_hosts() else {
            return Err(refused("it must name exactly one host"));
        };
        let is_exhausted = Arc::new(AtomicBool::new(false));
        let stream = Metered {
            stream: dial(&config, host).await?,
            left: bytes
                .saturating_mul(SENT_PER_BYTE)
                .saturating_add(ROOM_BYTES),
            is_exhausted: Arc::clone(&is_exhausted),
        };
        let (client, pump) = match secured(&config, host) {
            None => plain(config, stream).await?,
            Some(name) => encrypted(config, &name, stream).await?,
        };
        Ok(Self {
            client,
            pump,
            is_exhausted,
        })
    }

    pub(super) const fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Tells whether the server sent more than it may.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Acquire)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

fn refused(why: &str) -> QueryError {
    QueryError::Unusable {
        why: format!("its URL cannot be used: {why}"),
    }
}

/// The name to check the server's certificate against; `None`: without TLS, to this machine or because the URL says
/// `sslmode=disable`.
fn secured(config: &Config, host: &Host) -> Option<String> {
    let name = match host {
        Host::Tcp(name) => name,
        Host::Unix(_) => return None,
    };
    let is_here = name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    let is_off = config.get_ssl_mode() == SslMode::Disable;
    let is_asked = config.get_ssl_mode() == SslMode::Require;
    (!is_off && (is_asked || !is_here)).then(|| name.clone())
}

type Opened = (Client, JoinHandle<()>);

async fn plain(mut config: Config, stream: Metered) -> Result<Opened, QueryError> {
    config.ssl_mode(SslMode::Disable);
    let opened = config.connect_raw(stream, NoTls).await;
    let (client, connection) = opened.map_err(unusable)?;
    // Its end is told to whoever waits for the client.
    let pump = tokio::spawn(async move { drop(connection.await) });
    Ok((client, pump))
}

async fn encrypted(mut config: Config, name: &str, stream: Metered) -> Result<Opened, QueryError> {
    config.ssl_mode(SslMode::Require);
    let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|error| refused(&error.to_string()))?
        .with_no_client_auth();
    let mut maker = MakeRustlsConnect::new(tls);
    let connect = MakeTlsConnect::<Metered>::make_tls_connect(&mut maker, name)
        .map_err(|error| refused(&error.to_string()))?;
    let opened = config.connect_raw(stream, connect).await;
    let (client, connection) = opened.map_err(unusable)?;
    let pump = tokio::spawn(async move { drop(connection.await) });
    Ok((client, pump))
}

async fn dial(config: &Config, host: &Host) -> Result<Box<dyn Duplex>, QueryError> {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let stream = match host {
        Host::Tcp(name) => TcpStream::connect((name.as_str(), port))
            .await
            .map(|stream| Box::new(stream) as Box<dyn Duplex>),
        Host::Unix(folder) => UnixStream::connect(folder.join(format!(".s.PGSQL.{port}")))
            .await
            .map(|stream| Box::new(stream) as Box<dyn Duplex>),
    };
    stream.map_err(|error| QueryError::Unusable {
        why: format!("cannot connect to it: {error}"),
    })
}

/// Bytes in both directions.
trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// A stream of which no more than so many bytes are read. The client would take a message of any size into memory.
struct Metered {
    stream: Box<dyn Duplex>,
    left: usize,
    is_exhausted: Arc<AtomicBool>,
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let read = buffer.filled().len().saturating_sub(before);
        match self.left.checked_sub(read) {
            Some(left) => self.left = left,
            None => {
                self.is_exhausted.store(true, Ordering::Release);
                return Poll::Ready(Err(io::Error::other("too many bytes")));
            }
        }
        polled
    }
}

impl AsyncWrite for Metered {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
