//! `replay --prompt`: the exact request of a model call.

use folkmoot::core::event::{Event, TurnEvent};
use folkmoot::core::ids::{Digest, Incarnation, Position, WorldName};
use folkmoot::core::port::EventLog as _;
use folkmoot::{OpenMode, Store};
use futures::TryStreamExt as _;
use serde_json::Value;

use crate::desk::{Desk, Ran, example};

const ROOM: &str = r#"
world: layers
description: A room with all layers.
rules: Nobody shouts.
context: The moon is full.
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents:
  - { name: bob, prompt: You watch., task: Look up., tools: [look], temperature: 0.25, output_tokens_max: 90 }
tools:
  look: { use: scripted, effect: read, description: It looks., schema: { type: object }, results: [{ text: dark }] }
replies:
  bob:
    - calls: [{ tool: look, args: { at: moon } }]
    - fail: { kind: rate_limit, retry_after: 2s }
    - text: "@ada it is dark"
script:
  - say: "Look, please"
    as: ada
"#;

fn told() -> Desk {
    let desk = Desk::new();
    desk.write("layers.yaml", ROOM);
    desk.run(&["run", "layers.yaml"]).expect(0);
    desk
}

/// The positions of the calls and of their further attempts.
fn calls(desk: &Desk) -> Vec<String> {
    let events = desk
        .run(&["log", "layers", "--json", "--kind", "ModelCalled"])
        .expect(0)
        .values();
    events
        .iter()
        .map(|event| event["position"].to_string())
        .collect()
}

fn prompt(desk: &Desk, call: &str) -> Value {
    desk.run(&["replay", "layers", "--prompt", call, "--json"])
        .expect(0)
        .document()
}

#[test]
fn people_read_each_layer_under_its_kind_and_each_item_in_its_order() {
    let desk = told();
    let out = desk
        .run(&["replay", "layers", "--prompt", &calls(&desk)[1]])
        .expect(0)
        .out;
    let parts = [
        "bob asks scripted",
        "for an answer; temperature 0.25, at most 90 tokens\n",
        ", as recorded\n",
        "identity:\n  ┊ You are @bob",
        "role:\n  ┊ You watch.\n",
        "rules:\n  ┊ Nobody shouts.\n",
        "context:\n  ┊ The moon is full.\n",
        "task:\n  ┊ Look up.\n",
        "tools:\n  ┊ look: It looks.\n  ┊   {\"type\":\"object\"}\n",
        "1 heard ada:\n  ┊ Look, please\n",
        "2 said:\n  → call_0_0 look {\"at\":\"moon\"}\n",
        "3 result of call_0_0:\n  ┊ <tool_output>dark</tool_output>\n",
    ];
    let mut rest = out.as_str();
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else {
            panic!("no {part:?} in its place in:\n{out}")
        };
        rest = behind;
    }
}

#[test]
fn every_attempt_of_a_call_has_the_same_request() {
    let desk = told();
    let calls = calls(&desk);
    let (one, two) = (prompt(&desk, &calls[1]), prompt(&desk, &calls[2]));
    assert_eq!((&one["attempt"], &two["attempt"]), (&1.into(), &2.into()));
    assert_eq!(one["request"], two["request"]);
    let kinds: Vec<&Value> = one["request"]["system"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| &layer["kind"])
        .collect();
    assert_eq!(kinds, ["identity", "role", "rules", "context", "task"]);
    assert_eq!(
        (&one["recorded"], &one["is_same"]),
        (&one["request"]["fingerprint"], &true.into())
    );
}

#[test]
fn a_call_has_short_names() {
    let desk = told();
    let call = &calls(&desk)[0];
    let whole = prompt(&desk, call);
    assert_eq!(prompt(&desk, &format!("layers#{call}")), whole);
    assert_eq!(prompt(&desk, &format!("lay#{call}")), whole);
    let wrong = |call: &str| desk.run(&["replay", "layers", "--prompt", call]).expect(2);
    wrong("other#3").err_has("other#3 is no call of the world layers");
    wrong("last").err_has("write layers#POSITION");
    wrong("1").err_has(
        "is a WorldOpened, not a ModelCalled; `log layers --kind ModelCalled` lists the calls",
    );
    wrong("999").err_has("there is no event 999 in the world layers: its events are 1 to");
}

/// A copy of the log in which every call records another fingerprint.
async fn copied(desk: &Desk) {
    let name = WorldName::new("layers").unwrap();
    let store = Store::open(desk.path("store"), OpenMode::Existing).unwrap();
    let entry = store.find(&name).await.unwrap().unwrap();
    let commits: Vec<_> = store
        .read(entry.world, Position::new(1))
        .await
        .unwrap()
        .try_collect()
        .await
        .unwrap();
    store.close().unwrap();
    let copy = Store::open(desk.path("copy"), OpenMode::Create).unwrap();
    for mut stored in commits {
        for event in &mut stored.commit.events {
            if let Event::Turn(TurnEvent::ModelCalled(called)) = event {
                called.fingerprint = Digest::of(&[b"another"]);
            }
        }
        copy.append(Incarnation(1), vec![stored.commit])
            .await
            .unwrap();
    }
    copy.close().unwrap();
}

#[test]
fn a_request_that_is_not_what_was_recorded_is_a_divergence() {
    let desk = told();
    tokio::runtime::Runtime::new()
        .unwrap()
        .block_on(copied(&desk));
    let call = &calls(&desk)[0];
    let replay = |more: &[&str]| {
        let mut command = desk.command(&[&["replay", "layers", "--prompt", call], more].concat());
        command.env("FOLKMOOT_STORE", "copy");
        Ran::of(command)
            .expect(5)
            .err_has("does not have the fingerprint that is recorded")
    };
    replay(&[])
        .out_has("and recorded is ")
        .out_has("Look, please");
    assert_eq!(replay(&["--json"]).document()["is_same"], false);
}

#[test]
fn the_examples_have_the_requests_that_they_record() {
    let desk = Desk::new();
    for script in ["release-room", "denied", "crash-and-resume"] {
        desk.run(&["run", &example(&format!("{script}.yaml"))])
            .expect(0);
        for call in desk
            .run(&["log", script, "--json", "--kind", "ModelCalled"])
            .expect(0)
            .values()
        {
            desk.run(&["replay", script, "--prompt", &call["position"].to_string()])
                .expect(0)
                .out_has(", as recorded");
        }
    }
}

/// The branch is cut off before the erasure is asked for: its log says nothing of it.
#[test]
fn a_request_whose_words_are_erased_is_told_so_and_is_no_divergence() {
    let desk = Desk::new();
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    desk.run(&["fork", "release-room", "--at", "12", "--as", "branch"])
        .expect(0);
    let erase = ["erase", "release-room", "--person", "ada", "--basis", "x"];
    desk.run(&erase).expect(0);
    for world in ["release-room", "branch"] {
        let log = desk.run(&["log", world, "--json", "--kind", "ModelCalled"]);
        let call = log.values()[0]["position"].to_string();
        desk.run(&["replay", world, "--prompt", &call])
            .expect(0)
            .out_has("cannot be checked: the content of events 5, 6 is erased");
    }
}
