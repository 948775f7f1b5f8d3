//! `folkmoot backup`.

use std::path::{Path, PathBuf};

use crate::arguments::{Backup, Common};
use crate::control::Request;
use crate::control::life::BackupView;
use crate::exit::{CliError, USAGE};
use crate::show::one_line;
use crate::source::Source;
use crate::terminal::Terminal;

/// Copies the store into a directory, also while another process works in it.
pub(crate) async fn backup(common: &Common, arguments: Backup) -> Result<(), CliError> {
    let dir = absolute(&arguments.dir)?;
    let values = Source::open(common).await?.perform(Request::Backup(dir)).await?;
    let mut terminal = Terminal::new();
    for value in values {
        if common.json {
            terminal.document(&value)?;
            continue;
        }
        let view: BackupView = serde_json::from_value(value).map_err(CliError::json)?;
        let BackupView { path, worlds, events, blobs, blobs_damaged, keys } = view;
        let path = one_line(&path.display().to_string());
        terminal.line(&format!("{worlds} worlds with {events} events and {blobs} attachments are in {path}"))?;
        if blobs_damaged > 0 {
            terminal.line(&format!("{blobs_damaged} attachments were left out: they are damaged in the store"))?;
        }
        if let Some(keys) = keys {
            let keys = one_line(&keys.display().to_string());
            terminal.line(&format!(
                "the keys of sealed worlds are left out: without a copy of {keys} they read as erased"
            ))?;
        }
        terminal.line(&format!("to use it: folkmoot --store {path} worlds"))?;
    }
    Ok(())
}

/// The process that holds the store may be in another folder.
fn absolute(dir: &Path) -> Result<PathBuf, CliError> {
    std::path::absolute(dir)
        .map_err(|error| CliError::other(USAGE, format!("{} is no directory: {error}", dir.display())))
}
