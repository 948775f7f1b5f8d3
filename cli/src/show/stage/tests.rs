use super::*;

fn request(at: u64) -> RequestId {
    RequestId(Position::new(at))
}

#[test]
fn keys_answer_what_was_shown_first_and_nothing_that_nobody_saw() {
    let asked = Asked::default();
    assert_eq!(asked.first(), None);
    asked.offer(request(10));
    asked.offer(request(12));
    asked.offer(request(10));
    assert_eq!(asked.first(), Some(request(10)));
    asked.forget(request(10));
    assert_eq!(asked.first(), Some(request(12)));
    asked.forget(request(12));
    assert_eq!(asked.first(), None);
}

#[test]
fn keys_turn_to_what_was_asked_about_last() {
    let asked = Asked::default();
    asked.offer(request(10));
    asked.offer(request(12));
    asked.turn_to(request(12));
    assert_eq!(asked.first(), Some(request(12)));
    asked.forget(request(12));
    assert_eq!(asked.first(), Some(request(10)));
}
