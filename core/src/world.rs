//! A world: the fold of its log, what it answers to commands, and the work that it owes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::command::commit::Commit;
use crate::content::Content;
use crate::event::{ClockKind, Labelled, Rights};
use crate::ids::alike::name_fault;
use crate::ids::principal::Principal;
use crate::ids::{
    AgentName, CallId, CopyId, Digest, EpisodeId, GrantId, Incarnation, PersonName, Position, Seed,
    Stamp, Time, WorldId, WorldName,
};
use crate::spec::rules::Rules;
use crate::spec::{Definition, SpecText};
use crate::text::mentions::Roster;
use crate::text::reply::ReplyCutter;
use crate::world::memory::{Memory, Message, OpenCall};

mod calls;
mod checkpoint;
mod consent;
mod decide;
pub mod decider;
pub mod effect;
mod files;
mod fold;
pub mod memory;
mod meters;
mod opening;
mod owed;
mod people;
pub mod projection;
pub mod routing;
mod talk;
mod turns;
mod upkeep;
mod waits;

use calls::done::Doings;
use calls::memo::Memos;
use checkpoint::checkpointed;
use files::Files;
use meters::episode::Episodes;
use meters::services::ServiceEpisodes;
use talk::observed::States;
use talk::transcript::Transcript;
use turns::agents::Agents;

pub use consent::{Consent, Grant, Request, RequestKind, Settled};
pub use decide::{Accepted, Decision};
pub use files::FILES_MAX;
pub use meters::episode::{Episode, Pair, Told};
pub use meters::meter::{Meter, Meters, Spent, Tokens};
pub use opening::lineage::{Branch, FORKS_DEEP_MAX};
pub use opening::script::{ScriptProgress, StepRecord};
pub use people::{Access, People};
pub use turns::activity::{Activity, Doing};
pub use turns::ask::ModelAsk;
pub use turns::view::{Runnable, approval_text};
pub use upkeep::Upkeep;

checkpointed! {
    /// The state of one world. Two worlds that folded the same commits are equal.
    #[derive(Debug, Clone, Default, PartialEq, Serialize)]
    pub struct World {
        /// The id, the name, the clock and the folder; `None` before the first event.
        opening: Option<OpeningFacts>,
        /// The position of the last event; 0 before the first one.
        head: Position,
        /// The time of the last commit, by the world's own clock. It never goes back.
        time: Time,
        /// The rules of the last epoch: by them the events behind it were decided.
        decider: Digest,
        /// The number of the last opening for writing. Outcomes of older ones are not taken.
        incarnation: Incarnation,
        /// The time of that opening.
        #[serde(default)]
        opened_at: Time,
        /// The definition in force, compiled. Open turns hold the rules that they began under.
        rules: Arc<Rules>,
        /// The digest of the definition in force, so that the same one is no revision.
        spec_digest: Digest,
        /// The prompts and other words of people in that definition; erased ones stay erased.
        spec_text: Content<SpecText>,
        /// The file that it was read from; `None` if it came from a program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// The event that gave it.
        #[serde(default)]
        defined_at: Position,
        /// The owner and the labels; empty until somebody gives some.
        #[serde(default)]
        labelled: Labelled,
        /// The people of the room, and the rights that were changed here.
        people: People,
        /// The newest messages.
        transcript: Transcript,
        /// The attached files, for tools that read them.
        #[serde(default, skip_serializing_if = "Files::is_untouched")]
        files: Files,
        /// The states that clients showed, for agents that have not seen them yet.
        states: States,
        /// The memory of each agent, and who has something to do.
        agents: Agents,
        /// The episodes that somebody still works on, for limits and against agents that only wake
        /// each other.
        episodes: Episodes,
        /// The episodes that services began within the last hour; none if services began none.
        #[serde(default)]
        services: ServiceEpisodes,
        /// The tokens and the money of all model calls, for limits and reports.
        meters: Meters,
        /// The requests to people, and the grants that people gave.
        consent: Consent,
        /// The results that stand for further calls with the same arguments; empty without tools
        /// that memoise.
        #[serde(default, skip_serializing_if = "Memos::is_empty")]
        memos: Memos,
        /// The calls that did more than read, for turns that take the place of others.
        #[serde(default, skip_serializing_if = "Doings::is_empty")]
        doings: Doings,
        /// The work on the log: signatures that are due, erasures that are under way, refusals that
        /// are counted.
        upkeep: Upkeep,
        /// The copy of its store that it was opened in last; `None` if it never was in one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy: Option<CopyId>,
        /// The event of its first opening there: what is older was done elsewhere, and is asked
        /// about again.
        #[serde(default)]
        restored_at: Position,
        /// The worlds that it was branched off, the first one first; empty if it began by itself.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lineage: Vec<Branch>,
        /// The steps of a world script that are done; empty if no script plays here.
        script: ScriptProgress,
    }
}

/// The facts that a world begins with. Only an opening in another folder changes one of them, and
/// branching off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OpeningFacts {
    world: WorldId,
    name: WorldName,
    clock: ClockKind,
    /// The folder that relative paths of the definition are relative to; `None` if there are none.
    base: Option<String>,
}

impl World {
    /// Folds one commit.
    pub fn apply(&mut self, commit: &Commit) {
        fold::fold(self, commit);
    }

    /// Returns its id; `None` before the first event.
    #[must_use]
    pub fn id(&self) -> Option<WorldId> {
        self.opening.as_ref().map(|opening| opening.world)
    }

    /// Returns its name; `None` before the first event.
    #[must_use]
    pub fn name(&self) -> Option<&WorldName> {
        self.opening.as_ref().map(|opening| &opening.name)
    }

    /// Returns its clock; that of the machine before the first event.
    #[must_use]
    pub fn clock(&self) -> ClockKind {
        self.opening
            .as_ref()
            .map_or(ClockKind::System, |opening| opening.clock)
    }

    /// The folder that relative paths of its definition are relative to.
    #[must_use]
    pub fn base(&self) -> Option<&str> {
        self.opening.as_ref()?.base.as_deref()
    }

    /// The position of the last event.
    #[must_use]
    pub const fn head(&self) -> Position {
        self.head
    }

    /// The time of the last commit.
    #[must_use]
    pub const fn time(&self) -> Time {
        self.time
    }

    /// The stamp of a decision at `now`: time never goes back.
    #[must_use]
    pub fn stamp(&self, now: Time, seed: Seed) -> Stamp {
        Stamp {
            time: now.max(self.time),
            seed,
        }
    }

    /// The last opening for writing.
    #[must_use]
    pub const fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    /// Returns when it was opened for writing last, by its own clock.
    #[must_use]
    pub const fn opened_at(&self) -> Time {
        self.opened_at
    }

    /// The copy of its store that it was opened in last; `None` if it never was in one.
    #[must_use]
    pub const fn copy(&self) -> Option<CopyId> {
        self.copy
    }

    /// The rules of the last epoch.
    #[must_use]
    pub const fn decider(&self) -> Digest {
        self.decider
    }

    /// Returns what decisions read of the definition.
    #[must_use]
    pub const fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Returns what people wrote into the definition.
    #[must_use]
    pub const fn spec_text(&self) -> &Content<SpecText> {
        &self.spec_text
    }

    /// The file that the definition was read from, by the file's own name.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The definition in force.
    #[must_use]
    pub fn definition(&self) -> Definition {
        Definition {
            spec: self.rules.spec().clone(),
            text: self.spec_text.clone(),
            source: self.source.clone(),
        }
    }

    /// Tells whether `definition` is in force already: it says the same, and was read from the same
    /// file as far as that is known.
    #[must_use]
    pub fn is_in_force(&self, definition: &Definition) -> bool {
        let is_of_another_file = self.source.is_some()
            && definition.source.is_some()
            && self.source != definition.source;
        definition.digest() == Some(self.spec_digest) && !is_of_another_file
    }

    /// The digest of the definition.
    #[must_use]
    pub const fn spec_digest(&self) -> Digest {
        self.spec_digest
    }

    /// Returns whom it belongs to, and its labels.
    #[must_use]
    pub const fn labelled(&self) -> &Labelled {
        &self.labelled
    }

    /// The people of the world.
    #[must_use]
    pub const fn people(&self) -> &People {
        &self.people
    }

    /// The rights of `principal` now; see [`Access::of`].
    #[must_use]
    pub fn rights_of(&self, principal: &Principal) -> Rights {
        self.people
            .rights_of(&self.rules.spec().policy.rights, principal)
    }

    /// Everybody's rights now, apart from the world.
    #[must_use]
    pub fn access(&self) -> Access {
        self.people.access(&self.rules.spec().policy.rights)
    }

    /// The reason that nobody can be called `name` here: it stands for nobody, or it is that of an
    /// agent, or it looks like another one of the room. `None`: nothing is wrong with it. A person
    /// of the room has their name as it is written there.
    #[must_use]
    pub fn name_fault(&self, name: &PersonName) -> Option<String> {
        let people = self.people.roster();
        if people.contains_key(name) {
            // It was compared with the others when its bearer came, and newer agents with it.
            return name_fault(name.as_str(), []);
        }
        let agents = self
            .rules
            .spec()
            .agents
            .iter()
            .flat_map(|agent| [Some(&agent.name), agent.display.as_ref()]);
        let agents = agents.flatten().map(AgentName::as_str);
        name_fault(
            name.as_str(),
            agents.chain(people.keys().map(PersonName::as_str)),
        )
    }

    /// Returns whom a message can mention now.
    #[must_use]
    pub fn roster(&self) -> Roster {
        Roster::new(
            Arc::clone(self.rules.names()),
            Arc::clone(self.people.called()),
        )
    }

    /// The cutter of the next reply of `agent`. A reply that streams and the message that it
    /// becomes are cut by the same one: by the rules that the agent's turn began under, and among
    /// those who were there when the attempt under way was recorded.
    #[must_use]
    pub fn reply_cutter(&self, agent: &AgentName) -> ReplyCutter {
        let turn = self.agents.turn(agent);
        let rules = turn.map_or(&self.rules, |turn| &turn.rules);
        ReplyCutter::new(
            agent.clone(),
            reply_roster(self, agent),
            rules.known().clone(),
        )
    }

    /// The newest messages, oldest first: at most `transcript_max` of them.
    #[must_use]
    pub const fn transcript(&self) -> &VecDeque<Arc<Message>> {
        self.transcript.messages()
    }

    /// Returns what `agent` remembers; `None` if there is no such agent.
    #[must_use]
    pub fn memory(&self, agent: &AgentName) -> Option<&Memory> {
        self.agents.memory(agent)
    }

    /// The calls that have no result yet, agent by agent as the rules name them.
    pub fn open_calls(&self) -> impl Iterator<Item = (&AgentName, CallId, &OpenCall)> {
        let agents = self.rules.spec().agents.iter().map(|agent| &agent.name);
        let memories = agents.filter_map(|agent| Some((agent, self.memory(agent)?)));
        memories.flat_map(|(agent, memory)| {
            let calls = memory.open_calls.iter();
            calls.map(move |(id, call)| (agent, *id, call))
        })
    }

    /// The work on its own log.
    #[must_use]
    pub const fn upkeep(&self) -> &Upkeep {
        &self.upkeep
    }

    /// The requests to people, and the grants that people gave.
    #[must_use]
    pub const fn consent(&self) -> &Consent {
        &self.consent
    }

    /// The grants that can still be used at the time of the last commit, oldest first.
    pub fn grants(&self) -> impl Iterator<Item = (GrantId, &Grant)> {
        self.consent.grants_at(self.time)
    }

    /// The episodes that somebody still works on or is to work on.
    #[must_use]
    pub const fn episodes(&self) -> &BTreeMap<EpisodeId, Episode> {
        self.episodes.all()
    }

    /// Returns how far a world script has come.
    #[must_use]
    pub const fn script(&self) -> &ScriptProgress {
        &self.script
    }
}

/// The names that a reply of `agent` is cut by: those of who was there when its model was asked.
fn reply_roster(world: &World, agent: &AgentName) -> Roster {
    let Some(turn) = world.agents.turn(agent) else {
        return world.roster();
    };
    let model = turn.model.as_ref();
    let until = model.map_or(world.head, |model| model.at);
    let called = model
        .and_then(|model| model.called.as_ref())
        .unwrap_or_else(|| world.people.called());
    Roster::new(Arc::clone(turn.rules.names()), Arc::clone(called)).at(until)
}
