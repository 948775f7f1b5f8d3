//! `why`: the causes of an event, and what was decided about it.

use crate::desk::{Desk, GATE, example};

fn told() -> Desk {
    let desk = Desk::new();
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    desk
}

/// The position of the first event of this kind.
fn first(desk: &Desk, kind: &str) -> String {
    let events = desk
        .run(&["log", "release-room", "--json", "--kind", kind])
        .expect(0)
        .values();
    events[0]["position"].to_string()
}

fn why(desk: &Desk, at: &str) -> serde_json::Value {
    desk.run(&["why", "release-room", at, "--json"])
        .expect(0)
        .document()
}

#[test]
fn a_message_says_of_every_agent_whether_it_answers_and_why() {
    let desk = told();
    for kind in ["MessagePosted", "MessageRouted"] {
        let at = first(&desk, kind);
        desk.run(&["why", "release-room", &at])
            .expect(0)
            .out_has("nobody is addressed, and the room has a main agent\n")
            .out_has("  planner  answers: it is the main agent\n")
            .out_has("  worker   is silent: the main agent answers; it remembers it\n");
        let routing = &why(&desk, &at)["routing"];
        assert_eq!(routing["rule"], "main_agent");
        assert_eq!(
            routing["answers"][0],
            serde_json::json!({ "agent": "planner", "reason": "main_agent" })
        );
        assert_eq!(
            routing["silent"][0],
            serde_json::json!({ "agent": "worker", "reason": "not_addressed" })
        );
    }
}

#[test]
fn the_roster_is_that_of_the_time_of_the_message() {
    let desk = Desk::new();
    let (room, _) = GATE.split_once("  - idle: {}").unwrap();
    let rest = "  - stop: {}\n  - revise: { agents: [{ name: clerk, prompt: You file. }] }\n  - say: Push again\n    as: ada\n";
    desk.write("gate.yaml", &format!("{room}{rest}"));
    desk.run(&["run", "gate.yaml"]).expect(0);
    let events = desk
        .run(&["log", "gate", "--json", "--kind", "MessageRouted"])
        .expect(0)
        .values();
    let why = |at: &serde_json::Value| {
        desk.run(&["why", "gate", &at["position"].to_string()])
            .expect(0)
    };
    let first = why(&events[0]);
    assert!(!first.out.contains("clerk"), "{}", first.out);
    why(&events[1]).out_has("  clerk   is silent: the main agent answers");
}

#[test]
fn a_turn_says_why_it_was_woken_and_how_it_ended() {
    let desk = told();
    for kind in ["TurnOpened", "TurnClosed", "ModelCalled"] {
        desk.run(&["why", "release-room", &first(&desk, kind)])
            .expect(0)
            .out_has("planner's turn 7, in episode 5:\n")
            .out_has("  woken by message 5 of ada: it is the main agent\n")
            .out_has("  1 model call and 0 tool calls\n")
            .out_has("  ended with event 12: it answered (message 10)\n");
    }
    let turn = &why(&desk, &first(&desk, "TurnClosed"))["turn"];
    assert_eq!(turn["story"]["end"]["reason"], "answered");
    assert_eq!(turn["woken_by"][0]["reason"], "main_agent");
}

#[test]
fn an_approval_leads_back_to_the_person_who_began() {
    let desk = told();
    let at = first(&desk, "ApprovalDecided");
    desk.run(&["why", "release-room", &at])
        .expect(0)
        .out_has("worker asks to run run_command (destructive) with {\"argv\":[\"wc\",\"-w\",\"CHANGES.md\"]}\n")
        .out_has("  asked because the tool is destructive")
        .out_has("  ada (script ada) allows it, and did not confirm what was shown\n")
        .out_has("ada: Prepare the 1.2 release  (a command of ada, which nothing before it made necessary)\n");
    let why = why(&desk, &at);
    let kinds: Vec<&str> = why["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["kind"].as_str().unwrap())
        .collect();
    let turn = [
        "ModelAnswered",
        "ModelCalled",
        "TurnOpened",
        "MessageRouted",
        "MessagePosted",
    ];
    let asked = ["ApprovalDecided", "ApprovalRequested", "CallsAdmitted"];
    assert_eq!(kinds, [asked.as_slice(), &turn, &turn].concat());
    assert_eq!(why["approval"]["decision"]["verdict"], "allow");
    assert!(
        why["nodes"][0].get("gist").is_none(),
        "what is for people is not in the data"
    );
}

#[test]
fn every_event_of_a_log_leads_back_to_what_somebody_did() {
    let desk = told();
    for at in 1..=desk.kinds("release-room").len() {
        let why = why(&desk, &at.to_string());
        let nodes = why["nodes"].as_array().unwrap();
        assert_eq!(
            (&nodes[0]["at"], &why["is_cut"]),
            (&at.into(), &false.into())
        );
        for node in nodes {
            let causes = node["because"].as_array().unwrap();
            assert!(
                causes
                    .iter()
                    .all(|cause| cause.as_u64() < node["at"].as_u64()),
                "{node}"
            );
            let acts = ["create", "open", "post_message", "record_step"];
            assert!(
                !causes.is_empty() || acts.contains(&node["command"].as_str().unwrap()),
                "{node}"
            );
        }
    }
}

#[test]
fn causes_are_drawn_as_a_tree_with_each_event_once() {
    let desk = told();
    let calls = desk
        .run(&["log", "release-room", "--json", "--kind", "ModelCalled"])
        .expect(0)
        .values();
    let continued = calls
        .iter()
        .find(|call| call["facts"]["items"] == 5)
        .unwrap();
    let out = desk
        .run(&["why", "release-room", &continued["position"].to_string()])
        .expect(0)
        .out;
    let (_, tree) = out.split_once("because:\n").unwrap();
    assert!(
        tree.lines().next().unwrap().contains("ModelCalled"),
        "{tree}"
    );
    assert!(
        tree.contains("\n  ├─ ")
            && tree.contains("\n  │  └ ")
            && tree.contains("\n  └─ ")
            && tree.contains("\n     └ "),
        "{tree}"
    );
    assert_eq!(tree.matches("(above)").count(), 1, "{tree}");
    assert_eq!(
        tree.matches("ada: Prepare the 1.2 release").count(),
        1,
        "{tree}"
    );
}

#[test]
fn what_is_not_there_is_said_to_be_missing() {
    let desk = told();
    desk.run(&["why", "release-room", "999"])
        .expect(2)
        .err_has("there is no event 999")
        .err_has("are 1 to 41");
    desk.run(&["why", "release-room", "0"])
        .expect(2)
        .err_has("0 names no event: write release-room#POSITION");
    desk.run(&["why", "nowhere", "1"])
        .expect(3)
        .err_has("nowhere");
    Desk::new()
        .run(&["why", "w", "1"])
        .expect(3)
        .err_has("there is no store at store");
}

#[test]
fn an_answer_that_ends_a_call_is_not_said_to_be_for_others() {
    let desk = Desk::new();
    desk.run(&["run", &example("patterns/orchestrator-worker.yaml")])
        .expect(0);
    let events = desk
        .run(&[
            "log",
            "orchestrator-worker",
            "--json",
            "--kind",
            "MessageRouted",
        ])
        .expect(0)
        .values();
    let reply = events
        .iter()
        .find(|event| event["facts"]["rule"] == "reply")
        .unwrap();
    desk.run(&["why", "orchestrator-worker", &reply["position"].to_string()])
        .expect(0)
        .out_has("  planner  is silent: this is the result of the call that asked for it; it remembers it\n");
    let asked = events
        .iter()
        .find(|event| event["facts"]["rule"] == "asked")
        .unwrap();
    let why = desk
        .run(&["why", "orchestrator-worker", &asked["position"].to_string()])
        .expect(0);
    assert!(!why.out.contains("the result of the call"), "{}", why.out);
}

#[test]
fn rule_that_forbids_a_call_is_named_where_it_happens_and_when_somebody_asks() {
    let denied = GATE.replace(
        "policy: { main_agent: worker }",
        "policy: { main_agent: worker, deny: [{ tool: push, where: [{ path: /branch, equals: main }] }] }",
    );
    let (before, rest) = GATE.split_once("  push:\n").unwrap();
    let (_, behind) = rest.split_once("policy:").unwrap();
    let behind = behind.replace("{ branch: main }", "{ argv: [rm, notes] }");
    let listed = "use: shell, cwd: ./data, allow: [[ls]]";
    let unlisted = format!("{before}  push: {{ {listed} }}\npolicy:{behind}");
    for (script, says) in [
        (
            denied,
            r#"rule 1 of `deny` in the room's policy forbids it: {"tool":"push","where":[{"path":"/branch","equals":"main"}]}"#,
        ),
        (
            unlisted,
            "the tool push lists the calls that it may get, and this is none of them",
        ),
    ] {
        let desk = Desk::new();
        desk.write("gate.yaml", &script);
        desk.run(&["run", "gate.yaml"]).expect(0).out_has(says);
        let ends = ["log", "gate", "--kind", "ToolFinished", "--json"];
        let at = desk.run(&ends).expect(0).document()["position"].to_string();
        let why = ["why", &format!("gate#{at}")];
        desk.run(&why)
            .expect(0)
            .out_has(&format!("\n{says}\nbecause:\n"));
        let view = desk.run(&[&why[..], &["--json"]].concat()).document();
        assert_eq!(view["forbidden"], says);
    }
}
