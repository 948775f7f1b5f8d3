//! `folkmoot verify`.

use std::path::PathBuf;

use folkmoot::WorldName;
use folkmoot::audit::{AuditVerdict, Check, READING, Redecision, WorldReport};
use folkmoot::core::ids::{Position, WorldId};
use folkmoot::core::port::ReadError;
use folkmoot::store::{RebuiltWorld, Survey, examine};
use folkmoot::view::verify::{ELSEWHERE, GivenAnchors, VerifyQuery, VerifyStep};
use folkmoot::{FoldError, audit, file};
use futures::TryStreamExt as _;

use crate::arguments::{CommonArgs, VerifyArgs};
use crate::exit::{CliError, FINE, INTEGRITY, NOT_CHECKED, STORE};
use crate::show::one_line;
use crate::show::verify::{Sum, block};
use crate::signing;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::text::counted;
use crate::view::query::Query;

/// Checks a world, or all. A world that cannot be checked does not hide the others.
pub(crate) async fn verify(common: &CommonArgs, arguments: VerifyArgs) -> Result<(), CliError> {
    let given = given(arguments.against, &arguments.trust)?;
    let mut terminal = Terminal::new();
    let source = StoreSource::look(common).await?;
    if let Some(survey) = source.survey() {
        tell_damage(common, survey, &mut terminal)?;
        return examined(common, arguments.world.as_ref(), &given, &mut terminal).await;
    }
    let Some(world) = arguments.world else {
        return all(common, source, &given, &mut terminal).await;
    };
    let (_, report) = report(source, world, given).await?;
    if common.json {
        terminal.document(&report)?;
    } else {
        show(&mut terminal, &report)?;
    }
    exit(code(&report))
}

/// Reads the files of anchors.
fn given(files: Vec<PathBuf>, trusted: &[String]) -> Result<GivenAnchors, CliError> {
    let keys = trusted
        .iter()
        .map(|key| Ok(signing::verifier(key)?.to_string()))
        .collect::<Result<_, CliError>>()?;
    let read = |file: PathBuf| match file::text(&file) {
        Ok(text) => Ok((file, text)),
        Err(error) => Err(CliError::other(
            NOT_CHECKED,
            format!("the anchors {}: {}", file.display(), file::why(&error)),
        )),
    };
    Ok(GivenAnchors {
        anchors: files.into_iter().map(read).collect::<Result<_, _>>()?,
        keys,
    })
}

async fn all(
    common: &CommonArgs,
    source: StoreSource,
    given: &GivenAnchors,
    terminal: &mut Terminal,
) -> Result<(), CliError> {
    let names = source
        .another(common)
        .await?
        .ask(Query::Names)
        .await?
        .all()
        .await?;
    let mut sum = Sum::default();
    let mut worst = FINE;
    let mut missing = given.read().0.worlds();
    for name in names {
        let world: WorldName = serde_json::from_value(name).map_err(CliError::json)?;
        let found = report(source.another(common).await?, world.clone(), given.clone()).await;
        let (id, mut report) = found.unwrap_or_else(|error| (None, unreadable(world, &error)));
        missing.retain(|missing| Some(*missing) != id);
        // The anchors of some worlds are no fault of the others.
        report
            .checks
            .retain(|check| check.name != audit::ANCHORS || check.detail != ELSEWHERE);
        tell(common, terminal, &report)?;
        sum.add(&report);
        worst = worse(worst, code(&report));
    }
    if !common.json {
        terminal.line(&sum.line())?;
    }
    for world in missing {
        crate::show::complain(&format!(
            "an anchor is about the world {world}, which is not in this store"
        ));
        worst = worse(worst, NOT_CHECKED);
    }
    exit(worst)
}

/// Tells what of a damaged store is not as it was written, where, and how much of each world is
/// whole.
fn tell_damage(
    common: &CommonArgs,
    survey: &Survey,
    terminal: &mut Terminal,
) -> Result<(), CliError> {
    if common.json {
        return terminal.json(survey);
    }
    for damage in &survey.store {
        terminal.line(&format!("the store: {}", one_line(&damage.what)))?;
    }
    survey
        .worlds
        .iter()
        .try_for_each(|world| terminal.line(&whole(world)))
}

/// Says how much of a world is whole, and which event is the first that is not.
fn whole(world: &RebuiltWorld) -> String {
    let RebuiltWorld {
        kept, known, lost, ..
    } = world;
    let name = world
        .name
        .as_ref()
        .map_or_else(|| world.world.to_string(), |name| one_line(name.as_str()));
    match lost {
        None => format!("{name}: whole, {}", counted(kept.get(), "event")),
        Some(lost) if kept == known => {
            let events = counted(kept.get(), "event");
            format!("{name}: whole, {events}; {}", one_line(lost))
        }
        Some(lost) => {
            format!(
                "{name}: whole up to event {kept} of {known}, the first one hit is {}; {}",
                kept.next(),
                one_line(lost)
            )
        }
    }
}

/// Checks what can be checked of a damaged store.
async fn examined(
    common: &CommonArgs,
    world: Option<&WorldName>,
    given: &GivenAnchors,
    terminal: &mut Terminal,
) -> Result<(), CliError> {
    let (against, unusable) = given.read();
    let dir = common.store.folder()?.to_owned();
    let found = tokio::task::spawn_blocking(move || examine(dir, None, &against)).await;
    let found = found.map_err(|error| CliError::other(STORE, error.to_string()))??;
    for mut report in audit::closed(&found) {
        if world.is_none_or(|world| *world == report.world) {
            report.checks.extend(unusable.iter().cloned());
            tell(common, terminal, &report)?;
        }
    }
    // Whatever is said of its worlds, the store is not what was written.
    exit(INTEGRITY)
}

/// Tells one of several reports.
fn tell(
    common: &CommonArgs,
    terminal: &mut Terminal,
    report: &WorldReport,
) -> Result<(), CliError> {
    if common.json {
        terminal.json(report)
    } else {
        show(terminal, report)
    }
}

fn show(terminal: &mut Terminal, report: &WorldReport) -> Result<(), CliError> {
    block(report)
        .iter()
        .try_for_each(|line| terminal.line(line))
}

/// Asks for a world's report; gives its id with it.
pub(crate) async fn report(
    source: StoreSource,
    world: WorldName,
    given: GivenAnchors,
) -> Result<(Option<WorldId>, WorldReport), CliError> {
    let mut answer = source
        .ask(Query::Verify(VerifyQuery { world, given }))
        .await?;
    let mut id = None;
    while let Some(value) = answer.try_next().await? {
        match serde_json::from_value(value).map_err(CliError::json)? {
            VerifyStep::Begins(world) => id = Some(world),
            VerifyStep::Report(report) => return Ok((id, *report)),
        }
    }
    Err(CliError::other(STORE, "the holder gave no answer"))
}

/// The report of a world of which nothing could be read.
fn unreadable(world: WorldName, error: &CliError) -> WorldReport {
    let check = if let CliError::Fold(FoldError::Read(ReadError::Damaged { at, what })) = error {
        Check::done(READING, AuditVerdict::DamagedAt(*at), what.clone())
    } else {
        Check::missed(READING, error.to_string())
    };
    let again = Check::missed(audit::RE_DECISION, "the log does not read");
    WorldReport {
        world,
        head: Position::ZERO,
        checks: vec![check, again],
        redecision: Redecision::default(),
    }
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
    if one == INTEGRITY || other == INTEGRITY {
        INTEGRITY
    } else {
        one.max(other)
    }
}

/// The checks said it all.
const fn exit(code: u8) -> Result<(), CliError> {
    if code == FINE {
        Ok(())
    } else {
        Err(CliError::Said(code))
    }
}
