//! What lines make of a decision.

use folkmoot::core::ids::Position;
use folkmoot::run::Asks;

use super::*;

fn request() -> Waiting {
    let agent = AgentName::new("worker").unwrap();
    let arguments = Some(r#"{"path":"a"}"#.to_owned());
    let request = RequestId(Position::new(7));
    Waiting {
        name: "w#7".to_owned(),
        request,
        agent,
        tool: None,
        arguments,
        asks: Asks::Outcome { is_open: false },
    }
}

fn denied(reason: Option<&str>, shares_reason: bool) -> DialogTurn {
    let no = Judgement::new(Verdict::Deny).having_seen(Some(Digest::default().short()));
    DialogTurn::Decided(Resolution::Judge(Judgement {
        reason: reason.map(str::to_owned),
        shares_reason,
        ..no
    }))
}

fn more(turn: DialogTurn) -> Dialog {
    if let DialogTurn::More(dialog) | DialogTurn::Again(dialog, _) = turn {
        dialog
    } else {
        panic!("{turn:?}")
    }
}

#[test]
fn a_no_has_a_reason_only_if_one_is_typed() {
    let begin = || Dialog::deny(&request(), Digest::default());
    assert_eq!(begin().take(" "), denied(None, false));
    assert_eq!(
        more(begin().take("not today")).take("y"),
        denied(Some("not today"), true)
    );
    assert_eq!(
        more(begin().take("not today")).take("n"),
        denied(Some("not today"), false)
    );
    let asked_again = more(more(begin().take("not today")).take("perhaps"));
    assert_eq!(asked_again.take(""), denied(Some("not today"), false));
}

#[test]
fn edited_arguments_are_a_json_object_or_nothing_is_decided() {
    let begin = || Dialog::edit(&request(), Digest::default());
    assert_eq!(begin().asks()[0], r#"{"path":"a"}"#);
    assert_eq!(begin().proposal(), Some(r#"{"path":"a"}"#));
    assert_eq!(begin().take(""), DialogTurn::Dropped);
    let again =
        more(more(more(begin().take("path: b")).take("[1]")).take(r#"{"path":"a","path":"b"}"#));
    let arguments = Some(r#"{"path": "b"}"#.to_owned());
    let yes = Judgement {
        arguments,
        ..Judgement::new(Verdict::Allow).having_seen(Some(Digest::default().short()))
    };
    assert_eq!(
        again.take(r#" {"path": "b"} "#),
        DialogTurn::Decided(Resolution::Judge(yes))
    );
}
