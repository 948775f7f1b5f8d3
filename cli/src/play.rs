//! Plays: scripts that are run in a runtime of this process, for its own user or for a terminal
//! that asks it to.

use std::path::PathBuf;

use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::{PersonName, WorldName};
use folkmoot::core::world::{Activity, World};
use folkmoot::run::{
    Begin, Outcome, Report, RunError, RunOptions, Watch, fresh_name, run_script, waiting,
};
use folkmoot::script::{Script, Step, Verb};
use folkmoot::{FoldError, Perform, Proof, Runtime, SeatError, WorldHandle, fold_world};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use crate::exit::CliError;
use crate::show::chat::ChatLine;
use crate::show::stage::{Cues, Hints, StageNews, opened};

pub(crate) mod account;
mod branches;

use branches::Branches;

/// A wish to have a script played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlayWish {
    /// The script's file.
    pub(crate) script: PathBuf,
    /// The world's name, instead of the script's.
    pub(crate) world: Option<WorldName>,
    /// What to do about a world that exists.
    pub(crate) begin: Begin,
    /// True if the play stays while requests wait for people.
    pub(crate) waits: bool,
    /// True if a world that exists keeps its recorded definition.
    pub(crate) keeps: bool,
    /// True if the room may become another one.
    pub(crate) revises: bool,
    /// The clock of a new world, instead of the script's.
    pub(crate) clock: Option<ClockKind>,
    /// The name of the person; their login name if `None`. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
    /// The form in which the play is shown.
    pub(crate) shows: PlayForm,
}

/// A form in which a play is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlayForm {
    /// In lines for people, whose commands begin like this.
    Lines(String),
    /// Its events as JSON.
    Json,
}

impl PlayWish {
    /// Returns the name of the world in `runtime` that `script` is played in.
    pub(crate) async fn name_in(
        &self,
        runtime: &Runtime,
        script: &Script,
    ) -> Result<WorldName, CliError> {
        match &self.world {
            Some(name) => Ok(name.clone()),
            None if self.begin == Begin::Fresh => Ok(fresh_name(runtime, script).await?),
            None => Ok(script.world.clone()),
        }
    }

    /// Returns how the script is run in the world `name`, in the name of `by`.
    pub(crate) fn options(&self, name: WorldName, by: Option<Proof>) -> RunOptions {
        RunOptions {
            world: Some(name),
            begin: self.begin,
            wait: self.waits,
            keep_spec: self.keeps,
            revise: self.revises,
            by,
            clock: self.clock,
            perform: Perform::AsItComes,
            base: None,
        }
    }
}

/// Returns the world as it is recorded; one that is not begins empty.
pub(crate) async fn recorded(runtime: &Runtime, name: &WorldName) -> Result<World, CliError> {
    match fold_world(&**runtime.log(), name, None).await {
        Ok(world) => Ok(world),
        Err(FoldError::NoSuchWorld(_)) => Ok(World::default()),
        Err(error) => Err(error.into()),
    }
}

/// Runs the script; told to wait, it stays until nothing waits any more.
pub(crate) async fn play(
    runtime: &Runtime,
    script: &Script,
    options: &RunOptions,
    relay: &mut Relay<'_>,
) -> Result<Report, RunError> {
    let mut report = Box::pin(run_script(runtime, script, options, relay)).await?;
    if options.wait
        && report.activity == Activity::Parked
        && let Some(world) = runtime.world(&report.world)
    {
        relay.cues.tell(StageNews::Hints(Hints::Commands)).await;
        report.activity = settled(&world, true).await?;
        report.waiting = world.operator().read(waiting).await?;
    }
    Ok(report)
}

/// Waits until nothing goes on; with `waits`, until nothing waits for people either.
pub(crate) async fn settled(world: &WorldHandle, waits: bool) -> Result<Activity, SeatError> {
    loop {
        let activity = world.quiet().await?;
        if !(waits && activity == Activity::Parked) {
            return Ok(activity);
        }
        world.unparked().await?;
    }
}

/// Passes on to a stage what a play does.
pub(crate) struct Relay<'s> {
    /// The way to the stage.
    cues: Cues,
    /// True if the play stays while requests wait for people.
    waits: bool,
    /// The worlds that the script branches off; `None` if none is shown.
    branches: Option<Branches<'s>>,
}

impl<'s> Relay<'s> {
    /// A relay to `cues` of what `script` does in the world `name` of `runtime`.
    pub(crate) fn new(
        cues: Cues,
        wish: &PlayWish,
        runtime: &Runtime,
        script: &'s Script,
        name: &WorldName,
    ) -> Self {
        let shows_lines = matches!(wish.shows, PlayForm::Lines(_));
        Self {
            cues,
            waits: wish.waits,
            branches: shows_lines.then(|| Branches::new(runtime, script, name)),
        }
    }
}

impl Relay<'_> {
    /// Shows the events of the branch that a step was about, before the run goes on.
    fn tell_of_branch(&mut self, step: &Step, outcome: &Outcome) {
        let Some(branches) = &mut self.branches else {
            return;
        };
        let cues = &self.cues;
        let told = tokio::task::block_in_place(|| {
            Handle::current().block_on(branches.tell(step, outcome, cues))
        });
        if let Err(error) = told {
            tracing::warn!(%error, "a branch is not shown");
        }
    }
}

impl Watch for Relay<'_> {
    fn opened(&mut self, world: &WorldHandle) {
        if let Some(branches) = &mut self.branches
            && branches.home == *world.name()
        {
            branches.world = Some(world.clone());
        }
        if let Some(news) = opened(world) {
            self.cues.tell_blocking(news);
        }
    }

    fn begins(&mut self, _index: usize, step: &Step) {
        // Other steps decide by themselves, or end the run.
        let is_last = self.waits && matches!(step.verb, Verb::Idle);
        self.cues.tell_blocking(StageNews::Hints(if is_last {
            Hints::Commands
        } else {
            Hints::None
        }));
    }

    fn ended(&mut self, index: usize, step: &Step, outcome: &Outcome) {
        let what = format!("step {} ({})", index + 1, step.verb.word());
        match outcome {
            Outcome::Done => {}
            Outcome::DoneBefore => {
                self.cues
                    .tell_blocking(StageNews::Show(ChatLine::Quiet(format!(
                        "{what} was done before"
                    ))))
            }
            Outcome::HeldBefore => {
                self.cues
                    .tell_blocking(StageNews::Show(ChatLine::Good(format!(
                        "{what} still holds"
                    ))))
            }
        }
        self.tell_of_branch(step, outcome);
    }
}
