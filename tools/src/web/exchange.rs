//! One request and the head of its answer, over a connection of its own.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{DnsName, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use super::address::Reach;
use super::error::WebError;
use super::outside::Outside;
use super::place::{Origin, Place, Scheme, Server};
use super::rule::Verb;

/// The most addresses of a name: more are no service, but a way to make this program knock at many doors.
const ADDRESSES_MAX: usize = 64;
/// The time that an address has for a connection if there are others.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most bytes of an answer's head.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// The most headers of an answer.
const HEADERS_MAX: usize = 128;

/// A request that some rule allows.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) verb: Verb,
    pub(super) place: &'a Place,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// An answer whose body is still to be read.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) response: Response<Incoming>,
    /// Moves the bytes; the connection ends when this is dropped.
    _connection: JoinSet<()>,
}

/// Sends a request to one of the addresses that its server has now, if all of them lie within `reach`.
pub(super) async fn exchange(
    outside: &dyn Outside,
    reach: &Reach,
    asked: Asked<'_>,
) -> Result<Answer, WebError> {
    let origin = &asked.place.origin;
    let request = request(&asked)?;
    let addresses = addresses(outside, reach, origin).await?;
    let stream = connect(outside, origin, &addresses).await?;
    match (origin.scheme, &origin.server) {
        (Scheme::Http, _) => send(stream, request, &asked).await,
        (Scheme::Https, server) => {
            let tls = outside.tls().map_err(WebError::NoTls)?;
            let name = server_name(server).ok_or(WebError::BadRequest(
                "no certificate can have the name of this host",
            ))?;
            let stream = TlsConnector::from(tls).connect(name, stream).await;
            let stream = stream.map_err(|source| WebError::NotConnected {
                origin: origin.clone(),
                source,
            })?;
            send(stream, request, &asked).await
        }
    }
}

/// The addresses of the server, all of them checked. One that is not allowed spoils the others: it is the sign of a name that
/// means now this machine, now that.
async fn addresses(
    outside: &dyn Outside,
    reach: &Reach,
    origin: &Origin,
) -> Result<Vec<IpAddr>, WebError> {
    let found = match &origin.server {
        Server::Address(address) => vec![*address],
        Server::Name(name) => {
            let found = outside.resolve(name).await;
            found.map_err(|source| WebError::NotResolved {
                origin: origin.clone(),
                source,
            })?
        }
    };
    if found.len() > ADDRESSES_MAX {
        return Err(WebError::ManyAddresses {
            origin: origin.clone(),
            max: ADDRESSES_MAX,
        });
    }
    match found.iter().find(|address| !reach.holds(**address)) {
        Some(address) => Err(WebError::BadAddress {
            origin: origin.clone(),
            address: *address,
        }),
        None => Ok(found),
    }
}

/// A connection to the first of these addresses that takes one. An address that says nothing does not keep the next one waiting
/// for the whole time of the call.
async fn connect(
    outside: &dyn Outside,
    origin: &Origin,
    addresses: &[IpAddr],
) -> Result<TcpStream, WebError> {
    let mut last = WebError::NoAddress {
        origin: origin.clone(),
    };
    for (place, address) in addresses.iter().enumerate() {
        let connection = outside.connect(SocketAddr::new(*address, origin.port));
        let is_last = place + 1 == addresses.len();
        let connected = if is_last {
            connection.await
        } else {
            let connected = tokio::time::timeout(PATIENCE, connection).await;
            connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        };
        match connected {
            Ok(stream) => return Ok(stream),
            Err(source) => {
                last = WebError::NotConnected {
                    origin: origin.clone(),
                    source,
                }
            }
        }
    }
    Err(last)
}

fn server_name(server: &Server) -> Option<ServerName<'static>> {
    match server {
        Server::Name(name) => DnsName::try_from(name.clone())
            .ok()
            .map(ServerName::DnsName),
        Server::Address(address) => Some(ServerName::IpAddress((*address).into())),
    }
}

fn request(asked: &Asked<'_>) -> Result<Request<Full<Bytes>>, WebError> {
    let mut request = Request::builder()
        .method(asked.verb.method())
        .uri(asked.place.target())
        .body(Full::new(asked.body.clone()))
        .map_err(|_| WebError::BadRequest("the URL cannot be sent as it is"))?;
    *request.headers_mut() = asked.headers.clone();
    let host = HeaderValue::try_from(asked.place.origin.host_header());
    let host = host.map_err(|_| WebError::BadRequest("the host cannot be sent as it is"))?;
    let headers = request.headers_mut();
    headers.insert(header::HOST, host);
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(
        header::USER_AGENT,
        HeaderValue::from_static(concat!("folkmoot/", env!("CARGO_PKG_VERSION"))),
    );
    Ok(request)
}

async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
    asked: &Asked<'_>,
) -> Result<Answer, WebError> {
    let origin = || asked.place.origin.clone();
    let broken = |source| WebError::Broken {
        origin: origin(),
        source,
    };
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(HEAD_BYTES_MAX)
        .max_header_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    let mut moving = JoinSet::new();
    moving.spawn(async move {
        // Its error reaches whoever waits for the answer.
        drop(connection.await);
    });
    let response = sender.send_request(request).await;
    // Whether the other end acted on a request that brought no answer, nobody knows.
    let response = response.map_err(|source| match asked.verb.is_safe() {
        true => broken(source),
        false => WebError::Lost {
            origin: origin(),
            source,
        },
    })?;
    Ok(Answer {
        response,
        _connection: moving,
    })
}
