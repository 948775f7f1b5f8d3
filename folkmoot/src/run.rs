//! Running world scripts.
//!
//! A step is recorded under (run, index): a script that was cut off goes on where it was, and repeats nothing.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use folkmoot_agents::{
    FoldError, OpenError, Opening, Perform, Proof, Runtime, SeatError, WorldHandle, fold_world,
};
use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::StepKey;
use folkmoot_core::ids::WorldName;
use folkmoot_core::spec::Definition;
use folkmoot_core::world::{Activity, ScriptProgress, World};
use serde::{Deserialize, Serialize};

use crate::room::{DefinitionError, definition_of};
use crate::script::{Fault, Script, SpecDraft, Step, Verb};

use self::fuse::Fuse;

mod attach;
mod decision;
mod evidence;
mod expectation;
mod failed;
mod fork;
mod fuse;
mod grant;
mod message;
mod refused;
mod revision;
mod step;

pub use expectation::Unmet;
pub use failed::{FailedTurn, failed_turns};
pub use folkmoot_agents::{Asks, Offers, Waiting, waiting};
pub use fork::branch_of;
pub use grant::{OutdatedRule, Standing, outdated_rules, standing};
pub use refused::refused_because;
pub(crate) use refused::told;
pub use revision::Revision;

folkmoot_core::debug_in_words!(RunError);

/// How a script is run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// The world's name, instead of the script's.
    pub world: Option<WorldName>,
    /// What to do about a world that exists.
    pub begin: Begin,
    /// Stay while requests wait, so that somebody else can decide them.
    pub wait: bool,
    /// Keep the recorded definition.
    pub keep_spec: bool,
    /// True if the room may become that of another file, or have another policy.
    pub revise: bool,
    /// Who runs the script. Changes of the definition are theirs, and so is what the script's people do once somebody else
    /// has acted in the world. `None`: nobody whom a log could name.
    pub by: Option<Proof>,
    /// The clock of a new world, instead of [`Script::clock_kind`].
    pub clock: Option<ClockKind>,
    /// Whether owed work is done, and in which order its outcomes are taken up.
    pub perform: Perform,
    /// The folder that the world says it lies in, instead of the script's.
    pub base: Option<PathBuf>,
}

/// What a run does about a world that exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Begin {
    /// Go on where the script was; a finished one is checked again.
    #[default]
    GoOn,
    /// The same, but a finished script begins its next run.
    Again,
    /// Refuse it.
    Fresh,
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was done now.
    Done,
    /// It is recorded already.
    DoneBefore,
    /// It is recorded, and what it expects held there.
    HeldBefore,
}

/// Is told how a run goes.
pub trait Watch: Send + Sync {
    /// The world was opened, or reopened.
    fn opened(&mut self, world: &WorldHandle);
    /// A step is about to be done.
    fn begins(&mut self, index: usize, step: &Step);
    /// A step is done.
    fn ended(&mut self, index: usize, step: &Step, outcome: &Outcome);
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn opened(&mut self, _world: &WorldHandle) {}
    fn begins(&mut self, _index: usize, _step: &Step) {}
    fn ended(&mut self, _index: usize, _step: &Step, _outcome: &Outcome) {}
}

/// How a run ended well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The world.
    pub world: WorldName,
    /// The run, from 1.
    pub run: u32,
    /// How many steps were done now.
    pub done: usize,
    /// How many were recorded before.
    pub done_before: usize,
    /// What the world is doing.
    pub activity: Activity,
    /// The requests that still wait.
    pub waiting: Vec<Waiting>,
}

/// Why a run ended.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The script has no definition.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// The world cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The world exists, and a fresh one was asked for.
    #[error("the world {0} exists already: give another name with --world, or leave --world out")]
    Exists(WorldName),
    /// A recorded step reads otherwise now.
    #[error("{0}")]
    Edited(Box<Fault>),
    /// The room would become another one, and nobody asked for that.
    #[error(
        "the world {} is another room: {}. Run the script in another world with --world NAME, keep the room with --spec keep, \
         or change it with --revise",
        .0.world,
        .0.lines().join("; ")
    )]
    Revises(Box<Revision>),
    /// A step did not do what it should.
    #[error("{0}")]
    Failed(Box<Fault>),
    /// What a step expects did not hold.
    #[error("{}", .0.fault)]
    Unmet(Box<Unmet>),
    /// Requests wait for a person, and nobody here decides them.
    #[error("{} for a person", waits(.0))]
    Parked(Vec<Waiting>),
    /// The world stopped.
    #[error("the world stopped: {0}")]
    Stopped(String),
    /// The log does not read.
    #[error("the log cannot be read")]
    Fold(#[from] FoldError),
}

fn waits(waiting: &[Waiting]) -> String {
    let names: Vec<&str> = waiting.iter().map(|one| one.name.as_str()).collect();
    let verb = if names.len() == 1 { "waits" } else { "wait" };
    format!("{} {verb}", names.join(", "))
}

impl From<SeatError> for RunError {
    fn from(error: SeatError) -> Self {
        Self::Stopped(error.to_string())
    }
}

/// A run under way.
pub(crate) struct Run<'a> {
    /// The caller's runtime, with the fuse at the gate of its log.
    pub(crate) runtime: Runtime,
    pub(crate) script: &'a Script,
    pub(crate) options: &'a RunOptions,
    pub(crate) name: WorldName,
    pub(crate) world: WorldHandle,
    pub(crate) run: u32,
    pub(crate) fuse: Arc<Fuse>,
    /// The branches that this run has opened. One that an earlier run left open appends past the fuse.
    pub(crate) branches: BTreeSet<WorldName>,
    pub(crate) watch: &'a mut dyn Watch,
}

/// Runs `script` in `runtime`: begins its world or goes on with it. One that is open there already is gone on with as it is,
/// if the script neither changes its definition first nor stops it.
///
/// # Errors
/// [`RunError`]. The world stays open in the runtime, so that what it owes can be seen.
pub async fn run_script(
    runtime: &Runtime,
    script: &Script,
    options: &RunOptions,
    watch: &mut dyn Watch,
) -> Result<Report, RunError> {
    let name = options
        .world
        .clone()
        .unwrap_or_else(|| script.world.clone());
    let fuse = Arc::new(Fuse::default());
    let runtime = runtime.through(Arc::clone(&fuse) as _);
    let recorded = recorded(&runtime, &name).await?.map(Box::new);
    if recorded.is_some() && options.begin == Begin::Fresh {
        return Err(RunError::Exists(name));
    }
    // All that can be refused is refused before anything is appended.
    if let Some(world) = &recorded {
        check_edits(script, &name, world.script())?;
    }
    let opening = opening_of(script, options, &name, recorded.as_deref())?;
    let is_in_force = recorded.is_some_and(|world| leaves_as_it_is(script, &opening, &world));
    let world = match Box::pin(runtime.open(opening)).await {
        // Others in this process have it open: it goes on as theirs.
        Err(error @ OpenError::AlreadyOpen(_)) if is_in_force => {
            runtime.world(&name).ok_or(error)?
        }
        opened => opened?,
    };
    let progress = world
        .operator()
        .read(|world| world.script().clone())
        .await?;
    watch.opened(&world);
    let mut run = Run {
        runtime,
        script,
        options,
        name,
        world,
        run: progress.run.max(1),
        fuse,
        branches: BTreeSet::new(),
        watch,
    };
    if run.is_finished(&progress) {
        if options.begin != Begin::Again {
            return run.check_again(&progress).await;
        }
        run.run = run.run.saturating_add(1);
    }
    run.drive().await
}

/// The first name that no world of the log has: the script's own, then `NAME-2`, `NAME-3` and so on.
///
/// # Errors
/// [`RunError`] if the log cannot be read, or if the script's name is too long to be numbered.
pub async fn fresh_name(runtime: &Runtime, script: &Script) -> Result<WorldName, RunError> {
    let mut name = script.world.clone();
    for number in 2_u64.. {
        let entry = runtime.log().find(&name).await.map_err(FoldError::from)?;
        if entry.is_none() {
            break;
        }
        name = WorldName::new(format!("{}-{number}", script.world))
            .map_err(|_| RunError::Exists(name))?;
    }
    Ok(name)
}

/// The world as it is recorded; `None` if there is none.
async fn recorded(runtime: &Runtime, name: &WorldName) -> Result<Option<World>, RunError> {
    match fold_world(&**runtime.log(), name, None).await {
        Ok(world) => Ok(Some(world)),
        Err(FoldError::NoSuchWorld(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns how the world is opened: with the definition in force where the script stands, unless the recorded one is kept.
fn opening_of(
    script: &Script,
    options: &RunOptions,
    name: &WorldName,
    recorded: Option<&World>,
) -> Result<Opening, RunError> {
    let Some(world) = recorded else {
        return Ok(opening(
            script,
            options,
            name,
            Some(definition_of(script, &script.spec)?),
        ));
    };
    let definition = if options.keep_spec {
        world.definition()
    } else {
        definition_of(script, spec_of(script, options, world))?
    };
    let mut opening = opening(
        script,
        options,
        name,
        Some(definition.clone()).filter(|_| !options.keep_spec),
    );
    let base = opening.base.clone().unwrap_or_default();
    let revision = Revision::of(name, world, &definition, &base);
    if options.keep_spec && revision.is_a_copy {
        // What is kept is the room with its folders.
        opening.base = None;
        return Ok(opening);
    }
    if options.revise
        || !revision.has_to_be_asked_for()
        || is_next_run(script, options, world, &revision)?
    {
        return Ok(opening);
    }
    Err(RunError::Revises(Box::new(revision)))
}

/// Tells whether the script can be run in `world` while others have it open: `opening` changes nothing, and no step stops it.
fn leaves_as_it_is(script: &Script, opening: &Opening, world: &World) -> bool {
    let base = opening.base.as_ref().map(|base| base.to_string_lossy());
    base.is_none_or(|base| world.base() == Some(&*base))
        && opening
            .definition
            .as_ref()
            .is_none_or(|definition| world.is_in_force(definition))
        && !script.steps.iter().any(|step| step.verb.stops_world())
}

/// Tells whether the room goes back to where the script begins from where the script itself has brought it.
fn is_next_run(
    script: &Script,
    options: &RunOptions,
    world: &World,
    revision: &Revision,
) -> Result<bool, RunError> {
    if options.begin != Begin::Again || revision.other_file.is_some() {
        return Ok(false);
    }
    let last = definition_of(script, script.spec_before(script.steps.len()))?;
    Ok(world.is_in_force(&last))
}

/// The spec in force where the script stands: that of the last recorded `revise`, or the script's own.
fn spec_of<'s>(script: &'s Script, options: &RunOptions, world: &World) -> &'s SpecDraft {
    let done = world
        .script()
        .done
        .keys()
        .next_back()
        .map_or(0, |last| index(*last).saturating_add(1));
    let is_again = options.begin == Begin::Again && done >= script.steps.len();
    script.spec_before(if is_again { 0 } else { done })
}

fn opening(
    script: &Script,
    options: &RunOptions,
    name: &WorldName,
    definition: Option<Definition>,
) -> Opening {
    Opening {
        definition,
        base: Some(
            options
                .base
                .clone()
                .unwrap_or_else(|| absolute(&script.base)),
        ),
        clock: options.clock.unwrap_or_else(|| script.clock_kind()),
        perform: options.perform,
        by: options.by.clone(),
        ..Opening::recorded(name.clone())
    }
}

/// A recorded step that says something else now is refused before anything is done.
fn check_edits(
    script: &Script,
    name: &WorldName,
    progress: &ScriptProgress,
) -> Result<(), RunError> {
    let edited = |(number, step): &(u32, &Step)| {
        progress
            .done
            .get(number)
            .is_some_and(|record| record.digest != step.digest)
    };
    let Some((number, step)) = (0..).zip(&script.steps).find(edited) else {
        return Ok(());
    };
    let what = format!(
        "step {} (`{}`) was edited after it ran in the world {name}",
        number.saturating_add(1),
        step.verb.word(),
    );
    let help =
        "put it back as it was, or run the script in another world with --world NAME".to_owned();
    Err(RunError::Edited(Box::new(script.sources.fault(
        step.at,
        what,
        Some(help),
    ))))
}

fn absolute(base: &std::path::Path) -> PathBuf {
    std::path::absolute(base).unwrap_or_else(|_| base.to_owned())
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Run<'_> {
    /// The steps, with their numbers.
    fn steps(&self) -> impl Iterator<Item = (u32, &Step)> {
        (0..).zip(&self.script.steps)
    }

    pub(crate) const fn key(&self, index: u32) -> StepKey {
        StepKey {
            run: self.run,
            index,
        }
    }

    pub(crate) fn fault(&self, step: &Step, message: impl Into<String>) -> Box<Fault> {
        Box::new(self.script.sources.fault(step.at, message, None))
    }

    fn is_finished(&self, progress: &ScriptProgress) -> bool {
        let last = self
            .script
            .steps
            .len()
            .checked_sub(1)
            .and_then(|last| u32::try_from(last).ok());
        last.is_some_and(|last| progress.done.contains_key(&last))
    }

    /// Does the steps that are not recorded. The wait of one that is recorded is not skipped.
    async fn drive(mut self) -> Result<Report, RunError> {
        let script = self.script;
        self.check_files().await?;
        let mut done = 0_usize;
        let mut done_before = 0_usize;
        for (number, step) in (0..).zip(&script.steps) {
            let progress = self.read(|world| world.script().clone()).await?;
            let is_recorded = progress.run == self.run && progress.done.contains_key(&number);
            self.watch.begins(index(number), step);
            let home = self.enter(step).await?;
            // The process may have died before the step was recorded at home as well.
            let is_done = is_recorded || (home.is_some() && self.is_done_here(number).await?);
            let outcome = if is_done {
                done_before += 1;
                self.wait_after(step).await?;
                Outcome::DoneBefore
            } else {
                done += 1;
                self.step(number, step).await?;
                Outcome::Done
            };
            if self.leave(home) && !is_recorded {
                self.record(number, step).await?;
            }
            self.watch.ended(index(number), step, &outcome);
        }
        self.report(done, done_before).await
    }

    /// A finished script: what it expects is checked again, each where it was recorded.
    async fn check_again(mut self, progress: &ScriptProgress) -> Result<Report, RunError> {
        let script = self.script;
        for (number, step) in (0..).zip(&script.steps) {
            let Some(record) = progress.done.get(&number) else {
                continue;
            };
            self.watch.begins(index(number), step);
            let outcome = if let Verb::Expect(expect) = &step.verb {
                let home = self.enter(step).await?;
                let evidence = if home.is_some() {
                    let progress = self.read(|world| world.script().clone()).await?;
                    let at = progress
                        .done
                        .get(&number)
                        .map_or(record.at, |record| record.at);
                    self.evidence_at(&progress, number, at).await?
                } else {
                    self.evidence_at(progress, number, record.at).await?
                };
                evidence
                    .check(expect)
                    .map_err(|unmet| self.unmet(step, unmet))?;
                self.leave(home);
                Outcome::HeldBefore
            } else {
                Outcome::DoneBefore
            };
            self.watch.ended(index(number), step, &outcome);
        }
        self.report(0, script.steps.len()).await
    }

    async fn report(mut self, done: usize, done_before: usize) -> Result<Report, RunError> {
        let activity = self.quiet().await?;
        let waiting = self.read(waiting).await?;
        Ok(Report {
            world: self.name,
            run: self.run,
            done,
            done_before,
            activity,
            waiting,
        })
    }
}
