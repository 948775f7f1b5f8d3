//! `folkmoot verify`.

use folkmoot::WorldName;
use folkmoot::audit::{Check, READING, Redecision, Verdict, WorldReport};
use folkmoot::core::ids::Position;
use folkmoot::core::port::ReadError;
use folkmoot::{FoldError, audit};
use futures::TryStreamExt as _;

use crate::arguments::{Common, Verify};
use crate::exit::{CliError, FINE, INTEGRITY, NOT_CHECKED, STORE};
use crate::show::verify::{Sum, block};
use crate::source::Source;
use crate::terminal::Terminal;
use crate::view::query::Query;
use crate::view::verify::VerifyStep;

/// Checks a world, or all. A world that cannot be checked does not hide the others.
pub(crate) async fn verify(common: &Common, arguments: Verify) -> Result<(), CliError> {
    let source = Source::open(common).await?;
    let mut terminal = Terminal::new();
    let Some(world) = arguments.world else { return all(common, source, &mut terminal).await };
    let report = report(source, world).await?;
    if common.json {
        terminal.document(&report)?;
    } else {
        show(&mut terminal, &report)?;
    }
    exit(code(&report))
}

async fn all(common: &Common, source: Source, terminal: &mut Terminal) -> Result<(), CliError> {
    let names = source.another(common).await?.ask_all(Query::Names).await?;
    let (mut sum, mut worst) = (Sum::default(), FINE);
    for name in names {
        let world: WorldName = serde_json::from_value(name).map_err(CliError::json)?;
        let found = report(source.another(common).await?, world.clone()).await;
        let report = found.unwrap_or_else(|error| unreadable(world, &error));
        if common.json {
            terminal.json(&report)?;
        } else {
            show(terminal, &report)?;
        }
        sum.add(&report);
        worst = worse(worst, code(&report));
    }
    if !common.json {
        terminal.line(&sum.line())?;
    }
    exit(worst)
}

fn show(terminal: &mut Terminal, report: &WorldReport) -> Result<(), CliError> {
    block(report).iter().try_for_each(|line| terminal.line(line))
}

async fn report(source: Source, world: WorldName) -> Result<WorldReport, CliError> {
    let mut answer = source.ask(Query::Verify(world)).await?;
    while let Some(value) = answer.try_next().await? {
        if let VerifyStep::Report(report) = serde_json::from_value(value).map_err(CliError::json)? {
            return Ok(*report);
        }
    }
    Err(CliError::other(STORE, "the holder gave no answer"))
}

/// The report of a world of which nothing could be read.
fn unreadable(world: WorldName, error: &CliError) -> WorldReport {
    let check = if let CliError::Fold(FoldError::Read(ReadError::Damaged { at, what })) = error {
        Check::done(READING, Verdict::DamagedAt(*at), what.clone())
    } else {
        Check::missed(READING, error.to_string())
    };
    let again = Check::missed(audit::RE_DECISION, "the log does not read");
    WorldReport { world, head: Position::ZERO, checks: vec![check, again], redecision: Redecision::default() }
}

/// The exit code of a report: damage and divergence weigh most.
fn code(report: &WorldReport) -> u8 {
    if report.checks.iter().any(Check::is_bad) {
        INTEGRITY
    } else if report.checks.iter().any(|check| check.is_missed) {
        NOT_CHECKED
    } else {
        FINE
    }
}

fn worse(one: u8, other: u8) -> u8 {
    if one == INTEGRITY || other == INTEGRITY { INTEGRITY } else { one.max(other) }
}

/// The checks said it all.
const fn exit(code: u8) -> Result<(), CliError> {
    if code == FINE { Ok(()) } else { Err(CliError::Said(code)) }
}
