//! `folkmoot init`: a room that talks, in one command.

use std::fs;

use crate::desk::{Desk, example};

#[test]
fn without_a_key_the_room_plays_replies_and_talks_at_once() {
    let desk = Desk::new();
    desk.run(&["init", "--yes"])
        .expect(0)
        .out_has("room.yaml is written")
        .out_has("Talk in it: folkmoot chat room.yaml");
    let ran = desk.run_with(&["chat", "room.yaml"], "hello\nand now?\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("I play the replies of this script."),
        "{ran:?}"
    );
    assert!(ran.out.contains("Name a model under `models`"), "{ran:?}");
    let schema = fs::read_to_string(desk.path("folkmoot.schema.json")).unwrap();
    assert!(schema.contains("urn:folkmoot:world-script:1"));
}

#[test]
fn with_a_key_the_room_is_the_example_with_a_real_model() {
    let desk = Desk::new();
    let mut command = desk.command(&["init", "chat", "--yes"]);
    command.env("OPENAI_API_KEY", "none");
    assert!(command.status().unwrap().success());
    let body = |text: String| text.split_once("\n\n").unwrap().1.to_owned();
    let written = body(fs::read_to_string(desk.path("chat.yaml")).unwrap());
    assert_eq!(
        written,
        body(fs::read_to_string(example("chat.yaml")).unwrap())
    );
}

#[test]
fn a_person_at_a_terminal_chooses() {
    let desk = Desk::new();
    desk.run_at_terminal(
        &["init", "office"],
        "clear; folkmoot chat room.yaml\nclerk\n",
    )
    .expect(0)
    .err_has("a name has letters, digits, - and _")
    .out_has("a room with the agent clerk");
    let written = fs::read_to_string(desk.path("office.yaml")).unwrap();
    assert!(written.contains("name: clerk"), "{written}");
}

#[test]
fn a_number_that_is_none_of_the_choices_is_asked_for_again() {
    let desk = Desk::new();
    let command = ["init", "office"];
    let ran =
        desk.run_at_terminal_with(&command, "7\nx\n2\nclerk\n", &[("OPENAI_API_KEY", "none")]);
    let ran = ran.expect(0).out_has("plays replies of the script");
    assert_eq!(
        ran.err.matches("type a number from 1 to 2").count(),
        2,
        "{ran:?}"
    );
}

#[test]
fn nothing_is_overwritten_and_nobody_is_asked_without_a_terminal() {
    let desk = Desk::new();
    let ran = desk.run(&["init"]).expect(2);
    assert!(ran.err.contains("say --yes"), "{ran:?}");
    desk.write("room.yaml", "mine");
    let ran = desk.run(&["init", "--yes"]).expect(2);
    assert!(ran.err.contains("room.yaml exists"), "{ran:?}");
    assert!(ran.err.contains("`folkmoot init NAME`"), "{ran:?}");
    assert_eq!(fs::read_to_string(desk.path("room.yaml")).unwrap(), "mine");
    desk.run(&["init", "--yes", "--force"]).expect(0);
    desk.run(&["check", "room.yaml"]).expect(0);
    let ran = desk.run(&["init", "a/b", "--yes"]).expect(2);
    assert!(ran.err.contains("a/b"), "{ran:?}");
}
