//! `folkmoot test`.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use folkmoot::definition_of;
use folkmoot::run::{FailedTurn, RunOptions, Unwatched, failed_turns, run_script};
use folkmoot::script::Script;
use folkmoot::store::OpenMode;
use folkmoot::{Runtime, Store};
use futures::{StreamExt as _, stream};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::arguments::{CommonArgs, TestArgs};
use crate::exit::{CliError, FAILED, INTERRUPTED};
use crate::new_file::NewFile;
use crate::recording::Recording;
use crate::session::{Premises, builder};
use crate::show::style::{BAD, GOOD, paint};
use crate::show::{ErrorReport, clean};
use crate::terminal::Terminal;
use crate::text::counted;
use crate::{credentials, interrupt, person};

/// Plays each script in a store of its own, as many at a time as there are processors, and says
/// which of them hold.
pub(crate) async fn test(common: &CommonArgs, arguments: &TestArgs) -> Result<(), CliError> {
    person::refuse_tools()?;
    // A file that cannot be written is refused before anything is played.
    let junit = arguments
        .junit
        .as_deref()
        .map(NewFile::beside)
        .transpose()?;
    let trials = tokio::select! {
        trials = try_all(common, arguments.scripts.clone()) => trials?,
        () = interrupt::first() => return Err(CliError::Said(INTERRUPTED)),
    };
    if let (Some(mut file), Some(path)) = (junit, &arguments.junit) {
        file.write(report(&trials)?.as_bytes())?;
        file.finish(path, true)?;
    }
    let failed = trials.iter().filter(|trial| trial.fault.is_some()).count();
    if !common.json {
        Terminal::new().line(&summary(trials.len(), failed))?;
    }
    if failed == 0 {
        Ok(())
    } else {
        Err(CliError::Said(FAILED))
    }
}

/// Plays all scripts, and tells of each in the order in which they were named.
async fn try_all(common: &CommonArgs, scripts: Vec<PathBuf>) -> Result<Vec<Trial>, CliError> {
    let at_once = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut playing = stream::iter(scripts)
        .map(|script| tokio::spawn(Trial::of(script)))
        .buffered(at_once);
    let mut trials = Vec::new();
    while let Some(trial) = playing.next().await {
        let trial = trial.map_err(|error| CliError::other(FAILED, error.to_string()))?;
        trial.tell(common)?;
        trials.push(trial);
    }
    Ok(trials)
}

fn summary(all: usize, failed: usize) -> String {
    let scripts = counted(all, "script");
    match (all, failed) {
        (1, 0) => format!("{scripts}: it holds."),
        (_, 0) => format!("{scripts}: all hold."),
        (_, _) => format!("{scripts}: {failed} failed."),
    }
}

/// The outcome of one script.
struct Trial {
    /// The script's file, as it was named.
    file: PathBuf,
    /// How many steps the script has; 0 if it cannot be read.
    steps: usize,
    /// How long it played.
    took: Duration,
    /// The first thing that went wrong; `None` if all went as the script says.
    fault: Option<CliError>,
}

impl Trial {
    async fn of(file: PathBuf) -> Self {
        let begun = Instant::now();
        let mut steps = 0;
        let fault = Box::pin(play(&file, &mut steps)).await.err();
        Self {
            file,
            steps,
            took: begun.elapsed(),
            fault,
        }
    }

    fn tell(&self, common: &CommonArgs) -> Result<(), CliError> {
        let mut terminal = Terminal::new();
        if common.json {
            return terminal.json(&serde_json::json!({
                "script": self.file,
                "steps": self.steps,
                "seconds": self.took.as_secs_f64(),
                "holds": self.fault.is_none(),
                "error": self.fault.as_ref().map(|fault| ErrorReport::of(common, fault).to_json()),
            }));
        }
        let name = clean(&self.file.display().to_string());
        let Some(fault) = &self.fault else {
            let steps = counted(self.steps, "step");
            let took = self.took.as_secs_f64();
            let line = format!("{name}  {steps}, {took:.1} s");
            return terminal.line(&format!("{}  {line}", paint(GOOD, "ok    ")));
        };
        terminal.line(&format!("{}  {name}", paint(BAD.bold(), "FAILED")))?;
        ErrorReport::of(common, fault).say();
        Ok(())
    }
}

/// Plays the script in `file` from its start, in a store that is gone afterwards. `steps` is set as
/// soon as it is known.
async fn play(file: &Path, steps: &mut usize) -> Result<(), CliError> {
    let script = Script::load(file)?;
    *steps = script.steps.len();
    credentials::check(&definition_of(&script, &script.spec)?)?;
    let folder = tempfile::tempdir()
        .map_err(|error| CliError::other(FAILED, format!("no folder for the store: {error}")))?;
    let dir = folder.path().join("store");
    let store = Store::open(&dir, OpenMode::Create)?;
    let runtime = builder(&store, &dir, &Recording::default(), Premises::default())?.build();
    let result = Box::pin(hold(&runtime, &script)).await;
    runtime.shutdown().await;
    drop(runtime);
    let closed = tokio::task::spawn_blocking(move || store.close()).await;
    result.and(
        closed
            .map_err(|error| CliError::other(FAILED, error.to_string()))?
            .map_err(Into::into),
    )
}

/// Runs the script, and refuses a turn that failed for good where no step expects that.
async fn hold(runtime: &Runtime, script: &Script) -> Result<(), CliError> {
    let options = RunOptions {
        by: person::proof(None),
        ..RunOptions::default()
    };
    let report = Box::pin(run_script(runtime, script, &options, &mut Unwatched)).await?;
    match failed_turns(runtime, script, &report.world).await?.first() {
        Some(FailedTurn { agent, at, .. }) => Err(CliError::other(
            FAILED,
            format!("a turn of {agent} failed for good at event {at}, and no step expects that"),
        )),
        None => Ok(()),
    }
}

/// The outcome of all, as JUnit XML.
fn report(trials: &[Trial]) -> Result<String, CliError> {
    let mut suite = TestSuite::new("folkmoot");
    for trial in trials {
        let status = match &trial.fault {
            None => TestCaseStatus::success(),
            Some(fault) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(fault.to_string());
                status
            }
        };
        let mut case = TestCase::new(trial.file.display().to_string(), status);
        case.set_time(trial.took);
        suite.add_test_case(case);
    }
    let mut report = Report::new("folkmoot test");
    report.add_test_suite(suite);
    report
        .to_string()
        .map_err(|error| CliError::other(FAILED, format!("cannot write JUnit XML: {error}")))
}
