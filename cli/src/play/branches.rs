//! The worlds that a script branches off: their logs are shown where its steps are about them.

use std::collections::BTreeMap;

use folkmoot::core::ids::{Position, WorldName};
use folkmoot::run::{Outcome, branch_of};
use folkmoot::script::{Script, Step, Verb};
use folkmoot::{Runtime, WorldHandle, fold_world};
use futures::StreamExt as _;
use tokio::sync::oneshot;

use crate::exit::{CliError, USAGE};
use crate::show::chat::{Chat, ChatLine};
use crate::show::stage::{Cues, StageNews};

/// A world that was branched off.
#[derive(Debug)]
struct Branch {
    /// The words for its events.
    chat: Chat,
    /// The last event that was shown.
    seen: Position,
}

/// The branches of a run.
#[derive(Debug)]
pub(super) struct Branches<'s> {
    runtime: Runtime,
    /// The script.
    script: &'s Script,
    /// The world that is run.
    pub(super) home: WorldName,
    /// Its handle; `None` until it is opened.
    pub(super) world: Option<WorldHandle>,
    /// Those that a step was about, by the names of the script.
    shown: BTreeMap<WorldName, Branch>,
}

impl<'s> Branches<'s> {
    pub(super) fn new(runtime: &Runtime, script: &'s Script, home: &WorldName) -> Self {
        Self {
            runtime: runtime.clone(),
            script,
            home: home.clone(),
            world: None,
            shown: BTreeMap::new(),
        }
    }

    /// Shows the events of the branch that `step` was about, behind all that its own world has
    /// recorded.
    pub(super) async fn tell(
        &mut self,
        step: &Step,
        outcome: &Outcome,
        cues: &Cues,
    ) -> Result<(), CliError> {
        if let Verb::Fork(fork) = &step.verb {
            self.begin(&fork.name).await?;
        }
        let Some(within) = &step.within else {
            return Ok(());
        };
        let (name, lines) = self.take(within).await?;
        if *outcome != Outcome::Done {
            // It was shown when it was done.
            return Ok(());
        }
        self.catch_up(cues).await;
        let heading = (!lines.is_empty()).then(|| ChatLine::Quiet(format!("in {name}")));
        let held = ended(step, &name);
        for line in heading.into_iter().chain(lines).chain(held) {
            cues.tell(StageNews::Show(line)).await;
        }
        Ok(())
    }

    /// Begins to read a branch behind the events that it has now.
    async fn begin(&mut self, branch: &WorldName) -> Result<(), CliError> {
        let run = match &self.world {
            Some(world) => world.operator().read(|world| world.script().run).await?,
            None => 1,
        };
        let name = branch_of(self.script, &self.home, run, branch)
            .map_err(|error| CliError::other(USAGE, error.to_string()))?;
        let world = fold_world(&**self.runtime.log(), &name, None).await?;
        let branched = Branch {
            chat: Chat::new(name.as_str(), &world, None),
            seen: world.head(),
        };
        self.shown.insert(branch.clone(), branched);
        Ok(())
    }

    /// The name of a branch in the store, and the lines of what is new in it. Nothing is new in one
    /// whose fork was not seen.
    async fn take(&mut self, within: &WorldName) -> Result<(String, Vec<ChatLine>), CliError> {
        let Some(branch) = self.shown.get_mut(within) else {
            return Ok((within.to_string(), Vec::new()));
        };
        let log = self.runtime.log();
        let name = WorldName::new(&branch.chat.world)
            .map_err(|error| CliError::other(USAGE, error.to_string()))?;
        let mut lines = Vec::new();
        if let Some(entry) = log.find(&name).await?
            && entry.head > branch.seen
        {
            let mut commits = log.read(entry.world, branch.seen.next()).await?;
            while let Some(stored) = commits.next().await {
                let commit = stored?.commit;
                branch.seen = commit.last();
                lines.extend(branch.chat.take(&commit));
            }
        }
        Ok((branch.chat.world.clone(), lines))
    }

    /// Waits until all that the script's own world has recorded is shown.
    async fn catch_up(&self, cues: &Cues) {
        let Some(world) = &self.world else { return };
        if let Ok(head) = world.operator().read(|world| world.head()).await {
            let (done, shown) = oneshot::channel();
            cues.tell(StageNews::Sync(head, done)).await;
            // A stage that has ended shows nothing more.
            let _ended = shown.await;
        }
    }
}

/// Says how a step in a branch ended, if that is not to be seen in its log.
fn ended(step: &Step, name: &str) -> Option<ChatLine> {
    if step.refused.is_some() {
        return Some(ChatLine::Good(format!("refused, as expected in {name}")));
    }
    matches!(step.verb, Verb::Expect(_)).then(|| ChatLine::Good(format!("as expected in {name}")))
}
