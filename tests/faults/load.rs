//! Many worlds and more clients, beside a reader that stands still, a tool that is stuck and a model that never ends.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use folkmoot::core::command::{Action, TalkAction};
use folkmoot::core::event::{Event, TalkEvent};
use folkmoot::core::ids::Position;
use folkmoot::core::model::response::{LLMResponse, ModelError};
use folkmoot::core::port::{Drafts, EventLog as _, Model, ModelCall};
use folkmoot::core::spec::{Definition, Mode};
use folkmoot::core::tool::EffectClass;
use folkmoot::core::world::Activity;
use folkmoot::store::OpenMode;
use folkmoot::{Opening, Post, Runtime, Seat, Store, TextSubscription, WorldHandle, WorldName};
use folkmoot_tests::{FakeModel, FakeTool, Room, agent_name, commits_of, person, wants};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::scale::scale;

/// How many worlds there are, unless `FOLKMOOT_LOAD_WORLDS` says otherwise.
const WORLDS: u64 = 40;

/// How many clients write in each of them, each at the same time as all others.
const CLIENTS: u64 = 10;

/// Nothing here takes this long; what does hangs.
const DEADLINE: Duration = Duration::from_secs(540);

/// What a process may hold at most: so much by itself, caches of the database among it, and so much for each open world.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
const BYTES_PER_WORLD_MAX: u64 = 256 * 1024;

#[test]
fn a_load_of_clients_is_served_whole_while_others_are_stuck() {
    let worlds = scale("FOLKMOOT_LOAD_WORLDS", WORLDS);
    let own = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "load::carries_the_load",
            "--ignored",
            "--nocapture",
        ])
        .env("FOLKMOOT_LOAD_WORLDS", worlds.to_string())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&own.stdout);
    assert!(own.status.success(), "{said}");
    let peak = said
        .lines()
        .find_map(|line| line.strip_prefix("peak bytes: "))
        .unwrap();
    let (peak, most): (u64, u64) = (
        peak.parse().unwrap(),
        BYTES_MAX + worlds * BYTES_PER_WORLD_MAX,
    );
    said.lines()
        .filter(|line| line.contains("worlds"))
        .for_each(|line| println!("{line}"));
    assert!(peak <= most, "{worlds} worlds held {peak} bytes, of {most}");
}

#[test]
#[ignore = "the process of the test above, whose memory is measured"]
fn carries_the_load() {
    let worlds = scale("FOLKMOOT_LOAD_WORLDS", WORLDS);
    let begun = Instant::now();
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let messages = tokio.block_on(async {
        tokio::time::timeout(DEADLINE, carry(worlds))
            .await
            .expect("the load is carried in time")
    });
    let peak = peak_bytes();
    println!(
        "{worlds} worlds, {messages} messages, {} MiB at most, {:?}",
        peak >> 20,
        begun.elapsed()
    );
    println!("peak bytes: {peak}");
}

/// The most memory that this process ever held.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Answers at once.
#[derive(Debug)]
struct Prompt;

#[async_trait]
impl Model for Prompt {
    async fn call(
        &self,
        call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        Ok(LLMResponse::text(format!(
            "I have read {} items.",
            call.request.items().len()
        )))
    }
}

/// Never ends, and says so many words that nobody could keep them.
#[derive(Debug)]
struct Endless;

#[async_trait]
impl Model for Endless {
    async fn call(
        &self,
        _call: &ModelCall,
        drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        while drafts.push("and another thing, ").await.is_ok() {
            tokio::task::yield_now().await;
        }
        std::future::pending().await
    }
}

/// One room for all: each world's definition leaves one agent of it.
fn room() -> Room {
    let stuck =
        FakeTool::new("stuck", EffectClass::Read, |_| std::future::pending()).within_ms(3_600_000);
    Room::auto()
        .tool(stuck)
        .agent("prompt", &[], Arc::new(Prompt))
        .agent("endless", &[], Arc::new(Endless))
        .agent("patient", &["stuck"], FakeModel::new([wants(&["stuck"])]))
}

/// The room with only this agent, which answers everybody.
fn with_only(agent: &str) -> Definition {
    let name = agent_name(agent);
    room()
        .with(|spec| {
            spec.agents.retain(|agent| agent.name == name);
            spec.policy.main_agent = Some(name);
            spec.policy.mode = Mode::Auto;
            spec.limits.transcript_max = 100;
            spec.limits.items_max = 100;
        })
        .definition()
}

async fn carry(worlds: u64) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store"), OpenMode::Create).unwrap();
    let runtime = Runtime::builder(&store).assembler(room().parts()).build();
    let endless = begin(&runtime, "endless", "endless").await;
    let stuck = begin(&runtime, "stuck", "patient").await;
    for world in [&endless, &stuck] {
        person(world, "ada")
            .publish_message(Post::text("Begin."))
            .await
            .unwrap();
    }
    let busy = begin(&runtime, "busy", "prompt").await;
    let (go_on, wait) = oneshot::channel();
    let reader = tokio::spawn(slow_reader(person(&busy, "slow"), wait));

    let written = write_everywhere(&runtime, &busy, worlds).await;
    assert_eq!(
        endless
            .operator()
            .read(|world| world.room_activity())
            .await
            .unwrap(),
        Activity::Running
    );
    assert_eq!(
        stuck
            .operator()
            .read(|world| world.room_activity())
            .await
            .unwrap(),
        Activity::Running
    );
    let said = said_in(&store, "busy").await;
    go_on.send(said.len()).unwrap();
    assert_eq!(reader.await.unwrap(), said, "the slow reader saw all of it");

    for world in [&endless, &stuck] {
        person(world, "ada").stop(None, None).await.unwrap();
        assert_eq!(world.quiet().await.unwrap(), Activity::Idle);
    }
    runtime.shutdown().await;
    check(&store, worlds).await;
    store.close().unwrap();
    written
}

async fn begin(runtime: &Runtime, name: &str, agent: &str) -> WorldHandle {
    runtime
        .open(Opening::with(
            WorldName::new(name).unwrap(),
            with_only(agent),
        ))
        .await
        .unwrap()
}

/// Opens the worlds, and has all their clients write at once: ten in each, and ten times as many in `busy`.
async fn write_everywhere(runtime: &Runtime, busy: &WorldHandle, worlds: u64) -> usize {
    let mut handles = Vec::new();
    for number in 0..worlds {
        handles.push(begin(runtime, &format!("world-{number}"), "prompt").await);
    }
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS * 10 {
        clients.spawn(say(person(busy, &format!("client-{client}")), client));
    }
    for world in &handles {
        for client in 0..CLIENTS {
            clients.spawn(say(person(world, &format!("client-{client}")), client));
        }
    }
    let written = clients.join_all().await.len();
    for world in handles.iter().chain([busy]) {
        assert_eq!(world.quiet().await.unwrap(), Activity::Idle);
    }
    written
}

async fn say(seat: Seat, client: u64) {
    let text = format!("This is client {client}.");
    seat.give(
        Action::Talk(TalkAction::PostMessage {
            text,
            attachments: Vec::new(),
            reply_to: None,
        }),
        None,
    )
    .await
    .unwrap();
}

/// Subscribes at once, and takes nothing up before it is told how much there is.
async fn slow_reader(seat: Seat, wait: oneshot::Receiver<usize>) -> Vec<String> {
    let mut messages = TextSubscription::from(&seat, Position::new(1))
        .await
        .unwrap();
    let mut seen = Vec::new();
    for _ in 0..wait.await.unwrap() {
        let message = messages.next().await.unwrap().unwrap();
        seen.push(if message.is_person {
            message.text
        } else {
            String::new()
        });
    }
    seen
}

/// What people said in a world, by its log; for what agents said, nothing.
async fn said_in(store: &Store, world: &str) -> Vec<String> {
    let commits = commits_of(store, &WorldName::new(world).unwrap()).await;
    let said = commits
        .iter()
        .flat_map(|commit| &commit.events)
        .filter_map(|event| {
            let Event::Talk(TalkEvent::MessagePosted(posted)) = event else {
                return None;
            };
            Some(posted.body.present().unwrap().text.clone())
        });
    said.collect()
}

/// Each client's message stands once in the log of its world, and somebody answered.
async fn check(store: &Store, worlds: u64) {
    for number in 0..worlds {
        let said = said_in(store, &format!("world-{number}")).await;
        for client in 0..CLIENTS {
            let text = format!("This is client {client}.");
            assert_eq!(
                said.iter().filter(|said| **said == text).count(),
                1,
                "client {client} of world {number}"
            );
        }
        assert!(
            said.len() > usize::try_from(CLIENTS).unwrap(),
            "nobody answered in world {number}"
        );
    }
    let all = store
        .worlds(&Default::default(), None, usize::MAX)
        .await
        .unwrap();
    assert_eq!(all.len() as u64, worlds + 3);
}
