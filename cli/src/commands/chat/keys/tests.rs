//! What keys mean.

use folkmoot::core::ids::{AgentName, Digest, Position, RequestId, Time};
use folkmoot::core::tool::Question;

use super::Meaning;
use crate::control::decision::What;
use folkmoot::run::{Asks, Waiting};

fn request(asks: Asks) -> Waiting {
    let agent = AgentName::new("worker").unwrap();
    Waiting { name: "w#7".to_owned(), request: RequestId(Position::new(7)), agent, tool: None, arguments: None, asks }
}

fn approval() -> Waiting {
    request(Asks::Approval { text: "ls".to_owned(), shown: Digest::default(), expires_at: Time::default() })
}

fn question(options: &[&str]) -> Waiting {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    request(Asks::Question { question: Some(Question { text: "Which?".to_owned(), options, ..Question::default() }) })
}

#[test]
fn o_and_d_decide_what_was_shown() {
    let shown = Some("00000000".to_owned());
    assert_eq!(Meaning::of("o", Some(&approval())), Meaning::Decide(What::Approve { shown: shown.clone() }));
    assert_eq!(Meaning::of(" d ", Some(&approval())), Meaning::Decide(What::Deny { shown, reason: None }));
}

#[test]
fn keys_are_words_when_nothing_waits() {
    assert_eq!(Meaning::of("o", None), Meaning::Say("o".to_owned()));
}

#[test]
fn words_are_said_while_an_approval_waits() {
    assert_eq!(Meaning::of("ok, go", Some(&approval())), Meaning::Say("ok, go".to_owned()));
}

#[test]
fn options_are_numbered_from_one() {
    let request = question(&["red", "blue"]);
    assert_eq!(Meaning::of("2", Some(&request)), Meaning::Decide(What::Option(1)));
    assert_eq!(Meaning::of("0", Some(&request)), Meaning::Say("0".to_owned()));
    assert_eq!(Meaning::of("3", Some(&request)), Meaning::Say("3".to_owned()));
}

#[test]
fn a_line_answers_a_free_question() {
    assert_eq!(Meaning::of("blue", Some(&question(&[]))), Meaning::Decide(What::Text("blue".to_owned())));
}

#[test]
fn a_closed_call_cannot_run_again() {
    let request = request(Asks::Outcome { is_open: false });
    assert_eq!(Meaning::of("a", Some(&request)), Meaning::Say("a".to_owned()));
    assert_eq!(Meaning::of("r", Some(&request)), Meaning::Decide(What::Ran(None)));
}
