//! Taking part in a room without a chat: `say`, `edit`, `retract`, `regenerate`, `stop`, `join`, `leave`.

use crate::desk::{Desk, Ran};

/// A room in which a clerk answers whatever is said.
pub(crate) const OFFICE: &str = r#"
world: office
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents: [{ name: clerk, prompt: You answer. }]
policy: { main_agent: clerk }
replies: { clerk: [{ text: "first" }, { text: "second" }, { text: "third" }] }
script:
  - { say: Begin, as: ada }
  - idle: {}
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("office.yaml", OFFICE);
    desk.run(&["run", "office.yaml"]).expect(0);
    desk
}

fn transcript(desk: &Desk) -> String {
    desk.run(&["export", "office", "--format", "md"]).out
}

/// The message that a command says it made: `office#N`.
fn place(ran: &Ran) -> String {
    let (_, place) = ran.out.lines().next().unwrap().rsplit_once(": ").unwrap();
    place.to_owned()
}

#[test]
fn what_is_said_to_a_room_that_nobody_runs_is_answered_when_it_is_resumed() {
    let desk = desk();
    let ran = desk.run(&["say", "office", "And now?", "--as", "bob"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("said: office#"), "{ran:?}");
    assert!(
        ran.out.contains("Go on with: folkmoot resume office"),
        "{ran:?}"
    );
    assert!(!transcript(&desk).contains("second"));
    desk.run(&["resume", "office"]).expect(0);
    let text = transcript(&desk);
    assert!(
        text.contains("And now?") && text.contains("second"),
        "{text}"
    );
}

#[test]
fn a_name_that_nobody_has_is_told_of_as_in_a_chat() {
    let desk = desk();
    desk.run(&["say", "office", "@clrek And now?", "--as", "bob"])
        .expect(0)
        .out_has("nobody here is called @clrek; did you mean @clerk?");
    let said = desk.run(&["say", "office", "@clerk And now?", "--as", "bob"]);
    assert!(!said.out.contains("nobody here"), "{said:?}");
}

#[test]
fn a_message_is_edited_and_taken_back_by_its_author_alone() {
    let desk = desk();
    let said = desk.run(&["say", "office", "And now?", "--as", "bob", "--resume"]);
    let place = place(&said);
    let edited = desk.run(&["edit", &place, "And tomorrow?", "--as", "bob", "--resume"]);
    assert_eq!(edited.code, 0, "{edited:?}");
    let text = transcript(&desk);
    assert!(
        text.contains("And tomorrow?") && text.contains("third"),
        "{text}"
    );
    let retracted = desk.run(&["retract", &place, "--as", "bob", "--json"]);
    assert_eq!(retracted.values()[0]["how"], "retracted");
    let again = desk.run(&["retract", &place, "--as", "bob"]);
    assert_eq!(again.code, 4, "{again:?}");
}

#[test]
fn a_reply_is_made_anew() {
    let desk = desk();
    let log = desk.run(&["log", "office", "--kind", "message_posted", "--json"]);
    let reply = log.values().last().unwrap()["position"].to_string();
    let ran = desk.run(&["regenerate", &format!("office#{reply}"), "--resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        transcript(&desk).contains("second"),
        "{}",
        transcript(&desk)
    );
}

#[test]
fn people_join_and_leave() {
    let desk = desk();
    desk.run(&["join", "office", "--as", "bob"])
        .expect(0)
        .out_has("joined: office#");
    desk.run(&["join", "office", "--as", "bob"])
        .expect(0)
        .out_has("office stays as it is");
    desk.run(&["leave", "office", "--as", "bob"])
        .expect(0)
        .out_has("left: office#");
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_no_message() {
    let desk = desk();
    let messages = || desk.run(&["log", "office", "--kind", "message_posted", "--json"]);
    let before = messages().out;
    let cases: [(&[&str], i32, &str); 6] = [
        (&["say", "nowhere", "hello"], 3, "nowhere"),
        (&["say", "office", ""], 4, ""),
        (&["edit", "office", "new words"], 2, "office#POSITION"),
        (&["edit", "office#0", "new words"], 2, "position"),
        (&["edit", "office#1", "new words"], 4, ""),
        (&["stop", "office"], 4, ""),
    ];
    for (arguments, code, part) in cases {
        let ran = desk.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?} {ran:?}");
        assert!(!ran.err.is_empty() && ran.err.contains(part), "{ran:?}");
    }
    assert_eq!(messages().out, before);
}
