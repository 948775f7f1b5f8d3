//! `folkmoot backup`.

use std::path::{Path, PathBuf};

use crate::arguments::{BackupArgs, CommonArgs};
use crate::desk::DeskRequest;
use crate::desk::life::BackupView;
use crate::exit::{CliError, INTEGRITY, USAGE};
use crate::show::one_line;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::text::counted;

/// Copies the store into a directory, also while another process works in it.
pub(crate) async fn backup(common: &CommonArgs, arguments: BackupArgs) -> Result<(), CliError> {
    let dir = absolute(&arguments.dir)?;
    let source = StoreSource::look(common).await?;
    if source.survey().is_some() {
        return Err(nothing_of_a_damaged_one());
    }
    let values = source.ask(DeskRequest::Backup(dir)).await?.all().await?;
    let mut terminal = Terminal::new();
    for value in values {
        if common.json {
            terminal.document(&value)?;
            continue;
        }
        let view: BackupView = serde_json::from_value(value).map_err(CliError::json)?;
        let BackupView {
            path,
            worlds,
            events,
            blobs,
            blobs_damaged,
            content_damaged,
            keys,
        } = view;
        let path = one_line(&path.display().to_string());
        terminal.line(&format!(
            "The copy {path} has {} with {} and {}.",
            counted(worlds, "world"),
            counted(events, "event"),
            counted(blobs, "attachment")
        ))?;
        if content_damaged > 0 {
            terminal.line(&format!(
                "The store has lost the content of {}, and so has the copy: `folkmoot verify --all` names them.",
                counted(content_damaged, "event")
            ))?;
        }
        if blobs_damaged > 0 {
            terminal.line(&format!(
                "The copy lacks {}: the store has it damaged.",
                counted(blobs_damaged, "attachment")
            ))?;
        }
        if let Some(keys) = keys {
            let keys = one_line(&keys.display().to_string());
            terminal.line(&format!(
                "It has no keys of sealed worlds: without a copy of {keys} their content reads as erased."
            ))?;
        }
        terminal.line(&format!("To use it: folkmoot --store {path} worlds"))?;
    }
    Ok(())
}

/// Refuses to copy a damaged store: only what rebuilding would save is read of it (decision 0024).
pub(super) fn nothing_of_a_damaged_one() -> CliError {
    let what = "a copy of it would be whole and have less: use `folkmoot rebuild --to DIR`";
    CliError::other(INTEGRITY, format!("nothing was copied; {what}"))
}

/// The process that holds the store may be in another folder.
fn absolute(dir: &Path) -> Result<PathBuf, CliError> {
    std::path::absolute(dir).map_err(|error| {
        CliError::other(USAGE, format!("{} is no directory: {error}", dir.display()))
    })
}
