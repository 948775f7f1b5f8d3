//! The place of a store, as people name it.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;

use super::common::quoted;
use crate::exit::{CliError, USAGE};
use crate::source::database::{DatabaseUrl, read_url};

/// The beginnings of the URL of a database.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// The place of a store: a folder of this machine, or a database that many nodes share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StorePlace {
    /// A folder.
    Folder(PathBuf),
    /// A database.
    Database(Box<DatabaseUrl>),
}

/// Reads a place from the command line. A URL that is none is not repeated: it may have a password.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaceParser;

impl TypedValueParser for PlaceParser {
    type Value = StorePlace;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<StorePlace, clap::Error> {
        StorePlace::read(value.to_owned()).map_err(|why| {
            let positional = argument.filter(|argument| argument.is_positional());
            let name = positional.map_or_else(|| "--store".to_owned(), ToString::to_string);
            let what = format!("{name}: {why}\n");
            clap::Error::raw(ErrorKind::ValueValidation, what).with_cmd(command)
        })
    }
}

impl StorePlace {
    /// Reads what was typed. Anything but the URL of a database is the path of a folder.
    pub(crate) fn read(typed: OsString) -> Result<Self, String> {
        let is_url = |text: &str| SCHEMES.iter().any(|scheme| text.starts_with(scheme));
        match typed.to_str().filter(|text| is_url(text)) {
            Some(url) => Ok(Self::Database(Box::new(read_url(url)?))),
            None => Ok(Self::Folder(typed.into())),
        }
    }

    /// The folder, for a command that works on nothing else.
    pub(crate) fn folder(&self) -> Result<&Path, CliError> {
        match self {
            Self::Folder(folder) => Ok(folder),
            Self::Database(url) => {
                let how = "make one of it with `folkmoot backup DIR`, or leave --store out";
                let what =
                    format!("{url} is a database, and this command works on a folder: {how}");
                Err(CliError::other(USAGE, what))
            }
        }
    }

    /// The folder, if it is one.
    pub(crate) fn as_folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Database(_) => None,
        }
    }

    /// The place as a shell reads it; without a password.
    pub(crate) fn quoted(&self) -> String {
        match self {
            Self::Folder(folder) => quoted(folder),
            Self::Database(url) => quoted(Path::new(&url.to_string())),
        }
    }
}

impl Display for StorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::Database(url) => url.fmt(f),
        }
    }
}
