//! Model requests: built from the world alone.

use std::sync::Arc;

use crate::event::Purpose;
use crate::ids::{AgentName, Attempt, Digest, ModelName, Position, ToolName};
use crate::model::Parameters;
use crate::prompt::border::{declaration, identity};
use crate::prompt::tokens::{Share, TokenCounter};
use crate::prompt::{Layer, ModelRequest, ToolDeclaration, fingerprint_start};
use crate::spec::AgentSpec;
use crate::spec::rules::Rules;
use crate::world::World;
use crate::world::memory::{FrameMark, Memory, Message};

/// A model call that is under way, with all that the shell needs to make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAsk {
    /// The model, by its name in the spec.
    pub model: ModelName,
    /// The attempt.
    pub attempt: Attempt,
    /// The purpose of the call.
    pub purpose: Purpose,
    /// The request.
    pub request: ModelRequest,
    /// The same for all attempts.
    pub idempotency_key: String,
    /// The replies that this agent consumed in the current run, in ascending order.
    pub played: Vec<u32>,
    /// The time limit of one attempt, in milliseconds.
    pub timeout_ms: u64,
}

/// The parts of a request that do not grow.
pub(in crate::world) struct Frame {
    pub(in crate::world) model: String,
    pub(in crate::world) parameters: Parameters,
    pub(in crate::world) system: Vec<Layer>,
    pub(in crate::world) tools: Vec<ToolDeclaration>,
    share: Share,
}

impl Frame {
    pub(in crate::world) fn start(&self) -> Digest {
        fingerprint_start(&self.model, &self.parameters, &self.system, &self.tools)
    }

    /// Returns what is to be remembered of it: its link, and the tokens that it leaves for items,
    /// the answer's set aside.
    pub(in crate::world) fn mark(&self) -> FrameMark {
        let answer = self
            .parameters
            .output_tokens_max
            .unwrap_or_else(|| self.share.answer());
        let start = self.start();
        let room = u64::from(self.share.context_tokens_max);
        let layers = self
            .system
            .iter()
            .map(|layer| TokenCounter::ESTIMATE.layer(layer));
        let tools = self
            .tools
            .iter()
            .map(|tool| TokenCounter::ESTIMATE.tool(tool));
        let tokens = layers
            .chain(tools)
            .map(u64::from)
            .fold(0, u64::saturating_add);
        FrameMark {
            start,
            room: room.saturating_sub(tokens.saturating_add(u64::from(answer))),
            tokens,
            answer,
        }
    }
}

impl World {
    /// The model call that `agent` has under way; `None` if it has none.
    #[must_use]
    pub fn model_ask(&self, agent: &AgentName) -> Option<ModelAsk> {
        let memory = self.agents.memory(agent)?;
        let turn = memory.turn.as_ref()?;
        let model = turn.model.as_ref()?;
        let asked = (&model.model, &model.parameters);
        let frame = frame(&turn.rules, &turn.layers, agent, asked, model.purpose)?;
        let known = memory
            .chain
            .as_ref()
            .and_then(|chain| chain.frame_in(turn.id, model.purpose, asked));
        let start = known.map_or_else(|| frame.start(), |mark| mark.start);
        let fingerprint = memory.fingerprint_of(model, start);
        Some(ModelAsk {
            model: model.model.clone(),
            attempt: model.attempt,
            purpose: model.purpose,
            idempotency_key: format!("{}:{}", self.id()?, model.call),
            played: memory.played.iter().copied().collect(),
            timeout_ms: turn.rules.spec().models.get(&model.model)?.timeout_ms,
            request: ModelRequest {
                model: frame.model,
                parameters: frame.parameters,
                system: frame.system,
                tools: frame.tools,
                items: memory.asked(model),
                fingerprint,
            },
        })
    }
}

/// The parts of `agent`'s requests to a model that do not grow; `None` if there is no such model.
///
/// Where models may only cost so much, every answer has a limit: what is set aside for it is then
/// its worst case.
pub(in crate::world) fn frame(
    rules: &Rules,
    written: &[Layer],
    agent: &AgentName,
    (model, wanted): (&ModelName, &Parameters),
    purpose: Purpose,
) -> Option<Frame> {
    let spec = rules.agent(agent)?;
    let model = rules.spec().models.get(model)?;
    let share = Share {
        context_tokens_max: model.context_tokens_max,
    };
    let mut wanted = wanted.or(&spec.parameters).or(&model.parameters);
    if rules.spec().limits.has_cost() {
        wanted
            .output_tokens_max
            .get_or_insert_with(|| share.answer());
    }
    let (tools, parameters) = match purpose {
        Purpose::Turn => (declarations(rules, spec), wanted),
        Purpose::Closing => (Vec::new(), wanted.without_tools()),
        Purpose::Compaction => (Vec::new(), wanted.for_summary(share.summary())),
    };
    Some(Frame {
        model: model.model.clone(),
        parameters,
        system: [identity(rules, spec)]
            .into_iter()
            .chain(written.iter().cloned())
            .collect(),
        tools,
        share,
    })
}

/// The messages that `agent` hears for the first time when it looks up to `horizon`, in their
/// order.
pub(in crate::world) fn fresh(
    world: &World,
    agent: &AgentName,
    memory: &Memory,
    horizon: Position,
) -> Vec<Arc<Message>> {
    let first_kept = world
        .transcript
        .messages()
        .front()
        .map_or(horizon.next(), |message| message.at);
    // What was put back into the inbox was heard before, unless it was forgotten since.
    let is_fresh = |at: Position| {
        if at <= memory.seen {
            !memory.has_heard(at)
        } else {
            at < first_kept
        }
    };
    let older = memory
        .inbox
        .iter()
        .filter(|message| message.at <= horizon && is_fresh(message.at));
    let newer = world
        .transcript
        .since(memory.seen.next())
        .take_while(|message| message.at <= horizon);
    older
        .chain(newer.filter(|message| message.is_heard_by(agent)))
        .cloned()
        .collect()
}

fn declarations(rules: &Rules, agent: &AgentSpec) -> Vec<ToolDeclaration> {
    let declare = |name: &ToolName| {
        Some(declaration(
            rules.spec().tools.get(name)?,
            rules.told_schema(name)?,
        ))
    };
    agent.tools.iter().filter_map(declare).collect()
}
