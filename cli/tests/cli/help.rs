//! `--help`: the example at the end of each command's help works.

use std::process::Command;

use crate::desk::{Desk, FOLKMOOT, GATE, Ran};

/// The commands of the program, in words, as its help lists them.
pub(crate) fn commands(desk: &Desk) -> Vec<String> {
    let help = desk.run(&["--help"]).expect(0).out;
    let (_, groups) = help.split_once("\n\nTalk: ").unwrap();
    let (groups, _) = groups.split_once("\n\n`folkmoot COMMAND").unwrap();
    let lines = groups.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.map(|line| line.split(' ').next().unwrap().to_owned());
    names
        .flat_map(|name| match name.as_str() {
            "key" => vec!["key new".to_owned(), "key show".to_owned()],
            "token" => ["new", "list", "revoke"]
                .map(|verb| format!("token {verb}"))
                .to_vec(),
            _ => vec![name],
        })
        .collect()
}

/// The last line of a command's help.
fn example(desk: &Desk, words: &str) -> String {
    let mut arguments: Vec<&str> = words.split(' ').collect();
    arguments.push("--help");
    let help = desk.run(&arguments).expect(0).out;
    help.trim_end().lines().last().unwrap().trim().to_owned()
}

/// A line in a shell, as somebody types it.
fn typed(desk: &Desk, line: &str) -> Ran {
    let folder = std::path::Path::new(FOLKMOOT).parent().unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", line])
        .current_dir(desk.dir.path())
        .env_clear()
        .envs([
            ("PATH", format!("{}:/usr/bin:/bin", folder.display())),
            ("USER", "tester".to_owned()),
        ])
        .stdin(std::process::Stdio::null());
    Ran::of(command)
}

/// The room of the examples, in which a worker waits to be allowed a call.
fn script() -> String {
    GATE.replace("world: gate", "world: room")
}

/// A desk on which these lines were typed before. The script is `room.yaml`.
fn after(script: &str, lines: &[(&str, i32)]) -> Desk {
    let desk = Desk::new();
    desk.write("room.yaml", script);
    for (line, code) in lines {
        typed(&desk, line).expect(*code);
    }
    desk
}

/// Another desk with all that is on `desk`.
fn copy(desk: &Desk) -> Desk {
    let copy = Desk::new();
    let all = desk.dir.path().join(".");
    let done = Command::new("cp")
        .arg("-r")
        .arg(all)
        .arg(copy.dir.path())
        .status();
    assert!(done.unwrap().success());
    copy
}

/// A desk on which the example of a command can be typed; `done` is one on which all went to its end.
fn desk_for(command: &str, done: &Desk) -> Desk {
    let asks = ("folkmoot run room.yaml", 4);
    let allowed = ("folkmoot approve room#10 --scope turn --as ada", 0);
    let has_key = ("folkmoot key new desk.key > desk.pub", 0);
    match command {
        "init" | "key new" | "token new" => Desk::new(),
        "token list" => after("", &[("folkmoot token new --as ada --tokens tokens", 0)]),
        "token revoke" => {
            let desk = after("", &[("folkmoot token new --as ada --tokens tokens", 0)]);
            let made = desk.run(&["token", "list", "--tokens", "tokens", "--json"]);
            let id = made.expect(0).document()["id"].as_str().unwrap().to_owned();
            let text = std::fs::read_to_string(desk.path("tokens")).unwrap();
            let id = format!("\"id\":\"{id}\"");
            desk.write("tokens", &text.replace(&id, "\"id\":\"3f9a1c00\""));
            desk
        }
        "key show" => after("", &[has_key]),
        "run" | "test" => after(&script().replace("destructive", "read"), &[]),
        "approve" | "deny" | "approvals" | "stop" => after(&script(), &[asks]),
        "revoke" => after(&script(), &[asks, allowed]),
        "answer" => {
            let question = "results: [{ needs_input: { question: Which? } }, { text: taken }]";
            let script = script().replace("destructive", "read").replace(
                "results: [{ text: pushed, counts: data/runs.txt }]",
                question,
            );
            after(&script, &[asks])
        }
        "settle" => {
            let sleeps = r#"use: shell, cwd: ./data, allow: [["sleep", "5"]], timeout: 100ms"#;
            let script = script();
            let (before, rest) = script.split_once("  push:\n").unwrap();
            let (_, behind) = rest.split_once("policy:").unwrap();
            let behind = behind.replace("{ branch: main }", r#"{ argv: [sleep, "5"] }"#);
            let script = format!("{before}  push: {{ {sleeps} }}\npolicy:{behind}");
            let once = ("folkmoot approve room#10 --as ada", 0);
            after(&script, &[asks, once, ("folkmoot resume room", 4)])
        }
        "check-bundle" => {
            let desk = copy(done);
            let export = "folkmoot --key desk.key export room --format bundle -o room.bundle";
            typed(&desk, export).expect(0);
            desk
        }
        _ => copy(done),
    }
}

#[test]
fn example_of_every_command_works() {
    let commands = commands(&Desk::new());
    assert!(commands.len() > 40, "{commands:?}");
    let lines = [
        ("folkmoot run room.yaml", 4),
        ("folkmoot approve room#10 --scope turn --as ada", 0),
        ("folkmoot resume room", 0),
        ("folkmoot key new desk.key > desk.pub", 0),
    ];
    let done = after(&script(), &lines);
    // A server goes on until it is ended, and a login needs one: see `real_time`. Hosts start `mcp`,
    // and not every build has it: see `tests/clients/mcp`. Only a database has nodes: see `tests/database.rs`.
    let end = |command: &String| !["serve", "login", "mcp", "nodes"].contains(&command.as_str());
    for command in commands.into_iter().filter(end) {
        let desk = desk_for(&command, &done);
        let example = example(&desk, &command);
        let ran = typed(&desk, &example);
        assert_eq!(ran.code, 0, "{example}: {ran:?}");
    }
}

#[test]
fn no_command_shows_the_commands_in_groups() {
    let desk = Desk::new();
    let ran = desk.run(&[]).expect(2).err_has("Talk: write rooms");
    assert!(ran.out.is_empty(), "{ran:?}");
    assert!(!ran.err.contains("subcommands:"), "{ran:?}");
}

#[test]
fn usage_names_no_option_that_a_variable_sets() {
    let desk = Desk::new();
    let ran = desk.run(&["run"]).expect(2).err_has("<SCRIPT>\n");
    assert!(!ran.err.contains("--store"), "{ran:?}");
    desk.run(&["run"])
        .err_has("Usage: folkmoot run [OPTIONS] <SCRIPT>\n");
    desk.run(&["key", "new"])
        .err_has("Usage: folkmoot key new [OPTIONS] ");
    desk.run(&["run", "--help"])
        .out_has("Usage: folkmoot run [OPTIONS] <SCRIPT>\n");
}
