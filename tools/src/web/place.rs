//! A URL that is decided on and connected to: parsed once, in its one spelling.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Position, Url};

/// The most bytes of a URL.
pub(super) const URL_BYTES_MAX: usize = 8 * 1024;
/// The most bytes of a name in the DNS.
const NAME_BYTES_MAX: usize = 253;

/// The protocol below HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Without encryption.
    Http,
    /// Over TLS.
    Https,
}

impl Scheme {
    pub(super) const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Https => "https",
        })
    }
}

/// A server by name or by address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Server {
    /// A name in the DNS: ASCII, in lower case, without a dot at its end.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// The part of a URL that a connection, a certificate and a secret belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) scheme: Scheme,
    pub(super) server: Server,
    pub(super) port: u16,
}

impl Origin {
    /// The value of the header `Host`.
    pub(super) fn host_header(&self) -> String {
        if self.port == self.scheme.port() {
            self.server.to_string()
        } else {
            format!("{}:{}", self.server, self.port)
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host_header())
    }
}

/// A checked URL. The rules look at this value, and the connection and the request are made from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The server.
    pub(super) origin: Origin,
    /// Without credentials and fragment, and with the server's name as `origin` has it.
    url: Url,
}

/// A reason why a text is no URL that a tool opens. The text is not repeated: a password may stand in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum PlaceError {
    #[error("the URL is longer than {URL_BYTES_MAX} bytes")]
    TooLong,
    #[error("the URL has a control character, a blank or a backslash in it")]
    StrangeCharacter,
    #[error("this is not a URL: write one like https://example.org/path")]
    NotAUrl,
    #[error("the URL is not one of http or https")]
    OtherScheme,
    #[error("the URL has a user or a password in it")]
    Credentials,
    #[error("the URL has a host that is neither a name nor an address")]
    BadHost,
}

impl Place {
    pub(super) fn read(text: &str) -> Result<Self, PlaceError> {
        check_characters(text)?;
        Self::of(Url::parse(text).map_err(|_| PlaceError::NotAUrl)?)
    }

    /// The place that `location`, a redirect of the server here, means.
    pub(super) fn join(&self, location: &str) -> Result<Self, PlaceError> {
        check_characters(location)?;
        Self::of(self.url.join(location).map_err(|_| PlaceError::NotAUrl)?)
    }

    fn of(mut url: Url) -> Result<Self, PlaceError> {
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(PlaceError::OtherScheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(PlaceError::Credentials);
        }
        let server = match url.host() {
            Some(Host::Domain(name)) => Server::Name(plain_name(name).ok_or(PlaceError::BadHost)?),
            Some(Host::Ipv4(address)) => Server::Address(address.into()),
            Some(Host::Ipv6(address)) => Server::Address(address.into()),
            None => return Err(PlaceError::BadHost),
        };
        if let Server::Name(name) = &server {
            url.set_host(Some(name)).map_err(|_| PlaceError::BadHost)?;
        }
        url.set_fragment(None);
        if url.as_str().len() > URL_BYTES_MAX {
            return Err(PlaceError::TooLong);
        }
        let port = url.port_or_known_default().unwrap_or(scheme.port());
        let origin = Origin {
            scheme,
            server,
            port,
        };
        Ok(Self { origin, url })
    }

    /// The path, as it is sent: with escapes, and without `.` and `..`.
    pub(super) fn path(&self) -> &str {
        self.url.path()
    }

    /// The path and the query, as they are sent.
    pub(super) fn target(&self) -> &str {
        &self.url[Position::BeforePath..Position::AfterQuery]
    }

    /// The URL that a link on the page here means; `None` if it leads to no page.
    pub(super) fn link(&self, href: &str) -> Option<Url> {
        let url = self.url.join(href).ok()?;
        matches!(url.scheme(), "http" | "https").then_some(url)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

/// Refuses what parsers of URLs leave out or read differently: the other end may have another parser.
fn check_characters(text: &str) -> Result<(), PlaceError> {
    if text.len() > URL_BYTES_MAX {
        return Err(PlaceError::TooLong);
    }
    let is_strange = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
    if text.contains(is_strange) {
        return Err(PlaceError::StrangeCharacter);
    }
    Ok(())
}

/// The name without the dot of the root; `None` if no server can have it.
fn plain_name(name: &str) -> Option<String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_letter =
        |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, b'-' | b'_');
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(is_letter);
    (name.len() <= NAME_BYTES_MAX && name.split('.').all(is_label)).then(|| name.to_owned())
}
