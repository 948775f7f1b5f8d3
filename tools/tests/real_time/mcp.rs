//! Servers of the Model Context Protocol that are programs: a peer of our own, which does its worst.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "the helpers of tests may panic, and a peer complains"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use folkmoot_core::ids::{AgentName, Attempt, CallId, Incarnation, Time, ToolName};
use folkmoot_core::port::{Clock, Input, Tool, ToolCall, ToolHost, Unheard};
use folkmoot_core::tool::{Question, ToolErrorCode, ToolFailure, ToolOutcome, View};
use folkmoot_tools::{Shared, build_tool_among, offers};
use serde_json::{Value, json};

use crate::*;

mod conformance;
mod http;
mod others;
mod peer;

use peer::schema;

#[derive(Debug)]
struct Still;

#[async_trait::async_trait]
impl Clock for Still {
    fn now(&self) -> Time {
        Time::SIMULATED_START
    }

    async fn sleep_until(&self, _: Time) {}
}

/// The settings of the peer's tool.
fn settings(more: &Value) -> Value {
    let program = std::env::current_exe().unwrap();
    let part = "real_time::mcp::peer::plays_the_server";
    let mut settings = json!({
        "use": "mcp", "server": "peer", "cwd": ".", "sandbox": "none", "timeout": "20s",
        "command": [program, "--exact", part, "--ignored", "--nocapture"],
        "tool": "echo", "schema": schema("string"),
    });
    let more = more.as_object().unwrap().clone();
    settings.as_object_mut().unwrap().extend(more);
    settings
}

/// The peer's tool in a world of its own.
struct Peer {
    place: Place,
    tool: Arc<dyn Tool>,
}

impl Peer {
    fn new(more: &Value) -> Self {
        let place = Place::new();
        let tool = tool_in(&place, more, &Shared::default());
        Self { place, tool }
    }

    fn modern(more: &Value) -> Self {
        let peer = Self::new(more);
        std::fs::write(peer.place.path("modern"), "").unwrap();
        peer
    }

    fn mode(&self, mode: &str) {
        std::fs::write(self.place.path("mode"), mode).unwrap();
    }

    fn call(&self) -> ToolCall {
        call(&self.place, json!({ "text": "hi" }))
    }

    async fn run(&self, mode: &str) -> ToolOutcome {
        self.mode(mode);
        self.tool.run(&self.call()).await
    }

    async fn answered(&self, mode: &str, input: Input) -> ToolOutcome {
        self.mode(mode);
        let input = Some(input);
        self.tool
            .run(&ToolCall {
                input,
                ..self.call()
            })
            .await
    }

    /// The calls that reached the server.
    fn calls(&self) -> usize {
        std::fs::read(self.place.path("calls")).map_or(0, |calls| calls.len())
    }
}

fn tool_in(place: &Place, more: &Value, shared: &Shared) -> Arc<dyn Tool> {
    let name = ToolName::new("peer_echo").unwrap();
    let built = build_tool_among(&name, &settings(more), place.folder.path(), shared);
    built.unwrap().tool
}

fn call(place: &Place, arguments: Value) -> ToolCall {
    ToolCall {
        agent: AgentName::new("worker").unwrap(),
        call: CallId::new([7; 16]),
        idempotency_key: "world:call".into(),
        attempt: Attempt(1),
        incarnation: Incarnation(1),
        arguments,
        input: None,
        clock: Arc::new(Still),
        host: Some(Arc::new(place.host())),
        files: None,
        progress: Arc::new(Unheard),
    }
}

fn option(question: &Question, number: u32) -> Input {
    let text = question.options[number as usize].clone();
    Input {
        options: vec![number],
        value: text.clone().into(),
        text,
    }
}

fn asked(outcome: ToolOutcome) -> Question {
    match outcome {
        ToolOutcome::NeedsInput(question) => question,
        other @ (ToolOutcome::Done(_) | ToolOutcome::Failed(_)) => panic!("{other:?}"),
    }
}

fn failed(outcome: ToolOutcome) -> ToolFailure {
    match outcome {
        ToolOutcome::Failed(failure) => failure,
        other @ (ToolOutcome::Done(_) | ToolOutcome::NeedsInput(_)) => panic!("{other:?}"),
    }
}

fn text(outcome: ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Done(output) => output.text,
        other @ (ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_)) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn one_program_serves_the_calls_of_a_world_in_both_eras() {
    let vague = Peer::new(&json!({}));
    std::fs::write(vague.place.path("vague"), "").unwrap();
    for peer in [Peer::new(&json!({})), Peer::modern(&json!({})), vague] {
        assert_eq!(text(peer.run("").await), "you said \"hi\"");
        let first = peer.place.pid_in("pid").await;
        assert_eq!(text(peer.run("").await), "you said \"hi\"");
        assert_eq!(peer.place.pid_in("pid").await, first);
        assert!(is_alive(first));
        drop(peer.tool);
        gone(first).await;
    }
}

#[tokio::test]
async fn a_server_that_ended_between_two_calls_is_begun_anew() {
    let peer = Peer::new(&json!({}));
    for _ in 0..3 {
        assert_eq!(text(peer.run("").await), "you said \"hi\"");
        let pid = peer.place.pid_in("pid").await;
        let killed = Command::new("kill").args(["-9", &pid.to_string()]).status();
        assert!(killed.unwrap().success());
        gone(pid).await;
    }
}

#[tokio::test]
async fn tools_of_a_server_share_its_program_and_worlds_do_not() {
    let place = Place::new();
    let shared = Shared::default();
    let one = tool_in(&place, &json!({}), &shared);
    let same = tool_in(&place, &json!({ "effect": "read" }), &shared);
    text(one.run(&call(&place, json!({}))).await);
    let first = place.pid_in("pid").await;
    text(same.run(&call(&place, json!({}))).await);
    assert_eq!(place.pid_in("pid").await, first);
    let other = tool_in(&place, &json!({}), &Shared::default());
    let elsewhere = ToolCall {
        idempotency_key: "other:call".into(),
        ..call(&place, json!({}))
    };
    text(other.run(&elsewhere).await);
    assert_ne!(place.pid_in("pid").await, first);
    assert!(is_alive(first));
}

#[tokio::test]
async fn a_server_that_does_its_worst_is_an_error_and_the_next_call_begins_anew() {
    // What it does, and what a tool that changes something, or only reads, makes of it.
    let table = [
        ("dies", ToolErrorCode::Lost, ToolErrorCode::Failed, "I die"),
        (
            "floods",
            ToolErrorCode::Lost,
            ToolErrorCode::TooLarge,
            "messages for one call",
        ),
        (
            "asks without end",
            ToolErrorCode::Lost,
            ToolErrorCode::TooLarge,
            "messages for one call",
        ),
        (
            "writes without a line end",
            ToolErrorCode::Lost,
            ToolErrorCode::TooLarge,
            "a message of more than",
        ),
        (
            "writes garbage without end",
            ToolErrorCode::Lost,
            ToolErrorCode::TooLarge,
            "messages for one call",
        ),
        (
            "answers 100 MB",
            ToolErrorCode::Lost,
            ToolErrorCode::TooLarge,
            "a message of more than",
        ),
    ];
    let changing = Peer::new(&json!({}));
    let reading = Peer::new(&json!({ "effect": "read" }));
    for (mode, doubt, code, words) in table {
        for (peer, code) in [(&changing, doubt), (&reading, code)] {
            let failure = failed(peer.run(mode).await);
            assert_eq!(failure.code, code, "{mode}: {failure:?}");
            assert!(failure.detail.contains(words), "{mode}: {failure:?}");
            assert!(failure.detail.len() < 8000, "{mode}");
            assert_eq!(text(peer.run("").await), "you said \"hi\"", "after {mode}");
        }
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_the_server_that_hangs() {
    for mode in ["hangs", "hangs before"] {
        let peer = Peer::new(&json!({}));
        text(peer.run("").await);
        let pid = peer.place.pid_in("pid").await;
        peer.mode(mode);
        let call = peer.call();
        tokio::select! {
            outcome = peer.tool.run(&call) => panic!("{outcome:?}"),
            () = until(peer.place.folder.path(), || peer.place.path("hangs").exists().then_some(())) => {}
        }
        gone(pid).await;
        assert_eq!(text(peer.run("").await), "you said \"hi\"");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_ready_in_time_is_no_call_in_doubt() {
    let peer = Peer::new(&json!({ "timeout": "1s" }));
    let failure = failed(peer.run("hangs before").await);
    assert_eq!(failure.code, ToolErrorCode::Failed);
    assert!(failure.detail.ends_with("nothing was run"), "{failure:?}");
    assert_eq!(peer.calls(), 0);
}

#[tokio::test]
async fn an_error_that_the_server_answers_leaves_it_running() {
    let peer = Peer::new(&json!({}));
    text(peer.run("").await);
    let pid = peer.place.pid_in("pid").await;
    for (mode, code, words) in [
        (
            "fails",
            ToolErrorCode::ExitedWithFailure,
            "the server says: no such room",
        ),
        ("refuses", ToolErrorCode::BadArguments, "bad"),
        ("breaks", ToolErrorCode::Failed, "broken"),
        (
            "is gone",
            ToolErrorCode::Failed,
            "has no tool `echo` any more",
        ),
        (
            "asks in between",
            ToolErrorCode::ExitedWithFailure,
            "it asked `Your password?` in the middle of the call",
        ),
    ] {
        let failure = failed(peer.run(mode).await);
        assert_eq!(failure.code, code, "{mode}: {failure:?}");
        assert!(failure.detail.contains(words), "{mode}: {failure:?}");
        assert!(
            !failure.detail.contains(char::is_control),
            "{mode}: {failure:?}"
        );
    }
    assert_eq!(text(peer.run("garbage").await), "behind garbage");
    assert_eq!(peer.place.pid_in("pid").await, pid);
    let failure = failed(peer.run("pages").await);
    assert!(failure.detail.contains("more than 64 pages"), "{failure:?}");
}

#[tokio::test]
async fn texts_of_a_server_have_no_control_characters() {
    let peer = Peer::new(&json!({}));
    let ToolOutcome::Done(output) = peer.run("control").await else {
        panic!()
    };
    assert_eq!(output.text, "a[31mbc\n\td");
    assert_eq!(
        output.views,
        [
            View::Text("a[31mbc\n\td".into()),
            View::Json(json!({ "x": "y" }))
        ]
    );
}

#[tokio::test]
async fn a_changed_schema_does_not_run_until_a_person_allows_this_very_one() {
    let peer = Peer::new(&json!({}));
    text(peer.run("").await);
    let question = asked(peer.run("changed").await);
    assert_eq!(peer.calls(), 1);
    assert!(
        question
            .text
            .contains("- /properties/text/type: \"string\" became \"integer\""),
        "{question:?}"
    );
    assert_eq!(question.options.len(), 2);
    // Typed words are no choice, and an answer about another schema is none about this one.
    let typed = Input {
        options: Vec::new(),
        ..option(&question, 0)
    };
    let digits = question.options[0].rsplit_once(' ').unwrap().1;
    let other = Input {
        text: question.options[0].replace(digits, &"0".repeat(digits.len())),
        ..option(&question, 0)
    };
    for input in [typed, other] {
        assert_eq!(asked(peer.answered("changed", input).await), question);
    }
    let refused = failed(peer.answered("changed", option(&question, 1)).await);
    assert_eq!(refused.code, ToolErrorCode::NotAllowed);
    assert_eq!(peer.calls(), 1);
    text(peer.answered("changed", option(&question, 0)).await);
    assert_eq!(peer.calls(), 2);
    // It was for that call alone.
    asked(peer.run("changed").await);
}

#[tokio::test]
async fn a_script_with_a_schema_of_its_own_names_the_digest_of_the_servers() {
    let narrow = json!({ "type": "object", "properties": { "text": { "const": "hi" } } });
    let peer = Peer::new(&json!({ "schema": narrow }));
    asked(peer.run("").await);
    let theirs = digest_by_script(&schema("string"));
    let peer = Peer::new(&json!({ "schema": narrow, "digest": theirs }));
    text(peer.run("").await);
    asked(peer.run("changed").await);
}

/// The digest of a schema as a script names it: of one part, its keys in order.
fn digest_by_script(schema: &Value) -> String {
    Digest::of(&[schema.to_string().as_bytes()]).to_string()
}

#[tokio::test]
async fn a_question_of_the_server_goes_to_a_person_and_the_answer_back() {
    let peer = Peer::modern(&json!({}));
    let question = asked(peer.run("asks").await);
    assert_eq!(
        question,
        Question {
            text: "The server `peer` asks, in its own words: Which colour?".into(),
            options: vec!["\"red\"".into(), "\"blue\"".into(), "decline".into()],
            ..Question::default()
        }
    );
    let painted = text(peer.answered("asks", option(&question, 1)).await);
    assert_eq!(
        painted,
        r#"painted {"action":"accept","content":{"colour":"blue"}}"#
    );
    let question = asked(peer.run("asks").await);
    let painted = text(peer.answered("asks", option(&question, 2)).await);
    assert_eq!(painted, r#"painted {"action":"decline"}"#);
}

#[tokio::test]
async fn an_answer_that_comes_after_a_restart_is_asked_for_once_more() {
    let peer = Peer::modern(&json!({}));
    let question = asked(peer.run("asks").await);
    let again = Peer {
        tool: tool_in(&peer.place, &json!({}), &Shared::default()),
        place: peer.place,
    };
    drop(peer.tool);
    let same = asked(again.answered("asks", option(&question, 1)).await);
    assert_eq!(same, question);
    text(again.answered("asks", option(&same, 1)).await);
}

#[tokio::test]
async fn a_server_has_the_listed_variables_and_its_sandbox() {
    let peer = Peer::new(&json!({ "env": ["PATH"] }));
    let names = text(peer.run("says its environment").await);
    let names: BTreeSet<&str> = names.split(' ').collect();
    assert_eq!(names, BTreeSet::from(["FOLKMOOT_TOOL", "PATH"]));
    // One program serves tools of all effects: only the script lets it write, also to its folder.
    for (sandbox, writes) in [(json!({}), "false"), (json!({ "write": ["."] }), "true")] {
        let peer = Peer::new(&json!({ "sandbox": sandbox }));
        assert_eq!(text(peer.run("writes to its folder").await), writes);
    }
}

#[tokio::test]
async fn what_a_server_offers_is_an_entry_without_its_promises() {
    let place = Place::new();
    let host: Arc<dyn ToolHost> = Arc::new(place.host());
    let name = ToolName::new("peer").unwrap();
    let mut entry = settings(&json!({}));
    for key in ["server", "tool", "schema", "timeout"] {
        entry.as_object_mut().unwrap().remove(key);
    }
    let offered = offers(&name, &entry, place.folder.path(), host, DEADLINE).await;
    let offered = offered.unwrap();
    assert_eq!(offered.len(), 1);
    let words = "      \"echo\":\n        # the server says: read only: yes, destructive: no, idempotent: yes\n        \
                 effect: destructive # or read, or write: what you know of it\n        description: \"Echoes. [31m\"\n        \
                 schema: {\"properties\":{\"text\":{\"type\":\"string\"}},\"type\":\"object\"}\n";
    assert_eq!(offered[0].to_string(), words);
    place.unlocked().await;
}
