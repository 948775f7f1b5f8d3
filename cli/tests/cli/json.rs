//! `--json`: each command prints what `docs/guide/json.schema.json` says, and errors are JSON too.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use folkmoot::{OpenMode, Store};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::desk::{Desk, GATE, Ran, example};
use crate::looking::flip;

/// The schemas of the documents.
struct Schemas(Value);

impl Schemas {
    fn load() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/json.schema.json");
        Self(serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    }

    fn of(&self, name: &str) -> Validator {
        assert!(self.0["$defs"].get(name).is_some(), "no schema {name}");
        let schema = json!({ "$ref": format!("#/$defs/{name}"), "$defs": self.0["$defs"] });
        jsonschema::validator_for(&schema).unwrap()
    }

    /// Asserts that `value` is what the schema `name` says.
    fn check(&self, name: &str, value: &Value, about: &str) {
        let wrong: Vec<String> = self
            .of(name)
            .iter_errors(value)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(
            wrong.is_empty(),
            "{about}: no {name}: {wrong:#?}\n{value:#}"
        );
    }
}

/// How the output of a command is read.
#[derive(Clone, Copy)]
enum Form {
    /// As one document.
    One(&'static str),
    /// As a line for each thing. There is at least one.
    Lines(&'static str),
    /// As a line for each event, and a last one.
    Events(&'static str),
}

use Form::{Events, Lines, One};

/// A desk, and the schemas that what is typed there is held against.
struct Typing<'a> {
    desk: Desk,
    schemas: &'a Schemas,
    /// The commands that were typed.
    typed: BTreeSet<String>,
    /// The schemas that they were held against.
    used: BTreeSet<&'static str>,
}

impl Typing<'_> {
    /// Types a line with `--json`, and checks its output. Words are parted by blanks.
    fn types(&mut self, line: &str, code: i32, form: Form) {
        let words: Vec<&str> = line.split(' ').collect();
        self.typed.insert(words[0].to_owned());
        let key = self.desk.path("desk.key").display().to_string();
        let mut arguments = vec!["--json"];
        if self.desk.path("desk.key").exists() {
            arguments.extend(["--key", &key]);
        }
        let ran = self.desk.run(&[&arguments[..], &words[..]].concat());
        assert_eq!(ran.code, code, "{line}: {ran:?}");
        let (One(name) | Lines(name) | Events(name)) = form;
        self.used.insert(name);
        match form {
            One(name) => self.schemas.check(name, &ran.document(), line),
            Lines(name) => {
                let lines = ran.values();
                assert!(!lines.is_empty(), "{line}");
                lines
                    .iter()
                    .for_each(|value| self.schemas.check(name, value, line));
            }
            Events(name) => {
                let mut lines = ran.values();
                let last = lines.pop().unwrap();
                self.schemas.check(name, &last, line);
                lines
                    .iter()
                    .for_each(|value| self.schemas.check("event", value, line));
            }
        }
        remarks(self.schemas, &ran, line);
    }
}

/// Checks what a command says on the side.
fn remarks(schemas: &Schemas, ran: &Ran, about: &str) {
    for line in ran.err.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{about}: {line}"));
        schemas.check("remark", &value, about);
    }
}

fn typing(schemas: &Schemas) -> Typing<'_> {
    let desk = Desk::with_gate();
    Typing {
        desk,
        schemas,
        typed: BTreeSet::new(),
        used: BTreeSet::new(),
    }
}

/// Has a room go all its ways.
fn look_around(typing: &mut Typing<'_>) {
    for (line, code, form) in [
        ("run gate.yaml", 4, Events("run")),
        ("approvals", 0, Lines("approval")),
        ("approve gate#10 --scope world --as ada", 0, One("decision")),
        ("grants gate", 0, Lines("grants")),
        ("resume gate", 0, Events("resume")),
        ("run gate.yaml", 0, Events("run")),
        ("worlds", 0, Lines("world")),
        ("log gate", 0, Lines("event")),
        ("rights gate", 0, Lines("rights")),
        ("usage gate", 0, Lines("usage")),
        ("replay gate", 0, One("replay")),
        ("replay gate --at 10", 0, One("replay")),
        ("replay gate --agent worker --at 10", 0, One("memory")),
        ("replay gate --prompt 7", 0, One("prompt")),
        ("replay gate --transcript", 0, One("transcript")),
        ("replay gate --at 4 --diff 12", 0, One("state_diff")),
        ("why gate#6", 0, One("why")),
        ("why gate#12", 0, One("why")),
        ("why gate#20", 0, One("why")),
        ("revoke gate#13", 0, One("decision")),
        ("check gate.yaml --against gate", 0, One("check")),
        ("fork gate --at 12 --as other", 0, One("fork")),
        ("diff gate other", 0, One("diff")),
        ("say gate hello --as ada", 0, One("deed")),
        ("join gate --as bob", 0, One("deed")),
        ("leave gate --as bob", 0, One("deed")),
        ("stop gate", 0, One("deed")),
        ("verify gate", 0, One("verify")),
        ("verify --all", 0, Lines("verify")),
        ("erase gate 4 --basis asked --dry-run", 0, One("erase")),
        ("erase gate 4 --basis asked", 0, One("erase")),
        ("log gate", 0, Lines("event")),
        ("backup copy", 0, One("backup")),
        ("copy copy copy2", 0, One("backup")),
        ("rebuild --to mended", 0, One("rebuild")),
        ("delete --idle-for 1d --dry-run", 0, Lines("idle_world")),
        ("delete other --yes", 0, Lines("deleted_world")),
        ("worlds --deleted", 0, Lines("deleted_world")),
        ("doctor", 0, One("doctor")),
        ("init office --yes", 0, One("init")),
    ] {
        typing.types(line, code, form);
    }
}

/// Has calls denied, questions answered, and words taken back.
fn decide(typing: &mut Typing<'_>) {
    let question = GATE.replace("effect: destructive", "effect: read").replace(
        "results: [{ text: pushed, counts: data/runs.txt }]",
        "results: [{ needs_input: { question: Which?, options: [red, blue] } }, { text: taken }]",
    );
    typing.desk.write("ask.yaml", &question);
    let sleeps = r#"push: { use: shell, cwd: ./data, allow: [["sleep", "5"]], timeout: 100ms }"#;
    let (before, rest) = GATE.split_once("push:\n").unwrap();
    let (_, behind) = rest.split_once("policy:").unwrap();
    let behind = behind.replace("{ branch: main }", r#"{ argv: [sleep, "5"] }"#);
    let slow = format!("{before}{sleeps}\npolicy:{behind}");
    typing.desk.write("slow.yaml", &slow);
    for (line, code, form) in [
        ("run gate.yaml --world denied", 4, Events("run")),
        ("deny denied#10 --as ada", 0, One("decision")),
        ("resume denied", 0, Events("resume")),
        ("run ask.yaml --world asked", 4, Events("run")),
        ("approvals asked", 0, Lines("approval")),
        ("answer asked#11 --option 1", 0, One("decision")),
        ("resume asked", 0, Events("resume")),
        ("run slow.yaml --world slow", 4, Events("run")),
        ("approve slow#10 --as ada", 0, One("decision")),
        ("resume slow", 4, Events("resume")),
        ("approvals slow", 0, Lines("approval")),
        ("settle slow#15 --not-run --as ada", 0, One("decision")),
    ] {
        typing.types(line, code, form);
    }
}

/// Puts other words in the place of what was said.
fn take_back(typing: &mut Typing<'_>) {
    let one = GATE.replace("destructive", "read");
    typing.desk.write("talk.yaml", &one);
    let reply = |desk: &Desk| {
        let posted = desk
            .run(&["log", "gate", "--json", "--kind", "MessagePosted"])
            .values();
        posted.last().unwrap()["position"].to_string()
    };
    typing.types("run talk.yaml", 0, Events("run"));
    let at = reply(&typing.desk);
    typing.types(&format!("regenerate gate#{at}"), 0, One("deed"));
    typing.types("test talk.yaml", 0, Lines("test"));
    typing.types("test talk.yaml missing.yaml", 1, Lines("test"));
    let own = typing.desk.run(&["say", "gate", "hello", "--json"]);
    let at = own.expect(0).document()["at"].to_string();
    typing.types(&format!("edit gate#{at} hi"), 0, One("deed"));
    typing.types(&format!("retract gate#{at}"), 0, One("deed"));
}

/// Signs, proves and checks.
fn prove(typing: &mut Typing<'_>) {
    for (line, code, form) in [
        ("run gate.yaml", 4, Events("run")),
        ("key new desk.key", 0, One("key")),
        ("key show desk.key", 0, One("key")),
        ("token new --as ada --tokens tokens", 0, One("new_token")),
        (
            "token new --as ci --service --expires 1d --tokens tokens",
            0,
            One("new_token"),
        ),
        ("token list --tokens tokens", 0, Lines("token")),
        ("anchor gate", 0, One("anchor")),
        ("anchor --all", 0, Lines("anchor")),
    ] {
        typing.types(line, code, form);
    }
    let bundle = ["export", "gate", "--format", "bundle", "-o", "gate.bundle"];
    typing
        .desk
        .run(&[&["--key", "desk.key"], &bundle[..]].concat())
        .expect(0);
    typing.types("check-bundle gate.bundle", 6, One("bundle"));
}

/// Looks at rooms in which more happens.
fn look_at_examples(typing: &mut Typing<'_>) {
    for name in ["home-advisor", "budget", "fork", "release-room"] {
        let file = example(&format!("{name}.yaml"));
        typing.desk.run(&["run", &file]).expect(0);
        for (line, form) in [
            ("log", Lines("event")),
            ("usage", Lines("usage")),
            ("replay", One("replay")),
            ("replay --transcript", One("transcript")),
            ("verify", One("verify")),
        ] {
            let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
            let line = format!("{command} {name} {rest}");
            typing.types(line.trim_end(), 0, form);
        }
        let head = typing.desk.kinds(name).len();
        for at in (1..=head).step_by(13) {
            typing.types(&format!("why {name}#{at}"), 0, One("why"));
        }
        typing.types(
            &format!("replay {name} --at 3 --diff {head}"),
            0,
            One("state_diff"),
        );
    }
    typing.types("log home-advisor --withheld", 0, Lines("withheld"));
}

#[test]
fn what_every_command_prints_fits_its_schema() {
    let schemas = Schemas::load();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/json.md");
    let page = fs::read_to_string(page).unwrap();
    let mut typed = BTreeSet::new();
    for scene in [look_around, decide, take_back, prove, look_at_examples] {
        let mut typing = typing(&schemas);
        scene(&mut typing);
        typed.extend(typing.typed);
        for name in typing.used {
            assert!(
                page.contains(&format!("`{name}`")),
                "the guide does not tell of {name}"
            );
        }
    }
    // They print something else than documents of their own: a schema, a file, a script of a shell; a chat refuses.
    // A server prints where it listens until it ends; `real_time` asks one for a login.
    typed.extend(["schema", "export", "completions", "chat", "serve"].map(str::to_owned));
    // A host of MCP reads what `mcp` prints. Only a database has nodes: see `tests/database.rs`.
    typed.extend(["login", "mcp", "nodes"].map(str::to_owned));
    let all: BTreeSet<String> = crate::help::commands(&Desk::new())
        .into_iter()
        .map(|words| words.split(' ').next().unwrap().to_owned())
        .collect();
    assert_eq!(all, typed);
    for command in all {
        assert!(
            page.contains(&format!("`{command}")),
            "the guide does not tell of {command}"
        );
    }
}

#[test]
fn reports_of_a_damaged_store_fit_their_schemas() {
    let schemas = Schemas::load();
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    flip(&desk.path("store/log/db"));
    let ran = desk.run(&["verify", "--all", "--json"]).expect(5);
    let mut lines = ran.values().into_iter();
    schemas.check("survey", &lines.next().unwrap(), "verify");
    lines.for_each(|line| schemas.check("verify", &line, "verify"));
    remarks(&schemas, &ran, "verify");
    let rebuilt = desk.run(&["rebuild", "--to", "new", "--json"]);
    schemas.check("rebuild", &rebuilt.expect(5).document(), "rebuild");
    let doctor = desk.run(&["doctor", "--json"]).expect(5).document();
    schemas.check("doctor", &doctor, "doctor");
}

#[test]
fn every_kind_of_error_is_an_object_with_its_exit_code() {
    let schemas = Schemas::load();
    let desk = Desk::with_gate();
    desk.write("typo.yaml", &GATE.replace("prompt:", "promt:"));
    let live = GATE.replace("provider: scripted", "provider: openai-chat, model: m");
    desk.write("live.yaml", &live);
    desk.write(
        "wrong.yaml",
        &GATE
            .replace("destructive", "read")
            .replace("it is done }", "gone }"),
    );
    desk.write("file", "text");
    desk.run(&["run", "gate.yaml"]).expect(4);
    for (line, code, says) in [
        ("nothing", 2, "unrecognized subcommand"),
        ("log", 2, "required"),
        ("log gate --nothing", 2, "unexpected argument"),
        ("log gate --from x", 2, "invalid"),
        ("settle gate#10", 2, "required"),
        ("chat gate", 2, "a chat is for people"),
        ("init room", 2, "terminal"),
        ("run typo.yaml", 2, "promt"),
        ("run missing.yaml", 2, "there is no such file"),
        ("run live.yaml --world live", 3, "OPENAI_API_KEY"),
        ("run wrong.yaml --world wrong", 1, "expected"),
        ("log nowhere", 3, "there is no world called nowhere"),
        ("log gate --agent nobody", 2, "there is no agent nobody"),
        ("replay gate --at 999", 2, "there is no event 999"),
        ("--store nowhere worlds", 3, "there is no store"),
        ("--store file worlds", 3, "is a file"),
        ("approve gate", 2, "name it"),
        ("approve gate#1", 4, "refused"),
        ("--key missing.key verify gate", 0, ""),
        ("--key missing.key anchor gate", 3, "missing.key"),
        ("check-bundle file", 3, "file"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = desk.run(&[&["--json"], &words[..]].concat());
        assert_eq!(ran.code, code, "{line}: {ran:?}");
        if code == 0 {
            continue;
        }
        let last = ran.err.lines().last().unwrap_or_default();
        let error: Value = serde_json::from_str(last).unwrap_or_else(|_| panic!("{line}: {ran:?}"));
        schemas.check("error", &error, line);
        assert_eq!(error["error"]["exit"], code, "{line}");
        assert!(last.contains(says), "{line}: {last}");
    }
}

#[test]
fn a_store_that_another_process_has_is_an_error_like_others() {
    let schemas = Schemas::load();
    let desk = Desk::with_gate();
    let held = Store::open(desk.path("store"), OpenMode::Create).unwrap();
    let ran = desk.run(&["--json", "run", "gate.yaml"]).expect(3);
    let error: Value = serde_json::from_str(ran.err.trim()).unwrap();
    schemas.check("error", &error, "run");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(
        message.contains(&std::process::id().to_string()),
        "{message}"
    );
    held.close().unwrap();
}
