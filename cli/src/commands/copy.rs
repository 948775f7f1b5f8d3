//! `folkmoot copy`.

use std::path::Path;

use folkmoot::Store;

use crate::arguments::{BackupArgs, CommonArgs, CopyArgs, StorePlace, quoted};
use crate::commands::backup::{self, nothing_of_a_damaged_one};
use crate::exit::{CliError, STORE, USAGE};
use crate::show::one_line;
use crate::source::database::copy_in;
use crate::source::members::CopiedView;
use crate::source::{StoreUse, check_content, damage, hold};
use crate::terminal::Terminal;
use crate::text::counted;

/// Copies a store into another place. Links stay as they are, so that what was proven before still holds.
pub(crate) async fn copy(common: &CommonArgs, arguments: CopyArgs) -> Result<(), CliError> {
    let CopyArgs { from, to } = arguments;
    match (&from, to) {
        (StorePlace::Folder(_) | StorePlace::Database(_), StorePlace::Folder(dir)) => {
            let mut source = common.clone();
            source.store = from.clone();
            backup::backup(&source, BackupArgs { dir }).await?;
        }
        (StorePlace::Folder(dir), StorePlace::Database(url)) => {
            let store = whole(&from, dir).await?;
            let copied = copy_in(&store, &url).await?;
            tell(common, &from, &copied)?;
        }
        (StorePlace::Database(_), StorePlace::Database(url)) => {
            let what = format!(
                "a database is copied into another one by way of a folder: first `folkmoot copy {} FOLDER`, then \
                 `folkmoot copy FOLDER {}`",
                from.quoted(),
                StorePlace::Database(url).quoted()
            );
            return Err(CliError::other(USAGE, what));
        }
    }
    check_content(&from)
}

/// The store in a folder, if all of it can be copied into a database.
async fn whole(from: &StorePlace, dir: &Path) -> Result<Store, CliError> {
    let store = match hold(from, StoreUse::Read).await? {
        Ok(store) => store,
        Err((_, error)) => {
            let what = format!(
                "{error}; end it, or make a copy with `folkmoot --store {} backup FOLDER` and copy that one",
                quoted(dir)
            );
            return Err(CliError::other(STORE, what));
        }
    };
    if damage(&store, from).is_some() {
        return Err(nothing_of_a_damaged_one());
    }
    if let Some(keys) = store.keys_folder() {
        let what = format!(
            "nothing was copied: worlds of {from} are sealed, and a database has no place for their keys, which are in {}; \
             keep the store where it is, or delete those worlds from a copy of it",
            keys.display()
        );
        return Err(CliError::other(STORE, what));
    }
    Ok(store)
}

fn tell(common: &CommonArgs, from: &StorePlace, copied: &CopiedView) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.document(copied);
    }
    let CopiedView {
        database,
        worlds,
        events,
        blobs,
        blobs_damaged,
        deleted,
    } = copied;
    let from = one_line(&from.to_string());
    terminal.line(&format!(
        "The database {} has {} of {from} with {} and {}.",
        one_line(database),
        counted(*worlds, "world"),
        counted(*events, "event"),
        counted(*blobs, "attachment")
    ))?;
    if *blobs_damaged > 0 {
        terminal.line(&format!(
            "It lacks {}: the store has it damaged.",
            counted(*blobs_damaged, "attachment")
        ))?;
    }
    if *deleted > 0 {
        terminal.line(&format!(
            "It does not know of {} that {from} has deleted: keep what `folkmoot worlds --deleted` says of them.",
            counted(*deleted, "world")
        ))?;
    }
    let path = quoted(Path::new(database));
    terminal.line(&format!("To use it: folkmoot --store {path} worlds"))
}
