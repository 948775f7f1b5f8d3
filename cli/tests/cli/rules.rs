//! Who may change the rules of a room, and that whoever may not leaves no trace that changes it.

use crate::desk::{Desk, GATE};

/// The gate, waiting for a person, and what its log has by then.
fn waiting() -> (Desk, Vec<String>) {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    let kinds = desk.kinds("gate");
    (desk, kinds)
}

#[test]
fn another_script_or_an_edited_step_is_refused_before_anything_is_recorded() {
    let (desk, before) = waiting();
    let another = GATE
        .replace("You push.", "You pull.")
        .replace("destructive", "read")
        .replace("Please push", "Hello");
    desk.write("another.yaml", &another);
    desk.run(&["run", "another.yaml"])
        .expect(2)
        .err_has("step 1 (`say`) was edited");
    desk.run(&["run", "another.yaml", "--revise"])
        .expect(2)
        .err_has("step 1 (`say`) was edited");
    desk.write("gate.yaml", &another);
    desk.run(&["run", "gate.yaml"])
        .expect(2)
        .err_has("step 1 (`say`) was edited");
    assert_eq!(desk.kinds("gate"), before);
    desk.write("gate.yaml", GATE);
    let (request, shown) = desk.asked("gate");
    desk.run(&["approve", "gate", &request, "--shown", &shown])
        .expect(0);
}

#[test]
fn room_of_another_file_or_with_another_policy_is_asked_for_in_so_many_words() {
    let (desk, before) = waiting();
    let open = GATE.replace("policy: { ", "policy: { mode: auto, ");
    desk.write("other.yaml", GATE);
    desk.run(&["run", "other.yaml"])
        .expect(2)
        .err_has("the room was made from")
        .err_has("gate.yaml")
        .err_has("--revise");
    desk.write("gate.yaml", &open);
    let what = "policy.mode: \"ask\" becomes \"auto\"";
    desk.run(&["run", "gate.yaml"])
        .expect(2)
        .err_has(what)
        .err_has("--revise");
    desk.run(&["chat", "gate.yaml", "--as", "eve"])
        .expect(2)
        .err_has(what)
        .err_has("--revise");
    desk.run(&["check", "gate.yaml", "--against", "gate"])
        .expect(0)
        .out_has(what)
        .out_has("only with --revise");
    assert_eq!(desk.kinds("gate"), before);

    desk.run(&["run", "gate.yaml", "--revise"])
        .expect(4)
        .out_has("tester changed the room")
        .out_has("policy.mode");
    let revised = desk
        .run(&["log", "gate", "--json", "--kind", "SpecRevised"])
        .expect(0)
        .values();
    let facts = &revised[0]["facts"];
    assert_eq!(
        facts["by"]["person"]["subject"],
        format!("uid={}", rustix::process::getuid().as_raw())
    );
    assert_eq!(facts["changes"][0]["what"], "policy.mode");
    assert_eq!(
        desk.runs(),
        0,
        "what asked under the rules of then still waits"
    );
    desk.run(&["check", "gate.yaml", "--against", "gate"])
        .expect(0)
        .out_has("would stay as it is");
}

#[test]
fn copy_of_a_script_acts_in_no_other_folder_unless_it_is_asked_for() {
    let desk = Desk::new();
    let script = "world: gate\nmodels: { s: { provider: scripted } }\ndefaults: { model: s }\nagents: [{ name: bob, prompt: p, \
                  tools: [note] }]\ntools: { note: { use: fs.append, root: ./notes } }\nreplies: { bob: [{ calls: [{ tool: \
                  note, args: { path: a, content: x } }] }, { text: \"@ada it is done\" }] }\nscript: [{ say: go, as: ada }, \
                  { idle: {} }]\n";
    for folder in ["first", "second"] {
        std::fs::create_dir_all(desk.path(folder).join("notes")).unwrap();
        desk.write(&format!("{folder}/gate.yaml"), script);
    }
    desk.run(&["run", "first/gate.yaml"]).expect(4);
    let (request, _) = desk.asked("gate");
    desk.run(&["approve", "gate", &request]).expect(0);
    let before = desk.kinds("gate");
    desk.run(&["run", "second/gate.yaml"])
        .expect(2)
        .err_has("the room was made from")
        .err_has("--revise");
    desk.run(&["chat", "second/gate.yaml", "--as", "eve"])
        .expect(2)
        .err_has("--revise");
    desk.run(&["check", "second/gate.yaml", "--against", "gate"])
        .expect(0)
        .out_has("only with --revise");
    assert_eq!(desk.kinds("gate"), before);

    desk.run(&["run", "second/gate.yaml", "--spec", "keep"])
        .expect(0)
        .out_has("it is done");
    let is_written = |folder: &str| desk.path(folder).join("notes/a").exists();
    assert_eq!(
        [is_written("first"), is_written("second")],
        [true, false],
        "it was allowed in the first folder"
    );

    std::fs::rename(desk.path("first"), desk.path("third")).unwrap();
    desk.run(&["run", "third/gate.yaml"]).expect(0);
}

#[test]
fn revision_takes_the_right_to_operate() {
    let desk = Desk::new();
    let script = GATE.replace(
        "policy: { ",
        "policy: { rights: { default: [read, post, decide] }, ",
    );
    desk.write("gate.yaml", &script);
    desk.run(&["run", "gate.yaml"]).expect(4);
    let before = desk.kinds("gate");
    desk.write("gate.yaml", &script.replace("You push.", "You pull."));
    desk.run(&["run", "gate.yaml"])
        .expect(2)
        .err_has("may not do that here");
    desk.run(&["delete", "gate", "--yes"])
        .expect(4)
        .err_has("operate")
        .err_has("none was deleted");
    assert_eq!(desk.kinds("gate"), before);
}

#[test]
fn refused_command_opens_a_world_at_most_once_a_minute() {
    let (desk, _) = waiting();
    let (request, _) = desk.asked("gate");
    let count = |desk: &Desk, kind: &str| {
        desk.kinds("gate")
            .iter()
            .filter(|known| *known == kind)
            .count()
    };
    let opened = count(&desk, "Opened");
    for _ in 0..3 {
        desk.run(&["approve", "gate", &request, "--shown", "00000000"])
            .expect(4);
    }
    desk.run(&["erase", "gate", "--events", "1", "--basis", "x"])
        .expect(2);
    assert!(
        count(&desk, "Opened") <= opened + 1,
        "{:?}",
        desk.kinds("gate")
    );
    assert_eq!(
        count(&desk, "Refused"),
        3,
        "refusals of people are recorded all the same"
    );
    desk.run(&["verify", "gate"]).expect(0);
}

#[test]
fn nobody_is_called_like_what_is_nobody_or_like_somebody_else() {
    let (desk, before) = waiting();
    let (request, _) = desk.asked("gate");
    for name in [
        "runtime",
        "System",
        "agent:worker",
        "w\u{43e}rker",
        "\u{430}da",
    ] {
        desk.run(&["deny", "gate", &request, "--as", name])
            .expect(4);
    }
    let after: Vec<String> = desk
        .kinds("gate")
        .into_iter()
        .filter(|kind| kind != "Refused" && kind != "Opened")
        .collect();
    assert_eq!(
        after,
        before
            .into_iter()
            .filter(|kind| kind != "Opened")
            .collect::<Vec<_>>()
    );
    for name in ["runtime", "w\u{43e}rker", "Worker", "\u{430}da"] {
        desk.run(&["chat", "gate", "--as", name])
            .expect(2)
            .err_has(name);
    }
    desk.write("fresh.yaml", &GATE.replace("world: gate", "world: fresh"));
    desk.run(&["chat", "fresh.yaml", "--as", "w\u{43e}rker"])
        .expect(2)
        .err_has("looks like worker");
    assert!(
        !desk.run(&["worlds"]).out.contains("fresh"),
        "no world is begun for nobody"
    );
    for name in ["world", "w\u{43e}rker", "Worker"] {
        desk.write(
            "named.yaml",
            &GATE
                .replace("as: ada", &format!("as: {name}"))
                .replace("world: gate", "world: named"),
        );
        desk.run(&["check", "named.yaml"]).expect(2).err_has(name);
    }
}

#[test]
fn next_run_goes_back_to_where_the_script_begins() {
    let desk = Desk::new();
    let script = GATE.replace("effect: destructive", "effect: read");
    desk.write(
        "gate.yaml",
        &format!("{script}  - revise: {{ policy: {{ mode: auto }} }}\n"),
    );
    desk.run(&["run", "gate.yaml"]).expect(0);
    desk.run(&["run", "gate.yaml", "--again"]).expect(0);
    assert_eq!(
        desk.kinds("gate")
            .iter()
            .filter(|kind| *kind == "SpecRevised")
            .count(),
        3
    );
}
