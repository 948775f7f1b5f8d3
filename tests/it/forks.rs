//! Forks: they perform nothing that nobody allowed, and leave the world that they were branched off as it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use folkmoot::core::command::Judgement;
use folkmoot::core::event::{CallEvent, CallStatus, Event, ForkEffects, TurnEvent, Verdict};
use folkmoot::core::ids::{Position, WorldName};
use folkmoot::core::model::response::{LLMResponse, ModelError};
use folkmoot::core::port::{
    Agent, AgentError, Drafts, EventLog as _, Model, ModelCall, Reaction, StoredCommit, TextEvent,
    ToolResultEvent, TurnView,
};
use folkmoot::core::tool::{EffectClass, ToolErrorCode, ToolOutcome};
use folkmoot::core::world::Activity;
use folkmoot::{Forking, Post, Runtime, Store, WorldHandle};
use folkmoot_tests::{FakeModel, FakeTool, Room, agent_name, person, room_name, says, wants};
use futures::TryStreamExt as _;

/// A small generator: the same for the same number, on every machine.
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

/// How often something outside was reached.
#[derive(Debug, Clone, Default)]
struct Reached(Arc<AtomicUsize>);

impl Reached {
    fn note(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn times(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// A model that answers somehow, the same to the same request.
#[derive(Debug)]
struct Erratic(Reached);

#[async_trait]
impl Model for Erratic {
    async fn call(
        &self,
        call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        self.0.note();
        Ok(match call.request.fingerprint().as_bytes()[0] % 6 {
            0 => wants(&["look", "wipe"]),
            1 => wants(&["wipe", "wipe"]),
            2 => wants(&["look"]),
            3 => wants(&["write", "look"]),
            4 => says("@coded what do you say?"),
            _ => says("done"),
        })
    }
}

struct Coded(Reached);

#[async_trait]
impl Agent for Coded {
    async fn on_text(&self, _view: &TurnView, _news: &[TextEvent]) -> Result<Reaction, AgentError> {
        self.0.note();
        Ok(Reaction::Answer {
            response: wants(&["look"]),
            note: None,
        })
    }

    async fn on_tool_results(
        &self,
        _view: &TurnView,
        _results: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError> {
        self.0.note();
        Ok(Reaction::Pass { note: None })
    }
}

fn room(reached: &Reached) -> Room {
    let tools = ["look", "write", "wipe"];
    let effects = [
        EffectClass::Read,
        EffectClass::Write,
        EffectClass::Destructive,
    ];
    let room = Room::asking().agent("bob", &tools, Arc::new(Erratic(reached.clone())));
    let room = room.agent("eve", &tools, Arc::new(Erratic(reached.clone())));
    let room = room.code("coded", &["look"], Arc::new(Coded(reached.clone())));
    tools
        .into_iter()
        .zip(effects)
        .fold(room, |room, (name, effect)| {
            let reached = reached.clone();
            room.tool(FakeTool::new(name, effect, move |_call| {
                reached.note();
                async move { ToolOutcome::text(name) }
            }))
        })
}

/// People say or decide something.
async fn deed(world: &WorldHandle, roll: &mut Roll) {
    let ada = person(world, "ada");
    let pending = ada.read(|world| {
        world
            .consent()
            .pending()
            .iter()
            .map(|(id, request)| (*id, request.agent.clone()))
            .next()
    });
    match (pending.await.unwrap(), roll.of(3)) {
        (Some((request, agent)), 0 | 1) => {
            let verdict = if roll.of(2) == 0 {
                Verdict::Allow
            } else {
                Verdict::Deny
            };
            ada.decide(&agent, request, Judgement::new(verdict), None)
                .await
                .unwrap();
        }
        _ => {
            let text = format!(
                "@{} go on ({})",
                ["bob", "eve", "coded"][roll.of(3) as usize],
                roll.of(20)
            );
            ada.publish_message(Post::text(text)).await.unwrap();
        }
    }
    world.quiet().await.unwrap();
}

async fn stored(store: &Store, name: &WorldName) -> Vec<StoredCommit> {
    let entry = store.find(name).await.unwrap().unwrap();
    store
        .read(entry.world, Position::new(1))
        .await
        .unwrap()
        .try_collect()
        .await
        .unwrap()
}

async fn events(store: &Store, name: &WorldName) -> Vec<Event> {
    stored(store, name)
        .await
        .into_iter()
        .flat_map(|stored| stored.commit.events)
        .collect()
}

fn name(number: usize) -> WorldName {
    WorldName::new(format!("what-if-{number}")).unwrap()
}

fn forks() -> usize {
    std::env::var("FOLKMOOT_FORKS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(40)
}

/// How many forks one random world gets.
const FORKS_EACH: usize = 20;

#[tokio::test]
async fn random_forks_reach_nothing_outside_and_leave_their_parent_as_it_was() {
    let mut forked = 0;
    for log in 0..forks().div_ceil(FORKS_EACH) {
        let (reached, mut roll) = (Reached::default(), Roll(log as u64));
        let store = Store::memory();
        let (runtime, world) = room(&reached).open(&store).await;
        for _ in 0..4 + roll.of(12) {
            deed(&world, &mut roll).await;
        }
        let (before, times) = (stored(&store, &room_name()).await, reached.times());
        let head = before.last().unwrap().commit.last();
        for number in 0..FORKS_EACH {
            let at = Position::new(1 + roll.of(head.get()));
            let forking = Forking {
                at: Some(at),
                is_copied: roll.of(8) == 0,
                ..Forking::of(room_name(), name(number))
            };
            let branched = runtime.fork(forking).await.unwrap();
            assert!(branched.at >= at);
            branched.world.quiet().await.unwrap();
            for _ in 0..roll.of(4) {
                deed(&branched.world, &mut roll).await;
            }
            runtime.close(&name(number)).await;
            forked += 1;
        }
        assert_eq!(
            reached.times(),
            times,
            "log {log}: a fork reached something outside"
        );
        assert_eq!(
            stored(&store, &room_name()).await,
            before,
            "log {log}: the parent is as it was"
        );
        world.quiet().await.unwrap();
    }
    assert!(forked >= forks());
}

/// A room whose only model asks to wipe, was allowed to, and said so.
async fn wiped(reached: &Reached) -> (Store, Runtime, WorldHandle, Position) {
    let (store, seen) = (Store::memory(), reached.clone());
    let model = FakeModel::new([wants(&["wipe"]), says("wiped"), says("and live")]);
    let wipe = FakeTool::new("wipe", EffectClass::Destructive, move |_call| {
        seen.note();
        async { ToolOutcome::text("all gone") }
    });
    let (runtime, world) = Room::asking()
        .agent("bob", &["wipe"], model as _)
        .tool(wipe)
        .open(&store)
        .await;
    person(&world, "ada")
        .publish_message(Post::text("@bob wipe it"))
        .await
        .unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Parked));
    let asked = Position::new(events(&store, &room_name()).await.len() as u64);
    decide(&world, Verdict::Allow).await;
    (store, runtime, world, asked)
}

async fn decide(world: &WorldHandle, verdict: Verdict) {
    let ada = person(world, "ada");
    let request = ada
        .read(|world| *world.consent().pending().keys().next().unwrap())
        .await
        .unwrap();
    ada.decide(&agent_name("bob"), request, Judgement::new(verdict), None)
        .await
        .unwrap();
    world.quiet().await.unwrap();
}

fn ends(events: &[Event]) -> Vec<CallStatus> {
    let status = |event: &Event| {
        if let Event::Call(CallEvent::ToolFinished(end)) = event {
            Some(end.status.clone())
        } else {
            None
        }
    };
    events.iter().filter_map(status).collect()
}

#[tokio::test]
async fn what_happened_in_the_parent_happens_in_the_fork_out_of_its_record() {
    let reached = Reached::default();
    let (store, runtime, _world, asked) = wiped(&reached).await;
    let forking = Forking {
        at: Some(asked),
        ..Forking::of(room_name(), name(1))
    };
    let branched = runtime.fork(forking).await.unwrap();
    assert_eq!(
        (
            branched.left.requests,
            branched.left.calls,
            branched.left.turns
        ),
        (1, 1, 1)
    );
    decide(&branched.world, Verdict::Allow).await;
    let events = events(&store, &name(1)).await;
    assert_eq!(ends(&events), [CallStatus::Done]);
    let ada = person(&branched.world, "ada");
    let said = ada
        .read(|world| world.transcript().back().unwrap().text.clone())
        .await
        .unwrap();
    assert_eq!(said.present().unwrap(), "wiped");
    assert_eq!(
        reached.times(),
        1,
        "the tool itself ran once, in the parent"
    );
}

#[tokio::test]
async fn what_did_not_happen_in_the_parent_does_not_happen_in_the_fork() {
    let reached = Reached::default();
    let (store, runtime, _world, asked) = wiped(&reached).await;
    let forking = Forking {
        at: Some(asked),
        ..Forking::of(room_name(), name(1))
    };
    let branched = runtime.fork(forking).await.unwrap();
    decide(&branched.world, Verdict::Deny).await;
    let happened = events(&store, &name(1)).await;
    assert_eq!(ends(&happened), [CallStatus::Denied]);
    let failed = happened.iter().find_map(|event| {
        if let Event::Turn(TurnEvent::ModelFailed(failed)) = event {
            Some(failed)
        } else {
            None
        }
    });
    assert_eq!(failed.unwrap().kind.code(), "dry_run");
}

#[tokio::test]
async fn tool_that_never_ran_is_not_run_and_its_agent_is_told() {
    let (store, reached) = (Store::memory(), Reached::default());
    let seen = reached.clone();
    let model = FakeModel::new([wants(&["wipe"])]);
    let wipe = FakeTool::new("wipe", EffectClass::Destructive, move |_call| {
        seen.note();
        async { ToolOutcome::text("all gone") }
    });
    let (runtime, world) = Room::asking()
        .agent("bob", &["wipe"], model as _)
        .tool(wipe)
        .open(&store)
        .await;
    person(&world, "ada")
        .publish_message(Post::text("@bob wipe it"))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    let branched = runtime
        .fork(Forking::of(room_name(), name(1)))
        .await
        .unwrap();
    decide(&branched.world, Verdict::Allow).await;
    assert_eq!(
        ends(&events(&store, &name(1)).await),
        [CallStatus::Failed(ToolErrorCode::DryRun)]
    );
    assert_eq!(reached.times(), 0);
    // Opened again it is a dry run still.
    runtime.close(&name(1)).await;
    let again = runtime
        .open(folkmoot::Opening::recorded(name(1)))
        .await
        .unwrap();
    person(&again, "ada")
        .publish_message(Post::text("@bob once more"))
        .await
        .unwrap();
    again.quiet().await.unwrap();
    assert_eq!(reached.times(), 0);
}

#[tokio::test]
async fn fork_that_was_allowed_to_performs_its_effects() {
    let reached = Reached::default();
    let (store, runtime, _world, asked) = wiped(&reached).await;
    let forking = Forking {
        at: Some(asked),
        effects: ForkEffects::Live,
        ..Forking::of(room_name(), name(1))
    };
    let branched = runtime.fork(forking).await.unwrap();
    decide(&branched.world, Verdict::Allow).await;
    assert_eq!(ends(&events(&store, &name(1)).await), [CallStatus::Done]);
    assert_eq!(reached.times(), 2);
}

#[tokio::test]
async fn fork_by_somebody_without_the_right_is_refused() {
    let (_store, runtime, _world, _) = wiped(&Reached::default()).await;
    let forking = Forking {
        by: folkmoot::Proof::agent(agent_name("bob")),
        ..Forking::of(room_name(), name(1))
    };
    assert!(runtime.fork(forking).await.is_err());
    let beyond = Forking {
        at: Some(Position::new(9_999)),
        ..Forking::of(room_name(), name(1))
    };
    let error = runtime.fork(beyond).await.unwrap_err();
    assert!(
        error.to_string().contains("there is no event 9999"),
        "{error}"
    );
    let taken = runtime.fork(Forking::of(room_name(), room_name())).await;
    assert!(taken.is_err());
}
