//! Random traces of grant, use, expire, revoke and restart.

use crate::command::ShellAction;
use crate::event::CallEvent;
use std::collections::BTreeMap;

use crate::command::commit::Commit;
use crate::ids::Time;
use crate::world::decide::tests::consent::*;
use crate::world::decide::tests::laws::cases;

/// What the log says of grants, counted beside the fold.
#[derive(Debug, Default)]
struct Book {
    grants: BTreeMap<GrantId, (GrantGiven, u32)>,
    over: Vec<GrantId>,
}

impl Book {
    fn read(&mut self, commit: &Commit) {
        for (at, event) in commit.numbered() {
            if let Event::Call(CallEvent::GrantGiven(given)) = event {
                self.grants.insert(GrantId(at), (given.clone(), 0));
            }
            if let Event::Call(CallEvent::GrantRevoked(revoked)) = event {
                self.over.push(revoked.grant);
            }
            if let Event::Call(CallEvent::GrantUsed(used)) = event {
                self.used(used, commit.header.stamp.time);
            }
        }
    }

    fn used(&mut self, used: &GrantUsed, now: Time) {
        assert!(
            !self.over.contains(&used.grant),
            "{used:?} of a revoked grant"
        );
        let (given, count) = self.grants.get_mut(&used.grant).unwrap();
        *count += 1;
        assert!(now < given.expires_at, "{used:?} of an expired grant");
        assert_eq!(given.agent, used.agent);
        if let Scope::Uses(uses) = given.scope {
            assert!(*count <= uses, "{used:?} is one too many of {uses}");
        }
    }
}

/// A small generator: the same trace for the same number, on every machine.
struct Roll(u64);

impl Roll {
    fn of(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn step(past: Past, roll: &mut Roll) -> Past {
    let bob = past.memory("bob");
    let (turn, waits) = (
        bob.turn.clone(),
        past.world.consent().pending().keys().next().copied(),
    );
    match (roll.of(8), waits, turn) {
        (0, _, _) => past.after_ms(20_000),
        (1, _, _) => past.crashed(),
        (2, _, _) if past.world.grants().next().is_some() => {
            let command = revoke(past.world.grants().next().unwrap().0);
            let is_over = past.decide(&command).answer.is_err();
            if is_over {
                past.then_refused(command)
            } else {
                past.then(command)
            }
        }
        (roll, Some(request), _) => {
            let scope = [
                Scope::Once,
                Scope::Turn,
                Scope::World,
                Scope::Uses(1),
                Scope::Uses(2),
            ][roll as usize % 5];
            let free = json!([{ "path": "/path", "one_of": ["a", "b", "c"] }]);
            let plain = yes().within(scope);
            let judgement = if roll > 5 && scope != Scope::Once {
                wide(scope, free)
            } else {
                plain
            };
            let decision = past.decide(&judged("bob", request, judgement.clone()));
            if decision.answer.is_ok() {
                past.then(judged("bob", request, judgement))
            } else {
                past.then_refused(judged("bob", request, judgement))
            }
        }
        (_, None, None) => past.said("@bob go").woke("bob"),
        (other, None, Some(turn)) if turn.model.is_some() => answer(past, roll, other),
        (_, None, Some(_)) => run(past),
    }
}

fn answer(past: Past, roll: &mut Roll, other: u64) -> Past {
    if past
        .memory("bob")
        .turn
        .as_ref()
        .unwrap()
        .model
        .as_ref()
        .unwrap()
        .incarnation
        != past.world.incarnation()
    {
        let retry = past.retry("bob");
        return past.then(retry);
    }
    if other == 3 {
        return past.answered("bob", text("done"));
    }
    let mut path = || ["a", "b", "c"][roll.of(3) as usize];
    let wanted: Vec<String> = (0..2)
        .map(|_| json!({ "path": path() }).to_string())
        .collect();
    let wanted: Vec<(&str, &str)> = wanted
        .iter()
        .map(|arguments| ("write", arguments.as_str()))
        .collect();
    past.answered("bob", calls(&wanted))
}

/// Does what is owed next.
fn run(past: Past) -> Past {
    use crate::world::effect::Effect;
    let Some(effect) = past.owed().into_iter().next() else {
        return past.then(stop());
    };
    let n = |call| {
        past.memory("bob")
            .turn
            .as_ref()
            .unwrap()
            .slots
            .iter()
            .position(|slot| slot.call == call)
            .unwrap()
    };
    match effect {
        Effect::RunTool { call, attempt, .. } => {
            let n = n(call);
            past.started("bob", n, attempt.0).finished(
                "bob",
                n,
                attempt.0,
                crate::tool::ToolOutcome::text("ok"),
            )
        }
        Effect::DeclareUnknown { call, .. } | Effect::Reconcile { call, .. } => {
            let command = past.declare("bob", n(call));
            past.then(command)
        }
        Effect::Continue { .. } => past.carried_on("bob"),
        Effect::TickAt { .. } => past.then(Command::of_runtime(Action::Shell(ShellAction::Tick))),
        effect @ (Effect::Sign { .. } | Effect::Erase { .. }) => {
            let action = upkeep(&past.world, &effect);
            past.then(Command::of_runtime(action))
        }
        other @ (Effect::Wake { .. } | Effect::CallModel { .. } | Effect::RetryModel { .. }) => {
            panic!("{other:?}")
        }
    }
}

#[test]
fn grants_are_used_as_often_as_given_and_never_afterwards() {
    let spec = room_with(|spec| {
        spec.limits.grant_ttl_ms = 60_000;
        spec.limits.model_calls_per_agent = 1_000;
        spec.limits.model_calls_per_episode = 1_000;
    });
    let (mut uses, traces) = (0, 2 * cases());
    for trace in 0..traces.into() {
        let (mut past, mut roll, mut book) =
            (Past::with(spec.clone()), Roll(trace), Book::default());
        for _ in 0..10 {
            let before = past.commits.len();
            past = step(past, &mut roll);
            past.commits[before..]
                .iter()
                .for_each(|commit| book.read(commit));
        }
        uses += book.grants.values().map(|(_, used)| used).sum::<u32>();
    }
    assert!(uses > traces / 3, "only {uses} uses in {traces} traces");
}
