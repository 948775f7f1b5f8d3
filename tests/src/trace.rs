//! What a run leaves behind, without the ids, positions and times that another run has otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Author, CallEvent, Event, ReconciledHow};
use folkmoot::core::ids::{AgentName, CallId, Position, WorldName};
use folkmoot::core::port::EventLog;
use folkmoot::core::prompt::Item;
use folkmoot::core::tool::{EffectClass, Repeat};
use folkmoot::core::world::World;
use folkmoot::fold_world;
use folkmoot::run::waiting;
use futures::TryStreamExt as _;

use crate::stage::Stage;

/// What a run leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Who said what, in order.
    pub messages: Vec<(Author, String)>,
    /// What each agent remembers: what it heard and said, and the results of its calls.
    pub memories: BTreeMap<AgentName, Vec<Item<String>>>,
    /// The calls that wait for a person.
    pub waiting: Vec<(AgentName, Option<String>)>,
    /// The files of the script's folder.
    pub files: BTreeMap<PathBuf, String>,
}

impl Trace {
    /// What the run of `stage` left behind.
    pub async fn of(stage: &Stage) -> Self {
        let world = fold_world(stage.store(), &stage.script.world, None)
            .await
            .expect("the world folds");
        Self {
            files: stage.files(),
            ..Self::of_world(&world)
        }
    }

    /// What stands in a world.
    #[must_use]
    pub fn of_world(world: &World) -> Self {
        let text = |text: &folkmoot::core::content::Content<String>| {
            text.present().cloned().unwrap_or_default()
        };
        let transcript = world.transcript().iter();
        let agents = world.rules().spec().agents.iter();
        let items = |agent: &AgentName| world.items(agent).map(|item| item.to_plain()).collect();
        let waits = waiting(world).into_iter();
        Self {
            messages: transcript
                .map(|message| (message.author.clone(), text(&message.text)))
                .collect(),
            memories: agents
                .map(|agent| (agent.name.clone(), items(&agent.name)))
                .collect(),
            waiting: waits
                .map(|one| (one.agent, one.tool.map(|tool| tool.to_string())))
                .collect(),
            files: BTreeMap::new(),
        }
    }
}

/// All commits of a world.
pub async fn commits_of(store: &dyn EventLog, name: &WorldName) -> Vec<Commit> {
    let Some(entry) = store.find(name).await.expect("the store reads") else {
        return Vec::new();
    };
    let stored = store
        .read(entry.world, Position::new(1))
        .await
        .expect("the world reads");
    stored
        .map_ok(|stored| stored.commit)
        .try_collect()
        .await
        .expect("the world reads")
}

/// The calls of unrepeatable tools that were started twice, with nobody saying in between that they may be.
#[must_use]
pub fn repeats_of(commits: &[Commit]) -> Vec<CallId> {
    let mut started = BTreeSet::new();
    let mut repeats = Vec::new();
    for event in commits.iter().flat_map(|commit| &commit.events) {
        if let Event::Call(CallEvent::ToolStarted(start)) = event {
            let may_repeat = start.effect == EffectClass::Read || start.repeat != Repeat::Never;
            if !started.insert(start.call) && !may_repeat {
                repeats.push(start.call);
            }
        }
        if let Event::Call(CallEvent::QuestionAnswered(answered)) = event {
            started.remove(&answered.call);
        }
        if let Event::Call(CallEvent::Reconciled(told)) = event
            && told.how == ReconciledHow::DidNot
        {
            started.remove(&told.call);
        }
    }
    repeats
}

/// The events in a few words each, for whoever looks into a failed test.
#[must_use]
pub fn story_of(commits: &[Commit]) -> String {
    let mut story = String::new();
    for (number, commit) in (1..).zip(commits) {
        for (at, event) in commit.numbered() {
            let facts = event
                .to_record()
                .map(|record| String::from_utf8_lossy(&record.facts).into_owned());
            let facts: String = facts.unwrap_or_default().chars().take(160).collect();
            story.push_str(&format!(
                "{number:>3} {at:>3} {} {facts}\n",
                event.kind().name()
            ));
        }
    }
    story
}
