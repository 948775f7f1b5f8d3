//! Taking up an answer's tool calls: each is free, asks a person, or has its result at once.

use super::Draft;
use super::asking::Errand;
use crate::canonical::arguments_digest;
use crate::event::{AdmittedCall, ApprovalRequested, CallStatus, CallsAdmitted, Event, Purpose, ToolFinished};
use crate::ids::{AgentName, Attempt, CallId, Digest, Position, TurnId};
use crate::response::{CallPart, LLMResponse};
use crate::rules::{Rules, schema_digest};
use crate::spec::Mode;
use crate::tool::{EffectClass, ToolKind, ToolSpec};
use crate::world::approval_text;

/// What becomes of a call when it is taken up.
enum Admission<'a> {
    Free,
    Asks(&'a ToolSpec),
    AsksAgent(&'a [AgentName]),
    HandsOver(&'a [AgentName]),
    Ends(CallStatus),
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
                Admission::Asks(tool) => self.request_approval(agent, admitted, part, tool),
                Admission::AsksAgent(agents) => self.ask_agent(Errand { agent, turn, call, arguments, agents }),
                Admission::HandsOver(_) if parts.len() > 1 => self.end(agent, call, None, CallStatus::NotAlone),
                Admission::HandsOver(agents) => self.hand_over(Errand { agent, turn, call, arguments, agents }),
                Admission::Ends(status) => self.end(agent, call, None, status),
            }
        }
    }

    fn request_approval(&mut self, agent: &AgentName, admitted: &AdmittedCall, part: &CallPart, tool: &ToolSpec) {
        let ttl = std::time::Duration::from_millis(self.rules_of(agent).spec().limits.approval_ttl_ms(tool.effect));
        let shown = approval_text(agent, &tool.name, tool.effect, &part.arguments);
        self.push(Event::ApprovalRequested(ApprovalRequested {
            call: admitted.call,
            agent: agent.clone(),
            tool: tool.name.clone(),
            effect: tool.effect,
            arguments: admitted.arguments,
            schema: schema_digest(tool),
            shown: Digest::of(&[shown.as_bytes()]),
            expires_at: self.now().after(ttl),
        }));
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
    match (&tool.kind, rules.spec().policy.mode, tool.effect) {
        (ToolKind::Ask { agents }, _, _) => Admission::AsksAgent(agents),
        (ToolKind::Handoff { agents }, _, _) => Admission::HandsOver(agents),
        (ToolKind::Run, _, EffectClass::Read) | (ToolKind::Run, Mode::Auto, _) => Admission::Free,
        (ToolKind::Run, Mode::Ask, EffectClass::Write | EffectClass::Destructive) => Admission::Asks(tool),
        (ToolKind::Run, Mode::Read, EffectClass::Write | EffectClass::Destructive) => {
            Admission::Ends(CallStatus::NotAllowed)
        }
    }
}
