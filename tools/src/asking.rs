//! `ask` and `handoff`: turning to another agent. These tools only declare themselves; the room puts the question, waits
//! for the answer, and hands over. Nothing runs.

use async_trait::async_trait;
use folkmoot_core::ids::AgentName;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolKind, ToolOutcome, ToolSpec,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

#[cfg(test)]
mod tests;

pub(crate) const ASK: Kind = Kind {
    name: "ask",
    summary: "Asks another agent and waits for its answer",
    keys: &["agents"],
    is_local: false,
    build: build_ask,
};
pub(crate) const HANDOFF: Kind = Kind {
    name: "handoff",
    summary: "Hands the conversation over to another agent",
    keys: &["agents"],
    is_local: false,
    build: build_handoff,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskSettings {
    /// The agents that it may turn to; everyone if left out.
    agents: Option<Vec<AgentName>>,
}

fn build_ask(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let agents = agents(draft)?;
    let declared = declared(
        "Asks another agent something and gives you its answer. Say all that it must know: it may not have heard what \
         you have. You can ask several agents at once.",
        "What you ask.",
        &agents,
    );
    let spec = ToolSpec {
        kind: ToolKind::Ask { agents },
        ..draft.spec(declared)?
    };
    Ok(Built::new(Declaration { spec }))
}

fn build_handoff(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let agents = agents(draft)?;
    let declared = declared(
        "Hands the conversation over to another agent, who goes on in your place; you do not get it back. It must be \
         the only call of your answer.",
        "What the other agent needs to know to go on.",
        &agents,
    );
    let spec = ToolSpec {
        kind: ToolKind::Handoff { agents },
        ..draft.spec(declared)?
    };
    Ok(Built::new(Declaration { spec }))
}

fn agents(draft: &ToolDraft<'_>) -> Result<Vec<AgentName>, BuildError> {
    if let Some(key) = draft.run_settings().next() {
        let why = "no tool runs here, another agent answers: leave it out (how long that may take is `ask_ttl`, among \
                   the limits of the room)";
        return Err(draft.bad(key, why));
    }
    let AskSettings { agents } = draft.settings()?;
    match agents {
        Some(agents) if agents.is_empty() => Err(draft.bad(
            "agents",
            "add at least one agent, or leave `agents` out, which means everyone",
        )),
        agents => Ok(agents.unwrap_or_default()),
    }
}

fn declared(description: &str, text: &str, agents: &[AgentName]) -> Declared {
    let mut agent = json!({ "type": "string", "description": "The agent's name, without `@`." });
    if let (false, Value::Object(agent)) = (agents.is_empty(), &mut agent) {
        agent.insert(
            "enum".to_owned(),
            agents.iter().map(AgentName::as_str).collect(),
        );
    }
    Declared {
        description: description.to_owned(),
        effect: EffectClass::Read,
        repeat: Repeat::Always,
        schema: json!({
            "type": "object",
            "properties": { "agent": agent, "text": { "type": "string", "minLength": 1, "description": text } },
            "required": ["agent", "text"],
            "additionalProperties": false,
        }),
    }
}

/// A tool that is never run.
#[derive(Debug)]
struct Declaration {
    spec: ToolSpec,
}

#[async_trait]
impl Tool for Declaration {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, _: &ToolCall) -> ToolOutcome {
        ToolOutcome::failed(
            ToolErrorCode::Failed,
            "an agent answers this call: nothing is to be run for it",
        )
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::DidNot
    }
}
