//! Random rooms in which random things happen: whatever it is, the log is the truth and the room goes on.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::command::commit::{Commit, StepKey};
use folkmoot::core::command::{Action, ConsentAction, Judgement, Reply, Settlement, TalkAction};
use folkmoot::core::event::{ClockKind, Verdict};
use folkmoot::core::ids::Digest;
use folkmoot::core::world::World;
use folkmoot::run::{Asks, waiting};
use folkmoot::script::Script;
use folkmoot::{
    Opening, Perform, Proof, Runtime, Seat, SeatError, Store, WorldHandle, definition_of,
};
use folkmoot_tests::{Cut, Probed, commits_of, repeats_of, story_of};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::replay;

/// Nothing that a room does here takes this long; one that does hangs.
const QUIET_MAX: Duration = Duration::from_secs(30);

/// What people do.
#[derive(Debug, Clone)]
enum Deed {
    Say(String),
    Decide(Verdict),
    Answer,
    Settle(Settlement),
    Stop,
    Advance(u64),
    /// The room is closed in good order.
    Restart,
    /// The process dies while nothing goes on.
    Kill,
    /// The process dies after so many more appends.
    Crash(u64),
}

fn speech() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("hello".to_owned()),
        (0..4_usize).prop_map(|agent| format!("@a{agent} go on")),
        (0..4_usize, 0..4_usize).prop_map(|(one, other)| format!("@a{one} and\n@a{other} both")),
        Just("@nobody are you there?".to_owned()),
    ]
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => speech().prop_map(Deed::Say),
        5 => prop_oneof![2 => Just(Verdict::Allow), 1 => Just(Verdict::Deny)].prop_map(Deed::Decide),
        2 => Just(Deed::Answer),
        2 => prop_oneof![
            Just(Settlement::Ran(Some("it ran".to_owned()))),
            Just(Settlement::Ran(None)),
            Just(Settlement::NotRun),
            Just(Settlement::RunAgain),
        ].prop_map(Deed::Settle),
        1 => Just(Deed::Stop),
        1 => (1..40_u64).prop_map(Deed::Advance),
        1 => Just(Deed::Restart),
        1 => Just(Deed::Kill),
        4 => (0..7_u64).prop_map(Deed::Crash),
    ]
}

fn call() -> impl Strategy<Value = Value> {
    let tool = prop_oneof![
        Just("look"),
        Just("mark"),
        Just("pay"),
        Just("ask"),
        Just("slow"),
        Just("lost")
    ];
    prop_oneof![
        8 => tool.prop_map(|tool| json!({ "tool": tool })),
        1 => Just(json!({ "tool": "look", "raw_args": "{broken" })),
    ]
}

fn reply() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just("rate_limit"),
        Just("outage"),
        Just("content_filter"),
        Just("bad_reply")
    ];
    prop_oneof![
        3 => speech().prop_map(|text| json!({ "text": text })),
        2 => speech().prop_map(|text| json!({ "chunks": [text, ", please"] })),
        5 => vec(call(), 1..4).prop_map(|calls| json!({ "calls": calls })),
        2 => (speech(), vec(call(), 1..3)).prop_map(|(text, calls)| json!({ "chunks": [text], "calls": calls })),
        2 => kind.prop_map(|kind| json!({ "fail": { "kind": kind } })),
        1 => Just(json!({ "refuse": "no" })),
        1 => speech().prop_map(|text| json!({ "text": text, "pause": "3s" })),
    ]
}

fn tools() -> Value {
    json!({
        "look": { "use": "scripted", "effect": "read", "results": [{ "text": "seen" }] },
        "mark": { "use": "scripted", "effect": "write", "idempotent": true, "results": [{ "text": "marked" }] },
        "pay": { "use": "scripted", "effect": "destructive", "results": [{ "text": "paid" }] },
        "ask": { "use": "scripted", "effect": "write", "results": [
            { "needs_input": { "question": "Which?", "options": ["this", "that"] } },
            { "text": "{input}, then" },
        ] },
        "slow": { "use": "scripted", "effect": "write", "results": [{ "text": "at last", "takes": "9s" }] },
        "lost": { "use": "scripted", "effect": "destructive", "reconciles": true, "results": [
            { "text": "found", "counts": "lost.count", "takes": "1s" },
        ] },
    })
}

fn room() -> impl Strategy<Value = Value> {
    let policy = (
        prop_oneof![3 => Just("ask"), 2 => Just("auto"), 1 => Just("read")],
        prop_oneof![Just("shared"), Just("addressed")],
        prop_oneof![Just("queue"), Just("supersede")],
        any::<bool>(),
    );
    let limits = (1..6_u32, 2..20_u32, 1..4_u32, 1..4_u32, 4..40_u32);
    (1..5_usize, any::<bool>(), policy, limits, vec(vec(reply(), 0..7), 4)).prop_map(
        |(agents, has_main, (mode, memory, while_waiting, retry_shown), limits, replies)| {
            let (own, all, calls, inbox, items) = limits;
            let names: Vec<String> = (0..agents).map(|agent| format!("a{agent}")).collect();
            let all_tools = ["look", "mark", "pay", "ask", "slow", "lost"];
            let agent = |name: &String| json!({ "name": name, "prompt": "Play along.", "tools": all_tools });
            let mut policy = json!({
                "mode": mode, "memory": memory, "while_waiting": while_waiting, "retry_shown": retry_shown,
            });
            if has_main {
                policy["main_agent"] = json!("a0");
            }
            let replies: serde_json::Map<String, Value> =
                names.iter().cloned().zip(replies.into_iter().map(Value::Array)).collect();
            json!({
                "world": "random",
                "models": { "scripted": { "provider": "scripted" } },
                "defaults": { "model": "scripted" },
                "agents": names.iter().map(agent).collect::<Vec<_>>(),
                "tools": tools(),
                "policy": policy,
                "limits": {
                    "model_calls_per_agent": own,
                    "model_calls_per_episode": all,
                    "tool_calls_per_answer": calls,
                    "inbox_max": inbox,
                    "items_max": items,
                    "approval_ttl": { "destructive": "5m", "write": "20m" },
                },
                "replies": replies,
            })
        },
    )
}

/// A room in which things happen.
struct Play {
    runtime: Runtime,
    script: Script,
    perform: Perform,
    cut: Arc<Cut>,
    world: WorldHandle,
    steps: u32,
    watchers: Vec<JoinHandle<Vec<World>>>,
}

impl Play {
    async fn begin(store: &Store, script: Script, perform: Perform) -> Self {
        let probed = Probed::default();
        let cut = Arc::new(Cut::never(&probed.probe));
        let runtime = Runtime::builder(store)
            .assembler(probed)
            .counted_seeds(1)
            .build()
            .through(Arc::clone(&cut) as _);
        let world = open(&runtime, &script, perform, true).await;
        let watchers = vec![replay::watch(world.clone())];
        Self {
            runtime,
            script,
            perform,
            cut,
            world,
            steps: 0,
            watchers,
        }
    }

    fn seat(&self) -> Seat {
        self.world
            .as_principal(Proof::script("ada".to_owned().try_into().unwrap()))
    }

    async fn reopen(&mut self) {
        self.runtime.close(&self.script.world).await;
        self.cut.mend();
        self.world = open(&self.runtime, &self.script, self.perform, false).await;
        self.watchers.push(replay::watch(self.world.clone()));
    }

    /// Does one deed, and lets the room come to rest. One that has crashed is opened again.
    async fn act(&mut self, deed: &Deed) {
        match deed {
            Deed::Restart => self.reopen().await,
            Deed::Kill => {
                self.cut.kill(&self.world).await;
                self.reopen().await;
            }
            Deed::Crash(more) => self.cut.in_a_while(*more),
            other => match self.give(other).await {
                // What the room refuses is an answer as well.
                Ok(()) | Err(SeatError::Refused(_)) => {}
                Err(SeatError::Stopped(_) | SeatError::Closed) => self.reopen().await,
                Err(error) => panic!("{other:?}: {error}"),
            },
        }
        self.rest().await;
    }

    async fn rest(&mut self) {
        while tokio::time::timeout(QUIET_MAX, self.world.quiet())
            .await
            .expect("the room hangs")
            .is_err()
        {
            self.reopen().await;
        }
    }

    async fn give(&mut self, deed: &Deed) -> Result<(), SeatError> {
        let all = self.world.operator().read(waiting).await?;
        let first = |fits: fn(&Asks) -> bool| all.iter().find(|one| fits(&one.asks)).cloned();
        let action = match deed {
            Deed::Say(text) => Some(Action::Talk(TalkAction::PostMessage {
                text: text.clone(),
                attachments: Vec::new(),
                reply_to: None,
            })),
            Deed::Decide(verdict) => {
                first(|asks| matches!(asks, Asks::Approval { .. })).map(|one| {
                    Action::Consent(ConsentAction::Decide {
                        agent: Some(one.agent),
                        request: one.request,
                        judgement: Judgement::new(*verdict),
                    })
                })
            }
            Deed::Answer => first(|asks| matches!(asks, Asks::Question { .. })).map(|one| {
                Action::Consent(ConsentAction::Answer {
                    request: one.request,
                    reply: Reply::Options(vec![1]),
                })
            }),
            Deed::Settle(settlement) => {
                first(|asks| matches!(asks, Asks::Outcome { .. })).map(|one| {
                    Action::Consent(ConsentAction::Settle {
                        request: one.request,
                        settlement: settlement.clone(),
                    })
                })
            }
            Deed::Stop => Some(Action::Talk(TalkAction::Stop { episode: None })),
            Deed::Advance(minutes) => {
                self.steps += 1;
                let step = StepKey {
                    run: 1,
                    index: self.steps,
                };
                let by = Duration::from_secs(minutes * 60);
                return self
                    .seat()
                    .advance(by, step, Digest::of(&[b"advance"]))
                    .await
                    .map(|_| ());
            }
            Deed::Restart | Deed::Kill | Deed::Crash(_) => None,
        };
        match action {
            Some(action) => self.seat().give(action, None).await.map(|_| ()),
            None => Ok(()),
        }
    }
}

async fn open(runtime: &Runtime, script: &Script, perform: Perform, is_new: bool) -> WorldHandle {
    let definition = is_new.then(|| definition_of(script, &script.spec).unwrap());
    let (name, base) = (script.world.clone(), Some(script.base.clone()));
    let opening = Opening {
        definition,
        base,
        clock: ClockKind::Simulated,
        perform,
        ..Opening::recorded(name)
    };
    runtime.open(opening).await.unwrap()
}

async fn play(
    room: &Value,
    deeds: &[Deed],
    perform: Perform,
    base: &Path,
) -> (Vec<Commit>, Vec<World>) {
    let script = Script::parse(&room.to_string(), &base.join("random.yaml"));
    let script = script.unwrap_or_else(|error| panic!("{error}"));
    let store = Store::memory();
    let mut play = Play::begin(&store, script, perform).await;
    play.rest().await;
    for deed in deeds {
        play.act(deed).await;
    }
    play.runtime.shutdown().await;
    let mut seen = Vec::new();
    for watcher in play.watchers {
        seen.extend(watcher.await.unwrap());
    }
    (commits_of(&store, &play.script.world).await, seen)
}

fn in_runtime<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(test)
}

/// The logs of some rooms, the same ones every time.
pub(crate) fn some(rooms: usize) -> Vec<Vec<Commit>> {
    let mut runner = TestRunner::deterministic();
    let stories = (room(), vec(deed(), 1..14));
    (0..rooms)
        .map(|_| {
            let (room, deeds) = stories.new_tree(&mut runner).unwrap().current();
            let base = tempfile::tempdir().unwrap();
            in_runtime(play(&room, &deeds, Perform::InOrder, base.path())).0
        })
        .collect()
}

/// 24 rooms, or as many as `PROPTEST_CASES` says.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(24);
    ProptestConfig {
        cases,
        max_shrink_iters: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_rooms_are_replayed_as_they_were_lived(room in room(), deeds in vec(deed(), 1..14), in_order in any::<bool>()) {
        let perform = if in_order { Perform::InOrder } else { Perform::AsItComes };
        let base = tempfile::tempdir().unwrap();
        let (commits, seen) = in_runtime(play(&room, &deeds, perform, base.path()));
        prop_assert_eq!(repeats_of(&commits), []);
        replay::check(&commits, &seen, "a random room");
    }

    #[test]
    fn the_same_deeds_in_the_same_room_make_the_same_log(room in room(), deeds in vec(deed(), 1..10)) {
        // The same folder for both: it is a fact of the world.
        let base = tempfile::tempdir().unwrap();
        let (first, _) = in_runtime(play(&room, &deeds, Perform::InOrder, base.path()));
        // What the second world does must not be found done by the first: their calls have the same keys.
        let _none = std::fs::remove_file(base.path().join("lost.count"));
        let (second, _) = in_runtime(play(&room, &deeds, Perform::InOrder, base.path()));
        if first != second {
            return Err(TestCaseError::fail(format!("{}\nand then\n{}", story_of(&first), story_of(&second))));
        }
    }
}
