//! `chat`, through a pipe.

use crate::consent::TWICE;
use crate::desk::{Desk, GATE};

#[test]
fn a_room_is_talked_to_line_by_line() {
    let desk = Desk::with_gate();
    let ran = desk
        .run_with(
            &["chat", "gate.yaml", "--as", "eve"],
            "please push\no\n/quit\n",
        )
        .expect(0);
    let ran = ran
        .out_has("   eve  ┊ please push\n")
        .out_has("o once · t turn · w world · e edit · d deny · ? details");
    ran.out_has("✓ eve allows gate#")
        .out_has("worker  ┊ @ada it is done\n");
    assert_eq!(desk.runs(), 1);
}

#[test]
fn a_call_is_denied_by_a_key() {
    let desk = Desk::with_gate();
    desk.run_with(&["chat", "gate.yaml"], "please push\nd\nnot today\ny\n")
        .expect(0)
        .out_has("why not?")
        .out_has("may the agent read that?")
        .out_has(": not today");
    assert_eq!(desk.runs(), 0);
    let decided = desk
        .run(&["log", "gate", "--json", "--kind", "ApprovalDecided"])
        .expect(0)
        .values();
    assert_eq!(decided[0]["facts"]["shares_reason"], true);
}

#[test]
fn what_is_half_decided_at_the_end_is_not_decided() {
    let desk = Desk::with_gate();
    desk.run_with(&["chat", "gate.yaml"], "please push\nd\n")
        .expect(4)
        .out_has("gate#");
    desk.run_with(&["chat", "gate"], "d\n/approvals\no\n")
        .expect(0)
        .out_has("it is done");
    assert_eq!(desk.runs(), 1);
}

#[test]
fn a_call_runs_with_the_arguments_that_are_typed() {
    let desk = Desk::with_gate();
    desk.run_with(
        &["chat", "gate.yaml"],
        "please push\ne\nbranch: dev\n{\"branch\":\"dev\"}\n",
    )
    .expect(0)
    .out_has(r#"{"branch":"main"}"#)
    .out_has("type the arguments to run it with")
    .out_has(r#"→ push {"branch":"dev"}"#)
    .out_has("it is done");
    assert_eq!(desk.runs(), 1);
}

#[test]
fn a_grant_is_given_shown_and_ended_by_keys() {
    let desk = Desk::new();
    desk.write("gate.yaml", TWICE);
    desk.run_with(&["chat", "gate.yaml"], "please push\n?\nw\n/grants\n")
        .expect(0)
        .out_has("w  worker may run push again with the same arguments for 24 h")
        .out_has("worker may run push (destructive), with the same arguments")
        .out_has("ends it")
        .out_has("it is done");
    assert_eq!(desk.runs(), 2);
    let grant = desk.run(&["grants", "gate", "--json"]).expect(0).document()["grant"].to_string();
    desk.run_with(
        &["chat", "gate"],
        &format!("/revoke {grant}\n/grants\n/revoke {grant}\n/revoke nonsense\n"),
    )
    .expect(0)
    .out_has(&format!("the grant gate#{grant} is over"))
    .out_has("no call is allowed in advance")
    .out_has("no such grant")
    .out_has("names no grant");
}

#[test]
fn what_still_waits_at_the_end_is_said_with_its_command() {
    let desk = Desk::with_gate();
    let ran = desk
        .run_with(&["chat", "gate.yaml"], "please push\n")
        .expect(4);
    let (request, shown) = desk.asked("gate");
    ran.out_has(&format!("folkmoot approve gate {request} --shown {shown}"));
    desk.run_with(&["chat", "gate"], "o\n")
        .expect(0)
        .out_has("worker  ┊ @ada it is done");
    assert_eq!(desk.runs(), 1);
}

#[test]
fn commands_say_who_is_here_and_what_waits() {
    let desk = Desk::with_gate();
    let input = "/help\n/agents\n/approvals\nplease push\n?\n/fork\n/approvals\n/nonsense\n/stop\n/agents\n";
    desk.run_with(&["chat", "gate.yaml"], input)
        .expect(0)
        .out_has("/approvals  what waits for you")
        .out_has("@worker  idle")
        .out_has("nothing waits")
        .out_has("/fork NAME branches this room off under that name")
        .out_has("there is no /nonsense")
        .out_has("tester stopped what was going on");
    assert_eq!(desk.runs(), 0);
    assert!(desk.kinds("gate").contains(&"Stopped".to_owned()));
}

#[test]
fn a_question_is_answered_by_the_next_line() {
    let desk = Desk::new();
    let results = "results: [{ needs_input: { question: Where to? } }]";
    let script = GATE.replace(
        "results: [{ text: pushed, counts: data/runs.txt }]",
        results,
    );
    desk.write(
        "gate.yaml",
        &script.replace("effect: destructive", "effect: read"),
    );
    desk.run_with(
        &["chat", "gate.yaml"],
        "please push\nover there\n/say hello\n/stop\n",
    )
    .expect(0)
    .out_has("Where to?");
    let answered = desk
        .run(&["log", "gate", "--json", "--kind", "QuestionAnswered"])
        .expect(0)
        .values();
    assert_eq!(answered[0]["content"], "over there");
}

#[test]
fn a_new_world_has_the_machines_clock() {
    let desk = Desk::with_gate();
    desk.run_with(&["chat", "gate.yaml"], "/quit\n").expect(0);
    assert_eq!(
        desk.run(&["replay", "gate", "--json"]).expect(0).document()["clock"],
        "system"
    );
}

#[test]
fn without_input_a_chat_ends() {
    let desk = Desk::with_gate();
    desk.run(&["chat", "gate.yaml"]).expect(0);
    desk.run(&["chat", "nowhere"])
        .expect(3)
        .err_has("there is no world called nowhere");
    desk.run(&["chat", "missing.yaml"])
        .expect(2)
        .err_has("missing.yaml");
}
