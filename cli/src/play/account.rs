//! Accounts of plays: how they ended, and what is left to do.

use folkmoot::Runtime;
use folkmoot::core::ids::WorldName;
use folkmoot::core::world::Activity;
use folkmoot::run::{FailedTurn, Report, RunError, Waiting, failed_turns};
use folkmoot::script::Script;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::arguments::CommonArgs;
use crate::exit::{CliError, FAILED, PENDING};
use crate::show;
use crate::terminal::Terminal;
use crate::text::counted;

/// The account of a play that did all its steps, or came as far as it could.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Account {
    /// The world.
    pub(crate) world: WorldName,
    /// The end.
    pub(crate) end: PlayEnd,
    /// The turns that failed for good, and that no step expects.
    failed: Vec<FailedTurn>,
    /// The number of events that the world has.
    events: u64,
}

/// The end of a play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlayEnd {
    /// It did all its steps.
    Over(Report),
    /// It could not go on: these requests wait for people.
    Parked(Vec<Waiting>),
}

impl Account {
    /// Takes the account of `script` in the world `name`, whose play ended so.
    pub(crate) async fn of(
        runtime: &Runtime,
        script: &Script,
        name: &WorldName,
        outcome: Result<Report, RunError>,
    ) -> Result<Self, CliError> {
        let end = match outcome {
            Ok(report) => PlayEnd::Over(report),
            Err(RunError::Parked(waiting)) => PlayEnd::Parked(waiting),
            Err(error) => return Err(error.into()),
        };
        let failed = failed_turns(runtime, script, name).await?;
        let entry = runtime.log().find(name).await?;
        Ok(Self {
            world: name.clone(),
            end,
            failed,
            events: entry.map_or(0, |entry| entry.head.get()),
        })
    }

    /// Says how the play ended; the exit code tells the same.
    pub(crate) fn conclude(&self, common: &CommonArgs) -> Result<(), CliError> {
        match &self.end {
            PlayEnd::Over(report) => {
                if common.json {
                    Terminal::new().json(&report_json(report, &self.failed))?;
                } else {
                    self.farewell(common, report)?;
                }
                let waits = report.activity == Activity::Parked || !report.waiting.is_empty();
                end(&self.failed, waits)
            }
            PlayEnd::Parked(waiting) => {
                let mut terminal = Terminal::new();
                if common.json {
                    let Self { world, failed, .. } = self;
                    let account = json!({ "world": world, "waiting": waiting, "failed": failed });
                    terminal.json(&account)?;
                } else {
                    show::request::pending(&mut terminal, common, &self.world, waiting)?;
                }
                end(&self.failed, true)
            }
        }
    }

    /// Says what was kept where, and what can be done with it.
    fn farewell(&self, common: &CommonArgs, report: &Report) -> Result<(), CliError> {
        let name = &self.world;
        let mut terminal = Terminal::new();
        let steps = report.done.saturating_add(report.done_before);
        let played = match (steps, report.done) {
            (0, _) => String::new(),
            (_, 0) => format!("{}, checked again, all as before. ", counted(steps, "step")),
            (_, _) => format!("{}, all as the script says. ", counted(steps, "step")),
        };
        let program = common.program();
        terminal.line("")?;
        terminal.line(&format!(
            "Run {} of {name}: {played}{} are kept in {}.",
            report.run,
            counted(self.events, "event"),
            common.store
        ))?;
        terminal.line(&format!("See the events:    {program} log {name}"))?;
        terminal.line(&format!("See how it stands: {program} replay {name}"))?;
        if !report.waiting.is_empty() {
            show::request::pending(&mut terminal, common, name, &report.waiting)?;
        }
        Ok(())
    }
}

/// The end of a run that did all its steps, or came as far as it could: a turn that failed, and
/// that nobody expected, counts for more than what waits for people.
fn end(failed: &[FailedTurn], waits: bool) -> Result<(), CliError> {
    for FailedTurn { agent, at, branch } in failed {
        let of = branch
            .as_ref()
            .map(|branch| format!(" of {branch}"))
            .unwrap_or_default();
        show::complain(&format!(
            "a turn of {agent} failed for good at event {at}{of}, and no step expects that"
        ));
    }
    match (failed.is_empty(), waits) {
        (false, _) => Err(CliError::Said(FAILED)),
        (true, true) => Err(CliError::Said(PENDING)),
        (true, false) => Ok(()),
    }
}

fn report_json(report: &Report, failed: &[FailedTurn]) -> serde_json::Value {
    json!({
        "world": report.world,
        "run": report.run,
        "done": report.done,
        "done_before": report.done_before,
        "activity": report.activity,
        "waiting": report.waiting,
        "failed": failed,
    })
}
