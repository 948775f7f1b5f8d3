//! Steps that amend messages, and people who come and go.

use crate::desk::{Desk, Ran};

const ROOM: &str = r#"
world: amend
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents:
  - { name: bob, prompt: You answer. }
policy: { main_agent: bob }
replies:
  bob: [{ text: "@ada one" }, { text: "@ada two" }, { text: "@ada three" }]
script:
  - say: Say a number
    as: ada
    id: asked
"#;

fn run(steps: &str) -> (Desk, Ran) {
    let desk = Desk::new();
    desk.write("amend.yaml", &format!("{ROOM}{steps}"));
    let ran = desk.run(&["run", "amend.yaml"]);
    (desk, ran)
}

#[test]
fn an_edited_message_is_answered_anew_and_the_old_answer_is_gone() {
    let (desk, ran) = run(r#"
  - edit: { message: asked, text: "Say another number" }
    as: ada
  - expect: { message: { from: bob, contains: two }, no_message: { contains: one }, replay: identical }
  - expect: { message: { from: ada, equals: Say another number }, no_message: { equals: Say a number } }
    since: start
"#);
    ran.expect(0);
    desk.run(&["run", "amend.yaml"])
        .expect(0)
        .out_has("all as before");
    assert_eq!(
        desk.kinds("amend")
            .iter()
            .filter(|kind| *kind == "MessageEdited")
            .count(),
        1
    );
}

#[test]
fn what_is_taken_back_is_said_no_more() {
    let (_, ran) = run(r#"
  - retract: { message: { from: bob } }
    as: ada
  - expect: { no_message: { from: bob } }
    since: start
  - retract: { message: asked }
    as: eve
    refused: not_yours
  - retract: { message: asked }
    as: ada
  - expect: { no_message: {}, idle: true }
    since: start
  - retract: { message: asked }
    as: ada
    refused: no_such_message
"#);
    ran.expect(0);
}

#[test]
fn a_reply_is_made_anew() {
    let (_, ran) = run(r#"
  - regenerate: { message: { from: bob, nth: 1 } }
    as: ada
  - expect: { message: { from: bob, contains: two }, model_calls: { bob: 2 } }
  - expect: { no_message: { contains: one } }
    since: start
  - regenerate: { message: asked }
    as: ada
    refused: no_reply
"#);
    ran.expect(0);
}

#[test]
fn people_join_and_leave_and_agents_do_not() {
    let (_, ran) = run(r#"
  - join: eve
  - expect: { people: [ada, eve] }
  - leave: ada
  - expect: { people: [eve] }
  - join: zoe
    as: "agent:bob"
    refused: not_a_person
"#);
    ran.expect(0);
}

#[test]
fn a_message_that_nobody_said_is_a_failed_step() {
    let (_, ran) = run("  - retract: { message: { from: bob, nth: 7 } }\n");
    ran.expect(1)
        .err_has("bob has fewer than 7 messages in this run that still stand");
    let (_, ran) = run("  - note: nothing\n    id: quiet\n  - retract: { message: quiet }\n");
    ran.expect(1)
        .err_has("the step `quiet` has posted no message");
    let (_, ran) = run("  - retract: { message: 999 }\n    as: ada\n");
    ran.expect(1)
        .err_has("the world refused this: no_such_message: this room has no message 999 now");
}

#[test]
fn a_step_that_is_refused_says_what_was_wrong_and_not_its_code_alone() {
    let (_, ran) = run("  - edit: { message: asked, text: x }\n    as: ben\n");
    ran.expect(1)
        .err_has(
            "the world refused this: not_yours: the message or the name belongs to somebody else",
        )
        .out_has("ben's command was refused: the message or the name belongs to somebody else");
    let (_, ran) = run("  - regenerate: { message: asked }\n    as: ada\n");
    ran.expect(1)
        .err_has("the world refused this: no_reply: only an agent's reply can be made anew");
}
