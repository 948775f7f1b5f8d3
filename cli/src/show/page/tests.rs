//! The limits of what waits.

use super::*;

fn agent() -> AgentName {
    AgentName::new("worker").unwrap()
}

/// A page on which the worker writes a reply, of which this came so far.
fn drafting(delta: &str) -> StagePage {
    let mut page = StagePage::new(Layout::new(&[]), ProgressLine::new(false));
    let message = MessageId(Position::new(7));
    page.commit(ShownCommit {
        last: Position::new(7),
        begun: vec![(message, agent())],
        ended: Vec::new(),
        lines: Vec::new(),
    })
    .unwrap();
    page.draft(message, 0, delta, Position::new(7)).unwrap();
    page
}

fn quiet(bytes: usize) -> ChatLine {
    ChatLine::Quiet("x".repeat(bytes))
}

#[test]
fn lines_that_wait_behind_a_draft_have_a_limit_in_number_and_in_bytes() {
    let mut page = drafting("hello");
    for _ in 0..HELD_MAX {
        page.show(quiet(1)).unwrap();
        assert!(page.is_drafting());
    }
    page.show(quiet(1)).unwrap();
    assert!(!page.is_drafting() && page.held.is_empty());
    let mut page = drafting("hello");
    page.show(quiet(HELD_BYTES_MAX)).unwrap();
    assert!(page.is_drafting());
    page.show(quiet(1)).unwrap();
    assert!(!page.is_drafting() && page.held.is_empty());
    assert_eq!(page.held_bytes, 0);
}

#[test]
fn a_draft_has_a_limit_and_its_end_comes_with_the_reply() {
    let long = "word ".repeat(DRAFT_BYTES_MAX / 5);
    let mut page = drafting(&long);
    let message = MessageId(Position::new(7));
    for _ in 0..3 {
        let offset = u64::try_from(long.len()).unwrap();
        page.draft(message, offset, &long, Position::new(7))
            .unwrap();
    }
    let kept: usize = page.drafts.values().map(String::len).sum();
    assert_eq!(kept, long.len());
    page.show(ChatLine::Said {
        message,
        from: "worker".to_owned(),
        is_person: false,
        text: long.repeat(2),
    })
    .unwrap();
    assert!(!page.is_drafting());
}

#[test]
fn a_draft_that_is_broken_off_says_so_where_there_is_room() {
    let indent = "       ";
    let full = "word ".repeat(3);
    for (text, has_room) in [("word", true), (full.as_str(), false)] {
        let mut flow = Flow::new(indent, Some(24));
        flow.push(text);
        flow.finish();
        assert_eq!(flow.has_room(columns_of(" … (x)")), has_room, "{text}");
    }
}
