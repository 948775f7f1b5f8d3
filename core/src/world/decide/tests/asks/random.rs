//! Agents that ask one another and hand over all the time: the laws hold, and whatever is owed leads somewhere.

use crate::command::{ShellAction, TalkAction};
use proptest::prelude::*;

use crate::ids::EpisodeId;
use crate::world::decide::tests::asks::*;

type Step = (u8, u8, u8);

const NAMES: [&str; 5] = ["bob", "eve", "cody", "mia", "tom"];

fn busy_room(choice: u8) -> WorldSpec {
    let mut room = larger_room(&["mia", "tom"]);
    room.policy.while_waiting =
        [WhileWaiting::Queue, WhileWaiting::Supersede][usize::from(choice % 2)];
    room.policy.memory =
        [MemoryPolicy::Shared, MemoryPolicy::Addressed][usize::from(choice / 2 % 2)];
    room.limits.model_calls_per_agent = 6 + u32::from(choice / 4 % 8);
    room.limits.model_calls_per_episode = 60;
    room.limits.inbox_max = 2 + u32::from(choice / 32 % 4);
    room.limits.news_max = 2;
    room.limits.transcript_max = 4;
    room.limits.ask_ttl_ms = 60_000;
    room.limits.ask_depth_max = 3;
    room
}

fn response(a: u8, b: u8) -> LLMResponse {
    let name = |n: u8| NAMES[usize::from(n) % NAMES.len()];
    match a % 16 {
        0..=4 => asks(&[name(b)]),
        5 | 6 => asks(&[name(b), name(b / 5)]),
        7 | 8 => turns_to("hand", &[name(b)]),
        9 => calls(&[("ask", words(name(b), "Why?").as_str()), ("write", "{}")]),
        10 => LLMResponse::Text(Reply::default()),
        _ => text(&format!("@{} so it is", name(b))),
    }
}

fn perform(past: &Past, effect: Effect, a: u8, b: u8) -> Command {
    let reaction = |agent: &AgentName| match agent.as_str() {
        "cody" if a.is_multiple_of(16) => Reaction::Pass { note: None },
        "cody" => answer(response(a, b)),
        _ => ask(),
    };
    let horizon = past.world.head();
    runtime(match effect {
        Effect::Wake { agent, .. } if agent.as_str() == "cody" && b.is_multiple_of(16) => {
            Action::Shell(ShellAction::FailAgent {
                agent,
                turn: None,
                code: "broken".to_owned(),
                detail: String::new(),
            })
        }
        Effect::Wake { agent, .. } => Action::Shell(ShellAction::OpenTurn {
            reaction: reaction(&agent),
            agent,
            horizon,
        }),
        Effect::Continue { agent, turn, .. } => Action::Shell(ShellAction::ContinueTurn {
            reaction: reaction(&agent),
            agent,
            turn,
        }),
        Effect::CallModel {
            agent,
            call,
            attempt,
        } => Action::Shell(ShellAction::RecordAnswer {
            agent,
            call,
            attempt,
            response: response(a, b),
        }),
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
        Effect::Reconcile { agent, call, .. } | Effect::DeclareUnknown { agent, call } => {
            Action::Shell(ShellAction::DeclareUnknown { agent, call })
        }
        Effect::TickAt { .. } => Action::Shell(ShellAction::Tick),
        effect @ (Effect::Sign { .. } | Effect::Erase { .. }) => upkeep(&past.world, &effect),
    })
}

/// What is owed and due is never refused and never without effect.
fn perform_owed(past: &mut Past, a: u8, b: u8) {
    let owed = past.owed();
    let Some(effect) = owed.get(usize::from(a) % owed.len().max(1)) else {
        return;
    };
    let is_due = effect
        .not_before()
        .is_none_or(|time| time <= past.now.max(past.world.time()));
    let command = perform(
        past,
        effect.clone(),
        b,
        a.wrapping_mul(7).wrapping_add(b / 16),
    );
    let head = past.world.head();
    let answer = past.give(&command);
    assert!(
        !is_due || (answer == Ok(()) && past.world.head() > head),
        "{effect:?} leads to {answer:?}"
    );
}

/// Somebody takes a message back, edits it, or wants another reply in its place.
fn amendment(past: &Past, a: u8, b: u8) -> Option<Command> {
    let room = past.world.transcript();
    let message = room.get(usize::from(a) % room.len().max(1))?.id;
    let action = match b % 3 {
        0 => Action::Talk(TalkAction::Retract { message }),
        1 => Action::Talk(TalkAction::Regenerate { message }),
        _ => Action::Talk(TalkAction::Edit {
            message,
            text: format!("@{} now", NAMES[usize::from(b) % NAMES.len()]),
        }),
    };
    Some(Command::of(ada(), action))
}

fn step(past: &mut Past, (what, a, b): Step) {
    let episode = || {
        past.world
            .episodes()
            .keys()
            .nth(usize::from(a) % 4)
            .copied()
    };
    let pending = past
        .world
        .consent()
        .pending()
        .iter()
        .next()
        .map(|(id, request)| (*id, request.agent.clone()));
    let command = match what % 32 {
        0..=24 => return perform_owed(past, a, b),
        25 | 26 => Some(post(&format!(
            "@{} go on",
            NAMES[usize::from(a) % NAMES.len()]
        ))),
        27 => pending.map(|(id, agent)| decide_of(agent.as_str(), id, Verdict::Deny)),
        28 => episode().map(|episode: EpisodeId| {
            Command::of(
                ada(),
                Action::Talk(TalkAction::Stop {
                    episode: Some(episode),
                }),
            )
        }),
        29 => Some(reopen()),
        30 => amendment(past, a, b),
        _ => {
            past.now.0 += u64::from(b) * 200;
            Some(runtime(Action::Shell(ShellAction::Tick)))
        }
    };
    if let Some(command) = command {
        // A refusal is as good an answer as any here.
        let _answer = past.give(&command);
    }
}

/// Whatever is left is done in words; then nothing waits but people's decisions.
fn settle(past: &mut Past) {
    for _ in 0..1_000 {
        let Some(effect) = work(past).into_iter().next() else {
            break;
        };
        past.now = past.now.max(effect.not_before().unwrap_or_default());
        let command = perform(past, effect, 11, 1);
        past.give(&command).unwrap();
    }
    assert_eq!(work(past), []);
    let waits = past.world.activity();
    assert!(
        waits == Activity::Idle || !past.world.consent().pending().is_empty(),
        "{waits:?}, and nobody can help"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::super::laws::cases() / 2, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agents_that_ask_one_another_come_to_an_end(choice: u8, steps in prop::collection::vec(any::<Step>(), 1..120)) {
        let mut past = Past::with(busy_room(choice)).said("@bob begin").said("@eve and you");
        steps.into_iter().for_each(|one| step(&mut past, one));
        settle(&mut past);
        causes_hold(&past);
    }
}
