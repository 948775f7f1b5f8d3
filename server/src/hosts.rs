//! The hosts and origins by which a server is known.
//!
//! A page of another site can have its own name lead to this machine (DNS rebinding). Its requests
//! then name that host, and are refused.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::http::HeaderValue;
use reqwest::Url;

/// The hosts and origins by which a server is known. Its clones are one.
#[derive(Debug, Clone)]
pub struct Hosts(Option<Arc<Known>>);

#[derive(Debug, Clone)]
struct Known {
    address: SocketAddr,
    public: Option<Origin>,
    /// The origins of others whose pages may use the server.
    allowed: Vec<HeaderValue>,
}

/// A text that is no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no origin: write a scheme, a host and perhaps a port, as in https://rooms.example.com"
)]
pub struct HostError(String);

/// An origin of HTTP: a scheme, a host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: Scheme,
    host: String,
    port: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

impl Hosts {
    /// Any host and origin, where the embedding program sees to it.
    #[must_use]
    pub const fn any() -> Self {
        Self(None)
    }

    /// The hosts of a server that listens at `address`. At a loopback address that is `localhost`
    /// as well; where it listens at all addresses, each of them is.
    #[must_use]
    pub fn listening_at(address: SocketAddr) -> Self {
        Self(Some(Arc::new(Known {
            address,
            public: None,
            allowed: Vec::new(),
        })))
    }

    /// The same, and that of the URL by which browsers know the server.
    ///
    /// # Errors
    /// [`HostError`] if it is no origin, or has a path.
    pub fn and_public(self, url: &str) -> Result<Self, HostError> {
        let origin = Origin::read(url).ok_or_else(|| HostError(url.to_owned()))?;
        Ok(self.with(|known| known.public = Some(origin)))
    }

    /// The same; pages of `origin` may use the server as well.
    ///
    /// # Errors
    /// [`HostError`] if it is none.
    pub fn allowing(self, origin: &str) -> Result<Self, HostError> {
        let wrong = || HostError(origin.to_owned());
        let read = Origin::read(origin).ok_or_else(wrong)?;
        let header = HeaderValue::try_from(read.to_string()).map_err(|_| wrong())?;
        Ok(self.with(|known| known.allowed.push(header)))
    }

    fn with(self, change: impl FnOnce(&mut Known)) -> Self {
        Self(self.0.map(|known| {
            let mut known = Arc::unwrap_or_clone(known);
            change(&mut known);
            Arc::new(known)
        }))
    }

    /// The URL at which a browser of this machine finds the server; `None` for any host.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        let known = self.0.as_ref()?;
        let here = || {
            let ip = match known.address.ip() {
                ip if !ip.is_unspecified() => ip,
                IpAddr::V4(_) => IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
                IpAddr::V6(_) => IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
            };
            format!("http://{}", SocketAddr::new(ip, known.address.port()))
        };
        Some(known.public.as_ref().map_or_else(here, Origin::to_string))
    }

    /// Tells whether any host and origin will do.
    pub(crate) const fn is_any(&self) -> bool {
        self.0.is_none()
    }

    /// The origins of others that are allowed.
    pub(crate) fn allowed(&self) -> &[HeaderValue] {
        self.0.as_ref().map_or(&[], |known| &known.allowed)
    }

    /// Tells whether `host`, as a request names it, is this server.
    pub(crate) fn has_host(&self, host: &str) -> bool {
        let Some(known) = &self.0 else {
            return true;
        };
        let of = |scheme| Origin::of(scheme, host);
        let is_public = |public: &Origin| of(public.scheme).as_ref() == Some(public);
        known.public.as_ref().is_some_and(is_public)
            || of(Scheme::Http).is_some_and(|origin| known.is_own(&origin))
    }

    /// Tells whether `origin`, as a browser names it, is a page of this server or an allowed one.
    pub(crate) fn has_origin(&self, origin: &HeaderValue) -> bool {
        let Some(known) = &self.0 else {
            return true;
        };
        let read = origin.to_str().ok().and_then(Origin::read);
        let is_ours = |origin: Origin| {
            let is_own = origin.scheme == Scheme::Http && known.is_own(&origin);
            is_own || known.public.as_ref() == Some(&origin)
        };
        known.allowed.contains(origin) || read.is_some_and(is_ours)
    }
}

impl Known {
    fn is_own(&self, origin: &Origin) -> bool {
        let ip: Option<IpAddr> = origin.ip();
        let own = self.address.ip();
        let is_here = own.is_loopback() || own.is_unspecified();
        let is_named = match ip {
            // No name leads here by a number, so that any number of this machine will do.
            Some(ip) => ip == own || own.is_unspecified() || is_here && is_usual_loopback(ip),
            None => is_here && origin.host == "localhost",
        };
        is_named && origin.port == self.address.port()
    }
}

fn is_usual_loopback(ip: IpAddr) -> bool {
    ip == IpAddr::V4(std::net::Ipv4Addr::LOCALHOST)
        || ip == IpAddr::V6(std::net::Ipv6Addr::LOCALHOST)
}

impl Origin {
    /// Reads an origin; a bare `/` may stand behind it.
    fn read(text: &str) -> Option<Self> {
        let (scheme, host) = text.split_once("://")?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return None,
        };
        Self::of(scheme, host.strip_suffix('/').unwrap_or(host))
    }

    /// The origin of a host, perhaps with a port, as it is written: nothing is decoded.
    fn of(scheme: Scheme, host: &str) -> Option<Self> {
        let is_plain = |byte: u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']')
        };
        if !host.bytes().all(is_plain) || host.ends_with(':') {
            return None;
        }
        let word = match scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        let url = Url::parse(&format!("{word}://{host}")).ok()?;
        let read = url.host_str()?;
        let port = url.port_or_known_default()?;
        // The reader of URLs takes `0x7f.1` for 127.0.0.1; a browser sends what it made of it.
        let written = host.to_ascii_lowercase();
        let rest = written.strip_prefix(read)?;
        let is_port = rest.is_empty() || rest == format!(":{port}");
        is_port.then(|| Self {
            scheme,
            host: read.to_owned(),
            port,
        })
    }

    fn ip(&self) -> Option<IpAddr> {
        self.host.trim_matches(['[', ']']).parse().ok()
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (word, usual) = match self.scheme {
            Scheme::Http => ("http", 80),
            Scheme::Https => ("https", 443),
        };
        write!(f, "{word}://{}", self.host)?;
        if self.port == usual {
            Ok(())
        } else {
            write!(f, ":{}", self.port)
        }
    }
}

#[cfg(test)]
mod tests;
