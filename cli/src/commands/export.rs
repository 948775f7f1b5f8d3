//! `folkmoot export`.

use folkmoot::audit::Check;
use folkmoot::core::audit::AuditVerdict;
use folkmoot::core::ids::WorldName;
use folkmoot::export::{CheckVerdict, ExportFormat, Integrity};
use folkmoot::view::verify::GivenAnchors;
use futures::TryStreamExt as _;
use serde_json::Value;

use crate::arguments::{CommonArgs, ExportArgs, ExportForm};
use crate::commands::export_bundle::export_bundle;
use crate::commands::verify::report;
use crate::exit::{CliError, STORE, USAGE};
use crate::new_file::{self, NewFile};
use crate::otlp;
use crate::show::remark;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::view::answer::ValueStream;
use crate::view::query::ExportQuery;
use crate::view::query::Query;

/// Writes a world down.
pub(crate) async fn export(common: &CommonArgs, arguments: ExportArgs) -> Result<(), CliError> {
    let target = arguments
        .output
        .clone()
        .filter(|path| path.as_os_str() != "-");
    if let Some(path) = &target {
        new_file::check(path, arguments.force)?;
    }
    let is_otlp = matches!(arguments.format, ExportForm::Read(ExportFormat::Otlp(_)));
    if arguments.is_about_spans() && !is_otlp {
        let why = "--endpoint and --content are for --format otlp";
        return Err(CliError::other(USAGE, why));
    }
    let ExportForm::Read(format) = arguments.format else {
        return export_bundle(common, arguments, target.as_deref()).await;
    };
    if arguments.is_about_evidence() {
        return Err(CliError::other(
            USAGE,
            "--events, --why and --note are for --format bundle",
        ));
    }
    let endpoint = arguments.endpoint.as_ref();
    let collector = endpoint.map(|given| otlp::collector(given.as_deref()));
    let collector = collector.transpose()?;
    let format = arguments.telling(format);
    let world = arguments.world;
    let force = arguments.force;
    let source = StoreSource::look(common).await?;
    let integrity = match format {
        ExportFormat::Html => integrity(source.another(common).await?, world.clone()).await?,
        ExportFormat::Markdown | ExportFormat::Lines | ExportFormat::Otlp(_) => {
            Integrity::NotChecked
        }
    };
    let query = ExportQuery {
        world,
        format,
        integrity,
    };
    let pieces = source.ask(Query::Export(query)).await?;
    if let Some(collector) = collector {
        let sent = otlp::send(&collector, pieces).await?;
        if !common.quiet {
            remark(&sent);
        }
        return Ok(());
    }
    let Some(path) = target else {
        return print(pieces).await;
    };
    let mut file = NewFile::beside(&path)?;
    write(pieces, |piece| file.write(piece.as_bytes())).await?;
    file.finish(&path, force)?;
    if !common.quiet {
        remark(&format!("{} is written", path.display()));
    }
    Ok(())
}

/// Verifies the world, for the report.
async fn integrity(source: StoreSource, world: WorldName) -> Result<Integrity, CliError> {
    let (_, report) = report(source, world, GivenAnchors::default()).await?;
    let line = |check: Check| {
        let verdict = match check.verdict {
            AuditVerdict::Intact => CheckVerdict::Intact,
            AuditVerdict::DamagedAt(at) => {
                CheckVerdict::Broken(format!("damaged at {at}: {}", check.detail))
            }
            AuditVerdict::DivergedAt(at) => {
                CheckVerdict::Broken(format!("diverged at {at}: {}", check.detail))
            }
            AuditVerdict::RulesNotInThisBuild | AuditVerdict::Erased | AuditVerdict::NotChecked => {
                CheckVerdict::NotChecked(check.detail)
            }
        };
        (check.name, verdict)
    };
    Ok(Integrity::Checked {
        lines: report.checks.into_iter().map(line).collect(),
    })
}

async fn print(pieces: ValueStream) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    write(pieces, |piece| terminal.piece(piece)).await
}

async fn write(
    mut pieces: ValueStream,
    mut put: impl FnMut(&str) -> Result<(), CliError>,
) -> Result<(), CliError> {
    while let Some(piece) = pieces.try_next().await? {
        let Value::String(piece) = piece else {
            return Err(CliError::other(STORE, "the holder's answer is no export"));
        };
        put(&piece)?;
    }
    Ok(())
}
