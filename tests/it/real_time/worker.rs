//! Blocking tools are killed with all they started: at their time limit, when they are stopped, and when the runtime dies.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::ids::{Attempt, CallId, Incarnation};
use folkmoot::core::port::Unheard;
use folkmoot::core::spec::limits::CALL_BYTES_MAX;
use folkmoot::core::tool::ToolFailure;
use folkmoot::port::Tool as _;
use folkmoot::providers::{ScriptedModel, ScriptedReply};
use folkmoot::{
    Post, ProcessHost, Room, Runtime, Store, SystemClock, ToolCall, ToolErrorCode, ToolOutcome,
    Worker, WorkerCall,
};
use folkmoot_tests::{Stubborn, agent_name, person};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};

/// Nothing here takes this long; what does hangs.
const DEADLINE: Duration = Duration::from_secs(60);

/// The same in the milliseconds of a tool that nothing but the test is to stop.
const LONG_MS: u64 = 600_000;

/// A folder with a socket to which the tool's processes connect.
struct Place {
    folder: TempDir,
    listener: UnixListener,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
        Self { folder, listener }
    }

    fn call(&self, deed: &str, number: u8) -> ToolCall {
        call(self.folder.path(), deed, number)
    }

    async fn run(&self, deed: &str) -> ToolOutcome {
        stubborn(LONG_MS).run(&self.call(deed, 1)).await
    }

    /// The connection of the process that connects next.
    async fn process(&self) -> UnixStream {
        in_time(self.listener.accept()).await.unwrap().0
    }
}

fn call(folder: &Path, deed: &str, number: u8) -> ToolCall {
    ToolCall {
        agent: agent_name("worker"),
        call: CallId::new([number; 16]),
        idempotency_key: format!("world/call {number}"),
        attempt: Attempt(1),
        incarnation: Incarnation(1),
        arguments: json!({ "do": deed, "socket": folder.join("socket") }),
        input: None,
        clock: Arc::new(SystemClock),
        host: Some(Arc::new(host(folder))),
        files: None,
        progress: Arc::new(Unheard),
    }
}

fn host(folder: &Path) -> ProcessHost {
    ProcessHost::new(crate::helper(), folder.join("locks"))
}

fn stubborn(timeout_ms: u64) -> Worker {
    Worker::new(&Stubborn::new("stubborn", timeout_ms)).run_by(crate::helper())
}

async fn in_time<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, what)
        .await
        .expect("nothing hangs")
}

/// Waits until nobody holds the other end: the process that did is dead.
async fn gone(mut connection: UnixStream) {
    let mut heard = Vec::new();
    in_time(connection.read_to_end(&mut heard)).await.unwrap();
    assert_eq!(heard, b"");
}

fn failure(outcome: ToolOutcome) -> ToolFailure {
    let ToolOutcome::Failed(failure) = outcome else {
        panic!("it did not fail: {outcome:?}")
    };
    failure
}

#[tokio::test]
async fn a_blocking_tool_is_given_its_call_and_only_what_it_returns_is_its_outcome() {
    let place = Place::new();
    let outcome = place.run("tell").await;
    let call = serde_json::to_value(WorkerCall::from(&place.call("tell", 1))).unwrap();
    assert_eq!(
        outcome,
        ToolOutcome::text(format!("{call} Some(\"stubborn\") \"\""))
    );
}

#[tokio::test]
async fn a_blocking_tool_that_takes_too_long_is_killed_with_all_it_started() {
    let place = Place::new();
    let (tool, call) = (stubborn(2000), place.call("spin", 1));
    let processes = async { (place.process().await, place.process().await) };
    let (outcome, (detached, own)) = tokio::join!(tool.run(&call), processes);
    assert_eq!(failure(outcome).code, ToolErrorCode::TimedOut);
    gone(detached).await;
    gone(own).await;
}

#[tokio::test]
async fn a_blocking_tool_whose_run_is_dropped_is_killed_with_all_it_started() {
    let place = Place::new();
    let (tool, call) = (stubborn(LONG_MS), place.call("spin", 1));
    let (detached, own) = tokio::select! {
        outcome = tool.run(&call) => panic!("it ended by itself: {outcome:?}"),
        processes = async { (place.process().await, place.process().await) } => processes,
    };
    gone(detached).await;
    gone(own).await;
}

#[tokio::test]
async fn a_blocking_tool_is_killed_with_all_it_started_when_a_person_stops_it() {
    let place = Place::new();
    let arguments = place.call("spin", 1).arguments;
    let desk = agent_name("desk");
    let replies =
        ScriptedReply::list(&json!([{ "calls": [{ "tool": "stubborn", "args": arguments }] }]))
            .unwrap();
    let room = Room::new("stop").unwrap();
    let room = room
        .model("scripted", ScriptedModel::new([(desk, replies)].into()))
        .unwrap();
    let room = room
        .agent("desk", "scripted", "You wait.")
        .unwrap()
        .tool("stubborn", stubborn(LONG_MS))
        .unwrap()
        .give_tool("desk", "stubborn")
        .unwrap();
    let runtime = Runtime::builder(&Store::memory())
        .host(Arc::new(host(place.folder.path())))
        .build();
    let world = runtime.open_room(&room).await.unwrap();
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("Begin.")).await.unwrap();
    let (detached, own) = (place.process().await, place.process().await);
    ada.stop(None, None).await.unwrap();
    gone(detached).await;
    gone(own).await;
    in_time(runtime.shutdown()).await;
}

#[tokio::test]
async fn a_blocking_tool_is_killed_with_all_it_started_when_the_runtime_is_killed() {
    let place = Place::new();
    let mut runtime = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "real_time::worker::plays_the_runtime",
            "--ignored",
            "--nocapture",
        ])
        .env("PLACE", place.folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (detached, own) = (place.process().await, place.process().await);
    runtime.kill().unwrap();
    runtime.wait().unwrap();
    gone(detached).await;
    gone(own).await;
    // The next run of the same call waits for the lock of the killed one.
    assert_eq!(place.run("sing").await, ToolOutcome::text("cannot sing"));
}

#[tokio::test]
#[ignore = "the part of the runtime in the test above, which kills it"]
async fn plays_the_runtime() {
    let place = std::env::var("PLACE").unwrap();
    let outcome = stubborn(LONG_MS)
        .run(&call(place.as_ref(), "spin", 1))
        .await;
    panic!("it should have been killed: {outcome:?}");
}

#[tokio::test]
async fn what_a_blocking_tool_left_running_is_dead_when_its_outcome_comes() {
    let place = Place::new();
    assert_eq!(place.run("leave").await, ToolOutcome::text("left"));
    gone(place.process().await).await;
}

#[tokio::test]
async fn blocking_tools_run_side_by_side() {
    let place = Place::new();
    let tool = stubborn(LONG_MS);
    let (left, right) = (place.call("wait", 1), place.call("wait", 2));
    let meet = async {
        // Both run before either is told to end.
        let both = [place.process().await, place.process().await];
        for mut process in both {
            process.write_all(b"met").await.unwrap();
        }
    };
    let (left, right, ()) = tokio::join!(tool.run(&left), tool.run(&right), meet);
    assert_eq!(
        (left, right),
        (ToolOutcome::text("met"), ToolOutcome::text("met"))
    );
}

#[tokio::test]
async fn a_blocking_tool_that_ends_without_an_outcome_may_have_taken_effect() {
    let place = Place::new();
    for (deed, why) in [("panic", "at the disco"), ("exit", "exit code 0")] {
        let ToolFailure { code, detail, .. } = failure(place.run(deed).await);
        assert_eq!(code, ToolErrorCode::Lost);
        assert!(detail.contains(why), "{detail}");
    }
}

#[tokio::test]
async fn a_call_or_an_outcome_that_is_too_large_is_told_from_other_failures() {
    let place = Place::new();
    assert_eq!(
        failure(place.run("flood").await).code,
        ToolErrorCode::TooLarge
    );
    let long = "x".repeat(CALL_BYTES_MAX);
    assert_eq!(
        failure(place.run(&long).await).code,
        ToolErrorCode::TooLarge
    );
}

#[tokio::test]
async fn a_program_without_the_tool_says_so() {
    let place = Place::new();
    let other = Worker::new(&Stubborn::new("other", LONG_MS)).run_by(crate::helper());
    let ToolFailure { code, detail, .. } = failure(other.run(&place.call("tell", 1)).await);
    assert_eq!(
        (code, detail.as_str()),
        (
            ToolErrorCode::Failed,
            "other is not among the workers of this program"
        )
    );
}
