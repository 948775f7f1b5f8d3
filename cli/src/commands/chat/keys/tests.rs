//! What keys mean.

use folkmoot::core::command::{Judgement, Reply, Resolution, Settlement};
use folkmoot::core::event::{Scope, Verdict};
use folkmoot::core::ids::{AgentName, Digest, Position, RequestId, Time};
use folkmoot::core::tool::{Choose, Question};

use super::{Dialog, Meaning, acts_at_once};
use folkmoot::run::{Asks, Offers, Waiting};

fn request(asks: Asks) -> Waiting {
    let agent = AgentName::new("worker").unwrap();
    Waiting {
        name: "w#7".to_owned(),
        request: RequestId(Position::new(7)),
        agent,
        tool: None,
        arguments: None,
        asks,
    }
}

fn approval() -> Waiting {
    let (shown, expires_at, offers) = (Digest::default(), Time::default(), Offers::default());
    request(Asks::Approval {
        text: "ls".to_owned(),
        shown,
        expires_at,
        offers,
    })
}

fn question(options: &[&str]) -> Waiting {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    request(Asks::Question {
        question: Some(Question {
            text: "Which?".to_owned(),
            options,
            ..Question::default()
        }),
    })
}

#[test]
fn o_t_and_w_allow_what_was_shown_and_say_how_far() {
    for (key, scope) in [
        ("o", Scope::Once),
        (" t ", Scope::Turn),
        ("w", Scope::World),
    ] {
        let yes = Judgement::new(Verdict::Allow)
            .having_seen(Some("00000000".to_owned()))
            .within(scope);
        assert_eq!(
            Meaning::of(key, Some(&approval())),
            Meaning::Decide(Resolution::Judge(yes))
        );
    }
}

#[test]
fn e_and_d_take_further_lines() {
    let edit = Dialog::edit(&approval(), Digest::default());
    assert_eq!(Meaning::of("e", Some(&approval())), Meaning::Ask(edit));
    let deny = Dialog::deny(&approval(), Digest::default());
    assert_eq!(Meaning::of("d", Some(&approval())), Meaning::Ask(deny));
}

#[test]
fn keys_are_words_when_nothing_waits() {
    assert_eq!(Meaning::of("o", None), Meaning::Say("o".to_owned()));
}

#[test]
fn words_are_said_while_an_approval_waits() {
    assert_eq!(
        Meaning::of("ok, go", Some(&approval())),
        Meaning::Say("ok, go".to_owned())
    );
}

#[test]
fn options_are_numbered_from_one() {
    let request = question(&["red", "blue"]);
    assert_eq!(
        Meaning::of("2", Some(&request)),
        Meaning::Decide(Resolution::Answer(Reply::Options(vec![1])))
    );
    assert_eq!(
        Meaning::of("1 2", Some(&request)),
        Meaning::Say("1 2".to_owned())
    );
    assert_eq!(
        Meaning::of("0", Some(&request)),
        Meaning::Say("0".to_owned())
    );
    assert_eq!(
        Meaning::of("3", Some(&request)),
        Meaning::Say("3".to_owned())
    );
}

#[test]
fn several_options_are_typed_in_one_line() {
    let mut request = question(&["red", "blue", "green"]);
    if let Asks::Question {
        question: Some(question),
    } = &mut request.asks
    {
        question.choose = Some(Choose { min: 0, max: 2 });
    }
    let chosen =
        |numbers: &[u32]| Meaning::Decide(Resolution::Answer(Reply::Options(numbers.to_vec())));
    assert_eq!(Meaning::of("3, 1", Some(&request)), chosen(&[0, 2]));
    assert_eq!(Meaning::of("2", Some(&request)), chosen(&[1]));
    assert_eq!(Meaning::of("-", Some(&request)), chosen(&[]));
    assert_eq!(
        Meaning::of("1 4", Some(&request)),
        Meaning::Say("1 4".to_owned())
    );
}

#[test]
fn a_line_answers_a_free_question() {
    assert_eq!(
        Meaning::of("blue", Some(&question(&[]))),
        Meaning::Decide(Resolution::Answer(Reply::Text("blue".to_owned())))
    );
}

#[test]
fn a_key_acts_at_once_only_where_it_is_the_whole_answer() {
    let acting = |request: &Waiting| -> String {
        (' '..='~')
            .filter(|key| acts_at_once(*key, request))
            .collect()
    };
    assert_eq!(acting(&approval()), "?deotw");
    assert_eq!(acting(&request(Asks::Outcome { is_open: true })), "?anr");
    assert_eq!(acting(&request(Asks::Outcome { is_open: false })), "?nr");
    assert_eq!(acting(&question(&["red", "blue"])), "12?");
    assert_eq!(acting(&question(&[])), "");
    assert_eq!(acting(&question(&["x"; 10])), "");
    assert_eq!(acting(&request(Asks::Question { question: None })), "");
}

#[test]
fn a_closed_call_cannot_run_again() {
    let request = request(Asks::Outcome { is_open: false });
    assert_eq!(
        Meaning::of("a", Some(&request)),
        Meaning::Say("a".to_owned())
    );
    assert_eq!(
        Meaning::of("r", Some(&request)),
        Meaning::Decide(Resolution::Settle(Settlement::Ran(None)))
    );
}
