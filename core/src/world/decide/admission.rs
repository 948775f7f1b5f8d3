//! Taking up an answer's tool calls: each is free, asks a person, or has its result at once.

use super::Draft;
use super::asking::Errand;
use crate::canonical::arguments_digest;
use crate::event::{AdmittedCall, CallStatus, CallsAdmitted, Event, Finding, Purpose, ToolFinished};
use crate::ids::{AgentName, Attempt, CallId, Position, TurnId};
use crate::response::{CallPart, LLMResponse};
use crate::rules::Rules;
use crate::spec::Mode;
use crate::tool::{EffectClass, ToolKind, ToolSpec};

/// What becomes of a call when it is taken up.
enum Admission<'a> {
    Free,
    Asks { tool: &'a ToolSpec, effect: EffectClass, warnings: Vec<Finding> },
    AsksAgent(&'a [AgentName]),
    HandsOver(&'a [AgentName]),
    Ends(CallStatus),
}

/// A call that may not run unasked.
pub(super) struct Asking<'a> {
    pub(super) agent: &'a AgentName,
    pub(super) call: CallId,
    pub(super) tool: &'a ToolSpec,
    /// What this call may do.
    pub(super) effect: EffectClass,
    pub(super) arguments: &'a str,
    /// What is odd about its arguments.
    pub(super) warnings: Vec<Finding>,
}

impl Draft<'_> {
    pub(super) fn admit(
        &mut self,
        agent: &AgentName,
        turn: TurnId,
        answer: Position,
        response: &LLMResponse,
        purpose: Purpose,
    ) {
        let world = self.world;
        let memory = world.memories.get(agent);
        let rules = self.rules_of(agent);
        let mut unlabelled = memory.map_or(0, |memory| memory.unlabelled);
        let (at, id) = (self.here(), self.id);
        let parts: Vec<(u32, &CallPart)> = (0..).zip(response.reply().calls()).collect();
        let calls: Vec<AdmittedCall> = parts
            .iter()
            .map(|(ordinal, part)| AdmittedCall {
                call: CallId::of(id, at, *ordinal),
                ordinal: *ordinal,
                label: part.label_or_next(&mut unlabelled),
                tool: rules.tool_of(agent, &part.tool).map(|tool| tool.name.clone()),
                arguments: arguments_digest(&part.arguments),
                origin: None,
            })
            .collect();
        self.push(Event::CallsAdmitted(CallsAdmitted { agent: agent.clone(), turn, answer, calls: calls.clone() }));
        for (admitted, (ordinal, part)) in calls.iter().zip(&parts) {
            let (call, arguments) = (admitted.call, part.arguments.as_str());
            match admission(rules, agent, *ordinal, part, purpose) {
                Admission::Free => {}
                Admission::Asks { tool, effect, warnings } => {
                    self.ask_approval(&Asking { agent, call, tool, effect, arguments, warnings });
                }
                Admission::AsksAgent(agents) => self.ask_agent(Errand { agent, turn, call, arguments, agents }),
                Admission::HandsOver(_) if parts.len() > 1 => self.end(agent, call, None, CallStatus::NotAlone),
                Admission::HandsOver(agents) => self.hand_over(Errand { agent, turn, call, arguments, agents }),
                Admission::Ends(status) => self.end(agent, call, None, status),
            }
        }
    }

    /// Gives a call its result without an outcome. `attempt` is the one that was cut off, if one was.
    pub(super) fn end(&mut self, agent: &AgentName, call: CallId, attempt: Option<Attempt>, status: CallStatus) {
        let agent = agent.clone();
        self.push(Event::ToolFinished(ToolFinished::new(call, agent, attempt, status, None)));
    }
}

fn admission<'r>(
    rules: &'r Rules,
    agent: &AgentName,
    ordinal: u32,
    part: &CallPart,
    purpose: Purpose,
) -> Admission<'r> {
    if purpose == Purpose::Closing {
        return Admission::Ends(CallStatus::ToolsDisabled);
    }
    if ordinal >= rules.spec().limits.tool_calls_per_answer {
        return Admission::Ends(CallStatus::TooMany);
    }
    let Some(tool) = rules.tool_of(agent, &part.tool) else { return Admission::Ends(CallStatus::Missing) };
    let findings = rules.findings(&tool.name, &part.arguments);
    if !findings.is_empty() {
        return Admission::Ends(CallStatus::Invalid(findings));
    }
    match (&tool.kind, rules.spec().policy.mode, tool.effect_at(&part.arguments)) {
        (ToolKind::Ask { agents }, _, _) => Admission::AsksAgent(agents),
        (ToolKind::Handoff { agents }, _, _) => Admission::HandsOver(agents),
        (ToolKind::Run, _, EffectClass::Read) | (ToolKind::Run, Mode::Auto, _) => Admission::Free,
        (ToolKind::Run, Mode::Ask, effect @ (EffectClass::Write | EffectClass::Destructive)) => {
            Admission::Asks { tool, effect, warnings: Vec::new() }
        }
        (ToolKind::Run, Mode::Read, EffectClass::Write | EffectClass::Destructive) => {
            Admission::Ends(CallStatus::NotAllowed)
        }
    }
}
