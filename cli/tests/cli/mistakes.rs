//! Wrong files and wrong names: each is told in our words with the nearest right one, nothing waits, and nothing is changed.

use std::fs;
use std::process::Command;

use crate::desk::{Desk, FOLKMOOT, GATE, Ran};

/// Seconds after which a command counts as hanging.
const PATIENCE: &str = "60";

/// A line, typed on a desk. `timeout` ends it with 124 if it hangs.
fn typed(desk: &Desk, line: &str) -> Ran {
    let mut command = desk.command(&[]);
    let words: Vec<&str> = line.split(' ').collect();
    let mut timed = Command::new("timeout");
    timed
        .args([PATIENCE, FOLKMOOT])
        .args(words)
        .current_dir(desk.dir.path())
        .env_clear();
    for (name, value) in command.get_envs() {
        timed.env(name, value.unwrap_or_default());
    }
    command.stdin(std::process::Stdio::null());
    timed.stdin(std::process::Stdio::null());
    Ran::of(timed)
}

fn desk() -> Desk {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk.write("text", "nothing of use");
    desk.write("data/notes", "mine");
    fs::write(desk.path("binary.yaml"), [b'w', 0xff, 0xfe, 0]).unwrap();
    fs::create_dir(desk.path("folder.yaml")).unwrap();
    let attaches = "say: { text: Please push, attach: [pipe.txt] }";
    desk.write("attach.yaml", &GATE.replace("say: Please push", attaches));
    let pipe = Command::new("mkfifo")
        .args(["pipe", "pipe.txt"])
        .current_dir(desk.dir.path())
        .status();
    assert!(pipe.unwrap().success());
    desk
}

/// Each line with its exit code and a part of the error.
const MISTAKES: [(&str, i32, &str); 47] = [
    (
        "run gats.yaml",
        2,
        "there is no such file; did you mean `gate.yaml`?",
    ),
    (
        "check gats.yaml",
        2,
        "there is no such file; did you mean `gate.yaml`?",
    ),
    (
        "chat gats.yaml",
        2,
        "there is no such file; did you mean `gate.yaml`?",
    ),
    (
        "test gats.yaml",
        1,
        "there is no such file; did you mean `gate.yaml`?",
    ),
    ("run binary.yaml", 2, "line 1 is not UTF-8 text"),
    ("check binary.yaml", 2, "line 1 is not UTF-8 text"),
    ("test binary.yaml", 1, "line 1 is not UTF-8 text"),
    ("run folder.yaml", 2, "it is a folder"),
    ("check folder.yaml", 2, "it is a folder"),
    ("chat folder.yaml", 2, "it is a folder"),
    ("test folder.yaml", 1, "it is a folder"),
    ("run pipe", 2, "it is a pipe or a socket, not a file"),
    ("check pipe", 2, "it is a pipe or a socket, not a file"),
    ("chat ./pipe", 2, "it is a pipe or a socket, not a file"),
    ("test pipe", 1, "it is a pipe or a socket, not a file"),
    (
        "check attach.yaml",
        2,
        "it is a pipe or a socket, not a file",
    ),
    (
        "check-bundle pipe",
        3,
        "it is a pipe or a socket, not a file",
    ),
    (
        "check-bundle text --against pipe",
        3,
        "it is a pipe or a socket, not a file",
    ),
    (
        "check-bundle text --trust pipe",
        2,
        "it is a pipe or a socket, not a file",
    ),
    (
        "check-bundle text --trust binary.yaml",
        2,
        "it is not UTF-8 text",
    ),
    (
        "verify gate --against pipe",
        6,
        "it is a pipe or a socket, not a file",
    ),
    (
        "verify gate --against binary.yaml",
        6,
        "it is not UTF-8 text",
    ),
    ("verify gate --against gone", 6, "there is no such file"),
    (
        "export gate --format bundle --note pipe",
        2,
        "it is a pipe or a socket, not a file",
    ),
    ("--key pipe anchor gate", 3, "pipe"),
    (
        "test gate.yaml --junit data",
        2,
        "cannot write data: it is a folder",
    ),
    (
        "test gate.yaml --junit gone/trials.xml",
        2,
        "cannot write gone/trials.xml: there is no such folder",
    ),
    (
        "export gate --format md -o gone/room.md",
        2,
        "cannot write gone/room.md: there is no such folder",
    ),
    ("--store pipe worlds", 3, "a store is a directory"),
    ("--store text worlds", 3, "a store is a directory"),
    ("--store data worlds", 3, "is not a store"),
    ("--store gone worlds", 3, "there is no store at gone"),
    ("--store pipe run gate.yaml", 3, "a store is a directory"),
    (
        "log gat",
        3,
        "there is no world called gat; did you mean gate?",
    ),
    (
        "resume gat",
        3,
        "there is no world called gat; did you mean gate?",
    ),
    (
        "chat gat",
        3,
        "there is no world called gat; did you mean gate?",
    ),
    (
        "approve gat#10",
        3,
        "there is no world called gat; did you mean gate?",
    ),
    (
        "delete gat --yes",
        3,
        "there is no world called gat; did you mean gate?",
    ),
    (
        "fork gat --as other",
        3,
        "there is no world called gat; did you mean gate?",
    ),
    (
        "export gat --format bundle",
        3,
        "there is no world called gat; did you mean gate?",
    ),
    (
        "export gat --format md",
        3,
        "there is no world called gat; did you mean gate?",
    ),
    (
        "log gate --agent wroker",
        2,
        "there is no agent wroker in this world; did you mean worker?",
    ),
    (
        "log gate --agent nobody",
        2,
        "there is no agent nobody in this world; there is only worker",
    ),
    (
        "log gate --withheld --agent wroker",
        2,
        "did you mean worker?",
    ),
    (
        "replay gate --agent wroker",
        2,
        "there is no agent wroker in this world; did you mean worker?",
    ),
    (
        "log gate --kind ToolFinish",
        2,
        "did you mean ToolFinished?",
    ),
    ("why gate#999", 2, "there is no event 999 in the world gate"),
];

#[test]
fn a_wrong_file_or_name_is_told_with_the_nearest_one_and_changes_nothing() {
    let desk = desk();
    let worlds = |desk: &Desk| desk.run(&["worlds", "--json"]).expect(0).values();
    let before = (worlds(&desk), desk.kinds("gate"));
    for (line, code, says) in MISTAKES {
        let ran = typed(&desk, line);
        assert_eq!(ran.code, code, "{line}: {ran:?}");
        assert!(ran.err.contains(says), "{line}: {says:?} is not in {ran:?}");
    }
    assert_eq!((worlds(&desk), desk.kinds("gate")), before);
    assert_eq!(
        fs::read_to_string(desk.path("text")).unwrap(),
        "nothing of use"
    );
    let left = fs::read_dir(desk.dir.path()).unwrap().count();
    assert_eq!(left, 9, "nothing else was made");
}

#[test]
fn a_pipe_of_a_shell_is_read() {
    let desk = Desk::new();
    desk.write("gate.yaml", &GATE.replace(", counts: data/runs.txt", ""));
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &format!("cat gate.yaml | {FOLKMOOT} check /dev/stdin"),
        ])
        .current_dir(desk.dir.path());
    Ran::of(command).expect(0).out_has("is fine");
}

#[test]
fn a_world_in_the_place_of_a_script_is_told_of_as_one() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk.run(&["run", "gate"])
        .expect(2)
        .err_has("gate is a world, not a script: `folkmoot chat gate` talks in it");
    desk.run(&["log", "gate#3"])
        .expect(2)
        .err_has("the world is gate; to begin with event 3, write gate --from 3");
}

#[test]
fn a_file_with_the_same_ending_alone_is_not_proposed() {
    let desk = Desk::new();
    desk.write("dup.yaml", "world: dup");
    let ran = desk.run(&["test", "nope.yaml"]).expect(1);
    assert!(!ran.err.contains("did you mean"), "{ran:?}");
    assert!(!ran.out.contains("did you mean"), "{ran:?}");
    desk.run(&["check", "dupp.yaml"])
        .expect(2)
        .err_has("did you mean `dup.yaml`?");
    desk.run(&["check", "dup.yml"])
        .expect(2)
        .err_has("did you mean `dup.yaml`?");
}

#[test]
fn a_fault_as_json_says_no_more_than_is_known() {
    let desk = Desk::new();
    desk.write("room.yaml", "wrld: room\n");
    let fault = |file: &str| {
        let ran = desk.run(&["check", file, "--json"]).expect(2);
        let error: serde_json::Value = serde_json::from_str(ran.err.trim()).unwrap();
        error["error"]["faults"][0].clone()
    };
    let missing = fault("nope.yaml");
    assert!(
        missing["line"].is_null() && missing["column"].is_null(),
        "{missing}"
    );
    let wrong = fault("room.yaml");
    assert!(wrong["here"].is_null() && wrong["line"] == 1, "{wrong}");
}
