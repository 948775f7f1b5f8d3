//! Passwords: from the URL, from the environment, or from the file that PostgreSQL's own programs read.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::error::PostgresError;
use super::url::{Host, PostgresUrl};

/// The rights that others than the owner may not have on a file with passwords.
const OF_OTHERS: u32 = 0o077;

/// The user, and the places of a password, as the environment gives them.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) file: Option<PathBuf>,
}

impl Surroundings {
    /// Those of this process.
    pub(super) fn of_process() -> Self {
        let of = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let beside = || Some(PathBuf::from(of("HOME")?).join(".pgpass"));
        Self {
            user: of("PGUSER")
                .or_else(|| of("USER"))
                .or_else(|| of("LOGNAME")),
            password: of("PGPASSWORD"),
            file: of("PGPASSFILE").map(PathBuf::from).or_else(beside),
        }
    }
}

/// Whoever logs in.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) user: String,
    /// `None`: nobody gave one. The server may not want one.
    pub(super) password: Option<String>,
}

impl Login {
    /// The login on one of the hosts of `url`.
    pub(super) fn find(
        url: &PostgresUrl,
        host: &Host,
        around: &Surroundings,
    ) -> Result<Self, PostgresError> {
        let user = url.user.clone().or_else(|| around.user.clone());
        let user = user.ok_or(PostgresError::NoUser)?;
        let given = url.password.clone().or_else(|| around.password.clone());
        let password = match given {
            Some(password) => Some(password),
            None => in_file(url, host, &user, around)?,
        };
        Ok(Self { user, password })
    }
}

fn in_file(
    url: &PostgresUrl,
    host: &Host,
    user: &str,
    around: &Surroundings,
) -> Result<Option<String>, PostgresError> {
    let Some(path) = &around.file else {
        return Ok(None);
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(PostgresError::PasswordFile {
                path: path.clone(),
                source,
            });
        }
    };
    let (name, port) = match host {
        Host::Tcp(name, port) => (name.as_str(), *port),
        // The file says `localhost` for sockets.
        Host::Unix(_, port) => ("localhost", *port),
    };
    let wanted = [name, &port.to_string(), &url.database, user];
    let found = text.lines().find_map(|line| of_line(line, &wanted));
    if found.is_some() && is_open(path)? {
        return Err(PostgresError::OpenPasswordFile(path.clone()));
    }
    Ok(found)
}

/// Tells whether others may read the file.
#[cfg(unix)]
fn is_open(path: &std::path::Path) -> Result<bool, PostgresError> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::metadata(path).map_err(|source| PostgresError::PasswordFile {
        path: path.to_owned(),
        source,
    })?;
    Ok(metadata.is_file() && metadata.permissions().mode() & OF_OTHERS != 0)
}

#[cfg(not(unix))]
fn is_open(_: &std::path::Path) -> Result<bool, PostgresError> {
    Ok(false)
}

/// The password of a line `host:port:database:user:password`, if its other fields are `wanted` or stars.
fn of_line(line: &str, wanted: &[&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let fields = fields(line);
    let [host, port, database, user, password] = fields.as_slice() else {
        return None;
    };
    let mut pairs = [host, port, database, user].into_iter().zip(wanted);
    pairs
        .all(|(field, wanted)| field == "*" || field == wanted)
        .then(|| password.clone())
}

/// The fields between colons; a backslash takes the next sign as it is.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        let sign = match sign {
            ':' => {
                fields.push(String::new());
                continue;
            }
            '\\' => signs.next().unwrap_or('\\'),
            sign => sign,
        };
        if let Some(field) = fields.last_mut() {
            field.push(sign);
        }
    }
    fields
}

#[cfg(test)]
mod tests;
