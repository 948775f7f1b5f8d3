//! Calls that run together: which may, and that the order in which they end makes no difference.

use std::collections::BTreeMap;

use serde_json::json;

use crate::command::{Action, Command, ConsentAction, Judgement, ShellAction};
use crate::event::Verdict;
use crate::ids::{Attempt, CallId, Digest, RequestId, Seed, Time};
use crate::prompt::ModelRequest;
use crate::spec::{Mode, WorldSpec};
use crate::testing::*;
use crate::tool::{CallRule, EffectClass, Repeat, ToolOutcome, ToolSpec};
use crate::world::World;
use crate::world::effect::Effect;
use crate::world::memory::CallState;

const NONE: [usize; 0] = [];

fn free_room(change: impl FnOnce(&mut WorldSpec)) -> WorldSpec {
    room_with(|spec| {
        spec.policy.mode = Mode::Auto;
        spec.limits.tool_calls_per_answer = 20;
        change(spec);
    })
}

fn tool_of<'s>(spec: &'s mut WorldSpec, name: &str) -> &'s mut ToolSpec {
    spec.tools.get_mut(&tool(name)).unwrap()
}

/// The places, in bob's last answer, of the calls that are owed a run.
fn owed_runs(past: &Past) -> Vec<usize> {
    let slots = &past.memory("bob").turn.as_ref().unwrap().slots;
    let place = |id: CallId| slots.iter().position(|slot| slot.call == id);
    let of = |effect: &Effect| {
        if let Effect::RunTool { call, .. } = effect {
            place(*call)
        } else {
            None
        }
    };
    past.owed().iter().filter_map(of).collect()
}

fn ran(past: Past, n: usize) -> Past {
    past.started("bob", n, 1)
        .finished("bob", n, 1, ToolOutcome::text("x"))
}

#[test]
fn reads_run_together_up_to_eight_of_a_tool() {
    let past = Past::with(free_room(|_| {})).bob_calls(&[("look", "{}"); 10]);
    assert_eq!(owed_runs(&past), [0, 1, 2, 3, 4, 5, 6, 7]);
    let past = (0..8).fold(past, |past, n| past.started("bob", n, 1));
    assert_eq!(owed_runs(&past), NONE);
    let past = past.finished("bob", 3, 1, ToolOutcome::text("x"));
    assert_eq!(owed_runs(&past), [8]);
}

#[test]
fn writes_run_one_by_one_for_each_tool() {
    let past = Past::with(free_room(|_| {})).bob_calls(&[
        ("write", "{}"),
        ("keep", "{}"),
        ("write", "{}"),
    ]);
    assert_eq!(owed_runs(&past), [0, 1]);
    assert_eq!(owed_runs(&ran(past, 0)), [1, 2]);
}

#[test]
fn tool_says_how_many_of_its_runs_go_on_at_a_time() {
    let room = free_room(|spec| {
        tool_of(spec, "look").concurrency_max = Some(1);
        tool_of(spec, "write").concurrency_max = Some(2);
    });
    let past = Past::with(room).bob_calls(&[
        ("look", "{}"),
        ("look", "{}"),
        ("write", "{}"),
        ("write", "{}"),
    ]);
    assert_eq!(owed_runs(&past), [0, 2, 3]);
}

#[test]
fn destructive_call_runs_alone_and_holds_back_what_came_later() {
    let wanted = [
        ("look", "{}"),
        ("wipe", "{}"),
        ("look", "{}"),
        ("wipe", "{}"),
    ];
    let past = Past::with(free_room(|_| {})).bob_calls(&wanted);
    assert_eq!(owed_runs(&past), [0]);
    let past = ran(past, 0);
    assert_eq!(owed_runs(&past), [1]);
    let past = past.started("bob", 1, 1);
    assert_eq!(owed_runs(&past), NONE);
    let past = past.finished("bob", 1, 1, ToolOutcome::text("x"));
    assert_eq!(owed_runs(&past), [2]);
}

#[test]
fn start_out_of_turn_is_stale() {
    let past = Past::with(free_room(|_| {})).bob_calls(&[("look", "{}"), ("wipe", "{}")]);
    check(
        &past,
        &past.start("bob", 1, 1),
        &quietly(crate::event::refusal::Refusal::Stale),
    );
}

#[test]
fn destructive_call_of_one_agent_waits_for_the_reads_of_another() {
    let past = Past::with(free_room(|_| {}))
        .said("@bob @eve go")
        .woke("bob")
        .woke("eve");
    let past = past
        .answered("eve", calls(&[("look", "{}")]))
        .started("eve", 0, 1);
    let past = past.answered("bob", calls(&[("wipe", "{}")]));
    assert_eq!(owed_runs(&past), NONE);
    assert_eq!(past.world.activity(), crate::world::Activity::Running);
    assert_eq!(
        owed_runs(&past.finished("eve", 0, 1, ToolOutcome::text("x"))),
        [0]
    );
}

#[test]
fn effect_of_the_call_decides_what_it_may_run_beside() {
    let room = free_room(|spec| {
        let effect = EffectClass::Destructive;
        tool_of(spec, "look").rules = vec![CallRule {
            when: Vec::new(),
            effect,
        }];
    });
    let past = Past::with(room).bob_calls(&[("keep", "{}"), ("look", "{}")]);
    assert_eq!(owed_runs(&past), [0]);
}

#[test]
fn run_that_was_lost_waits_for_its_turn_like_one_that_never_started() {
    let past = Past::with(free_room(|_| {})).bob_calls(&[("keep", "{}"), ("wipe", "{}")]);
    let past = past.started("bob", 0, 1).crashed();
    let (agent, call) = (agent("bob"), past.call("bob", 0));
    assert_eq!(
        past.owed(),
        [Effect::RunTool {
            agent,
            call,
            attempt: Attempt(2)
        }]
    );
}

/// Eight tools that read and eight that write.
fn wide_room() -> WorldSpec {
    room_with(|spec| {
        spec.limits.tool_calls_per_answer = 8;
        for (kind, effect) in [("r", EffectClass::Read), ("w", EffectClass::Write)] {
            for n in 0..8 {
                let name = tool(&format!("{kind}{n}"));
                let one = ToolSpec {
                    repeat: Repeat::Never,
                    ..ToolSpec::new(
                        name.clone(),
                        effect,
                        "It does.",
                        json!({ "type": "object" }),
                    )
                };
                spec.tools.insert(name.clone(), one);
                spec.agents[0].tools.push(name);
            }
        }
    })
}

/// Bob has called eight tools: those of `asking` write, and so ask first.
fn eight(opened: Past, asking: u8) -> World {
    let names: Vec<String> = (0..8)
        .map(|n| {
            if asking >> n & 1 == 1 {
                format!("w{n}")
            } else {
                format!("r{n}")
            }
        })
        .collect();
    let wanted: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "{}")).collect();
    opened.bob_calls(&wanted).world
}

fn give(world: &mut World, command: &Command) {
    let stamp = world.stamp(Time::SIMULATED_START, Seed::new([0; 16]));
    let decision = world.decide(command, &stamp);
    assert!(
        decision.answer.is_ok(),
        "{command:?}: {:?}",
        decision.answer
    );
    world.apply(&world.commit(command, &stamp, &decision).unwrap());
}

fn slots(world: &World) -> Vec<CallId> {
    let turn = world.memory(&agent("bob")).unwrap().turn.as_ref().unwrap();
    turn.slots.iter().map(|slot| slot.call).collect()
}

/// The result of the `n`-th call: the same whenever it ends.
fn finish(world: &mut World, n: usize, call: CallId) {
    let outcome = ToolOutcome::text(format!("result {n}"));
    let (agent, attempt) = (agent("bob"), Attempt(1));
    give(
        world,
        &runtime(Action::Shell(ShellAction::FinishTool {
            agent,
            call,
            attempt,
            outcome,
            progress: None,
        })),
    );
}

/// What the model is asked next.
fn next_prompt(world: &World) -> ModelRequest {
    let mut world = world.clone();
    let turn = world
        .memory(&agent("bob"))
        .unwrap()
        .turn
        .as_ref()
        .unwrap()
        .id;
    give(
        &mut world,
        &runtime(Action::Shell(ShellAction::ContinueTurn {
            agent: agent("bob"),
            turn,
            reaction: ask(),
        })),
    );
    world.model_ask(&agent("bob")).unwrap().request
}

/// The digest of the state, less where in the log each decision stands: that is the order in which people decided.
fn state_hash(world: &World) -> Digest {
    let mut state = serde_json::to_value(world).unwrap();
    let settled = state["consent"]["settled"].as_object_mut().unwrap();
    settled
        .values_mut()
        .for_each(|settled| settled["at"] = json!(null));
    Digest::of(&[&serde_json::to_vec(&state).unwrap()])
}

/// Ends the calls of `running` in all orders, and gives how many there are. Two orders of one set must meet in one state,
/// so that all orders do.
fn all_orders(world: World, calls: &[CallId], running: u8) -> (World, u32) {
    let mut after: BTreeMap<u8, (World, u32)> = [(0, (world, 1))].into();
    for ended in (1..=running).filter(|ended| ended & !running == 0) {
        for n in (0..8).filter(|n| ended >> n & 1 == 1) {
            let (mut world, orders) = after[&(ended & !(1 << n))].clone();
            finish(&mut world, n, calls[n]);
            let (met, all) = after.entry(ended).or_insert_with(|| (world.clone(), 0));
            assert!(*met == world, "{running:b}: {ended:b} by way of call {n}");
            *all += orders;
        }
    }
    after.remove(&running).unwrap()
}

#[test]
fn eight_parallel_calls_give_one_state_and_one_prompt_in_all_orders_of_their_ends() {
    let opened = Past::with(wide_room());
    for allowed in [u8::MAX, 0b1010_1010, 0b0111_0001, 1, 0] {
        let mut world = eight(opened.clone(), u8::MAX);
        let calls = slots(&world);
        for (n, call) in calls.iter().enumerate() {
            let decided = next_of(&world, allowed, n, *call).unwrap();
            give(&mut world, &decided);
        }
        for n in (0..8).filter(|n| allowed >> n & 1 == 1) {
            let started = next_of(&world, allowed, n, calls[n]).unwrap();
            give(&mut world, &started);
        }
        let (last, orders) = all_orders(world, &calls, allowed);
        assert_eq!(
            orders,
            (1..=allowed.count_ones()).product::<u32>(),
            "40,320 if all are allowed"
        );
        assert_eq!(next_prompt(&last).items.len(), 10);
    }
}

/// Numbers that look random, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// What can happen next to the `n`-th call.
fn next_of(world: &World, allowed: u8, n: usize, call: CallId) -> Option<Command> {
    let agent = agent("bob");
    let attempt = Attempt(1);
    Some(match world.memory(&agent)?.open_calls.get(&call)?.state {
        CallState::AwaitsApproval { request, .. } => decision(request, allowed >> n & 1 == 1),
        CallState::Ready { .. } => runtime(Action::Shell(ShellAction::StartTool {
            agent,
            call,
            attempt,
        })),
        CallState::Running(_) => {
            let outcome = ToolOutcome::text(format!("result {n}"));
            runtime(Action::Shell(ShellAction::FinishTool {
                agent,
                call,
                attempt,
                outcome,
                progress: None,
            }))
        }
        CallState::AwaitsAnswer { .. }
        | CallState::AwaitsAgent { .. }
        | CallState::InDoubt { .. }
        | CallState::AwaitsSettlement { .. } => return None,
    })
}

fn decision(request: RequestId, is_allowed: bool) -> Command {
    let judgement = Judgement::new(if is_allowed {
        Verdict::Allow
    } else {
        Verdict::Deny
    });
    Command::of(
        ada(),
        Action::Consent(ConsentAction::Decide {
            agent: Some(agent("bob")),
            request,
            judgement,
        }),
    )
}

/// Brings all calls to their end, `choose` saying whose next step is taken.
fn run_out(mut world: World, allowed: u8, mut choose: impl FnMut(usize) -> usize) -> World {
    let calls = slots(&world);
    for _ in 0..8 * 3 {
        let next: Vec<Command> = calls
            .iter()
            .enumerate()
            .filter_map(|(n, call)| next_of(&world, allowed, n, *call))
            .collect();
        if next.is_empty() {
            break;
        }
        give(&mut world, &next[choose(next.len())]);
    }
    world
}

#[test]
fn whatever_people_decide_and_when_the_order_makes_no_difference() {
    let mut dice = Dice(7);
    let opened = Past::with(wide_room());
    // Each set of calls that ask, so many orders of all that happens: 3,072 in all, unless more cases are asked for.
    let orders = super::laws::cases() / 8;
    for asking in 0..=u8::MAX {
        let allowed = u8::try_from(dice.below(256)).unwrap();
        let world = eight(opened.clone(), asking);
        let last = run_out(world.clone(), allowed, |_| 0);
        let end = (state_hash(&last), next_prompt(&last).fingerprint);
        for _ in 0..orders {
            let other = run_out(world.clone(), allowed, |sides| dice.below(sides));
            assert_eq!(end, (state_hash(&other), next_prompt(&other).fingerprint));
        }
    }
}
