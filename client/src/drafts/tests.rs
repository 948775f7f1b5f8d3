use super::*;
use crate::item::ItemId;

fn piece(message: u64, offset: u64, text: &str) -> Draft {
    Draft {
        agent: "clerk".to_owned(),
        message,
        offset,
        text: text.to_owned(),
    }
}

fn end(message: u64, ending: &str) -> DraftEnd {
    DraftEnd {
        message,
        ending: ending.to_owned(),
    }
}

fn item(json: &str) -> Item {
    Item::read(ItemId::new("9"), json.to_owned()).unwrap()
}

#[test]
fn a_piece_that_comes_again_gives_only_its_news() {
    let mut open = OpenDrafts::default();
    let mut given = Vec::new();
    for (offset, text) in [
        (0, "One "),
        (4, "two "),
        (0, "One "),
        (4, "two three"),
        (8, "three"),
    ] {
        given.extend(open.take(piece(5, offset, text)).unwrap().1);
    }
    assert_eq!(
        given,
        [
            piece(5, 0, "One "),
            piece(5, 4, "two "),
            piece(5, 8, "three")
        ]
    );
}

#[test]
fn a_piece_that_splits_a_letter_is_refused() {
    let mut open = OpenDrafts::default();
    open.take(piece(5, 0, "x")).unwrap();
    assert!(matches!(
        open.take(piece(5, 0, "é")),
        Err(ClientError::Unreadable { .. })
    ));
}

#[test]
fn an_end_is_told_once() {
    let mut open = OpenDrafts::default();
    open.take(piece(5, 0, "One")).unwrap();
    assert!(open.end(&end(5, "whole")));
    assert!(!open.end(&end(5, "whole")));
}

#[test]
fn a_draft_ends_with_the_agents_next_one_its_message_or_its_turn() {
    let message = r#"{"type":"message","agent":"clerk","message":5}"#;
    let other = r#"{"type":"message","agent":"clerk","message":6}"#;
    let turn = r#"{"type":"activity","agent":"clerk","activity":{"turn_closed":"replied"}}"#;
    for (json, ended) in [
        (message, Some(end(5, "unknown"))),
        (other, None),
        (turn, Some(end(5, "unknown"))),
    ] {
        let mut open = OpenDrafts::default();
        open.take(piece(5, 0, "One")).unwrap();
        assert_eq!(open.pass(&item(json)), ended, "{json}");
    }
    let mut open = OpenDrafts::default();
    open.take(piece(5, 0, "One")).unwrap();
    let taken = open.take(piece(7, 0, "New")).unwrap();
    assert_eq!(taken, (Some(end(5, "unknown")), Some(piece(7, 0, "New"))));
}
