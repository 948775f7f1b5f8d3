//! The list of what a tool may reach. Whatever fits no rule of it is refused before a name is looked up.

use std::collections::BTreeMap;
use std::fmt;

use hyper::Method;
use hyper::header::{self, HeaderName, HeaderValue};
use serde::Deserialize;

use super::address::{self, Reach};
use super::path::{self, PathRule};
use super::place::{Origin, Place, PlaceError, Scheme, Server};
use crate::variables::{BrokenVariable, Template};

/// Headers that belong to the connection, or whose meaning is this program's.
const HEADERS_OF_ITS_OWN: &[HeaderName] = &[
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::EXPECT,
    header::ACCEPT_ENCODING,
];

/// A method that a rule can allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Verb {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// Tells whether a request changes nothing, by the word of the protocol.
    pub(super) const fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    pub(super) const fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Head => Method::HEAD,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }
}

/// An entry of `allow`, as a script has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRule {
    host: String,
    methods: Option<Vec<Verb>>,
    paths: Option<Vec<String>>,
    addresses: Option<Vec<String>>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// A place that a tool may reach, and how.
#[derive(Debug)]
pub(super) struct Rule {
    scheme: Scheme,
    servers: Servers,
    port: u16,
    /// The methods; never empty.
    pub(super) verbs: Vec<Verb>,
    /// The paths; `None`: any.
    paths: Option<Vec<PathRule>>,
    /// The addresses that the server's name may have.
    pub(super) reach: Reach,
    /// The headers that go with a request. Their values may be secrets.
    pub(super) headers: Vec<(HeaderName, Template)>,
}

/// The servers of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Servers {
    /// This one.
    One(Server),
    /// Those whose names end with this one and are longer.
    Beneath(String),
    /// Every name.
    Names,
}

/// A reason why an entry of `allow` is no rule, and the setting in it.
#[derive(Debug, thiserror::Error)]
pub(super) enum RuleError {
    #[error(
        "write a name like `example.org`, `*.example.org` for all names beneath it, or `*` for every name; with `http://` in front, or a port behind, if it needs them"
    )]
    BadHost,
    #[error("{0}")]
    BadPlace(PlaceError),
    #[error("list the methods, e.g. [POST]")]
    NoMethods,
    #[error("`http.get` has the one method GET: leave `methods` out, or use `http.request`")]
    Methods,
    #[error("list at least one; without this setting every path is allowed")]
    NoPaths,
    #[error(
        "write a path like `/status`, or `/v1/*` for all that lies beneath `/v1/`, without escapes"
    )]
    BadPath,
    #[error("list at least one network; without this setting every public address is allowed")]
    NoAddresses,
    #[error("write a network like `10.1.0.0/16`, or an address")]
    BadAddress,
    #[error("the host is an address already: leave `addresses` out")]
    AddressTwice,
    #[error("a header goes to one host: name it without `*`")]
    HeadersForMany,
    #[error("this is not a header that a script can set")]
    BadHeader,
    #[error("{0}")]
    BadValue(BrokenVariable),
}

impl RuleError {
    /// The setting of the entry that is wrong.
    pub(super) const fn key(&self) -> &'static str {
        match self {
            Self::BadHost | Self::BadPlace(_) => "host",
            Self::NoMethods | Self::Methods => "methods",
            Self::NoPaths | Self::BadPath => "paths",
            Self::NoAddresses | Self::BadAddress | Self::AddressTwice => "addresses",
            Self::HeadersForMany | Self::BadHeader | Self::BadValue(_) => "headers",
        }
    }
}

/// The methods of a kind of tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Methods {
    /// GET alone.
    Get,
    /// Those that each rule lists.
    Listed,
}

impl RawRule {
    pub(super) fn check(self, methods: Methods) -> Result<Rule, RuleError> {
        let (scheme, servers, port) = servers(&self.host)?;
        let verbs = match (methods, self.methods) {
            (Methods::Get, None) => vec![Verb::Get],
            (Methods::Get, Some(_)) => return Err(RuleError::Methods),
            (Methods::Listed, Some(verbs)) if !verbs.is_empty() => verbs,
            (Methods::Listed, Some(_) | None) => return Err(RuleError::NoMethods),
        };
        let reach = reach(&servers, self.addresses)?;
        if !self.headers.is_empty() && !matches!(servers, Servers::One(_)) {
            return Err(RuleError::HeadersForMany);
        }
        let headers = self.headers.iter().map(|(name, value)| header(name, value));
        Ok(Rule {
            scheme,
            servers,
            port,
            verbs,
            paths: self.paths.map(|paths| path_rules(&paths)).transpose()?,
            reach,
            headers: headers.collect::<Result<_, _>>()?,
        })
    }
}

fn servers(host: &str) -> Result<(Scheme, Servers, u16), RuleError> {
    let (scheme, rest) = match host.split_once("://") {
        Some(("http", rest)) => (Scheme::Http, rest),
        Some(("https", rest)) => (Scheme::Https, rest),
        Some(_) => return Err(RuleError::BadHost),
        None => (Scheme::Https, host),
    };
    // The star is no part of a name, so another one takes its place while the rest is read as in a URL.
    let (wildcard, rest) = match (rest.strip_prefix("*."), rest.strip_prefix('*')) {
        (Some(rest), _) => (Some(false), rest.to_owned()),
        (None, Some(rest)) => (Some(true), format!("every{rest}")),
        (None, None) => (None, rest.to_owned()),
    };
    if rest.contains(['/', '?', '#', '@', '*']) {
        return Err(RuleError::BadHost);
    }
    let place = Place::read(&format!("{scheme}://{rest}/")).map_err(RuleError::BadPlace)?;
    let Origin { server, port, .. } = place.origin;
    let servers = match (wildcard, server) {
        (None, server) => Servers::One(server),
        (Some(false), Server::Name(name)) => Servers::Beneath(name),
        (Some(true), Server::Name(name)) if name == "every" => Servers::Names,
        (Some(_), Server::Name(_) | Server::Address(_)) => return Err(RuleError::BadHost),
    };
    Ok((scheme, servers, port))
}

fn reach(servers: &Servers, addresses: Option<Vec<String>>) -> Result<Reach, RuleError> {
    match (servers, addresses) {
        (Servers::One(Server::Address(address)), None) => Ok(Reach::one(*address)),
        (Servers::One(Server::Address(_)), Some(_)) => Err(RuleError::AddressTwice),
        (_, None) => Ok(Reach::Public),
        (_, Some(addresses)) if addresses.is_empty() => Err(RuleError::NoAddresses),
        (_, Some(addresses)) => {
            let networks = addresses.iter().map(|text| address::network(text));
            let networks = networks.collect::<Option<_>>();
            networks.map(Reach::Within).ok_or(RuleError::BadAddress)
        }
    }
}

fn path_rules(paths: &[String]) -> Result<Vec<PathRule>, RuleError> {
    if paths.is_empty() {
        return Err(RuleError::NoPaths);
    }
    let rules = paths.iter().map(|path| PathRule::read(path));
    rules.collect::<Option<_>>().ok_or(RuleError::BadPath)
}

fn header(name: &str, value: &str) -> Result<(HeaderName, Template), RuleError> {
    let name = HeaderName::try_from(name).map_err(|_| RuleError::BadHeader)?;
    if HEADERS_OF_ITS_OWN.contains(&name) || HeaderValue::from_str(value).is_err() {
        return Err(RuleError::BadHeader);
    }
    Ok((name, Template::read(value).map_err(RuleError::BadValue)?))
}

impl Rule {
    /// Tells whether this rule allows the request.
    pub(super) fn fits(&self, verb: Verb, place: &Place) -> bool {
        let Origin {
            scheme,
            server,
            port,
        } = &place.origin;
        *scheme == self.scheme
            && *port == self.port
            && self.servers.hold(server)
            && self.verbs.contains(&verb)
            && self.allows_path(place.path())
    }

    fn allows_path(&self, path: &str) -> bool {
        match &self.paths {
            None => true,
            Some(rules) => {
                path::names(path).is_some_and(|names| rules.iter().any(|rule| rule.fits(&names)))
            }
        }
    }
}

impl Servers {
    fn hold(&self, server: &Server) -> bool {
        match (self, server) {
            (Self::One(one), server) => one == server,
            (Self::Beneath(above), Server::Name(name)) => {
                let rest = name.strip_suffix(above.as_str());
                rest.is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
            (Self::Names, Server::Name(_)) => true,
            // An address has no name above it, and needs a rule of its own.
            (Self::Beneath(_) | Self::Names, Server::Address(_)) => false,
        }
    }
}

/// The rule in words, for models.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme)?;
        match &self.servers {
            Servers::One(server) => server.fmt(f)?,
            Servers::Beneath(name) => write!(f, "*.{name}")?,
            Servers::Names => f.write_str("*")?,
        }
        if self.port != self.scheme.port() {
            write!(f, ":{}", self.port)?;
        }
        let Some(paths) = &self.paths else {
            return Ok(());
        };
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        write!(f, " (paths {})", paths.join(", "))
    }
}
