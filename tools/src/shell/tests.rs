use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::port::{
    HostCommand, HostError, HostOutput, Network, Sandbox, SandboxPlace, Tool, ToolCall, ToolHost,
};
use folkmoot_core::tool::{EffectClass, ToolErrorCode, ToolOutcome, ToolOutput, Unlisted, View};
use serde_json::{Value, json};

use crate::host::{handle_of, id_of};
use crate::stage::{build, call, failure, try_build};

/// A host that remembers what it was to run, and gives what it was given.
#[derive(Debug)]
struct Recording {
    commands: Mutex<Vec<HostCommand>>,
    gives: Mutex<Option<Result<HostOutput, HostError>>>,
}

#[async_trait]
impl ToolHost for Recording {
    async fn run(&self, command: HostCommand) -> Result<HostOutput, HostError> {
        self.commands.lock().unwrap().push(command);
        self.gives.lock().unwrap().take().unwrap()
    }
}

fn shell(allow: &Value) -> Arc<dyn Tool> {
    build(
        &json!({ "use": "shell", "cwd": ".", "timeout": "3s", "allow": allow }),
        Path::new("/"),
    )
}

/// What running `argv` gives when the host gives `gives`, and what the host was to run.
async fn run(
    tool: &Arc<dyn Tool>,
    argv: &[&str],
    gives: Result<HostOutput, HostError>,
) -> (ToolOutcome, Vec<HostCommand>) {
    let host = Arc::new(Recording {
        commands: Mutex::default(),
        gives: Mutex::new(Some(gives)),
    });
    let call = ToolCall {
        host: Some(Arc::clone(&host) as Arc<dyn ToolHost>),
        ..call(json!({ "argv": argv }))
    };
    let outcome = tool.run(&call).await;
    let commands = host.commands.lock().unwrap().clone();
    (outcome, commands)
}

fn output(code: Option<i32>, stdout: &str, stderr: &str) -> HostOutput {
    HostOutput {
        code,
        signal: None,
        stdout: stdout.into(),
        stderr: stderr.into(),
        is_cut: false,
        gaps: Vec::new(),
    }
}

#[tokio::test]
async fn only_what_is_listed_runs() {
    let tool = shell(&json!([
        ["wc", "-w", "CHANGES.md"],
        { "argv": ["git", "log"], "effect": "read", "args": "any" },
        { "argv": ["date"], "effect": "read", "args": "exact" },
    ]));
    for (argv, is_listed) in [
        (&["wc", "-w", "CHANGES.md"][..], true),
        (&["wc", "-w"], false),
        (&["wc", "-w", "CHANGES.md", "/etc/passwd"], false),
        (&["wc", "-w", "CHANGES.md "], false),
        (&["wc -w CHANGES.md"], false),
        (&["/usr/bin/wc", "-w", "CHANGES.md"], false),
        (&["git", "log"], true),
        (&["git", "log", "--oneline", "; rm -rf /"], true),
        (&["git", "push"], false),
        (&["git"], false),
        (&["date"], true),
        (&["date", "-s", "now"], false),
        (&["DATE"], false),
        (&["sh", "-c", "date"], false),
        (&[], false),
    ] {
        let (outcome, commands) = run(&tool, argv, Ok(output(Some(0), "ran", ""))).await;
        assert_eq!(commands.len(), usize::from(is_listed), "{argv:?}");
        if is_listed {
            assert!(
                matches!(outcome, ToolOutcome::Done(_)),
                "{argv:?}: {outcome:?}"
            );
        } else {
            assert_eq!(failure(&outcome).0, ToolErrorCode::NotAllowed, "{argv:?}");
        }
    }
}

#[tokio::test]
async fn the_host_gets_the_command_and_its_limits() {
    let tool = shell(&json!([["date"]]));
    let (_, commands) = run(&tool, &["date"], Ok(output(Some(0), "", ""))).await;
    let (_, again) = run(&tool, &["date"], Ok(output(Some(0), "", ""))).await;
    assert_eq!(again, commands, "a rerun waits for the same lock");
    let [command] = &commands[..] else {
        panic!("{commands:?}")
    };
    assert_eq!(
        (&command.argv[..], command.cwd.as_path()),
        (&["date".to_owned()][..], Path::new("/"))
    );
    assert_eq!(
        (command.timeout, command.output_max),
        (Duration::from_secs(3), 8 * 1024 * 1024)
    );
    assert!(command.lock.len() == 64 && command.lock.chars().all(|c| c.is_ascii_hexdigit()));
}

#[tokio::test]
async fn pins_of_all_lines_that_list_a_command_go_with_it() {
    let (one, other) = ("1".repeat(64), "2".repeat(64));
    let tool = shell(&json!([
        { "argv": ["git"], "effect": "read", "args": "any", "pin": one },
        { "argv": ["git", "log"], "effect": "read", "args": "any", "pin": other },
        { "argv": ["date"], "effect": "read", "args": "exact" },
    ]));
    for (argv, pins) in [
        (&["git", "log"][..], vec![&one, &other]),
        (&["git"], vec![&one]),
        (&["date"], vec![]),
    ] {
        let (_, commands) = run(&tool, argv, Ok(output(Some(0), "", ""))).await;
        let told: Vec<String> = commands[0].pins.iter().map(ToString::to_string).collect();
        assert_eq!(told.iter().collect::<Vec<_>>(), pins, "{argv:?}");
        assert!(commands[0].folder.is_some());
    }
    let bad = json!({ "use": "shell", "cwd": ".", "allow": [{ "argv": ["x"], "effect": "read", "args": "any", "pin": "abc" }] });
    assert_eq!(
        try_build(&bad, Path::new("/")).unwrap_err().path(),
        "allow[0]"
    );
}

#[tokio::test]
async fn program_that_is_another_one_is_told_as_not_allowed() {
    let gives = Err(HostError::Changed("it has another digest".into()));
    let (outcome, _) = run(&shell(&json!([["date"]])), &["date"], gives).await;
    assert_eq!(
        failure(&outcome),
        (ToolErrorCode::NotAllowed, "it has another digest")
    );
}

#[tokio::test]
async fn what_a_program_complains_of_stands_behind_what_it_prints() {
    let tool = shell(&json!([["date"]]));
    let (outcome, _) = run(&tool, &["date"], Ok(output(Some(0), "now\n", "hm\n"))).await;
    assert_eq!(outcome, ToolOutcome::text("now\n\n[standard error]\nhm\n"));
}

#[tokio::test]
async fn failures_are_told_apart() {
    let tool = shell(&json!([["date"]]));
    let not_started = |kind: std::io::ErrorKind| HostError::NotStarted {
        program: "date".into(),
        source: kind.into(),
    };
    for (gives, code, detail) in [
        (
            Ok(output(Some(2), "a", "b")),
            ToolErrorCode::ExitedWithFailure,
            "exit code 2; stdout: a; stderr: b",
        ),
        (
            Ok(output(None, "", "")),
            ToolErrorCode::ExitedWithFailure,
            "ended by a signal; stdout: ; stderr: ",
        ),
        (
            Err(HostError::TimedOut(Duration::from_secs(3))),
            ToolErrorCode::TimedOut,
            "the program ran longer than 3s and was killed",
        ),
        (
            Err(not_started(std::io::ErrorKind::NotFound)),
            ToolErrorCode::NotFound,
            "cannot start date: entity not found",
        ),
        (
            Err(not_started(std::io::ErrorKind::PermissionDenied)),
            ToolErrorCode::Failed,
            "cannot start date: permission denied",
        ),
        (
            Err(HostError::Unconfined("landlock: none".into())),
            ToolErrorCode::NotAllowed,
            "the sandbox cannot be applied, and is required: landlock: none",
        ),
        (
            Err(HostError::Helper("gone".into())),
            ToolErrorCode::Failed,
            "the tool helper failed: gone",
        ),
        (
            Err(HostError::Lost("gone".into())),
            ToolErrorCode::Lost,
            "the tool helper was lost: gone",
        ),
    ] {
        let (outcome, _) = run(&tool, &["date"], gives).await;
        assert_eq!(failure(&outcome), (code, detail));
    }
}

#[tokio::test]
async fn without_a_host_nothing_runs() {
    let outcome = shell(&json!([["date"]]))
        .run(&call(json!({ "argv": ["date"] })))
        .await;
    assert_eq!(
        failure(&outcome),
        (
            ToolErrorCode::Failed,
            "the runtime has no host for programs"
        )
    );
}

#[test]
fn the_effect_is_the_highest_of_the_list() {
    let read = json!({ "argv": ["date"], "effect": "read", "args": "exact" });
    let write = json!({ "argv": ["touch"], "effect": "write", "args": "any" });
    for (allow, effect) in [
        (json!([read]), EffectClass::Read),
        (json!([read, write]), EffectClass::Write),
        (json!([read, ["rm", "a"], write]), EffectClass::Destructive),
    ] {
        assert_eq!(shell(&allow).spec().effect, effect);
    }
}

#[test]
fn a_bad_list_is_refused() {
    for (allow, path, why) in [
        (json!([]), "allow", "list at least one command"),
        (json!(["wc -w"]), "allow[0]", "write the command as a list"),
        (json!([["wc"], []]), "allow[1]", "the command is empty"),
        (json!([[""]]), "allow[0]", "the command is empty"),
        (json!([["wc", 5]]), "allow[0]", "expected a string"),
        (
            json!([{ "argv": ["wc"], "args": "any" }]),
            "allow[0]",
            "add `effect: read | write | destructive`",
        ),
        (
            json!([{ "argv": ["wc"], "effect": "read" }]),
            "allow[0]",
            "missing field `args`",
        ),
        (
            json!([{ "argv": ["wc"], "effect": "read", "args": "any", "x": 1 }]),
            "allow[0]",
            "unknown field `x`",
        ),
    ] {
        let settings = json!({ "use": "shell", "cwd": ".", "allow": allow });
        let error = try_build(&settings, Path::new("/")).unwrap_err();
        assert_eq!(error.path(), path);
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn list_becomes_the_rules_of_the_tool() {
    let listed = json!([["wc", "-w"], { "argv": ["git"], "effect": "read", "args": "any" }]);
    let spec = shell(&listed).spec().clone();
    assert_eq!(
        (spec.unlisted, spec.effect),
        (Unlisted::Refuse, EffectClass::Destructive)
    );
    let effect = |argv: &[&str]| {
        spec.rule_of(&json!({ "argv": argv }))
            .map(|rule| rule.effect)
    };
    assert_eq!(effect(&["wc", "-w"]), Some(EffectClass::Destructive));
    assert_eq!(effect(&["git", "log", "-1"]), Some(EffectClass::Read));
    assert_eq!(effect(&["wc", "-w", "x"]), None);
    assert_eq!(effect(&["gitx"]), None);
}

#[tokio::test]
async fn what_is_not_listed_runs_where_people_are_asked_about_it() {
    let settings = json!({ "use": "shell", "cwd": ".", "allow": [{ "argv": ["date"], "effect": "read", "args": "exact" }],
                           "unlisted": "ask" });
    let tool = build(&settings, Path::new("/"));
    assert_eq!(
        (tool.spec().unlisted, tool.spec().effect),
        (Unlisted::Ask, EffectClass::Destructive)
    );
    let (outcome, commands) = run(&tool, &["ls"], Ok(output(Some(0), "ran", ""))).await;
    assert!(matches!(outcome, ToolOutcome::Done(_)), "{outcome:?}");
    assert_eq!(commands.len(), 1);
}

#[test]
fn programs_do_not_memoise() {
    let settings = json!({ "use": "shell", "cwd": ".", "memoise": true,
                           "allow": [{ "argv": ["date"], "effect": "read", "args": "exact" }] });
    assert_eq!(
        try_build(&settings, Path::new("/")).unwrap_err().path(),
        "memoise"
    );
}

/// The sandbox with which `argv` runs under the setting `sandbox`.
async fn sandbox_of(sandbox: &Value, argv: &[&str]) -> Option<Sandbox> {
    let settings = json!({ "use": "shell", "cwd": ".", "sandbox": sandbox, "allow": [
        { "argv": ["date"], "effect": "read", "args": "exact" },
        { "argv": ["touch"], "effect": "write", "args": "any" },
    ] });
    let tool = build(&settings, Path::new("/usr"));
    let (_, commands) = run(&tool, argv, Ok(output(Some(0), "", ""))).await;
    commands[0].sandbox.clone()
}

fn place(path: &str) -> SandboxPlace {
    let id = id_of(&handle_of(Path::new(path)).unwrap()).unwrap();
    SandboxPlace {
        path: path.into(),
        id: Some(id),
    }
}

#[tokio::test]
async fn program_runs_in_a_sandbox_unless_the_script_says_none() {
    let default = Sandbox {
        network: Network::None,
        read: vec![".".into()],
        write: Vec::new(),
        memory_bytes: 512 << 20,
        cpu_s: 30,
        processes: 64,
        file_bytes: 256 << 20,
        is_required: None,
    };
    let date = &["date"];
    assert_eq!(sandbox_of(&json!({}), date).await, Some(default.clone()));
    assert_eq!(sandbox_of(&json!("none"), date).await, None);
    let required = Sandbox {
        is_required: Some(true),
        ..default.clone()
    };
    assert_eq!(sandbox_of(&json!("required"), date).await, Some(required));
    let writing = Sandbox {
        read: Vec::new(),
        write: vec![".".into()],
        ..default
    };
    assert_eq!(
        sandbox_of(&json!({}), &["touch", "a"]).await,
        Some(writing),
        "a command that writes may write here"
    );
    let keys = json!({ "network": "any", "read": ["bin"], "write": ["/tmp"], "memory": "1GiB", "cpu": "5s", "processes": 8,
                       "files": "1MiB", "required": true });
    let said = Sandbox {
        network: Network::Any,
        read: vec![place("/usr/bin"), place("/tmp"), ".".into()],
        write: Vec::new(),
        memory_bytes: 1 << 30,
        cpu_s: 5,
        processes: 8,
        file_bytes: 1 << 20,
        is_required: Some(true),
    };
    assert_eq!(sandbox_of(&keys, date).await, Some(said));
}

#[test]
fn bad_sandbox_is_refused() {
    for (sandbox, at, why) in [
        (json!("on"), "sandbox", "write `none`, `required`, or a map"),
        (json!(true), "sandbox", "write `none`, `required`, or a map"),
        (json!(false), "sandbox", "write `none`, in place of `false`"),
        (
            json!({ "netwrok": "none" }),
            "sandbox.netwrok",
            "unknown field `netwrok`",
        ),
        (
            json!({ "memory": 5 }),
            "sandbox.memory",
            "expected a string",
        ),
        (
            json!({ "memory": "5 apples" }),
            "sandbox.memory",
            "`5 apples` is not a size",
        ),
        (
            json!({ "read": ["/usr", "/no/such"] }),
            "sandbox.read[1]",
            "/no/such: No such file",
        ),
        (
            json!({ "read": ["~/notes"] }),
            "sandbox.read[0]",
            "`~` and variables are not replaced",
        ),
        (
            json!({ "write": ["${HOME}"] }),
            "sandbox.write[0]",
            "`~` and variables are not replaced",
        ),
        (
            json!({ "write": ["/"] }),
            "sandbox.write[0]",
            "the kernel's own files",
        ),
        (
            json!({ "write": ["/tmp", "/proc/sys"] }),
            "sandbox.write[1]",
            "the kernel's own files",
        ),
        (
            json!({ "write": ["/dev"] }),
            "sandbox.write[0]",
            "the kernel's own files",
        ),
        (
            json!({ "write": ["/tmp"] }),
            "sandbox.write",
            "such a program writes nowhere",
        ),
    ] {
        let settings = json!({ "use": "shell", "cwd": ".", "allow": [{ "argv": ["date"], "effect": "read", "args": "exact" }], "sandbox": sandbox });
        let error = try_build(&settings, Path::new("/")).unwrap_err();
        assert_eq!(error.path(), at, "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn places_of_the_sandbox_are_roots_of_the_tool() {
    let name = folkmoot_core::ids::ToolName::new("run").unwrap();
    let settings = json!({ "use": "shell", "cwd": "/usr", "allow": [["date"]],
                           "sandbox": { "read": ["/usr/bin"], "write": ["/tmp"] } });
    let built = crate::build_tool(&name, &settings, Path::new("/")).unwrap();
    let found = built
        .roots
        .iter()
        .map(|root| (root.setting.as_str(), root.path.as_path()));
    let expected = [
        ("cwd", "/usr"),
        ("sandbox.read[0]", "/usr/bin"),
        ("sandbox.write[0]", "/tmp"),
    ];
    assert!(found.eq(expected.map(|(setting, path)| (setting, Path::new(path)))));
}

#[tokio::test]
async fn people_read_what_was_not_applied_and_models_do_not() {
    let tool = shell(&json!([["date"]]));
    let gaps = vec!["landlock: none".to_owned(), "limits: none".to_owned()];
    let with_gaps = |code| HostOutput {
        gaps: gaps.clone(),
        ..output(code, "now", "")
    };
    let (outcome, _) = run(&tool, &["date"], Ok(with_gaps(Some(0)))).await;
    let line = "[not applied of the sandbox: landlock: none; limits: none]";
    let told = ToolOutput::text("now")
        .with(View::Text("now".into()))
        .with(View::Text(line.into()));
    assert_eq!(outcome, ToolOutcome::Done(told));
    let (outcome, _) = run(&tool, &["date"], Ok(with_gaps(Some(1)))).await;
    let detail = "exit code 1; stdout: now; stderr: ; not applied of the sandbox: landlock: none; limits: none";
    assert_eq!(
        failure(&outcome),
        (ToolErrorCode::ExitedWithFailure, detail)
    );
}

#[tokio::test]
async fn program_gets_the_variables_that_the_setting_names() {
    let usual = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];
    for (env, expected) in [
        (None, &usual[..]),
        (Some(json!(["PATH", "CARGO_HOME"])), &["PATH", "CARGO_HOME"]),
        (Some(json!([])), &[]),
    ] {
        let mut settings = json!({ "use": "shell", "cwd": ".", "allow": [["date"]] });
        if let Some(env) = env {
            settings["env"] = env;
        }
        let tool = build(&settings, Path::new("/"));
        let (_, commands) = run(&tool, &["date"], Ok(output(Some(0), "", ""))).await;
        assert_eq!(commands[0].variables, expected);
    }
    for name in ["", "A=b", "A\u{0}"] {
        let settings =
            json!({ "use": "shell", "cwd": ".", "allow": [["date"]], "env": ["PATH", name] });
        let error = try_build(&settings, Path::new("/")).unwrap_err();
        assert_eq!(error.path(), "env[1]");
    }
}

#[tokio::test]
async fn operators_are_told_that_a_sandbox_may_be_why_a_program_was_refused() {
    for (sandbox, complaint, signal, key) in [
        (
            json!({}),
            "cat: a: Permission denied",
            None,
            Some("`read` and `write`"),
        ),
        (
            json!({}),
            "socket: Operation not permitted",
            None,
            Some("`read` and `write`"),
        ),
        (
            json!({}),
            "touch: a: Read-only file system",
            None,
            Some("`write`"),
        ),
        (
            json!({}),
            "curl: (6) Could not resolve host: a",
            None,
            Some("`network`"),
        ),
        (json!({}), "sh: Cannot fork", None, Some("`processes`")),
        (json!({}), "", Some(24), Some("`cpu`")),
        (json!({}), "", Some(9), Some("`cpu` or `memory`")),
        (json!({}), "", Some(15), None),
        (json!({}), "cat: a: no such file", None, None),
        (json!("none"), "cat: a: Permission denied", None, None),
        (json!("none"), "", Some(9), None),
    ] {
        let settings =
            json!({ "use": "shell", "cwd": ".", "allow": [["date"]], "sandbox": sandbox });
        let tool = build(&settings, Path::new("/"));
        let ended = HostOutput {
            signal,
            ..output(signal.is_none().then_some(1), "", complaint)
        };
        let (outcome, _) = run(&tool, &["date"], Ok(ended)).await;
        let detail = failure(&outcome).1;
        let hint = key.map(|key| format!("; the tool's `sandbox` may be why: see {key} there"));
        match hint {
            Some(hint) => assert!(detail.ends_with(&hint), "{detail}"),
            None => assert!(!detail.contains("may be why"), "{detail}"),
        }
    }
}
