//! Random worlds: whatever people, models, tools and crashes do, the laws of `testing` hold.

use proptest::prelude::*;

use crate::command::{
    Action, Command, ConsentAction, Judgement, Reply, Settlement, ShellAction, TalkAction,
    WorldAction,
};
use crate::event::reaction::Reaction;
use crate::event::{Progress, Purpose, Span, Verdict};
use crate::ids::principal::Principal;
use crate::ids::{AgentName, Attempt, CallId, MessageId, ModelName, Position, RequestId};
use crate::model::money::Price;
use crate::model::response::{
    LLMResponse, ModelError, ModelErrorKind, Part, Reached, Reply as ModelReply, Usage,
};
use crate::spec::{Join, MemoryPolicy, Mode, ModelSpec, WhileWaiting, WorldSpec};
use crate::testing::*;
use crate::tool::{Reconciliation, ToolErrorCode, ToolOutcome};
use crate::world::RequestKind;
use crate::world::effect::Effect;
use crate::world::memory::CallState;

/// One step: what happens, and two choices.
type Step = (u8, u8, u8);

const SAYINGS: [&str; 7] = [
    "@bob do it",
    "@eve you",
    "hello all",
    "@cody run",
    "@nobody there",
    "@bob @eve both",
    "@bob @cody\n@eve hm",
];
const ARGUMENTS: [&str; 7] = [
    "{}",
    "{\"path\":\"a\"}",
    "{\"path\":1}",
    "no json",
    "{\"agent\":\"bob\",\"text\":\"why\"}",
    "{\"agent\":\"eve\",\"text\":\"why\"}",
    "{\"agent\":\"cody\",\"text\":\"why\"}",
];
const TOOLS: [&str; 11] = [
    "look", "write", "wipe", "keep", "brief", "nothing", "", "ask", "hand", "ask", "ask",
];

fn small_room(choice: u8) -> WorldSpec {
    let mut spec = room_that_asks();
    spec.limits.model_calls_per_agent = u32::from(choice % 4) + 1;
    spec.limits.model_calls_per_episode = 7 + u32::from(choice % 4) * 2;
    spec.limits.tool_calls_per_answer = 2;
    spec.limits.inbox_max = 3;
    spec.limits.news_max = 2;
    spec.limits.items_max = 10;
    spec.limits.transcript_max = 5;
    spec.limits.ask_ttl_ms = 60_000;
    spec.limits.ask_depth_max = 2;
    spec.policy.mode = [Mode::Ask, Mode::Auto, Mode::Read][usize::from(choice / 4 % 3)];
    spec.policy.memory =
        [MemoryPolicy::Shared, MemoryPolicy::Addressed][usize::from(choice / 16 % 2)];
    spec.policy.while_waiting =
        [WhileWaiting::Queue, WhileWaiting::Supersede][usize::from(choice / 32 % 2)];
    spec.policy.retry_shown = choice >= 128;
    if choice % 8 < 4 {
        let all_of = vec![agent("eve"), agent("cody")];
        spec.agents[0].join = Some(Join {
            all_of,
            or_after_ms: 20_000,
        });
    }
    let look = spec.tools.get_mut(&tool("look")).unwrap();
    look.memoises = choice % 2 == 1;
    look.calls_per_episode_max = choice.is_multiple_of(3).then_some(2);
    let models = spec.models.values_mut();
    models.for_each(|model| {
        model.context_tokens_max = [700, 1_000, 100_000][usize::from(choice / 64 % 3)]
    });
    chained(&mut spec, choice);
    priced(&mut spec, choice);
    spec
}

/// Other models stand in, one of which reads less.
fn chained(spec: &mut WorldSpec, choice: u8) {
    if choice % 8 < 3 {
        return;
    }
    let own = spec.models[&model()].clone();
    for (name, context_tokens_max) in [("small", 600), ("other", own.context_tokens_max)] {
        let name = ModelName::new(name).unwrap();
        spec.models.insert(
            name.clone(),
            ModelSpec {
                model: name.to_string(),
                context_tokens_max,
                fallback: vec![model()],
                ..own.clone()
            },
        );
        spec.models.get_mut(&model()).unwrap().fallback.push(name);
    }
}

/// Models have prices, and the room little money.
fn priced(spec: &mut WorldSpec, choice: u8) {
    let per_million = |rate: &str| rate.parse().unwrap();
    let limits = [
        (None, None),
        (Some("0.01"), None),
        (None, Some("0.004")),
        (Some("0.02"), Some("0.005")),
    ];
    let (cost, per_episode) = limits[usize::from(choice / 8 % 4)];
    spec.limits.cost = cost.map(|cost| cost.parse().unwrap());
    spec.limits.cost_per_episode = per_episode.map(|cost| cost.parse().unwrap());
    if spec.limits.has_cost() || choice.is_multiple_of(2) {
        let price = Price {
            input: per_million("0.5"),
            cached: Some(per_million("0.05")),
            cache_written: None,
            output: per_million("2"),
        };
        spec.models
            .values_mut()
            .for_each(|model| model.price = Some(price));
    }
}

/// What a provider counts: nothing, or less than the worst case.
fn counted(response: LLMResponse, b: u8) -> LLMResponse {
    let usage = Usage {
        input: Some(20),
        output: Some(u64::from(b % 16)),
        cached: Some(5),
        ..Usage::default()
    };
    let with = |reply: ModelReply| ModelReply { usage, ..reply };
    match response {
        response if b.is_multiple_of(4) => response,
        LLMResponse::Text(reply) => LLMResponse::Text(with(reply)),
        LLMResponse::Calls(reply) => LLMResponse::Calls(with(reply)),
        LLMResponse::Refused(reply) => LLMResponse::Refused(with(reply)),
        LLMResponse::Truncated(reply) => LLMResponse::Truncated(with(reply)),
        LLMResponse::Filtered(reply) => LLMResponse::Filtered(with(reply)),
    }
}

fn response(a: u8, b: u8) -> LLMResponse {
    let said = ["done", "@eve go on", "@bob your turn", "@cody and you", ""][usize::from(b % 5)];
    let call = |n: u8| {
        let pick = a.wrapping_mul(31).wrapping_add(b.wrapping_mul(n + 7));
        (
            TOOLS[usize::from(pick % 11)],
            ARGUMENTS[usize::from(pick / 11 % 7)],
        )
    };
    let wanted: Vec<(&str, &str)> = (0..b % 4).map(call).collect();
    let mut parts = parts(&wanted);
    let mut reply = |text: &str| {
        parts.insert(0, Part::Text(text.to_owned()));
        ModelReply {
            parts: parts.clone(),
            ..ModelReply::default()
        }
    };
    match a % 8 {
        0 => LLMResponse::text(said),
        1 => LLMResponse::Truncated(ModelReply {
            parts: vec![Part::Text(said.to_owned())],
            ..ModelReply::default()
        }),
        2 => LLMResponse::Refused(ModelReply {
            parts: vec![Part::Refusal("no".to_owned())],
            ..ModelReply::default()
        }),
        3 => LLMResponse::Text(ModelReply::default()),
        4 => LLMResponse::Calls(reply(said)),
        _ => LLMResponse::Calls(ModelReply {
            parts,
            ..ModelReply::default()
        }),
    }
}

fn outcome(b: u8) -> ToolOutcome {
    match b % 5 {
        0 | 1 => ToolOutcome::text("result"),
        2 => ToolOutcome::failed(ToolErrorCode::NotFound, "d"),
        3 => ToolOutcome::failed(ToolErrorCode::Lost, "d"),
        _ => question(),
    }
}

fn progress(a: u8) -> Option<Progress> {
    a.is_multiple_of(2)
        .then(|| Progress::after(None, "half of it"))
}

fn reaction(past: &Past, agent: &AgentName, a: u8, b: u8) -> Reaction {
    let has_model = past
        .world
        .rules()
        .agent(agent)
        .is_some_and(|spec| spec.model.is_some());
    match a % 8 {
        0 => Reaction::Pass {
            note: Some("kept".to_owned()),
        },
        1 => Reaction::Pass {
            note: Some("x".repeat(5_000)),
        },
        2 => answer(response(b, a)),
        3 => ask(),
        _ if has_model => ask(),
        _ => answer(response(b, a / 8)),
    }
}

fn is_compaction(past: &Past, agent: &AgentName) -> bool {
    past.world
        .model_ask(agent)
        .is_some_and(|ask| ask.purpose == Purpose::Compaction)
}

fn perform(past: &Past, effect: Effect, a: u8, b: u8) -> Command {
    let horizon = past.world.head();
    runtime(match effect {
        Effect::Wake { agent, .. } | Effect::Continue { agent, .. } if a % 16 == 15 => {
            let turn = past
                .world
                .memory(&agent)
                .unwrap()
                .turn
                .as_ref()
                .map(|turn| turn.id);
            Action::Shell(ShellAction::FailAgent {
                agent,
                turn,
                code: "broken".to_owned(),
                detail: "d".to_owned(),
            })
        }
        Effect::Wake { agent, .. } => {
            let reaction = reaction(past, &agent, a, b);
            Action::Shell(ShellAction::OpenTurn {
                agent,
                horizon,
                reaction,
            })
        }
        Effect::Continue { agent, turn, .. } => {
            let reaction = reaction(past, &agent, a, b);
            Action::Shell(ShellAction::ContinueTurn {
                agent,
                turn,
                reaction,
            })
        }
        Effect::CallModel {
            agent,
            call,
            attempt,
        } => match a % 8 {
            0 if !is_compaction(past, &agent) => Action::Shell(ShellAction::StartStream {
                agent,
                call,
                attempt,
            }),
            1 => {
                let kind = match b % 8 {
                    0 => ModelErrorKind::RefusesRequest,
                    1 => ModelErrorKind::ContextTooLong,
                    2 => ModelErrorKind::Timeout,
                    3 => ModelErrorKind::NotRecorded,
                    _ => ModelErrorKind::Overload,
                };
                let reached = [None, None, Some(Reached::Nobody), Some(Reached::Answer)]
                    [usize::from(b / 8 % 4)];
                let retry_after_ms = Some(u64::from(b) * 2_000);
                let error = ModelError {
                    retry_after_ms,
                    reached,
                    ..ModelError::new(kind, "d")
                };
                Action::Shell(ShellAction::RecordFailure {
                    agent,
                    call,
                    attempt,
                    error,
                })
            }
            _ => Action::Shell(ShellAction::RecordAnswer {
                agent,
                call,
                attempt,
                response: counted(response(a / 8, b), b),
            }),
        },
        Effect::RetryModel { agent, call, .. } => {
            Action::Shell(ShellAction::RetryModel { agent, call })
        }
        Effect::RunTool {
            agent,
            call,
            attempt,
        } => Action::Shell(ShellAction::StartTool {
            agent,
            call,
            attempt,
        }),
        Effect::Reconcile { agent, call, .. } => {
            let told = [
                Reconciliation::DidNot,
                Reconciliation::CannotTell,
                Reconciliation::Landed(outcome(b)),
            ];
            Action::Shell(ShellAction::RecordReconcile {
                agent,
                call,
                result: told[usize::from(a % 3)].clone(),
            })
        }
        Effect::DeclareUnknown { agent, call } => {
            Action::Shell(ShellAction::DeclareUnknown { agent, call })
        }
        Effect::TickAt { .. } => Action::Shell(ShellAction::Tick),
        effect @ (Effect::Sign { .. } | Effect::Erase { .. }) => upkeep(&past.world, &effect),
    })
}

/// The end of a run that is under way.
fn end_run(past: &Past, a: u8, b: u8) -> Option<Command> {
    let runs: Vec<(AgentName, CallId, Attempt)> = ["bob", "eve", "cody"]
        .into_iter()
        .flat_map(|name| {
            past.memory(name)
                .open_calls
                .iter()
                .map(move |(id, call)| (agent(name), *id, call))
        })
        .filter(|(_, _, call)| matches!(call.state, CallState::Running(_)))
        .map(|(agent, id, call)| (agent, id, call.attempt()))
        .collect();
    let (agent, call, attempt) = runs.get(usize::from(a) % runs.len().max(1))?.clone();
    Some(runtime(match b % 8 {
        7 => Action::Shell(ShellAction::TimeOutTool {
            agent,
            call,
            attempt,
        }),
        _ => Action::Shell(ShellAction::FinishTool {
            agent,
            call,
            attempt,
            outcome: outcome(b),
            progress: progress(a),
        }),
    }))
}

/// Whatever a person can do about a request, rightly or wrongly.
fn about_request(past: &Past, a: u8, b: u8) -> Option<Command> {
    let world = &past.world;
    let waiting: Vec<RequestId> = world
        .consent()
        .pending()
        .keys()
        .chain(world.consent().settled().keys())
        .copied()
        .collect();
    let request = *waiting.get(usize::from(a) % waiting.len().max(1))?;
    let asked = world.consent().pending().get(&request);
    let owner = asked.map_or_else(|| agent("bob"), |asked| asked.agent.clone());
    let verdict = if b.is_multiple_of(2) {
        Verdict::Allow
    } else {
        Verdict::Deny
    };
    let action = match (asked.map(|asked| &asked.kind), b % 16) {
        (Some(RequestKind::Question { .. }), 0..14) => Action::Consent(ConsentAction::Answer {
            request,
            reply: Reply::Options(vec![u32::from(b % 3)]),
        }),
        (Some(RequestKind::Outcome { .. }), 0..14) => {
            let ways = [
                Settlement::Ran(Some("found".to_owned())),
                Settlement::NotRun,
                Settlement::RunAgain,
            ];
            Action::Consent(ConsentAction::Settle {
                request,
                settlement: ways[usize::from(b % 3)].clone(),
            })
        }
        (_, 14) => {
            let judgement = Judgement::new(verdict).having_seen(Some("0000".to_owned()));
            Action::Consent(ConsentAction::Decide {
                agent: Some(agent("eve")),
                request,
                judgement,
            })
        }
        _ => Action::Consent(ConsentAction::Decide {
            agent: Some(owner),
            request,
            judgement: Judgement::new(verdict),
        }),
    };
    let principal = if b % 16 == 15 {
        Principal::Agent(agent("bob"))
    } else {
        ada()
    };
    Some(Command::of(principal, action))
}

/// A result of a run whose call is closed, or an injected one.
fn late(past: &Past, a: u8, b: u8) -> Option<Command> {
    let lost: Vec<_> = past.world.consent().pending().values().collect();
    let request = lost.get(usize::from(a) % lost.len().max(1))?;
    let attempt = if let RequestKind::Outcome { attempt, .. } = request.kind {
        attempt
    } else {
        Attempt(1)
    };
    let action = Action::Shell(ShellAction::FinishTool {
        agent: request.agent.clone(),
        call: request.call,
        attempt,
        outcome: outcome(b),
        progress: progress(a),
    });
    Some(if b.is_multiple_of(8) {
        Command::of(ada(), action)
    } else {
        runtime(action)
    })
}

/// Whatever a person can do about a message, rightly or wrongly, and about being there.
fn about_message(past: &Past, a: u8, b: u8) -> Command {
    let known = past.world.transcript();
    let chosen = known.get(usize::from(a) % known.len().max(1));
    let message = chosen.map_or(MessageId(at(1)), |message| message.id);
    let action = match b % 8 {
        0 | 1 => Action::Talk(TalkAction::Edit {
            message,
            text: SAYINGS[usize::from(b / 8) % SAYINGS.len()].to_owned(),
        }),
        2 | 3 => Action::Talk(TalkAction::Retract { message }),
        4..=6 => Action::Talk(TalkAction::Regenerate { message }),
        _ if a.is_multiple_of(2) => Action::Talk(TalkAction::Join),
        _ => Action::Talk(TalkAction::Leave),
    };
    Command::of(if b >= 250 { Principal::World } else { ada() }, action)
}

fn revise(past: &Past, b: u8) -> Command {
    let mut spec = past.world.rules().spec().clone();
    spec.agents[0].parameters.temperature_milli = Some(u32::from(b));
    runtime(Action::World(WorldAction::Revise {
        definition: definition(spec),
    }))
}

/// Somebody wants some of the last events erased.
fn erase(past: &Past, a: u8, b: u8) -> Command {
    let to = past.world.head();
    let from = Position::new(to.get().saturating_sub(u64::from(a % 20)).max(1));
    let from = from.plus(u64::from(b % 8)).min(to);
    Command::of(
        Principal::World,
        Action::World(WorldAction::Erase {
            events: vec![Span { from, to }],
            basis: "asked for".to_owned(),
        }),
    )
}

/// The store has erased it, and the process dies before that is recorded.
fn die_erasing(past: &mut Past) {
    let owed = past.owed().into_iter();
    let request = owed
        .filter_map(|effect| {
            if let Effect::Erase { request } = effect {
                Some(request)
            } else {
                None
            }
        })
        .next();
    past.erase(request.unwrap());
    past.give(&reopen()).unwrap();
}

/// Stops one episode.
fn stop_one(past: &Past, b: u8) -> Option<Command> {
    let episode = past
        .world
        .episodes()
        .keys()
        .nth(usize::from(b) % 4)
        .copied()?;
    Some(Command::of(
        ada(),
        Action::Talk(TalkAction::Stop {
            episode: Some(episode),
        }),
    ))
}

/// What is owed and due is never refused and never without effect: else the shell would do it for ever.
fn perform_owed(past: &mut Past, a: u8, b: u8) {
    let owed = past.owed();
    let Some(effect) = owed.get(usize::from(a) % owed.len().max(1)) else {
        return;
    };
    let is_due = effect
        .not_before()
        .is_none_or(|time| time <= past.now.max(past.world.time()));
    let command = perform(past, effect.clone(), b, a);
    let head = past.world.head();
    let answer = past.give(&command);
    if is_due {
        assert_eq!(answer, Ok(()), "{effect:?} is owed");
        let is_repeated = matches!(
            command.action,
            Action::Shell(ShellAction::StartStream { .. })
        );
        assert!(
            is_repeated || past.world.head() > head,
            "{effect:?} led to nothing"
        );
    }
}

fn step(past: &mut Past, (what, a, b): Step) {
    let command = match what % 27 {
        0..=11 => return perform_owed(past, a, b),
        12..=14 => end_run(past, a, b),
        15 | 16 => Some(post(&format!(
            "{} {}",
            SAYINGS[usize::from(a) % SAYINGS.len()],
            "x".repeat(usize::from(b) * 2)
        ))),
        17 | 18 => about_request(past, a, b),
        19 => late(past, a, b),
        24..=26 => Some(about_message(past, a, b)),
        20 if a % 4 == 0 => Some(stop()),
        20 if a % 4 == 1 => stop_one(past, b),
        21 if a % 2 == 0 => Some(reopen_with(
            [None, Some("k+1"), Some("k+1"), Some("k+2")][usize::from(b % 4)],
        )),
        21 if a % 4 == 1 => Some(reopen_in(b % 3)),
        21 => Some(fork_of(&past.world)),
        22 if a % 4 == 0 => Some(revise(past, b)),
        23 if past.world.upkeep().is_erasing() => return die_erasing(past),
        23 => Some(erase(past, a, b)),
        _ => {
            past.now.0 += u64::from(a) * u64::from(b) * 30;
            Some(runtime(Action::Shell(ShellAction::Tick)))
        }
    };
    if let Some(command) = command {
        // A refusal is as good an answer as any here.
        let _answer = past.give(&command);
    }
}

/// How many random histories are tried, unless `PROPTEST_CASES`, which proptest reads, asks for other than its default.
pub(super) fn cases() -> u32 {
    const DEFAULT: u32 = 256;
    Some(ProptestConfig::default().cases)
        .filter(|cases| *cases != DEFAULT)
        .unwrap_or(24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_whatever_happens(choice: u8, steps in prop::collection::vec(any::<Step>(), 1..100)) {
        let key = (choice % 8 > 4).then_some("k+1");
        let mut past = Past::with(small_room(choice)).then(reopen_with(key)).said("@bob begin");
        for one in steps {
            step(&mut past, one);
        }
        causes_hold(&past);
    }
}

/// A branch between the request of an erasure and its end: what the parent asked models for is gone in the branch as well.
#[test]
fn a_branch_off_a_world_that_is_erasing_begins_another_chain() {
    let mut past = Past::with(small_room(1))
        .then(reopen_with(None))
        .said("@bob begin");
    let steps = [
        (0, 0, 0),
        (24, 0, 0),
        (96, 5, 0),
        (216, 5, 11),
        (81, 0, 0),
        (212, 8, 104),
        (239, 0, 0),
        (156, 51, 0),
        (150, 162, 0),
        (0, 0, 83),
    ];
    for one in steps {
        step(&mut past, one);
    }
    causes_hold(&past);
}
