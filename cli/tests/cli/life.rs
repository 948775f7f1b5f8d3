//! `delete`, `backup`, `worlds --deleted`.

use std::fs;
use std::path::Path;

use crate::desk::{Desk, example};

const CANARY: &str = "canary-91be04";

/// A room on the machine's clock in which somebody said the canary.
fn with_canary() -> Desk {
    let desk = Desk::new();
    let script = format!(
        "world: aviary\nmodels: {{ scripted: {{ provider: scripted }} }}\ndefaults: {{ model: scripted }}\n\
         agents:\n  - {{ name: bird, prompt: You sing. }}\npolicy: {{ main_agent: bird }}\n\
         replies: {{ bird: [{{ text: '@ada {CANARY} too' }}] }}\n\
         script:\n  - {{ say: {CANARY}, as: ada }}\n  - idle: {{}}\n"
    );
    desk.write("aviary.yaml", &script);
    desk.run(&["run", "aviary.yaml", "--clock", "system"])
        .expect(0);
    desk
}

fn holds_canary(folder: &Path) -> bool {
    let holds = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        bytes
            .windows(CANARY.len())
            .any(|window| window == CANARY.as_bytes())
    };
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            if path.is_dir() {
                holds_canary(&path)
            } else {
                holds(&path)
            }
        })
        .fold(false, |a, b| a | b)
}

#[test]
fn a_deleted_world_is_in_no_file_and_its_tombstone_is_listed() {
    let desk = with_canary();
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    assert!(holds_canary(&desk.path("store")));
    desk.run(&["delete", "aviary"])
        .expect(2)
        .err_has("say --yes")
        .err_has("delete aviary for good");
    desk.run(&["worlds", "--deleted"])
        .expect(0)
        .out_has("No world was deleted");
    let events = desk
        .run(&["log", "aviary", "--json"])
        .expect(0)
        .values()
        .len();
    desk.run(&["delete", "aviary", "--yes", "--as", "bob"])
        .expect(0)
        .out_has("aviary is deleted, with its");
    assert!(!holds_canary(&desk.path("store")));
    let gone = desk
        .run(&["worlds", "--deleted", "--json"])
        .expect(0)
        .values();
    assert_eq!(gone.len(), 1);
    assert_eq!(
        (&gone[0]["name"], &gone[0]["head"]),
        (&"aviary".into(), &events.into())
    );
    assert_eq!(
        (&gone[0]["by"]["person"]["display"], &gone[0]["is_clean"]),
        (&"bob".into(), &true.into())
    );
    desk.run(&["worlds", "--deleted"])
        .expect(0)
        .out_has("aviary")
        .out_has("bob");
    desk.run(&["delete", "aviary", "--yes"])
        .expect(3)
        .err_has("there is no world called aviary");
    desk.run(&["log", "denied"]).expect(0);
    desk.run(&["run", "aviary.yaml"]).expect(0);
}

#[test]
fn worlds_are_deleted_by_age() {
    let desk = with_canary();
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    desk.run(&["delete", "--idle-for", "90d", "--yes"])
        .expect(0)
        .out_has("No world was idle for so long")
        .err_has("denied is left out: it has a clock of its own");
    let listed = desk
        .run(&["delete", "--idle-for", "0s", "--dry-run", "--json"])
        .expect(0)
        .values();
    let names: Vec<_> = listed
        .iter()
        .map(|world| (world["name"].as_str(), world["is_simulated"].as_bool()))
        .collect();
    assert_eq!(
        names,
        [(Some("aviary"), Some(false)), (Some("denied"), Some(true))]
    );
    desk.run(&["delete", "--idle-for", "0s", "--label", "team=red", "--yes"])
        .expect(0)
        .out_has("No world was idle");
    desk.run(&["delete", "--idle-for", "0s", "--yes"])
        .expect(0)
        .out_has("aviary is deleted");
    desk.run(&["log", "denied"]).expect(0);
    for wrong in ["90", "d", "-1d", "1w", "99999999999999999d"] {
        desk.run(&["delete", &format!("--idle-for={wrong}")])
            .expect(2)
            .err_has("is no age");
    }
}

#[test]
fn a_copy_asks_people_anew_once_and_runs_nothing_that_was_allowed_elsewhere() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk.run(&["backup", "waits"]).expect(0);
    let (asked, shown) = desk.asked("gate");
    desk.run(&["approve", "gate", &asked, "--shown", &shown, "--as", "ada"])
        .expect(0);
    desk.run(&["backup", "allowed"]).expect(0);
    for copy in ["waits", "allowed"] {
        let mark = || fs::read_to_string(desk.path(&format!("{copy}/copy"))).unwrap();
        let before = mark();
        desk.run(&["--store", copy, "verify", "gate"]).expect(0);
        desk.run(&["--store", copy, "log", "gate"]).expect(0);
        desk.run(&["--store", copy, "resume", "gate"]).expect(4);
        desk.run(&["--store", copy, "resume", "gate"]).expect(4);
        assert_eq!((desk.runs(), mark()), (0, before), "{copy}");
        let log = desk
            .run(&["--store", copy, "log", "gate", "--json"])
            .expect(0)
            .values();
        let count = |kind: &str| log.iter().filter(|event| event["kind"] == kind).count();
        assert_eq!(
            (count("Restored"), count("ApprovalRequested")),
            (1, 2),
            "{copy}"
        );
        desk.run(&["--store", copy, "approve", "gate", &asked, "--as", "ada"])
            .expect(4);
        desk.run(&["--store", copy, "verify", "gate"]).expect(0);
    }
    assert_ne!(
        fs::read(desk.path("waits/copy")).unwrap(),
        fs::read(desk.path("allowed/copy")).unwrap()
    );
    let requests = desk
        .run(&["--store", "allowed", "approvals", "gate", "--json"])
        .values();
    assert!(
        requests[0]["asks"]["text"]
            .as_str()
            .unwrap()
            .contains("warning: this was allowed before the store was copied"),
        "{requests:?}"
    );
    let request = requests[0]["request"].to_string();
    desk.run(&[
        "--store", "allowed", "approve", "gate", &request, "--as", "ada", "--resume",
    ])
    .expect(0);
    assert_eq!(desk.runs(), 1);
}

#[test]
fn a_mark_that_does_not_read_is_damage_by_name() {
    let desk = with_canary();
    desk.run(&["backup", "copy"]).expect(0);
    desk.write("copy/copy", "folkmoot copy what");
    desk.run(&["--store", "copy", "worlds"])
        .expect(0)
        .out_has("aviary");
    desk.run(&["--store", "copy", "resume", "aviary"])
        .expect(5)
        .err_has("the file `copy`");
}

#[test]
fn a_backup_is_a_store() {
    let desk = with_canary();
    let copied = desk.run(&["backup", "copy", "--json"]).expect(0).document();
    assert_eq!(
        (&copied["worlds"], &copied["blobs_damaged"]),
        (&1.into(), &0.into())
    );
    let log = desk.run(&["log", "aviary", "--json"]).expect(0).out;
    assert_eq!(
        desk.run(&["--store", "copy", "log", "aviary", "--json"])
            .expect(0)
            .out,
        log
    );
    desk.run(&["--store", "copy", "run", "aviary.yaml", "--again"])
        .expect(0);
    desk.write("copy/format", "folkmoot backup, unfinished\n");
    desk.run(&["--store", "copy", "worlds"])
        .expect(3)
        .err_has("half a backup");
    desk.run(&["--store", "nowhere", "backup", "other"])
        .expect(3)
        .err_has("there is no store");
    assert!(!desk.path("other").exists());
}

/// One commit cannot hold all that such a room asks anew.
#[test]
fn a_copy_of_a_room_with_hundreds_of_waiting_calls_opens() {
    let desk = Desk::new();
    let key = "k".repeat(400);
    let call = format!(
        r#"{{"tool": "push", "args": {{"{key}": ["\u0007", "\u0007", "\u0007", "\u0007"]}}}}"#
    );
    let calls = vec![call; 100].join(", ");
    let (mut agents, mut replies) = (String::new(), String::new());
    for agent in ["ann", "ben", "cas", "dee", "eli"] {
        agents += &format!("  - {{ name: {agent}, prompt: You push., tools: [push] }}\n");
        replies += &format!("  {agent}:\n    - calls: [{calls}]\n");
    }
    let script = format!(
        "world: crowd
models: {{scripted: {{provider: scripted}}}}
defaults: {{model: scripted}}
limits: {{tool_calls_per_answer: 128, broadcast_max: 8}}
agents:
{agents}tools:
  push: {{use: scripted, effect: destructive, schema: {{type: object}}, results: [{{text: pushed}}]}}
replies:
{replies}script:
  - say: '@ann @ben @cas @dee @eli push'
    as: ada
"
    );
    desk.write("crowd.yaml", &script);
    desk.run(&["run", "crowd.yaml"]).expect(4);
    desk.run(&["backup", "copy"]).expect(0);
    desk.run(&["--store", "copy", "resume", "crowd"]).expect(4);
    let waiting = desk
        .run(&["--store", "copy", "approvals", "crowd", "--json"])
        .values()
        .len();
    assert_eq!(waiting, 500);
    let log = desk
        .run(&["--store", "copy", "log", "crowd", "--json"])
        .expect(0)
        .values();
    let count = |kind: &str| log.iter().filter(|event| event["kind"] == kind).count();
    assert!(
        count("Restored") > 2 && count("ApprovalRequested") == 1_000,
        "{}",
        count("Restored")
    );
    desk.run(&["--store", "copy", "verify", "crowd"]).expect(0);
}
