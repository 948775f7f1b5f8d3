//! Options of every command.

use std::path::{Path, PathBuf};

use super::store_place::{PlaceParser, StorePlace};
use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{ArgAction, Args, ValueEnum};

/// The directory of the store, if nobody names another one.
const STORE_DEFAULT: &str = ".folkmoot";
/// The variable that says otherwise.
const STORE_VARIABLE: &str = "FOLKMOOT_STORE";
/// The variable that names the file of the key that signs.
const KEY_VARIABLE: &str = "FOLKMOOT_KEY";

/// The heading of the options of every command. It stands behind a command's own options.
pub(crate) const HEADING: &str = "Global options";

/// The options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct CommonArgs {
    /// The directory of the store, or the URL of a database that nodes share: `postgres://USER@HOST/DATABASE`.
    #[arg(long, global = true, value_name = "STORE", env = STORE_VARIABLE, default_value = STORE_DEFAULT,
        hide_env_values = true, value_parser = PlaceParser)]
    pub(crate) store: StorePlace,
    /// A server to ask in the place of a store, e.g. `https://rooms.example.org`. The token for it
    /// is read from FOLKMOOT_TOKEN.
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// The file of a key, outside of the store, that signs the logs of worlds that are opened: see
    /// `folkmoot key new`.
    #[arg(long, global = true, value_name = "FILE", env = KEY_VARIABLE,
        value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) key: Option<PathBuf>,
    /// Print JSON: one document, or one object a line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours: auto, always or never. `auto` is on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Colors::Auto,
        hide_possible_values = true)]
    pub(crate) color: Colors,
    /// Log more to stderr; twice for even more. RUST_LOG says it in detail.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Show no progress, and log errors only.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print help.
    #[arg(short, long, global = true, action = ArgAction::Help)]
    help: Option<bool>,
    /// Print the version.
    #[arg(short = 'V', long, global = true, action = ArgAction::Version)]
    version: Option<bool>,
}

impl CommonArgs {
    /// The same; an empty name of a store counts as none, and so does one of a key.
    pub(crate) fn with_a_store(mut self) -> Self {
        self.key = self.key.filter(|key| !key.as_os_str().is_empty());
        if self
            .store
            .as_folder()
            .is_some_and(|folder| folder.as_os_str().is_empty())
        {
            self.store = StorePlace::Folder(STORE_DEFAULT.into());
        }
        self
    }

    /// Returns the beginning of a command to type: with the store and the key, unless they are
    /// found without saying so.
    pub(crate) fn program(&self) -> String {
        let set = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty());
        let found = |variable: &str| set(variable).map(PathBuf::from);
        let usual = || StorePlace::Folder(STORE_DEFAULT.into());
        let mut program = "folkmoot".to_owned();
        if let Some(url) = &self.server {
            program.push_str(&format!(" --server {}", quoted(Path::new(url))));
            return program;
        }
        let meant = set(STORE_VARIABLE).map(StorePlace::read);
        if meant.unwrap_or_else(|| Ok(usual())) != Ok(self.store.clone()) {
            program.push_str(&format!(" --store {}", self.store.quoted()));
        }
        if let Some(key) = self
            .key
            .as_ref()
            .filter(|key| found(KEY_VARIABLE).as_ref() != Some(*key))
        {
            program.push_str(&format!(" --key {}", quoted(key)));
        }
        program
    }

    /// A message whose commands can be typed as they stand: those of libraries know no options.
    pub(crate) fn to_type(&self, message: &str) -> String {
        // What is asked of a server is said with its address already; the rest is done where it is.
        if self.server.is_some() {
            return message.to_owned();
        }
        // Our own sentences say which store they are about already.
        let known = format!("`{} ", self.program());
        let bare = message.replace(&known, "`folkmoot ");
        bare.replace("`folkmoot ", &known)
    }
}

/// The occasions on which colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colors {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A path as a shell reads it.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '@');
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
