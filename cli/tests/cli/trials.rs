//! `folkmoot test`, and errors with `--json`.

use std::fs;

use serde_json::Value;

use crate::desk::Desk;

/// A script whose only step says something else than what comes.
const WRONG: &str = r#"
world: wrong
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents: [{ name: clerk, prompt: You count. }]
policy: { main_agent: clerk }
replies: { clerk: [{ text: "@ada two" }] }
script:
  - { say: How many?, as: ada }
  - idle: {}
  - expect: { message: { from: clerk, contains: three } }
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("wrong.yaml", WRONG);
    desk.write("right.yaml", &WRONG.replace("three", "two"));
    desk
}

#[test]
fn scripts_that_hold_are_told_a_line_each_and_leave_no_store() {
    let desk = desk();
    desk.write("again.yaml", &WRONG.replace("three", "two"));
    let ran = desk.run(&["test", "right.yaml", "again.yaml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(
        lines[0].starts_with("ok      right.yaml  3 steps"),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("ok      again.yaml  3 steps"),
        "{lines:?}"
    );
    assert_eq!(lines[2..], ["2 scripts: all hold."]);
    assert!(!desk.path("store").exists());
}

#[test]
fn one_that_fails_does_not_keep_the_others_from_being_played() {
    let desk = desk();
    let ran = desk.run(&["test", "wrong.yaml", "missing.yaml", "right.yaml"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.out
            .contains("FAILED  wrong.yaml\nFAILED  missing.yaml\nok      right.yaml")
    );
    assert!(ran.out.ends_with("3 scripts: 2 failed.\n"));
    assert!(ran.err.contains("wrong.yaml:11:"), "{}", ran.err);
    assert!(ran.err.contains("missing.yaml"), "{}", ran.err);
}

#[test]
fn a_script_that_waits_for_a_person_does_not_hold() {
    let desk = Desk::with_gate();
    let ran = desk.run(&["test", "gate.yaml"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("waits for a person"), "{}", ran.err);
}

#[test]
fn the_outcome_is_written_as_junit_xml() {
    let desk = desk();
    desk.write("junit.xml", "of an earlier run");
    let ran = desk.run(&["test", "right.yaml", "wrong.yaml", "--junit", "junit.xml"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let xml = fs::read_to_string(desk.path("junit.xml")).unwrap();
    assert!(
        xml.contains(r#"tests="2""#) && xml.contains(r#"failures="1""#),
        "{xml}"
    );
    assert!(xml.contains(r#"<testcase name="right.yaml""#), "{xml}");
    assert!(xml.contains("<failure message=\"wrong.yaml:11:"), "{xml}");
}

#[test]
fn a_junit_file_that_cannot_be_written_is_refused_before_anything_is_played() {
    let desk = desk();
    let ran = desk.run(&["test", "right.yaml", "--junit", "no-folder/junit.xml"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    assert!(ran.err.contains("no-folder/junit.xml"), "{}", ran.err);
}

#[test]
fn with_json_each_script_is_an_object() {
    let desk = desk();
    let ran = desk.run(&["--json", "test", "wrong.yaml", "right.yaml"]);
    let trials = ran.values();
    assert_eq!(trials[0]["holds"], false);
    assert_eq!(trials[0]["error"]["faults"][0]["line"], 11);
    assert_eq!(trials[1]["holds"], true);
    assert_eq!(trials[1]["error"], Value::Null);
}

#[test]
fn with_json_errors_are_json() {
    let desk = desk();
    desk.write("broken.yaml", "world: [");
    let cases: [(&[&str], i32); 6] = [
        (&["log", "nowhere"], 3),
        (&["run", "broken.yaml"], 2),
        (&["run", "wrong.yaml"], 1),
        (&["run", "missing.yaml"], 2),
        (&["log"], 2),
        (&["lgo"], 2),
    ];
    for (arguments, code) in cases {
        let ran = desk.run(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?} {ran:?}");
        let error: Value = serde_json::from_str(&ran.err).unwrap();
        assert_eq!(error["error"]["exit"], code, "{error}");
        let message = error["error"]["message"].as_str().unwrap();
        assert!(!message.is_empty(), "{arguments:?}");
    }
}
