//! Scripts that a terminal asks the process which holds the store to play.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use folkmoot::core::ids::{Position, WorldName};
use folkmoot::run::Waiting;
use folkmoot::script::Script;
use folkmoot::{Proof, Runtime, definition_of};
use futures::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::opening::Holding;
use crate::exit::{CliError, STORE, USAGE};
use crate::play::account::Account;
use crate::play::{PlayWish, recorded};
use crate::show::chat::ChatLine;
use crate::show::news::{ShownCommit, Stir};
use crate::view::answer::ValueStream;
use crate::{credentials, parts};

mod fault;
mod stage;

pub(crate) use fault::ToldFault;
use stage::PlayStage;

/// News of a play, in the order in which a terminal shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlayNews {
    /// It is about to begin. It is the first of them.
    Begun {
        /// The world.
        world: WorldName,
        /// The last event that it has before.
        head: Position,
    },
    /// Something was recorded.
    Commit(ShownCommit),
    /// The same, as JSON.
    Events {
        /// The events, each in a line: the order of their members is kept.
        events: Vec<String>,
        /// The position of the last one.
        last: Position,
    },
    /// Something goes on.
    Stir(Stir),
    /// These requests wait.
    Waits(Vec<Waiting>),
    /// The play says something itself.
    Shown(ChatLine),
    /// From here on requests are decided elsewhere, or not at all.
    Hints {
        /// True if the commands that decide them are shown.
        commands: bool,
    },
    /// It came as far as it could.
    Ended(Box<Account>),
    /// A step failed, or the script does not fit its world.
    Failed(ToldFault),
}

/// The worlds in which scripts are being played: in each one at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct Stages(Arc<Mutex<BTreeSet<WorldName>>>);

/// A world in which a script is being played.
#[derive(Debug)]
struct Stage {
    stages: Stages,
    world: WorldName,
}

impl Stages {
    fn set(&self, world: &WorldName) -> Result<Stage, CliError> {
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !set.insert(world.clone()) {
            let what = format!(
                "another terminal runs a script in {world}: wait until it is done, or run this one in \
                 another world with --world NAME"
            );
            return Err(CliError::other(STORE, what));
        }
        Ok(Stage {
            stages: self.clone(),
            world: world.clone(),
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let set = self.stages.0.lock();
        set.unwrap_or_else(PoisonError::into_inner)
            .remove(&self.world);
    }
}

/// Plays a script in the name of `proof`, for as long as somebody listens. The room stays open
/// behind it.
pub(super) async fn play(
    runtime: &Runtime,
    proof: Proof,
    wish: &PlayWish,
    holding: &Holding,
    stages: &Stages,
) -> Result<ValueStream, CliError> {
    if *holding != Holding::All {
        return Err(not_serving());
    }
    let script = load(&wish.script)?;
    let name = wish.name_in(runtime, &script).await?;
    let stage = stages.set(&name)?;
    let before = recorded(runtime, &name).await?;
    let begun = PlayNews::Begun {
        world: name.clone(),
        head: before.head(),
    };
    let play = PlayStage::begin(runtime, script, wish, &name, proof, &before, stage);
    let news = stream::try_unfold(play, |mut play| async {
        let news = play.next().await?;
        Ok(news.map(|news| (news, play)))
    });
    let value =
        |news: Result<PlayNews, CliError>| serde_json::to_value(news?).map_err(CliError::json);
    let begun = stream::once(std::future::ready(Ok(begun)));
    Ok(ValueStream::of(begun.chain(news).map(value)))
}

/// Reads a script, and refuses what cannot be played in a process that serves others as well.
fn load(file: &Path) -> Result<Script, CliError> {
    let script = Script::load(file)?;
    let mut steps = (1..).zip(&script.steps);
    if let Some((number, step)) = steps.find(|(_, step)| step.verb.stops_world()) {
        let what = format!(
            "step {number} (`{}`) closes the room, and process {} keeps its rooms open for others: run \
             the script in a store of its own, with --store DIR",
            step.verb.word(),
            std::process::id()
        );
        return Err(CliError::other(USAGE, what));
    }
    let definition = definition_of(&script, &script.spec)?;
    // The variables and the files of the process that asks the models count.
    credentials::check(&definition)?;
    parts::check(&definition, &script.base, None)?;
    Ok(script)
}

fn not_serving() -> CliError {
    let process = std::process::id();
    let what = format!(
        "the store is in use by process {process}, which plays no other script: wait until it is done, or \
         end it and start `folkmoot serve`; `log --follow`, `approvals`, `approve`, `say`, `chat \
         WORLD` and the like work meanwhile, through that process"
    );
    CliError::other(STORE, what)
}
