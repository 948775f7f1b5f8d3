//! The URL of a database, as people type it.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The port on which a server of PostgreSQL listens unless it was told another.
const PORT: u16 = 5432;

/// The schema that has the tables unless the URL names another.
const SCHEMA: &str = "folkmoot";

/// The longest name of a schema. PostgreSQL keeps 63 bytes of a name whole, and the channels of notifications are named after
/// the schema, with `_answer` behind it.
const NAME_MAX: usize = 56;

/// The keys that a URL may have behind its question mark.
const KEYS: &str = "schema, sslmode, sslrootcert, failover, host, port and user";

/// The database that keeps the worlds of a store.
///
/// It is written `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=folkmoot`. Each part but the
/// database may be left out: the user is then that of the environment, the password is looked up
/// there and in `.pgpass`, and the port is 5432. Several hosts stand with commas between them.
/// Neither [`Display`] nor [`fmt::Debug`] shows the password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    pub(super) hosts: Vec<Host>,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: String,
    pub(super) schema: String,
    pub(super) tls: Tls,
    pub(super) failover: Failover,
}

/// A place where a server may listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// A name or address, and a port.
    Tcp(String, u16),
    /// A folder with a socket, and the port that is a part of its name.
    Unix(PathBuf, u16),
}

/// The protection of the way to the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Tls {
    /// Encrypted, and the server's certificate is checked; not so to this machine itself.
    #[default]
    Away,
    /// Not encrypted.
    Off,
    /// Encrypted and checked, to this machine as well. With a file, its certificates count in the
    /// place of the system's.
    Always(Option<PathBuf>),
}

/// The trust in a server that takes the place of a lost one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Failover {
    /// It may lack the last commits.
    #[default]
    Lossy,
    /// It has every commit: the servers copy them before they acknowledge them.
    Lossless,
}

/// The reason that a text is no URL of a database. The text itself is not repeated, as it may have
/// a password in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the URL of the database cannot be used: {0}; write postgres://USER@HOST:PORT/DATABASE?schema=folkmoot, and signs such as \
     / @ : in a password as %2F %40 %3A"
)]
pub struct PostgresUrlError(String);

impl PostgresUrl {
    /// Tells whether `text` is meant as such a URL.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        behind_scheme(text).is_some()
    }

    /// The name of the schema that has the tables.
    #[must_use]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Tells whether the URL promises that no server which takes over lacks a commit.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.failover == Failover::Lossless
    }
}

fn behind_scheme(text: &str) -> Option<&str> {
    ["postgres://", "postgresql://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme))
}

impl FromStr for PostgresUrl {
    type Err = PostgresUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest =
            behind_scheme(text).ok_or_else(|| fault("it does not begin with postgres://"))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (login, hosts) = match authority.rsplit_once('@') {
            Some((login, hosts)) => (Some(login), hosts),
            None => (None, authority),
        };
        let (user, password) = login.map_or(Ok((None, None)), login_of)?;
        let asked = Asked::read(query)?;
        let database = decoded(database)?;
        if database.is_empty() {
            return Err(fault("it names no database"));
        }
        Ok(Self {
            hosts: hosts_of(hosts, &asked)?,
            user: user.or(asked.user),
            password,
            database,
            schema: schema_of(asked.schema)?,
            tls: tls_of(asked.sslmode.as_deref(), asked.sslrootcert)?,
            failover: failover_of(asked.failover.as_deref())?,
        })
    }
}

/// The values behind the question mark.
#[derive(Default)]
struct Asked {
    schema: Option<String>,
    sslmode: Option<String>,
    sslrootcert: Option<String>,
    failover: Option<String>,
    host: Option<String>,
    port: Option<String>,
    user: Option<String>,
}

impl Asked {
    fn read(query: &str) -> Result<Self, PostgresUrlError> {
        let mut asked = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let place = match key {
                "schema" => &mut asked.schema,
                "sslmode" => &mut asked.sslmode,
                "sslrootcert" => &mut asked.sslrootcert,
                "failover" => &mut asked.failover,
                "host" => &mut asked.host,
                "port" => &mut asked.port,
                "user" => &mut asked.user,
                "password" => return Err(fault("a password stands behind the user and a colon")),
                _ => return Err(fault(&format!("it has a key that is none of {KEYS}"))),
            };
            if place.replace(decoded(value)?).is_some() {
                return Err(fault(&format!("it says {key} twice")));
            }
        }
        Ok(asked)
    }
}

fn fault(why: &str) -> PostgresUrlError {
    PostgresUrlError(why.to_owned())
}

fn decoded(text: &str) -> Result<String, PostgresUrlError> {
    let text = percent_decode_str(text).decode_utf8();
    let text = text.map_err(|_| fault("its percent signs do not give UTF-8"))?;
    if text.contains('\0') {
        return Err(fault("it has a NUL character"));
    }
    Ok(text.into_owned())
}

type Login = (Option<String>, Option<String>);

fn login_of(login: &str) -> Result<Login, PostgresUrlError> {
    let (user, password) = match login.split_once(':') {
        Some((user, password)) => (user, Some(decoded(password)?)),
        None => (login, None),
    };
    let user = decoded(user)?;
    Ok(((!user.is_empty()).then_some(user), password))
}

fn hosts_of(hosts: &str, asked: &Asked) -> Result<Vec<Host>, PostgresUrlError> {
    let port = match &asked.port {
        Some(port) => port_of(port)?,
        None => PORT,
    };
    match (&asked.host, hosts) {
        (Some(_), hosts) if !hosts.is_empty() => Err(fault("it names hosts in two places")),
        (Some(host), _) if host.starts_with('/') => Ok(vec![Host::Unix(host.into(), port)]),
        (Some(host), _) => Ok(vec![Host::Tcp(host.clone(), port)]),
        (None, "") => Err(fault("it names no host")),
        (None, hosts) => hosts.split(',').map(|host| host_of(host, port)).collect(),
    }
}

fn host_of(host: &str, port: u16) -> Result<Host, PostgresUrlError> {
    let (name, port) = match host.rsplit_once(':') {
        // The last colon of an IPv6 address in brackets stands within them.
        Some((name, behind)) if !behind.ends_with(']') => (name, port_of(behind)?),
        Some(_) | None => (host, port),
    };
    let name = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name);
    match decoded(name)? {
        name if name.is_empty() => Err(fault("the name of a host is empty")),
        name if name.starts_with('/') => Ok(Host::Unix(name.into(), port)),
        name => Ok(Host::Tcp(name, port)),
    }
}

fn port_of(text: &str) -> Result<u16, PostgresUrlError> {
    let port = text.parse().ok().filter(|port| *port != 0);
    // The text may be a part of a password that was not encoded.
    port.ok_or_else(|| fault("the port of a host is no number from 1 to 65535"))
}

fn schema_of(asked: Option<String>) -> Result<String, PostgresUrlError> {
    let schema = asked.unwrap_or_else(|| SCHEMA.to_owned());
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = schema.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if !begins || !schema.chars().all(is_plain) || schema.len() > NAME_MAX {
        return Err(fault(
            "the name of its schema has to be of letters a to z, digits and _, and of 56 at most",
        ));
    }
    if schema.starts_with("pg_") || schema == "information_schema" {
        return Err(fault("the schema belongs to PostgreSQL itself"));
    }
    Ok(schema)
}

fn tls_of(mode: Option<&str>, roots: Option<String>) -> Result<Tls, PostgresUrlError> {
    let roots = roots.filter(|roots| roots != "system").map(PathBuf::from);
    match (mode, roots) {
        (None, None) => Ok(Tls::Away),
        (None | Some("require" | "verify-full"), roots) => Ok(Tls::Always(roots)),
        (Some("disable"), None) => Ok(Tls::Off),
        (Some("disable"), Some(_)) => Err(fault("it has certificates, and switches TLS off")),
        (Some(_), _) => Err(fault(
            "sslmode is neither disable, require nor verify-full; both of these check the server's certificate",
        )),
    }
}

fn failover_of(asked: Option<&str>) -> Result<Failover, PostgresUrlError> {
    match asked {
        None => Ok(Failover::Lossy),
        Some("lossless") => Ok(Failover::Lossless),
        Some(_) => Err(fault("failover can only be lossless, or left out")),
    }
}

impl Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(name, port) if name.contains(':') => write!(f, "[{name}]:{port}"),
            Self::Tcp(name, port) => write!(f, "{name}:{port}"),
            Self::Unix(folder, port) => {
                let folder = folder.to_string_lossy();
                write!(
                    f,
                    "{}:{port}",
                    utf8_percent_encode(&folder, NON_ALPHANUMERIC)
                )
            }
        }
    }
}

impl Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        f.write_str("postgres://")?;
        if let Some(user) = &self.user {
            write!(f, "{}@", encoded(user))?;
        }
        for (place, host) in self.hosts.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{host}")?;
        }
        write!(f, "/{}?schema={}", encoded(&self.database), self.schema)?;
        match &self.tls {
            Tls::Away => {}
            Tls::Off => f.write_str("&sslmode=disable")?,
            Tls::Always(None) => f.write_str("&sslmode=verify-full")?,
            Tls::Always(Some(roots)) => {
                let roots = encoded(&roots.to_string_lossy());
                write!(f, "&sslmode=verify-full&sslrootcert={roots}")?;
            }
        }
        if self.is_lossless() {
            f.write_str("&failover=lossless")?;
        }
        Ok(())
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresUrl({self})")
    }
}

#[cfg(test)]
mod tests;
