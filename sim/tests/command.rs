//! The program `folkmoot-sim`.

#![expect(clippy::unwrap_used, reason = "a test may")]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_folkmoot-sim");
    Command::new(program).args(arguments).output().unwrap()
}

#[test]
fn stories_are_lived_and_counted() {
    let lived = run(&["--seeds", "0..2", "--seconds", "30", "--json"]);
    assert_eq!(lived.status.code(), Some(0), "{lived:?}");
    let summary: serde_json::Value = serde_json::from_slice(&lived.stdout).unwrap();
    assert_eq!(summary["stories"], 2);
    assert_eq!(summary["broken"], serde_json::json!([]));
    assert!(summary["commits"].as_u64() > Some(0));
    let shown = run(&["--seeds", "0..1", "--seconds", "30"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("laws broken") && shown.contains("commits"),
        "{shown}"
    );
}

#[test]
fn what_cannot_be_lived_is_named_with_its_place() {
    let cases: [(&[&str], &str); 4] = [
        (&["--seeds", "3..3"], "A is less than B"),
        (&["--seconds", "0"], "--seconds"),
        (&["no-such.yaml"], "no-such.yaml: "),
        (&["--story", "no-such.yaml"], "no-such.yaml: "),
    ];
    for (arguments, said) in cases {
        let refused = run(arguments);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let program = env!("CARGO_BIN_EXE_folkmoot-sim");
    let mut child = Command::new(program)
        .args(["--seeds", "0..1", "--seconds", "30"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
}

#[test]
fn json_is_json_whatever_stands_in_a_story() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("a\u{200b}b\u{202e}");
    std::fs::create_dir_all(&folder).unwrap();
    let script = folder.join("never-said.yaml");
    let text = "{ world: w, agents: [{ name: bob }], defaults: { model: m }, \
                models: { m: { provider: scripted } }, \
                script: [{ expect: { message: { contains: never } } }] }";
    std::fs::write(&script, text).unwrap();
    let lived = run(&[script.to_str().unwrap(), "--seeds", "0..1", "--json"]);
    assert_eq!(lived.status.code(), Some(1), "{lived:?}");
    let json = String::from_utf8(lived.stdout).unwrap();
    assert!(!json.contains(['\u{200b}', '\u{202e}']), "{json}");
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    let story = summary["broken"][0]["story"].as_str().unwrap();
    assert!(story.contains(folder.to_str().unwrap()), "{story}");
}
