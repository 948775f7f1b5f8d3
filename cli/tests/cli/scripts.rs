//! `run`, `check`, `schema`, `completions`.

use std::fs;
use std::path::Path;

use crate::desk::{Desk, GATE, Ran, example};

#[test]
fn every_example_runs_to_its_end() {
    let worlds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/worlds");
    let mut count = 0;
    for entry in fs::read_dir(worlds).unwrap() {
        let path = entry.unwrap().path();
        // Its model is a real one: without a key it is refused.
        let is_live = path.ends_with("chat.yaml");
        let is_lacked = !cfg!(feature = "full") && path.ends_with("data-copilot.yaml");
        if !is_live
            && !is_lacked
            && path
                .extension()
                .is_some_and(|extension| extension == "yaml")
        {
            let desk = Desk::new();
            let script = path.display().to_string();
            desk.run(&["run", &script])
                .expect(0)
                .out_has("all as the script says");
            desk.run(&["run", &script])
                .expect(0)
                .out_has("all as before");
            desk.run(&["run", &script, "--again"])
                .expect(0)
                .out_has("Run 2 of");
            count += 1;
        }
    }
    assert!(count >= 6, "only {count} examples were found");
}

#[test]
fn a_script_without_steps_says_how_to_talk_in_its_room() {
    let desk = Desk::new();
    desk.run(&["init", "--yes"]).expect(0);
    let ran = desk
        .run(&["run", "room.yaml"])
        .expect(0)
        .out_has("room.yaml has no steps; talk in it: folkmoot chat room.yaml\n");
    assert!(!ran.out.contains("as before"), "{ran:?}");
    desk.run(&["run", "room.yaml", "--fresh"])
        .expect(0)
        .out_has("folkmoot chat room.yaml --world room-2\n");
}

#[test]
fn a_run_says_by_its_exit_code_what_failed_and_what_waits() {
    let room = |mode: &str, replies: &str, steps: &str| {
        format!(
            "world: room\nmodels: {{ scripted: {{ provider: scripted }} }}\ndefaults: {{ model: scripted }}\n\
             agents: [{{ name: worker, prompt: You work., tools: [push] }}]\n\
             tools: {{ push: {{ use: scripted, effect: destructive, description: d, schema: {{ type: object }}, results: [{{ error: {{ code: timed_out, detail: slow }} }}] }} }}\n\
             policy: {{ main_agent: worker, mode: {mode} }}\nreplies: {{ worker: [{replies}] }}\nscript:\n{steps}"
        )
    };
    let say = "  - { say: Go on, as: ada }\n";
    let (fails, calls, text) = (
        "{ fail: { kind: content_filter } }",
        "{ calls: [{ tool: push, args: {} }] }",
        "{ text: done }",
    );
    let expects = |what: &str| format!("{say}  - expect: {{ {what} }}\n");
    let in_a_fork = |what: &str| {
        format!(
            "  - fork: {{ as: branch, live: true }}\n  - {{ in: branch, say: Go on, as: ada }}\n  - {{ in: branch, expect: {{ {what} }} }}\n"
        )
    };
    let table = [
        ("ask", fails.to_owned(), say.to_owned(), 1),
        (
            "ask",
            fails.to_owned(),
            expects("notices: [turn_failed]"),
            0,
        ),
        ("ask", fails.to_owned(), expects("episode_end: failed"), 0),
        (
            "ask",
            fails.to_owned(),
            expects("turns: { worker: failed }"),
            0,
        ),
        ("ask", fails.to_owned(), expects("idle: true"), 1),
        (
            "ask",
            format!("{fails}, {fails}"),
            format!("{}{say}", expects("notices: [turn_failed]")),
            1,
        ),
        (
            "ask",
            format!("{fails}, {fails}"),
            format!("{say}{}", expects("notices: [turn_failed]")),
            1,
        ),
        (
            "ask",
            format!("{fails}, {text}"),
            format!("{say}{}", expects("message: { contains: done }")),
            1,
        ),
        ("ask", calls.to_owned(), say.to_owned(), 4),
        (
            "auto",
            format!("{calls}, {text}"),
            expects("message: { contains: done }"),
            4,
        ),
        ("auto", format!("{calls}, {fails}"), say.to_owned(), 1),
        ("ask", text.to_owned(), say.to_owned(), 0),
        ("ask", fails.to_owned(), in_a_fork("idle: true"), 1),
        (
            "ask",
            fails.to_owned(),
            in_a_fork("turns: { worker: failed }"),
            0,
        ),
    ];
    for (mode, replies, steps, code) in table {
        let desk = Desk::new();
        desk.write("room.yaml", &room(mode, &replies, &steps));
        let ran = desk.run(&["run", "room.yaml"]);
        assert_eq!(ran.code, code, "{mode} {replies}\n{steps}\n{ran:?}");
        assert_eq!(
            desk.run(&["run", "room.yaml"]).code,
            code,
            "and again: {mode} {replies}\n{steps}"
        );
    }
}

#[test]
fn a_chat_is_shown_in_its_order_and_each_text_once() {
    let ran = Desk::new()
        .run(&["run", &example("release-room.yaml")])
        .expect(0);
    let parts = [
        "    ada  ┊ Prepare the 1.2 release\n",
        "planner  ┊ @worker please read CHANGES.md and count its words\n",
        " worker  → read_file {\"path\":\"CHANGES.md\"}\n",
        "┃ worker asks to run run_command (destructive) with {\"argv\":[\"wc\",\"-w\",\"CHANGES.md\"]}\n",
        "· the room was opened again, from its log\n",
        "✓ ada allows release-room#",
        " worker  ┊ @planner both done\n",
        "planner  ┊ @ada All done: CHANGES.md read and counted.\n",
        "are kept in store.\n",
        "folkmoot log release-room\n",
        "folkmoot replay release-room\n",
    ];
    let mut rest = ran.out.as_str();
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else {
            panic!("no {part:?} in its place in:\n{}", ran.out)
        };
        rest = behind;
    }
    assert_eq!(ran.out.matches("both done").count(), 1, "{}", ran.out);
    assert_eq!(ran.out.matches("All done").count(), 1, "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "a pipe gets no colours");
}

#[test]
fn a_streamed_reply_is_shown_once() {
    let desk = Desk::new();
    let script = GATE.replace(
        r#"- text: "@ada it is done""#,
        r#"- chunks: ["@ada it ", "is ", "done"]"#,
    );
    desk.write(
        "gate.yaml",
        &script.replace("effect: destructive", "effect: read"),
    );
    let ran = desk
        .run(&["run", "gate.yaml"])
        .expect(0)
        .out_has("worker  ┊ @ada it is done\n");
    assert_eq!(ran.out.matches("done\n").count(), 1, "{}", ran.out);
}

#[test]
fn words_beside_tool_calls_are_shown() {
    let desk = Desk::new();
    let script = GATE.replace(
        "- calls: [{",
        "- text: I will push it now.\n      calls: [{",
    );
    desk.write(
        "gate.yaml",
        &script.replace("effect: destructive", "effect: read"),
    );
    desk.run(&["run", "gate.yaml"])
        .expect(0)
        .out_has("worker  ┊ I will push it now.\nworker  → push {\"branch\":\"main\"}\n");
}

#[test]
fn a_script_that_waits_ends_with_the_command_to_type() {
    let desk = Desk::with_gate();
    let ran = desk.run(&["run", "gate.yaml"]).expect(4);
    let (request, shown) = desk.asked("gate");
    ran.out_has(&format!("gate#{request} waits for a person"))
        .out_has(&format!(
            "  folkmoot approve gate {request} --shown {shown} --as tester\n"
        ))
        .out_has("folkmoot resume gate\n");
    assert_eq!(desk.runs(), 0);
}

#[test]
fn a_script_whose_last_step_leaves_something_waiting_says_so() {
    let desk = Desk::new();
    let (script, _) = GATE.split_once("  - idle").unwrap();
    desk.write("gate.yaml", script);
    let ran = desk
        .run(&["run", "gate.yaml"])
        .expect(4)
        .out_has("1 step, all as the script says");
    let (request, shown) = desk.asked("gate");
    ran.out_has(&format!("folkmoot approve gate {request} --shown {shown}"));
}

#[test]
fn a_store_without_a_name_is_the_usual_one() {
    let desk = Desk::with_gate();
    let mut command = desk.command(&["run", "gate.yaml"]);
    command.env("FOLKMOOT_STORE", "");
    Ran::of(command)
        .expect(4)
        .out_has("  folkmoot approve gate ");
    assert!(desk.path(".folkmoot/format").exists());
}

#[test]
fn printed_commands_name_a_store_that_would_not_be_found() {
    let desk = Desk::with_gate();
    let ran = desk.run(&["--store", "a b", "run", "gate.yaml"]).expect(4);
    ran.out_has("  folkmoot --store 'a b' approve gate ")
        .out_has("folkmoot --store 'a b' resume gate\n");
}

#[test]
fn a_printed_command_works_as_it_is() {
    let desk = Desk::with_gate();
    let ran = desk.run(&["run", "gate.yaml"]).expect(4);
    let typed = ran
        .out
        .lines()
        .find_map(|line| line.trim().strip_prefix("folkmoot approve "))
        .unwrap();
    let arguments: Vec<&str> = ["approve"].into_iter().chain(typed.split(' ')).collect();
    desk.run(&arguments).expect(0);
}

#[test]
fn a_script_goes_on_where_it_waited() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    let (request, shown) = desk.asked("gate");
    desk.run(&["approve", "gate", &request, "--shown", &shown])
        .expect(0);
    desk.run(&["run", "gate.yaml"])
        .expect(0)
        .out_has("step 1 (say) was done before")
        .out_has("worker  ┊ @ada it is done")
        .out_has("3 steps, all as the script says");
    assert_eq!(desk.runs(), 1);
}

#[test]
fn a_failed_expectation_says_what_came_and_where_it_stands() {
    let desk = Desk::new();
    desk.write(
        "gate.yaml",
        &GATE
            .replace("contains: it is done", "contains: nonsense")
            .replace("destructive", "read"),
    );
    let ran = desk.run(&["run", "gate.yaml"]).expect(1);
    let ran = ran
        .err_has("gate.yaml:23:15:")
        .err_has("nonsense")
        .err_has("it is done");
    assert!(
        ran.out.contains("worker  ┊ @ada it is done"),
        "the chat is shown all the same"
    );
}

#[test]
fn json_output_is_one_object_a_line() {
    let desk = Desk::new();
    let values = desk
        .run(&["run", &example("denied.yaml"), "--json"])
        .expect(0)
        .values();
    let (report, events) = values.split_last().unwrap();
    assert_eq!(events[0]["kind"], "WorldOpened");
    assert_eq!(report["world"], "denied");
    assert_eq!(report["activity"], "idle");
    let shown: Vec<&str> = events
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect();
    assert_eq!(shown, desk.kinds("denied"));
}

#[test]
fn a_world_can_have_another_name_and_must_be_fresh_if_asked() {
    let desk = Desk::new();
    let script = example("denied.yaml");
    desk.run(&["run", &script, "--world", "other"])
        .expect(0)
        .out_has("Run 1 of other");
    desk.run(&["run", &script, "--world", "other", "--fresh"])
        .expect(2)
        .err_has("the world other exists");
    desk.run(&["run", &script, "--world", "another", "--fresh"])
        .expect(0);
}

#[test]
fn a_fine_script_is_said_to_be_fine_and_makes_no_store() {
    let desk = Desk::with_gate();
    desk.run(&["check", "gate.yaml"])
        .expect(0)
        .out_has("gate.yaml is fine: the world gate, 1 agent, 3 steps");
    assert_eq!(
        desk.run(&["check", "gate.yaml", "--json"])
            .expect(0)
            .document()["steps"],
        3
    );
    assert!(!desk.path("store").exists());
}

#[test]
fn a_fresh_run_plays_the_script_in_a_world_with_a_name_of_its_own() {
    let desk = Desk::new();
    let script = example("denied.yaml");
    for name in ["denied", "denied-2", "denied-3"] {
        desk.run(&["run", &script, "--fresh"])
            .expect(0)
            .out_has(&format!("Run 1 of {name}:"))
            .out_has(&format!("folkmoot log {name}"));
    }
    assert_eq!(desk.run(&["worlds", "--json"]).values().len(), 3);
}

#[test]
fn the_schema_is_json_schema() {
    let schema = Desk::new().run(&["schema"]).expect(0).document();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert!(schema["properties"]["script"].is_object());
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish"] {
        Desk::new()
            .run(&["completions", shell])
            .expect(0)
            .out_has("approvals");
    }
}

#[test]
fn text_of_others_cannot_steer_the_terminal() {
    let desk = Desk::new();
    let script = GATE
        .replace("say: Please push", r#"say: "look \e[2J here""#)
        .replace("destructive", "read");
    desk.write("gate.yaml", &script);
    let ran = desk
        .run(&["run", "gate.yaml"])
        .expect(0)
        .out_has(r"ada  ┊ look \u{1b}[2J here");
    assert!(!ran.out.contains('\u{1b}'));
}
