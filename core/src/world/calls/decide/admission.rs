//! Taking up an answer's tool calls: each is free, asks a person, or has its result at once.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::content::canonical::{arguments_digest, read};
use crate::event::{AdmittedCall, CallStatus, CallsAdmitted, Purpose, ToolFinished};
use crate::ids::{AgentName, Attempt, CallId, EpisodeId, Position, ToolName, TurnId};
use crate::model::response::{CallPart, LLMResponse};
use crate::spec::limits::OPEN_CALLS_MAX;
use crate::spec::rules::{Rules, Ruling};
use crate::tool::{ArgumentFinding, EffectClass, Repeat, ToolKind, ToolSpec};
use crate::world::World;
use crate::world::calls::{done, memo, starting};
use crate::world::consent::decide::now::Now;
use crate::world::consent::decide::{approval, now};
use crate::world::decide::Draft;
use crate::world::talk::decide::message;
use crate::world::turns::decide::turn;
use crate::world::waits::decide::asking;
use crate::world::waits::decide::asking::Errand;

/// The treatment of a call when it is taken up.
enum Treatment<'a> {
    Free,
    /// The call has the result of an earlier one, which stands there.
    Remembered(Position),
    Asks {
        tool: &'a ToolSpec,
        effect: EffectClass,
        warnings: Vec<ArgumentFinding>,
    },
    AsksAgent(&'a [AgentName]),
    HandsOver(&'a [AgentName]),
    Ends(CallStatus),
}

/// A call that may not run unasked.
pub(in crate::world) struct Asking<'a> {
    pub(in crate::world) agent: &'a AgentName,
    pub(in crate::world) call: CallId,
    pub(in crate::world) tool: &'a ToolSpec,
    /// The effect that this call may have.
    pub(in crate::world) effect: EffectClass,
    pub(in crate::world) arguments: &'a str,
    /// Oddities of its arguments.
    pub(in crate::world) warnings: Vec<ArgumentFinding>,
    /// The attempt that was about to start; `None` if the call is just taken up.
    pub(in crate::world) attempt: Option<Attempt>,
}

/// An answer whose calls are taken up, one after the other.
struct Intake<'a> {
    world: &'a World,
    rules: &'a Rules,
    agent: &'a AgentName,
    episode: EpisodeId,
    purpose: Purpose,
    /// The calls of the room that are open, with those of this answer.
    open: usize,
    /// The calls of this answer that count, by tool.
    counted: BTreeMap<&'a ToolName, u32>,
}

pub(in crate::world) fn admit(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    turn: TurnId,
    answer: Position,
    response: &LLMResponse,
    purpose: Purpose,
) {
    let world = draft.world;
    let memory = world.agents.memory(agent);
    let rules = turn::rules_of(draft, agent);
    let mut unlabelled = memory.map_or(0, |memory| memory.unlabelled);
    let at = draft.here();
    let id = draft.id;
    let parts: Vec<(u32, &CallPart)> = (0..).zip(response.reply().calls()).collect();
    let calls: Vec<AdmittedCall> = parts
        .iter()
        .map(|(ordinal, part)| {
            let tool = rules.tool_of(agent, &part.tool);
            AdmittedCall {
                // By position and number: labels are the provider's, and two agents may both have a
                // `call_0` (decision 0004).
                call: CallId::of(id, at, *ordinal),
                ordinal: *ordinal,
                label: part.label_or_next(&mut unlabelled),
                tool: tool.map(|tool| tool.name.clone()),
                arguments: arguments_digest(&part.arguments),
                effect: tool.and_then(|tool| tool.effect_by_rules(&part.arguments)),
                origin: None,
            }
        })
        .collect();
    draft.push(CallsAdmitted {
        agent: agent.clone(),
        turn,
        answer,
        calls: calls.clone(),
    });
    let episode = memory
        .and_then(|memory| memory.turn.as_ref())
        .map_or(EpisodeId(turn.0), |turn| turn.episode);
    let open = starting::open_calls(world);
    let counted = BTreeMap::new();
    let mut intake = Intake {
        world,
        rules,
        agent,
        episode,
        purpose,
        open,
        counted,
    };
    for (admitted, (_, part)) in calls.iter().zip(&parts) {
        let call = admitted.call;
        let arguments = part.arguments.as_str();
        let redoes = rules
            .tool_of(agent, &part.tool)
            .filter(|tool| redoes(draft, agent, tool, tool.effect_at(arguments)));
        let admission = intake.take(admitted, part, redoes.is_some());
        if !matches!(admission, Treatment::Ends(_) | Treatment::Remembered(_)) {
            intake.open += 1;
        }
        match admission {
            Treatment::Free => {}
            Treatment::Remembered(at) => end_as_before(draft, agent, call, at),
            Treatment::Asks {
                tool,
                effect,
                warnings,
            } => {
                let attempt = None;
                approval::ask_approval(
                    draft,
                    &Asking {
                        agent,
                        call,
                        tool,
                        effect,
                        arguments,
                        warnings,
                        attempt,
                    },
                );
            }
            Treatment::AsksAgent(agents) => asking::ask_agent(
                draft,
                Errand {
                    agent,
                    turn,
                    call,
                    arguments,
                    agents,
                },
            ),
            Treatment::HandsOver(_) if parts.len() > 1 => {
                end(draft, agent, call, None, CallStatus::NotAlone)
            }
            Treatment::HandsOver(agents) => asking::hand_over(
                draft,
                Errand {
                    agent,
                    turn,
                    call,
                    arguments,
                    agents,
                },
            ),
            Treatment::Ends(status) => end(draft, agent, call, None, status),
        }
    }
}

/// True if a call of `tool` that may have `effect` may repeat what was done in a turn whose place
/// this one takes. Nothing that allows calls in advance allows it: its tool knows the new call by
/// another key.
pub(in crate::world) fn redoes(
    draft: &Draft<'_>,
    agent: &AgentName,
    tool: &ToolSpec,
    effect: EffectClass,
) -> bool {
    let opened = message::opened_turn(draft, agent).map_or(0, |opened| opened.news.len());
    let has_run = || done::redone_by(draft.world, agent, opened).any(|ran| ran.tool == tool.name);
    effect != EffectClass::Read && tool.repeat != Repeat::Always && has_run()
}

/// Gives a call the result of an earlier one, whose `ToolFinished` stands at `at`. Nothing runs.
fn end_as_before(draft: &mut Draft<'_>, agent: &AgentName, call: CallId, at: Position) {
    let finished = ToolFinished::new(call, agent.clone(), None, CallStatus::Done, None);
    draft.push(ToolFinished {
        memo: Some(at),
        ..finished
    });
}

/// Gives a call its result without an outcome. `attempt` is the one that was cut off, if one was.
pub(in crate::world) fn end(
    draft: &mut Draft<'_>,
    agent: &AgentName,
    call: CallId,
    attempt: Option<Attempt>,
    status: CallStatus,
) {
    let agent = agent.clone();
    draft.push(ToolFinished::new(call, agent, attempt, status, None));
}

impl<'a> Intake<'a> {
    /// Decides about the next call. The checks stand in the order of the room's pipeline.
    fn take(&mut self, admitted: &AdmittedCall, part: &CallPart, redoes: bool) -> Treatment<'a> {
        let rules = self.rules;
        if self.purpose == Purpose::Closing {
            return Treatment::Ends(CallStatus::ToolsDisabled);
        }
        let is_beyond = admitted.ordinal >= rules.spec().limits.tool_calls_per_answer;
        if is_beyond || self.open >= OPEN_CALLS_MAX {
            return Treatment::Ends(CallStatus::TooMany);
        }
        let Some(tool) = rules.tool_of(self.agent, &part.tool) else {
            return Treatment::Ends(CallStatus::Missing);
        };
        let findings = rules.findings(&tool.name, &part.arguments);
        let (errors, warnings): (Vec<_>, Vec<_>) = findings
            .into_iter()
            .partition(|finding| finding.severity.is_error());
        if !errors.is_empty() {
            return Treatment::Ends(CallStatus::Invalid(errors));
        }
        // What has no errors is JSON.
        let arguments = read(&part.arguments).unwrap_or(Value::Null);
        if rules.forbids(tool, &arguments) {
            return Treatment::Ends(CallStatus::Forbidden);
        }
        let now = now::ruled_now(self.world, self.agent, tool, &part.arguments);
        if let Now::Ends(status) = now {
            return Treatment::Ends(status);
        }
        if !self.counts(tool) {
            return Treatment::Ends(CallStatus::QuotaSpent);
        }
        match (&tool.kind, rules.ruling(tool, &arguments)) {
            (ToolKind::Ask { agents }, _) => Treatment::AsksAgent(agents),
            (ToolKind::Handoff { agents }, _) => Treatment::HandsOver(agents),
            // What ran in the turn whose place this one takes may be wanted twice or not: a person
            // says (decision 0028).
            (ToolKind::Run, Ruling::Runs) if redoes || now == Now::Asks => {
                let ran = redoes.then(ArgumentFinding::ran_before);
                let warnings = warnings.into_iter().chain(ran).collect();
                Treatment::Asks {
                    tool,
                    effect: tool.effect_of(&arguments),
                    warnings,
                }
            }
            (ToolKind::Run, Ruling::Runs) => memo::memo_of(self.world, tool, admitted.arguments)
                .map_or(Treatment::Free, Treatment::Remembered),
            (ToolKind::Run, Ruling::Asks(effect)) => {
                let ran = redoes.then(ArgumentFinding::ran_before);
                Treatment::Asks {
                    tool,
                    effect,
                    warnings: warnings.into_iter().chain(ran).collect(),
                }
            }
            (ToolKind::Run, Ruling::Refused) => Treatment::Ends(CallStatus::NotAllowed),
        }
    }

    /// Counts a call of `tool`, if one more may be made in the episode.
    fn counts(&mut self, tool: &'a ToolSpec) -> bool {
        let Some(max) = tool.calls_per_episode_max else {
            return true;
        };
        let spent = self
            .world
            .episodes
            .get(&self.episode)
            .and_then(|spent| spent.tool_calls.get(&tool.name));
        let counted = self.counted.entry(&tool.name).or_default();
        let is_left = spent.copied().unwrap_or_default().saturating_add(*counted) < max;
        *counted = counted.saturating_add(u32::from(is_left));
        is_left
    }
}
