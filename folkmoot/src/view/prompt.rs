//! The request of a model call, rebuilt from the log.

use folkmoot_agents::fold_world;
use folkmoot_core::event::{Event, ModelCalled, Purpose, TurnEvent};
use folkmoot_core::ids::{AgentName, Attempt, Digest, ModelName, Position, TurnId, WorldName};
use folkmoot_core::model::Parameters;
use folkmoot_core::port::EventLog;
use folkmoot_core::prompt::{Item, Layer, ModelRequest, ToolDeclaration};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::world::entry;

/// The request of an attempt of a model call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptView {
    /// The world.
    pub world: WorldName,
    /// The last event that is in the state that it was built from.
    pub at: Position,
    /// The `ModelCalled` that was asked about.
    pub call: Position,
    /// The attempt.
    pub attempt: Attempt,
    /// The agent that asks.
    pub agent: AgentName,
    /// The agent's turn.
    pub turn: TurnId,
    /// The purpose of the call.
    pub purpose: Purpose,
    /// The model, by its name in the room.
    pub model: ModelName,
    /// The same for all attempts.
    pub idempotency_key: String,
    /// The request.
    pub request: PromptRequestView,
    /// The fingerprint that the event records.
    pub recorded: Digest,
    /// True if the fingerprint, computed anew from all parts of the request, is the recorded one.
    pub is_same: bool,
    /// The events before the call whose content is erased, if the fingerprint is another one: the
    /// request that the model read cannot be built again, so nothing is said about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub erased: Vec<Position>,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptRequestView {
    /// The provider's name of the model.
    pub model: String,
    /// The parameters of the model.
    pub parameters: Parameters,
    /// The instructions before the conversation, each layer under its kind.
    pub system: Vec<Layer<String>>,
    /// The tools that the model may call.
    pub tools: Vec<ToolDeclaration<String>>,
    /// The conversation, in the order in which the agent saw it.
    pub items: Vec<Item<String>>,
    /// Computed anew from all the above.
    pub fingerprint: Digest,
}

/// Rebuilds the request of the model call, or of the attempt, that is recorded at `call`.
///
/// # Errors
/// [`ViewError::NoSuchEvent`], [`ViewError::NotModelCalled`], [`ViewError::NoModelRequest`],
/// [`ViewError::Fold`].
pub async fn prompt(
    log: &dyn EventLog,
    name: &WorldName,
    call: Position,
) -> Result<PromptView, ViewError> {
    let called = called(log, name, call).await?;
    let world = fold_world(log, name, Some(call)).await?;
    let ask = world.model_ask(&called.agent);
    let ask = ask.ok_or(ViewError::NoModelRequest)?;
    let request = PromptRequestView::of(&ask.request);
    let is_same = request.fingerprint == called.fingerprint;
    let erased = if is_same {
        Vec::new()
    } else {
        erased_before(log, name, call).await?
    };
    Ok(PromptView {
        world: name.clone(),
        at: world.head(),
        call,
        attempt: ask.attempt,
        agent: called.agent,
        turn: called.turn,
        purpose: called.purpose,
        model: ask.model,
        idempotency_key: ask.idempotency_key,
        recorded: called.fingerprint,
        is_same,
        erased,
        request,
    })
}

/// The events before `call` whose content is erased.
async fn erased_before(
    log: &dyn EventLog,
    name: &WorldName,
    call: Position,
) -> Result<Vec<Position>, ViewError> {
    let entry = entry(log, name).await?;
    let mut commits = log.read(entry.world, Position::new(1)).await?;
    let mut erased = Vec::new();
    while let Some(stored) = commits.try_next().await? {
        let events = stored
            .commit
            .numbered()
            .filter(|(_, event)| event.is_erased());
        erased.extend(events.map(|(at, _)| at).filter(|at| *at < call));
        if stored.commit.last() >= call {
            break;
        }
    }
    Ok(erased)
}

async fn called(
    log: &dyn EventLog,
    name: &WorldName,
    call: Position,
) -> Result<ModelCalled, ViewError> {
    let entry = entry(log, name).await?;
    let mut commits = log.read(entry.world, call).await?;
    let commit = commits.try_next().await?.map(|stored| stored.commit);
    let event = commit
        .as_ref()
        .and_then(|commit| commit.numbered().find(|(at, _)| *at == call));
    match event {
        Some((_, Event::Turn(TurnEvent::ModelCalled(called)))) => Ok(called.clone()),
        Some((_, other)) => Err(ViewError::NotModelCalled {
            world: name.clone(),
            at: call,
            kind: other.kind(),
        }),
        None => Err(ViewError::NoSuchEvent {
            world: name.clone(),
            at: call,
            head: entry.head,
        }),
    }
}

impl PromptRequestView {
    fn of(request: &ModelRequest) -> Self {
        let layer = |layer: &Layer| Layer {
            kind: layer.kind,
            text: layer.text.to_string(),
        };
        let tool = |tool: &ToolDeclaration| ToolDeclaration {
            name: tool.name.to_string(),
            description: tool.description.to_string(),
            schema: tool.schema.clone(),
        };
        Self {
            model: request.model().to_owned(),
            parameters: request.parameters().clone(),
            system: request.system().iter().map(layer).collect(),
            tools: request.tools().iter().map(tool).collect(),
            items: request.items().iter().map(|item| item.to_plain()).collect(),
            fingerprint: request.recomputed_fingerprint(),
        }
    }
}
