//! Wrong things, and how they are answered.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::desk::{Desk, FOLKMOOT, GATE, Ran};

#[test]
fn a_missing_script_is_named() {
    Desk::new()
        .run(&["run", "nowhere.yaml"])
        .expect(2)
        .err_has("nowhere.yaml")
        .err_has("cannot be read");
}

#[test]
fn a_typo_in_a_key_is_shown_at_its_place_with_the_nearest_key() {
    let desk = Desk::new();
    desk.write("gate.yaml", &GATE.replace("prompt:", "promt:"));
    desk.run(&["check", "gate.yaml"])
        .expect(2)
        .err_has("gate.yaml:6:21: error:")
        .err_has("promt")
        .err_has("prompt");
    desk.run(&["run", "gate.yaml"])
        .expect(2)
        .err_has("gate.yaml:6:21: error:");
    assert!(
        !desk.path("store").exists(),
        "a script with faults makes no store"
    );
}

#[test]
fn every_fault_of_a_script_is_shown() {
    let desk = Desk::new();
    let script = GATE
        .replace("tools: [push]", "tools: [pull]")
        .replace("from: worker", "from: wroker");
    desk.write(
        "gate.yaml",
        &script.replace("effect: destructive", "effect: terrible"),
    );
    desk.run(&["check", "gate.yaml"])
        .expect(2)
        .err_has("pull")
        .err_has("terrible");
}

#[test]
fn rule_that_says_nothing_of_its_tool_is_refused_by_check_and_run_with_the_form_to_write() {
    let desk = Desk::new();
    let denying = |tool: &str, allowed: &str| {
        let rule = format!(
            "policy: {{ main_agent: worker, deny: [{{ tool: push, where: [{{ path: /path, {allowed} }}] }}] }}"
        );
        let script = GATE.replace("policy: { main_agent: worker }", &rule);
        desk.write(
            "gate.yaml",
            &script.replace("    schema: { type: object }\n", tool),
        );
    };
    for (tool, allowed, why) in [
        (
            "    paths: [/path]\n",
            "prefix: notes/",
            "paths are not compared by letters",
        ),
        (
            "    paths: [/path]\n",
            "equals: ./notes",
            "is not a plain path",
        ),
        ("", "beneath: notes", "works only on paths"),
    ] {
        denying(tool, allowed);
        for command in ["check", "run"] {
            desk.run(&[command, "gate.yaml"])
                .expect(2)
                .err_has("a deny rule of tool push")
                .err_has(why);
        }
    }
    denying("    paths: [/path]\n", "beneath: notes");
    desk.run(&["check", "gate.yaml"]).expect(0);
}

#[test]
fn a_tool_without_an_effect_is_refused() {
    let desk = Desk::new();
    desk.write("gate.yaml", &GATE.replace("    effect: destructive\n", ""));
    desk.run(&["run", "gate.yaml"])
        .expect(2)
        .err_has("gate.yaml:")
        .err_has("effect");
}

#[test]
fn a_bad_schema_is_refused() {
    let desk = Desk::new();
    desk.write(
        "gate.yaml",
        &GATE.replace("schema: { type: object }", "schema: { type: nonsense }"),
    );
    desk.run(&["run", "gate.yaml"])
        .expect(2)
        .err_has("gate.yaml:")
        .err_has("schema");
}

#[test]
fn a_missing_root_is_named() {
    let desk = Desk::new();
    desk.write(
        "gate.yaml",
        &GATE.replace(
            "tools:\n",
            "tools:\n  read: { use: fs.read, root: ./gone }\n",
        ),
    );
    desk.run(&["run", "gate.yaml"]).expect(3).err_has("gone");
}

#[test]
fn a_tool_cannot_reach_into_the_store() {
    let desk = Desk::new();
    let script = GATE.replace("tools: [push]", "tools: [push, read]");
    desk.write(
        "gate.yaml",
        &script.replace("tools:\n", "tools:\n  read: { use: fs.read, root: . }\n"),
    );
    desk.run(&["run", "gate.yaml"]).expect(3).err_has("store");
}

#[test]
fn a_store_that_is_a_file_is_said_to_be_one() {
    let desk = Desk::with_gate();
    desk.write("store", "text");
    desk.run(&["run", "gate.yaml"])
        .expect(3)
        .err_has("store is a file");
    desk.run(&["worlds"]).expect(3).err_has("store is a file");
    assert_eq!(fs::read_to_string(desk.path("store")).unwrap(), "text");
}

#[test]
fn a_directory_with_something_else_in_it_is_left_alone() {
    let desk = Desk::with_gate();
    fs::write(desk.path("data/notes.txt"), "mine").unwrap();
    desk.run(&["--store", "data", "run", "gate.yaml"])
        .expect(3)
        .err_has("is not a store");
    desk.run(&["--store", "data", "worlds"])
        .expect(3)
        .err_has("is not a store");
    assert_eq!(fs::read_dir(desk.path("data")).unwrap().count(), 1);
}

#[test]
fn a_directory_that_cannot_be_written_is_said_to_be_so() {
    let desk = Desk::with_gate();
    fs::create_dir(desk.path("closed")).unwrap();
    fs::set_permissions(desk.path("closed"), fs::Permissions::from_mode(0o500)).unwrap();
    if fs::write(desk.path("closed/probe"), "").is_ok() {
        eprintln!("skipped: this user may write everywhere");
        return;
    }
    desk.run(&["--store", "closed/store", "run", "gate.yaml"])
        .expect(3)
        .err_has("closed/store");
}

#[test]
fn a_step_that_was_edited_after_it_ran_is_named() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk.write("gate.yaml", &GATE.replace("Please push", "Please pull"));
    desk.run(&["run", "gate.yaml"])
        .expect(2)
        .err_has("step 1 (`say`) was edited")
        .err_has("--world NAME");
}

#[test]
fn a_definition_that_changed_between_runs_is_recorded() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk.write("gate.yaml", &GATE.replace("You push.", "You push gently."));
    desk.run(&["run", "gate.yaml", "--spec", "keep"]).expect(4);
    assert!(!desk.kinds("gate").contains(&"SpecRevised".to_owned()));
    desk.run(&["run", "gate.yaml"])
        .expect(4)
        .out_has("tester changed the room: prompts.worker");
    assert!(desk.kinds("gate").contains(&"SpecRevised".to_owned()));
}

#[test]
fn an_unknown_world_is_named() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    for arguments in [
        &["log", "nowhere"][..],
        &["replay", "nowhere"],
        &["approvals", "nowhere"],
        &["resume", "nowhere"],
    ] {
        desk.run(arguments)
            .expect(3)
            .err_has("there is no world called nowhere; `folkmoot worlds` lists");
    }
    desk.run(&["approve", "nowhere", "1"])
        .expect(3)
        .err_has("there is no world called nowhere");
}

#[test]
fn a_position_behind_the_head_is_refused() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk.run(&["replay", "gate", "--at", "9999"])
        .expect(2)
        .err_has("there is no event 9999");
    desk.run(&["replay", "gate", "--at", "0"])
        .expect(2)
        .err_has("--at <N>");
    desk.run(&["why", "gate", "0"])
        .expect(2)
        .err_has("0 names no event")
        .err_has("positions count from 1");
}

#[test]
fn a_script_without_replies_says_so() {
    let desk = Desk::new();
    let script = GATE
        .replace("    - text: \"@ada it is done\"\n", "")
        .replace("effect: destructive", "effect: read");
    desk.write("gate.yaml", &script);
    desk.run(&["run", "gate.yaml"])
        .expect(1)
        .out_has("no scripted replies left");
}

#[test]
fn colours_come_when_they_are_asked_for() {
    let desk = Desk::with_gate();
    assert!(
        desk.run(&["run", "gate.yaml", "--color", "always"])
            .expect(4)
            .out
            .contains('\u{1b}')
    );
    assert!(
        !desk
            .run(&["run", "gate.yaml", "--color", "never"])
            .expect(4)
            .out
            .contains('\u{1b}')
    );
}

#[test]
fn a_store_whose_log_is_cut_is_not_taken_for_an_empty_one() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    fs::remove_dir_all(desk.path("store/log")).unwrap();
    desk.run(&["worlds"])
        .expect(5)
        .err_has("saves what is whole");
    desk.run(&["run", "gate.yaml"]).expect(5);
}

#[test]
fn a_key_that_is_not_set_is_named_and_one_that_nobody_uses_is_not_wanted() {
    let desk = Desk::new();
    let models =
        "models: { live: { provider: openai-chat, model: m }, scripted: { provider: scripted } }";
    let script = GATE.replace("models: { scripted: { provider: scripted } }", models);
    desk.write("gate.yaml", &script);
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk.write(
        "gate.yaml",
        &script.replace("model: scripted }", "model: live }"),
    );
    for command in ["run", "chat"] {
        desk.run(&[command, "gate.yaml", "--world", "other"])
            .expect(3)
            .err_has("OPENAI_API_KEY")
            .err_has("live");
    }
}

#[test]
fn a_fault_shows_no_control_characters_of_the_script() {
    let desk = Desk::new();
    desk.write("raw.yaml", "world: \u{1b}]0;owned\u{7}\n");
    desk.write("escaped.yaml", "world: w\n\"a\\e[31m\\u202Eb\": 1\n");
    for script in ["raw.yaml", "escaped.yaml"] {
        let ran = desk.run(&["check", script, "--color", "never"]).expect(2);
        assert!(
            !ran.err.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{:?}",
            ran.err
        );
    }
    desk.run(&["check", "raw.yaml"])
        .expect(2)
        .err_has("1 | world: ?]0;owned?");
}

#[test]
fn a_file_that_may_not_grow_is_said_and_ends_nothing_by_signal() {
    let desk = Desk::with_gate();
    let mut command = std::process::Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -f 4; exec \"$0\" --store store run gate.yaml",
            FOLKMOOT,
        ])
        .current_dir(desk.dir.path());
    let ran = Ran::of(command).expect(3).err_has("full");
    assert!(!ran.err.contains("panicked"), "{ran:?}");
    desk.run(&["run", "gate.yaml"]).expect(4);
}

#[test]
fn a_script_with_parts_of_a_program_is_checked_and_not_run() {
    let desk = Desk::new();
    let script = GATE
        .replace("{ provider: scripted }", "{ provider: own }")
        .replace("\n    use: scripted\n", "\n    use: own\n");
    let fields = ["description: Pushes", "effect: ", "schema: ", "results: "];
    let script: String = script
        .lines()
        .filter(|line| !fields.iter().any(|field| line.trim().starts_with(field)))
        .map(|line| format!("{line}\n"))
        .collect();
    desk.write("gate.yaml", &script);
    let sentence =
        "only a program can run this script: it binds the model `scripted` and the tool `push`";
    desk.run(&["check", "gate.yaml"])
        .expect(0)
        .out_has(&format!("note: {sentence}\n"));
    let document = desk
        .run(&["--json", "check", "gate.yaml"])
        .expect(0)
        .document();
    assert_eq!(document["needs"], sentence);
    desk.run(&["run", "gate.yaml"])
        .expect(2)
        .err_has(&format!("gate.yaml:3:33: error: {sentence}"));
    assert!(!desk.path("store").exists(), "no store was made for it");
}

#[test]
fn of_a_huge_line_only_the_part_around_the_fault_is_shown() {
    let desk = Desk::new();
    let (before, behind) = ("é".repeat(5_000), "b".repeat(5_000));
    let agents =
        format!("agents: [{{ name: a, prompt: \"{before}\", promt: c, display: \"{behind}\" }}]");
    desk.write("huge.yaml", &format!("world: w\n{agents}\n"));
    let ran = desk.run(&["check", "huge.yaml"]).expect(2);
    assert!(ran.err.len() < 2_000, "{} bytes", ran.err.len());
    let lines: Vec<&str> = ran.err.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("promt: c"))
        .unwrap();
    let column = |line: &str, what: &str| {
        let (before, _) = line.split_once(what).unwrap();
        before.chars().count()
    };
    assert!(
        lines[at].starts_with("2 | …") && lines[at].ends_with('…'),
        "{lines:?}"
    );
    assert_eq!(
        column(lines[at], "promt"),
        column(lines[at + 1], "^"),
        "{lines:?}"
    );
}

#[test]
fn a_setting_that_cannot_be_used_is_told_before_a_store_is_made() {
    let desk = Desk::new();
    let models = "{ scripted: { provider: recorded, wire: openai-chat, from: gone.jsonl } }";
    desk.write(
        "gate.yaml",
        &GATE.replace("{ scripted: { provider: scripted } }", models),
    );
    let into_store = GATE.replace("push:\n", "read: { use: fs.read, root: . }\n  push:\n");
    desk.write("inside.yaml", &into_store);
    let own = std::path::Path::new(FOLKMOOT).parent().unwrap();
    let over_own = format!("put: {{ use: fs.write, root: {own:?} }}\n  push:\n");
    desk.write("own.yaml", &GATE.replace("push:\n", &over_own));
    for (line, says) in [
        (["check", "gate.yaml"], "gone.jsonl"),
        (["run", "gate.yaml"], "gone.jsonl"),
        (["run", "inside.yaml"], "overlaps the store at"),
        (["run", "own.yaml"], "holds what no tool may change"),
    ] {
        desk.run(&line).expect(3).err_has(says);
        assert!(!desk.path("store").exists(), "{line:?}");
    }
}
