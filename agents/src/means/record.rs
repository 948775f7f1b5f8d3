//! What a log says of effects that were performed: the answers of models and the results of tools.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{
    CallEvent, Event, ModelAnswered, ModelCalled, OutcomeSettled, SettledHow, ToolFinished,
    TurnEvent, WorldEvent,
};
use folkmoot_core::ids::{Attempt, CallId, Digest, ModelCallId, Position, ToolName, WorldId};
use folkmoot_core::model::response::LLMResponse;
use folkmoot_core::port::{EventLog, ReadError};
use folkmoot_core::spec::rules::schema_digest;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure, ToolOutcome};
use folkmoot_core::world::World;
use futures::TryStreamExt as _;

/// How many answers and how many results are found again; later ones are not.
const FOUND_MAX: usize = 1_000_000;

/// What tells runs of tools from each other: the tool, its schema and the call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunKey {
    pub(super) tool: ToolName,
    pub(super) schema: Digest,
    pub(super) arguments: Digest,
}

/// Where the record of a world has what: the first answer to each request, and the first result of
/// each run.
#[derive(Debug)]
pub(super) struct WorldRecord {
    log: Arc<dyn EventLog>,
    answers: BTreeMap<Digest, EventPlace>,
    runs: BTreeMap<RunKey, EventPlace>,
}

/// Where an event stands.
#[derive(Debug, Clone, Copy)]
struct EventPlace {
    world: WorldId,
    at: Position,
}

/// What was asked and has no outcome yet.
#[derive(Debug, Default)]
struct Unanswered {
    schemas: BTreeMap<ToolName, Digest>,
    asked: BTreeMap<(ModelCallId, Attempt), Digest>,
    calls: BTreeMap<CallId, RunKey>,
    /// Calls whose results hang on what somebody answered.
    questions: BTreeSet<CallId>,
}

impl WorldRecord {
    /// Reads the records of a world and of those that it comes from, theirs to the end: what they
    /// did after it had left them counts as well.
    pub(super) async fn read(
        log: &Arc<dyn EventLog>,
        world: &World,
    ) -> Result<Arc<Self>, ReadError> {
        let mut record = Self {
            log: Arc::clone(log),
            answers: BTreeMap::new(),
            runs: BTreeMap::new(),
        };
        let mut from = Position::new(1);
        for branch in world.lineage() {
            if record.read_one(branch.parent, from).await? {
                from = branch.at.next();
            }
        }
        if let Some(id) = world.id() {
            record.read_one(id, from).await?;
        }
        Ok(Arc::new(record))
    }

    /// Reads one world from `from` on. Calls that were open there are not those of a fork, so none
    /// is carried over.
    async fn read_one(&mut self, world: WorldId, from: Position) -> Result<bool, ReadError> {
        let mut open = Unanswered::default();
        let mut commits = match self.log.read(world, Position::new(1)).await {
            Ok(commits) => commits,
            // It was deleted, or is not begun yet.
            Err(ReadError::NoSuchWorld(_)) => return Ok(false),
            Err(error) => return Err(error),
        };
        while let Some(stored) = commits.try_next().await? {
            let is_new = stored.commit.header.first >= from;
            for (at, event) in stored.commit.numbered() {
                if is_new {
                    self.take(&mut open, EventPlace { world, at }, event);
                } else {
                    open.take(event);
                }
            }
        }
        Ok(true)
    }

    fn take(&mut self, open: &mut Unanswered, at: EventPlace, event: &Event) {
        if let Event::Turn(TurnEvent::ModelAnswered(ModelAnswered { call, attempt, .. })) = event {
            if let Some(asked) = open
                .asked
                .remove(&(*call, *attempt))
                .filter(|_| self.answers.len() < FOUND_MAX)
            {
                self.answers.entry(asked).or_insert(at);
            }
        } else if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            let run = open
                .calls
                .remove(&finished.call)
                .filter(|_| self.runs.len() < FOUND_MAX);
            let is_answer = open.questions.remove(&finished.call);
            if let Some(run) = run.filter(|_| !is_answer && outcome_of(finished).is_some()) {
                self.runs.entry(run).or_insert(at);
            }
        } else if let Event::Call(CallEvent::OutcomeSettled(settled)) = event {
            let run = open
                .calls
                .remove(&settled.call)
                .filter(|_| self.runs.len() < FOUND_MAX);
            if let Some(run) = run.filter(|_| said_of(settled).is_some()) {
                self.runs.entry(run).or_insert(at);
            }
        } else {
            open.take(event);
        }
    }

    /// The first answer to the request with this fingerprint.
    pub(super) async fn answer(&self, fingerprint: Digest) -> Option<LLMResponse> {
        let place = *self.answers.get(&fingerprint)?;
        let commit = self.commit(place).await?;
        let (_, event) = commit.numbered().find(|(at, _)| *at == place.at)?;
        let Event::Turn(TurnEvent::ModelAnswered(answered)) = event else {
            return None;
        };
        answered.response.present().cloned()
    }

    /// The first result of this run.
    pub(super) async fn outcome(&self, run: &RunKey) -> Option<ToolOutcome> {
        let place = *self.runs.get(run)?;
        let commit = self.commit(place).await?;
        let (_, event) = commit.numbered().find(|(at, _)| *at == place.at)?;
        if let Event::Call(CallEvent::OutcomeSettled(settled)) = event {
            return said_of(settled).map(ToolOutcome::text);
        }
        let Event::Call(CallEvent::ToolFinished(finished)) = event else {
            return None;
        };
        outcome_of(finished).cloned()
    }

    /// Reads a record. One that does not read was not recorded.
    async fn commit(&self, place: EventPlace) -> Option<Commit> {
        let mut found = self.log.read(place.world, place.at).await.ok()?;
        found
            .try_next()
            .await
            .ok()
            .flatten()
            .map(|stored| stored.commit)
    }
}

impl Unanswered {
    fn take(&mut self, event: &Event) {
        if let Event::Turn(TurnEvent::ModelCalled(ModelCalled {
            call,
            attempt,
            fingerprint,
            ..
        })) = event
        {
            self.asked.insert((*call, *attempt), *fingerprint);
        } else if let Event::World(WorldEvent::WorldOpened(opened)) = event {
            self.schemas = schemas(&opened.spec);
        } else if let Event::World(WorldEvent::SpecRevised(revised)) = event {
            self.schemas = schemas(&revised.spec);
        } else if let Event::Call(CallEvent::QuestionAsked(asked)) = event {
            self.questions.insert(asked.call);
        } else if let Event::Call(CallEvent::CallsAdmitted(admitted)) = event {
            for call in &admitted.calls {
                let tool = call.tool.clone();
                let Some((tool, schema)) =
                    tool.and_then(|tool| Some((tool.clone(), *self.schemas.get(&tool)?)))
                else {
                    continue;
                };
                self.calls.insert(
                    call.call,
                    RunKey {
                        tool,
                        schema,
                        arguments: call.arguments,
                    },
                );
            }
        }
    }
}

fn schemas(spec: &folkmoot_core::spec::WorldSpec) -> BTreeMap<ToolName, Digest> {
    spec.tools
        .iter()
        .map(|(name, tool)| (name.clone(), schema_digest(tool)))
        .collect()
}

/// Returns what a person said that a lost run gave.
fn said_of(settled: &OutcomeSettled) -> Option<&str> {
    let text = settled
        .text
        .present()
        .filter(|_| settled.how == SettledHow::Ran)?;
    text.result.as_deref()
}

/// Returns what the tool itself gave, if it ran.
fn outcome_of(finished: &ToolFinished) -> Option<&ToolOutcome> {
    let outcome = finished.outcome.present()?.as_ref()?;
    let is_dry = matches!(
        outcome,
        ToolOutcome::Failed(ToolFailure {
            code: ToolErrorCode::DryRun,
            ..
        })
    );
    (!is_dry && finished.attempt.is_some()).then_some(outcome)
}
