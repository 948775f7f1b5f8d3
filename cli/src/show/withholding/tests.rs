//! What an operator reads.

use folkmoot::core::event::ArtifactWithheld;
use folkmoot::core::ids::{AgentName, Position, Time, TurnId};
use folkmoot::core::text::firewall::{ArtifactFamily, Withheld};

use super::*;

const SPOKEN: &str =
    "Let me see.\n{\"action\": \"push\",\n \"action_input\": \"\u{1b}[2J\"}\nDone.";

fn view(spoken: Option<&str>) -> WithheldView {
    let from = SPOKEN.find('{').unwrap();
    let to = SPOKEN.find("\nDone").unwrap();
    let (from, to) = (u32::try_from(from).unwrap(), u32::try_from(to).unwrap());
    let kept = ArtifactWithheld {
        agent: AgentName::new("worker").unwrap(),
        turn: TurnId(Position::new(3)),
        answer: Position::new(7),
        message: None,
        spans: vec![Withheld {
            from,
            to,
            family: ArtifactFamily::ReactJson,
        }],
    };
    WithheldView::of(Position::new(9), Time::SIMULATED_START, &kept, spoken)
}

#[test]
fn the_exact_text_is_shown_behind_a_bar_and_obeys_no_terminal() {
    let plain = |line: String| anstream::adapter::strip_str(&line).to_string();
    let lines: Vec<String> = block(&view(Some(SPOKEN))).into_iter().map(plain).collect();
    let expected = [
        "    9  2030-01-01T00:00:00Z  worker in answer 7, nothing was left",
        "       react_json bytes 12..55",
        "       ┊ {\"action\": \"push\",",
        "       ┊  \"action_input\": \"\\u{1b}[2J\"}",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn an_erased_answer_still_says_what_was_kept_back() {
    let view = view(None);
    assert_eq!(view.parts[0].text, None);
    assert!(block(&view).concat().contains("[erased]"));
}
