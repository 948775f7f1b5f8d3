//! Tokens.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use folkmoot::Right;
use folkmoot::core::ids::PersonName;
use folkmoot_server::WorldPattern;

/// `token`.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenArgs {
    /// Make a token, and print it: it is shown this once. A file keeps its hash, or a database that nodes share.
    #[command(after_help = "Example:\n  folkmoot token new --as ada --tokens tokens")]
    New(NewTokenArgs),
    /// List the tokens of a file or database: who holds them, what they give, and who made them.
    #[command(after_help = "Example:\n  folkmoot token list --tokens tokens")]
    List(TokenFileArgs),
    /// Revoke a token. A server that knows it ends its streams within a second, and all nodes within two.
    #[command(after_help = "Example:\n  folkmoot token revoke 3f9a1c --tokens tokens")]
    Revoke(RevokeTokenArgs),
}

/// The file of tokens.
#[derive(Debug, Args)]
pub(crate) struct TokenFileArgs {
    /// The file of the tokens, as `folkmoot serve` gets it. Without it those that the nodes of a database share, which
    /// --store names.
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
}

/// `token new`.
#[derive(Debug, Args)]
pub(crate) struct NewTokenArgs {
    /// The holder's name. All tokens of one name are one person, or one service.
    #[arg(long = "as", value_name = "NAME", value_parser = super::value::person)]
    pub(crate) name: PersonName,
    /// The rights, parted by commas: read, post, decide, operate. Without it a person gets all
    /// four, and a service read and post.
    #[arg(
        long,
        value_name = "RIGHTS",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub(crate) may: Vec<TokenRight>,
    /// The worlds that it reaches, parted by commas: names, or beginnings with `*`.
    #[arg(
        long,
        value_name = "PATTERNS",
        value_delimiter = ',',
        default_value = "*"
    )]
    pub(crate) worlds: Vec<WorldPattern>,
    /// Let the holder open rooms. With all rights and all worlds they operate the server: they name
    /// rooms, and so learn which names are taken.
    #[arg(long)]
    pub(crate) create: bool,
    /// The time for which it holds, e.g. 90d; without it until it is revoked.
    #[arg(long, value_name = "AGE", value_parser = super::value::age)]
    pub(crate) expires: Option<Duration>,
    /// Make the token of a program, which counts for no second pair of eyes.
    #[arg(long)]
    pub(crate) service: bool,
    #[command(flatten)]
    pub(crate) file: TokenFileArgs,
}

/// `token revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeTokenArgs {
    /// The token's id, or the beginning of it: `folkmoot token list` shows it.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) file: TokenFileArgs,
}

/// A right that a token can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokenRight {
    /// To read.
    Read,
    /// To say things.
    Post,
    /// To decide what agents ask for.
    Decide,
    /// To stop, to revise and to change rights.
    Operate,
}

impl From<TokenRight> for Right {
    fn from(right: TokenRight) -> Self {
        match right {
            TokenRight::Read => Self::Read,
            TokenRight::Post => Self::Post,
            TokenRight::Decide => Self::Decide,
            TokenRight::Operate => Self::Operate,
        }
    }
}
