//! `approve`, `deny`, `answer`, `resume`, from processes of their own.

use crate::desk::{Desk, GATE};

fn parked() -> (Desk, String, String) {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    let (request, shown) = desk.asked("gate");
    (desk, request, shown)
}

#[test]
fn an_approved_call_runs_exactly_once() {
    let (desk, request, shown) = parked();
    desk.run(&["resume", "gate"]).expect(4).out_has("gate#");
    assert_eq!(desk.runs(), 0);
    desk.run(&[
        "approve", "gate", &request, "--shown", &shown, "--as", "bob",
    ])
    .expect(0)
    .out_has(&format!(
        "bob allowed gate#{request}: worker push {{\"branch\":\"main\"}}"
    ))
    .out_has("Go on with: folkmoot resume gate");
    assert_eq!(desk.runs(), 0, "a decision performs nothing");
    desk.run(&["resume", "gate"])
        .expect(0)
        .out_has("worker  ← push: pushed")
        .out_has("worker  ┊ @ada it is done");
    desk.run(&["resume", "gate"])
        .expect(0)
        .out_has("gate is idle");
    assert_eq!(desk.runs(), 1);
}

#[test]
fn a_denied_call_never_runs() {
    let (desk, request, shown) = parked();
    desk.run(&[
        "deny",
        "gate",
        &request,
        "--shown",
        &shown,
        "--reason",
        "not today",
    ])
    .expect(0)
    .out_has("denied gate#");
    desk.run(&["resume", "gate"])
        .expect(0)
        .out_has("worker  ┊ @ada it is done");
    assert_eq!(desk.runs(), 0);
    let decided = desk
        .run(&["log", "gate", "--json", "--kind", "ApprovalDecided"])
        .expect(0)
        .values();
    assert_eq!(decided[0]["facts"]["verdict"], "deny");
    assert_eq!(decided[0]["content"]["reason"], "not today");
}

#[test]
fn the_approver_is_the_user_under_the_name_they_claim() {
    let (desk, request, shown) = parked();
    desk.run(&[
        "approve", "gate", &request, "--shown", &shown, "--as", "bob",
    ])
    .expect(0);
    let decided = desk
        .run(&["log", "gate", "--json", "--kind", "ApprovalDecided"])
        .expect(0)
        .values();
    let by = &decided[0]["facts"]["by"];
    assert_eq!(by["method"], "local");
    assert_eq!(
        by["subject"],
        format!("uid={}", rustix::process::getuid().as_raw())
    );
    assert_eq!(by["display"], "bob");
    assert_eq!(decided[0]["facts"]["shown"], shown);
}

#[test]
fn a_decision_without_a_name_is_the_login_names() {
    let (desk, request, _) = parked();
    desk.run(&["approve", "gate", &request]).expect(0);
    let decided = desk
        .run(&["log", "gate", "--json", "--kind", "ApprovalDecided"])
        .expect(0)
        .values();
    assert_eq!(decided[0]["facts"]["by"]["display"], "tester");
    assert!(
        decided[0]["facts"]["shown"].is_null(),
        "what was seen is not confirmed"
    );
}

#[test]
fn a_decision_can_go_on_at_once() {
    let (desk, request, shown) = parked();
    desk.run(&["approve", "gate", &request, "--shown", &shown, "--resume"])
        .expect(0)
        .out_has("worker  ┊ @ada it is done");
    assert_eq!(desk.runs(), 1);
}

#[test]
fn who_saw_something_else_is_refused_and_that_is_recorded() {
    let (desk, request, shown) = parked();
    desk.run(&["approve", "gate", &request, "--shown", "00000000"])
        .expect(4)
        .err_has("what you saw");
    let refused = desk
        .run(&["log", "gate", "--json", "--kind", "Refused"])
        .expect(0)
        .values();
    assert_eq!(refused[0]["facts"]["reason"], "shown_differs");
    desk.run(&["approve", "gate", &request, "--shown", &shown])
        .expect(0);
}

#[test]
fn the_second_decision_is_told_who_was_first() {
    let (desk, request, _) = parked();
    desk.run(&["approve", "gate", &request, "--as", "bob"])
        .expect(0);
    desk.run(&["deny", "gate", &request, "--as", "eve"])
        .expect(4)
        .err_has("decided before (allow by bob)");
    desk.run(&["resume", "gate"]).expect(0);
    assert_eq!(desk.runs(), 1);
}

#[test]
fn an_unknown_request_is_refused_and_recorded() {
    let (desk, ..) = parked();
    desk.run(&["approve", "gate", "9999"])
        .expect(4)
        .err_has("no such request");
    assert!(desk.kinds("gate").contains(&"Refused".to_owned()));
}

#[test]
fn requests_have_short_names() {
    for form in ["gate#{}", "g#{}", "#{}", "{}"] {
        let (desk, request, _) = parked();
        desk.run(&["approve", "gate", &form.replace("{}", &request)])
            .expect(0);
    }
    let (desk, request, _) = parked();
    desk.run(&["approve", "gate", &format!("other#{request}")])
        .expect(2)
        .err_has("is no request of the world gate");
    desk.run(&["approve", "gate", "nonsense"])
        .expect(2)
        .err_has("write gate#POSITION");
}

#[test]
fn questions_are_answered_by_option_or_by_text() {
    let question = |options: &str| {
        GATE.replace("effect: destructive", "effect: read").replace(
            "results: [{ text: pushed, counts: data/runs.txt }]",
            &format!("results: [{{ needs_input: {{ question: Where to?{options} }} }}]"),
        )
    };
    let desk = Desk::new();
    desk.write("gate.yaml", &question(", options: [here, there]"));
    desk.run(&["run", "gate.yaml"])
        .expect(4)
        .out_has("Where to?")
        .out_has("2. there")
        .out_has("--option N");
    let request = desk.request("gate")["request"].to_string();
    desk.run(&["answer", "gate", &request, "somewhere"])
        .expect(4)
        .err_has("no such option");
    desk.run(&["answer", "gate", &request, "--option", "3"])
        .expect(4)
        .err_has("no such option");
    desk.run(&["approve", "gate", &request])
        .expect(4)
        .err_has("of another kind");
    desk.run(&["answer", "gate", &request, "--option", "2", "--as", "ada"])
        .expect(0)
        .out_has("answered gate#");
    let answered = desk
        .run(&["log", "gate", "--json", "--kind", "QuestionAnswered"])
        .expect(0)
        .values();
    assert_eq!(answered[0]["facts"]["options"], serde_json::json!([1]));

    let desk = Desk::new();
    desk.write("gate.yaml", &question(""));
    desk.run(&["run", "gate.yaml"]).expect(4);
    let request = desk.request("gate")["request"].to_string();
    desk.run(&["answer", "gate", &request, "over there"])
        .expect(0);
    let answered = desk
        .run(&["log", "gate", "--json", "--kind", "QuestionAnswered"])
        .expect(0)
        .values();
    assert_eq!(answered[0]["content"], "over there");
}

#[test]
fn a_decision_needs_neither_the_script_nor_its_tools() {
    let (desk, request, shown) = parked();
    std::fs::remove_file(desk.path("gate.yaml")).unwrap();
    std::fs::remove_dir_all(desk.path("data")).unwrap();
    desk.run(&["approve", "gate", &request, "--shown", &shown])
        .expect(0);
}

#[test]
fn a_moved_folder_is_named_and_can_be_replaced() {
    let desk = Desk::new();
    let script = GATE.replace("tools: [push]", "tools: [push, read]");
    desk.write(
        "gate.yaml",
        &script.replace(
            "tools:\n",
            "tools:\n  read: { use: fs.read, root: ./data }\n",
        ),
    );
    desk.run(&["run", "gate.yaml"]).expect(4);
    let (request, _) = desk.asked("gate");
    desk.run(&["approve", "gate", &request]).expect(0);
    std::fs::create_dir(desk.path("moved")).unwrap();
    std::fs::rename(desk.path("data"), desk.path("moved/data")).unwrap();
    desk.run(&["resume", "gate"]).expect(3).err_has("data");
    desk.run(&["resume", "gate", "--base", "moved"])
        .expect(0)
        .out_has("it is done");
}

#[test]
fn what_is_asked_of_one_tool_cannot_be_allowed_of_another() {
    let (desk, request, shown) = parked();
    for (from, to) in [
        ("data/runs.txt", "data/others.txt"),
        ("effect: destructive", "effect: write"),
    ] {
        assert!(GATE.contains(from));
        desk.write("gate.yaml", &GATE.replace(from, to));
        desk.run(&["run", "gate.yaml"]).expect(4);
    }
    desk.run(&["approve", "gate", &request, "--shown", &shown])
        .expect(4)
        .err_has("the tool has changed since the agent asked");
    desk.run(&["deny", "gate", &request, "--shown", &shown])
        .expect(0);
    desk.run(&["resume", "gate"])
        .expect(0)
        .out_has("it is done");
    assert_eq!(desk.runs(), 0);
    assert!(
        !desk.path("data/others.txt").exists(),
        "another tool ran than the one that was allowed"
    );
}

/// `WORLD#N` is what every output prints, and what every command takes.
#[test]
fn a_request_is_named_as_it_is_printed() {
    for words in [&["approve"][..], &["deny", "--reason", "no"], &["why"]] {
        let (desk, request, _) = parked();
        let name = format!("gate#{request}");
        let command: Vec<&str> = words.iter().copied().chain([name.as_str()]).collect();
        desk.run(&command).expect(0);
        let (command, rest) = words.split_first().unwrap();
        let both = [&[*command, "gate#3", "4"], rest].concat();
        desk.run(&both).expect(2).err_has("gate#3 and gate#4");
    }
    let (desk, ..) = parked();
    desk.run(&["revoke", "gate#3"])
        .expect(4)
        .err_has("no such grant");
    desk.run(&["revoke", "gate"])
        .expect(2)
        .err_has("write gate#POSITION");
    desk.run(&["settle", "gate#0", "--not-run"])
        .expect(2)
        .err_has("counted from 1");
}

#[test]
fn the_one_request_that_waits_is_shown_and_asked_about() {
    let (desk, request, shown) = parked();
    desk.run(&["approve", "gate"])
        .expect(2)
        .err_has(&format!("gate#{request} waits"))
        .err_has("folkmoot approvals gate");
    desk.run_at_terminal(&["approve", "gate"], "n\n")
        .expect(4)
        .err_has("nothing was decided");
    assert_eq!(desk.request("gate")["request"].to_string(), request);
    desk.run_at_terminal(&["approve", "gate"], "y\n")
        .expect(0)
        .out_has("worker asks to run push")
        .err_has("Allow it? [y/N]")
        .out_has(&format!("allowed gate#{request}"));
    let decided = desk
        .run(&["log", "gate", "--json", "--kind", "ApprovalDecided"])
        .expect(0)
        .values();
    let seen = decided[0]["facts"]["shown"].to_string();
    assert!(seen.contains(&shown), "{seen} of {shown}");
    desk.run_at_terminal(&["deny", "gate"], "y\n")
        .expect(2)
        .err_has("nothing waits");
}

#[test]
fn without_a_world_the_requests_of_all_are_shown() {
    let desk = Desk::with_gate();
    desk.write("calm.yaml", &GATE.replace("destructive", "read"));
    desk.run(&["run", "calm.yaml", "--world", "calm"]).expect(0);
    desk.run(&["approvals"])
        .expect(0)
        .out_has("Nothing waits for a person in this store.");
    desk.run(&["run", "gate.yaml"]).expect(4);
    desk.run(&["run", "gate.yaml", "--world", "other"])
        .expect(4);
    desk.run(&["approvals"])
        .expect(0)
        .out_has("folkmoot approve gate 10 --shown ")
        .out_has("folkmoot approve other 10 --shown ");
    let all = desk.run(&["approvals", "--json"]).expect(0).values();
    let names: Vec<&str> = all
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["gate#10", "other#10"]);
}

#[test]
fn the_digits_of_the_one_request_that_waits_stand_for_its_name() {
    let (desk, _, shown) = parked();
    desk.run(&["approve", "gate", "--as", "bob"])
        .expect(2)
        .err_has("there is no terminal to show it on; name it");
    desk.run(&["approve", "gate", "--shown", "00000000", "--as", "bob"])
        .expect(4);
    desk.run(&["approve", "gate", "--shown", &shown, "--as", "bob"])
        .expect(0)
        .out_has("bob allowed gate#");
}
