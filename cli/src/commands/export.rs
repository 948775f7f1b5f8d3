//! `folkmoot export`.

use futures::TryStreamExt as _;
use serde_json::Value;

use crate::arguments::{Common, Export, Form};
use crate::commands::export_bundle::export_bundle;
use crate::exit::{CliError, STORE, USAGE};
use crate::new_file::{self, NewFile};
use crate::show::remark;
use crate::source::Source;
use crate::terminal::Terminal;
use crate::view::export::ExportQuery;
use crate::view::query::{Answer, Query};

/// Writes a world down.
pub(crate) async fn export(common: &Common, arguments: Export) -> Result<(), CliError> {
    let target = arguments.output.clone().filter(|path| path.as_os_str() != "-");
    if let Some(path) = &target {
        new_file::check(path, arguments.force)?;
    }
    let Form::Read(format) = arguments.format else { return export_bundle(common, arguments, target.as_deref()).await };
    if arguments.is_about_evidence() {
        return Err(CliError::other(USAGE, "--events, --why and --note are for --format bundle"));
    }
    let (world, force) = (arguments.world, arguments.force);
    let query = ExportQuery { world, format, integrity: folkmoot::export::Integrity::NotChecked };
    let pieces = Source::open(common).await?.ask(Query::Export(query)).await?;
    let Some(path) = target else { return print(pieces).await };
    let mut file = NewFile::beside(&path)?;
    write(pieces, |piece| file.write(piece.as_bytes())).await?;
    file.finish(&path, force)?;
    if !common.quiet {
        remark(&format!("{} is written", path.display()));
    }
    Ok(())
}

async fn print(pieces: Answer) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    write(pieces, |piece| terminal.piece(piece)).await
}

async fn write(mut pieces: Answer, mut put: impl FnMut(&str) -> Result<(), CliError>) -> Result<(), CliError> {
    while let Some(piece) = pieces.try_next().await? {
        let Value::String(piece) = piece else {
            return Err(CliError::other(STORE, "the holder's answer is no export"));
        };
        put(&piece)?;
    }
    Ok(())
}
